// Cohesion: closed forms of one contact, thresholds, the energy balance, and wet heaps.
#include <gtest/gtest.h>
#include <numbers>

#include "engine/core/parallel.h"
#include "engine/core/state_hash.h"
#include "engine/geometry/clump.h"
#include "engine/simulation/subsystems/parts.h"
#include "tests/support/same_bits.h"
#include "tests/support/world.h"

namespace scree {
namespace {

using test::World;

constexpr double g = 9.81, pi = std::numbers::pi;

Cohesion adhesive(double energy) { return {.adhesion_energy = energy}; }
Cohesion wet(double tension, double angle, double volume) {
  return {.surface_tension = tension, .wetting_angle = angle, .bridge_volume = volume};
}

void hold(World& world, std::size_t body) {
  if (world.model.parts.empty()) world.model.parts.push_back({.name = "held"});
  carry_body(0, body, world.state);
}

/// Force with which a ball hangs on the held one above it, N: the force on the held one.
double pull_on_held(const World& world) { return -world.result.parts[0].impulse.z() / 1e-3; }

// The pull-off force of two balls is 3/2 pi W R, R = a b / (a + b): a ball hangs if it weighs less.
TEST(Cohesion, BearsTensionUpToThePullOffForce) {
  const double a = 0.02, b = 0.01, radius = a * b / (a + b);
  for (const double part : {0.999, 1.001}) {
    World world;
    world.add_sphere(a, Vec3(0, 0, 0));
    const BodyIndex ball = world.add_sphere(b, Vec3(0, 0, -a - b));
    hold(world, 0);
    const double weight = world.state.bodies.mass[ball] * g;
    world.model.materials.set_law(
        world.material, world.material,
        {.friction = 0.3, .cohesion = adhesive(weight / part / (1.5 * pi * radius))});
    const StepReport last = world.run(0.2);
    const double fallen = -a - b - world.state.bodies.position[ball].z();
    if (part < 1.0) {
      EXPECT_LE(std::abs(fallen), 1e-6 * b);
      EXPECT_NEAR(pull_on_held(world), weight, 1e-6 * weight);
      EXPECT_LE(last.energy.kinetic, 1e-15);
    } else {
      EXPECT_GT(fallen, 0.1);  // falls slightly more slowly up to a distance of a thousandth of its radius
    }
  }
}

// An ellipsoid on the end of its shortest axis: 1/R^2 = (c/a^2)(c/b^2) against a plane.
TEST(Cohesion, PullOffForceUsesLocalCurvature) {
  const Vec3 axes(0.03, 0.02, 0.01);
  World world;
  world.model.boundaries.push_back({"ceiling", world.material, Plane{Vec3::Zero(), -Vec3::UnitZ()}});
  const BodyIndex body = world.add(axes, {Vec3(0, 0, -axes[2]), Quat::Identity()});
  const double weight = world.state.bodies.mass[body] * g, radius = axes[0] * axes[1] / axes[2];
  for (const double part : {0.999, 1.001}) {
    World trial = world;
    trial.model.materials.set_law(trial.material, trial.material,
                                  {.cohesion = adhesive(weight / part / (1.5 * pi * radius))});
    trial.run(0.1);
    EXPECT_EQ(trial.state.bodies.position[body].z() > -1.01 * axes[2], part < 1.0) << part;
  }
}

TEST(Cohesion, CurvatureOfAllKindsOfShapes) {
  Shapes shapes;
  const Vec3 t1 = Vec3::UnitX(), t2 = Vec3::UnitY(), top(0, 0, 1);
  const auto expect = [&](ShapeIndex s, const Vec3& at, const Vec3& k) {
    EXPECT_LE((curvature(shapes, s, at, t1, t2) - k).norm(), 1e-12 * std::max(1.0, k.norm()));
  };
  expect(shapes.add(Ellipsoid{Vec3(3, 2, 1)}), top, Vec3(1.0 / 9.0, 0.0, 1.0 / 4.0));
  ShapeFindings findings;
  const std::vector<ClumpMember> parts{{{Vec3(3, 2, 1)}, {}},
                                       {{Vec3(1, 0.5, 0.5)}, {Vec3(3, 0, 0), Quat::Identity()}},
                                       {{Vec3(1, 0.5, 0.5)}, {Vec3(-3, 0, 0), Quat::Identity()}}};
  const std::int32_t clump =
      shapes.add_clump({"c", parts, std::make_shared<Clump>(*make_clump(parts, findings))});
  expect(shapes.add(SizedClump{clump, 2.0}), 2.0 * top, Vec3(1.0 / 18.0, 0.0, 1.0 / 8.0));
  Shapes with_function;
  const PerturbedQuadric f = perturbed(Vec3(3, 2, 1));
  const std::int32_t number = with_function.add_function(
      {"f", f, std::make_shared<ImplicitShape>(*make_implicit_shape(f, {}, findings))});
  const Vec3 k = curvature(with_function, with_function.add(SizedFunction{number, 2.0}), 2.0 * top, t1, t2);
  EXPECT_LE((k - Vec3(1.0 / 18.0, 0.0, 1.0 / 8.0)).norm(), 1e-9);
}

// A bridge pulls with its capillary pressure times its area. Both follow from the shape of the gap, here by
// sums over rings.
TEST(Cohesion, BridgeForceMatchesCapillaryPressure) {
  const double a = 0.01, b = 0.02, radius = a * b / (a + b), tension = 0.073, angle = 0.3, volume = 1e-10;
  for (const double gap : {0.0, 1e-5, 1e-4, 3e-4}) {
    World world;
    world.add_sphere(a, Vec3(0, 0, 0));
    world.add_sphere(b, Vec3(0, 0, -a - b - gap));
    hold(world, 0);
    world.model.materials.set_law(world.material, world.material, {.cohesion = wet(tension, angle, volume)});
    // Release the other ball for one short step: its change of momentum without gravity gives the force.
    world.model.settings.gravity = Vec3::Zero();
    world.model.settings.time_step_s = 1e-7;
    world.step();
    const double force = world.state.bodies.mass[1] * world.state.bodies.linear_velocity[1].z() / 1e-7;
    // Rings of the parabolic gap until they hold the volume.
    double held = 0.0, area = 0.0, height = gap;
    const double dr = 1e-8;
    for (double r = 0.5 * dr; held < volume; r += dr) {
      height = gap + r * r / (2.0 * radius);
      held += 2.0 * pi * r * dr * height;
      area += 2.0 * pi * r * dr;
    }
    const double expected = 2.0 * tension * std::cos(angle) / height * area;
    EXPECT_NEAR(attraction(wet(tension, angle, volume), radius, a, gap), expected, 2e-4 * expected);
    // In contact, the contact holds the balls apart, and no ball moves.
    EXPECT_NEAR(force, gap == 0.0 ? 0.0 : expected, 2e-4 * expected) << gap;
  }
  const Cohesion bridge = wet(tension, angle, volume);
  EXPECT_NEAR(bridge.rupture_distance(), (1.0 + 0.5 * angle) * std::cbrt(volume), 1e-18);
  EXPECT_EQ(attraction(bridge, radius, a, 1.0001 * bridge.rupture_distance()), 0.0);
  EXPECT_GT(attraction(bridge, radius, a, 0.9999 * bridge.rupture_distance()), 0.0);
}

// Friction uses the whole normal force: a body sticks to a vertical wall while mu F > m g.
TEST(Cohesion, AddsToFriction) {
  const double radius = 0.01, mu = 0.4;
  for (const double part : {0.98, 1.02}) {
    World world;
    world.model.boundaries.push_back({"wall", world.material, Plane{Vec3::Zero(), Vec3::UnitX()}});
    const BodyIndex ball = world.add_sphere(radius, Vec3(radius, 0, 0));
    const double weight = world.state.bodies.mass[ball] * g;
    // Rolling friction as large as the radius, so that it does not roll down.
    world.model.materials.set_law(world.material, world.material,
                                  {.friction = mu,
                                   .rolling_friction_m = 10.0 * radius,
                                   .cohesion = adhesive(weight / (mu * part) / (1.5 * pi * radius))});
    world.run(0.2);
    const double fallen = -world.state.bodies.position[ball].z();
    // The rest of gravity pulls it down: g (1 - 1/part).
    const double expected = part < 1.0 ? 0.0 : 0.5 * g * (1.0 - 1.0 / part) * 0.04;
    EXPECT_NEAR(fallen, expected, 1e-6 + 1e-3 * expected) << part;
  }
}

// Up and down in the field of a bridge: its energy is recovered, to the second order of the step.
TEST(Cohesion, BridgesKeepEnergy) {
  World world({.restitution = 1.0, .cohesion = wet(0.05, 0.0, 1e-9)}, 1e-5);
  world.model.settings.gravity = Vec3::Zero();
  world.model.settings.restitution_threshold_m_s = 0.0;
  world.add_sphere(0.01, Vec3(0, 0, 0));
  world.add_sphere(0.01, Vec3(0, 0, 0.0205));
  double work = 0.0, most = 0.0, remainder = 0.0;
  world.run(0.1, [&](const StepReport& r) {
    work += r.energy.force_work;
    most = std::max(most, r.energy.kinetic);
    remainder = std::max(remainder, std::abs(r.energy.remainder));
  });
  EXPECT_GT(most, 0.0);
  EXPECT_LE(remainder, 1e-12 * most);
  EXPECT_NEAR(work, world.result.report.energy.kinetic, 0.02 * most);  // elastic impacts, in steps
}

World heap(const Cohesion& cohesion) {
  World world = test::loose_heap(4, 4, {.friction = 0.4, .cohesion = cohesion}, 2e-3);
  world.model.settings.sort_interval = 7;
  world.model.settings.solver.tolerance = 1e-3;
  return world;
}

TEST(Cohesion, LedgerAndMomentumCloseInAWetHeap) {
  for (const Cohesion& cohesion :
       {wet(200.0, 0.2, 1e-6), adhesive(1000.0)}) {  // two to five weights per contact
    set_thread_count(2);
    World world = heap(cohesion);
    double energy = 0.0, remainder = 0.0, momentum = 0.0;
    const StepReport last = world.run(2.0, [&](const StepReport& r) {
      energy = std::max(energy, r.energy.kinetic + std::abs(r.energy.potential));
      remainder = std::max(remainder, std::abs(r.energy.remainder));
      momentum = std::max({momentum, r.momentum_error_relative, r.angular_momentum_error_relative});
      EXPECT_LE(r.energy_injected_J, 1e-6 * energy);
    });
    EXPECT_LE(remainder, 1e-12 * energy);
    EXPECT_LE(momentum, 1e-12);
    EXPECT_LE(last.penetration_max, 0.02);
  }
  set_thread_count(0);
}

TEST(Cohesion, SameBitsOnAnyThreadsAndFromACopy) {
  test::expect_same_bits([] { return heap(wet(200.0, 0.2, 1e-6)); }, 0.3, 0.6);
}

}  // namespace
}  // namespace scree
