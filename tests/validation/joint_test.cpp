// Joints as rows of the contact problem: rods and chains, machines with and without grains.
#include <gtest/gtest.h>

#include "engine/simulation/overrides.h"
#include "tests/support/mechanism.h"
#include "tests/support/world.h"

namespace scree {
namespace {

using test::World;

double energy(const World& world) {
  return kinetic_energy(world.state.bodies) +
         potential_energy(world.state.bodies, world.model.settings.gravity);
}

constexpr BodyId ground = -1;

/// Points in bodies' frames, or in the world.
MachineJoint rod(BodyId a, BodyId b, const Vec3& point_a, const Vec3& point_b, double length) {
  const auto side = [](BodyId id, const Vec3& point) -> JointPartner {
    using Kind = JointPartner::Kind;
    return {id == ground ? Kind::ground : Kind::body, id, {point, Quat::Identity()}};
  };
  return {.name = "rod",
          .kind = JointKind::distance,
          .a = side(a, point_a),
          .b = side(b, point_b),
          .length = length};
}

double length_of(const World& world, const MachineJoint& rod) {
  const Bodies& b = world.state.bodies;
  const auto end = [&](const JointPartner& side) -> Vec3 {
    if (side.kind == JointPartner::Kind::ground) return side.frame.position;
    const auto i = static_cast<std::size_t>(side.index);  // no body has moved
    return b.position[i] + b.orientation[i] * side.frame.position;
  };
  return (end(rod.a) - end(rod.b)).norm();
}

// A small sphere on a rod of 1 m from 60 degrees: period by the elliptic integral, T = 4 K(sin 30 deg)
// sqrt(l/g) with K = 1.685750354812596 (Abramowitz, Stegun, table 17.2), energy and length over ten periods.
TEST(Rod, PendulumKeepsPeriodEnergyAndLength) {
  World world({}, 1e-3);
  const double start = 3.14159265358979 / 3.0;
  world.add_sphere(1e-3, Vec3(std::sin(start), 0, -std::cos(start)));
  world.model.joints.push_back(rod(0, ground, Vec3::Zero(), Vec3::Zero(), 1.0));
  const double period = 4.0 * 1.685750354812596 / std::sqrt(9.81),
               scale = world.state.bodies.mass[0] * 9.81 * 0.5;
  const double e0 = energy(world);
  double drift = 0.0, stretch = 0.0, remainder = 0.0, last_x = world.state.bodies.position[0][0],
         crossed = 0.0;
  int crossings = 0;
  world.run(10.2 * period, [&](const StepReport& r) {
    drift = std::max(drift, std::abs(energy(world) - e0));
    stretch = std::max(stretch, std::abs(length_of(world, world.model.joints[0]) - 1.0));
    remainder = std::max(remainder, std::abs(r.energy.remainder));
    EXPECT_LT(r.momentum_error_relative, 1e-12);
    const double x = world.state.bodies.position[0][0];
    if (last_x < 0.0 && x >= 0.0) {  // to the right
      ++crossings;
      crossed = r.time_s - 1e-3 * x / (x - last_x);
    }
    last_x = x;
  });
  // From the right end it first passes the middle to the right after 3/4 of a period.
  ASSERT_EQ(crossings, 10);
  EXPECT_NEAR(crossed, 9.75 * period, 2e-5 * 9.75 * period);
  EXPECT_LT(drift, 1e-4 * scale);
  EXPECT_LT(stretch, 2e-6);
  EXPECT_LT(remainder, 1e-12 * scale);
}

// A double pendulum of bodies with extent, held at their surfaces: energy and lengths are conserved, and no
// angular momentum about the axis is created.
TEST(Rod, HoldsBodiesAtTheirSurfaces) {
  World world({}, 5e-4);
  world.add(Vec3(0.05, 0.05, 0.1), {Vec3(0, 0, -0.3), Quat::Identity()}, {Vec3(0.5, 0.2, 0), Vec3::Zero()});
  world.add(Vec3(0.05, 0.05, 0.1), {Vec3(0, 0, -0.7), Quat::Identity()}, {Vec3::Zero(), Vec3(0, 1, 0)});
  world.model.joints = {rod(0, ground, Vec3(0, 0, 0.1), Vec3::Zero(), 0.2),
                        rod(0, 1, Vec3(0, 0, -0.1), Vec3(0, 0, 0.1), 0.2)};
  const double e0 = energy(world);
  const double scale = world.state.bodies.mass[0] * 9.81;
  double drift = 0.0, stretch = 0.0;
  world.run(3.0, [&](const StepReport& r) {
    EXPECT_EQ(r.active_contacts, 0);
    drift = std::max(drift, std::abs(energy(world) - e0));
    for (const MachineJoint& rod : world.model.joints)
      stretch = std::max(stretch, std::abs(length_of(world, rod) - rod.length));
  });
  EXPECT_LT(drift, 2e-3 * scale);
  EXPECT_LT(stretch, 5e-5);
}

// A chain of 50 spheres swings from the horizontal for 0.5 s, until its end cracks like a whip. At 1 ms its
// links keep their lengths to 1.2 %, and it gains 0.12 % of the released potential energy; at 0.25 ms the
// values are 0.06 % and 0.006 %: both decrease with the square of the step. The balances of momentum and
// energy close to rounding.
class Chain : public ::testing::TestWithParam<std::array<double, 3>> {
};  // step, s; bounds of stretch and gain

TEST_P(Chain, FiftyLinksKeepLengthAndEnergy) {
  const auto [step_s, most_stretch, most_gain] = GetParam();
  World world({}, step_s);
  world.model.settings.solver.tolerance = 1e-6;
  world.model.settings.solver.max_sweeps = 2000;
  const int links = 50;
  const double link = 0.02;
  for (int i = 0; i < links; ++i) {
    world.add_sphere(0.005, Vec3(link * (i + 1), 0, 0));
    world.model.joints.push_back(rod(i, i == 0 ? ground : i - 1, Vec3::Zero(), Vec3::Zero(), link));
  }
  const double e0 = energy(world), whole = links * world.state.bodies.mass[0] * 9.81 * (0.5 * links * link);
  double drift = 0.0, stretch = 0.0, remainder = 0.0, momentum = 0.0;
  world.run(0.5, [&](const StepReport& r) {
    drift = std::max(drift, std::abs(energy(world) - e0));
    remainder = std::max(remainder, std::abs(r.energy.remainder));
    momentum = std::max(momentum, r.momentum_error_relative);
    EXPECT_EQ(r.status, SolveStatus::converged);
    for (const MachineJoint& rod : world.model.joints)
      stretch = std::max(stretch, std::abs(length_of(world, rod) - link) / link);
  });
  EXPECT_LT(drift, most_gain * whole);
  EXPECT_LT(stretch, most_stretch);
  EXPECT_LT(remainder, 1e-12 * whole);
  EXPECT_LT(momentum, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Rod, Chain,
                         ::testing::Values(std::array{1e-3, 1.2e-2, 1.2e-3}, std::array{2.5e-4, 1e-3, 1e-4}));

TEST(Rod, HangingChainCarriesItsWeight) {
  World world({}, 1e-3);
  const int links = 50;
  for (int i = 0; i < links; ++i) {
    world.add_sphere(0.005, Vec3(0, 0, -0.02 * (i + 1)));
    world.model.joints.push_back(rod(i, i == 0 ? ground : i - 1, Vec3::Zero(), Vec3::Zero(), 0.02));
  }
  world.model.settings.solver.tolerance = 1e-8;
  world.model.settings.solver.max_sweeps = 5000;
  world.run(0.05);
  const double weight = world.state.bodies.mass[0] * 9.81;
  for (int i = 0; i < links; ++i)  // rods pull: negative
    EXPECT_NEAR(world.state.joints[i].impulse[0] / 1e-3, -(links - i) * weight, 1e-4 * weight * links);
  EXPECT_NEAR(world.state.bodies.position[links - 1][2], -0.02 * links, 1e-7);
}

// A swinging chain with a load a thousand or ten thousand times as heavy as a link: joints are exact, and so
// is the residual, which rounding of impulses to single precision would have put above the goal.
TEST(Rod, ChainsHoldMuchHeavierLoads) {
  for (const double ratio : {1e3, 1e4}) {
    World world({}, 1e-3);
    world.model.settings.solver = {};
    const int links = 20;
    for (int i = 0; i < links; ++i) {
      world.add_sphere(0.005, Vec3(0.02 * (i + 1), 0, 0));
      world.model.joints.push_back(rod(i, i == 0 ? ground : i - 1, Vec3::Zero(), Vec3::Zero(), 0.02));
    }
    world.state.bodies.mass[links - 1] *= ratio;
    world.state.bodies.inertia[links - 1] *= ratio;
    std::int64_t missed = 0;
    int sweeps = 0;
    world.run(0.2, [&](const StepReport& r) {
      missed += r.status == SolveStatus::converged ? 0 : 1;
      sweeps = std::max(sweeps, r.sweeps);
    });
    EXPECT_EQ(missed, 0) << ratio;
    EXPECT_LE(sweeps, 100) << ratio;
  }
}

// Rods refer to ids: sorting of bodies has no effect on them.
TEST(Rod, FollowsItsBodiesWhenTheyAreSorted) {
  const auto run = [](int sort_interval) {
    World world({}, 1e-3);
    world.model.settings.sort_interval = sort_interval;
    for (int i = 0; i < 6; ++i) {
      world.add_sphere(i % 2 == 0 ? 0.005 : 0.009, Vec3(0.05 * (i + 1), 0, 0));
      world.model.joints.push_back(rod(i, i == 0 ? ground : i - 1, Vec3::Zero(), Vec3::Zero(), 0.05));
    }
    world.run(0.3);
    Vec3 end;
    for (std::size_t k = 0; k < 6; ++k)
      if (world.state.bodies.id[k] == 5) end = world.state.bodies.position[k];
    return end;
  };
  EXPECT_LT((run(7) - run(0)).norm(), 1e-5);
}

/// A free part of mass 2 kg with this centre.
Part part(const std::string& name, const Vec3& centre, const Twist& twist = {}) {
  Part part;
  part.name = name;
  part.freedom = Freedom::all;
  part.centre = centre;
  part.inertia = 2.0;
  part.moments = Vec3(0.02, 0.03, 0.04);
  part.axes = Quat(Eigen::AngleAxisd(0.4, Vec3(1, 2, -1).normalized()));
  part.start_twist = twist;
  return part;
}

const Quat along_y(Eigen::AngleAxisd(-1.5707963267948966, Vec3::UnitX()));  // z of the joint is y

JointPartner on_ground(const Vec3& point, const Quat& axes) {
  return {JointPartner::Kind::ground, 0, {point, axes}};
}
JointPartner on_part(const World& world, std::size_t part, const Vec3& point, const Quat& axes) {
  return {JointPartner::Kind::part,
          static_cast<std::int64_t>(part),
          {point - world.model.parts[part].centre, axes}};
}

/// A joint between the ground and a part.
MachineJoint joint_at(const World& world, JointKind kind, std::size_t part, const Vec3& point,
                      const Quat& axes) {
  MachineJoint joint;
  joint.name = "joint";
  joint.kind = kind;
  joint.a = on_ground(point, axes);
  joint.b = on_part(world, part, point, axes);
  joint.has_coordinate = kind == JointKind::revolute || kind == JointKind::prismatic;
  joint.coordinate =
      kind == JointKind::prismatic ? JointCoordinate::Kind::travel : JointCoordinate::Kind::angle;
  return joint;
}

double machine_remainder(const World& world) { return std::abs(world.result.machine.remainder); }

// Two parts, one on a hinge, the other on it by a joint of every kind, under gravity, against accelerations
// and multipliers with a formula of fourth order (tests/support/mechanism.h), which is independent of rows
// and impulses. Half the step leaves a quarter of the difference: both are right, to second order. The sum of
// works closes.
class EveryJoint : public ::testing::TestWithParam<JointKind> {};

TEST_P(EveryJoint, MatchesTheAccelerationSolution) {
  const JointKind kind = GetParam();
  const Vec3 hinge(0, 0, 0), at(0.4, 0.05, 0.1), centre_a(0.2, 0.02, 0), centre_b(0.7, 0.1, 0.2);
  const Quat axes = Quat(Eigen::AngleAxisd(0.7, Vec3(1, -1, 2).normalized())),
             axes_b = kind == JointKind::universal
                          ? Quat(axes * Quat(Eigen::AngleAxisd(1.5707963267948966, Vec3::UnitX())))
                          : axes;
  const Vec3 at_b = kind == JointKind::distance ? Vec3(at + Vec3(0.1, 0.2, 0.1)) : at;
  const double until = 0.2;

  Mechanism exact;
  const Part shape = part("", {});
  const Quat back = shape.axes.conjugate();
  const auto add = [&](const Vec3& centre, const Twist& twist) {
    return exact.add_body({shape.inertia, shape.moments, {centre, shape.axes}, twist});
  };
  const int a = add(centre_a, {Vec3(0, 0, 0.4), Vec3(0, -2, 0)}),
            b = add(centre_b, {Vec3(0.3, -0.5, 1), Vec3(3, -2, 1)});
  const auto end = [&](int body, const Vec3& centre, const Vec3& point, const Quat& of) -> JointEnd {
    return {body, {back * (point - centre), back * of}};
  };
  exact.add_joint(
      {"hinge", JointKind::revolute, {JointEnd::ground, {hinge, along_y}}, end(a, centre_a, hinge, along_y)});
  exact.add_joint(
      {"joint", kind, end(a, centre_a, at, axes), end(b, centre_b, at_b, axes_b), (at - at_b).norm()});
  ASSERT_TRUE(exact.project());
  const Twist twist_a = exact.body(a).twist, twist_b = exact.body(b).twist;
  for (int k = 0; k < 2000; ++k) exact.step(classical, until / 2000);

  const auto miss = [&](double step_s) {
    World world({}, step_s);
    world.model.parts = {part("a", centre_a, twist_a), part("b", centre_b, twist_b)};
    MachineJoint first = joint_at(world, JointKind::revolute, 0, hinge, along_y), second;
    second.name = "second";
    second.kind = kind;
    second.a = on_part(world, 0, at, axes);
    second.b = on_part(world, 1, at_b, axes_b);
    second.length = (at - at_b).norm();
    world.model.joints = {first, second};
    double remainder = 0.0, error = 0.0;
    world.run(until, [&](const StepReport& r) {
      remainder = std::max(remainder, machine_remainder(world));
      error = std::max(error, world.result.joints[1].error);
      EXPECT_EQ(r.status, SolveStatus::converged);
    });
    EXPECT_LT(remainder, 1e-12);
    EXPECT_LT(error, 200.0 * step_s * step_s);
    const JointedBody now = exact.body(b);
    const Pose& pose = world.state.parts[1].pose;
    return (pose.position - now.pose.position).norm() +
           0.1 * (pose.orientation * shape.axes).angularDistance(now.pose.orientation);
  };
  const double coarse = miss(1e-3), fine = miss(5e-4);
  EXPECT_LT(coarse, 2e-4);
  EXPECT_LT(fine, 0.3 * coarse + 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Joint, EveryJoint,
                         ::testing::Values(JointKind::fixed, JointKind::revolute, JointKind::prismatic,
                                           JointKind::cylindrical, JointKind::spherical, JointKind::universal,
                                           JointKind::planar, JointKind::distance, JointKind::point_on_plane,
                                           JointKind::point_on_line),
                         [](const auto& of) { return std::string(to_string(of.param)); });

// A motor of 3 N m gives 0.04 kg m^2 an acceleration of 75 rad/s^2 until its speed of 20 rad/s after 4/15 s,
// and then no torque.
TEST(JointMotorTest, SpeedMotorAcceleratesWithItsMaximumTorque) {
  World world({}, 1e-3);
  world.model.settings.gravity.setZero();
  world.model.parts = {part("rotor", Vec3::Zero())};
  world.model.parts[0].axes = Quat::Identity();
  MachineJoint joint = joint_at(world, JointKind::revolute, 0, Vec3::Zero(), Quat::Identity());
  joint.motor.kind = JointMotor::Kind::speed;
  joint.motor.value = 20.0;
  joint.motor.most = 3.0;
  world.model.joints = {joint};
  double work = 0.0;
  world.run(0.2, [&](const StepReport& r) {
    const JointLoad& load = world.result.joints[0];
    work += load.motor_work;
    EXPECT_NEAR(load.rate, 3.0 / 0.04 * r.time_s, 1e-9);
    EXPECT_NEAR(load.motor_impulse / 1e-3, 3.0, 1e-9);
  });
  EXPECT_NEAR(work, 0.5 * 0.04 * 15.0 * 15.0, 1e-9);  // it reaches 15 of the 20 rad/s after 0.2 s
  EXPECT_NEAR(world.result.joints[0].coordinate, 0.5 * 75.0 * 0.04, 2e-5);
  world.run(0.3);
  EXPECT_NEAR(world.result.joints[0].rate, 20.0, 1e-9);
  EXPECT_NEAR(world.result.joints[0].motor_impulse, 0.0, 1e-12);
}

// A position motor follows a cosine of 0.3 rad without tuning of a gain. With a stiffness and damping it
// moves as a spring and damper, and comes to rest at its target.
TEST(JointMotorTest, PositionMotorFollowsItsTarget) {
  World world({}, 1e-3);
  world.model.parts = {part("arm", Vec3(0.5, 0, 0))};
  MachineJoint joint = joint_at(world, JointKind::revolute, 0, Vec3::Zero(), along_y);
  joint.motor.kind = JointMotor::Kind::position;
  joint.motor.law.function = [](double t) { return 0.3 * (1.0 - std::cos(6.0 * t)); };
  world.model.joints = {joint};
  double miss = 0.0;
  world.run(1.0, [&](const StepReport& r) {
    miss = std::max(miss, std::abs(world.result.joints[0].coordinate - joint.motor.at(r.time_s)));
  });
  EXPECT_LT(miss, 1e-5);

  World soft({}, 1e-3);
  soft.model.settings.gravity.setZero();
  soft.model.parts = world.model.parts;
  joint.motor.law.function = nullptr;
  joint.motor.value = 0.5;
  joint.motor.stiffness = 40.0;
  joint.motor.damping = 3.0;
  soft.model.joints = {joint};
  const Mat3 inertia =
      inverse_inertia_of(soft.model.parts[0], {.pose = {Vec3(0.5, 0, 0), Quat::Identity()}}).inverse();
  // About the hinge; the axis is not principal, but the hinge prevents the other rotations.
  const double about = inertia(1, 1) + 2.0 * 0.25, decay = 3.0 / (2.0 * about),
               rate = std::sqrt(40.0 / about - decay * decay);
  double worst = 0.0;
  soft.run(1.0, [&](const StepReport& r) {
    const double t = r.time_s,
                 expected = 0.5 * (1.0 - std::exp(-decay * t) *
                                             (std::cos(rate * t) + decay / rate * std::sin(rate * t)));
    worst = std::max(worst, std::abs(soft.result.joints[0].coordinate - expected));
  });
  EXPECT_LT(worst, 2e-3);  // of first order: dampers use the speed at the end of the step
}

// A slide with 5 N of friction: pushed with 4.99 N it does not move, to the last digit; with 5.5 N it
// accelerates by 0.25 m/s^2.
TEST(JointFrictionTest, IsASharpThreshold) {
  for (const double push : {4.99, 5.5}) {
    World world({}, 1e-3);
    world.model.settings.gravity = Vec3(0, 0, push / 2.0);
    world.model.parts = {part("slide", Vec3(0.1, 0.2, 0.3))};
    MachineJoint joint = joint_at(world, JointKind::prismatic, 0, Vec3::Zero(), Quat::Identity());
    joint.friction = 5.0;
    world.model.joints = {joint};
    world.run(0.5);
    const double gone = world.state.parts[0].pose.position[2] - 0.3;
    if (push < 5.0)
      EXPECT_EQ(std::abs(gone) < 1e-15, true) << gone;
    else
      EXPECT_NEAR(gone, 0.5 * 0.25 * 0.25, 1e-9);
    EXPECT_LE(world.result.machine.friction_work, 0.0);
    EXPECT_LT(machine_remainder(world), 1e-14);
  }
}

// The friction of a bearing is proportional to its load: a wheel of 2 kg at 30 rad/s on a journal of 1 cm, mu
// = 0.1, slows down by mu m g r / I.
TEST(JointFrictionTest, IsProportionalToTheBearingLoad) {
  World world({}, 1e-3);
  world.model.parts = {part("wheel", Vec3::Zero(), {Vec3::Zero(), Vec3(0, 30, 0)})};
  world.model.parts[0].axes = Quat::Identity();
  MachineJoint joint = joint_at(world, JointKind::revolute, 0, Vec3::Zero(), along_y);
  joint.friction_coefficient = 0.1;
  joint.friction_radius = 0.01;
  world.model.joints = {joint};
  world.run(0.5);
  const double slows = 0.1 * 2.0 * 9.81 * 0.01 / 0.03;
  EXPECT_NEAR(world.result.joints[0].rate, 30.0 - slows * 0.499, 1e-6);  // not in the first step
}

// A weight on a slide falls 5 cm onto a stop and remains there; the stop carries its weight and absorbs its
// energy.
TEST(JointStop, CarriesTheWeightOnTheStop) {
  World world({}, 1e-3);
  world.model.parts = {part("weight", Vec3::Zero())};
  MachineJoint joint = joint_at(world, JointKind::prismatic, 0, Vec3::Zero(), Quat::Identity());
  joint.low = -0.05;
  world.model.joints = {joint};
  double stop = 0.0;
  world.run(0.4, [&](const StepReport&) { stop += world.result.joints[0].stop_work; });
  EXPECT_NEAR(world.state.parts[0].pose.position[2], -0.05, 1e-9);
  EXPECT_NEAR(world.result.joints[0].stop_impulse / 1e-3, 2.0 * 9.81, 1e-6);
  EXPECT_NEAR(stop, -2.0 * 9.81 * 0.05, 1e-6);
}

// A screw with a lead of 1 cm under 2 kg, with a torque of 0.2 N m: (I (2 pi / L)^2 + m) z'' = 2 pi T / L - m
// g.
TEST(Screw, TurnsTorqueIntoTravel) {
  World world({}, 1e-3);
  world.model.parts = {part("nut", Vec3::Zero())};
  world.model.parts[0].axes = Quat::Identity();
  MachineJoint joint = joint_at(world, JointKind::cylindrical, 0, Vec3::Zero(), Quat::Identity());
  joint.has_coordinate = true;
  joint.lead = 0.01 / (2.0 * 3.14159265358979323846);
  joint.motor.kind = JointMotor::Kind::force;
  joint.motor.value = 0.2;
  world.model.joints = {joint};
  world.run(0.5);
  const double k = 1.0 / joint.lead, a = (0.2 * k - 2.0 * 9.81) / (0.04 * k * k + 2.0);
  EXPECT_NEAR(world.state.parts[0].pose.position[2], 0.5 * a * 0.25, 1e-8);
  EXPECT_NEAR(world.result.joints[0].coordinate, 0.5 * a * 0.25 * k, 1e-6);
}

/// A bead on a wire.
World bead_on(const std::function<Vec3(double)>& wire, double from, double to, int pieces, double step_s) {
  World world({}, step_s);
  std::vector<Vec3> points;
  for (int k = 0; k <= pieces; ++k) points.push_back(wire(from + (to - from) * k / pieces));
  const Vec3 start = points.front();
  for (Vec3& point : points) point -= start;
  world.add_sphere(1e-3, start);
  MachineJoint joint;
  joint.name = "wire";
  joint.kind = JointKind::point_on_curve;
  joint.curve = std::make_shared<const JointCurve>(std::move(points));
  joint.a = on_ground(start, Quat::Identity());
  joint.b = {JointPartner::Kind::body, 0, {}};
  world.model.joints = {joint};
  return world;
}

// A bead slides down a helix of pitch angle atan(1/2) with g sin^2 of it downwards; its distance from the
// wire is only the error of steps and spline.
TEST(PointOnCurve, SlidesDownAHelix) {
  const double r = 0.5, drop = 0.25;
  World world =
      bead_on([&](double t) { return Vec3(r * std::cos(t), r * std::sin(t), -drop * t); }, 0, 12, 400, 1e-3);
  double error = 0.0;
  world.run(1.0, [&](const StepReport& s) {
    error = std::max(error, world.result.joints[0].error);
    EXPECT_LT(std::abs(s.energy.remainder), 1e-15);
  });
  const double sine = drop / std::hypot(r, drop), fallen = 0.5 * 9.81 * sine * sine;
  EXPECT_NEAR(world.state.bodies.position[0][2], -fallen, 2e-4);
  EXPECT_LT(error, 1e-5);
}

// On a closed upright circle a bead is a pendulum: from the height of the centre it swings with the period 4
// K(sin 45 deg) sqrt(r/g), K = 1.854074677301372 (Abramowitz, Stegun, table 17.1).
TEST(PointOnCurve, SwingsInACircle) {
  World world = bead_on([](double t) { return Vec3(0.3 * std::cos(t), 0, 0.3 * std::sin(t)); }, 0,
                        2.0 * 3.14159265358979323846, 200, 5e-4);
  const double period = 4.0 * 1.854074677301372 * std::sqrt(0.3 / 9.81);
  double low = 0.0, last = 0.3, crossed = 0.0;
  world.run(1.1 * period, [&](const StepReport& s) {
    const Vec3& x = world.state.bodies.position[0];
    if (last < 0.0 && x[0] >= 0.0) crossed = s.time_s - 5e-4 * x[0] / (x[0] - last);
    last = x[0];
    low = std::min(low, x[2]);
  });
  EXPECT_NEAR(crossed, 0.75 * period, 1e-4 * period);
  EXPECT_NEAR(low, -0.3, 1e-5);
}

// Where a wire crosses itself, the bead stays on its branch.
TEST(PointOnCurve, KeepsToItsBranch) {
  World world = bead_on([](double t) { return Vec3(std::cos(t), 0.5 * std::sin(2.0 * t), 0); }, 0,
                        2.0 * 3.14159265358979323846, 400, 1e-3);
  world.model.settings.gravity.setZero();
  world.state.bodies.linear_velocity[0] = Vec3(0, 1, 0);
  const double energy = kinetic_energy(world.state.bodies);
  bool past = false;
  world.run(2.0, [&](const StepReport&) {
    EXPECT_NEAR(kinetic_energy(world.state.bodies), energy, 1e-3 * energy);
    const Vec3& x = world.state.bodies.position[0];
    if (x[0] < -0.2) past = past || x[1] < -0.05;
  });
  EXPECT_TRUE(past);  // from above on the right to below on the left
}

// The coordinate and the rate of a joint without a motor: a pendulum's angle and its derivative.
TEST(JointCoordinates, MatchTheMotionOfFreeJoints) {
  World world({}, 1e-3);
  world.model.parts = {part("arm", Vec3(0.5, 0, 0))};
  world.model.joints = {joint_at(world, JointKind::revolute, 0, Vec3::Zero(), along_y)};
  double last = 0.0, last_rate = 0.0;
  world.run(0.5, [&](const StepReport&) {
    const JointLoad& load = world.result.joints[0];
    const Vec3& c = world.state.parts[0].pose.position;
    EXPECT_NEAR(load.coordinate, std::atan2(-c[2], c[0]), 1e-5);
    EXPECT_NEAR(load.coordinate - last, 0.5e-3 * (load.rate + last_rate), 1e-6);
    last = load.coordinate;
    last_rate = load.rate;
  });
  EXPECT_GT(last, 0.5);
}

// Locked parts still have coordinates, and their gears hold others.
TEST(JointCoordinates, StayWhileMountsAreLocked) {
  World world({}, 1e-3);
  world.model.settings.gravity.setZero();
  world.model.parts = {part("one", Vec3::Zero(), {Vec3::Zero(), Vec3(0, 0, 1)}),
                       part("two", Vec3(0.5, 0, 0), {Vec3::Zero(), Vec3(0, 0, -1)})};
  for (Part& part : world.model.parts) part.axes = Quat::Identity();
  MachineJoint first = joint_at(world, JointKind::revolute, 0, Vec3::Zero(), Quat::Identity()),
               second = joint_at(world, JointKind::revolute, 1, Vec3(0.5, 0, 0), Quat::Identity()), gear;
  gear.kind = JointKind::cylinder;
  gear.couples = {JointTeeth::Kind::gear, 0, 1, 1.0};
  world.model.joints = {first, second, gear};
  world.run(0.2);
  EXPECT_NEAR(world.result.joints[1].coordinate, -0.2, 1e-8);  // (M1) has an error of (w h)^3/12 per step
  lock_part(world.model, 0, world.state);
  world.run(0.4);
  EXPECT_NEAR(world.result.joints[0].coordinate, 0.2, 1e-8);
  EXPECT_NEAR(world.result.joints[1].coordinate, -0.2, 1e-3);
  EXPECT_NEAR(world.result.joints[1].rate, 0.0, 1e-9);
}

// A motor without a limit turns one wheel, whose gear turns another at twice its rate against a brake or
// friction of 0.5 N m: the motor needs 1 N m, although nothing can change the brake's rate.
TEST(Gears, CarryTheFrictionOfWhatTheyDrive) {
  for (const bool brake : {false, true}) {
    World world({}, 1e-3);
    world.model.settings.gravity.setZero();
    world.model.parts = {part("one", Vec3::Zero()), part("two", Vec3(0.5, 0, 0))};
    for (Part& part : world.model.parts) part.axes = Quat::Identity();
    MachineJoint first = joint_at(world, JointKind::revolute, 0, Vec3::Zero(), Quat::Identity()),
                 second = joint_at(world, JointKind::revolute, 1, Vec3(0.5, 0, 0), Quat::Identity()), gear;
    first.motor.kind = JointMotor::Kind::speed;
    first.motor.value = 3.0;
    if (brake) {
      second.motor.kind = JointMotor::Kind::speed;
      second.motor.most = 0.5;
    } else {
      second.friction = 0.5;
    }
    gear.kind = JointKind::cylinder;
    gear.couples = {JointTeeth::Kind::gear, 0, 1, 2.0};
    world.model.joints = {first, second, gear};
    world.run(0.1);
    double work = 0.0, lost = 0.0;
    world.run(0.2, [&](const StepReport&) {
      const JointLoad& motor = world.result.joints[0];
      EXPECT_NEAR(std::abs(motor.rate), 3.0, 1e-6);
      EXPECT_NEAR(std::abs(world.result.joints[1].rate), 6.0, 1e-4);
      EXPECT_NEAR(std::abs(motor.motor_impulse) / 1e-3, 1.0, 1e-6) << brake;
      work += motor.motor_work;
      lost += brake ? world.result.joints[1].motor_work : world.result.machine.friction_work;
    });
    EXPECT_NEAR(work, 0.3, 1e-6);
    EXPECT_NEAR(lost, -0.3, 1e-6);
  }
}

// A planet on a carrier that rotates at 1 rad/s, in mesh with a sun that rotates in a bearing on the carrier:
// without friction the speeds of both relative to the carrier are constant.
TEST(Gears, KeepRatesOnARotatingCarrier) {
  World world({}, 1e-3);
  world.model.settings.gravity.setZero();
  const Vec3 spin(0, 0, 1);
  world.model.parts = {part("carrier", Vec3::Zero(), {Vec3::Zero(), spin}),
                       part("sun", Vec3::Zero(), {Vec3::Zero(), Vec3(0, 0, 1.5)}),
                       part("planet", Vec3(0.3, 0, 0), {Vec3(0, 0.3, 0), Vec3::Zero()})};
  for (Part& part : world.model.parts) part.axes = Quat::Identity();
  MachineJoint axle = joint_at(world, JointKind::revolute, 0, Vec3::Zero(), Quat::Identity());
  axle.motor.kind = JointMotor::Kind::speed;
  axle.motor.value = 1.0;
  MachineJoint sun = joint_at(world, JointKind::revolute, 1, Vec3::Zero(), Quat::Identity()),
               planet = joint_at(world, JointKind::revolute, 2, Vec3(0.3, 0, 0), Quat::Identity()), gear;
  sun.a = on_part(world, 0, Vec3::Zero(), Quat::Identity());
  planet.a = on_part(world, 0, Vec3(0.3, 0, 0), Quat::Identity());
  gear.kind = JointKind::cylinder;
  gear.couples = {JointTeeth::Kind::gear, 1, 2, 2.0};  // 0.5 and -1 relative to the carrier
  world.model.joints = {axle, sun, planet, gear};
  world.run(1.0, [&](const StepReport&) {
    EXPECT_NEAR(world.result.joints[1].rate, 0.5, 1e-4);
    EXPECT_NEAR(world.result.joints[2].rate, -1.0, 1e-4);
    EXPECT_LT(machine_remainder(world), 1e-13);
  });
}

// A part fixed to a moving wall moves with it, also in substeps.
TEST(JointsToParts, FollowPrescribedMotion) {
  for (const int substeps : {1, 4}) {
    World world({}, 1e-3);
    world.model.settings.substeps = substeps;
    world.model.parts = {part("rider", Vec3(0, 0, 0.1))};
    world.model.boundaries = {
        {.name = "wall", .material = world.material, .surface = Plane{Vec3::Zero(), Vec3::UnitX()}}};
    test::give_motion(world.model, 0, steady_motion({Vec3(1, 0, 0), Vec3::Zero()}, Vec3::Zero()));
    MachineJoint joint;
    joint.kind = JointKind::fixed;
    joint.a = {JointPartner::Kind::part, 1, {Vec3(0, 0, 0.1), Quat::Identity()}};
    joint.b = on_part(world, 0, Vec3(0, 0, 0.1), Quat::Identity());
    world.model.joints = {joint};
    world.run(0.1);
    EXPECT_NEAR(world.state.parts[0].twist.linear[0], 1.0, 1e-9) << substeps;
    EXPECT_NEAR(world.state.parts[0].pose.position[0], 0.1, 1e-9) << substeps;
  }
}

// A motor that acts against an immovable object applies its force, and the joint carries it; a brake next to
// a position motor takes its share of the motor's force.
TEST(JointMotorTest, AppliesForceAgainstBlockedJointAndBrake) {
  World world({}, 1e-3);
  world.model.parts = {part("wheel", Vec3::Zero())};
  MachineJoint joint = joint_at(world, JointKind::revolute, 0, Vec3::Zero(), along_y), weld = joint;
  weld.kind = JointKind::fixed;
  weld.has_coordinate = false;
  joint.motor.kind = JointMotor::Kind::force;
  joint.motor.value = 5.0;
  world.model.joints = {weld, joint};
  world.run(0.05, [&](const StepReport& r) { EXPECT_EQ(r.status, SolveStatus::converged); });
  EXPECT_NEAR(world.result.joints[1].motor_impulse, 5e-3, 1e-12);

  World braked({}, 1e-3);
  braked.model.settings.gravity.setZero();
  braked.model.parts = world.model.parts;
  braked.model.parts[0].axes = Quat::Identity();
  joint.motor.kind = JointMotor::Kind::speed;
  joint.motor.value = -10.0;
  joint.friction = 1.0;
  braked.model.joints = {joint};
  braked.run(0.05);
  EXPECT_NEAR(braked.result.joints[0].motor_impulse, -1e-3, 1e-9);
  EXPECT_NEAR(braked.result.joints[0].friction_work, -10.0 * 1e-3, 1e-8);
}

// Two wheels in mesh, 2 : 3, and a rack on the second: the first wheel's motor moves all three as one mass.
TEST(Gears, TurnTogether) {
  World world({}, 1e-3);
  world.model.settings.gravity.setZero();
  world.model.parts = {part("one", Vec3::Zero()), part("two", Vec3(0.5, 0, 0)),
                       part("rack", Vec3(0.9, 0, 0))};
  for (Part& part : world.model.parts) part.axes = Quat::Identity();
  const Quat up = Quat::Identity(), along_x(Eigen::AngleAxisd(1.5707963267948966, Vec3::UnitY()));
  MachineJoint first = joint_at(world, JointKind::revolute, 0, Vec3::Zero(), up),
               second = joint_at(world, JointKind::revolute, 1, Vec3(0.5, 0, 0), up),
               third = joint_at(world, JointKind::prismatic, 2, Vec3(0.9, 0, 0), along_x), gear, rack;
  first.motor.kind = JointMotor::Kind::force;
  first.motor.value = 0.7;
  gear.kind = rack.kind = JointKind::cylinder;
  gear.couples = {JointTeeth::Kind::gear, 0, 1, 2.0 / 3.0};
  rack.couples = {JointTeeth::Kind::rack, 1, 2, 0.3};
  world.model.joints = {first, second, third, gear, rack};
  world.run(0.5, [&](const StepReport&) { EXPECT_LT(machine_remainder(world), 1e-13); });
  const double r = 2.0 / 3.0, inertia = 0.04 + r * r * (0.04 + 2.0 * 0.09),
               angle = 0.5 * 0.7 / inertia * 0.25;
  const auto q = [&](std::size_t k) { return world.result.joints[k].coordinate; };
  EXPECT_NEAR(q(0), angle, 1e-4 * angle);
  EXPECT_NEAR(world.state.parts[2].pose.position[0], 0.9 - 0.3 * r * angle, 1e-4);
  // Teeth: their force moves the other parts.
  const double force = (0.7 - 0.04 * 0.7 / inertia) / 0.2;
  EXPECT_NEAR(world.result.joints[3].impulse.norm() / 1e-3, force, 1e-3 * force);
  EXPECT_LT(world.result.joints[3].error, 1e-9);
}

// A spring of any stiffness holds: k = 1e3 and 1e9 N/m under 2 kg stretch by m g / k, without growing
// oscillations.
TEST(JointSpring, StaticDeflectionIsCorrectForAnyStiffness) {
  for (const double k : {1e3, 1e9}) {
    World world({}, 1e-3);
    world.model.parts = {part("weight", Vec3::Zero())};
    MachineJoint joint = joint_at(world, JointKind::prismatic, 0, Vec3::Zero(), Quat::Identity());
    joint.stiffness = k;
    joint.damping = 50.0;
    world.model.joints = {joint};
    world.run(2.0);
    EXPECT_NEAR(world.state.parts[0].pose.position[2], -2.0 * 9.81 / k, 1e-4 * 2.0 * 9.81 / k + 1e-12);
  }
}

// Undamped, a soft spring swings with its period and keeps its energy, elastic and kinetic, to 1e-4 of it.
TEST(JointSpring, SwingsWithItsPeriod) {
  World world({}, 1e-3);
  world.model.parts = {part("weight", Vec3::Zero(), {Vec3(0, 0, 1), Vec3::Zero()})};
  world.model.settings.gravity.setZero();
  MachineJoint joint = joint_at(world, JointKind::prismatic, 0, Vec3::Zero(), Quat::Identity());
  joint.stiffness = 200.0;
  world.model.joints = {joint};
  double worst = 0.0, drift = 0.0;
  world.run(2.0, [&](const StepReport& r) {
    worst =
        std::max(worst, std::abs(world.state.parts[0].pose.position[2] - 0.1 * std::sin(10.0 * r.time_s)));
    drift = std::max(drift, std::abs(world.result.machine.kinetic + world.result.machine.elastic - 1.0));
  });
  EXPECT_LT(worst, 2e-4);
  EXPECT_LT(drift, 1e-4);
}

// A spatial parallelogram of four hinges has three redundant rows: they are found and left out, and the
// mechanism moves with its one freedom: as a pendulum of 0.3 m whose couplers stay level.
TEST(RedundantJoints, AreDetectedAndLeftOut) {
  World world({}, 1e-3);
  world.model.parts = {part("left", Vec3(0, 0, -0.15)), part("right", Vec3(0.4, 0, -0.15)),
                       part("coupler", Vec3(0.2, 0, -0.3))};
  const auto between = [&](std::size_t a, std::size_t b, const Vec3& at) {
    MachineJoint joint = joint_at(world, JointKind::revolute, b, at, along_y);
    joint.a = on_part(world, a, at, along_y);
    return joint;
  };
  world.model.joints = {joint_at(world, JointKind::revolute, 0, Vec3::Zero(), along_y),
                        joint_at(world, JointKind::revolute, 1, Vec3(0.4, 0, 0), along_y),
                        between(0, 2, Vec3(0, 0, -0.3)), between(1, 2, Vec3(0.4, 0, -0.3))};
  world.model.settings.gravity = Vec3(3.0, 0, -9.81);
  int redundant = 0;
  double error = 0.0, energy = 0.0;
  world.run(1.0, [&](const StepReport&) {
    redundant = 0;
    for (const JointLoad& load : world.result.joints) {
      redundant += load.redundant;
      error = std::max(error, load.error);
    }
    EXPECT_EQ(redundant, 3);
    const MachineReport& m = world.result.machine;
    energy = std::max(energy, std::abs(m.kinetic + m.potential + 2.0 * (9.81 + 3.0) * 0.6));
    EXPECT_LT(machine_remainder(world), 1e-13);
    EXPECT_LT(world.state.parts[2].pose.orientation.angularDistance(Quat::Identity()), 1e-6);
  });
  EXPECT_LT(error, 1e-5);
  EXPECT_LT(energy, 2e-3);
}

/// A plate of 0.4 m on a hinge along its edge, held level by a spring, with spheres that fall on it.
World spheres_on_a_flap(SolverKind kind) {
  World world({.friction = 0.4}, 1e-3);
  world.model.settings.solver.kind = kind;
  world.model.parts = {part("flap", Vec3(0.2, 0, 0))};
  world.model.parts[0].axes = Quat::Identity();
  world.model.boundaries = {
      {.name = "top", .material = world.material, .surface = Plane{Vec3::Zero(), Vec3::UnitZ()}, .part = 0}};
  MachineJoint joint = joint_at(world, JointKind::revolute, 0, Vec3::Zero(), along_y);
  joint.stiffness = 400.0;
  joint.damping = 5.0;
  world.model.joints = {joint};
  Random random(3);
  for (int i = 0; i < 12; ++i) {
    const int row = (i / 3) % 2, layer = i / 6;
    world.add_sphere(0.03, Vec3(0.1 + 0.08 * (i % 3), 0.08 * row, 0.05 + 0.08 * layer));
  }
  return world;
}

// Grains on a machine: bodies and parts act on each other with equal and opposite momentum and energy, to
// rounding, for all solvers; and the solvers agree.
TEST(MachineWithGrains, BalancesClose) {
  double angle = 0.0;
  for (const SolverKind kind : {SolverKind::gauss_seidel, SolverKind::nsgs, SolverKind::admm}) {
    World world = spheres_on_a_flap(kind);
    double of_bodies = 0.0, of_machine = 0.0, momentum = 0.0;
    world.run(0.3, [&](const StepReport& r) {
      of_bodies = std::max(of_bodies, std::abs(r.energy.remainder));
      of_machine = std::max(of_machine, machine_remainder(world));
      momentum = std::max({momentum, r.momentum_error_relative, r.angular_momentum_error_relative});
      EXPECT_NEAR(world.result.machine.contact_work, -r.energy.boundary_work, 1e-12);
    });
    EXPECT_LT(of_bodies, 1e-12) << to_string(kind);
    EXPECT_LT(of_machine, 1e-12) << to_string(kind);
    EXPECT_LT(momentum, 1e-11) << to_string(kind);
    const double now = world.result.joints[0].coordinate;
    EXPECT_GT(std::abs(now), 1e-3);
    if (angle == 0.0) angle = now;
    EXPECT_NEAR(now, angle, 1e-3 * std::abs(angle)) << to_string(kind);
  }
}

// At rest, at zero speed, the spring of the flap carries the moment of the flap's weight and of the spheres':
// forces react within the step.
TEST(MachineWithGrains, FlapCarriesRestingGrains) {
  World world({.friction = 1.0}, 1e-3);
  world.model.parts = {part("flap", Vec3(0.2, 0, 0))};
  world.model.boundaries = {
      {.name = "top", .material = world.material, .surface = Plane{Vec3::Zero(), Vec3::UnitZ()}, .part = 0}};
  MachineJoint joint = joint_at(world, JointKind::revolute, 0, Vec3::Zero(), along_y);
  joint.motor.kind = JointMotor::Kind::speed;  // holds it at rest with any torque
  world.model.joints = {joint};
  world.add(Vec3(0.05, 0.04, 0.03), {Vec3(0.3, 0, 0.03), Quat::Identity()});
  world.run(0.1);
  const double sphere = world.state.bodies.mass[0];
  EXPECT_NEAR(world.result.joints[0].motor_impulse / 1e-3, -9.81 * (2.0 * 0.2 + sphere * 0.3), 1e-5);
  EXPECT_NEAR(world.result.joints[0].impulse[2] / 1e-3, 9.81 * (2.0 + sphere), 1e-5);
}

// Links in violent motion are apart by the error of steps; no angular momentum is created.
TEST(JointChain, KeepsAngularMomentum) {
  World world({}, 2e-3);
  world.model.settings.gravity.setZero();
  Random random(5);
  for (int i = 0; i < 6; ++i)
    world.add(Vec3(0.05, 0.02, 0.03), {Vec3(0.1 * i, 0, 0), Quat::Identity()},
              {Vec3(0, random.uniform(-1, 1), random.uniform(-1, 1)), Vec3(random.uniform(-9, 9), 0, 5)});
  for (int i = 1; i < 6; ++i) {
    MachineJoint joint;
    joint.kind = JointKind::spherical;
    joint.a = {JointPartner::Kind::body, i - 1, {Vec3(0.05, 0, 0), Quat::Identity()}};
    joint.b = {JointPartner::Kind::body, i, {Vec3(-0.05, 0, 0), Quat::Identity()}};
    world.model.joints.push_back(joint);
  }
  const Vec3 before = angular_momentum(world.state.bodies);
  world.run(0.5, [&](const StepReport& r) { EXPECT_LT(r.angular_momentum_error_relative, 1e-12); });
  EXPECT_LT((angular_momentum(world.state.bodies) - before).norm(), 1e-12 * before.norm());
}

// A chain of 200 capsules with spherical joints hangs from its first: each joint carries the links below it.
TEST(JointChain, TwoHundredJointsCarryTheWeightBelow) {
  World world({}, 1e-3);
  const int links = 200;
  for (int i = 0; i < links; ++i)
    world.add(Vec3(0.005, 0.005, 0.01), {Vec3(0, 0, -0.02 * i - 0.01), Quat::Identity()});
  const auto side = [](std::int64_t body, double z) -> JointPartner {
    return {JointPartner::Kind::body, body, {Vec3(0, 0, z), Quat::Identity()}};
  };
  for (int i = 0; i < links; ++i) {
    MachineJoint joint;
    joint.name = "link";
    joint.kind = JointKind::spherical;
    joint.a = i == 0 ? on_ground(Vec3::Zero(), Quat::Identity()) : side(i - 1, -0.01);
    joint.b = side(i, 0.01);
    world.model.joints.push_back(joint);
  }
  world.run(0.05, [&](const StepReport& r) { EXPECT_LT(r.angular_momentum_error_relative, 1e-12); });
  const double weight = world.state.bodies.mass[0] * 9.81;
  for (int i = 0; i < links; i += 20)
    EXPECT_NEAR(world.result.joints[i].impulse[2] / 1e-3, (links - i) * weight, 1e-5 * weight * links);
  EXPECT_EQ(world.result.report.contacts, 0);  // links that share a point have no contact
}

}  // namespace
}  // namespace scree
