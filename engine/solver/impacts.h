// Impacts with tracked work of their normal impulses: they never create energy, for any number of contacts.
#pragma once

#include <span>

#include "engine/solver/problem/contact_problem.h"

namespace scree {

struct ImpactSettings {
  double time_step_s = 0.0;
  double threshold_m_s = 0.0;  // slower approaches do not bounce
  // [contact] 1: it approaches only because nothing has stopped its bodies yet; empty: none
  std::span<const std::uint8_t> prevented = {};
};

struct ImpactReport {
  int rounds = 0;
  double compression_work_J =
      0.0;                       // absorbed by normal impulses until maximum compression, sum of all rounds
  double returned_work_J = 0.0;  // given back by them
};

/// Resolves, at one time, the impacts among the contacts of a problem. In rounds, each over the contacts
/// that approach faster than the threshold and would touch within the step, except for those that others
/// prevent:
///   compression: impulses p that end the approach, with friction (S3), (S4) without offset; they absorb the
///   work
///     w = -[p_n u_n + max(0, p_t.u_t)], u the mean of the velocities before and after                   (E1)
///   return: normal impulses r_n with the work e^2 w, contact by contact (Stronge 1990), under friction by
///     maximum dissipation within friction r_n; all scaled by one factor if together they would return
///     more than the sum of e^2 w (E2)
/// until no contact approaches: bodies set in motion by a round collide in the next. With e = 1 and without
/// friction a round is the generalised reflection of Smith, Kaufman, Vouga, Tamstorf, Grinspun 2012: Newton's
/// cradle passes its ball on, symmetric arrangements stay symmetric. Rows without bounds, joints and bonds,
/// are first brought to the velocities that the problem asks for. In both stages they keep theirs; compliant
/// ones give with their compliance. Impacts create no kinetic energy. Serial: a step has few impacts.
/// `velocity` [body]: input and output; the sums of all rounds: `impulse` [contact], N s, contact frame, and
/// `row_impulse` [row], N s or N m s.
ImpactReport resolve_impacts(const ContactProblem& problem, const ImpactSettings& settings,
                             std::vector<Twist>& velocity, std::vector<Vec3>& impulse,
                             std::vector<double>& row_impulse);

}  // namespace scree
