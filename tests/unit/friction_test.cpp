// Admissible friction: smooth and sampled sets, directions and patches.
#include <Eigen/LU>
#include <gtest/gtest.h>

#include "engine/bodies/surface.h"
#include "engine/solver/problem/friction_disc.h"
#include "tests/support/world.h"

namespace scree {
namespace {

Mat2 random_metric(Random& random) {
  Mat2 a;
  for (int k = 0; k < 4; ++k) a(k / 2, k % 2) = random.normal();
  return a * a.transpose() + 0.05 * Mat2::Identity();
}

TEST(LeastEnergy, BeatsEveryPointOfTheSet) {
  Random random(3);
  for (int i = 0; i < 400; ++i) {
    const int corners = i % 2 == 0 ? 0 : 3 + i % 7;
    const Mat2 a = random_metric(random);
    const Vec2 p(0.3 * random.normal(), 0.3 * random.normal()), g(random.normal(), random.normal());
    const double radius = random.uniform(0.01, 1.0);
    const auto energy = [&](const Vec2& x) { return 0.5 * (x - p).dot(a * (x - p)) + g.dot(x - p); };
    const Vec2 best = least_energy(a, p, g, radius, corners);
    EXPECT_LE(best.norm(), radius * (1.0 + 1e-12));
    for (int k = 0; k < 720; ++k) {
      Vec2 x(std::cos(k * M_PI / 360), std::sin(k * M_PI / 360));
      if (corners > 0) {  // a point on an edge of the polygon
        const double step = 2.0 * M_PI / corners;
        const double from = step * std::floor(k * M_PI / 360 / step), s = random.uniform();
        x = (1.0 - s) * Vec2(std::cos(from), std::sin(from)) +
            s * Vec2(std::cos(from + step), std::sin(from + step));
      }
      ASSERT_GE(energy(radius * random.uniform() * x), energy(best) - 1e-12);
      ASSERT_GE(energy(radius * x), energy(best) - 1e-12);
    }
  }
}

TEST(LeastEnergy, SampledSetsConvergeToTheDisc) {
  // The error of the polygon is at most 1 - cos(pi / k) of the radius: the error in the impulse decreases as
  // 1 / k^2.
  Random random(8);
  double last = infinity;
  for (const int corners : {4, 8, 16, 32, 64, 128}) {
    double worst = 0.0;
    for (int i = 0; i < 500; ++i) {
      const Mat2 a = Mat2::Identity() * random.uniform(0.5, 2.0);
      const Vec2 g(random.normal(), random.normal());
      const Vec2 exact = least_energy(a, Vec2::Zero(), g, 0.1, 0),
                 sampled = least_energy(a, Vec2::Zero(), g, 0.1, corners);
      worst = std::max(worst, (exact.norm() - sampled.norm()) / 0.1);
    }
    EXPECT_LE(worst, (1.0 - std::cos(M_PI / corners)) * (1.0 + 1e-9));
    EXPECT_LT(worst, 0.3 * last);
    last = worst;
  }
}

class SampledCone : public ::testing::TestWithParam<SolverKind> {};

TEST_P(SampledCone, ConvergesToTheExactOneInAWholeStep) {
  // A sphere slides in the middle between two tangents: the hull ends at mu cos(pi / k) there, and its
  // deceleration is below mu g by exactly this amount.
  const double mu = 0.3, exact = mu * 9.81;
  std::vector<double> error;
  for (const int samples : {4, 8, 16, 32, 64}) {
    PairLaw law;
    law.friction = mu;
    test::World world(law, 1e-3);
    SolverSettings& solver = world.model.settings.solver;
    solver.kind = GetParam();
    solver.friction_cone = FrictionCone::sampled;
    solver.friction_samples = samples;
    world.add_floor();
    const double between = M_PI / samples;
    const Vec3 v0(3.0 * std::cos(between), 3.0 * std::sin(between), 0.0);
    world.add_sphere(0.1, Vec3(0, 0, 0.1), {v0, Vec3::Zero()});
    const StepReport report = world.step();
    EXPECT_LT(report.residual_rms_m_s, 1e-9);  // computed with the sampled law
    error.push_back(std::abs((v0 - world.state.bodies.linear_velocity[0]).norm() / 1e-3 - exact) / exact);
    EXPECT_NEAR(error.back(), 1.0 - std::cos(between), 1e-9) << samples;
  }
  EXPECT_LT(error.back(), 0.02 * error.front());
}

TEST_P(SampledCone, SettlesAHeap) {
  test::World world = test::loose_heap(3, 3, {}, 2e-3, 3);
  world.model.settings.solver = SolverSettings{};
  world.model.settings.solver.kind = GetParam();
  world.model.settings.solver.friction_cone = FrictionCone::sampled;
  world.model.settings.solver.friction_samples = 8;
  if (GetParam() == SolverKind::one_pass) GTEST_SKIP() << "support travels one layer a step: see OnePassHeap";
  const StepReport last = world.run(2.0);
  EXPECT_LT(last.energy.kinetic / 27, 1e-4);
  EXPECT_LT(last.penetration_max, 0.01);
  EXPECT_LT(last.residual_rms_relative, 1e-2);
}

INSTANTIATE_TEST_SUITE_P(Solvers, SampledCone,
                         ::testing::Values(SolverKind::gauss_seidel, SolverKind::nsgs, SolverKind::one_pass),
                         [](const auto& test) { return to_string(test.param); });

// --- directions
// ---------------------------------------------------------------------------------------------------

class Anisotropic : public ::testing::TestWithParam<SolverKind> {
 protected:
  /// A body on a floor whose friction is 0.5 along x and 0.1 along y.
  test::World grooved_floor() {
    PairLaw law;
    law.friction = 0.5;
    test::World world(law, 1e-3);
    world.model.settings.solver.kind = GetParam();
    world.model.settings.solver.max_sweeps = 100;
    const MaterialIndex floor = world.model.materials.add("grooved", 2500.0);
    world.model.materials.set_law(world.material, floor, law);
    world.model.materials.set_surface(floor, {.direction_factors = Vec3(1.0, 0.2, 1.0), .patches = {}});
    world.model.boundaries.push_back({"floor", floor, Plane{Vec3::Zero(), Vec3::UnitZ()}});
    return world;
  }
};

TEST_P(Anisotropic, FrictionDissipatesTheMostWithinItsEllipse) {
  // Sliding at an angle, the impulse is -p_n D^2 u / |D u|, D = diag(0.5, 0.1): not against the motion.
  for (const double angle : {0.0, 0.3, 0.8, 1.3, M_PI / 2, 2.5}) {
    test::World world = grooved_floor();
    const Vec3 v0(5.0 * std::cos(angle), 5.0 * std::sin(angle), 0.0);
    world.add_sphere(0.1, Vec3(0, 0, 0.1), {v0, Vec3::Zero()});
    const StepReport report = world.step();
    EXPECT_LT(report.residual_rms_m_s, 1e-9);
    const Vec3 gain = world.state.bodies.linear_velocity[0] - v0;
    const Vec2 du(0.5 * v0[0], 0.1 * v0[1]);
    const Vec2 exact = -9.81e-3 * Vec2(0.5 * du[0], 0.1 * du[1]) / du.norm();
    // The velocity at the end of the step decides the direction: it differs by 3.5 mu g h / v = 3.4e-3.
    EXPECT_NEAR(gain[0], exact[0], 4e-3 * exact.norm()) << angle;
    EXPECT_NEAR(gain[1], exact[1], 4e-3 * exact.norm()) << angle;
  }
}

TEST_P(Anisotropic, SlopeThresholdsDifferByDirection) {
  // Inclined along x it holds below tan(theta) = 0.5, along y below 0.1.
  const auto speed_after = [&](const Vec3& direction, double tangent) {
    test::World world = grooved_floor();
    PairLaw upright = world.model.materials.law(world.material, MaterialIndex(1));
    upright.rolling_friction_m = 100.0;  // holds it upright: only sliding remains
    world.model.materials.set_law(world.material, MaterialIndex(1), upright);
    const double theta = std::atan(tangent);
    world.model.settings.gravity = 9.81 * Vec3(direction * std::sin(theta) - Vec3::UnitZ() * std::cos(theta));
    world.add(Vec3(0.2, 0.2, 0.05), {Vec3(0, 0, 0.05), Quat::Identity()});
    world.run(0.3);
    return world.state.bodies.linear_velocity[0].norm();
  };
  EXPECT_LT(speed_after(Vec3::UnitX(), 0.495), 1e-7);
  EXPECT_NEAR(speed_after(Vec3::UnitX(), 0.505), 0.3 * 9.81 * 0.005 / std::hypot(1.0, 0.505), 1e-4);
  EXPECT_LT(speed_after(Vec3::UnitY(), 0.099), 1e-7);
  EXPECT_NEAR(speed_after(Vec3::UnitY(), 0.101), 0.3 * 9.81 * 0.001 / std::hypot(1.0, 0.101), 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Solvers, Anisotropic,
                         ::testing::Values(SolverKind::gauss_seidel, SolverKind::nsgs, SolverKind::admm,
                                           SolverKind::one_pass),
                         [](const auto& test) { return to_string(test.param); });

TEST(Surface, DirectionsRotateWithBodyAndIgnorePartnerOrder) {
  Random random(4);
  for (int i = 0; i < 200; ++i) {
    const Surface a{.direction_factors = Vec3(random.uniform(), random.uniform(), random.uniform()),
                    .patches = {}};
    const Surface b{.direction_factors = Vec3(random.uniform(), random.uniform(), random.uniform()),
                    .patches = {}};
    const Quat qa = random.rotation(), qb = random.rotation(), turn = random.rotation();
    const Vec3 n = random.direction();
    const DirectionFactors ab = direction_factors({a, qa}, {b, qb}, n),
                           ba = direction_factors({b, qb}, {a, qa}, n);
    EXPECT_NEAR(ab.along_t1, ba.along_t1, 1e-14);
    EXPECT_NEAR(std::abs(ab.t1.dot(ba.t1)), 1.0, 1e-9);
    EXPECT_NEAR(ab.t1.dot(n), 0.0, 1e-15);
    const DirectionFactors turned = direction_factors({a, turn * qa}, {b, turn * qb}, turn * n);
    EXPECT_NEAR(turned.along_t1, ab.along_t1, 1e-13);
    EXPECT_NEAR(turned.along_t2, ab.along_t2, 1e-13);
    // An isotropic partner has no effect: in the plane across the x axis factors are those of y and z.
    const DirectionFactors plain = direction_factors({a, Quat::Identity()}, {Surface{}, qb}, Vec3::UnitX());
    EXPECT_NEAR(plain.along_t1, std::max(a.direction_factors[1], a.direction_factors[2]), 1e-14);
    EXPECT_NEAR(plain.along_t2, std::min(a.direction_factors[1], a.direction_factors[2]), 1e-14);
  }
}

TEST(Surface, PatchFactorFadesOverItsMargin) {
  const Surface s{.direction_factors = Vec3::Ones(),
                  .patches = {{.centre = Vec3(1, 0, 0), .radius_m = 0.1, .edge_m = 0.2, .factor = 3.0},
                              {.centre = Vec3(1, 0, 0), .radius_m = 0.05, .edge_m = 0.0, .factor = 0.5}}};
  EXPECT_DOUBLE_EQ(place_factor(s, Vec3(1, 0, 0.02)), 1.5);
  EXPECT_DOUBLE_EQ(place_factor(s, Vec3(1, 0, 0.1)), 3.0);
  EXPECT_NEAR(place_factor(s, Vec3(1, 0, 0.2)), 2.0, 1e-14);
  EXPECT_DOUBLE_EQ(place_factor(s, Vec3(1, 0, 0.4)), 1.0);
}

TEST(Surface, ASphereStopsOnTheRoughPatchOfItsFloor) {
  // A body slides without friction, reaches a patch of mu = 0.4 beyond x = 1 and leaves it rolling: v = 5/7
  // v0 (closed form of sliding into rolling, reached on the patch: x_roll = 12 v0^2 / (49 mu g) = 0.0624 m).
  PairLaw law;
  law.friction = 0.4;
  test::World world(law, 1e-3);
  const MaterialIndex ice = world.model.materials.add("ice", 900.0);
  world.model.materials.set_law(world.material, ice, law);
  world.model.materials.set_surface(
      ice, {.direction_factors = Vec3::Ones(),
            .patches = {{.centre = Vec3::Zero(), .radius_m = 0.5, .edge_m = 0.0, .factor = 0.0}}});
  world.model.boundaries.push_back({"floor", ice, Plane{Vec3::Zero(), Vec3::UnitZ()}});
  world.add_sphere(0.1, Vec3(0, 0, 0.1), {Vec3(1.0, 0, 0), Vec3::Zero()});
  double worst = 0.0;
  world.run(0.49,
            [&](const StepReport& r) { worst = std::max(worst, std::abs(r.energy.dissipated_by_friction)); });
  EXPECT_LT(worst, 1e-15);
  EXPECT_NEAR(world.state.bodies.linear_velocity[0][0], 1.0, 1e-12);
  world.run(1.0);
  EXPECT_NEAR(world.state.bodies.linear_velocity[0][0], 5.0 / 7.0, 1e-9);
}

// A ratio is a length over the reduced radius: at a wall that of the body, of two bodies a b/(a + b).
TEST(RollingFriction, RatioIsALengthOverTheReducedRadius) {
  static constexpr double a = 0.04, b = 0.02, ratio = 0.1;
  const auto roll = [](const PairLaw& law) {
    test::World world(law);
    world.add_floor();
    world.add_sphere(a, Vec3(0, 0, a), {Vec3(1, 0, 0), Vec3(0, 1.0 / a, 0)});
    world.run(0.3);
    return world;
  };
  const auto meet = [](const PairLaw& law) {  // oblique, without gravity
    test::World world(law);
    world.model.settings.gravity = Vec3::Zero();
    world.add_sphere(a, Vec3::Zero(), {Vec3::Zero(), Vec3(0, 3, 2)});
    world.add_sphere(b, Vec3(a + b + 0.01, 0.01, 0), {Vec3(-2, 0.3, 0), Vec3(1, 5, 0)});
    world.run(0.05);
    return world;
  };
  for (const auto& [run, radius] :
       {std::pair<test::World (*)(const PairLaw&), double>(roll, a), {meet, a * b / (a + b)}}) {
    const test::World by_ratio =
                          run({.torsional_friction_ratio = 2.0 * ratio, .rolling_friction_ratio = ratio}),
                      by_length = run({.torsional_friction_m = 2.0 * ratio * radius,
                                       .rolling_friction_m = ratio * radius}),
                      free = run({});
    for (std::size_t i = 0; i < by_ratio.state.bodies.size(); ++i) {
      const Vec3 w = by_ratio.state.bodies.angular_velocity[i];
      EXPECT_LT((w - by_length.state.bodies.angular_velocity[i]).norm(), 1e-9 * w.norm());
    }
    EXPECT_GT((by_ratio.state.bodies.angular_velocity[0] - free.state.bodies.angular_velocity[0]).norm(),
              0.1);
  }
}

}  // namespace
}  // namespace scree
