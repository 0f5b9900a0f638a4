// What a benchmark found, and its files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/simulation/diagnostics.h"
#include "tools/bench/machine.h"

namespace scree {

/// The state that steps are timed from.
struct Preparation {
  std::string scene;
  std::int64_t bodies = 0, steps = 0;
  double simulated_s = 0.0, wall_s = 0.0;
  int threads = 1;
  double kinetic_energy_relative = 0.0;  // over the energy that lifts every body by its smallest length
  bool at_rest = false;
  std::uint64_t state_hash = 0;
};

/// What tells one measurement from another.
struct BenchKey {
  std::string scene;
  std::int64_t bodies = 0;
  int threads = 1;
  std::string solver;
  double residual_target = 0.0;  // relative; 0: the scene's own tolerance and most sweeps
  bool cold = false;             // every step begins without the last one's impulses
  auto operator<=>(const BenchKey&) const = default;
};

/// "settled_bed, 1000 bodies, 2 threads, per_body, residual 0.001, cold"
std::string to_string(const BenchKey& key);

/// How accurate the timed steps were and how much they had to do. Means are over the timed steps.
struct BenchPhysics {
  double contacts = 0.0, active_contacts = 0.0, candidates = 0.0, sweeps = 0.0;  // means
  double residual_mean = 0.0, residual_max = 0.0;        // rms over the velocity scale, model.md (A4)
  double penetration_mean = 0.0, penetration_max = 0.0;  // over the smallest length; mean of means, largest
  double energy_error_relative = 0.0;  // unexplained and created, over the energy that lifts every body by
                                       // its smallest length
  double kinetic_energy_per_body_J = 0.0;  // after the last step
  double asleep = 0.0;                     // mean of bodies
  std::int64_t steps_not_converged = 0, narrow_phase_failures = 0;
};

/// One measurement: the same steps from the same state, again and again.
struct BenchCase {
  BenchKey key;
  double time_step_s = 0.0, tolerance = 0.0;
  int max_sweeps = 0;
  std::vector<std::string> settings;  // "key=value", what --set and --size changed of the scene
  std::int64_t steps = 0;             // timed in each repeat
  std::vector<double> step_s, cpu_s;  // [repeat] wall and processor time of a step, mean over the repeat
  std::vector<StageTimes> stages;     // [repeat] the same by stage
  BenchPhysics physics;
  double bytes_per_body = 0.0;   // of state and workspace, from the allocator
  std::uint64_t state_hash = 0;  // after the last timed step
  bool reproducible = true;      // all repeats have that hash
};

struct BenchReport {
  Machine machine;
  Build build;
  std::string started;  // UTC, ISO 8601
  std::vector<Preparation> preparations;
  std::vector<BenchCase> cases;
  std::int64_t peak_resident_bytes = 0;  // of the whole program
};

/// Median times and what follows from them.
struct Rates {
  double step_s = 0.0, body_steps_per_s = 0.0, contacts_per_s = 0.0, simulated_per_wall = 0.0;
};
Rates rates(const BenchCase& measured);

/// The times of one stage, [repeat].
std::vector<double> stage_samples(const BenchCase& measured, double StageTimes::*stage);
struct StageName {
  const char* name;
  double StageTimes::*time;
};
inline constexpr StageName stage_names[] = {{"preparation", &StageTimes::preparation},
                                            {"detection", &StageTimes::detection},
                                            {"resolution", &StageTimes::resolution},
                                            {"finish", &StageTimes::finish}};

/// Measurements of the same scene, bodies, solver and target that should have left the same bits and did not:
/// one line each; also a measurement whose repeats differ.
std::vector<std::string> hash_faults(const BenchReport& report);

/// Every key is defined in docs/benchmarks.md. read_bench_json throws ReadError.
std::string to_json(const BenchReport& report);
BenchReport read_bench_json(const std::filesystem::path& path);
/// One row a measurement, medians and spreads.
std::string to_csv(const BenchReport& report);

}  // namespace scree
