#include "engine/solver/reference/body_system.h"

#include <Eigen/LU>

#include "engine/core/parallel.h"
#include "engine/solver/problem/contact_jacobian.h"

namespace scree {

namespace {

using SparseMatrix = Eigen::SparseMatrix<double>;

/// The bodies of a contact that are moved, with the Jacobians of its relative velocity.
struct Sides {
  int count = 0;
  Eigen::Index body[2];
  ContactJacobian jacobian[2];
};

Sides sides_of(const ContactProblem& p, std::size_t c) {
  Sides s;
  const auto add = [&](std::size_t body, const ContactJacobian& jacobian) {
    if (!p.is_moved(body)) return;
    s.body[s.count] = static_cast<Eigen::Index>(body);
    s.jacobian[s.count++] = jacobian;
  };
  add(p.a(c), contact_jacobian(p.frame(c), p.arm_a(c)));
  add(p.b(c), -contact_jacobian(p.frame(c), p.arm_b(c)));
  return s;
}

void add_block(Eigen::Index row, Eigen::Index column, const Mat6& block,
               std::vector<Eigen::Triplet<double>>& entries) {
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j)
      entries.emplace_back(static_cast<int>(6 * row) + i, static_cast<int>(6 * column) + j, block(i, j));
  }
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
  const auto size = static_cast<Eigen::Index>(6 * p_.bodies());
  std::vector<Eigen::Triplet<double>> entries;
  Eigen::VectorXd right = Eigen::VectorXd::Zero(size);
  for (std::size_t i = 0; i < p_.bodies(); ++i) {
    const Mat6 mass = p_.is_moved(i) ? mass_matrix(p_.response[i]) : Mat6(Mat6::Identity());
    add_block(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(i), mass, entries);
  }
  for (std::size_t c = 0; c < p_.contacts(); ++c) {
    const Mat3 inverse = k[c].inverse();
    const Mat3 stiffness = inverse * g[c];
    const Vec3 push = inverse * f[c];
    const Sides s = sides_of(p_, c);
    for (int a = 0; a < s.count; ++a) {
      right.segment<6>(6 * s.body[a]) -= s.jacobian[a].transpose() * push;
      if (g[c].isZero(0.0)) continue;
      for (int b = 0; b < s.count; ++b)
        add_block(s.body[a], s.body[b], s.jacobian[a].transpose() * stiffness * s.jacobian[b], entries);
    }
  }
  SparseMatrix m(size, size);
  m.setFromTriplets(entries.begin(), entries.end());
  factors_.compute(m);
  if (factors_.info() != Eigen::Success) return false;
  const Eigen::VectorXd dv = factors_.solve(right);
  dp.resize(p_.contacts());
  for (std::size_t c = 0; c < p_.contacts(); ++c) {
    const Sides s = sides_of(p_, c);
    Vec3 u = Vec3::Zero();
    for (int a = 0; a < s.count; ++a) u += s.jacobian[a] * dv.segment<6>(6 * s.body[a]);
    dp[c] = -(k[c].inverse() * (f[c] + g[c] * u));
  }
  return dv.allFinite();
}

}  // namespace scree
