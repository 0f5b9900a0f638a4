// Heavy bodies on light ones, and fast bodies against thin ones.
#include <gtest/gtest.h>

#include "tests/support/world.h"

namespace scree {
namespace {

using test::World;

/// Ten spheres on top of each other, the top one `ratio` times as dense.
World column(double ratio, int sweeps) {
  World world({}, 2e-3);
  world.model.settings.solver = SolverSettings{};
  world.model.settings.solver.max_sweeps = sweeps;
  const MaterialIndex heavy = world.model.materials.add("heavy", 2500.0 * ratio);
  for (const MaterialIndex a : {world.material, heavy}) {
    for (const MaterialIndex b : {world.material, heavy}) world.model.materials.set_law(a, b, {});
  }
  world.add_floor();
  const ShapeIndex ball = world.model.shapes.add(Ellipsoid{Vec3::Constant(0.1)});
  for (int i = 0; i < 10; ++i) {
    add_body(world.state.bodies, world.model.shapes, world.model.materials,
             {ball, i == 9 ? heavy : world.material, {Vec3(0, 0, 0.1 + 0.2 * i), Quat::Identity()}, {}});
  }
  return world;
}

void expect_stands(World& world, double deepest) {
  double worst = 0.0, highest = 0.0;
  world.run(10.0, [&](const StepReport& r) {
    worst = std::max(worst, r.penetration_max);
    highest = std::max(highest, world.state.bodies.position[9][2]);
  });
  EXPECT_LT(worst, deepest);
  EXPECT_LT(highest, 1.9 + 1e-3);  // no body is thrown up
  EXPECT_LT(world.state.bodies.position[9].head<2>().norm(), 1e-9);
  for (const Vec3& v : world.state.bodies.linear_velocity)
    EXPECT_LT(v.norm(), 0.02);  // light spheres under a ton jitter
}

// Penetration is over the radius.
TEST(Column, HeavyOnLightStandsWithSplitImpulses) {
  World hundred = column(100.0, 50), thousand = column(1000.0, 50);
  expect_stands(hundred, 0.01);
  expect_stands(thousand, 0.02);
}

// Beyond the limits of sweeps alone: late contacts are solved together.
TEST(Column, MillionfoldHeavierTopIsSupported) {
  for (const double ratio : {1e4, 1e6}) {
    World world = column(ratio, 1000);
    expect_stands(world, 0.01);
  }
}

TEST(Column, HeavyOnLightStandsWithBiasedSubsteps) {
  // Ten substeps of a biased and an unbiased sweep: twenty sweeps a step. Measured: 0.0016 and 0.0175.
  for (const double ratio : {100.0, 1000.0}) {
    World world = column(ratio, 20);
    world.model.settings.substeps = 10;
    world.model.settings.solver.position_correction = PositionCorrection::biased;
    expect_stands(world, ratio < 500.0 ? 0.01 : 0.03);
  }
}

/// Least value of |x / a|^2 along the path of a point: below 1 it passes through the ellipsoid with semi-axes
/// a.
double least_level(const Vec3& start, const Vec3& way, const Vec3& a) {
  const Vec3 x = start.cwiseQuotient(a), d = way.cwiseQuotient(a);
  const double t = std::clamp(-x.dot(d) / d.squaredNorm(), 0.0, 1.0);
  return (x + t * d).squaredNorm();
}

TEST(Bullet, NeitherTunnelsThroughAThinObstacleNorIsStoppedBesideIt) {
  // A ball of 2 mm radius against a lens 8 mm thick and 200 mm wide, at 5 to 100 m/s: up to 200 mm per step.
  // The lens, enlarged by the ball's radius and approximated as an ellipsoid, distinguishes hits from misses
  // except for grazing ones.
  const Vec3 lens(0.1, 0.1, 0.004), grown = lens + Vec3::Constant(0.002);
  Random random(1);
  int hits = 0, misses = 0;
  for (int i = 0; i < 1500; ++i) {
    const double speed = i % 3 == 0 ? 5.0 : i % 3 == 1 ? 20.0 : 100.0, h = 2e-3;
    PairLaw law;
    law.friction = 0.0;
    World world(law, h);
    world.model.settings.gravity.setZero();
    const MaterialIndex heavy = world.model.materials.add("heavy", 1e9);
    world.model.materials.set_law(world.material, heavy, law);
    const ShapeIndex shape = world.model.shapes.add(Ellipsoid{lens});
    const Quat q = random.rotation();
    add_body(world.state.bodies, world.model.shapes, world.model.materials,
             {shape, heavy, {Vec3::Zero(), q}, {}});
    const Vec3 d = random.direction(), aim = 0.12 * random.uniform() * random.direction();
    const double start = 0.3 + (0.5 + random.uniform()) * speed * h;
    world.add_sphere(0.002, aim - start * d, {speed * d, Vec3::Zero()});
    const double level =
        least_level(q.conjugate() * (aim - start * d), q.conjugate() * Vec3((start + 0.4) * d), grown);
    if (std::abs(level - 1.0) < 0.2) continue;  // grazes
    double deepest = 0.0;
    const int steps = static_cast<int>(std::ceil((start + 0.4) / (speed * h))) + 1;
    for (int k = 0; k < steps; ++k) deepest = std::max(deepest, world.step().penetration_max);
    const bool turned = (world.state.bodies.linear_velocity[1] - speed * d).norm() > 1e-6 * speed;
    ++(level < 1.0 ? hits : misses);
    EXPECT_EQ(turned, level < 1.0) << "shot " << i << " at " << speed << " m/s, level " << level;
    EXPECT_LT(deepest, 0.01) << "shot " << i;
  }
  EXPECT_GT(hits, 500);
  EXPECT_GT(misses, 100);
}

TEST(Bullet, KeepsAngularMomentum) {
  // Between two free bodies a contact found along the path has one line of action.
  World world({}, 2e-3);
  world.model.settings.gravity.setZero();
  world.add(Vec3(0.1, 0.08, 0.02), {Vec3::Zero(), Quat::Identity()});
  world.add_sphere(0.005, Vec3(0.03, 0.02, 0.25), {Vec3(10.0, 0.0, -60.0), Vec3::Zero()});
  double worst = 0.0;
  bool met = false;
  for (int k = 0; k < 5; ++k) {
    const StepReport r = world.step();
    met |= r.active_contacts > 0;
    worst = std::max({worst, r.momentum_error_relative, r.angular_momentum_error_relative});
  }
  EXPECT_TRUE(met);
  EXPECT_LT(worst, 1e-12);
}

TEST(Bed, HeightDoesNotDependOnStepSweepsOrSolver) {
  // 200 grains poured in the same way settle to different heaps in every run; their mean heights scatter by
  // about 1 %. The larger beds of docs/measurements.md show 1 %; the limit here is 3 %.
  const auto height = [](double h, int sweeps, SolverKind kind) {
    World world = test::loose_heap(5, 8, {}, h, 5);
    world.model.settings.solver = SolverSettings{};
    world.model.settings.solver.max_sweeps = sweeps;
    world.model.settings.solver.kind = kind;
    world.run(2.5);
    double sum = 0.0;
    for (const Vec3& x : world.state.bodies.position) sum += x[2];
    return sum / static_cast<double>(world.state.bodies.size());
  };
  const double reference = height(2e-3, 50, SolverKind::gauss_seidel);
  EXPECT_NEAR(height(1e-3, 50, SolverKind::gauss_seidel), reference, 0.03 * reference);
  EXPECT_NEAR(height(4e-3, 50, SolverKind::gauss_seidel), reference, 0.03 * reference);
  EXPECT_NEAR(height(2e-3, 10, SolverKind::gauss_seidel), reference, 0.03 * reference);
  EXPECT_NEAR(height(2e-3, 50, SolverKind::nsgs), reference, 0.03 * reference);
  EXPECT_NEAR(height(2e-3, 50, SolverKind::admm), reference, 0.03 * reference);
}

}  // namespace
}  // namespace scree
