// Declarative models that drive joints: compared with the equations of both as one system.
#include "engine/modules/equations/actuator.h"

#include <gtest/gtest.h>

#include "engine/simulation/observables.h"
#include "tests/support/mechanism.h"
#include "tests/support/world.h"

namespace scree {
namespace {

using test::World;

/// A free part on a joint along or about z, and a model whose inputs are its rate, or coordinate and rate.
World driven(JointKind kind, double inertia, const char* text, const std::vector<ActuatorInput>& inputs,
             const std::string& force, double h) {
  World world({}, h);
  world.model.settings.gravity = Vec3::Zero();
  Part part;
  part.name = "part";
  part.freedom = Freedom::all;
  part.inertia = inertia;
  part.moments = Vec3::Constant(inertia);
  world.model.parts.push_back(part);
  MachineJoint joint;
  joint.name = "joint";
  joint.kind = kind;
  joint.b = {JointPartner::Kind::part, 0, {}};
  joint.has_coordinate = true;
  joint.coordinate =
      kind == JointKind::revolute ? JointCoordinate::Kind::angle : JointCoordinate::Kind::travel;
  joint.motor.kind = JointMotor::Kind::force;
  joint.motor.actuator = joint.motor.output = 0;
  world.model.joints.push_back(joint);
  Actuator actuator{"drive", nullptr, inputs, {force}};
  actuator.model = equations::make_actuator(equations::compile_model({"m.mo", text}), actuator.outputs);
  world.model.actuators.push_back(actuator);
  return world;
}

double rate(const World& world) { return world.state.actuators[0].inputs.back(); }
double force(const World& world) { return world.state.actuators[0].outputs[0]; }

const ActuatorInput speed{"w", ActuatorInput::Kind::rate, find_observable(ObservedKind::joint, "rate"), 0};
const ActuatorInput way{"x", ActuatorInput::Kind::coordinate,
                        find_observable(ObservedKind::joint, "coordinate"), 0};

// L di/dt = U - R i - k w, J dw/dt = k i, by implicit Euler at once: (I - h A) y' = y + h b. The tangent
// comes from differences of 1e-5, and outputs are exact to 1e-12, so its error is 1e-7 of the change of the
// rate.
TEST(Actuator, AMotorAndItsRotorAreOneImplicitSystem) {
  const double h = 1e-3, r = 0.5, l = 1e-3, k = 0.05, u = 12.0, j = 1e-3;
  World world = driven(JointKind::revolute, j, R"(
      model dc
        input Real w;
        Real i(start = 0, fixed = true), torque;
      equation
        1e-3*der(i) = 12 - 0.5*i - 0.05*w;
        torque = 0.05*i;
      end dc;)",
                       {speed}, "torque", h);
  Eigen::Matrix2d a;
  a << -r / l, -k / l, k / j, 0.0;
  const Eigen::Matrix2d inverse = (Eigen::Matrix2d::Identity() - h * a).inverse();
  Eigen::Vector2d y = Eigen::Vector2d::Zero();
  for (int step = 0; step < 500; ++step) {
    world.step();
    y = inverse * (y + h * Eigen::Vector2d(u / l, 0.0));
    ASSERT_NEAR(rate(world), y[1], 1e-8 * 240.0) << step;
    ASSERT_NEAR(force(world), k * y[0], 1e-8 * k * u / r) << step;
  }
  EXPECT_GT(rate(world), 200.0);
}

// Oil of 1.4 GPa in a cylinder moves 20 kg: sqrt(bulk area^2 / (volume mass)) = 5300 rad/s. The piston has
// the pump's speed after some steps, without ringing, in steps of 53 times its inverse.
TEST(Actuator, StiffOilDoesNotRing) {
  World world = driven(JointKind::prismatic, 20.0, R"(
      model oil
        input Real x;
        input Real w;
        Real p(start = 0, fixed = true), force;
      equation
        (1e-5 + 2e-3*x)*der(p) = 1.4e9*(4e-5 - 2e-3*w);
        force = 2e-3*p;
      end oil;)",
                       {way, speed}, "force", 1e-2);
  double last = 1.0;
  for (int step = 0; step < 40; ++step) {
    world.step();
    const double off = std::abs(rate(world) - 0.02);
    if (step > 1) {
      EXPECT_LE(off, std::max(0.5 * last, 1e-12)) << step;
    }
    last = off;
  }
  EXPECT_LT(last, 1e-10);
}

// A flywheel behind the joint, in the model: its torque follows from der() of an input. Both rotate as one
// body from the first step on.
TEST(Actuator, ModelInertiaActsInTheSameStep) {
  World world = driven(JointKind::revolute, 0.1, R"(
      model flywheel
        input Real w;
        Real torque;
      equation
        torque = 3 - 0.5*der(w);
      end flywheel;)",
                       {speed}, "torque", 1e-3);
  for (int step = 1; step <= 100; ++step) {
    world.step();
    ASSERT_NEAR(rate(world), 3.0 / 0.6 * 1e-3 * step, 1e-8 * step * 1e-3) << step;
  }
}

World caught() {
  return driven(JointKind::prismatic, 1.0, R"(
      model catch
        input Real x;
        input Real w;
        Real force, worn(start = 0, fixed = true);
      equation
        force = if x > 0.05 then 2 - 400*(x - 0.05) - 3*w - worn else 2;
        der(worn) = abs(w);
      end catch;)",
                {way, speed}, "force", 2e-3);
}

// A spring with a stop, so that there are events within steps: the work of the motor is force times distance,
// and a run from a copy of the state gives the same bits.
TEST(Actuator, WorkBalancesAndCopiedStateGivesSameBits) {
  World world = caught();
  double work = 0.0;
  for (int step = 0; step < 400; ++step) {
    world.step();
    work += world.result.machine.motor_work;
  }
  EXPECT_NEAR(work, world.result.machine.kinetic, 1e-12);
  World other = caught();
  other.state = world.state;
  for (int step = 0; step < 200; ++step) {
    world.step();
    other.step();
    ASSERT_EQ(rate(world), rate(other)) << step;
    ASSERT_EQ(force(world), force(other)) << step;
  }
}

// If the equations have no solution, the run ends with a message.
TEST(Actuator, FailuresNameTheEquations) {
  World world = driven(JointKind::revolute, 1.0, R"(
      model root
        input Real w;
        Real torque(start = 1);
      equation
        torque^2 = 1 - 100*time;
      end root;)",
                       {speed}, "torque", 1e-3);
  for (int step = 0; step < 20 && !world.result.failure; ++step) world.step();
  EXPECT_EQ(world.result.failure.kind, StepFailure::Kind::actuator);
  EXPECT_NEAR(world.state.time_s, 0.01, 1.5e-3);
  EXPECT_NE(world.result.failure.text.find("torque"), std::string::npos) << world.result.failure.text;
}

// The place of a part is that at the end of the step: of a prescribed motion, and of a part that flies.
TEST(Actuator, PlacesArePresent) {
  const double h = 1e-3;
  World world =
      driven(JointKind::revolute, 0.1, R"(
      model follower
        input Real x;
        input Real y;
        Real sum;
      equation
        sum = x + y;
      end follower;)",
             {{"x", ActuatorInput::Kind::other, find_observable(ObservedKind::part, "position_x_m"), 1},
              {"y", ActuatorInput::Kind::other, find_observable(ObservedKind::part, "position_x_m"), 2}},
             "sum", h);
  Part moved;
  moved.name = "moved";
  MotionStage stage;
  stage.law.rate = 2.0;
  moved.motion = {{stage}};
  world.model.parts.push_back(moved);
  Part free = world.model.parts[0];
  free.name = "free";
  free.start_twist.linear = Vec3(3.0, 0, 0);
  world.model.parts.push_back(free);
  world.model.joints[0].motor.kind = JointMotor::Kind::none;
  for (int step = 0; step < 5; ++step) {
    world.step();
    const std::vector<double>& seen = world.state.actuators[0].inputs;
    const auto now = [&](std::size_t k) {
      return centre_of(world.model.parts[k], state_of(world.model.parts, world.state.parts, k),
                       world.state.time_s);
    };
    EXPECT_NEAR(seen[0], now(1).x(), 1e-15) << step;
    EXPECT_NEAR(seen[1], now(2).x(), 1e-15) << step;
    EXPECT_NEAR(seen[1], 3.0 * world.state.time_s, 1e-12) << step;
  }
}

}  // namespace
}  // namespace scree
