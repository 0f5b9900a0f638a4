// Boundaries that move: a plate that lifts, a plate that turns, a drum; what they do to the bodies is in the
// ledger.
#include <gtest/gtest.h>

#include "engine/geometry/ellipsoid_plane.h"
#include "engine/geometry/ellipsoid_tube.h"
#include "tests/support/world.h"

namespace scree {
namespace {

using test::World;

/// A heap on the floor of its box, at rest.
World settled_heap() {
  PairLaw law;
  law.friction = 0.4;
  World world = test::loose_heap(4, 3, law, 1e-3, 2);
  world.model.settings.solver.tolerance = 1e-4;
  world.model.settings.solver.max_sweeps = 200;
  world.run(1.5);
  return world;
}

std::size_t floor_of(const World& world) {
  for (std::size_t k = 0; k < world.model.boundaries.size(); ++k)
    if (world.model.boundaries[k].name == "box.-z") return k;
  return 0;
}

double mechanical_energy(const World& world) {
  return kinetic_energy(world.state.bodies) +
         potential_energy(world.state.bodies, world.model.settings.gravity);
}

// A floor that rises at 0.1 m/s from one moment on lifts a heap: the ledger closes to rounding in every step,
// the floor's work is what the heap gains and loses, and the floor feels the weight.
TEST(BoundaryMotion, APlateLiftsAHeap) {
  World world = settled_heap();
  const std::size_t floor = floor_of(world);
  Boundary& plate = world.model.boundaries[floor];
  const double speed = 0.1;
  plate.twist.linear = Vec3(0, 0, speed);
  plate.centre = Vec3(0.3, 0.3, 0.0) - world.state.time_s * plate.twist.linear;
  std::get<Plane>(plate.surface).point -= world.state.time_s * plate.twist.linear;  // is where it was
  const double energy = mechanical_energy(world);
  double weight = 0.0, work = 0.0, dissipated = 0.0, correction = 0.0, impulse = 0.0;
  for (const double m : world.state.bodies.mass) weight += 9.81 * m;
  const double start = world.state.time_s;
  double worst = 0.0, torque = 0.0;
  const StepReport last = world.run(start + 1.0, [&](const StepReport& r) {
    worst = std::max(worst, std::abs(r.energy.remainder));
    work += r.energy.boundary_work;
    dissipated += r.energy.dissipated_by_friction + r.energy.dissipated_by_impact;
    correction += r.energy.position_correction;
    const BoundaryLoad& load = world.result.boundaries[floor];
    for (const BoundaryLoad& of : world.result.boundaries) impulse -= of.impulse[2];
    torque = load.angular_impulse.norm();
    EXPECT_NEAR(load.work, -load.impulse.dot(plate.twist.linear), 1e-15 * weight);  // it does not turn
    EXPECT_LT(r.momentum_error_relative, 1e-12);
    EXPECT_LT(r.angular_momentum_error_relative, 1e-12);
  });
  EXPECT_LT(worst, 1e-12 * energy);
  EXPECT_GT(torque, 0.0);
  EXPECT_NEAR(mechanical_energy(world) - energy, work + correction - dissipated, 1e-10 * energy);
  // All boundaries together give the weight for a second, and what set the heap in motion: m v.
  EXPECT_NEAR(impulse, weight * 1.0 + weight / 9.81 * speed, 0.01 * weight);
  // The walls' friction brakes the rising heap: the floor does more than lift its weight, by what they take.
  EXPECT_GT(work, weight * speed);
  EXPECT_LT(last.penetration_max, 0.01);
  double lowest = infinity;
  for (const Vec3& x : world.state.bodies.position) lowest = std::min(lowest, x[2]);
  EXPECT_GT(lowest, 0.1 + 0.04);  // all are above the floor, which has come 0.1 m up
}

// A sphere on a turntable with friction: in the steady state of no slip it goes round with it; the table's
// torque is what gives it its angular momentum, the table's work what gives it its energy.
TEST(BoundaryMotion, ATurntableTakesASphereAlong) {
  PairLaw law;
  law.friction = 1.0;
  law.rolling_friction_m = law.torsional_friction_m = 0.05;  // it may not roll: it rides
  World world(law, 1e-4);
  world.add_floor();
  world.model.settings.solver.tolerance = 1e-12;
  Boundary& table = world.model.boundaries[0];
  const double spin = 2.0, r = 0.1, distance = 0.5;
  table.twist.angular = Vec3(0, 0, spin);
  world.add_sphere(r, Vec3(distance, 0, r));
  double angular = 0.0, work = 0.0;
  world.run(1.0, [&](const StepReport& report) {
    angular -= world.result.boundaries[0].angular_impulse[2];
    work += world.result.boundaries[0].work;
    EXPECT_NEAR(world.result.boundaries[0].work, report.energy.boundary_work, 1e-15);
    EXPECT_LT(std::abs(report.energy.remainder), 1e-12);
  });
  const Bodies& b = world.state.bodies;
  EXPECT_NEAR(angular, angular_momentum(b)[2], 1e-9);
  // It slips for mu g t = v at first, then rides: its velocity is that of the table below its centre.
  const Vec3 below = Vec3(0, 0, spin).cross(b.position[0]);
  EXPECT_LT((b.linear_velocity[0] - below).norm(), 0.01 * below.norm());
  EXPECT_NEAR(b.angular_velocity[0][2], spin, 0.01 * spin);
  EXPECT_GT(work, kinetic_energy(b));  // the rest went into friction while it slipped
}

// A plate that tips over, faster than what lies on it can fall: it leaves the plate as a free body, none
// sinks in.
TEST(BoundaryMotion, ATippingPlateIsNotSunkInto) {
  PairLaw law;
  law.friction = 0.5;
  World world(law, 1e-3);
  world.add_floor();
  Boundary& plate = world.model.boundaries[0];
  plate.twist.angular = Vec3(0, 1.0, 0);  // the side of +x goes down
  Random random(4);
  for (int i = 0; i < 8; ++i)
    world.add(Vec3(0.10, 0.075, 0.05), {Vec3(-1.2 + 0.3 * i, 0, 0.11), random.rotation()});
  double deepest = 0.0, worst = 0.0, injected = 0.0;  // beyond the plate's work
  world.run(0.8, [&](const StepReport& r) {
    deepest = std::max(deepest, r.penetration_max);
    worst = std::max(worst, std::abs(r.energy.remainder));
    injected -= r.energy.dissipated_by_friction + r.energy.dissipated_by_impact;
  });
  EXPECT_LT(deepest, 0.01);  // of the smallest semi-axis
  EXPECT_LT(worst, 1e-10);
  EXPECT_LT(injected, 1e-6);
}

TEST(BoundaryMotion, PlacesAreExactAfterAnyTime) {
  Boundary b{
      "plate", {}, Plane{Vec3(1, 0, 0), Vec3::UnitX()}, {Vec3(0, 0, 0.5), Vec3(0, 0, 2.0)}, Vec3::Zero()};
  const double whole_turns = 1e6 * 3.14159265358979323846;
  const PlacedBoundary placed = place(b, whole_turns);
  const Plane& plane = std::get<Plane>(placed.surface);
  EXPECT_LT((plane.normal - Vec3::UnitX()).norm(), 1e-8);  // rounding of 6e6 radians
  EXPECT_LT((plane.point - Vec3(1, 0, 0.5 * whole_turns)).norm(), 1e-8);
}

// Sleep: who lies on a floor that starts to move wakes.
TEST(BoundaryMotion, SleepersWakeWhereABoundaryMoves) {
  World world;
  world.add_floor();
  world.add_sphere(0.1, Vec3(0, 0, 0.1));
  world.model.settings.sleep = {.speed_m_s = 1e-3, .duration_s = 0.02, .tolerance = 0.05};
  ASSERT_EQ(world.run(0.2).asleep, 1);
  world.model.boundaries[0].twist.linear = Vec3(0.5, 0, 0);  // a belt
  EXPECT_EQ(world.step().asleep, 0);
  world.run(1.0);
  // It rolls on the belt: the velocity at the contact is the belt's.
  const Vec3 at_contact =
      world.state.bodies.linear_velocity[0] + world.state.bodies.angular_velocity[0].cross(Vec3(0, 0, -0.1));
  EXPECT_LT((at_contact - Vec3(0.5, 0, 0)).norm(), 1e-6);
}

// (G4) against second differences of the gap.
TEST(EllipsoidPlane, GapAcceleration) {
  Random random(3);
  const auto turned = [](const Vec3& w, double t) {
    const double angle = w.norm() * t;
    return Quat(Eigen::AngleAxisd(angle, w.normalized()));
  };
  for (int k = 0; k < 200; ++k) {
    const Ellipsoid shape{Vec3(0.3, 0.2, 0.1)};
    const Pose pose{random.direction(), random.rotation()};
    const Plane plane{0.5 * random.direction(), random.direction()};
    const Twist v{random.direction(), 3.0 * random.direction()};
    const WallMotion wall{random.direction(), {random.direction(), 2.0 * random.direction()}};
    const auto gap_at = [&](double t) {
      const Quat q = turned(wall.twist.angular, t);
      const Vec3 centre = wall.centre + t * wall.twist.linear;
      return gap(place(shape, {pose.position + t * v.linear, turned(v.angular, t) * pose.orientation}),
                 Plane{centre + q * (plane.point - wall.centre), q * plane.normal})
          .distance;
    };
    const double dt = 1e-3, second = (gap_at(dt) - 2.0 * gap_at(0.0) + gap_at(-dt)) / (dt * dt);
    // Differences of the fourth order of dt^2: 1e-6 times accelerations of ten.
    EXPECT_NEAR(gap_acceleration(place(shape, pose), plane, v, wall), second, 1e-3);
  }
}

// A tube that turns about an axis across its own, against the same motion seen from the tube.
TEST(EllipsoidTube, GapAccelerationInATurningTube) {
  const Ellipsoid shape{Vec3(0.12, 0.1, 0.08)};
  const Tube tube{Vec3(-1, 0, 0), Vec3(1, 0, 0), 0.5, 0.1};
  const WallMotion wall{Vec3::Zero(), {Vec3(0, 0, 0.3), Vec3(0, 0, 0.7)}};
  Random random(6);
  for (int k = 0; k < 20; ++k) {
    const Pose pose{Vec3(0.1, 0.0, -0.4), random.rotation()};
    const Twist v{0.5 * random.direction(), random.direction()};
    Gap found[max_tube_contacts];
    ASSERT_EQ(gaps(shape, pose, tube, 0.05, found), 1);
    const auto gap_at = [&](double t) {  // independently: the tube is moved, not the ellipsoid
      const Quat q(Eigen::AngleAxisd(0.7 * t, Vec3::UnitZ()));
      const Vec3 shift = t * wall.twist.linear;
      const Tube moved{shift + q * tube.start, shift + q * tube.end, tube.inner_radius, tube.thickness};
      const Quat turn(Eigen::AngleAxisd(v.angular.norm() * t, v.angular.normalized()));
      Gap g[max_tube_contacts];
      EXPECT_EQ(gaps(shape, {pose.position + t * v.linear, turn * pose.orientation}, moved, 0.1, g), 1);
      return g[0].distance;
    };
    const double dt = 1e-3, second = (gap_at(dt) - 2.0 * gap_at(0.0) + gap_at(-dt)) / (dt * dt);
    EXPECT_NEAR(gap_acceleration(shape, pose, tube, found[0], v, 1e-3, wall), second, 2e-2);
  }
}

}  // namespace
}  // namespace scree
