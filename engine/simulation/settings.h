// Settings of the physics and the numerical methods of a run; constant during the run.
#pragma once

#include "engine/core/types.h"
#include "engine/solver/problem/solver_settings.h"

namespace scree {

/// Do solvers of this kind support fixed bodies, such as sleeping ones?
inline bool may_sleep(SolverKind kind) {
  return kind == SolverKind::gauss_seidel || kind == SolverKind::nsgs;
}

/// The law of impacts: Newton's law inside the step's solution, limited so that it creates no energy, or
/// unlimited (restitution.h); or separate impacts, resolved one after another with the work of each tracked
/// (engine/solver/impacts.h).
enum class RestitutionLaw { dissipative, newton, energetic };

/// Time stepping: contacts are solved once per step, whenever in it bodies meet; or each impact is found at
/// its time, and only bodies that rest on others are advanced in steps (piecewise.h).
enum class Stepping { contacts, piecewise };

/// Which bodies fall asleep, and what wakes them (sleep.h). Off by default; only with solvers that
/// may_sleep().
struct SleepSettings {
  double speed_m_s = 0.0;    // bodies with a slower surface are still; 0: no body ever sleeps
  double duration_s = 0.25;  // bodies that have been still for this time fall asleep
  double tolerance = 0.1;    // of |gravity| * time step: allowed velocity change of a sleeping body
  bool is_on() const { return speed_m_s > 0.0; }
};

struct Settings {
  Vec3 gravity{0.0, 0.0, -9.81};    // m/s^2
  double time_step_s = 2e-3;        // adaptive: the longest step
  bool adaptive_step = false;       // does the step depend on speeds, overlaps and residuals (A6)?
  double least_time_step_s = 1e-6;  // of an adaptive step, unless a shorter one ends at a given time
  double time_step_overlap = 1e-3;  // aim of adaptive steps, beyond the slop, over the smallest length
  double steps_per_impact = 0.0;    // adaptive: steps for an impact of elastic materials; 0: no limit
  int substeps = 1;         // contacts are found once per step and updated to first order in its substeps
  int sort_interval = 500;  // steps between two sortings of bodies by place (population.h); 0: never
  RestitutionLaw restitution_law = RestitutionLaw::dissipative;
  double restitution_threshold_m_s = 0.05;  // slower impacts do not bounce
  Stepping stepping = Stepping::contacts;
  int most_impacts = 0;  // limit for a piecewise step, else it is made by contacts; 0: no limit
  SleepSettings sleep;
  SolverSettings solver;

  /// The gap of contacts of resting bodies in piecewise steps, over the contact's length: so that the
  /// remaining error of a step is no overlap.
  double clearance() const { return stepping == Stepping::piecewise ? 3.0 * solver.correction_slop : 0.0; }
};

}  // namespace scree
