// The `admm` solver: all bodies and all contacts in parallel, alternating directions for the common
// velocity.
//
// The velocities z_a, z_b at both sides of a contact are separate unknowns. Body step: the
// velocity closest to the free one and to the targets of its contacts,
//   v = (M + sum rho J^T J)^-1 (M v_hat + sum rho J^T (z - y))                                          (C1)
// (y_b = -y_a; the matrix is factored once). Contact step, with q = J v + y and the shift of De Saxce and
// Feng,
//   r = q_a - q_b + (offset + mu |u_t|) n,  delta = P_K*(r) - r,  K* = {u_n >= mu |u_t|},
//   z_a = q_a + delta / 2,  z_b = q_b - delta / 2,  y = -delta / 2,  p = rho delta / 2 (C2)
// p is in the cone at each iteration (Moreau 1962). Rows are treated in the same way, with the interval or
// disc of their impulses instead of the cone. rho = 3 kappa / trace W; over-relaxed (Eckstein, Bertsekas
// 1992). Ends with v = v_hat + M^-1 sum J^T p, so momentum is conserved to rounding after any number of
// iterations. It needs no colours and no order of bodies. After iterations_before_newton, joint Newton steps
// (N1) reduce the rest, unless there are rows or rates of a cell, which are updated in each iteration (S7).
#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/core/ordering.h"
#include "engine/core/parallel.h"
#include "engine/solver/problem/contact_jacobian.h"
#include "engine/solver/problem/contact_response.h"
#include "engine/solver/reference/body_system.h"
#include "engine/solver/solver.h"

namespace scree {

namespace {

/// Velocity of one side of a contact, contact frame; and along a row.
Vec3 side_velocity(const ContactProblem& p, std::size_t c, const Vec3& arm, const Twist& v) {
  return p.frame(c) * (v.linear + v.angular.cross(arm));
}
double side_velocity(const Row& row, const Vec3& angular, const Twist& v) {
  return row.linear.dot(v.linear) + angular.dot(v.angular);
}

/// Lists the rows of each body.
void link_rows(const ContactProblem& p, AdmmWorkspace& w) {
  w.row_first.assign(p.bodies() + 1, 0);
  for (const Row& row : p.rows)
    for (const std::int32_t body : {row.edge.a, row.edge.b}) ++w.row_first[body];
  w.body_rows.resize(exclusive_scan(w.row_first));
  std::vector<std::int32_t> cursor(w.row_first);
  for (std::size_t r = 0; r < p.rows.size(); ++r)
    for (const std::int32_t body : {p.rows[r].edge.a, p.rows[r].edge.b})
      w.body_rows[cursor[body]++] = static_cast<std::int32_t>(r);
}

/// Calls f(c, arm, is_a) for the contacts of a body, and g(r, angular, is_a) for its rows.
template <class F, class G>
void for_constraints(const ContactProblem& p, const AdmmWorkspace& w, std::size_t i, F&& f, G&& g) {
  for (std::int32_t k = p.body_row[i]; k < p.body_row[i + 1]; ++k) {
    const auto c = static_cast<std::size_t>(p.body_contact[k]);
    const bool is_a = p.a(c) == i;
    f(c, is_a ? p.arm_a(c) : p.arm_b(c), is_a);
  }
  for (std::int32_t k = w.row_first[i]; k < w.row_first[i + 1]; ++k) {
    const auto r = static_cast<std::size_t>(w.body_rows[k]);
    const bool is_a = p.rows[r].edge.a == static_cast<std::int32_t>(i);
    g(r, is_a ? p.rows[r].angular_a : p.rows[r].angular_b, is_a);
  }
}

void prepare(const ContactProblem& p, bool warm, AdmmWorkspace& w, ContactSolution& s) {
  w.contact.resize(p.contacts());
  w.row.resize(p.rows.size());
  w.inverse.resize(p.bodies());
  link_rows(p, w);
  for_each_index(p.contacts(), grain_medium, [&](std::size_t c) {
    w.contact[c].rho = 3.0 * kappa / p.delassus[c].trace();
    s.impulse[c] =
        warm ? project_on_cone(p.start_impulse[c].cast<double>(), p.friction(c)) : Vec3(Vec3::Zero());
  });
  for (std::size_t r = 0; r < p.rows.size(); ++r) {
    w.row[r].rho = kappa * p.rows[r].inverse_w;
    if (is_second_of_disc(p, r))
      w.row[r - 1].rho = w.row[r].rho =
          2.0 * kappa / (1.0 / p.rows[r - 1].inverse_w + 1.0 / p.rows[r].inverse_w);
    s.row_impulse[r] = warm ? p.rows[r].start_impulse : 0.0;
  }
  for_each_index(p.bodies(), grain_heavy, [&](std::size_t i) {
    if (!p.is_moved(i)) {
      w.inverse[i].setZero();
      return;
    }
    Mat6 m = mass_matrix(p.response[i]);
    for_constraints(
        p, w, i,
        [&](std::size_t c, const Vec3& arm, bool) {
          const ContactJacobian j = contact_jacobian(p.frame(c), arm);
          m += w.contact[c].rho * j.transpose() * j;
        },
        [&](std::size_t r, const Vec3& angular, bool) {
          Vec6 j;
          j << p.rows[r].linear, angular;
          m += w.row[r].rho * j * j.transpose();
        });
    w.inverse[i] = m.llt().solve(Mat6::Identity());
  });
}

/// Sets z and y for the start impulses of iterations.
void begin(const ContactProblem& p, AdmmWorkspace& w, ContactSolution& s) {
  velocities_from_impulses(p, s);
  for_each_index(p.contacts(), grain_medium, [&](std::size_t c) {
    auto& sides = w.contact[c];
    sides.y = -s.impulse[c] / sides.rho;
    sides.z_a = side_velocity(p, c, p.arm_a(c), twist(s.velocity[p.a(c)]));
    sides.z_b = side_velocity(p, c, p.arm_b(c), twist(s.velocity[p.b(c)]));
  });
  for (std::size_t r = 0; r < p.rows.size(); ++r) {
    const Row& row = p.rows[r];
    auto& sides = w.row[r];
    sides.y = -s.row_impulse[r] / sides.rho;
    sides.z_a = side_velocity(row, row.angular_a, twist(s.velocity[row.edge.a]));
    sides.z_b = side_velocity(row, row.angular_b, twist(s.velocity[row.edge.b]));
  }
}

/// (C1), written as the free velocity plus the response to the additional targets of contacts.
void body_step(const ContactProblem& p, AdmmWorkspace& w, std::vector<BodyVelocity>& velocity) {
  for_each_index(p.bodies(), grain_medium, [&](std::size_t i) {
    const Twist& free = p.free_velocity[i];
    Vec6 pull = Vec6::Zero();
    for_constraints(
        p, w, i,
        [&](std::size_t c, const Vec3& arm, bool is_a) {
          const auto& sides = w.contact[c];
          const Vec3 asked = is_a ? Vec3(sides.z_a - sides.y) : Vec3(sides.z_b + sides.y);
          const Vec3 force = sides.rho * (p.frame(c).transpose() * (asked - side_velocity(p, c, arm, free)));
          pull.head<3>() += force;
          pull.tail<3>() += arm.cross(force);
        },
        [&](std::size_t r, const Vec3& angular, bool is_a) {
          const auto& sides = w.row[r];
          const double asked = is_a ? sides.z_a - sides.y : sides.z_b + sides.y;
          const double force = sides.rho * (asked - side_velocity(p.rows[r], angular, free));
          pull.head<3>() += force * p.rows[r].linear;
          pull.tail<3>() += force * angular;
        });
    const Vec6 change = w.inverse[i] * pull;
    velocity[i] = body_velocity({free.linear + change.head<3>(), free.angular + change.tail<3>()});
  });
}

/// (C2): the velocities of both sides, and the change that the constraint's law makes to their difference:
/// change(q_a - q_b).
template <class Velocity, class Change>
Velocity meet(const Velocity& now_a, const Velocity& now_b, AdmmWorkspace::Sides<Velocity>& sides,
              Change&& change) {
  const auto relaxed = [](const Velocity& now, const Velocity& z) -> Velocity {
    return over_relaxation * now + (1.0 - over_relaxation) * z;
  };
  const Velocity q_a = relaxed(now_a, sides.z_a) + sides.y, q_b = relaxed(now_b, sides.z_b) - sides.y;
  const Velocity half = 0.5 * change(Velocity(q_a - q_b));
  sides.z_a = q_a + half;
  sides.z_b = q_b - half;
  sides.y = -half;
  return sides.rho * half;  // the impulse
}

void contact_step(const ContactProblem& p, AdmmWorkspace& w, ContactSolution& s) {
  for_each_index(p.contacts(), grain_medium, [&](std::size_t c) {
    const Vec3 a = side_velocity(p, c, p.arm_a(c), twist(s.velocity[p.a(c)])),
               b = side_velocity(p, c, p.arm_b(c), twist(s.velocity[p.b(c)]));
    s.impulse[c] = meet(a, b, w.contact[c], [&](Vec3 r) -> Vec3 {
      Vec3 slip = a - b;
      if (!p.image_velocity.empty()) {
        const Vec3 image = p.frame(c) * p.image_velocity[c];
        r -= image;
        slip -= image;
      }
      r[0] += p.offset(c) + p.friction(c) * slip.tail<2>().norm();
      return project_on_cone(-r, p.friction(c));  // P_K*(r) - r = P_K(-r)
    });
  });
  for (std::size_t r = 0; r < p.rows.size(); ++r) {
    const Row& row = p.rows[r];
    const RowBounds bounds = bounds_of(row, s.impulse);
    const double to_change = 2.0 / w.row[r].rho;
    s.row_impulse[r] =
        meet(side_velocity(row, row.angular_a, twist(s.velocity[row.edge.a])),
             side_velocity(row, row.angular_b, twist(s.velocity[row.edge.b])), w.row[r], [&](double u) {
               // With p = rho half and c the compliance: u + 2 half + bias + c p = 0.
               const double free = -(u + row.bias) / (1.0 + 0.5 * row.compliance * w.row[r].rho);
               if (row.bound == RowBound::disc) return free;  // both of its rows are scaled together
               return std::clamp(free, to_change * bounds.low, to_change * bounds.high);
             });
    if (!is_second_of_disc(p, r)) continue;
    const double length = std::hypot(s.row_impulse[r - 1], s.row_impulse[r]);
    if (length <= bounds.high) continue;
    for (const std::size_t k : {r - 1, r}) {
      auto& sides = w.row[k];
      s.row_impulse[k] *= bounds.high / length;
      const double half = s.row_impulse[k] / sides.rho, change = half + sides.y;
      sides.z_a += change;
      sides.z_b -= change;
      sides.y = -half;
    }
  }
}

}  // namespace

SolveReport solve_admm(const ContactProblem& given, const SolverSettings& settings,
                       SolverWorkspace& workspace, ContactSolution& s) {
  if (given.cell) workspace.celled = given;
  const ContactProblem& p = given.cell ? workspace.celled : given;
  const auto follow_cell = [&] {
    if (given.cell) follow_cell_rate(given, s, workspace.celled);
  };
  if (given.cell) s.cell_rate = given.cell->rate;
  AdmmWorkspace& w = workspace.admm;
  prepare(p, settings.warm_start, w, s);
  follow_cell();
  SolveReport report;
  report.status = SolveStatus::iteration_limit;
  const double goal = settings.tolerance * p.velocity_scale;
  const auto is_done = [&] {
    velocities_from_impulses(p, s);
    report.residual = residual(p, s.velocity, s.impulse, s.row_impulse);
    if (report.residual.rms_m_s <= goal) report.status = SolveStatus::converged;
    return report.residual.rms_m_s <= goal || !(report.residual.rms_m_s < infinity);
  };
  std::optional<BodySystem> system;
  const bool without_newton = !p.rows.empty() || p.cell;
  for (int batch = iterations_before_newton; report.sweeps < settings.max_sweeps; batch *= 2) {
    begin(p, w, s);
    const int end =
        without_newton ? settings.max_sweeps : std::min(settings.max_sweeps, report.sweeps + batch);
    while (report.sweeps < end) {
      body_step(p, w, s.velocity);
      contact_step(p, w, s);
      follow_cell();
      ++report.sweeps;
      if ((report.sweeps % iterations_between_checks == 0 || report.sweeps == end) && is_done())
        return report;
    }
    if (report.sweeps == settings.max_sweeps) return report;
    if (!system) system.emplace(p);
    report.sweeps += proximal_newton(*system, goal, settings.max_sweeps - report.sweeps, s.impulse).steps;
    if (is_done()) return report;
  }
  return report;
}

}  // namespace scree
