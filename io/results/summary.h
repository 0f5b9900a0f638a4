// summary.json: what came out of a run, in one page of numbers.
#pragma once

#include <string>
#include <vector>

#include "engine/simulation/diagnostics.h"
#include "io/files/archive.h"
#include "io/results/events.h"
#include "io/results/frame.h"
#include "io/results/verdict.h"
#include "io/scene/scene.h"

namespace scree::io {

enum class RunStatus { finished, interrupted, failed };
const char* to_string(RunStatus status);

/// The end of a step.
struct Moment {
  std::int64_t step = 0;
  double time_s = 0.0;
  double time_step_s = 0.0;  // how long the step was
};

/// Who overlapped by the largest penetration_max of a run, and when.
struct DeepestOverlap {
  Moment when;
  BodyId body = -1, other_body = -1;  // ids
  std::string boundary;               // in place of the other body
  double residual_of_scale = 0.0;     // of that step, over the velocity scale
};

/// What passed an inlet or an outlet in a run.
struct OpeningTotal {
  std::string name;
  bool is_inlet = false;
  Passage passage;
};
/// All of a state: inlets, outlets and, where bodies may leave it, the domain.
std::vector<OpeningTotal> opening_totals(const Model& model, const State& state);

/// How often an event happened, and when; what it saw and did the last time.
struct EventSummary {
  std::string name, text;  // text: event_text() of the last time
  std::int64_t count = 0;
  Moment first, last;
};

struct FileChecksum {
  std::string name;
  std::uint32_t crc32 = 0;
};

/// Every number is defined in docs/file_formats.md.
struct Summary {
  std::string scene, solver;
  RunStatus status = RunStatus::finished;
  int threads = 1;
  std::int64_t bodies = 0, boundaries = 0, lost_bodies = 0, steps = 0, frames = 0;
  bool adaptive_step = false;
  double time_step_s = 0.0;                                        // adaptive: the mean one
  double least_time_step_s = infinity, largest_time_step_s = 0.0;  // of the run's steps
  double simulated_time_s = 0.0, end_time_s = 0.0;
  double wall_time_s = 0.0, recording_time_s = 0.0, median_step_time_s = 0.0;
  bool sleeps = false;    // may bodies sleep?
  StageTimes stage_time;  // s, sums over the run
  StepReport last;        // of the last step
  // over the run
  double penetration_max_of_run = 0.0, residual_rms_relative_max = 0.0, residual_rms_relative_mean = 0.0;
  double momentum_error_relative = 0.0, angular_momentum_error_relative = 0.0;  // maxima
  DeepestOverlap deepest;
  std::int64_t steps_not_converged = 0, narrow_phase_failures = 0, candidates = 0;
  std::int64_t steps_far_from_goal = 0, steps_unsolved = 0;  // see verdict.h
  // residual over goal of the steps that did not converge; nine of ten are below p90
  double goal_missed_by_median = 0.0, goal_missed_by_p90 = 0.0, goal_missed_by_max = 0.0;
  Moment goal_missed_most;
  double kinetic_initial_J = 0.0, potential_initial_J = 0.0;
  EnergyLedger energy;  // as after the last step; its flows are sums over the run
  double energy_injected_J = 0.0, energy_injected_relative = 0.0;
  // over the energy turned over: what was injected beyond the work on the bodies, and the largest sum of
  // remainders on the way
  double energy_created_relative = 0.0, energy_unexplained_relative = 0.0;
  Moment energy_created_most;
  double momentum_created_relative = 0.0, angular_momentum_created_relative = 0.0;  // over all impulses
  bool bounces = false;  // is any coefficient of restitution above zero?
  std::vector<std::string> unyielding;  // what moves as it is told, whatever is in its way, by kind and name
  Vec3 boundary_impulse = Vec3::Zero(),
       boundary_angular_impulse = Vec3::Zero();                             // N s, N m s: sums over the run
  Vec3 sleep_impulse = Vec3::Zero(), sleep_angular_impulse = Vec3::Zero();  // N s, N m s: sums over the run
  // kg m/s, kg m^2/s: of bodies that came, less that of those that left
  Vec3 exchanged_momentum = Vec3::Zero(), exchanged_angular_momentum = Vec3::Zero();
  std::int64_t bodies_initial = 0;
  double mass_initial = 0.0, mass = 0.0;  // kg, at the start and at the end
  std::vector<OpeningTotal> openings;     // of the run
  std::int64_t woken = 0;                 // how often a body woke
  std::uint64_t state_hash = 0;
  std::vector<EventSummary> events;         // of the scene, in its order
  std::string ended_by;                     // the event that did; empty if it was the time
  std::vector<FileChecksum> files;          // tables, as they were at the end
  std::vector<std::int64_t> resumed_steps;  // after which the run was gone on with from a checkpoint
  Verdict verdict;

  double real_time_factor() const { return wall_time_s > 0.0 ? simulated_time_s / wall_time_s : 0.0; }
};

/// Energy that a step made beyond what boundaries, forces, newcomers and the correction of positions gave, J.
double created_energy(const StepReport& report);

/// Gathers a Summary step by step.
class RunStatistics {
 public:
  explicit RunStatistics(const Scene& scene);
  void add(const StepReport& report);
  void add(const Happening& happening);
  /// Kinetic and potential energy and momenta of the state, flows and impulses summed so far.
  FrameBalances balances(const State& state) const;
  /// The larger of the energy that nothing accounts for and the energy created beyond the work of boundaries
  /// and position correction, over all that was turned over so far.
  double ledger_breach() const;
  /// Keeps all of it, or reads it.
  void visit(Archive& io);
  /// Everything but status, frames, wall and recording times, which the caller knows, and the verdict.
  Summary summary(const State& state) const;

 private:
  void add_residual(const StepReport& report);
  void add_overlap(const StepReport& report);
  void add_energy(const StepReport& report);
  double turned_over_J() const;

  const Scene& scene_;
  Summary sums_;
  double residual_sum_ = 0.0, potential_min_ = 0.0;
  double created_J_ = 0.0, created_most_J_ = 0.0, unexplained_most_J_ = 0.0;
  double gained_N_s_ = 0.0, gained_N_m_s_ = 0.0;              // momentum from nowhere
  double impulse_size_N_s_ = 0.0, impulse_size_N_m_s_ = 0.0;  // sums |impulse|, of moments
  double least_energy_J_ = 0.0;                               // what energies are at least compared with
  // [step], s, and [step that did not converge] residual over goal; of long runs evenly spaced ones
  std::vector<double> step_time_, goal_missed_by_;
};

/// The text of summary.json. JSON has no NaN and no infinity: they become null.
std::string to_json(const Summary& summary);

}  // namespace scree::io
