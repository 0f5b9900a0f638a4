// What a benchmark found, and its files.
#pragma once

#include <filesystem>
#include <optional>
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
  bool whole_run = false;        // all steps from the start of the scene to its end
  auto operator<=>(const BenchKey&) const = default;
};

/// "settled_bed, 1000 bodies, 2 threads, gauss_seidel, residual 0.001, cold, whole run"
std::string to_string(const BenchKey& key);

/// How accurate the timed steps were and how much they had to do. Means are over the timed steps.
struct BenchPhysics {
  double contacts = 0.0, active_contacts = 0.0, candidates = 0.0, sweeps = 0.0;  // means
  int sweeps_max = 0;
  double residual_mean = 0.0, residual_max = 0.0;        // rms over the velocity scale, model.md (A4)
  double penetration_mean = 0.0, penetration_max = 0.0;  // over the smallest length; mean of means, largest
  double energy_error_relative = 0.0;  // unexplained and created, over the energy that lifts every body by
                                       // its smallest length
  double kinetic_energy_per_body_J = 0.0;  // after the last step
  double asleep = 0.0;                     // mean of bodies
  std::int64_t steps_not_converged = 0, narrow_phase_failures = 0;
};

/// A stretch of a whole run, for drawing it.
struct RunStretch {
  double time_s = 0.0;                   // simulated, at its end
  double step_s = 0.0;                   // wall time of a step: mean of the medians over repeats
  double sweeps = 0.0;                   // mean
  double residual_of_goal = 0.0;         // largest residual over the tolerance
  double kinetic_energy_relative = 0.0;  // at its end, over lifting_energy()
};

struct StretchName {
  const char* name;
  double RunStretch::*value;
};
inline constexpr StretchName stretch_names[] = {
    {"time_s", &RunStretch::time_s},
    {"step_s", &RunStretch::step_s},
    {"sweeps", &RunStretch::sweeps},
    {"residual_of_goal", &RunStretch::residual_of_goal},
    {"kinetic_energy_relative", &RunStretch::kinetic_energy_relative}};

/// What a run from the start of a scene to its end tells beyond the means of its steps.
struct WholeRun {
  double simulated_s = 0.0;
  std::vector<double> median_step_s, slow_step_s, worst_step_s;  // [repeat] wall times; slow: 95th percentile
  double worst_step_at_s = 0.0;        // simulated time of the step whose median over repeats is the largest
  std::optional<double> settled_at_s;  // simulated; see settled_energy
  std::vector<double> settling_s;      // [repeat] wall time until then; empty if it never was
  double penetration_at_end = 0.0;  // mean over touching contacts of the last step, over the smallest length
  double energy_injected_J = 0.0;  // growth of kinetic and potential energy, sum over the steps where it grew
  double energy_injected_relative = 0.0;  // over the energy at the start and what falling released
  double energy_created_J = 0.0;          // the same beyond what boundaries and position correction put in
  std::vector<RunStretch> stretches;
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
  std::optional<WholeRun> run;   // if key.whole_run
};

struct BenchReport {
  Machine machine;
  Build build;
  std::string started;  // UTC, ISO 8601
  std::vector<Preparation> preparations;
  std::vector<BenchCase> cases;
  std::int64_t peak_resident_bytes = 0;  // of the whole program
};

/// Wall times of the timed steps together, s, [repeat]
std::vector<double> run_samples(const BenchCase& measured);
/// Of the steps, those that ended above the tolerance.
double share_not_converged(const BenchCase& measured);
/// A residual over the tolerance.
double of_goal(const BenchCase& measured, double residual);

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
