// The `one_pass` solver: the seed method. Each body separately, all in parallel, without iteration between
// bodies.
//
// 1. Common normal velocity of a contact at maximum compression, the mean of both sides' normal velocities
// weighted by
//    their effective masses m = 1 / (n.M^-1 n):  mu_c = (m_a u_a + m_b u_b) / (m_a + m_b).           (O1)
// 2. Each body takes the velocity closest to its free one in the kinetic metric among those with
//    n_c.v >= mu_c - offset share for all its contacts: a quadratic programme in 6 variables, solved in its
// dual, whose multipliers are the body's own normal impulses p_c. (O2)
// 3. One friction programme per body: of all tangential impulses in the disc of radius friction p_c, or in
// the
//    convex hull of k sampled tangents of that length (the seed's form), those with the least kinetic
//    energy relative to the partners' common motion. (O3)
// Exact for one body on fixed obstacles. Between moving bodies each side has its own impulse, so momentum
// is not conserved; the report contains the error. Sources: Kaufman, Edmunds, Pai 2005
// (doi:10.1145/1073204.1073295); Vyatkin, Dolgovesov 2024.
#include <cmath>

#include "engine/core/parallel.h"
#include "engine/solver/problem/contact_jacobian.h"
#include "engine/solver/problem/contact_response.h"
#include "engine/solver/problem/friction_disc.h"
#include "engine/solver/solver.h"

namespace scree {

namespace {

// Coordinate descent ends if the largest velocity change is below this share of the first sweep's. A body
// with a few contacts needs tens of sweeps; the limit is for bodies with more contacts than degrees of
// freedom in collapsed heaps.
constexpr double dual_tolerance = 1e-12;
constexpr int dual_sweeps = 100;
// Response of a part in directions in which it cannot move, over that along its own: programmes
// need a nonzero number, which does not affect its velocity.
constexpr double answer_of_immovable = 1e-9;
constexpr std::size_t sliding = static_cast<std::size_t>(-1);

/// One direction or plane in which a contact pushes a body: rows of its Jacobian and their effect on the
/// body.
struct Thrust {
  int dimension = 1;
  Eigen::Matrix<double, 2, 6> rows = Eigen::Matrix<double, 2, 6>::Zero();
  Eigen::Matrix<double, 6, 2> response = Eigen::Matrix<double, 6, 2>::Zero();  // M^-1 rows^T
  Mat2 mobility = Mat2::Identity();                                            // rows M^-1 rows^T
  Vec2 target = Vec2::Zero();  // velocity of the partners' common motion along the rows
  double radius = 0.0;         // of the admissible polygon
  Vec2 impulse = Vec2::Zero();
};

Vec6 stack(const Twist& t) {
  Vec6 v;
  v << t.linear, t.angular;
  return v;
}

void finish_block(Thrust& block, const BodyResponse& body) {
  for (int k = 0; k < block.dimension; ++k) {
    const Twist change =
        answer(body, block.rows.row(k).head<3>().transpose(), block.rows.row(k).tail<3>().transpose());
    block.response.col(k) << change.linear, change.angular;
  }
  const Mat2 full = block.rows * block.response;
  block.mobility.topLeftCorner(block.dimension, block.dimension) =
      full.topLeftCorner(block.dimension, block.dimension);
  if (body.inverse_mass == 0.0)
    block.mobility.diagonal().array() += answer_of_immovable * (body.xx + body.yy + body.zz);
}

/// One side of a contact: the share of the other side and the common velocity.
struct Side {
  double share;  // share of the relative velocity that this side must change: m_other / (m_this + m_other)
  Vec3 common, spin;  // partners' common velocity (m/s) and spin (rad/s) at the contact, world
};

Side side_of(const ContactProblem& p, std::size_t c, bool is_a) {
  const std::size_t a = p.a(c), b = p.b(c);
  // Mobilities along the normal, 1/m: a fixed body has none, and the full weight.
  const double w_a = delassus_share(p.frame(c), p.arm_a(c), p.response[a])(0, 0);
  const double w_b = delassus_share(p.frame(c), p.arm_b(c), p.response[b])(0, 0);
  const double of_a = w_b / (w_a + w_b), of_b = w_a / (w_a + w_b);
  const Twist &va = p.free_velocity[a], &vb = p.free_velocity[b];
  // Velocity of b's image, as seen from a; b sees the opposite at its own place.
  const Vec3 image = p.image_velocity.empty() ? Vec3(Vec3::Zero()) : p.image_velocity[c];
  const Vec3 u_a = va.linear + va.angular.cross(p.arm_a(c)),
             u_b = vb.linear + vb.angular.cross(p.arm_b(c)) + image;
  Vec3 common = of_a * u_a + of_b * u_b;
  if (!is_a) common -= image;
  return {is_a ? of_b : of_a, common, of_a * va.angular + of_b * vb.angular};
}

/// Data of one body's programmes; reused from body to body.
struct BodyProgramme {
  std::vector<Thrust> normal, friction;
  std::vector<std::size_t> friction_contact;  // [friction block] entry of the body's contact list
  std::vector<std::size_t> friction_row;      // [friction block] its (first) row, or `sliding`
};

Thrust linear_block(const Mat3& frame, const Vec3& arm, int first, int count, double sign) {
  Thrust block;
  block.dimension = count;
  for (int k = 0; k < count; ++k) {
    const Vec3 d = sign * frame.row(first + k).transpose();
    block.rows.row(k) << d.transpose(), arm.cross(d).transpose();
  }
  return block;
}

/// (O2): dual coordinate descent on the normal impulses. Returns the velocity.
Vec6 compress(std::vector<Thrust>& normal, Vec6 v) {
  double first_change = 0.0;
  for (int sweep = 0; sweep < dual_sweeps; ++sweep) {
    double change = 0.0;
    for (Thrust& block : normal) {
      const double violation = block.rows.row(0).dot(v) - block.target[0];
      const double impulse = std::max(0.0, block.impulse[0] - violation / block.mobility(0, 0));
      const double d = impulse - block.impulse[0];
      v += d * block.response.col(0);
      block.impulse[0] = impulse;
      change = std::max(change, std::abs(d) * block.mobility(0, 0));
    }
    if (sweep == 0) first_change = change;
    if (!(change > dual_tolerance * first_change)) break;
  }
  return v;
}

/// (O3): block coordinate descent on the friction impulses. Returns the velocity.
Vec6 dissipate(std::vector<Thrust>& friction, Vec6 v, int corners) {
  double first_change = 0.0;
  for (int sweep = 0; sweep < dual_sweeps; ++sweep) {
    double change = 0.0;
    for (Thrust& block : friction) {
      const Vec2 g = block.rows * v - block.target;
      Vec2 impulse;
      if (block.dimension == 1) {
        impulse << std::clamp(block.impulse[0] - g[0] / block.mobility(0, 0), -block.radius, block.radius),
            0.0;
      } else {
        impulse = least_energy(block.mobility, block.impulse, g, block.radius, corners);
      }
      const Vec2 d = impulse - block.impulse;
      v += block.response * d;
      block.impulse = impulse;
      change = std::max(change, (block.mobility * d).norm());
    }
    if (sweep == 0) first_change = change;
    if (!(change > dual_tolerance * first_change)) break;
  }
  return v;
}

/// One body and its contacts.
struct BodyView {
  const ContactProblem& p;
  std::size_t body;

  std::size_t contacts() const { return static_cast<std::size_t>(p.body_row[body + 1] - p.body_row[body]); }
  std::size_t contact(std::size_t k) const {
    return static_cast<std::size_t>(p.body_contact[static_cast<std::size_t>(p.body_row[body]) + k]);
  }
  bool is_a(std::size_t c) const { return p.a(c) == body; }
  Vec3 arm(std::size_t c) const { return is_a(c) ? p.arm_a(c) : p.arm_b(c); }
};

void add_normals(const BodyView& view, BodyProgramme& w) {
  const ContactProblem& p = view.p;
  for (std::size_t k = 0; k < view.contacts(); ++k) {
    const std::size_t c = view.contact(k);
    const Side side = side_of(p, c, view.is_a(c));
    const double sign = view.is_a(c) ? 1.0 : -1.0;
    Thrust block = linear_block(p.frame(c), view.arm(c), 0, 1, sign);
    finish_block(block, p.response[view.body]);
    block.target[0] = sign * p.frame(c).row(0).dot(side.common) - side.share * p.offset(c);
    w.normal.push_back(block);
  }
}

void add_friction(const BodyView& view, BodyProgramme& w) {
  const ContactProblem& p = view.p;
  for (std::size_t k = 0; k < view.contacts(); ++k) {
    const std::size_t c = view.contact(k);
    const double p_n = w.normal[k].impulse[0];
    if (p_n <= 0.0) continue;
    const Side side = side_of(p, c, view.is_a(c));
    const auto add = [&](std::size_t row, Thrust block, const Vec2& target, double radius) {
      if (radius <= 0.0) return;
      finish_block(block, p.response[view.body]);
      block.target = target;
      block.radius = radius;
      w.friction.push_back(block);
      w.friction_contact.push_back(k);
      w.friction_row.push_back(row);
    };
    add(sliding, linear_block(p.frame(c), view.arm(c), 1, 2, 1.0), (p.frame(c) * side.common).tail<2>(),
        p.friction(c) * p_n);
    for_rows_of(p, c, c + 1, [&](std::size_t r) {
      if (is_second_of_disc(p, r)) return;
      Thrust block;
      block.dimension = p.rows[r].bound == RowBound::disc ? 2 : 1;
      Vec2 target = Vec2::Zero();
      for (int i = 0; i < block.dimension; ++i) {
        const Vec3 direction = p.rows[r + static_cast<std::size_t>(i)].angular_a;
        block.rows.row(i).tail<3>() = direction;
        target[i] = direction.dot(side.spin);
      }
      add(r, block, target, p.rows[r].high * p_n);
    });
  }
}

/// Each side of a contact writes its own array, so that bodies can be solved at the same time; the movable
/// side also writes for a fixed partner.
void write_impulses(const BodyView& view, const BodyProgramme& w, ContactSolution& s) {
  const ContactProblem& p = view.p;
  const auto of = [&](std::size_t c, auto& on_a, auto& on_b) -> auto& { return view.is_a(c) ? on_a : on_b; };
  for (std::size_t k = 0; k < view.contacts(); ++k) {
    const std::size_t c = view.contact(k);
    of(c, s.impulse, s.impulse_on_b)[c] =
        Vec3((view.is_a(c) ? 1.0 : -1.0) * w.normal[k].impulse[0], 0.0, 0.0);
  }
  for (std::size_t f = 0; f < w.friction.size(); ++f) {
    const std::size_t c = view.contact(w.friction_contact[f]), r = w.friction_row[f];
    if (r == sliding)
      of(c, s.impulse, s.impulse_on_b)[c].tail<2>() += w.friction[f].impulse;
    else
      for (int i = 0; i < w.friction[f].dimension; ++i)
        of(c, s.row_impulse, s.row_impulse_on_b)[r + static_cast<std::size_t>(i)] = w.friction[f].impulse[i];
  }
  for (std::size_t k = 0; k < view.contacts(); ++k) {
    const std::size_t c = view.contact(k);
    if (p.is_moved(view.is_a(c) ? p.b(c) : p.a(c))) continue;
    of(c, s.impulse_on_b, s.impulse)[c] = -of(c, s.impulse, s.impulse_on_b)[c];
    for_rows_of(p, c, c + 1, [&](std::size_t r) {
      of(c, s.row_impulse_on_b, s.row_impulse)[r] = -of(c, s.row_impulse, s.row_impulse_on_b)[r];
    });
  }
}

void solve_body(const BodyView& view, BodyProgramme& w, ContactSolution& s) {
  w.normal.clear();
  w.friction.clear();
  w.friction_contact.clear();
  w.friction_row.clear();
  add_normals(view, w);
  Vec6 v = compress(w.normal, stack(view.p.free_velocity[view.body]));
  add_friction(view, w);
  v = dissipate(w.friction, v, view.p.friction_corners);
  s.velocity[view.body] = body_velocity({v.head<3>(), v.tail<3>()});
  write_impulses(view, w, s);
}

/// Each side has its own impulse, so velocities and impulses need not fulfil (S2), and a zero map of both
/// would prove nothing. The common value of both sides is the mean: the residual is the larger of the maps
/// with the resulting velocities and with the velocities from the mean. them.
Residual residual_of_mean(const ContactProblem& p, const ContactSolution& s) {
  ContactSolution mean = s;
  for (std::size_t c = 0; c < p.contacts(); ++c) mean.impulse[c] = 0.5 * (s.impulse[c] - s.impulse_on_b[c]);
  for (std::size_t r = 0; r < p.rows.size(); ++r)
    mean.row_impulse[r] = 0.5 * (s.row_impulse[r] - s.row_impulse_on_b[r]);
  const Residual reached = residual(p, mean.velocity, mean.impulse, mean.row_impulse);
  velocities_from_impulses(p, mean);
  const Residual given = residual(p, mean.velocity, mean.impulse, mean.row_impulse);
  return reached.rms_m_s > given.rms_m_s ? reached : given;
}

}  // namespace

SolveReport solve_one_pass(const ContactProblem& p, ContactSolution& s) {
  s.impulse_on_b.assign(p.contacts(), Vec3::Zero());
  s.row_impulse_on_b.assign(p.rows.size(), 0.0);
  s.row_impulse.assign(p.rows.size(), 0.0);
  for_blocks(p.bodies(), grain_heavy, [&](const Block& range) {
    BodyProgramme programme;
    for (std::size_t i = range.begin; i < range.end; ++i) {
      if (p.is_moved(i)) solve_body({p, i}, programme, s);
    }
  });
  SolveReport report;
  report.sweeps = 1;
  report.residual = residual_of_mean(p, s);  // including joints with rows that are left out
  // There is only one pass; the caller, which has the tolerance, decides whether this is a solution.
  if (report.residual.rms_m_s > 0.0) report.status = SolveStatus::iteration_limit;
  return report;
}

}  // namespace scree
