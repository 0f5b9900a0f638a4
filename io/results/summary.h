// summary.json: the results of a run on one page.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/counted_ranks.h"
#include "engine/run/events.h"
#include "engine/simulation/diagnostics.h"
#include "io/files/archive.h"
#include "io/results/frame.h"
#include "io/results/remedies.h"
#include "io/results/verdict.h"
#include "io/scene/scene.h"

namespace scree::io {

enum class RunStatus { finished, interrupted, failed };
const char* to_string(RunStatus status);

/// The end of a step.
struct Moment {
  std::int64_t step = 0;
  double time_s = 0.0;
  double time_step_s = 0.0;  // length of the step
};

/// The bodies whose overlap is the largest of a run, and the time.
struct DeepestOverlap {
  Moment when;
  BodyId body = -1, other_body = -1;  // ids
  std::string boundary;               // instead of the other body
  double residual_of_scale = 0.0;     // of that step, relative to the velocity scale
};

/// The bodies with the largest compression_max of a run, and the time.
struct LargestCompression {
  double value = 0.0;
  DeepestOverlap where;
  bool at_once = false;  // no compression was half as large in the step before
};

/// The largest force of an object with prescribed motion on bodies, relative to its usual force.
struct Pinch {
  std::string by;  // the moving object, by kind and name; empty: none
  Moment when;
  double force_N = 0.0, median_force_N = 0.0;  // mean over the step; median of the steps with a force
  double power_W = 0.0;                        // of the object on bodies
  double relative = 0.0;                       // over the limit for pinching, see verdict.h
  // The body it pressed hardest, m, and what that body pressed hardest in turn; not known with several ranks.
  BodyId body = -1;
  Vec3 place = Vec3::Zero();
  std::string against;  // by kind and name; empty: nothing
};

/// How often the limited motor of a joint had to give all that it may.
struct MotorUse {
  std::string joint;
  double most = 0.0;  // N or N m
  bool turns = false;
  std::int64_t steps_at_limit = 0;
  Moment first, last;
};

/// One of several processes that shared a run.
struct RankUse {
  int threads = 1;
  std::int64_t bodies = 0;  // own ones at the end
  double wall_s = 0.0;      // since the bodies were shared out
  StageTimes stage_time;    // s, sums over the run
  RankTraffic traffic;
};

/// The worst value of all steps, and its time.
struct WorstStep {
  double value = 0.0;
  std::string whose;
  Moment when;
};

/// The throughput of an inlet or an outlet in a run.
struct OpeningTotal {
  std::string name;
  bool is_inlet = false;
  Throughput throughput;
};

/// How often an event happened, and when; its last value and actions.
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
  double time_step_s = 0.0;                                        // adaptive: the mean
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
  LargestCompression compression;  // of elastic contacts
  std::int64_t sweeps = 0;         // sum over the steps
  std::int64_t steps_not_converged = 0, narrow_phase_failures = 0, candidates = 0;
  std::int64_t steps_far_from_goal = 0, steps_unsolved = 0, steps_overlapping = 0;  // see verdict.h
  // residual over goal of the steps that did not converge; nine of ten are below p90
  double goal_missed_by_median = 0.0, goal_missed_by_p90 = 0.0, goal_missed_by_max = 0.0;
  Moment goal_missed_most;
  // Compliance velocity of contacts (P5), over the velocity scale: steps with any, mean over all steps,
  // maximum.
  std::int64_t steps_given = 0;
  double given_mean = 0.0, given_max = 0.0;
  Moment given_most;
  double kinetic_initial_J = 0.0, potential_initial_J = 0.0;
  EnergyLedger energy;  // after the last step; flows are sums over the run
  double energy_injected_J = 0.0, energy_injected_relative = 0.0;
  // The largest intermediate energy gain by contacts, over the energy in play; the largest intermediate sum
  // of remainders, over the energy turned over.
  double energy_created_relative = 0.0, energy_unexplained_relative = 0.0;
  std::optional<Remedies> remedies;          // for that gain, if it is judged and they were tried
  Moment energy_created_most;                // when the largest gain ended
  double unreturned_J = 0.0;                 // energy that restitution would have given back, see StepReport
  WorstStep wall_travel, wall_detour, turn;  // see Coarseness
  WorstStep joint;                           // see JointLoad::misfit
  Pinch pinch;
  std::vector<RankUse> ranks;    // [rank]; empty if one process made the run
  std::vector<MotorUse> motors;  // of joints with a limited motor of `speed` or `position`
  double momentum_created_relative = 0.0, angular_momentum_created_relative = 0.0;  // over all impulses
  bool bounces = false;                 // is any coefficient of restitution above zero?
  std::vector<std::string> unyielding;  // objects with prescribed motion at any force, by kind and name
  Vec3 boundary_impulse = Vec3::Zero(),
       boundary_angular_impulse = Vec3::Zero();                             // N s, N m s: sums over the run
  Vec3 sleep_impulse = Vec3::Zero(), sleep_angular_impulse = Vec3::Zero();  // N s, N m s: sums over the run
  // kg m/s, kg m^2/s: of inserted bodies minus removed ones
  Vec3 exchanged_momentum = Vec3::Zero(), exchanged_angular_momentum = Vec3::Zero();
  std::int64_t bodies_initial = 0;
  double mass_initial = 0.0, mass = 0.0;  // kg, at the start and at the end
  std::vector<OpeningTotal> openings;     // of the run
  std::int64_t woken = 0;                 // number of times that a body woke
  std::uint64_t state_hash = 0;
  FrameRounding frame_rounding;             // of the bodies at the end; 0 if there are no frames
  Vec3 better_origin = Vec3::Zero();        // m, near the bodies
  std::vector<EventSummary> events;         // of the scene, in its order
  std::string ended_by;                     // the event that ended it; empty if the end time did
  std::vector<FileChecksum> files;          // tables, as they were at the end
  std::vector<std::int64_t> resumed_steps;  // steps after which the run was continued from a checkpoint
  Verdict verdict;

  double real_time_factor() const { return wall_time_s > 0.0 ? simulated_time_s / wall_time_s : 0.0; }
};

/// Energy that bodies gained from contacts in a step, J; 0 if they lost energy.
double created_energy(const StepReport& report);

/// Builds a Summary step by step.
class RunStatistics {
 public:
  explicit RunStatistics(const Scene& scene);
  void add(const StepReport& report);
  /// Loads of parts and motors in that step; the state after it.
  void add_loads(const StepResult& result, const State& state);
  void add(const Happening& happening);
  /// Kinetic and potential energy and momenta of the state, sums of flows and impulses so far.
  FrameBalances balances(const State& state) const;
  /// The larger of two ratios: unaccounted energy over the energy turned over so far, and the
  /// largest gain by contacts over the energy in play.
  double ledger_breach() const;
  /// Writes or reads all of it.
  void visit(Archive& io);
  /// All members except status, frames, wall and recording times, which the caller sets, and the verdict.
  Summary summary(const State& state) const;

 private:
  void add_residual(const StepReport& report);
  void add_overlap(const StepReport& report);
  void add_energy(const StepReport& report);
  void add_coarseness(const StepReport& report);
  void add_motors(const StepResult& result);
  void add_joints(const StepResult& result);
  DeepestOverlap overlap_at(const Touch& touch, const StepReport& report) const;
  double turned_over_J() const;
  double in_play_J() const;
  Pinch hardest_pinch() const;

  const Scene& scene_;
  Summary sums_;
  double residual_sum_ = 0.0, given_sum_ = 0.0, potential_min_ = 0.0;
  double taken_J_ = 0.0, taken_most_J_ = 0.0;  // energy that contacts took so far, and its maximum
  double created_J_ = 0.0, unexplained_most_J_ = 0.0;
  double gross_work_J_ = 0.0;  // sums of |work| of steps
  double kinetic_most_J_ = 0.0;
  double pressing_J_ = 0.0;  // forces of contacts times the bodies' size, last value
  /// For an object with prescribed motion.
  struct Pressing {
    std::vector<double> force;  // N, [step with a force]; for long runs at even intervals
    std::int64_t steps = 0;
    Pinch most;                     // median_force_N is not known yet
    double most_of_momentum = 0.0;  // impulse over the impulse that sets all bodies moving
  };
  std::vector<Pressing> pressing_;                            // [boundary, then part]
  double momentum_before_ = 0.0;                              // kg m/s, sum |m v|
  double gained_N_s_ = 0.0, gained_N_m_s_ = 0.0;              // spurious momentum
  double impulse_size_N_s_ = 0.0, impulse_size_N_m_s_ = 0.0;  // sums |impulse|, of moments
  double mass_ = 0.0, weight_energy_J_ = 0.0;                 // kg; J: weights times the bodies' sizes
  double mean_length_ = 0.0;                                  // m, of the bodies' smallest lengths
  double compression_before_ = 0.0;                           // compression_max of the step before
  // [step], s, and [step that did not converge] residual over goal; for long runs at even intervals
  std::vector<double> step_time_, goal_missed_by_;
};

/// The text of summary.json. JSON has no NaN and no infinity: these become null.
std::string to_json(const Summary& summary);
/// Its last entry, crc32, is the checksum of everything before it: is it correct? If not `required`, it may
/// be missing, as in earlier versions.
bool has_summary_checksum(std::string_view json, bool required);

}  // namespace scree::io
