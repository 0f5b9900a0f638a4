#include "tools/ranks.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <sched.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>
#include <sstream>
#include <string>
#include <thread>
#include <unistd.h>

#include "engine/core/counted_ranks.h"
#include "engine/core/errors.h"
#include "engine/core/parallel.h"
#include "engine/simulation/ranks/not_by_ranks.h"
#include "io/files/file_errors.h"
#ifdef SCREE_MPI
#include "engine/mpi/mpi_ranks.h"
#endif

namespace scree {

namespace {

bool has_agreed = false;

// Time that a failing rank waits for the first one to report the reason and end all, before it does so
// itself.
constexpr std::chrono::seconds patience{3};

/// Number of processes started together, as reported by launchers; 1 without one.
int launched() {
  for (const char* const name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_SIZE", "SLURM_STEP_NUM_TASKS"})
    if (const char* const size = std::getenv(name)) return std::max(1, std::atoi(size));
  return 1;
}

#ifdef SCREE_MPI
std::unique_ptr<MpiRanks>& team() {
  static std::unique_ptr<MpiRanks> ranks;
  return ranks;
}

/// The team, with its messages counted.
std::optional<CountedRanks>& counted() {
  static std::optional<CountedRanks> ranks;
  return ranks;
}

/// Messages of ranks except the first, until it is known whether the first one has the same.
std::ostringstream& held_back() {
  static std::ostringstream text;
  return text;
}
#endif

}  // namespace

Ranks* join_ranks() {
  if (launched() == 1) return nullptr;
#ifdef SCREE_MPI
  team() = std::make_unique<MpiRanks>();
  if (team()->count() == 1)
    throw io::ReadError(
        fmt::format("{} processes were started together, but by an MPI other than the one that this program "
                    "was built with, so they do not see each other",
                    launched()));
  if (team()->rank() > 0) {
    auto logger = std::make_shared<spdlog::logger>(
        "rank", std::make_shared<spdlog::sinks::ostream_sink_mt>(held_back()));
    logger->set_pattern(fmt::format("%l: rank {}: %v", team()->rank()));
    logger->set_level(spdlog::level::err);
    spdlog::set_default_logger(logger);
  }
  return &counted().emplace(*team());
#else
  throw io::ReadError(
      fmt::format("{} processes were started together, but this program was built without MPI: build it with "
                  "-DSCREE_MPI=ON (Debian: libopenmpi-dev, openmpi-bin), or start one process",
                  launched()));
#endif
}

void count_messages() {
#ifdef SCREE_MPI
  if (counted()) counted()->reset();
#endif
}

std::vector<io::RankUse> rank_uses([[maybe_unused]] Ranks& ranks, [[maybe_unused]] const StageTimes& time,
                                   [[maybe_unused]] std::size_t bodies) {
#ifdef SCREE_MPI
  return of_all(&ranks, std::vector<io::RankUse>{{thread_count(), static_cast<std::int64_t>(bodies),
                                                  counted()->seconds(), time, counted()->traffic()}});
#else
  return {};
#endif
}

int threads_of_rank() {
#ifdef SCREE_MPI
  if (team()) {
    struct Place {
      std::array<char, 256> host{};
      cpu_set_t processors;
    };
    std::vector<Place> own(1);
    gethostname(own[0].host.data(), own[0].host.size() - 1);
    CPU_ZERO(&own[0].processors);
    sched_getaffinity(0, sizeof own[0].processors, &own[0].processors);
    const auto sharing = std::ranges::count_if(of_all(team().get(), own), [&](const Place& other) {
      return other.host == own[0].host && CPU_EQUAL(&other.processors, &own[0].processors);
    });
    return std::max(1, CPU_COUNT(&own[0].processors) / static_cast<int>(sharing));
  }
#endif
  return 0;
}

void expect_by_ranks(const io::Scene& scene, const std::filesystem::path& dump_problem) {
  std::vector<Fault> faults;
  const auto refuse = [&](const std::string& key, const std::string& what) {
    faults.push_back({{scene.file.string(), 0, 0},
                      key,
                      "runs by several ranks do not support this yet: " + what,
                      "",
                      "",
                      "",
                      "start one process; it uses all cores of a machine"});
  };
  for (const auto& [key, what] : not_by_ranks(scene.model)) refuse(key, what);
  if (!dump_problem.empty()) refuse("--dump-problem", "storing a contact problem");
  if (!faults.empty()) throw InputError(std::move(faults));
}

void expect_same_start(Ranks& ranks, const State& state) {
  struct Start {
    std::int64_t step, bodies;
    double time_s;
    std::uint64_t hash;
    bool operator==(const Start&) const = default;
  };
  const std::vector<Start> all =
      of_all(&ranks, std::vector<Start>{{state.step, std::ssize(state.bodies.position), state.time_s,
                                         state_hash(state.bodies)}});
  for (std::size_t r = 1; r < all.size(); ++r)
    if (all[r] != all[0])
      throw io::ReadError(
          fmt::format("ranks do not begin with the same state: rank 0 has step {} with {} bodies, rank {} "
                      "has step {} with {}; every rank reads the scene, and the checkpoint from which a run "
                      "continues, so all machines must see these files",
                      all[0].step, all[0].bodies, r, all[r].step, all[r].bodies));
}

void agree_on_end() { has_agreed = true; }

void leave_ranks([[maybe_unused]] int status) {
#ifdef SCREE_MPI
  if (!team()) return;
  if (!has_agreed && team()->count() > 1) {
    if (team()->rank() > 0) {
      std::this_thread::sleep_for(patience);
      std::fputs(held_back().str().c_str(), stderr);
    }
    std::fflush(nullptr);
    MpiRanks::abort(status);
  }
  team().reset();
#endif
}

}  // namespace scree
