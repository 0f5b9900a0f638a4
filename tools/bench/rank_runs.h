// Whole runs by several processes: `scree bench --ranks`.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/results/summary.h"
#include "tools/bench/bench_report.h"

namespace scree {

/// A scene and the numbers of ranks by which it is run.
struct RankPlan {
  std::filesystem::path scene;
  std::vector<int> ranks, threads;    // 1 rank: one process, without the launcher
  std::optional<std::int64_t> count;  // value of the scene's parameter `count`
  bool weak = false;                  // `count` is proportional to the number of ranks
  std::vector<std::string> settings;  // "key=value"
  std::optional<double> until_s;
  std::string launcher;  // the number of ranks follows it
  int repeats = 1;
};

/// Runs with one number of ranks and threads. Numbers per rank are those of the fastest repeat.
struct RankCase {
  std::string scene;
  int ranks = 1, threads = 1;
  std::int64_t bodies = 0, steps = 0, sweeps = 0;
  std::vector<double> wall_s;    // [repeat] of the run, without reading the scene
  StageTimes stage_time;         // s, sums over the run, of rank 0
  std::vector<io::RankUse> use;  // [rank]; empty for one process
  std::string state_hash;

  double fastest_s() const;
  double kilobytes_per_sweep() const;  // sent by a rank, mean
  double exchanges_per_sweep() const;  // of ghosts' velocities, by each rank
  double message_share() const;  // time of messages and waiting over that of the run, largest of the ranks
  double imbalance() const;      // most bodies of a rank over their mean
};

/// All cases, repeats interleaved. `note` gets a line before each run. Throws io::ReadError with the end of
/// its messages if a run fails.
std::vector<RankCase> run_by_ranks(const RankPlan& plan, void (*note)(const std::string& line));

/// A table of the cases of one scene. Speed-ups are relative to the first case with as many threads; for weak
/// scaling the efficiency is that of equal work per rank.
std::string to_text(const std::vector<RankCase>& cases, bool weak);
std::string to_csv(const std::vector<RankCase>& cases);
std::string to_json(const std::vector<RankCase>& cases, const BenchReport& report);

/// A message for each scene and size whose runs ended in different states.
std::vector<std::string> hash_faults(const std::vector<RankCase>& cases);

}  // namespace scree
