// Results of a benchmark, and their files.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/simulation/diagnostics.h"
#include "tools/bench/machine.h"

namespace scree {

/// The state from which steps are timed.
struct Preparation {
  std::string scene;
  std::int64_t bodies = 0, steps = 0;
  double simulated_s = 0.0, wall_s = 0.0;
  int threads = 1;
  double kinetic_energy_relative = 0.0;  // over the energy that lifts each body by its smallest length
  bool at_rest = false;
  std::uint64_t state_hash = 0;
};

/// The identity of a measurement.
struct BenchKey {
  std::string scene;
  std::int64_t bodies = 0;
  int threads = 1;
  std::string solver;
  double residual_target = 0.0;  // relative; 0: the scene's own tolerance and largest number of sweeps
  bool cold = false;             // each step begins without the last one's impulses
  bool whole_run = false;        // all steps from the start of the scene to its end
  auto operator<=>(const BenchKey&) const = default;
};

/// "settled_bed, 1000 bodies, 2 threads, gauss_seidel, residual 0.001, cold, whole run"
std::string to_string(const BenchKey& key);

/// Accuracy and work of the timed steps. Means are over the timed steps.
struct BenchPhysics {
  double contacts = 0.0, active_contacts = 0.0, candidates = 0.0, sweeps = 0.0;  // means
  int sweeps_max = 0;
  double residual_mean = 0.0, residual_max = 0.0;        // rms over the velocity scale, model.md (A4)
  double penetration_mean = 0.0, penetration_max = 0.0;  // over the smallest length; mean of means, largest
  double energy_error_relative = 0.0;      // unexplained and created, over the energy that lifts each body by
                                           // its smallest length
  double kinetic_energy_per_body_J = 0.0;  // after the last step
  double asleep = 0.0;                     // mean number of bodies
  std::int64_t steps_not_converged = 0, narrow_phase_failures = 0;
};

/// A section of a whole run, for diagrams.
struct RunStretch {
  double time_s = 0.0;                   // simulated, at its end
  double step_s = 0.0;                   // wall time per step: mean of the medians over repeats
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

/// Results of a run from the start of a scene to its end, in addition to the means of its steps.
struct WholeRun {
  double simulated_s = 0.0;
  std::vector<double> median_step_s, slow_step_s, worst_step_s;  // [repeat] wall times; slow: 95th percentile
  double worst_step_at_s = 0.0;        // simulated time of the step whose median over repeats is the largest
  std::optional<double> settled_at_s;  // simulated; see settled_energy
  std::vector<double> settling_s;      // [repeat] wall time until then; empty if it never settled
  double penetration_at_end = 0.0;  // mean over touching contacts of the last step, over the smallest length
  double energy_injected_J = 0.0;   // growth of kinetic and potential energy, sum over the steps with growth
  double energy_injected_relative = 0.0;  // over the energy at the start plus the energy released by falling
  double energy_created_J = 0.0;          // the same minus energy from boundaries and position correction
  std::vector<RunStretch> stretches;
};

/// One measurement: the same steps from the same state, repeated.
struct BenchCase {
  BenchKey key;
  double time_step_s = 0.0, tolerance = 0.0;
  int max_sweeps = 0;
  std::vector<std::string> settings;  // "key=value", changes of the scene by --set and --size
  std::int64_t steps = 0;             // timed in each repeat
  std::vector<double> step_s, cpu_s;  // [repeat] wall and processor time per step, mean over the repeat
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

/// Wall time of all timed steps, s, [repeat]
std::vector<double> run_samples(const BenchCase& measured);
/// Share of the steps that ended above the tolerance.
double share_not_converged(const BenchCase& measured);
/// A residual over the tolerance.
double of_goal(const BenchCase& measured, double residual);

/// Median times and derived rates.
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

/// Measurements of the same scene, bodies, solver and target that should have the same final state but do
/// not: one line each; also measurements with different repeats.
std::vector<std::string> hash_faults(const BenchReport& report);

/// docs/benchmarks.md defines each key. read_bench_json throws ReadError.
std::string to_json(const BenchReport& report);
BenchReport read_bench_json(const std::filesystem::path& path);
/// One row per measurement, medians and spreads.
std::string to_csv(const BenchReport& report);

}  // namespace scree
