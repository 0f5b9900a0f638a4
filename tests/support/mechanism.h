// A separate machine: rigid bodies, joints, actuators, gears, and its motion by formulas for smooth motion.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/modules/integration/runge_kutta.h"
#include "engine/modules/mechanisms/joints.h"
#include "engine/simulation/subsystems/forces.h"
#include "tests/support/accelerations.h"

namespace scree {

struct MechanismBody {
  double mass = 1.0;            // kg
  Vec3 inertia = Vec3::Ones();  // kg m^2, principal
  Pose pose;                    // of the centre of mass, principal axes
  Twist twist;                  // world axes
};

/// A force (N) or torque (N m) on a coordinate of a joint: stiffness (rest - q) - damping q' + effort(t, q,
/// q').
struct JointActuator {
  JointCoordinate on;
  double stiffness = 0.0, rest = 0.0, damping = 0.0;
  std::function<double(double time, double q, double rate)> effort = {};
};

/// first + ratio second is constant: for two angles a gear, for an angle and a travel a rack or, in one
/// cylindrical joint, a screw (m/rad).
struct JointCoupling {
  std::string name;
  JointCoordinate first, second;
  double ratio = 1.0;
};

/// Correction of constraint drift: restoring accelerations (Baumgarte 1972,
/// phi'' + 2 a phi' + a^2 phi = 0), and, after each step, projection onto positions and velocities that
/// fulfil the constraints, by the least change in the metric of the masses.
struct Stabilisation {
  double baumgarte_rate = 0.0;  // a, 1/s
  bool projects = true;
};

class Mechanism {
 public:
  using State = Eigen::VectorXd;  // [body] x y z, qx qy qz qw, v, w (world): 13 each

  Vec3 gravity{0.0, 0.0, -9.81};  // m/s^2
  Stabilisation stabilisation;
  MotionSolver solver;
  /// Forces on a body other than gravity, joints and actuators; empty: none.
  std::function<Wrench(double time, int body, const JointedBody& now)> applied = {};

  int add_body(const MechanismBody& body);
  std::size_t add_joint(const Joint& joint);  // a distance of length 0 keeps its initial value
  void add_actuator(const JointActuator& actuator);
  void add_coupling(const JointCoupling& coupling);

  double time() const { return time_; }
  JointedBody body(int k) const { return jointed(state_, k); }
  void set_twist(int body, const Twist& twist);
  double coordinate(const JointCoordinate& c) const;  // rad, with all full rotations; m
  double rate(const JointCoordinate& c) const;
  /// Kinetic, potential (zero at the origin) and elastic energy of actuators' springs, J.
  double energy() const;
  /// Largest |phi| and |phi'|, m or rad, m/s or rad/s.
  std::pair<double, double> joint_error() const;

  /// (D1) at this time, and its solution.
  MotionEquations equations() const { return equations(time_, state_, constraints(state_)); }
  ConstrainedMotion motion() const;
  /// The reaction of a joint on its body b, about b's centre of mass.
  Wrench reaction(std::size_t joint) const;
  /// Names of joints and couplings with redundant constraints.
  std::vector<std::string> redundant() const;

  /// Moves bodies by the least change such that all constraints hold, and changes velocities likewise; false
  /// if it takes more than 50 Newton steps.
  bool project();

  /// One step of h by a formula: explicit_euler, heun, classical, ... .
  template <std::size_t S>
  void step(const RungeKutta<S>& formula, double h) {
    const auto f = [&](double t, const State& y) { return derivative(t, y); };
    state_ = take_step(formula, f, time_, state_, h).end();
    time_ += h;
    finish_step();
  }

 private:
  /// A body's part in a rate: linear.v + angular.w.
  struct Term {
    int body;
    Vec3 linear, angular;
  };
  /// One row of (D1): of a joint, of a coupling (whose number follows those of joints), or of a coordinate.
  struct Constraint {
    std::size_t owner = 0;
    std::vector<Term> terms{};
    double value = 0.0, rate = 0.0, gamma = 0.0;
  };
  Constraint constraint(const Joint& joint, const ConstraintRow& row, const State& y) const;
  Constraint coordinate_at(const JointCoordinate& c, const State& y) const;
  std::vector<Constraint> constraints(const State& y) const;
  const std::string& owner_name(std::size_t owner) const;

  JointedBody jointed(const State& y, int body) const;
  MotionEquations equations(double time, const State& y, const std::vector<Constraint>& all) const;
  State derivative(double time, const State& y) const;
  void finish_step();
  Eigen::Index count() const { return static_cast<Eigen::Index>(mass_.size()); }

  double time_ = 0.0;
  State state_;
  std::vector<double> mass_;
  std::vector<Vec3> inertia_;
  std::vector<Joint> joints_;
  std::vector<double> angle_;  // [joint] last value, with all full rotations
  std::vector<JointActuator> actuators_;
  std::vector<JointCoupling> couplings_;
  std::vector<double> coupled_;  // [coupling] the constant
};

}  // namespace scree
