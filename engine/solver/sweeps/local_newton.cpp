#include "engine/solver/sweeps/local_newton.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <queue>

#include "engine/solver/problem/contact_jacobian.h"
#include "engine/solver/problem/residual.h"
#include "engine/solver/sweeps/proximal_newton.h"
#include "engine/solver/sweeps/sweeps.h"

namespace scree {

namespace {

// A few contacts, and what they must hold of the sum of squares: else there is more left than they.
constexpr std::size_t a_few = 16;
constexpr double most_of_residual = 0.8;

// Where it helped, the next look comes after so many times the sweeps, at a part so many times as large.
constexpr double longer = 1.5;
constexpr std::size_t larger_part = 2, largest_part = 64, smallest_part = 4;

// Solving n contacts takes an effort of n^3. What there is for it: so much a contact and sweep, half of what
// these cost; and some milliseconds always.
constexpr double effort_of_sweep = 0.15, least_effort = 1e5;
constexpr double effort_of(std::size_t n) { return static_cast<double>(n) * static_cast<double>(n * n); }

constexpr double part_of_goal = 0.3;
constexpr int newton_steps = 60;

/// The contacts of each body.
struct Links {
  explicit Links(const ContactProblem& p) { link_bodies(p, row, contact); }
  std::span<const std::int32_t> of(std::int32_t body) const {
    return {contact.data() + row[body], contact.data() + row[body + 1]};
  }
  std::vector<std::int32_t> row, contact;
};

/// A contact and those of the lightest bodies around it, at most so many in all; rising.
std::vector<std::int32_t> contacts_around(const ContactProblem& p, const Links& links, std::int32_t contact,
                                          std::size_t most) {
  const auto is_heavier = [&](std::int32_t i, std::int32_t j) {
    const double inverse_i = p.inverse_mass(i), inverse_j = p.inverse_mass(j);
    return inverse_i != inverse_j ? inverse_i < inverse_j : i > j;
  };
  std::priority_queue<std::int32_t, std::vector<std::int32_t>, decltype(is_heavier)> lightest(is_heavier);
  std::vector<std::int32_t> part, seen;
  const auto take = [&](std::int32_t c) {
    if (std::find(part.begin(), part.end(), c) != part.end()) return;
    part.push_back(c);
    for (const std::int32_t body : {p.edge[c].a, p.edge[c].b}) {
      if (!p.is_moved(body) || std::find(seen.begin(), seen.end(), body) != seen.end()) continue;
      seen.push_back(body);
      lightest.push(body);
    }
  };
  take(contact);
  while (!lightest.empty()) {
    const std::span<const std::int32_t> of_body = links.of(lightest.top());
    lightest.pop();
    if (part.size() + of_body.size() > most) continue;
    for (const std::int32_t c : of_body) take(c);
  }
  std::sort(part.begin(), part.end());
  return part;
}

/// M^-1 of a body.
Mat6 inverse_mass_matrix(const BodyResponse& body) {
  Mat6 m = Mat6::Zero();
  if (body.slides) {
    m.topLeftCorner<3, 3>() = body.inverse_inertia();
  } else {
    m.diagonal().head<3>().setConstant(body.inverse_mass);
    m.bottomRightCorner<3, 3>() = body.inverse_inertia();
  }
  return m;
}

/// u = W p + q of some contacts, all other impulses as they are.
class PartSystem final : public ImpulseSystem {
 public:
  PartSystem(const ContactProblem& p, std::span<const std::int32_t> part, ContactCompliances compliance,
             const ContactSolution& s) {
    const auto size = static_cast<Eigen::Index>(3 * part.size());
    w_.setZero(size, size);
    q_.resize(size);
    Eigen::VectorXd impulse(size);
    std::vector<Side> sides;
    for (std::size_t k = 0; k < part.size(); ++k) {
      const std::size_t c = part[k];
      friction_.push_back(p.friction(c));
      sides.push_back({p.edge[c].a, row(k), contact_jacobian(p.frame(c), p.arm_a(c))});
      sides.push_back({p.edge[c].b, row(k), -contact_jacobian(p.frame(c), p.arm_b(c))});
      q_.segment<3>(row(k)) = p.frame(c) * relative_velocity(p, c, s.velocity);
      q_[row(k)] += p.offset(c);
      impulse.segment<3>(row(k)) = s.impulse[c];
    }
    std::stable_sort(sides.begin(), sides.end(),
                     [](const Side& i, const Side& j) { return i.body < j.body; });
    for (std::size_t begin = 0, end = 0; begin < sides.size(); begin = end) {
      const std::int32_t body = sides[begin].body;
      while (end < sides.size() && sides[end].body == body) ++end;
      const Mat6 inverse = inverse_mass_matrix(p.response[body]);
      for (std::size_t i = begin; i < end; ++i) {
        const ContactJacobian answer = sides[i].jacobian * inverse;
        for (std::size_t j = begin; j < end; ++j)
          w_.block<3, 3>(sides[i].row, sides[j].row) += answer * sides[j].jacobian.transpose();
      }
    }
    q_ -= w_ * impulse;
    for (std::size_t k = 0; k < part.size() && !compliance.empty(); ++k) {
      const auto& [gives, rest] = compliance[part[k]];
      w_.diagonal().segment<3>(row(k)) += gives;
      q_.segment<3>(row(k)) -= gives.cwiseProduct(rest);
    }
  }

  std::size_t contacts() const override { return friction_.size(); }
  double friction(std::size_t k) const override { return friction_[k]; }
  double trace(std::size_t k) const override { return w_.diagonal().segment<3>(row(k)).sum(); }
  void velocities(const std::vector<Vec3>& impulse, std::vector<Vec3>& velocity) override {
    Eigen::VectorXd p(q_.size());
    for (std::size_t k = 0; k < contacts(); ++k) p.segment<3>(row(k)) = impulse[k];
    const Eigen::VectorXd u = w_ * p + q_;
    velocity.resize(contacts());
    for (std::size_t k = 0; k < contacts(); ++k) velocity[k] = u.segment<3>(row(k));
  }
  bool newton_step(const std::vector<Mat3>& k, const std::vector<Mat3>& g, const std::vector<Vec3>& f,
                   std::vector<Vec3>& dp) override {
    Eigen::MatrixXd m(q_.size(), q_.size());
    Eigen::VectorXd right(q_.size());
    for (std::size_t c = 0; c < contacts(); ++c) {
      m.middleRows<3>(row(c)) = g[c] * w_.middleRows<3>(row(c));
      m.block<3, 3>(row(c), row(c)) += k[c];
      right.segment<3>(row(c)) = -f[c];
    }
    factors_.compute(m);
    const Eigen::VectorXd solved = factors_.solve(right);
    dp.resize(contacts());
    for (std::size_t c = 0; c < contacts(); ++c) dp[c] = solved.segment<3>(row(c));
    return solved.allFinite();
  }

 private:
  struct Side {
    std::int32_t body;
    Eigen::Index row;
    ContactJacobian jacobian;
  };
  static Eigen::Index row(std::size_t k) { return static_cast<Eigen::Index>(3 * k); }

  std::vector<double> friction_;
  Eigen::MatrixXd w_;
  Eigen::VectorXd q_;
  Eigen::PartialPivLU<Eigen::MatrixXd> factors_;
};

/// Brings what resists torques at a contact within the bounds of its normal impulse.
void bound_rows(const ContactProblem& p, std::size_t contact, ContactSolution& s) {
  for_rows_of(p, contact, contact + 1, [&](std::size_t r) {
    if (is_second_of_disc(p, r)) return;
    const std::size_t rows = p.rows[r].bound == RowBound::disc ? 2 : 1;
    const double most = bounds_of(p.rows[r], s.impulse).high,
                 length = rows == 2 ? std::hypot(s.row_impulse[r], s.row_impulse[r + 1])
                                    : std::abs(s.row_impulse[r]);
    if (length <= most) return;
    for (std::size_t k = r; k < r + rows; ++k) {
      const double change = (most / length - 1.0) * s.row_impulse[k];
      s.row_impulse[k] += change;
      apply(p.rows[k], change, {p.response.data(), s.velocity.data()});
    }
  });
}

/// False, and nothing has changed, where the part is not solved: it may have no solution, as a body between
/// two that are led towards each other, and impulses would grow without end.
bool solve_part(const ContactProblem& p, std::span<const std::int32_t> part, double goal,
                ContactCompliances compliance, ContactSolution& s) {
  PartSystem system(p, part, compliance, s);
  std::vector<Vec3> impulse(part.size());
  for (std::size_t k = 0; k < part.size(); ++k) impulse[k] = s.impulse[part[k]];
  if (!(proximal_newton(system, goal, newton_steps, impulse).residual_m_s <= goal)) return false;
  for (std::size_t k = 0; k < part.size(); ++k) {
    const std::size_t c = part[k];
    const Vec3 change = impulse[k] - s.impulse[c];
    s.impulse[c] = impulse[k];
    apply(p.contact[c], p.edge[c], to_world(p.contact[c], change.data()),
          {p.response.data(), s.velocity.data()});
    bound_rows(p, c, s);
  }
  return true;
}

/// The worst contacts, first the worst, if they are a few that hold most of the residual; else none.
std::vector<std::int32_t> worst_contacts(std::span<const float> squared, double goal) {
  std::vector<std::int32_t> late;
  double sum = 0.0, of_late = 0.0;
  for (std::size_t c = 0; c < squared.size(); ++c) {
    sum += double{squared[c]};
    if (double{squared[c]} > goal * goal) late.push_back(static_cast<std::int32_t>(c));
  }
  const auto worst = late.begin() + static_cast<std::ptrdiff_t>(std::min(a_few, late.size()));
  std::partial_sort(late.begin(), worst, late.end(), [&](std::int32_t i, std::int32_t j) {
    return squared[i] != squared[j] ? squared[i] > squared[j] : i < j;
  });
  late.erase(worst, late.end());
  for (const std::int32_t c : late) of_late += double{squared[c]};
  if (!(of_late >= most_of_residual * sum)) late.clear();
  return late;
}

}  // namespace

bool LocalNewton::solve(const ContactProblem& p, int sweeps, double goal, std::span<const float> squared,
                        ContactCompliances compliance, ContactSolution& s) {
  const std::vector<std::int32_t> late = worst_contacts(squared, goal);
  is_stuck_ = false;
  if (late.empty()) {
    next_ *= 2;
    return false;
  }
  double effort = least_effort + effort_of_sweep * sweeps * static_cast<double>(p.contacts()) - spent_;
  bool any = false;
  std::vector<bool> is_solved(p.contacts(), false);
  const Links links(p);
  for (std::size_t k = 0; k < late.size(); ++k) {
    if (is_solved[late[k]]) continue;
    const double share = effort / static_cast<double>(late.size() - k);
    std::size_t most = most_;
    while (most >= smallest_part && effort_of(most) > share) --most;
    if (most < smallest_part) continue;
    const std::vector<std::int32_t> part = contacts_around(p, links, late[k], most);
    any |= solve_part(p, part, part_of_goal * goal, compliance, s);
    for (const std::int32_t c : part) is_solved[c] = true;
    effort -= effort_of(part.size());
    spent_ += effort_of(part.size());
  }
  is_stuck_ = !any;
  if (any) {
    next_ += static_cast<int>(spacing_);
    spacing_ *= longer;
    most_ = std::min(largest_part, larger_part * most_);
  } else {
    next_ *= 2;
  }
  return any;
}

}  // namespace scree
