#include "tests/support/mechanism.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/core/frames.h"
#include "engine/core/rotation.h"

namespace scree {

namespace {

constexpr Eigen::Index numbers = 13, places = 7;  // numbers of a body: all, and those before the velocities
constexpr int most_projections = 50;
constexpr double met = 1e-14;  // m or rad: constraints with smaller errors are satisfied

Quat quaternion(const Mechanism::State& y, Eigen::Index at) {
  return Quat(y[at + 6], y[at + 3], y[at + 4], y[at + 5]);
}

}  // namespace

int Mechanism::add_body(const MechanismBody& body) {
  const Eigen::Index at = state_.size();
  state_.conservativeResize(at + numbers);
  state_.segment<3>(at) = body.pose.position;
  state_.segment<4>(at + 3) = body.pose.orientation.normalized().coeffs();
  state_.segment<3>(at + places) = body.twist.linear;
  state_.segment<3>(at + places + 3) = body.twist.angular;
  mass_.push_back(body.mass);
  inertia_.push_back(body.inertia);
  return static_cast<int>(mass_.size()) - 1;
}

void Mechanism::set_twist(int body, const Twist& twist) {
  state_.segment<3>(numbers * body + places) = twist.linear;
  state_.segment<3>(numbers * body + places + 3) = twist.angular;
}

std::size_t Mechanism::add_joint(const Joint& given) {
  Joint joint = given;
  if (joint.kind == JointKind::distance && joint.length == 0.0) {
    const JointedBody a = jointed(state_, joint.a.body), b = jointed(state_, joint.b.body);
    joint.length = (b.pose.position + b.pose.orientation * joint.b.frame.position - a.pose.position -
                    a.pose.orientation * joint.a.frame.position)
                       .norm();
  }
  joints_.push_back(joint);
  angle_.push_back(0.0);
  angle_.back() = coordinate({joints_.size() - 1, JointCoordinate::Kind::angle});
  return joints_.size() - 1;
}

void Mechanism::add_actuator(const JointActuator& actuator) { actuators_.push_back(actuator); }

void Mechanism::add_coupling(const JointCoupling& coupling) {
  couplings_.push_back(coupling);
  coupled_.push_back(coordinate(coupling.first) + coupling.ratio * coordinate(coupling.second));
}

JointedBody Mechanism::jointed(const State& y, int body) const {
  if (body == JointEnd::ground) return {};
  const Eigen::Index at = numbers * body;
  return {{y.segment<3>(at), quaternion(y, at).normalized()},
          {y.segment<3>(at + places), y.segment<3>(at + places + 3)}};
}

Mechanism::Constraint Mechanism::constraint(const Joint& joint, const ConstraintRow& row,
                                            const State& y) const {
  Constraint c{.value = row.value, .gamma = row.gamma};
  for (const Term& term :
       {Term{joint.a.body, row.linear_a, row.angular_a}, Term{joint.b.body, row.linear_b, row.angular_b}}) {
    if (term.body == JointEnd::ground) continue;
    const Twist twist = jointed(y, term.body).twist;
    c.rate += term.linear.dot(twist.linear) + term.angular.dot(twist.angular);
    c.terms.push_back(term);
  }
  return c;
}

Mechanism::Constraint Mechanism::coordinate_at(const JointCoordinate& c, const State& y) const {
  const Joint& joint = joints_[c.joint];
  ConstraintRow row = coordinate_row(joint, c.kind, jointed(y, joint.a.body), jointed(y, joint.b.body));
  if (c.kind == JointCoordinate::Kind::angle) {  // adds the complete rotations so far
    constexpr double whole = 2.0 * std::numbers::pi;
    row.value += whole * std::round((angle_[c.joint] - row.value) / whole);
  }
  return constraint(joint, row, y);
}

double Mechanism::coordinate(const JointCoordinate& c) const { return coordinate_at(c, state_).value; }
double Mechanism::rate(const JointCoordinate& c) const { return coordinate_at(c, state_).rate; }

std::vector<Mechanism::Constraint> Mechanism::constraints(const State& y) const {
  std::vector<Constraint> all;
  std::vector<ConstraintRow> rows;
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    const Joint& joint = joints_[k];
    rows.clear();
    add_rows(joint, jointed(y, joint.a.body), jointed(y, joint.b.body), rows);
    for (const ConstraintRow& row : rows) all.emplace_back(constraint(joint, row, y)).owner = k;
  }
  for (std::size_t k = 0; k < couplings_.size(); ++k) {
    const JointCoupling& c = couplings_[k];
    Constraint& sum = all.emplace_back(Constraint{.owner = joints_.size() + k, .value = -coupled_[k]});
    for (const auto& [of, factor] : {std::pair(c.first, 1.0), std::pair(c.second, c.ratio)}) {
      const Constraint one = coordinate_at(of, y);
      sum.value += factor * one.value;
      sum.rate += factor * one.rate;
      sum.gamma += factor * one.gamma;
      for (const Term& t : one.terms) sum.terms.push_back({t.body, factor * t.linear, factor * t.angular});
    }
  }
  return all;
}

const std::string& Mechanism::owner_name(std::size_t owner) const {
  return owner < joints_.size() ? joints_[owner].name : couplings_[owner - joints_.size()].name;
}

MotionEquations Mechanism::equations(double time, const State& y, const std::vector<Constraint>& all) const {
  const Eigen::Index n = 6 * count(), m = static_cast<Eigen::Index>(all.size());
  MotionEquations e;
  e.force = Eigen::VectorXd::Zero(n);
  e.gamma.resize(m);
  std::vector<Eigen::Triplet<double>> mass, jacobian;
  for (int k = 0; k < static_cast<int>(count()); ++k) {
    const auto slot = static_cast<std::size_t>(k);
    const JointedBody now = jointed(y, k);
    const Mat3 inertia = symmetric_in_world(now.pose.orientation, inertia_[slot]);
    for (int i = 0; i < 3; ++i) {
      mass.emplace_back(6 * k + i, 6 * k + i, mass_[slot]);
      for (int j = 0; j < 3; ++j) mass.emplace_back(6 * k + 3 + i, 6 * k + 3 + j, inertia(i, j));
    }
    const Vec3& w = now.twist.angular;
    Wrench wrench{mass_[slot] * gravity, -w.cross(inertia * w)};
    if (applied) {
      const Wrench more = applied(time, k, now);
      wrench.force += more.force;
      wrench.torque += more.torque;
    }
    e.force.segment<3>(6 * k) = wrench.force;
    e.force.segment<3>(6 * k + 3) = wrench.torque;
  }
  const double a = stabilisation.baumgarte_rate;
  for (Eigen::Index row = 0; row < m; ++row) {
    const Constraint& c = all[row];
    e.gamma[row] = c.gamma + 2.0 * a * c.rate + a * a * c.value;
    for (const Term& term : c.terms)
      for (int i = 0; i < 3; ++i) {
        jacobian.emplace_back(static_cast<int>(row), 6 * term.body + i, term.linear[i]);
        jacobian.emplace_back(static_cast<int>(row), 6 * term.body + 3 + i, term.angular[i]);
      }
  }
  for (const JointActuator& actuator : actuators_) {
    const Constraint of = coordinate_at(actuator.on, y);
    double effort = actuator.stiffness * (actuator.rest - of.value) - actuator.damping * of.rate;
    if (actuator.effort) effort += actuator.effort(time, of.value, of.rate);
    for (const Term& term : of.terms) {
      e.force.segment<3>(6 * term.body) += effort * term.linear;
      e.force.segment<3>(6 * term.body + 3) += effort * term.angular;
    }
  }
  e.mass.resize(n, n);
  e.mass.setFromTriplets(mass.begin(), mass.end());
  e.jacobian.resize(m, n);
  e.jacobian.setFromTriplets(jacobian.begin(), jacobian.end());
  return e;
}

Mechanism::State Mechanism::derivative(double time, const State& y) const {
  const Eigen::VectorXd a = solver.solve(equations(time, y, constraints(y))).acceleration;
  State slope(y.size());
  for (Eigen::Index k = 0; k < count(); ++k) {
    const Eigen::Index at = numbers * k;
    const Vec3 w = y.segment<3>(at + places + 3);
    slope.segment<3>(at) = y.segment<3>(at + places);
    slope.segment<4>(at + 3) = 0.5 * (Quat(0.0, w[0], w[1], w[2]) * quaternion(y, at)).coeffs();
    slope.segment<6>(at + places) = a.segment<6>(6 * k);
  }
  return slope;
}

void Mechanism::finish_step() {
  for (Eigen::Index k = 0; k < count(); ++k) state_.segment<4>(numbers * k + 3).normalize();
  if (stabilisation.projects) project();
  for (std::size_t k = 0; k < joints_.size(); ++k) angle_[k] = coordinate({k, JointCoordinate::Kind::angle});
}

bool Mechanism::project() {
  std::vector<Constraint> all;
  bool is_met = false;
  double last = infinity;
  for (int k = 0;; ++k) {
    all = constraints(state_);
    if (all.empty()) return true;
    Eigen::VectorXd r(static_cast<Eigen::Index>(all.size()));
    for (Eigen::Index row = 0; row < r.size(); ++row) r[row] = -all[row].value;
    const double worst = r.lpNorm<Eigen::Infinity>();
    is_met = worst <= met ||
             (worst < 1e3 * met && worst >= 0.5 * last);  // rounding errors prevent further progress
    if (is_met || k == most_projections) break;
    last = worst;
    const Eigen::VectorXd d = solver.least_change(equations(time_, state_, all), r);
    for (Eigen::Index b = 0; b < count(); ++b) {
      state_.segment<3>(numbers * b) += d.segment<3>(6 * b);
      state_.segment<4>(numbers * b + 3) =
          (rotation_by(d.segment<3>(6 * b + 3)) * quaternion(state_, numbers * b)).normalized().coeffs();
    }
  }
  const MotionEquations e = equations(time_, state_, all);
  Eigen::VectorXd v(6 * count());
  for (Eigen::Index b = 0; b < count(); ++b) v.segment<6>(6 * b) = state_.segment<6>(numbers * b + places);
  v += solver.least_change(e, -(e.jacobian * v));
  for (Eigen::Index b = 0; b < count(); ++b) state_.segment<6>(numbers * b + places) = v.segment<6>(6 * b);
  return is_met;
}

ConstrainedMotion Mechanism::motion() const { return solver.solve(equations()); }

Wrench Mechanism::reaction(std::size_t joint) const {
  const Eigen::VectorXd multiplier = motion().multiplier;
  const std::vector<Constraint> all = constraints(state_);
  Wrench wrench;
  for (std::size_t row = 0; row < all.size(); ++row) {
    if (all[row].owner != joint) continue;
    for (const Term& term : all[row].terms) {
      if (term.body != joints_[joint].b.body) continue;
      wrench.force -= multiplier[static_cast<Eigen::Index>(row)] * term.linear;
      wrench.torque -= multiplier[static_cast<Eigen::Index>(row)] * term.angular;
    }
  }
  return wrench;
}

std::vector<std::string> Mechanism::redundant() const {
  const std::vector<Constraint> all = constraints(state_);
  std::vector<std::string> names;
  for (const Eigen::Index row : MotionSolver(MotionSolver::Kind::dense).solve(equations()).redundant)
    if (const std::string& name = owner_name(all[row].owner); names.empty() || names.back() != name)
      names.push_back(name);
  return names;
}

std::pair<double, double> Mechanism::joint_error() const {
  std::pair<double, double> worst{0.0, 0.0};
  for (const Constraint& c : constraints(state_)) {
    worst.first = std::max(worst.first, std::abs(c.value));
    worst.second = std::max(worst.second, std::abs(c.rate));
  }
  return worst;
}

double Mechanism::energy() const {
  double sum = 0.0;
  for (int k = 0; k < static_cast<int>(count()); ++k) {
    const auto slot = static_cast<std::size_t>(k);
    const JointedBody now = body(k);
    const Vec3 spin = now.pose.orientation.conjugate() * now.twist.angular;
    sum += 0.5 * mass_[slot] * now.twist.linear.squaredNorm() +
           0.5 * spin.dot(inertia_[slot].cwiseProduct(spin)) - mass_[slot] * gravity.dot(now.pose.position);
  }
  for (const JointActuator& actuator : actuators_)
    sum += 0.5 * actuator.stiffness * std::pow(coordinate(actuator.on) - actuator.rest, 2);
  return sum;
}

}  // namespace scree
