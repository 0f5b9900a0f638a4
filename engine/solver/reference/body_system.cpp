#include "engine/solver/reference/body_system.h"

#include "engine/core/parallel.h"
#include "engine/solver/problem/contact_jacobian.h"
#include "engine/solver/reference/block_lu.h"

namespace scree {

namespace {

// Accuracy of linear systems after one step of refinement; pivots are selected only within a body's block.
constexpr double solved_to = 1e-6;

/// The movable bodies of a contact, with the Jacobians of its relative velocity.
struct Sides {
  int count = 0;
  std::size_t body[2];
  ContactJacobian jacobian[2];
};

Sides sides_of(const ContactProblem& p, std::size_t c) {
  Sides s;
  const auto add = [&](std::size_t body, const ContactJacobian& jacobian) {
    if (!p.is_moved(body)) return;
    s.body[s.count] = body;
    s.jacobian[s.count++] = jacobian;
  };
  add(p.a(c), contact_jacobian(p.frame(c), p.arm_a(c)));
  add(p.b(c), -contact_jacobian(p.frame(c), p.arm_b(c)));
  return s;
}

/// Pairs of bodies coupled by contacts with a share in the matrix.
std::vector<std::pair<std::int32_t, std::int32_t>> coupled(const ContactProblem& p,
                                                           const std::vector<Mat3>& g) {
  std::vector<std::pair<std::int32_t, std::int32_t>> pairs;
  for (std::size_t c = 0; c < p.contacts(); ++c)
    if (!g[c].isZero(0.0) && p.is_moved(p.a(c)) && p.is_moved(p.b(c)))
      pairs.emplace_back(p.edge[c].a, p.edge[c].b);
  return pairs;
}

}  // namespace

BodySystem::BodySystem(const ContactProblem& problem) : p_(problem) {
  scratch_.resize(problem);
  std::fill(scratch_.row_impulse.begin(), scratch_.row_impulse.end(), 0.0);
}

void BodySystem::velocities(const std::vector<Vec3>& impulse, std::vector<Vec3>& velocity) {
  scratch_.impulse = impulse;
  velocities_from_impulses(p_, scratch_);
  velocity.resize(p_.contacts());
  for_each_index(p_.contacts(), grain_medium, [&](std::size_t c) {
    velocity[c] = p_.frame(c) * relative_velocity(p_, c, scratch_.velocity);
    velocity[c][0] += p_.offset(c);
  });
}

bool BodySystem::newton_step(const std::vector<Mat3>& k, const std::vector<Mat3>& g,
                             const std::vector<Vec3>& f, std::vector<Vec3>& dp) {
  const auto at = [](std::size_t body) { return static_cast<Eigen::Index>(6 * body); };
  std::vector<Mat6> mass(p_.bodies(), Mat6::Identity());
  std::vector<Sides> sides(p_.contacts());
  std::vector<Mat3> stiffness(p_.contacts());
  Eigen::VectorXd right = Eigen::VectorXd::Zero(at(p_.bodies()));
  const auto add_to_bodies = [&](std::size_t c, const Vec3& impulse, Eigen::VectorXd& sum) {
    for (int a = 0; a < sides[c].count; ++a)
      sum.segment<6>(at(sides[c].body[a])) += sides[c].jacobian[a].transpose() * impulse;
  };
  const auto relative = [&](std::size_t c, const Eigen::VectorXd& dv) {
    Vec3 u = Vec3::Zero();
    for (int a = 0; a < sides[c].count; ++a) u += sides[c].jacobian[a] * dv.segment<6>(at(sides[c].body[a]));
    return u;
  };

  BlockLu factors(p_.bodies(), coupled(p_, g));
  for (std::size_t i = 0; i < p_.bodies(); ++i) {
    if (p_.is_moved(i)) mass[i] = mass_matrix(p_.response[i]);
    factors.add(i, i, mass[i]);
  }
  for (std::size_t c = 0; c < p_.contacts(); ++c) {
    const Mat3 inverse = k[c].inverse();
    stiffness[c] = inverse * g[c];
    sides[c] = sides_of(p_, c);
    add_to_bodies(c, -(inverse * f[c]), right);
    if (g[c].isZero(0.0)) continue;
    const Sides& s = sides[c];
    for (int a = 0; a < s.count; ++a)
      for (int b = 0; b < s.count; ++b)
        factors.add(s.body[a], s.body[b], s.jacobian[a].transpose() * stiffness[c] * s.jacobian[b]);
  }
  if (!factors.factor()) return false;

  const auto left_over = [&](const Eigen::VectorXd& dv) {
    Eigen::VectorXd left = right;
    for (std::size_t i = 0; i < p_.bodies(); ++i) left.segment<6>(at(i)) -= mass[i] * dv.segment<6>(at(i));
    for (std::size_t c = 0; c < p_.contacts(); ++c)
      if (!g[c].isZero(0.0)) add_to_bodies(c, -(stiffness[c] * relative(c, dv)), left);
    return left;
  };
  Eigen::VectorXd dv = factors.solve(right);
  dv += factors.solve(left_over(dv));
  if (!(left_over(dv).norm() <= solved_to * right.norm())) return false;

  dp.resize(p_.contacts());
  for (std::size_t c = 0; c < p_.contacts(); ++c) dp[c] = -(k[c].inverse() * (f[c] + g[c] * relative(c, dv)));
  return dv.allFinite();
}

}  // namespace scree
