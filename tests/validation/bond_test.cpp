// Bonds: rigid and elastic bars against closed forms, what breaks them, balances, solvers, cells, bits.
#include <gtest/gtest.h>
#include <numbers>

#include "engine/core/state_hash.h"
#include "engine/simulation/overrides.h"
#include "engine/simulation/subsystems/parts.h"
#include "engine/simulation/subsystems/population.h"
#include "tests/support/same_bits.h"
#include "tests/support/world.h"

namespace scree {
namespace {

using test::World;

constexpr double g = 9.81, r = 0.05;

/// Spheres that touch, in a row along x; the first is optionally held.
World chain(int n, const BondLaw& law, bool held, double time_step_s = 1e-3) {
  World world({}, time_step_s);
  for (int i = 0; i < n; ++i) world.add_sphere(r, Vec3(2.0 * r * i, 0, 0));
  world.model.bonds.push_back(law);
  if (!held) return world;
  world.model.parts.push_back({.name = "held"});
  carry_body(0, 0, world.state);
  return world;
}

BondLaw elastic(double youngs_modulus, double damping = 0.0) {
  BondLaw law;
  law.youngs_modulus = youngs_modulus;
  law.damping = damping;
  return law;
}

double weight(const World& world) { return world.state.bodies.mass[1] * g; }

// Two that rotate about each other: their relative position and all momenta are constant.
TEST(Bonds, RigidOnesKeepBodiesTogether) {
  World world = chain(2, {}, false);
  world.model.settings.gravity.setZero();
  Bodies& bodies = world.state.bodies;
  const Vec3 spin(0.3, 1.0, 2.0);
  for (std::size_t i = 0; i < 2; ++i) {
    bodies.angular_velocity[i] = spin;
    bodies.linear_velocity[i] = spin.cross(bodies.position[i]) + Vec3(0.2, 0, 0);
  }
  const Vec3 before = angular_momentum(bodies), linear = linear_momentum(bodies);
  double apart = 0.0, turned = 0.0;
  world.run(2.0, [&](const StepReport& report) {
    EXPECT_LT(std::abs(report.energy.remainder), 1e-13);
    apart = std::max(apart, std::abs((bodies.position[1] - bodies.position[0]).norm() - 2.0 * r));
    turned = std::max(turned, bodies.orientation[0].angularDistance(bodies.orientation[1]));
  });
  EXPECT_LT(apart, 1e-9);  // third order in the step: 2 r (w h)^3
  EXPECT_LT(turned, 1e-7);
  EXPECT_LT((angular_momentum(bodies) - before).norm(), 1e-12 * before.norm());
  EXPECT_LT((linear_momentum(bodies) - linear).norm(), 1e-12 * linear.norm());
}

// Thirty balls, the last fifty times as heavy as the others: sweeps from ball to ball would miss the goal by
// far. The held one carries all of the weight, exactly as statics says.
TEST(Bonds, LongBarsHoldAHeavyEnd) {
  constexpr int n = 30;
  BondLaw breakable;
  breakable.breaking_force = 1e9;
  for (const BondLaw& law : {BondLaw{}, breakable, elastic(1e14, 1.0)}) {
    World world = chain(n, law, true);
    Bodies& bodies = world.state.bodies;
    bodies.mass[n - 1] *= 50.0;
    bodies.inertia[n - 1] *= 50.0;
    std::int64_t missed = 0;
    world.run(0.05, [&](const StepReport& report) {
      missed += report.status == SolveStatus::converged ? 0 : 1;
      EXPECT_LT(report.momentum_error_relative, 1e-11);
    });
    EXPECT_EQ(missed, 0);
    double carried = 0.0, moment = 0.0;
    for (int i = 1; i < n; ++i) {
      carried += bodies.mass[i] * g;
      moment += bodies.mass[i] * g * 2.0 * r * i;
      EXPECT_LT(std::abs(bodies.position[i].z()), law.is_rigid() ? 1e-9 : 2e-5);
    }
    const BoundaryLoad& held = world.result.parts[0];
    EXPECT_NEAR(held.impulse.z() / 1e-3, -carried, 1e-6 * carried);
    EXPECT_NEAR(held.angular_impulse.y() / 1e-3, moment, 1e-6 * moment);
  }
}

// Bars held at both ends: each end carries half of the weight, although rigid bonds leave open how much. By
// steel the moments at the ends are those of a beam that is clamped at both, w L^2 / 12, with point masses.
TEST(Bonds, BarsHeldAtBothEndsShareTheirWeight) {
  for (const int n : {22, 80}) {
    for (const BondLaw& law : {BondLaw{}, elastic(1e14, 1.0)}) {
      World world = chain(n, law, true);
      world.model.parts.push_back({.name = "other"});
      carry_body(1, n - 1, world.state);
      std::int64_t missed = 0;
      world.run(0.05,
                [&](const StepReport& report) { missed += report.status == SolveStatus::converged ? 0 : 1; });
      EXPECT_EQ(missed, 0) << n;
      const double half = 0.5 * (n - 2) * weight(world);
      for (const BoundaryLoad& held : world.result.parts)
        EXPECT_NEAR(held.impulse.z() / 1e-3, -half, 1e-4 * half) << n;
      for (int i = 1; i + 1 < n; ++i) EXPECT_LT(std::abs(world.state.bodies.position[i].z()), 1e-3 * r) << n;
    }
  }
}

/// A ring of spheres about z that touch.
World ring(int n, const BondLaw& law) {
  World world;
  const double radius = r / std::sin(std::numbers::pi / n);
  for (int i = 0; i < n; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / n;
    world.add_sphere(r, radius * Vec3(std::cos(angle), std::sin(angle), 0.0));
  }
  world.model.bonds.push_back(law);
  return world;
}

// Rings of bonds: one that turns in space keeps its energy and shape; one that hangs at a held ball has all
// weight there, and halves of it on both sides.
TEST(Bonds, RingsKeepTogether) {
  for (const int n : {12, 60}) {
    World world = ring(n, {});
    Bodies& bodies = world.state.bodies;
    world.model.settings.gravity.setZero();
    const Vec3 spin(0.5, 1.0, 1.5);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      bodies.angular_velocity[i] = spin;
      bodies.linear_velocity[i] = spin.cross(bodies.position[i]);
    }
    const double energy = kinetic_energy(bodies),
                 across = (bodies.position[n / 2] - bodies.position[0]).norm();
    std::int64_t missed = 0;
    world.run(0.5,
              [&](const StepReport& report) { missed += report.status == SolveStatus::converged ? 0 : 1; });
    EXPECT_EQ(missed, 0) << n;
    EXPECT_NEAR(kinetic_energy(bodies), energy, 1e-5 * energy) << n;
    EXPECT_NEAR((bodies.position[n / 2] - bodies.position[0]).norm(), across, 1e-5 * across) << n;

    World hung = ring(n, {});
    hung.model.parts.push_back({.name = "held"});
    hung.model.settings.gravity = Vec3(-g, 0, 0);  // along its diameter
    carry_body(0, 0, hung.state);
    missed = 0;
    hung.run(0.05,
             [&](const StepReport& report) { missed += report.status == SolveStatus::converged ? 0 : 1; });
    EXPECT_EQ(missed, 0) << n;
    const double all = (n - 1) * weight(hung);
    EXPECT_NEAR(hung.result.parts[0].impulse.x() / 1e-3, -all, 1e-5 * all) << n;
    EXPECT_NEAR(hung.result.parts[0].angular_impulse.norm() / 1e-3, 0.0, 1e-5 * all * across) << n;
    double halves[2] = {};
    for (const Bond& bond : hung.state.bonds) {
      if (bond.a != 0 && bond.b != 0) continue;
      const auto other = static_cast<std::size_t>(bond.a == 0 ? bond.b : bond.a);
      const Vec3 impulse = hung.state.bodies.orientation[bond.b] * (bond.frame_b * bond.impulse);
      halves[other == 1 ? 0 : 1] = std::abs(impulse.x()) / 1e-3;
    }
    EXPECT_NEAR(halves[0], halves[1], 5e-3 * all) << n;  // the ring of twelve is swept
    EXPECT_NEAR(halves[0] + halves[1], all, 1e-3 * all) << n;
  }
}

// A bar whose two held ends turn together about a point far away, with both kinds of bonds: the axial force
// of bond k is between those of centripetal accelerations, of a bar that is held at its near or at its far
// end.
TEST(Bonds, EndsThatTurnTogetherDoNotPull) {
  constexpr int n = 22;
  constexpr double speed = 2.0;
  for (const BondLaw& law : {BondLaw{}, elastic(1e11, 1.0)}) {
    World world = chain(n, law, false);
    world.model.settings.gravity.setZero();
    Bodies& bodies = world.state.bodies;
    const Vec3 spin(0, 0, speed);
    for (int i = 0; i < n; ++i) {
      bodies.angular_velocity[i] = spin;
      bodies.linear_velocity[i] = spin.cross(bodies.position[i]);
    }
    for (const int end : {0, n - 1}) {
      Part part{.name = end == 0 ? "near" : "far"};
      part.motion = steady_motion({Vec3::Zero(), spin}, Vec3::Zero());
      world.model.parts.push_back(part);
      carry_body(static_cast<std::int32_t>(world.model.parts.size()) - 1, end, world.state);
    }
    world.run(0.5);
    double all = 0.0;
    for (int i = 1; i + 1 < n; ++i) all += bodies.mass[i] * speed * speed * 2.0 * r * i;
    for (const Bond& bond : world.state.bonds) EXPECT_LT(bond.impulse.norm() / 1e-3, all);
    const double pull = world.result.parts[0].impulse.norm() + world.result.parts[1].impulse.norm();
    EXPECT_NEAR(pull / 1e-3, all, 0.02 * all);
  }
}

// Rigid bonds between ends that move apart have no solution: the report tells.
TEST(Bonds, EndsThatMoveApartAreTold) {
  constexpr int n = 22;
  World world = chain(n, {}, true);
  Part pull{.name = "pull"};
  pull.motion = steady_motion({Vec3(0.1, 0, 0), Vec3::Zero()}, Vec3::Zero());
  world.model.parts.push_back(pull);
  carry_body(1, n - 1, world.state);
  world.model.settings.solver = {};
  std::int64_t missed = 0;
  world.run(0.02, [&](const StepReport& report) {
    missed += report.status == SolveStatus::converged ? 0 : 1;
    EXPECT_TRUE(std::isfinite(report.energy.kinetic));
  });
  EXPECT_GE(missed, 15);
}

// A joint that has no rows, as a cylinder without motor and spring, is in no group.
TEST(Bonds, JointsWithoutRowsAreBesideThem) {
  World world = chain(22, {}, true);
  world.model.joints.push_back({.name = "free",
                                .kind = JointKind::cylinder,
                                .a = {JointPartner::Kind::body, 21, {}},
                                .b = {JointPartner::Kind::ground, -1, {Vec3(0, 5, 0), Quat::Identity()}}});
  world.run(0.01);
  EXPECT_NEAR(world.result.parts[0].impulse.z() / 1e-3, -21.0 * weight(world), 1e-6 * 21.0 * weight(world));
}

// Which groups are solved at once is decided for each: a soft pair, which forms first, and a part with stops
// beside a long bar change nothing about it.
TEST(Bonds, LongBarsAreSolvedBesideOthers) {
  constexpr int n = 30;
  World world({}, 1e-3);
  const MaterialIndex soft = world.model.materials.add("soft", 2500.0);
  for (int i = 0; i < 2; ++i) world.add_sphere(r, Vec3(2.0 * r * i, 1.0, 0));
  Bodies& bodies = world.state.bodies;
  for (std::size_t i = 0; i < 2; ++i) bodies.material[i] = soft;
  for (int i = 0; i < n; ++i) world.add_sphere(r, Vec3(2.0 * r * i, 0, 0));
  bodies.mass[n + 1] *= 50.0;
  bodies.inertia[n + 1] *= 50.0;
  BondLaw pair = elastic(1e5, 0.5), bar;
  pair.glues = {0, 1};
  bar.glues = {1, 0};
  world.model.bonds = {pair, bar};
  world.model.parts = {{.name = "held"}, {.name = "stopped"}};
  Part& stopped = world.model.parts[1];
  stopped.freedom = Freedom::along;
  stopped.axis = Vec3::UnitZ();
  stopped.inertia = 2.0;
  stopped.low = 0.0;
  carry_body(0, 2, world.state);
  std::int64_t missed = 0;
  world.run(0.05, [&](const StepReport& report) {
    missed += report.status == SolveStatus::converged ? 0 : 1;
    EXPECT_LT(report.momentum_error_relative, 1e-11);
  });
  EXPECT_EQ(missed, 0);
  double carried = 0.0;
  for (int i = 3; i < n + 2; ++i) {
    carried += bodies.mass[i] * g;
    EXPECT_LT(std::abs(bodies.position[i].z()), 1e-9);
  }
  EXPECT_NEAR(world.result.parts[0].impulse.z() / 1e-3, -carried, 1e-6 * carried);
  EXPECT_NEAR(bodies.position[0].z(), -0.5 * g * 0.05 * 0.05, 1e-4);  // the pair falls
  EXPECT_NEAR(world.result.parts[1].stop_impulse / 1e-3, 2.0 * g, 1e-6 * 2.0 * g);
}

// A free bar that turns end over end has the energy and the angular momentum of one rigid body.
TEST(Bonds, LongBarsTurnAsOneBody) {
  World world = chain(30, {}, false);
  world.model.settings.gravity.setZero();
  Bodies& bodies = world.state.bodies;
  bodies.mass[29] *= 50.0;
  bodies.inertia[29] *= 50.0;
  const Vec3 spin(0, 1.0, 2.0);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    bodies.angular_velocity[i] = spin;
    bodies.linear_velocity[i] = spin.cross(bodies.position[i]);
  }
  const Vec3 before = angular_momentum(bodies);
  const double energy = kinetic_energy(bodies);
  world.run(1.0);
  EXPECT_LT((angular_momentum(bodies) - before).norm(), 1e-11 * before.norm());
  EXPECT_NEAR(kinetic_energy(bodies), energy, 1e-5 * energy);
  EXPECT_NEAR((bodies.position[29] - bodies.position[0]).norm(), 29 * 2.0 * r, 1e-5 * r);
}

// A beam of bars: bond i carries the weight V of all bodies beyond it, and its moment M about the bond. It
// shears by V L / (G A) and bends by M L / (E I), and the bodies beyond move along.
TEST(Bonds, BeamDeflectionMatchesTimoshenkoTheory) {
  constexpr int n = 6;
  World world = chain(n, elastic(1e9, 0.5), true);
  world.run(1.0);
  const Bodies& bodies = world.state.bodies;
  const double l = 2.0 * r, area = std::numbers::pi * r * r, second = 0.25 * area * r * r,
               shear_stiffness = 1e9 / 2.5 * area / l, bending_stiffness = 1e9 * second / l;
  const auto moment = [&](int i) {
    double sum = 0.0;
    for (int j = i + 1; j < n; ++j) sum += weight(world) * l * (j - i - 0.5);
    return sum;
  };
  for (int j = 1; j < n; ++j) {
    double droop = 0.0;
    for (int i = 0; i < j; ++i)
      droop +=
          (n - 1 - i) * weight(world) / shear_stiffness + moment(i) / bending_stiffness * l * (j - i - 0.5);
    EXPECT_NEAR(bodies.position[j].z(), -droop, 1e-4 * droop) << j;
  }
  // The held body carries all of the weight, and the moment about it.
  const BoundaryLoad& held = world.result.parts[0];
  EXPECT_NEAR(held.impulse.z() / 1e-3, -(n - 1) * weight(world), 1e-5 * weight(world));
  EXPECT_NEAR(held.angular_impulse.y() / 1e-3, moment(0) + 0.5 * l * (n - 1) * weight(world),
              1e-4 * moment(0));
  EXPECT_NEAR(world.result.report.boundary_impulse.z() / 1e-3, (n - 1) * weight(world), 1e-5 * weight(world));
  // Bending stress at the root, with the tension of a beam with small deflection.
  const BondLoad root = load_of(world.model.bonds[0], world.state.bonds[0], world.state.bonds[0].impulse,
                                world.state.bonds[0].moment_impulse, 1e-3);
  EXPECT_NEAR(root.tensile_stress, moment(0) * r / second, 1e-2 * moment(0) * r / second);
  EXPECT_NEAR(root.shear, (n - 1) * weight(world), 1e-3 * weight(world));
}

// w^2 = k (1/m + 1/m). Sixty steps per period give a phase error of (w h)^2 / 24 and hardly any damping.
TEST(Bonds, ElasticOnesSwing) {
  World world = chain(2, elastic(1e6), false);
  world.model.settings.gravity.setZero();
  Bodies& bodies = world.state.bodies;
  const double k = 1e6 * std::numbers::pi * r * r / (2.0 * r), m = bodies.mass[0], w = std::sqrt(2.0 * k / m),
               h = 2.0 * std::numbers::pi / (60.0 * w), v = 1e-3;
  world.model.settings.time_step_s = h;
  bodies.linear_velocity[0] = Vec3(-v, 0, 0);
  bodies.linear_velocity[1] = Vec3(v, 0, 0);
  const double energy = m * v * v;
  double phase = 0.0;
  for (int i = 0; i < 600; ++i) {
    const StepReport& report = world.step();
    EXPECT_NEAR(report.energy.kinetic + report.energy.elastic, energy, 1e-3 * energy);
    EXPECT_LT(std::abs(report.energy.remainder), 1e-15 * energy + 1e-20);
    phase = std::atan2(bodies.position[1].x() - bodies.position[0].x() - 2.0 * r,
                       (bodies.linear_velocity[1].x() - bodies.linear_velocity[0].x()) / w);
  }
  EXPECT_NEAR(phase, 0.0, 2.0 * std::numbers::pi * 10.0 * std::pow(w * h, 2) / 24.0 + 0.5 * w * h);
}

// Bent, twisted and stretched bonds far from their rest: the energy is kept to second order of the step.
TEST(Bonds, LargeDeformationsKeepTheEnergy) {
  for (const double ratio : {2.5, 10.0}) {
    std::vector<double> errors;
    for (const double steps : {400.0, 1600.0}) {
      BondLaw law = elastic(1e6);
      law.stiffness_ratio = ratio;
      World world = chain(2, law, false);
      world.model.settings.gravity.setZero();
      Bodies& bodies = world.state.bodies;
      const double k = 1e6 * std::numbers::pi * r * r / (2.0 * r), w = std::sqrt(2.0 * k / bodies.mass[0]);
      world.model.settings.time_step_s = 2.0 * std::numbers::pi / w / steps;
      bodies.linear_velocity = {0.6 * w * r * Vec3(0.3, 1, 0.2), -0.6 * w * r * Vec3(0.1, 0.5, -0.7)};
      bodies.angular_velocity = {0.6 * w * Vec3(1, 0.6, 0.3), 0.6 * w * Vec3(-1, 0.2, -0.8)};
      double energy = 0.0, error = 0.0, turn = 0.0;
      for (int i = 0; i < 2; ++i)
        energy += 0.5 * bodies.mass[i] * bodies.linear_velocity[i].squaredNorm() +
                  0.5 * bodies.inertia[i][0] * bodies.angular_velocity[i].squaredNorm();
      for (int i = 0; i < static_cast<int>(20.0 * steps); ++i) {
        const StepReport& report = world.step();
        error = std::max(error, std::abs(report.energy.kinetic + report.energy.elastic - energy) / energy);
        turn = std::max(turn, world.workspace.bonds[0].turn.norm());
      }
      EXPECT_GT(turn, 1.0);
      errors.push_back(error);
    }
    EXPECT_LT(errors[0], 2e-2) << ratio;
    EXPECT_LT(errors[1], 0.3 * errors[0]) << ratio;
  }
}

// A bar that is twisted to and fro by more than half a turn: a sine.
TEST(Bonds, TwistBeyondHalfATurnSwingsBack) {
  World world = chain(2, elastic(1e5), false);
  world.model.settings.gravity.setZero();
  Bodies& bodies = world.state.bodies;
  const double k = 1e5 / 2.5 * 0.5 * std::numbers::pi * std::pow(r, 4) / (2.0 * r),
               w = std::sqrt(2.0 * k / bodies.inertia[0][0]), most = 1.25 * std::numbers::pi;
  bodies.angular_velocity = {Vec3(0.5 * most * w, 0, 0), Vec3(-0.5 * most * w, 0, 0)};
  constexpr int steps = 400;
  world.model.settings.time_step_s = 2.0 * std::numbers::pi / (w * steps);
  for (int i = 1; i <= 3 * steps; ++i) {
    world.step();
    const double phase = 2.0 * std::numbers::pi * i / steps;
    EXPECT_NEAR(bodies.angular_velocity[0].x() - bodies.angular_velocity[1].x(), most * w * std::cos(phase),
                2e-2 * most * w)
        << i;
  }
}

// A bar that is critically damped creeps back from nearly half a turn.
TEST(Bonds, DampedTwistCreepsBack) {
  World world = chain(2, elastic(1e5, 1.0), false);
  world.model.settings.gravity.setZero();
  Bodies& bodies = world.state.bodies;
  const double k = 1e5 / 2.5 * 0.5 * std::numbers::pi * std::pow(r, 4) / (2.0 * r),
               w = std::sqrt(2.0 * k / bodies.inertia[0][0]), spin = 3.0 * std::numbers::e * w;
  bodies.angular_velocity = {Vec3(0.5 * spin, 0, 0), Vec3(-0.5 * spin, 0, 0)};
  const double h = 2.0 * std::numbers::pi / (400.0 * w);
  world.model.settings.time_step_s = h;
  double twist = 0.0, most = 0.0;
  for (int i = 0; i < 800; ++i) {
    world.step();
    twist += h * (bodies.angular_velocity[0].x() - bodies.angular_velocity[1].x());
    most = std::max(most, twist);
  }
  EXPECT_NEAR(most, 3.0, 0.05);
  EXPECT_NEAR(twist, 0.0, 0.01);
}

// Springs at one held ball do not know of each other.
TEST(Bonds, ManyAtOneHeldBodySwingAsOne) {
  std::vector<double> left;
  for (const int n : {1, 60}) {
    World world({}, 1e-3);
    world.model.settings.gravity.setZero();
    constexpr double radius = 0.5;
    world.add_sphere(radius, Vec3::Zero());
    for (int i = 0; i < n; ++i) {
      const double z = 1.0 - (2.0 * i + 1.0) / n, angle = i * std::numbers::pi * (3.0 - std::sqrt(5.0)),
                   s = std::sqrt(1.0 - z * z);
      const Vec3 out(s * std::cos(angle), s * std::sin(angle), z);
      world.add_sphere(r, (radius + r) * out, {1e-3 * out, Vec3::Zero()});
    }
    BondLaw law = elastic(1e6);
    law.reach = 1e-3;
    world.model.bonds.push_back(law);
    world.model.parts.push_back({.name = "held"});
    carry_body(0, 0, world.state);
    const double k = 1e6 * std::numbers::pi * r * r / (radius + r),
                 w = std::sqrt(k / world.state.bodies.mass[1]);
    world.model.settings.time_step_s = 0.2 / w;
    const StepReport report = world.run(20.0 * 2.0 * std::numbers::pi / w);
    left.push_back((report.energy.kinetic + report.energy.elastic) /
                   (0.5 * n * world.state.bodies.mass[1] * 1e-6));
  }
  EXPECT_NEAR(left[1], left[0], 1e-3);
}

// Sixty springs pull at one light ball: together they are stiffer than each of them.
TEST(Bonds, ManyAtOneBodyAreStable) {
  constexpr int n = 60;
  constexpr double radius = 0.25;
  World world({}, 1e-3);
  world.model.settings.gravity.setZero();
  world.model.settings.solver.max_sweeps = 5000;
  const MaterialIndex heavy = world.material;
  world.material = world.model.materials.add("light", 20.0);
  world.add_sphere(radius, Vec3::Zero(), {Vec3(1e-3, 0, 0), Vec3::Zero()});
  world.material = heavy;
  for (int i = 0; i < n; ++i) {
    const double z = 1.0 - (2.0 * i + 1.0) / n, angle = i * std::numbers::pi * (3.0 - std::sqrt(5.0)),
                 s = std::sqrt(1.0 - z * z);
    world.add_sphere(r, (radius + r) * Vec3(s * std::cos(angle), s * std::sin(angle), z));
  }
  BondLaw law = elastic(1e6);
  law.reach = 1e-3;
  world.model.bonds.push_back(law);
  const Bodies& bodies = world.state.bodies;
  const double k = 1e6 * std::numbers::pi * r * r / (radius + r), energy = 0.5 * bodies.mass[0] * 1e-6;
  for (const double q : {0.05, 0.3, 0.49, 0.7, 2.0, 10.0}) {
    World now = world;
    now.model.settings.time_step_s = std::sqrt(q / (k * (1.0 / bodies.mass[0] + 1.0 / bodies.mass[1])));
    now.run(60.0 * now.model.settings.time_step_s, [&](const StepReport& report) {
      EXPECT_LT(report.energy.kinetic, 1.1 * energy) << q;
      EXPECT_GT(report.energy.elastic, -0.3 * energy) << q;
    });
    EXPECT_EQ(now.state.bonds.size(), static_cast<std::size_t>(n));
  }
}

// Two pairs fly apart, and the bond of the first breaks: the stress is that of the other, which pulls over
// its length with the impulse that stops its bodies.
TEST(Bonds, BrokenOnesCauseNoStress) {
  const double h = 1e-3, v = 0.1;
  World world({}, h);
  world.model.settings.gravity.setZero();
  world.model.cell.periodic = {true, true, true};
  world.model.cell.high = Vec3(1.0, 0.8, 0.5);
  const MaterialIndex second = world.model.materials.add("second", 2500.0);
  for (int pair = 0; pair < 2; ++pair) {
    if (pair == 1) world.material = second;
    for (int i = 0; i < 2; ++i)
      world.add_sphere(r, Vec3(0.3 + 2.0 * r * i, 0.2 + 0.4 * pair, 0.2),
                       {Vec3(i == 0 ? -v : v, 0, 0), Vec3::Zero()});
  }
  BondLaw weak, strong;
  weak.glues = {1, 0};
  weak.breaking_force = 1e-6;
  strong.glues = {0, 1};
  world.model.bonds = {weak, strong};
  const StepReport& report = world.step();
  ASSERT_EQ(report.bonds_broken, 1);
  ASSERT_EQ(world.state.bonds.size(), 1u);
  const double volume = 0.4, branch = 2.0 * r + h * v,  // in the middle of the step
      stress = -world.state.bodies.mass[2] * v * branch / (volume * h);
  EXPECT_NEAR(world.result.cell.contact_stress(0, 0), stress, 1e-9 * std::abs(stress));
}

// Steps much longer than a spring's period: it acts as rigid, and creates no energy.
TEST(Bonds, StiffOnesAreStable) {
  World world = chain(5, elastic(1e12), false);
  world.model.settings.gravity.setZero();
  Random random(3);
  for (Vec3& v : world.state.bodies.linear_velocity)
    v = 0.1 * Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
  double last = infinity;
  world.run(0.2, [&](const StepReport& report) {
    const double now = report.energy.kinetic + report.energy.elastic;
    EXPECT_LE(now, last * (1.0 + 1e-4));  // a rotation in one step is reversed in the next
    last = now;
    EXPECT_LT(report.momentum_error_relative * report.impulse_size_N_s, 1e-12);
  });
}

/// Does a sphere that hangs below a held one fall?
bool falls(const BondLaw& law, const Vec3& place) {
  World world({}, 1e-3);
  world.add_sphere(r, Vec3::Zero());
  world.add_sphere(r, 2.0 * r * place);
  world.model.bonds.push_back(law);
  world.model.parts.push_back({.name = "held"});
  carry_body(0, 0, world.state);
  world.run(0.05);
  EXPECT_EQ(world.state.bonds.empty(), world.state.bodies.linear_velocity[1].z() < -0.1);
  return world.state.bonds.empty();
}

// Glued bodies that are both held at first: one is released and hangs on the other.
TEST(Bonds, HeldBodiesAreGluedToo) {
  World world({}, 1e-3);
  world.add_sphere(r, Vec3::Zero());
  world.add_sphere(r, Vec3(2.0 * r, 0, 0));
  world.model.bonds.push_back({});
  world.model.parts = {{.name = "first"}, {.name = "second"}};
  carry_body(0, 0, world.state);
  carry_body(1, 1, world.state);
  world.run(0.01);
  ASSERT_EQ(world.state.bonds.size(), 1u);
  release_bodies(1, world.state);
  world.run(0.1);
  EXPECT_EQ(world.state.bonds.size(), 1u);
  EXPECT_NEAR(world.state.bodies.position[1].z(), 0.0, 1e-6);
}

// Each limit within 1 %: its own force, moment or stress, for one hanging ball and for one at the end of a
// bar.
TEST(Bonds, BreakWithinOnePercentOfEachLimit) {
  const double mass = 2500.0 * 4.0 / 3.0 * std::numbers::pi * r * r * r, force = mass * g, moment = force * r,
               area = std::numbers::pi * r * r, second = 0.25 * area * r * r;
  const Vec3 below(0, 0, -1), beside(1, 0, 0);
  const auto breaks_at = [](double BondLaw::*limit, double value, const Vec3& place, double share = 1.0) {
    for (const double factor : {0.99, 1.01}) {
      for (const double young : {infinity, 1e10}) {
        BondLaw law = elastic(young, young < infinity ? 1.0 : 0.0);
        law.moment_share = share;
        law.*limit = factor * value;
        // Elastic bonds are loaded at once and may overshoot: only for rigid ones is the limit that sharp.
        if (young < infinity && factor > 1.0) law.*limit = 2.5 * value;
        EXPECT_EQ(falls(law, place), factor < 1.0) << factor << ' ' << young;
      }
    }
  };
  breaks_at(&BondLaw::breaking_force, force, below);
  breaks_at(&BondLaw::breaking_force, force, beside);
  breaks_at(&BondLaw::breaking_moment, moment, beside);
  breaks_at(&BondLaw::tensile_strength, force / area, below);
  breaks_at(&BondLaw::tensile_strength, moment * r / second, beside);
  breaks_at(&BondLaw::tensile_strength, 0.5 * moment * r / second, beside, 0.5);
  breaks_at(&BondLaw::shear_strength, force / area, beside);
  BondLaw pressed;  // pressure breaks no bond
  pressed.tensile_strength = 1e-3;
  EXPECT_FALSE(falls(pressed, -below));
}

// A ball at the end of a bent bar twists its root: torsion counts as shear stress.
TEST(Bonds, TorsionBreaks) {
  for (const double factor : {0.99, 1.01}) {
    World world({}, 1e-3);
    world.add_sphere(r, Vec3::Zero());
    world.add_sphere(r, Vec3(2.0 * r, 0, 0));
    world.add_sphere(r, Vec3(2.0 * r, 2.0 * r, 0));
    const double force = world.state.bodies.mass[0] * g, area = std::numbers::pi * r * r,
                 stress = 2.0 * force / area + 2.0 * r * force * r / (0.5 * area * r * r);
    BondLaw law;
    law.shear_strength = factor * stress;
    world.model.bonds.push_back(law);
    world.model.parts.push_back({.name = "held"});
    carry_body(0, 0, world.state);
    world.run(0.01);
    EXPECT_EQ(world.state.bonds.size(), factor < 1.0 ? 1u : 2u);
  }
}

// A brittle row of balls that lands flat: the step of the impact is solved again without broken bonds, so
// that its parts do not stop together.
TEST(Bonds, FragmentsOfABreakingImpactMoveIndependently) {
  const auto drop = [](double height, double strength) {
    BondLaw law;
    law.breaking_force = strength;
    World world = chain(3, law, false);
    for (std::size_t i = 0; i < 3; ++i) world.state.bodies.position[i].z() = height + r;
    // Only below the middle ball.
    world.model.parts.push_back({.name = "anvil"});
    world.add_sphere(r, Vec3(2.0 * r, 0, -r));
    carry_body(0, 3, world.state);
    std::int64_t broken = 0, formed = 0;
    world.run(std::sqrt(2.0 * height / g) + 0.01, [&](const StepReport& report) {
      broken += report.bonds_broken;
      formed += report.bonds_formed;
      EXPECT_LT(report.energy_injected_J, 1e-9);
    });
    EXPECT_EQ(formed, 2);
    return std::pair(broken, world.state.bodies.linear_velocity[0].z());
  };
  const auto [kept, speed_kept] = drop(0.2, 1e6);
  EXPECT_EQ(kept, 0);
  EXPECT_GT(speed_kept, -0.2);
  const auto [broken, speed_broken] = drop(0.2, 100.0);
  EXPECT_EQ(broken, 2);
  EXPECT_LT(speed_broken, -0.9 * std::sqrt(2.0 * g * 0.2));
}

TEST(Bonds, FormBetweenNearBodiesAtTheGivenTime) {
  World world;
  world.model.settings.gravity.setZero();
  const MaterialIndex other = world.model.materials.add("other", 1000.0);
  world.model.materials.set_law(other, other, {});
  world.model.materials.set_law(other, world.material, {});
  world.add_sphere(r, Vec3(0, 0, 0));
  world.add_sphere(r, Vec3(2.0 * r + 0.009 * r, 0, 0));
  world.add_sphere(r, Vec3(4.0 * r + 0.020 * r, 0, 0));  // 0.011 r from the second
  world.add_sphere(r, Vec3(0, 2.0 * r, 0));
  world.state.bodies.material[3] = other;
  BondLaw law;
  law.glues = {1, 0};
  law.time_s = 0.005;
  world.model.bonds.push_back(law);
  BondLaw waits;
  waits.time_s = infinity;
  waits.reach = 0.02;
  world.model.bonds.push_back(waits);
  world.run(0.005);
  EXPECT_TRUE(world.state.bonds.empty());
  world.step();
  ASSERT_EQ(world.state.bonds.size(), 1u);
  EXPECT_EQ(world.result.bonds.size(), 1u);
  EXPECT_NEAR(world.state.bonds[0].length, 2.009 * r, 1e-12);
  world.step();
  EXPECT_TRUE(world.result.bonds.empty());
  form_bonds(world.model, 1, world.state);
  world.step();
  EXPECT_EQ(world.result.report.bonds_formed, 2);
  EXPECT_EQ(world.result.report.bonds, 3);
  // Deleted bodies have no bonds.
  const BodyId gone[] = {0};
  scree::remove(world.state, gone);
  EXPECT_EQ(world.state.bonds.size(), 1u);
  world.step();
  EXPECT_EQ(world.result.report.bonds, 1);
}

// Glued bodies have no contact, for any overlap; when the bond breaks they have one.
TEST(Bonds, ReplaceContactsUntilTheyBreak) {
  World world;
  world.model.settings.gravity.setZero();
  world.add_sphere(r, Vec3::Zero());
  world.add_sphere(r, Vec3(1.9 * r, 0, 0));
  BondLaw law;
  law.breaking_force = 1.0;
  world.model.bonds.push_back(law);
  world.run(0.01);
  EXPECT_EQ(world.result.report.contacts, 0);
  EXPECT_NEAR(world.state.bodies.position[1].x() - world.state.bodies.position[0].x(), 1.9 * r, 1e-12);
  world.state.bodies.linear_velocity[1] = Vec3(0, 0, 0.1);
  world.step();
  EXPECT_EQ(world.result.report.bonds_broken, 1);
  EXPECT_EQ(world.result.report.contacts, 1);
}

/// A heap of glued ellipsoids that falls onto a floor and partly breaks.
World rubble(double youngs_modulus) {
  PairLaw law;
  law.friction = 0.5;
  World world = test::loose_heap(4, 3, law, 1e-3);
  BondLaw bonds = elastic(youngs_modulus, youngs_modulus < infinity ? 0.1 : 0.0);
  bonds.reach = 1.0;
  bonds.tensile_strength = bonds.shear_strength = youngs_modulus < infinity ? 3e5 : 3e6;
  world.model.bonds.push_back(bonds);
  world.model.settings.solver.tolerance = 1e-3;
  world.model.settings.solver.max_sweeps = 300;
  world.model.settings.sort_interval = 20;
  return world;
}

TEST(Bonds, BalancesCloseWhileRubbleFalls) {
  for (const double young : {infinity, 1e8}) {
    World world = rubble(young);
    std::int64_t broken = 0;
    double turned_over = 0.0;
    world.run(0.4, [&](const StepReport& report) {
      broken += report.bonds_broken;
      turned_over = std::max(turned_over, report.energy.kinetic);
      EXPECT_LT(std::abs(report.energy.remainder), 1e-10 * std::max(1.0, turned_over));
      EXPECT_LT(report.momentum_error_relative * report.impulse_size_N_s, 1e-10);
      EXPECT_LT(report.angular_momentum_error_relative * report.angular_impulse_size_N_m_s, 1e-10);
      EXPECT_LT(report.energy_injected_J, 1e-3 * turned_over);
    });
    EXPECT_GT(broken, 0);
    EXPECT_GT(world.result.report.bonds, 0);
  }
}

TEST(Bonds, SameBitsOnAnyNumberOfThreads) {
  test::expect_same_bits([] { return rubble(infinity); }, 0.15, 0.3);
  test::expect_same_bits([] { return rubble(1e8); }, 0.1, 0.2);
}

// One problem, four ways to solve it: a beam that is held at one end and rests on a ball at the other.
TEST(Bonds, AllSolversAgree) {
  std::vector<double> tips;
  for (const SolverKind kind : {SolverKind::gauss_seidel, SolverKind::nsgs, SolverKind::admm}) {
    for (const FrictionCone cone : {FrictionCone::exact, FrictionCone::sampled}) {
      if (kind == SolverKind::admm && cone == FrictionCone::sampled) continue;
      World world = chain(4, elastic(1e8, 0.5), true);
      world.model.settings.solver.kind = kind;
      world.model.settings.solver.friction_cone = cone;
      world.model.settings.solver.tolerance = 1e-7;
      world.model.settings.solver.max_sweeps = 20000;
      world.run(0.05);
      tips.push_back(world.state.bodies.position[3].z());
    }
  }
  for (const double tip : tips) EXPECT_NEAR(tip, tips[0], 1e-5 * std::abs(tips[0]));
}

// A bond across the seam of a cell behaves as one in the middle. A stretched chain once through the cell
// gives the stress of its force over the section.
TEST(Bonds, AcrossThePeriodicSeamActAsInside) {
  const auto pair = [](double x) {
    World world;
    world.model.cell.periodic = {true, true, true};
    world.model.cell.low = Vec3::Zero();
    world.model.cell.high = Vec3::Constant(1.0);
    world.model.settings.gravity.setZero();
    world.add_sphere(r, Vec3(x, 0.5, 0.5));
    const double other = x + 2.0 * r;
    world.add_sphere(r, Vec3(other < 1.0 ? other : other - 1.0, 0.5, 0.5));
    world.model.bonds.push_back(elastic(1e7));
    world.state.bodies.linear_velocity[0] = Vec3(0.1, 0.2, 0.3);
    world.state.bodies.angular_velocity[1] = Vec3(0, 3, 1);
    world.run(0.2, [](const StepReport& report) {
      EXPECT_LT(std::abs(report.energy.remainder), 1e-13);
      EXPECT_LT(report.angular_momentum_error_relative, 1e-12);
    });
    return world;
  };
  const World inside = pair(0.25), across = pair(0.9375);
  for (std::size_t i = 0; i < 2; ++i) {
    const double moved = 0.6875 - (i == 1 ? 1.0 : 0.0);
    EXPECT_LT((across.state.bodies.position[i] - inside.state.bodies.position[i] - Vec3(moved, 0, 0)).norm(),
              1e-12);
  }

  World world;
  world.model.settings.gravity.setZero();
  world.model.cell.periodic = {true, true, true};
  world.model.cell.low = Vec3::Zero();
  world.model.cell.high = Vec3::Constant(20.0 * r);
  for (int i = 0; i < 10; ++i) world.add_sphere(r, Vec3((2.0 * i + 1.0) * r, 10.0 * r, 10.0 * r));
  world.model.bonds.push_back(elastic(1e8, 0.5));
  CellFlow flow;
  flow.rate(0, 0) = 0.01;
  flow.start = 0.01;
  flow.stop = 0.11;
  world.model.cell.flow.push_back(flow);
  world.run(0.5);
  const double strain = std::exp(0.001) - 1.0, force = strain * 1e8 * std::numbers::pi * r * r,
               side = 20.0 * r;
  EXPECT_EQ(world.result.report.bonds, 10);
  EXPECT_NEAR(world.result.cell.contact_stress(0, 0), -force / (side * side), 1e-4 * force / (side * side));
}

}  // namespace
}  // namespace scree
