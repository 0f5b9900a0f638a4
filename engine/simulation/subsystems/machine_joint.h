// Joints of machines: they hold bodies, parts and the ground together, with motors and stops.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>

#include "engine/bodies/prescribed_motion.h"
#include "engine/core/actuator_model.h"
#include "engine/modules/mechanisms/joints.h"

namespace scree {

/// One side of a joint.
struct JointPartner {
  enum class Kind : std::uint8_t {
    ground,
    body,  // `index` is its id; a joint whose body does not exist does nothing
    part,  // a free part, or one that forces do not move
  };
  Kind kind = Kind::ground;
  std::int64_t index = 0;
  Pose frame;  // m: in the world; in the body's frame; for parts: at the start, in world axes,
               // from its centre
};

struct Observable;  // engine/simulation/observables.h

/// An input of an actuator from the scene, at the end of a step.
struct ActuatorInput {
  enum class Kind : std::uint8_t {
    coordinate,  // of joint `part`, predicted for the end of the step
    rate,        // likewise
    other        // value of the last step
  };
  std::string variable;  // in the actuator's equations
  Kind kind = Kind::other;
  const Observable* quantity = nullptr;
  std::int64_t part = 0;  // the part of the quantity
};

/// Equations that drive motors.
struct Actuator {
  std::string name;
  std::shared_ptr<const ActuatorModel> model;
  std::vector<ActuatorInput> inputs;
  std::vector<std::string> outputs;  // variables for motors, and other recorded ones
};

/// State of an actuator.
struct ActuatorState {
  std::vector<double> inputs, outputs;
  std::vector<double> memory;
};

/// The motor of a joint's coordinate.
struct JointMotor {
  enum class Kind : std::uint8_t {
    none,
    speed,     // m/s or rad/s
    position,  // m or rad
    force,     // N or N m
  };
  Kind kind = Kind::none;
  double value = 0.0;
  TimeLaw law{};                            // added to the value
  std::int32_t actuator = -1, output = -1;  // its output is added too; -1: none
  double most = infinity;                   // N or N m, limit of the motor
  double stiffness = 0.0, damping = 0.0;    // of `position`, N/m and N s/m or N m/rad and N m s; 0: rigid
  double at(double time_s) const { return value + law.at(time_s); }
};

/// Two joints whose coordinates are coupled by the force of teeth at the contact of their pitch circles, or
/// of circle and line; so bearings feel it. Both have the same side a, their carrier, which may rotate
/// (planetary gears).
struct JointTeeth {
  enum class Kind : std::uint8_t {
    none,
    gear,  // of revolute joints with parallel axes: ratio q1 + q2 = 0; below 0 an internal gear
    rack,  // of a revolute and a prismatic joint: ratio q1 - q2 = 0, m/rad
  };
  Kind kind = Kind::none;
  std::size_t first = 0, second = 0;  // joints before this one
  double ratio = 1.0;
};

/// Quantities of a coordinate are in N or N m, and m or rad.
struct MachineJoint {
  std::string name;
  JointKind kind = JointKind::revolute;
  JointTeeth couples{};  // if set, the joint has no partners of its own
  JointPartner a{}, b{};
  double length = 0.0;                        // m, of `distance` and `cylinder`
  std::shared_ptr<const JointCurve> curve{};  // of `point_on_curve`
  double lead = 0.0;                          // m/rad, of a cylindrical joint that is a screw
  JointCoordinate::Kind coordinate = JointCoordinate::Kind::angle;
  bool has_coordinate = false;
  double low = -infinity, high = infinity;  // stops without restitution
  double friction = 0.0;                    // force or moment that must be exceeded
  double friction_coefficient = 0.0;        // the same, over the bearing force of the last step
  double friction_radius = 1.0;             // m, of a bearing: lever of that moment; 1 for sliding
  double stiffness = 0.0, rest = 0.0, damping = 0.0;
  JointMotor motor{};

  /// Does it hold a body itself, not a part?
  bool holds_body() const {
    return a.kind == JointPartner::Kind::body || b.kind == JointPartner::Kind::body;
  }
};

/// State of a joint.
struct JointState {
  static constexpr int most_rows = 12;
  Eigen::Matrix<double, most_rows, 1> impulse = Eigen::Matrix<double, most_rows, 1>::Zero();  // [row], N s
  double coordinate = 0.0;  // with all full rotations
  double bearing = 0.0;     // N, in the last step
  double along = -1.0;      // m, of a point on a curve: its parameter; below 0: not yet known
  bool begun = false;
};

/// Loads of a joint in a step. Forces are those on b, N, N m, means of the step; `impulse` and
/// `angular_impulse` are those of constraints, world axes, about its point on b.
struct JointLoad {
  double coordinate = 0.0, rate = 0.0;  // after the step
  Vec3 impulse = Vec3::Zero(), angular_impulse = Vec3::Zero();
  double motor_impulse = 0.0, friction_impulse = 0.0, stop_impulse = 0.0, spring_impulse = 0.0;
  double motor_work = 0.0, friction_work = 0.0, stop_work = 0.0, spring_work = 0.0, hold_work = 0.0;  // J
  double error = 0.0;          // m or rad: largest deviation of constraints
  double misfit = 0.0;         // that, or what exceeds its stops: rad, or lengths over the body's size
  std::int32_t redundant = 0;  // number of its rows that follow from those of others
};

/// Free parts and joints after a step, J: the parts' energy gain is the work of bodies, motors,
/// springs, friction, stops and joints on them.
struct MachineReport {
  double kinetic = 0.0, potential = 0.0;  // of free parts
  double elastic = 0.0;                   // in springs of joints
  double contact_work = 0.0;              // of bodies on free parts, in this step, as all below
  double motor_work = 0.0, friction_work = 0.0, stop_work = 0.0, spring_work = 0.0, hold_work = 0.0;
  double force_work = 0.0;     // of gravity beyond the settings'
  double correction = 0.0;     // of overlaps
  double remainder = 0.0;      // remainder of the sum
  double work_on_parts = 0.0;  // of all kinds of joints
};

}  // namespace scree
