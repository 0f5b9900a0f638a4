#include "engine/mechanisms/mechanism.h"

#include <cmath>
#include <numbers>

#include "engine/core/frames.h"

namespace scree {

namespace {

constexpr Eigen::Index numbers = 13, places = 7;  // of a body: all, and what is before velocities
constexpr int most_projections = 50;
constexpr double met = 1e-14;  // m or rad: constraints

Quat quaternion(const Mechanism::State& y, Eigen::Index at) {
  return Quat(y[at + 6], y[at + 3], y[at + 4], y[at + 5]);
}

Quat turn(const Vec3& rotation) {
  const double angle = rotation.norm();
  return angle > 0.0 ? Quat(Eigen::AngleAxisd(angle, rotation / angle)) : Quat::Identity();
}

double rate_of(const ConstraintRow& row, const JointedBody& a, const JointedBody& b) {
  return row.linear_a.dot(a.twist.linear) + row.angular_a.dot(a.twist.angular) +
         row.linear_b.dot(b.twist.linear) + row.angular_b.dot(b.twist.angular);
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
  angle_.back() = row_of({joints_.size() - 1, JointCoordinate::Kind::angle}, state_).value;
  return joints_.size() - 1;
}

void Mechanism::add_drive(const JointDrive& drive) { drives_.push_back(drive); }

void Mechanism::add_coupling(const JointCoupling& coupling) {
  couplings_.push_back(coupling);
  coupled_.push_back(coordinate(coupling.first) + coupling.ratio * coordinate(coupling.second));
}

JointedBody Mechanism::jointed(const State& y, int body) const {
  if (body == ground) return {};
  const Eigen::Index at = numbers * body;
  return {{y.segment<3>(at), quaternion(y, at).normalized()},
          {y.segment<3>(at + places), y.segment<3>(at + places + 3)}};
}

ConstraintRow Mechanism::row_of(const JointCoordinate& c, const State& y) const {
  const Joint& joint = joints_[c.joint];
  ConstraintRow row = coordinate_row(joint, c.kind, jointed(y, joint.a.body), jointed(y, joint.b.body));
  if (c.kind == JointCoordinate::Kind::angle) row.value = unwrapped(c, row.value);
  return row;
}

double Mechanism::unwrapped(const JointCoordinate& c, double value) const {
  constexpr double turn_ = 2.0 * std::numbers::pi;
  return value + turn_ * std::round((angle_[c.joint] - value) / turn_);
}

double Mechanism::coordinate(const JointCoordinate& c) const { return row_of(c, state_).value; }
double Mechanism::rate(const JointCoordinate& c) const {
  const Joint& joint = joints_[c.joint];
  return rate_of(row_of(c, state_), body(joint.a.body), body(joint.b.body));
}

void Mechanism::rows(const State& y, std::vector<ConstraintRow>& list,
                     std::vector<std::pair<int, int>>& bodies) const {
  list.clear();
  bodies.clear();
  for (const Joint& joint : joints_) {
    add_rows(joint, jointed(y, joint.a.body), jointed(y, joint.b.body), list);
    bodies.resize(list.size(), {joint.a.body, joint.b.body});
  }
}

MotionEquations Mechanism::equations(double time, const State& y) const {
  std::vector<ConstraintRow> list;
  std::vector<std::pair<int, int>> bodies;
  rows(y, list, bodies);
  const Eigen::Index n = 6 * count(), m = static_cast<Eigen::Index>(list.size() + couplings_.size());
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
  const auto put = [&](Eigen::Index row, int body, const Vec3& linear, const Vec3& angular, double factor) {
    if (body == ground) return;
    for (int i = 0; i < 3; ++i) {
      jacobian.emplace_back(static_cast<int>(row), 6 * body + i, factor * linear[i]);
      jacobian.emplace_back(static_cast<int>(row), 6 * body + 3 + i, factor * angular[i]);
    }
  };
  const double a = stabilisation.baumgarte_rate;
  for (std::size_t k = 0; k < list.size(); ++k) {
    const ConstraintRow& row = list[k];
    const auto at = static_cast<Eigen::Index>(k);
    put(at, bodies[k].first, row.linear_a, row.angular_a, 1.0);
    put(at, bodies[k].second, row.linear_b, row.angular_b, 1.0);
    e.gamma[at] = row.gamma;
    if (a > 0.0)
      e.gamma[at] += 2.0 * a * rate_of(row, jointed(y, bodies[k].first), jointed(y, bodies[k].second)) +
                     a * a * row.value;
  }
  for (std::size_t k = 0; k < couplings_.size(); ++k) {
    const JointCoupling& c = couplings_[k];
    const auto at = static_cast<Eigen::Index>(list.size() + k);
    e.gamma[at] = 0.0;
    double value = -coupled_[k], speed = 0.0;
    for (const auto& [of, factor] : {std::pair(c.first, 1.0), std::pair(c.second, c.ratio)}) {
      const ConstraintRow row = row_of(of, y);
      const Joint& joint = joints_[of.joint];
      put(at, joint.a.body, row.linear_a, row.angular_a, factor);
      put(at, joint.b.body, row.linear_b, row.angular_b, factor);
      e.gamma[at] += factor * row.gamma;
      value += factor * row.value;
      speed += factor * rate_of(row, jointed(y, joint.a.body), jointed(y, joint.b.body));
    }
    e.gamma[at] += 2.0 * a * speed + a * a * value;
  }
  for (const JointDrive& drive : drives_) {
    const ConstraintRow row = row_of(drive.on, y);
    const Joint& joint = joints_[drive.on.joint];
    const double speed = rate_of(row, jointed(y, joint.a.body), jointed(y, joint.b.body));
    double effort = drive.stiffness * (drive.rest - row.value) - drive.damping * speed;
    if (drive.effort) effort += drive.effort(time, row.value, speed);
    const auto push = [&](int body, const Vec3& linear, const Vec3& angular) {
      if (body == ground) return;
      e.force.segment<3>(6 * body) += effort * linear;
      e.force.segment<3>(6 * body + 3) += effort * angular;
    };
    push(joint.a.body, row.linear_a, row.angular_a);
    push(joint.b.body, row.linear_b, row.angular_b);
  }
  e.mass.resize(n, n);
  e.mass.setFromTriplets(mass.begin(), mass.end());
  e.jacobian.resize(m, n);
  e.jacobian.setFromTriplets(jacobian.begin(), jacobian.end());
  return e;
}

Mechanism::State Mechanism::derivative(double time, const State& y) const {
  const Eigen::VectorXd a = solver.solve(equations(time, y)).acceleration;
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
  std::vector<ConstraintRow> list;
  std::vector<std::pair<int, int>> bodies;
  const auto values = [&] {
    rows(state_, list, bodies);
    Eigen::VectorXd r(static_cast<Eigen::Index>(list.size() + couplings_.size()));
    for (std::size_t k = 0; k < list.size(); ++k) r[static_cast<Eigen::Index>(k)] = -list[k].value;
    for (std::size_t k = 0; k < couplings_.size(); ++k)
      r[static_cast<Eigen::Index>(list.size() + k)] = coupled_[k] - coordinate(couplings_[k].first) -
                                                      couplings_[k].ratio * coordinate(couplings_[k].second);
    return r;
  };
  bool is_met = false;
  double last = infinity;
  for (int k = 0; k < most_projections && !is_met; ++k) {
    const Eigen::VectorXd r = values();
    const double worst = r.size() > 0 ? r.lpNorm<Eigen::Infinity>() : 0.0;
    is_met = worst <= met || (worst < 1e3 * met && worst >= 0.5 * last);  // rounding stops it
    if (is_met) break;
    last = worst;
    const Eigen::VectorXd d = solver.least_change(equations(), r);
    for (Eigen::Index b = 0; b < count(); ++b) {
      state_.segment<3>(numbers * b) += d.segment<3>(6 * b);
      state_.segment<4>(numbers * b + 3) =
          (turn(d.segment<3>(6 * b + 3)) * quaternion(state_, numbers * b)).normalized().coeffs();
    }
  }
  const MotionEquations e = equations();
  if (e.gamma.size() == 0) return true;
  Eigen::VectorXd v(6 * count());
  for (Eigen::Index b = 0; b < count(); ++b) v.segment<6>(6 * b) = state_.segment<6>(numbers * b + places);
  v += solver.least_change(e, -(e.jacobian * v));
  for (Eigen::Index b = 0; b < count(); ++b) state_.segment<6>(numbers * b + places) = v.segment<6>(6 * b);
  return is_met;
}

ConstrainedMotion Mechanism::motion() const { return solver.solve(equations()); }

Wrench Mechanism::reaction(std::size_t joint) const {
  std::vector<ConstraintRow> list;
  std::vector<std::pair<int, int>> bodies;
  const ConstrainedMotion solved = motion();
  Wrench wrench;
  Eigen::Index at = 0;
  for (std::size_t k = 0; k <= joint; ++k) {
    list.clear();
    add_rows(joints_[k], body(joints_[k].a.body), body(joints_[k].b.body), list);
    for (const ConstraintRow& row : list) {
      if (k == joint) {
        wrench.force -= solved.multiplier[at] * row.linear_b;
        wrench.torque -= solved.multiplier[at] * row.angular_b;
      }
      ++at;
    }
  }
  return wrench;
}

std::vector<std::string> Mechanism::redundant() const {
  std::vector<ConstraintRow> list;
  std::vector<std::string> owner, names;
  for (const Joint& joint : joints_) {
    add_rows(joint, body(joint.a.body), body(joint.b.body), list);
    owner.resize(list.size(), joint.name);
  }
  for (const JointCoupling& c : couplings_) owner.push_back(c.name);
  for (const Eigen::Index row : MotionSolver(MotionSolver::Kind::dense).solve(equations()).redundant)
    if (const std::string& name = owner[static_cast<std::size_t>(row)]; names.empty() || names.back() != name)
      names.push_back(name);
  return names;
}

std::pair<double, double> Mechanism::joint_error() const {
  std::vector<ConstraintRow> list;
  std::vector<std::pair<int, int>> bodies;
  rows(state_, list, bodies);
  std::pair<double, double> worst{0.0, 0.0};
  const auto note = [&](double value, double rate) {
    worst.first = std::max(worst.first, std::abs(value));
    worst.second = std::max(worst.second, std::abs(rate));
  };
  for (std::size_t k = 0; k < list.size(); ++k)
    note(list[k].value, rate_of(list[k], body(bodies[k].first), body(bodies[k].second)));
  for (std::size_t k = 0; k < couplings_.size(); ++k)
    note(coordinate(couplings_[k].first) + couplings_[k].ratio * coordinate(couplings_[k].second) -
             coupled_[k],
         rate(couplings_[k].first) + couplings_[k].ratio * rate(couplings_[k].second));
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
  for (const JointDrive& drive : drives_)
    sum += 0.5 * drive.stiffness * std::pow(coordinate(drive.on) - drive.rest, 2);
  return sum;
}

}  // namespace scree
