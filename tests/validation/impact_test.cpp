// Impacts of several bodies at once: the prediction of each law of restitution, and that no energy is
// created.
#include <gtest/gtest.h>

#include "engine/solver/impacts.h"
#include "tests/support/world.h"

namespace scree {
namespace {

using test::World;

class Impacts : public ::testing::TestWithParam<RestitutionLaw> {
 protected:
  World make(double restitution, double friction = 0.0) {
    PairLaw law;
    law.friction = friction;
    law.restitution = restitution;
    World world(law, 1e-3);
    world.model.settings.gravity.setZero();
    world.model.settings.restitution_law = GetParam();
    world.model.settings.restitution_threshold_m_s = 1e-3;
    return world;
  }
  bool energetic() const { return GetParam() == RestitutionLaw::energetic; }
};

double vx(const World& world, std::size_t i) { return world.state.bodies.linear_velocity[i][0]; }

TEST_P(Impacts, NewtonsCradle) {
  // Three touching balls, the first moves. Energetic impacts pass the motion on ball by ball: (0, 0, 1).
  // Newton's law in one solution has no order: the contact at rest requires only u+ >= 0, and the exact
  // solution of the two conditions is (-1/3, 2/3, 2/3). Both conserve momentum and energy.
  World world = make(1.0);
  for (int i = 0; i < 3; ++i)
    world.add_sphere(0.1, Vec3(0.2 * i, 0, 0), {Vec3(i == 0 ? 1.0 : 0.0, 0, 0), Vec3::Zero()});
  const StepReport report = world.step();
  const Vec3 exact = energetic() ? Vec3(0, 0, 1) : Vec3(-1.0 / 3, 2.0 / 3, 2.0 / 3);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(vx(world, i), exact[static_cast<int>(i)], 1e-7) << i;
  EXPECT_NEAR(report.energy.dissipated_by_impact + report.energy.dissipated_by_friction, 0.0, 1e-7);
  EXPECT_LT(std::abs(report.energy.remainder), 1e-12);
}

TEST_P(Impacts, LongCradleWithTwoBallsIn) {
  // Two balls in, two balls out, of seven.
  if (!energetic()) GTEST_SKIP() << "Newton's law in one solution spreads the motion over all balls";
  World world = make(1.0);
  for (int i = 0; i < 7; ++i)
    world.add_sphere(0.1, Vec3(0.2 * i, 0, 0), {Vec3(i < 2 ? 1.0 : 0.0, 0, 0), Vec3::Zero()});
  world.step();
  for (std::size_t i = 0; i < 7; ++i) EXPECT_NEAR(vx(world, i), i >= 5 ? 1.0 : 0.0, 1e-9) << i;
}

TEST_P(Impacts, GluedBodiesBounceAsOne) {
  for (const double modulus : {infinity, 1e13}) {
    BondLaw glue;
    glue.youngs_modulus = modulus;
    // Two bars of two balls meet on their axes and exchange velocities.
    World bars = make(1.0);
    for (int i = 0; i < 4; ++i)
      bars.add_sphere(0.1, Vec3(0.2 * i + (i < 2 ? -2e-3 : 0.0), 0, 0),
                      {Vec3(i < 2 ? 1.0 : 0.0, 0, 0), Vec3::Zero()});
    glue.reach = 1e-4;
    bars.model.bonds = {glue};
    bars.run(0.01);
    ASSERT_EQ(bars.state.bonds.size(), 2u);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(vx(bars, i), i < 2 ? 0.0 : 1.0, 1e-4) << modulus << i;
    // A bar at 45 degrees strikes the floor with its end: J = (1 + e) v/(1/m + a^2/I), I of the bar.
    constexpr double e = 0.5, radius = 0.1;
    World bar = make(e);
    bar.add_floor();
    const Vec3 along = radius * Vec3(1, 0, 1).normalized();
    for (const double sign : {-1.0, 1.0})
      bar.add_sphere(radius, Vec3(0, 0, radius + along.z() + 2e-4) + sign * along,
                     {Vec3(0, 0, -1), Vec3::Zero()});
    bar.model.bonds = {glue};
    bar.run(0.01);
    const Bodies& bodies = bar.state.bodies;
    const double m = 2.0 * bodies.mass[0], inertia = 2.0 * bodies.inertia[0][0] + m * radius * radius,
                 impulse = (1.0 + e) / (1.0 / m + along.x() * along.x() / inertia);
    const Vec3 mean = 0.5 * (bodies.linear_velocity[0] + bodies.linear_velocity[1]);
    EXPECT_NEAR(mean.z(), -1.0 + impulse / m, 1e-3) << modulus;
    EXPECT_NEAR(std::abs(bodies.angular_velocity[0].y()), along.x() * impulse / inertia, 1e-2) << modulus;
  }
}

TEST_P(Impacts, BodiesThatAreJustBondedGainNoEnergy) {
  // A light ball strikes the floor in the step in which it is bonded to a heavy one that does not move yet.
  for (const double modulus : {infinity, 1e13, 1e9}) {
    World world = make(0.0);
    world.add_floor();
    const MaterialIndex heavy = world.model.materials.add("heavy", 250000.0);
    world.add_sphere(0.1, Vec3(0, 0, 0.1), {Vec3(0, 0, -1), Vec3::Zero()});
    world.material = heavy;
    world.add_sphere(0.1, Vec3(0, 0, 0.3));
    BondLaw glue;
    glue.youngs_modulus = modulus;
    world.model.bonds = {glue};
    const double energy = 0.5 * world.state.bodies.mass[0];
    world.run(0.01, [&](const StepReport& report) {
      EXPECT_LE(report.energy.kinetic + report.energy.elastic, energy * (1.0 + 1e-9)) << modulus;
    });
  }
}

TEST_P(Impacts, BarsOfManyBallsStrikeAsOneBody) {
  // A bar of eight balls at an angle, of which every second one is five times as heavy: it strikes as one
  // body.
  World world = make(0.5);
  world.add_floor();
  const MaterialIndex light = world.material, heavy = world.model.materials.add("heavy", 12500.0);
  const Vec3 along = Vec3(1, 0, 0.3).normalized();
  for (int i = 0; i < 8; ++i) {
    world.material = i % 2 == 0 ? light : heavy;
    world.add_sphere(0.1, Vec3(0, 0, 0.102) + 0.2 * i * along, {Vec3(0, 0, -1), Vec3::Zero()});
  }
  world.model.bonds = {BondLaw{}};
  world.model.settings.solver.max_sweeps = 20000;
  world.model.settings.solver.tolerance = 1e-6;
  const Bodies& bodies = world.state.bodies;
  double m = 0.0, before = 0.0;
  Vec3 centre = Vec3::Zero();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    m += bodies.mass[i];
    centre += bodies.mass[i] * bodies.position[i];
  }
  centre /= m;
  before = 0.5 * m;
  double inertia = 0.0;
  for (std::size_t i = 0; i < bodies.size(); ++i)
    inertia += bodies.inertia[i][1] + bodies.mass[i] * (bodies.position[i] - centre).squaredNorm();
  const double arm = centre.x(), response = 1.0 / m + arm * arm / inertia,
               lost = 0.5 * (1.0 - 0.25) / response;
  const StepReport report = world.run(0.004);
  EXPECT_EQ(world.state.bonds.size(), 7u);
  EXPECT_NEAR(report.energy.kinetic, before - lost, 1e-2 * lost);
}

TEST_P(Impacts, BallOnTwoBallsStaysSymmetric) {
  // Bernoulli's problem: a ball strikes two equal touching ones in the middle, lines of centres at 30 degrees
  // from its motion. With restitution e and no friction p = (1 + e) m v cos(30) / (1 + 2 cos^2(30)) on each.
  for (const double e : {0.0, 0.5, 1.0}) {
    World world = make(e);
    const double c = std::sqrt(3.0) / 2.0;
    // Contacts are found half a step later: the ball starts further back by this distance.
    world.add_sphere(0.1, Vec3(-0.5e-3, 0, 0), {Vec3(1, 0, 0), Vec3::Zero()});
    world.add_sphere(0.1, Vec3(0.2 * c, 0.1, 0));
    world.add_sphere(0.1, Vec3(0.2 * c, -0.1, 0));
    const StepReport report = world.step();
    const double p = (1.0 + e) * c / (1.0 + 2.0 * c * c);  // over the mass
    // Without restitution Newton's contacts are lasting contacts, whose gap must close at the end of the
    // step: its curvature term, h u_t^2 / (2 * 0.2 m), is included.
    const double near = e == 0.0 && !energetic() ? 1e-3 : 1e-7;
    EXPECT_NEAR(vx(world, 0), 1.0 - 2.0 * p * c, near) << e;
    EXPECT_NEAR(vx(world, 1), p * c, near) << e;
    EXPECT_NEAR(world.state.bodies.linear_velocity[1][1], 0.5 * p, near) << e;
    EXPECT_NEAR(world.state.bodies.linear_velocity[2][1], -0.5 * p, near) << e;
    const double loss = 0.5 * world.state.bodies.mass[0] * (1 - e * e) * 2 * c * c / (1 + 2 * c * c);
    EXPECT_NEAR(report.energy.dissipated_by_impact, loss, 10.0 * near) << e;
  }
}

TEST_P(Impacts, EllipsoidDroppedOnItsEdge) {
  // J = -(1 + e) v_n / (1/m + (r x n).I^-1 (r x n)), without friction, for any attitude.
  Random random(6);
  for (int i = 0; i < 20; ++i) {
    const double e = 0.8;
    World world = make(e);
    world.add_floor();
    const Vec3 axes(0.2, 0.1, 0.05);
    const Quat q = random.rotation();
    const Mat3 r = q.toRotationMatrix();
    const double height = std::sqrt((r * axes.array().square().matrix().asDiagonal() * r.transpose())(2, 2));
    world.add(axes, {Vec3(0, 0, height), q}, {Vec3(0, 0, -1.0), Vec3::Zero()});
    const Vec3 support = -(r * axes.array().square().matrix().asDiagonal() * r.transpose()).col(2) / height;
    const double m = world.state.bodies.mass[0];
    const Vec3 moment = r.transpose() * support.cross(Vec3::UnitZ());
    const double j = (1 + e) / (1 / m + moment.cwiseQuotient(world.state.bodies.inertia[0]).dot(moment));
    world.step();
    EXPECT_NEAR(world.state.bodies.linear_velocity[0][2], -1.0 + j / m, 2e-3 * j / m) << i;
  }
}

TEST_P(Impacts, OneContactKeepsItsCoefficient) {
  // A central impact: both laws give u+ = -e u-, with or without friction, and the energy loss is (1 - e^2)
  // of the relative energy.
  for (const double e : {0.0, 0.3, 0.9}) {
    World world = make(e, 0.4);
    world.add_sphere(0.1, Vec3(0, 0, 0), {Vec3(1, 0, 0), Vec3::Zero()});
    world.add_sphere(0.1, Vec3(0.2, 0, 0), {Vec3(-0.5, 0, 0), Vec3::Zero()});
    world.step();
    EXPECT_NEAR(vx(world, 1) - vx(world, 0), e * 1.5, 1e-9);
    EXPECT_NEAR(vx(world, 1) + vx(world, 0), 0.5, 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(Laws, Impacts, ::testing::Values(RestitutionLaw::newton, RestitutionLaw::energetic),
                         [](const auto& test) {
                           return test.param == RestitutionLaw::newton ? "newton" : "energetic";
                         });

double kinetic(const ContactProblem& p, const std::vector<Twist>& v) {
  double e = 0.0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    if (!p.is_moved(i)) continue;
    e += 0.5 * v[i].linear.squaredNorm() / p.inverse_mass(i);
    e += 0.5 * v[i].angular.dot(p.inverse_inertia(i).inverse() * v[i].angular);
  }
  return e;
}

/// A cluster of ellipsoids that collide.
World cluster(double restitution, double friction, std::uint64_t seed) {
  PairLaw law;
  law.friction = friction;
  law.restitution = restitution;
  World world = test::loose_heap(3, 3, law, 2e-3, seed);
  world.model.settings.gravity.setZero();
  world.model.settings.solver = SolverSettings{};
  Random random(seed);
  const Vec3 middle(0.33, 0.33, 0.33);
  for (std::size_t i = 0; i < world.state.bodies.size(); ++i) {
    world.state.bodies.linear_velocity[i] = 3.0 * (middle - world.state.bodies.position[i]);
    world.state.bodies.angular_velocity[i] = 5.0 * random.direction();
  }
  return world;
}

TEST(EnergeticImpacts, NeverCreateEnergyInMultibodyCollisions) {
  // 27 grains collide, with friction, reversal of slip and chains of impacts; e from 0 to 1.
  for (const double e : {0.0, 0.5, 1.0}) {
    for (const double mu : {0.0, 0.3, 1.5}) {
      World world = cluster(e, mu, 11);
      world.model.settings.restitution_law = RestitutionLaw::energetic;
      const double start = kinetic_energy(world.state.bodies);
      double last = start, worst_remainder = 0.0, worst_momentum = 0.0;
      world.run(0.6, [&](const StepReport& r) {
        // Lasting contacts of curved bodies conserve energy only to second order in the step (A2).
        EXPECT_LE(r.energy.kinetic, last + 1e-7 * start) << "e " << e << " mu " << mu << " t " << r.time_s;
        last = r.energy.kinetic;
        worst_remainder = std::max(worst_remainder, std::abs(r.energy.remainder));
        worst_momentum = std::max(worst_momentum, r.momentum_error_relative);
      });
      EXPECT_LT(worst_remainder, 1e-12 * start);
      EXPECT_LT(worst_momentum, 1e-9);  // of impulses that may be a thousandth of the rounded momenta
      if (e == 1.0 && mu == 0.0) {
        EXPECT_GT(last, 0.9 * start);  // slow approaches below the threshold are lost
      } else if (e == 0.0) {
        EXPECT_LT(last, 0.9 * start);
      }
    }
  }
}

TEST(EnergeticImpacts, ReturnCompressionWorkTimesCoefficientSquared) {
  // One oblique impact of an ellipsoid whose slip stops or reverses: the normal impulse returns e^2 of its
  // work, and the total energy decreases.
  Random random(12);
  for (int i = 0; i < 200; ++i) {
    PairLaw law;
    law.friction = random.uniform(0.0, 1.0);
    law.restitution = random.uniform(0.1, 1.0);
    World world(law, 1e-3);
    world.model.settings.gravity.setZero();
    world.model.settings.restitution_law = RestitutionLaw::energetic;
    world.add_floor();
    const Vec3 axes(0.2, 0.1, 0.07);
    const Quat q = random.rotation();
    const Mat3 s =
        q.toRotationMatrix() * axes.array().square().matrix().asDiagonal() * q.toRotationMatrix().transpose();
    world.add(axes, {Vec3(0, 0, std::sqrt(s(2, 2)) - 1e-6), q},
              {Vec3(random.normal(), random.normal(), -2.0), 5.0 * random.direction()});
    world.step();  // to obtain the contact problem
    ContactProblem p = world.workspace.problem;
    p.complete();
    std::vector<Twist> v = world.workspace.before;
    std::vector<Vec3> impulse;
    std::vector<double> of_rows;
    const double before = kinetic(p, v);
    const ImpactReport report = resolve_impacts(p, {1e-3, 1e-3}, v, impulse, of_rows);
    if (report.rounds == 0) continue;
    EXPECT_NEAR(report.returned_work_J, law.restitution * law.restitution * report.compression_work_J,
                1e-9 * report.compression_work_J)
        << i;
    EXPECT_LE(kinetic(p, v), before * (1.0 + 1e-12));
    EXPECT_LE(impulse[0].tail<2>().norm(), law.friction * impulse[0][0] * (1.0 + 1e-9));
  }
}

TEST(EnergeticImpacts, ImpulsesMatchVelocityChanges) {
  // Some of the simultaneous contacts return no work, and others absorbed no work, because friction drove
  // them: then no work at all is returned.
  Random random(13);
  int nothing_returned = 0;
  for (std::uint64_t seed = 1; seed <= 80; ++seed) {
    World world = cluster(0.5, 0.1 * static_cast<double>(seed), seed);
    world.model.settings.restitution_law = RestitutionLaw::energetic;
    world.run(0.2, [&](const StepReport&) {
      ContactProblem p = world.workspace.problem;
      p.complete();
      for (double& e : p.restitution) e = random.uniform() < 0.5 ? 0.0 : 0.9;
      std::vector<Twist> v = world.workspace.before;
      std::vector<Vec3> impulse;
      std::vector<double> of_rows;
      const ImpactReport report = resolve_impacts(p, {2e-3, 1e-3}, v, impulse, of_rows);
      std::vector<Twist> given(v.size());
      bool could_return = false;
      for (std::size_t c = 0; c < p.contacts(); ++c) {
        const Vec3 in_world = p.frame(c).transpose() * impulse[c];
        const auto give = [&](std::size_t i, const Vec3& arm, double sign) {
          const Twist change = answer(p.response[i], in_world, arm.cross(in_world));
          given[i].linear += sign * change.linear;
          given[i].angular += sign * change.angular;
        };
        give(p.a(c), p.arm_a(c), 1.0);
        give(p.b(c), p.arm_b(c), -1.0);
        could_return = could_return || (p.restitution[c] > 0.0 && impulse[c][0] > 0.0);
      }
      for (std::size_t i = 0; i < v.size(); ++i) {
        const Twist& before = world.workspace.before[i];
        EXPECT_LT((v[i].linear - before.linear - given[i].linear).norm(), 1e-12);  // m/s, of a few m/s
        EXPECT_LT((v[i].angular - before.angular - given[i].angular).norm(), 1e-11);
      }
      nothing_returned += could_return && report.returned_work_J == 0.0;
    });
  }
  EXPECT_GT(nothing_returned, 0);
}

TEST(Restitution, SlowApproachesDoNotBounce) {
  for (const RestitutionLaw law_kind : {RestitutionLaw::newton, RestitutionLaw::energetic}) {
    PairLaw law;
    law.restitution = 0.9;
    World world(law, 1e-3);
    world.model.settings.gravity.setZero();
    world.model.settings.restitution_law = law_kind;
    world.model.settings.restitution_threshold_m_s = 0.05;
    world.add_floor();
    world.add_sphere(0.1, Vec3(0, 0, 0.1), {Vec3(0, 0, -0.049), Vec3::Zero()});
    world.step();
    EXPECT_NEAR(world.state.bodies.linear_velocity[0][2], 0.0, 1e-12);
  }
}

}  // namespace
}  // namespace scree
