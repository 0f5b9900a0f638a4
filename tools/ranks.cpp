#include "tools/ranks.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <sched.h>
#include <spdlog/spdlog.h>
#include <string>
#include <thread>
#include <unistd.h>

#include "engine/core/errors.h"
#include "engine/simulation/ranks/not_by_ranks.h"
#include "io/files/file_errors.h"
#include "tools/exit_codes.h"
#ifdef SCREE_MPI
#include "engine/mpi/mpi_ranks.h"
#endif

namespace scree {

namespace {

// How long a rank that fails waits for the first one to say why it fails too.
constexpr std::chrono::seconds patience{3};

/// How many processes were started together, as launchers say; 1 by none.
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
#endif

}  // namespace

Ranks* join_ranks() {
  if (launched() == 1) return nullptr;
#ifdef SCREE_MPI
  team() = std::make_unique<MpiRanks>();
  if (team()->count() == 1) return nullptr;
  if (team()->rank() > 0) {
    spdlog::default_logger()->set_pattern(fmt::format("%^%l:%$ rank {}: %v", team()->rank()));
    spdlog::set_level(spdlog::level::err);
  }
  return team().get();
#else
  throw io::ReadError(
      fmt::format("{} processes were started together, but this program knows no MPI: build it with "
                  "-DSCREE_MPI=ON (Debian: libopenmpi-dev, openmpi-bin), or start one process",
                  launched()));
#endif
}

int threads_of_rank() {
#ifdef SCREE_MPI
  if (team()) {
    cpu_set_t set;
    CPU_ZERO(&set);
    const auto all = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
    const int bound = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : all;
    // The launcher may have given each rank processors of its own.
    return bound < all ? bound : std::max(1, all / team()->count_here());
  }
#endif
  return 0;
}

void expect_by_ranks(const io::Scene& scene, const State& state, const std::filesystem::path& dump_problem) {
  std::vector<Fault> faults;
  const auto refuse = [&](const std::string& key, const std::string& what) {
    faults.push_back({{scene.file.string(), 0, 0},
                      key,
                      "runs by several ranks cannot do this yet: " + what,
                      "",
                      "",
                      "",
                      "start one process; it uses all cores of a machine"});
  };
  for (const auto& [key, what] : not_by_ranks(scene.model, state)) refuse(key, what);
  if (!scene.events.empty()) refuse("events", "events");
  if (!dump_problem.empty()) refuse("--dump-problem", "storing a contact problem");
  if (!faults.empty()) throw InputError(std::move(faults));
}

void leave_ranks([[maybe_unused]] int status) {
#ifdef SCREE_MPI
  if (!team()) return;
  // These all ranks have come to together.
  const bool is_agreed = status == exit_ok || status == exit_interrupted || status == exit_numerical_failure ||
                         status == exit_not_trusted || status == exit_does_not_fit;
  if (!is_agreed && team()->count() > 1) {
    if (team()->rank() > 0) std::this_thread::sleep_for(patience);
    std::fflush(nullptr);
    MpiRanks::abort(status);
  }
  team().reset();
#endif
}

}  // namespace scree
