// What a person chooses about the physics and the numerics of a run; constant while it goes on.
#pragma once

#include "engine/core/types.h"
#include "engine/solver/problem/solver_settings.h"

namespace scree {

/// Do solvers of this kind know bodies that nothing moves, as sleepers are?
inline bool may_sleep(SolverKind kind) {
  return kind == SolverKind::gauss_seidel || kind == SolverKind::nsgs;
}

/// How impacts bounce: Newton's law inside the step's solution, as far as it creates no energy or as it is
/// (restitution.h), or impacts of their own, resolved one after another with the work of each tracked
/// (engine/solver/impacts.h).
enum class RestitutionLaw { dissipative, newton, energetic };

/// How time goes on: contacts are solved once a step, whenever in it bodies meet; or every impact is found at
/// its instant, and only bodies that lie on others are advanced in steps (piecewise.h).
enum class Stepping { contacts, piecewise };

/// Who falls asleep, and what wakes them (sleep.h). Off by default; only with solvers that may_sleep().
struct SleepSettings {
  double speed_m_s = 0.0;    // whose surface is slower than this is still; 0: nobody ever sleeps
  double duration_s = 0.25;  // whoever has been still for so long falls asleep
  double tolerance = 0.1;    // of |gravity| * time step: the speed a step may want to give a sleeper
  bool is_on() const { return speed_m_s > 0.0; }
};

struct Settings {
  Vec3 gravity{0.0, 0.0, -9.81};    // m/s^2
  double time_step_s = 2e-3;        // adaptive: of the longest step
  bool adaptive_step = false;       // are steps as long as speeds, overlaps and residuals allow (A6)?
  double least_time_step_s = 1e-6;  // of an adaptive step, except where a shorter one ends at a given time
  double time_step_overlap = 1e-3;  // that adaptive steps aim at, beyond the slop, of the smallest length
  double steps_per_impact = 0.0;  // that adaptive steps make of any impact of elastic materials; 0: no matter
  int substeps = 1;         // contacts are found once a step and refreshed to first order in its substeps
  int sort_interval = 500;  // steps after which bodies are sorted by place again (population.h); 0: never
  RestitutionLaw restitution_law = RestitutionLaw::dissipative;
  double restitution_threshold_m_s = 0.05;  // impacts slower than this do not bounce
  Stepping stepping = Stepping::contacts;
  int most_impacts = 0;  // in a piecewise step: one that would have more is made by contacts; 0: any number
  SleepSettings sleep;
  SolverSettings solver;

  /// The gap that contacts of bodies aim at which lie in piecewise steps, of the contact's length: so that
  /// what a step leaves of an overlap is none.
  double clearance() const { return stepping == Stepping::piecewise ? 3.0 * solver.correction_slop : 0.0; }
};

}  // namespace scree
