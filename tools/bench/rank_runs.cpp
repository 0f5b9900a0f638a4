#include "tools/bench/rank_runs.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

#include "io/files/file_errors.h"
#include "io/files/input_file.h"
#include "io/results/run_folder.h"
#include "tools/bench/statistics.h"

namespace scree {

namespace {

constexpr std::size_t most_told = 2000;  // characters of the messages of a run that failed

/// A folder that is removed with all in it.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "scree_ranks_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw io::WriteError(fmt::format("{}: {}", name, std::strerror(errno)));
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Runs a command to its end, with all its output in a file. Returns its exit status, 127 if it cannot start.
int execute(std::vector<std::string> words, const std::filesystem::path& log) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t process = 0;
  const int error = posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw io::ReadError(fmt::format("cannot start {}: {}", words[0], std::strerror(error)));
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::vector<std::string> command(const RankPlan& plan, int ranks, int threads,
                                 const std::filesystem::path& folder) {
  std::vector<std::string> words;
  if (ranks > 1) {
    std::istringstream launcher(plan.launcher);
    for (std::string word; launcher >> word;) words.push_back(word);
    words.push_back(std::to_string(ranks));
  }
  const auto add = [&](std::initializer_list<std::string> more) { words.insert(words.end(), more); };
  add({std::filesystem::read_symlink("/proc/self/exe").string(), "run", plan.scene.string(), "-q",
       "--overwrite", "-o", folder.string(), "--threads", std::to_string(threads)});
  // Only the steps are measured.
  for (const char* setting : {"output.hdf5=false", "output.vtk=false", "checkpoints.keep=0"})
    add({"--set", setting});
  if (plan.count) add({"--set", fmt::format("count={}", *plan.count * (plan.weak ? ranks : 1))});
  for (const std::string& setting : plan.settings) add({"--set", setting});
  if (plan.until_s) add({"--until", fmt::format("{}", *plan.until_s)});
  return words;
}

std::string text_of(const std::filesystem::path& file) {
  std::string problem;
  const std::optional<std::string> text = io::read_bytes(file, problem);
  if (!text) throw io::ReadError(fmt::format("{}: {}", file.string(), problem));
  return *text;
}

StageTimes stages_of(const nlohmann::json& json) {
  return {json.at("preparation"), json.at("detection"), json.at("resolution"), json.at("finish")};
}

/// Adds a run to its case.
void take(const nlohmann::json& summary, RankCase& into) {
  std::vector<io::RankUse> use;
  if (summary.contains("ranks"))
    for (const nlohmann::json& r : summary.at("ranks")) {
      const RankTraffic traffic{r.at("exchanges"),      r.at("exchange_bytes"), r.at("exchange_s"),
                                r.at("other_messages"), r.at("other_bytes"),    r.at("other_s")};
      use.push_back(
          {r.at("threads"), r.at("bodies"), r.at("wall_time_s"), stages_of(r.at("stage_time_s")), traffic});
    }
  const StageTimes own = stages_of(summary.at("stage_time_s"));
  const double wall_s = summary.at("wall_time_s");
  const bool is_fastest = into.wall_s.empty() || wall_s < into.fastest_s();
  into.wall_s.push_back(wall_s);
  if (!is_fastest) return;
  into.scene = summary.at("scene");
  into.bodies = summary.at("bodies");
  into.steps = summary.at("steps");
  into.sweeps = summary.at("sweeps");
  into.stage_time = own;
  into.use = std::move(use);
  into.state_hash = summary.at("state_hash");
}

}  // namespace

double RankCase::fastest_s() const { return *std::ranges::min_element(wall_s); }

double RankCase::kilobytes_per_sweep() const {
  double bytes = 0.0, exchanges = 0.0;
  for (const io::RankUse& rank : use) {
    bytes += static_cast<double>(rank.traffic.swap_bytes);
    exchanges += static_cast<double>(rank.traffic.swaps);
  }
  return exchanges > 0.0 ? 1e-3 * bytes / exchanges : 0.0;
}

double RankCase::exchanges_per_sweep() const {
  if (use.empty() || sweeps == 0) return 0.0;
  return static_cast<double>(use[0].traffic.swaps) / static_cast<double>(sweeps);
}

double RankCase::message_share() const {
  double share = 0.0;
  for (const io::RankUse& rank : use)
    share = std::max(share, (rank.traffic.swap_s + rank.traffic.others_s) / rank.wall_s);
  return share;
}

double RankCase::imbalance() const {
  if (use.empty()) return 1.0;
  double most = 0.0, all = 0.0;
  for (const io::RankUse& rank : use) {
    most = std::max(most, static_cast<double>(rank.bodies));
    all += static_cast<double>(rank.bodies);
  }
  return all > 0.0 ? most * static_cast<double>(use.size()) / all : 1.0;
}

std::vector<RankCase> run_by_ranks(const RankPlan& plan, void (*note)(const std::string& line)) {
  std::vector<RankCase> cases;
  for (const int threads : plan.threads)
    for (const int ranks : plan.ranks) {
      RankCase made;
      made.ranks = ranks;
      made.threads = threads;
      cases.push_back(made);
    }
  const ScratchFolder scratch;
  const io::RunFolder folder{scratch.path() / "run"};
  const std::filesystem::path log = scratch.path() / "log";
  for (int repeat = 0; repeat < plan.repeats; ++repeat)
    for (RankCase& one : cases) {
      note(fmt::format("{}, ranks {}, threads {}, repeat {} of {}\n", plan.scene.stem().string(), one.ranks,
                       one.threads, repeat + 1, plan.repeats));
      if (execute(command(plan, one.ranks, one.threads, folder.path), log) != 0) {
        const std::string told = text_of(log);
        throw io::ReadError(fmt::format("the run with {} ranks failed: {}", one.ranks,
                                        told.substr(told.size() - std::min(told.size(), most_told))));
      }
      take(nlohmann::json::parse(text_of(folder.summary())), one);
    }
  return cases;
}

std::string to_text(const std::vector<RankCase>& cases, bool weak) {
  std::string text =
      fmt::format("{:>5} {:>7} {:>9} {:>6} {:>8} {:>19} {:>8} {:>10} {:>9} {:>10} {:>8} {:>9} {:>9}\n",
                  "ranks", "threads", "bodies", "steps", "sweeps", "wall, s: min, max", "speed-up",
                  "efficiency", "detection", "resolution", "messages", "kB/sweep", "imbalance");
  std::map<int, const RankCase*> first;  // [threads]
  for (const RankCase& c : cases) {
    const RankCase& base = *first.try_emplace(c.threads, &c).first->second;
    const double more = static_cast<double>(c.ranks) / base.ranks, ratio = base.fastest_s() / c.fastest_s();
    text += fmt::format(
        "{:>5} {:>7} {:>9} {:>6} {:>8} {:>9.3g} {:>9.3g} {:>8.2f} {:>10.2f} {:>9.3g} {:>10.3g} {:>7.0f}% "
        "{:>9.3g} "
        "{:>9.2f}\n",
        c.ranks, c.threads, c.bodies, c.steps, c.sweeps, c.fastest_s(), *std::ranges::max_element(c.wall_s),
        weak ? more * ratio : ratio, weak ? ratio : ratio / more, c.stage_time.detection,
        c.stage_time.resolution, 100.0 * c.message_share(), c.kilobytes_per_sweep(), c.imbalance());
  }
  return text;
}

std::string to_csv(const std::vector<RankCase>& cases) {
  std::string text =
      "scene,ranks,threads,bodies,steps,sweeps,wall_s,detection_s,resolution_s,exchanges_per_sweep,message_"
      "share,"
      "kilobytes_per_sweep,imbalance,state_hash\n";
  for (const RankCase& c : cases)
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", c.scene, c.ranks, c.threads, c.bodies,
                        c.steps, c.sweeps, c.fastest_s(), c.stage_time.detection, c.stage_time.resolution,
                        c.exchanges_per_sweep(), c.message_share(), c.kilobytes_per_sweep(), c.imbalance(),
                        c.state_hash);
  return text;
}

std::string to_json(const std::vector<RankCase>& cases, const BenchReport& report) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const RankCase& c : cases)
    list.push_back({{"scene", c.scene},
                    {"ranks", c.ranks},
                    {"threads", c.threads},
                    {"bodies", c.bodies},
                    {"steps", c.steps},
                    {"sweeps", c.sweeps},
                    {"wall_s", c.wall_s},
                    {"detection_s", c.stage_time.detection},
                    {"resolution_s", c.stage_time.resolution},
                    {"exchanges_per_sweep", c.exchanges_per_sweep()},
                    {"message_share", c.message_share()},
                    {"kilobytes_per_sweep", c.kilobytes_per_sweep()},
                    {"imbalance", c.imbalance()},
                    {"state_hash", c.state_hash}});
  const nlohmann::ordered_json json{{"format", "scree ranks"},
                                    {"format_version", 1},
                                    {"started", report.started},
                                    {"cpu", report.machine.cpu},
                                    {"cores", report.machine.cores},
                                    {"load", report.machine.load},
                                    {"scree_version", report.build.version},
                                    {"commit", report.build.commit},
                                    {"cases", std::move(list)}};
  return json.dump(2) + "\n";
}

std::vector<std::string> hash_faults(const std::vector<RankCase>& cases) {
  std::vector<std::string> faults;
  std::map<std::pair<std::string, std::int64_t>, const RankCase*> first;
  for (const RankCase& c : cases) {
    const RankCase& base = *first.try_emplace({c.scene, c.bodies}, &c).first->second;
    if (c.state_hash != base.state_hash)
      faults.push_back(
          fmt::format("{}, {} bodies: {} ranks of {} threads end in another state than {} ranks of {}",
                      c.scene, c.bodies, c.ranks, c.threads, base.ranks, base.threads));
  }
  return faults;
}

}  // namespace scree
