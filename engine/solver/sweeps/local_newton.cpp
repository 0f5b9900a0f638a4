#include "engine/solver/sweeps/local_newton.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <queue>

#include "engine/core/exact_sum.h"
#include "engine/solver/problem/contact_jacobian.h"
#include "engine/solver/problem/residual.h"
#include "engine/solver/sweeps/proximal_newton.h"
#include "engine/solver/sweeps/sweeps.h"

namespace scree {

namespace {

// Limit of the number of contacts, and their least share in the sum of squares; otherwise the rest is larger.
constexpr std::size_t a_few = 16;
constexpr double most_of_residual = 0.8;

// If it helped: factors of the number of sweeps until the next use, and of the size of the part.
constexpr double longer = 1.5;
constexpr std::size_t larger_part = 2, largest_part = 64, smallest_part = 4;

// Solving n contacts has a cost of n^3. The limit: this amount per contact and sweep, half of the cost of
// sweeps; and always some milliseconds.
constexpr double effort_of_sweep = 0.15, least_effort = 1e5;
constexpr double effort_of(std::size_t n) { return static_cast<double>(n) * static_cast<double>(n * n); }

constexpr double part_of_goal = 0.3;
constexpr int newton_steps = 60;

/// A contact with all data for a local solution, with global numbers: it is sent between
/// ranks.
struct Neighbour {
  std::int32_t number;
  Edge edge;
  ContactTerms terms;
  Vec3 impulse, image_velocity = Vec3::Zero();
  ContactCompliance compliance{};
  BodyResponse response[2];
  BodyVelocity velocity[2];
  std::size_t rows = 0;  // with torque resistance
  Row row[3]{};
  double row_impulse[3]{};
};

/// The contacts of bodies, on any rank.
class Neighbourhood {
 public:
  Neighbourhood(const ContactProblem& p, ContactCompliances compliance, ContactSolution& s)
      : p_(p), compliance_(compliance), s_(s) {
    link_bodies(p, row_, contact_);
  }

  /// Their number. Parts of machines can have many.
  std::size_t count_of_body(std::int32_t body) const {
    std::int64_t own = 0;
    for_own_of(body, [&](std::int32_t) { ++own; });
    return static_cast<std::size_t>(total(p_.ranks(), own));
  }
  /// All contacts of a body, ascending.
  std::vector<Neighbour> of_body(std::int32_t body) const {
    std::vector<Neighbour> own;
    for_own_of(body, [&](std::int32_t contact) { own.push_back(neighbour(contact)); });
    return from_all(std::move(own));
  }
  /// One contact.
  Neighbour contact(std::int32_t number) const {
    std::vector<Neighbour> own;
    if (const std::int32_t c = local_contact(number); c >= 0 && p_.is_own(c)) own.push_back(neighbour(c));
    return from_all(std::move(own)).front();
  }
  /// Its index here, or -1.
  std::int32_t local_body(std::int32_t number) const {
    return p_.share == nullptr ? number : p_.share->body.find(number);
  }
  std::int32_t local_contact(std::int32_t number) const {
    return p_.share == nullptr ? number : p_.share->contact.find(number);
  }
  const ContactProblem& problem() const { return p_; }
  ContactSolution& solution() const { return s_; }

 private:
  /// Calls f(contact) for the contacts of a body that are a rank's own.
  template <class F>
  void for_own_of(std::int32_t body, F&& f) const {
    const std::int32_t i = local_body(body);
    if (i < 0) return;
    for (std::int32_t k = row_[i]; k < row_[i + 1]; ++k)
      if (p_.is_own(contact_[k])) f(contact_[k]);
  }
  std::int32_t body_number(std::int32_t i) const { return p_.share == nullptr ? i : p_.share->body[i]; }

  Neighbour neighbour(std::int32_t c) const {
    const Edge edge = p_.edge[c];
    Neighbour n{.number = p_.share == nullptr ? c : p_.share->contact[c],
                .edge = {body_number(edge.a), body_number(edge.b)},
                .terms = p_.contact[c],
                .impulse = s_.impulse[c],
                .response = {p_.response[edge.a], p_.response[edge.b]},
                .velocity = {s_.velocity[edge.a], s_.velocity[edge.b]}};
    if (!p_.image_velocity.empty()) n.image_velocity = p_.image_velocity[c];
    if (!compliance_.empty()) n.compliance = compliance_[c];
    const auto at = static_cast<std::size_t>(c);
    for_rows_of(p_, at, at + 1, [&](std::size_t r) {
      n.row[n.rows] = p_.rows[r];
      n.row_impulse[n.rows++] = s_.row_impulse[r];
    });
    return n;
  }

  /// The contacts found by all ranks, by number.
  std::vector<Neighbour> from_all(std::vector<Neighbour> own) const {
    if (p_.share == nullptr) return own;
    std::vector<Neighbour> found = of_all(p_.ranks(), own);
    std::ranges::sort(found, {}, &Neighbour::number);
    return found;
  }

  const ContactProblem& p_;
  ContactCompliances compliance_;
  ContactSolution& s_;
  std::vector<std::int32_t> row_, contact_;  // of bodies, see link_bodies()
};

/// A contact and those of the lightest bodies around it, with a limit of their total number; ascending.
std::vector<Neighbour> contacts_around(const Neighbourhood& neighbourhood, std::int32_t contact,
                                       std::size_t most) {
  struct Body {
    double inverse_mass;
    std::int32_t number;
    bool operator<(const Body& o) const {  // heavier
      return inverse_mass != o.inverse_mass ? inverse_mass < o.inverse_mass : number > o.number;
    }
  };
  std::priority_queue<Body> lightest;
  std::vector<Neighbour> part;
  std::vector<std::int32_t> seen;
  const auto take = [&](const Neighbour& c) {
    if (std::ranges::find(part, c.number, &Neighbour::number) != part.end()) return;
    part.push_back(c);
    for (const int side : {0, 1}) {
      const std::int32_t body = side == 0 ? c.edge.a : c.edge.b;
      if (!c.response[side].is_moved() || std::ranges::find(seen, body) != seen.end()) continue;
      seen.push_back(body);
      lightest.push({c.response[side].inverse_mass, body});
    }
  };
  take(neighbourhood.contact(contact));
  while (!lightest.empty()) {
    const std::int32_t body = lightest.top().number;
    lightest.pop();
    if (part.size() + neighbourhood.count_of_body(body) > most) continue;
    for (const Neighbour& c : neighbourhood.of_body(body)) take(c);
  }
  std::ranges::sort(part, {}, &Neighbour::number);
  return part;
}

/// Contacts as a separate problem, with the solution so far.
struct PartProblem {
  ContactProblem problem;
  ContactSolution solution;
  std::vector<ContactCompliance> compliance;
  std::vector<std::int32_t> body;  // [body] its number

  PartProblem(const std::vector<Neighbour>& contacts, const ContactProblem& whole, bool compliant) {
    for (const Neighbour& c : contacts) body.insert(body.end(), {c.edge.a, c.edge.b});
    std::ranges::sort(body);
    body.erase(std::ranges::unique(body).begin(), body.end());
    const auto slot = [&](std::int32_t number) {
      return static_cast<std::int32_t>(std::ranges::lower_bound(body, number) - body.begin());
    };
    ContactProblem& p = problem;
    p.friction_corners = whole.friction_corners;
    p.response.resize(body.size());
    solution.velocity.resize(body.size());
    for (std::size_t c = 0; c < contacts.size(); ++c) {
      const Neighbour& from = contacts[c];
      const Edge edge = {slot(from.edge.a), slot(from.edge.b)};
      p.edge.push_back(edge);
      p.contact.push_back(from.terms);
      if (!whole.image_velocity.empty()) p.image_velocity.push_back(from.image_velocity);
      if (compliant) compliance.push_back(from.compliance);
      solution.impulse.push_back(from.impulse);
      for (const int side : {0, 1}) {
        const std::int32_t i = side == 0 ? edge.a : edge.b;
        p.response[i] = from.response[side];
        solution.velocity[i] = from.velocity[side];
      }
      for (std::size_t r = 0; r < from.rows; ++r) {
        p.rows.push_back(from.row[r]);
        p.rows.back().edge = edge;
        p.rows.back().contact = static_cast<std::int32_t>(c);
        solution.row_impulse.push_back(from.row_impulse[r]);
      }
    }
    p.contact_rows = p.rows.size();
  }
};

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

/// u = W p + q of some contacts, with all other impulses constant.
class PartSystem final : public ImpulseSystem {
 public:
  explicit PartSystem(const PartProblem& part) {
    const auto& [p, s, compliance, bodies] = part;
    const std::size_t count = p.contacts();
    const auto size = static_cast<Eigen::Index>(3 * count);
    w_.setZero(size, size);
    q_.resize(size);
    Eigen::VectorXd impulse(size);
    std::vector<Side> sides;
    for (std::size_t c = 0; c < count; ++c) {
      friction_.push_back(p.friction(c));
      sides.push_back({p.edge[c].a, row(c), contact_jacobian(p.frame(c), p.arm_a(c))});
      sides.push_back({p.edge[c].b, row(c), -contact_jacobian(p.frame(c), p.arm_b(c))});
      q_.segment<3>(row(c)) = p.frame(c) * relative_velocity(p, c, s.velocity);
      q_[row(c)] += p.offset(c);
      impulse.segment<3>(row(c)) = s.impulse[c];
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
    for (std::size_t c = 0; c < compliance.size(); ++c) {
      const auto& [gives, rest] = compliance[c];
      w_.diagonal().segment<3>(row(c)) += gives;
      q_.segment<3>(row(c)) -= gives.cwiseProduct(rest);
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

/// Projects torque impulses at a contact to the bounds of its normal impulse.
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

/// Returns false, without changes, if the part is not solved: it may have no solution, e.g. a body between
/// two that move towards each other, and then impulses would grow without limit.
bool solve_part(double goal, PartProblem& part) {
  PartSystem system(part);
  auto& [p, s, compliance, bodies] = part;
  std::vector<Vec3> impulse = s.impulse;
  if (!(proximal_newton(system, goal, newton_steps, impulse).residual_m_s <= goal)) return false;
  for (std::size_t c = 0; c < impulse.size(); ++c) {
    const Vec3 change = impulse[c] - s.impulse[c];
    s.impulse[c] = impulse[c];
    apply(p.contact[c], p.edge[c], to_world(p.contact[c], change.data()),
          {p.response.data(), s.velocity.data()});
    bound_rows(p, c, s);
  }
  return true;
}

/// Copies the solution of a part back, for contacts on this rank.
void take(const std::vector<Neighbour>& contacts, const PartProblem& part,
          const Neighbourhood& neighbourhood) {
  ContactSolution& s = neighbourhood.solution();
  std::size_t row = 0;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const std::int32_t c = neighbourhood.local_contact(contacts[k].number);
    if (c >= 0) {
      const auto at = static_cast<std::size_t>(c);
      s.impulse[c] = part.solution.impulse[k];
      std::size_t r_of_part = row;
      for_rows_of(neighbourhood.problem(), at, at + 1,
                  [&](std::size_t r) { s.row_impulse[r] = part.solution.row_impulse[r_of_part++]; });
    }
    row += contacts[k].rows;
  }
  for (std::size_t i = 0; i < part.body.size(); ++i)
    if (const std::int32_t here = neighbourhood.local_body(part.body[i]); here >= 0)
      s.velocity[here] = part.solution.velocity[i];
}

/// The worst contacts, by number, the worst first, if a few have most of the residual;
/// else none.
std::vector<std::int32_t> worst_contacts(const ContactProblem& p, std::span<const float> squared,
                                         double goal) {
  struct Late {
    float squared;
    std::int32_t number;
  };
  std::vector<Late> late;
  ExactSums<ExactDouble> sum;
  add_ranges(
      p.blocks(),
      [&](const Block& block) {
        double of_block = 0.0;
        for (std::size_t c = block.begin; c < block.end; ++c)
          if (p.is_own(c)) of_block += double{squared[c]};
        return ExactDouble{of_block};
      },
      sum);
  sum_over(p.ranks(), sum);
  for (std::size_t c = 0; c < squared.size(); ++c)
    if (double{squared[c]} > goal * goal && p.is_own(c))
      late.push_back({squared[c], p.share == nullptr ? static_cast<std::int32_t>(c) : p.share->contact[c]});
  const auto keep_worst = [&] {
    const auto worst = late.begin() + static_cast<std::ptrdiff_t>(std::min(a_few, late.size()));
    std::partial_sort(late.begin(), worst, late.end(), [](const Late& i, const Late& j) {
      return i.squared != j.squared ? i.squared > j.squared : i.number < j.number;
    });
    late.erase(worst, late.end());
  };
  keep_worst();
  if (p.share != nullptr) {
    late = of_all(p.ranks(), late);
    keep_worst();
  }
  double of_late = 0.0;
  std::vector<std::int32_t> numbers;
  for (const Late& c : late) {
    of_late += double{c.squared};
    numbers.push_back(c.number);
  }
  if (!(of_late >= most_of_residual * sum.value().value)) numbers.clear();
  return numbers;
}

}  // namespace

bool LocalNewton::solve(const ContactProblem& p, int sweeps, double goal, std::span<const float> squared,
                        ContactCompliances compliance, ContactSolution& s) {
  const std::vector<std::int32_t> late = worst_contacts(p, squared, goal);
  is_stuck_ = false;
  if (late.empty()) {
    next_ *= 2;
    return false;
  }
  const auto contacts = p.share == nullptr ? static_cast<std::int64_t>(p.contacts()) : p.share->contacts;
  double effort = least_effort + effort_of_sweep * sweeps * static_cast<double>(contacts) - spent_;
  bool any_solved = false;
  const bool give = any(p.ranks(), !compliance.empty());
  std::vector<std::int32_t> solved;
  const Neighbourhood neighbourhood(p, compliance, s);
  for (std::size_t k = 0; k < late.size(); ++k) {
    if (std::ranges::find(solved, late[k]) != solved.end()) continue;
    const double share = effort / static_cast<double>(late.size() - k);
    std::size_t most = most_;
    while (most >= smallest_part && effort_of(most) > share) --most;
    if (most < smallest_part) continue;
    const std::vector<Neighbour> around = contacts_around(neighbourhood, late[k], most);
    PartProblem part(around, p, give);
    if (solve_part(part_of_goal * goal, part)) {
      take(around, part, neighbourhood);
      any_solved = true;
    }
    for (const Neighbour& c : around) solved.push_back(c.number);
    effort -= effort_of(around.size());
    spent_ += effort_of(around.size());
  }
  is_stuck_ = !any_solved;
  if (any_solved) {
    next_ += static_cast<int>(spacing_);
    spacing_ *= longer;
    most_ = std::min(largest_part, larger_part * most_);
  } else {
    next_ *= 2;
  }
  return any_solved;
}

}  // namespace scree
