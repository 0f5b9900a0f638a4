// Split impulses: overlaps shrink by moving bodies, without giving them momentum.
#include <algorithm>

#include "engine/solver/problem/row_block.h"
#include "engine/solver/problem/seam_sum.h"
#include "engine/solver/sweeps/sweeps.h"

namespace scree {

namespace {

// Least overlap beyond the slop, over the slop, that is corrected: heaps at rest are at about the
// slop.
constexpr double least_excess = 0.01;

/// Overlap that is not corrected, m.
double slop(const ContactProblem& p, std::size_t c, const SolverSettings& settings) {
  return settings.correction_slop * double{p.contact[c].length};
}

/// Normal velocity that a contact requires of the correction, m/s: positive separates; negative is the
/// speed at which others may close it, up to the slop. `gap` is the gap at the end of the step without it.
double wanted_speed(double gap, double slop, const SolverSettings& settings, double time_step_s) {
  const double depth = -gap - slop;
  if (depth > least_excess * slop)
    return std::min(settings.correction_speed_m_s, settings.correction_fraction * depth / time_step_s);
  return std::min(depth, 0.0) / time_step_s;
}

/// The contacts of one update, one after the other: normal impulses that reach the target speeds.
SCREE_FOR_EACH_TARGET
void push_apart(const ContactProblem& p, std::size_t begin, std::size_t end, const double* target,
                double* push, SweptBodies bodies) {
  for_contacts_of_update(
      p.edge.data() + begin, end - begin, [&](std::size_t k) __attribute__((always_inline)) {
        const std::size_t c = begin + k;
        const ContactTerms& g = p.contact[c];
        const Vector4 n = normal_of(g);
        const double u_n = dot(n, relative_velocity(g, p.edge[c], bodies.velocity));
        const double impulse = std::max(0.0, push[c] - (u_n - target[c]) * p.local[c].inverse_w_nn);
        const double change = impulse - push[c];
        if (change == 0.0) return;
        push[c] = impulse;
        apply(g, p.edge[c], change * n, bodies);
      });
}

/// Keeps joints together.
void hold_joints(const ContactProblem& p, const std::vector<double>& impulse, SweptBodies bodies) {
  const auto velocity = [&](std::size_t r) {
    const Edge& edge = p.rows[r].edge;
    return row_velocity(p.rows[r], twist(bodies.velocity[edge.a]), twist(bodies.velocity[edge.b]));
  };
  const auto push = [&](std::size_t r, double by) { apply(p.rows[r], by, bodies); };
  for (std::size_t r = p.contact_rows; r < p.first_block_row(); ++r)
    if (p.rows[r].is_joint()) push(r, -velocity(r) * p.rows[r].inverse_of_bodies());
  if (p.block) p.block->hold(impulse, p.rows, velocity, push);
}

/// The rate of a cell for the impulses of the correction. Contacts across its seam need
/// correspondingly larger speeds.
void give_cell(const ContactProblem& p, const std::vector<double>& push, std::vector<double>& target,
               ContactSolution& s) {
  const Vec3 sum = sum_over_seam(p, [&](std::size_t k) -> Vec3 {
    const CellTerms::Seam& at = p.cell->contacts[k];
    const auto c = static_cast<std::size_t>(at.index);
    return push[c] * at.shift.cwiseProduct(p.normal(c));
  });
  const Vec3 rate = -p.cell->give.cwiseProduct(sum), change = rate - s.cell_correction;
  s.cell_correction = rate;
  for (const CellTerms::Seam& at : p.cell->contacts) {
    const auto c = static_cast<std::size_t>(at.index);
    target[c] += p.normal(c).dot(at.shift.cwiseProduct(change));
  }
}

/// For an elastic contact: it is not separated, and nothing closes it.
double wanted_speed_of_spring(double gap, double time_step_s) { return std::min(-gap, 0.0) / time_step_s; }

/// The target speeds of a block's contacts at the end of the solution; they replace their normal velocities
/// if these are known. Returns whether any is positive.
bool set_targets(const ContactProblem& p, const SolverSettings& settings, double time_step_s,
                 const Block& block, const ContactSolution& s, bool known, std::vector<double>& speed) {
  bool overlap = false;
  for (std::size_t c = block.begin; c < block.end; ++c) {
    const double u_n = known ? speed[c] - p.offset(c) : p.normal(c).dot(relative_velocity(p, c, s.velocity));
    const double gap = p.contact[c].gap + time_step_s * u_n;
    speed[c] = p.is_compliant(c) ? wanted_speed_of_spring(gap, time_step_s)
                                 : wanted_speed(gap, slop(p, c, settings), settings, time_step_s);
    overlap |= speed[c] > 0.0;
  }
  return overlap;
}

/// Offset for an overlap beyond the slop: (S3) with the bias for its gap.
double biased_offset(const ContactProblem& p, std::size_t c, const SolverSettings& settings,
                     double time_step_s) {
  if (p.is_compliant(c)) return p.offset(c);
  const double left_alone = slop(p, c, settings), depth = -p.contact[c].gap - left_alone;
  if (depth <= least_excess * left_alone) return p.offset(c);
  return -std::min(settings.correction_speed_m_s, settings.correction_fraction * depth / time_step_s);
}

}  // namespace

SolveReport solve_with_bias(const ContactProblem& p, const SolverSettings& settings, double time_step_s,
                            SolverWorkspace& w, ContactSolution& s) {
  w.biased = p;
  for_each_index(p.contacts(), grain_medium, [&](std::size_t c) {
    w.biased.contact[c].offset = biased_offset(p, c, settings, time_step_s);
  });
  SolverSettings limited = settings;
  limited.max_sweeps = settings.biased_sweeps;
  const SolveReport biased = solve(w.biased, limited, w, s);
  s.correction = s.velocity;
  limited.max_sweeps = settings.unbiased_sweeps;
  SolveReport report = solve(p, limited, w, s);
  report.sweeps += biased.sweeps;
  for_each_index(p.bodies(), grain_light, [&](std::size_t i) {
    BodyVelocity& half = s.correction[i];
    store(0.5 * (load(half.linear) - load(s.velocity[i].linear)), half.linear);
    store(0.5 * (load(half.angular) - load(s.velocity[i].angular)), half.angular);
  });
  return report;
}

bool correct_positions(const ContactProblem& p, const SolverSettings& settings, double time_step_s,
                       SolverWorkspace& w, ContactSolution& s) {
  std::vector<double>& target = w.normal_velocity;
  const bool known = !target.empty();
  resize_with_room(target, p.contacts());
  const bool any_here = reduce_blocks(
      p.contacts(), grain_medium, false,
      [&](const Block& block) { return set_targets(p, settings, time_step_s, block, s, known, target); },
      [](bool a, bool b) { return a || b; });
  s.correction.clear();
  s.cell_correction.setZero();
  if (!any(p.ranks(), any_here)) return false;
  make_room(s.correction, p.bodies());
  if (is_wide(settings)) {
    s.correction.resize(p.bodies());
    correct_wide(p, settings.correction_sweeps, w, s);
    return true;
  }
  s.correction.assign(p.bodies(), BodyVelocity{});
  w.push.assign(p.contacts(), 0.0);
  const SweptBodies bodies{p.response.data(), s.correction.data()};
  for (int k = 0; k < settings.correction_sweeps; ++k) {
    sweep(w.colouring, [&](std::size_t, std::size_t begin, std::size_t end) {
      if (begin < p.contacts()) push_apart(p, begin, end, target.data(), w.push.data(), bodies);
    });
    hold_joints(p, s.row_impulse, bodies);
    if (p.cell) give_cell(p, w.push, target, s);
  }
  return true;
}

}  // namespace scree
