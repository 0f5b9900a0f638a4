// Elastic contacts: Hertz's and linear springs against closed forms and finely integrated motions, Mindlin's
// tangential force, energy, momentum, long steps, all solvers with sweeps.
#include <array>
#include <gtest/gtest.h>
#include <numbers>

#include "engine/core/parallel.h"
#include "engine/core/state_hash.h"
#include "tests/support/same_bits.h"
#include "tests/support/world.h"

namespace scree {
namespace {

using test::World;

constexpr double g = 9.81, pi = std::numbers::pi, radius = 0.005, young = 7e10, poisson = 0.24;

double mass_of_ball() { return 4.0 / 3.0 * pi * radius * radius * radius * 2500.0; }

PairLaw glass(double restitution, double friction = 0.0, double modulus = young) {
  return {.friction = friction, .restitution = restitution, .elasticity = elasticity_of(modulus, poisson)};
}
PairLaw linear(double restitution, double stiffness) {
  return {.friction = 0.0, .restitution = restitution, .elasticity = linear_elasticity(stiffness, poisson)};
}

/// A ball that meets a plane with 1 m/s, without gravity.
World impact(const PairLaw& law, double h) {
  World world(law, h);
  world.model.settings.gravity.setZero();
  world.add_floor();
  world.add_sphere(radius, Vec3(0, 0, radius + 0.37 * h), {-Vec3::UnitZ(), Vec3::Zero()});
  return world;
}

struct Impact {
  double peak = 0.0, duration = 0.0, speed = 0.0, gained = 0.0;
};
/// Force, N; duration as twice the mean time of the force since the first contact, which depends least on the
/// time grid; speed after the impact.
Impact measure(World world) {
  Impact found;
  const double h = world.model.settings.time_step_s, m = mass_of_ball();
  double impulse = 0.0, moment = 0.0, most = 0.5 * m;
  const auto look = [&] {
    const StepReport& r = world.step();
    const double force = -world.result.boundaries[0].impulse.z() / h;
    found.peak = std::max(found.peak, force);
    impulse += force * h;
    moment += force * h * (r.time_s - 0.5 * h - 0.37 * h);
    found.gained = std::max(found.gained, r.energy.kinetic + r.energy.elastic - most);
  };
  for (int k = 0; k < 100000 && !(world.state.bodies.linear_velocity[0].z() > 0.0 &&
                                  world.state.bodies.position[0].z() > radius);
       ++k)
    look();
  for (int k = 0; k < 3; ++k) look();
  found.duration = impulse > 0.0 ? 2.0 * moment / impulse : 0.0;
  found.speed = world.state.bodies.linear_velocity[0].z();
  found.gained /= most;
  return found;
}

/// The same by small steps of fourth-order Runge-Kutta.
Impact integrate(const SpringLaw& law, double damping_ratio) {
  const double m = mass_of_ball(), dt = 1e-9;
  const auto force = [&](double s, double v) {
    return std::max(0.0, law.force(s) + law.damping(damping_ratio, s, 1.0 / m) * v);
  };
  Impact found;
  double s = 0.0, v = 1.0, time = 0.0, impulse = 0.0, moment = 0.0;
  while (s >= 0.0 && !(v < 0.0 && force(s, v) == 0.0)) {
    const double a1 = -force(s, v) / m, v2 = v + 0.5 * dt * a1, a2 = -force(s + 0.5 * dt * v, v2) / m,
                 v3 = v + 0.5 * dt * a2, a3 = -force(s + 0.5 * dt * v2, v3) / m, v4 = v + dt * a3,
                 a4 = -force(s + dt * v3, v4) / m;
    const double f = force(s, v);
    found.peak = std::max(found.peak, f);
    impulse += f * dt;
    moment += f * dt * time;
    time += dt;
    s += dt / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4);
    v += dt / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
  }
  found.duration = 2.0 * moment / impulse;
  found.speed = -v;
  return found;
}

SpringLaw law_on_plane(const PairLaw& pair) {
  return pair.elasticity.modulus > 0.0 ? hertz_law(pair.elasticity.modulus, 1.0 / radius, 1.0 / radius)
                                       : SpringLaw{pair.elasticity.stiffness, false};
}
double duration_of(const PairLaw& pair) {
  const SpringLaw law = law_on_plane(pair);
  return law.is_hertz ? 2.9432682 * law.deepest(1.0, 1.0 / mass_of_ball())
                      : pi * std::sqrt(mass_of_ball() / law.coefficient);
}

// phi of an elliptic contact, from Johnson (1985), section 4.2, with complete elliptic integrals by
// arithmetic-geometric means.
TEST(Elasticity, EllipticContactsAreThoseOfHertz) {
  for (const auto& [ratio, phi] : {std::pair{1.0, 1.0},
                                   {1.21, 1.0007569073},
                                   {4.0, 1.0398040295},
                                   {100.0, 1.4350568426},
                                   {1e4, 2.9861620912}}) {
    const SpringLaw law = hertz_law(1.0, std::sqrt(ratio), 1.0 / std::sqrt(ratio));
    EXPECT_NEAR(law.coefficient, 4.0 / 3.0 * phi, 1e-6 * phi) << ratio;
  }
}

TEST(Elasticity, OfTwoMaterialsIsThatOfCompliancesInARow) {
  const double a = 7e10, nu_a = 0.24, b = 2e11, nu_b = 0.3;
  const Elasticity mixed = mixed_elasticity(elasticity_of(a, nu_a), elasticity_of(b, nu_b));
  const double modulus = 1.0 / ((1.0 - nu_a * nu_a) / a + (1.0 - nu_b * nu_b) / b),
               g_a = a / (2.0 * (1.0 + nu_a)), g_b = b / (2.0 * (1.0 + nu_b)),
               shear = 1.0 / ((2.0 - nu_a) / g_a + (2.0 - nu_b) / g_b);
  EXPECT_NEAR(mixed.modulus, modulus, 1e-12 * modulus);
  EXPECT_NEAR(mixed.tangential_ratio, 4.0 * shear / modulus, 1e-12);  // 8 G* a over 2 E* a
  EXPECT_NEAR(mixed_elasticity(elasticity_of(a, nu_a), {}).modulus, a / (1.0 - nu_a * nu_a), 1e-3);
  EXPECT_FALSE(mixed_elasticity({}, {}).is_elastic());
  EXPECT_FALSE(can_mix(elasticity_of(a, nu_a), linear_elasticity(1e5, nu_a)));
}

// Force, duration and final speed, with steps of a fiftieth of the impact: 1 %.
TEST(SpringContacts, ImpactIsThatOfItsSpring) {
  for (const double restitution : {1.0, 0.8, 0.3}) {
    for (const PairLaw& pair : {glass(restitution), linear(restitution, 1e6)}) {
      const Impact found = measure(impact(pair, duration_of(pair) / 50.0)),
                   exact = integrate(law_on_plane(pair), damping_ratio(restitution));
      EXPECT_NEAR(exact.speed, restitution, 1e-5);
      EXPECT_NEAR(found.speed, restitution, 0.01 * restitution) << pair.elasticity.modulus;
      EXPECT_NEAR(found.peak, exact.peak, 0.01 * exact.peak) << restitution;
      EXPECT_NEAR(found.duration, exact.duration, 0.01 * exact.duration) << restitution;
      EXPECT_LE(found.gained, 1e-9);
    }
  }
}

// At any step: kinetic plus elastic energy never grows, and the returned energy exceeds the coefficient's
// value by at most a twentieth, for impacts of a thousand steps or of a hundredth of one.
TEST(SpringContacts, EnergyNeverGrowsWithAnyStep) {
  for (const double restitution : {1.0, 0.5}) {
    for (const PairLaw& pair : {glass(restitution), linear(restitution, 1e6)}) {
      for (const double steps : {1000.0, 100.0, 20.0, 11.0, 9.0, 3.0, 1.0, 0.3, 0.01}) {
        const Impact found = measure(impact(pair, duration_of(pair) / steps));
        EXPECT_LE(found.gained, 1e-9) << steps;
        EXPECT_NEAR(found.speed, restitution, 0.05 * restitution) << steps;
        if (steps < 9.5) {
          EXPECT_NEAR(found.speed, restitution, 1e-6) << "a rigid impact";
        }
      }
    }
  }
}

// (F/K)^(2/3) of a ball's weight, to 1e-6, at steps from a twentieth of the contact's period to thousands of
// periods.
TEST(SpringContacts, StaticOverlapIsTheSpringsAtAnyStep) {
  for (const double modulus : {1e6, 7e10}) {
    for (const double h : {1e-4, 1e-3, 1e-2}) {
      World world(glass(0.2, 0.3, modulus), h);
      world.add_floor();
      world.add_sphere(radius, Vec3(0, 0, radius));
      world.run(0.5);
      const double weight = mass_of_ball() * g,
                   expected =
                       std::pow(weight / law_on_plane(glass(0.2, 0.3, modulus)).coefficient, 2.0 / 3.0);
      EXPECT_NEAR(radius - world.state.bodies.position[0].z(), expected, 1e-6 * expected)
          << modulus << " " << h;
    }
  }
}

// An ellipsoid on its flat side: curvatures c/a^2 and c/b^2.
TEST(SpringContacts, CurvatureIsThatOfTheGap) {
  const Vec3 axes(0.009, 0.006, 0.003);
  World world(glass(0.2, 0.5, 1e7), 1e-3);
  world.add_floor();
  const BodyIndex body = world.add(axes, {Vec3(0, 0, axes[2]), Quat::Identity()});
  world.run(0.5);
  const double weight = world.state.bodies.mass[body] * g, r1 = axes[1] * axes[1] / axes[2],
               r2 = axes[0] * axes[0] / axes[2], phi = 1.0136702950;  // for (9/6)^2, as above
  const double law =
      4.0 / 3.0 * 1e7 / (2.0 * (1.0 - poisson * poisson)) * std::sqrt(std::sqrt(r1 * r2)) * phi;
  const double expected = std::pow(weight / law, 2.0 / 3.0);
  EXPECT_NEAR(axes[2] - world.state.bodies.position[body].z(), expected, 1e-4 * expected);
}

// A pile of ten: each contact carries the weight above it; the same at steps that differ by a factor of a
// hundred.
TEST(SpringContacts, AColumnIsAsHighAsItsSpringsSay) {
  for (const double h : {1e-4, 1e-3, 1e-2}) {
    const PairLaw pair = glass(0.1, 0.5, 1e6);
    World world(pair, h);
    world.add_floor();
    const int n = 10;
    for (int k = 0; k < n; ++k) world.add_sphere(radius, Vec3(0, 0, (2.0 * k + 1.0) * radius));
    world.run(2.0);
    const double weight = mass_of_ball() * g;
    double z = radius;
    for (int k = 0; k < n; ++k) {
      const SpringLaw law = hertz_law(pair.elasticity.modulus, k == 0 ? 1.0 / radius : 2.0 / radius,
                                      k == 0 ? 1.0 / radius : 2.0 / radius);
      z += (k == 0 ? 0.0 : 2.0 * radius) - std::pow((n - k) * weight / law.coefficient, 2.0 / 3.0);
      EXPECT_NEAR(world.state.bodies.position[k].z(), z, 1e-5 * radius) << h << " " << k;
    }
  }
}

// A chain of touching balls, struck at one end: position and force of the pulse equal those of an integration
// by small steps, to 1 %.
TEST(SpringContacts, AChainCarriesAPulseAtItsSpeed) {
  constexpr int n = 30;
  const PairLaw pair = glass(1.0);
  const SpringLaw law = hertz_law(pair.elasticity.modulus, 2.0 / radius, 2.0 / radius);
  const double m = mass_of_ball(), strike = 0.5;
  const auto arrival = [&](auto&& step, auto&& velocity) {  // of the sixth ball from the end: largest speed
    double most = 0.0, at = 0.0;
    for (double t = 0.0; t < 8e-4;) {
      t = step();
      if (const double v = velocity(n - 6); v > most) {
        most = v;
        at = t;
      }
      if (velocity(n - 6) < 0.5 * most) break;
    }
    return std::pair{at, most};
  };
  std::array<double, n> x{}, v{};
  v[0] = strike;
  double time = 0.0;
  const auto exact = arrival(
      [&] {
        const double dt = 1e-8;  // leapfrog
        for (int k = 0; k < n; ++k) x[k] += 0.5 * dt * v[k];
        for (int k = 0; k + 1 < n; ++k) {
          const double f = law.force(x[k] - x[k + 1]);
          v[k] -= dt * f / m;
          v[k + 1] += dt * f / m;
        }
        for (int k = 0; k < n; ++k) x[k] += 0.5 * dt * v[k];
        return time += dt;
      },
      [&](int k) { return v[k]; });
  const double duration = 2.9432682 * law.deepest(strike, 2.0 / m) / strike;
  World world(pair, duration / 50.0);
  world.model.settings.gravity.setZero();
  for (int k = 0; k < n; ++k)
    world.add_sphere(radius, Vec3(2.0 * radius * k, 0, 0), {Vec3(k == 0 ? strike : 0.0, 0, 0), Vec3::Zero()});
  const double momentum = m * strike;
  const auto found = arrival(
      [&] {
        const StepReport& r = world.step();
        EXPECT_NEAR(r.linear_momentum.x(), momentum, 1e-12 * momentum);
        return world.state.time_s;
      },
      [&](int k) { return world.state.bodies.linear_velocity[k].x(); });
  EXPECT_NEAR(found.first, exact.first, 0.01 * exact.first);
  EXPECT_NEAR(found.second, exact.second, 0.01 * exact.second);
}

// A ball without rotation rests on a plane and is pushed to and fro: x = F/k_t until friction slips, and back
// along the same slope. This is Mindlin's path at a constant normal force, k_t = 8 G* a. The push is slow
// compared with the contact's period.
TEST(SpringContacts, TangentialForceIsMindlinsUntilFrictionGivesWay) {
  const double mu = 0.5, modulus = 1e7;
  const PairLaw pair = glass(0.2, mu, modulus);
  World world(pair, 2e-4);
  world.model.settings.solver.tolerance = 1e-4;
  world.add_floor();
  const double weight = mass_of_ball() * g,
               overlap = std::pow(weight / law_on_plane(pair).coefficient, 2.0 / 3.0),
               shear =
                   modulus / (2.0 * (1.0 + poisson)) / (2.0 - poisson),  // two alike: G* = G / (2 (2 - nu))
      stiffness = 8.0 * 0.5 * shear * std::sqrt(radius * overlap);
  world.add_sphere(radius, Vec3(0, 0, radius - overlap));
  world.state.bodies.inertia[0] = Vec3::Constant(1e3);
  double push = 0.0;                // in parts of mu m g
  const auto part = [](double t) {  // up to 0.9, down to -0.9, up to 0.5
    return t < 1.0 ? 0.9 * t : t < 3.0 ? 0.9 - 0.9 * (t - 1.0) : -0.9 + 0.7 * (t - 3.0);
  };
  world.model.forces.gravity = [&](double t) { return Vec3(mu * g * part(t), 0, -g); };
  double energy = 0.0, taken = 0.0;
  world.run(5.0, [&](const StepReport& r) {
    push = part(world.state.time_s);
    const double expected = mu * weight * push / stiffness;
    if (world.state.step % 1000 == 0) {
      EXPECT_NEAR(world.state.bodies.position[0].x(), expected, 0.01 * mu * weight / stiffness)
          << world.state.time_s;
    }
    energy = std::max(energy, r.energy.elastic);
    taken += r.energy.dissipated_by_friction;
  });
  const double stored = std::pow(0.9 * mu * weight, 2) / (2.0 * stiffness);
  EXPECT_LE(taken, 0.02 * stored);  // of damping: there was no sliding
  EXPECT_LE(world.result.report.energy.remainder, 1e-12 * energy);
  // Beyond the bound it slides away, and the force is mu m g.
  world.model.forces.gravity = [&](double) { return Vec3(1.2 * mu * g, 0, -g); };
  const double v = world.state.bodies.linear_velocity[0].x(), from = world.state.time_s;
  world.run(from + 0.1);
  EXPECT_NEAR(world.state.bodies.linear_velocity[0].x() - v, 0.2 * mu * g * 0.1, 0.02 * mu * g * 0.1);
}

World heap(double modulus, double h, double restitution = 0.5) {
  World world = test::loose_heap(4, 4, glass(restitution, 0.4, modulus), h);
  world.model.settings.sort_interval = 7;
  world.model.settings.solver.tolerance = 1e-4;
  return world;
}

// Energy and momentum in every step of a falling heap of ellipsoids, at steps that resolve its impacts and at
// longer ones; no rigid bodies overlap.
TEST(SpringContacts, LedgerAndMomentumCloseInAHeap) {
  for (const double h : {2e-4, 2e-3, 1e-2}) {
    set_thread_count(2);
    World world = heap(1e7, h);
    double energy = 0.0, remainder = 0.0, momentum = 0.0, taken = 0.0, most = 0.0, back = 0.0,
           last = infinity;
    const StepReport end = world.run(2.0, [&](const StepReport& r) {
      const double all = r.energy.kinetic + r.energy.potential + r.energy.elastic;
      EXPECT_LE(all, last + 1e-6 * energy) << h;
      last = all;
      energy = std::max(energy, r.energy.kinetic + std::abs(r.energy.potential));
      remainder = std::max(remainder, std::abs(r.energy.remainder));
      momentum = std::max({momentum, r.momentum_error_relative, r.angular_momentum_error_relative});
      taken += r.energy.dissipated_by_friction + r.energy.dissipated_by_impact;
      most = std::max(most, taken);
      back = std::max(back, most - taken);
      EXPECT_EQ(r.penetration_max, 0.0);
      EXPECT_GE(r.energy.dissipated_by_friction, -1e-12 * energy);
    });
    EXPECT_LE(remainder, 1e-12 * energy) << h;
    EXPECT_LE(momentum, 1e-12) << h;
    EXPECT_LE(back, 1e-6 * energy) << h;
    EXPECT_GT(end.energy.elastic, 0.0);
    EXPECT_LE(end.energy.kinetic, 1e-4 * energy) << h;
  }
  set_thread_count(0);
}

// A heap that came to rest with resolved impacts keeps its state in steps a hundred times as long: its
// height, its floor's force, its stored energy.
TEST(SpringContacts, BodiesAtRestInShortStepsAreAtRestInLongOnes) {
  World world = heap(1e8, 2e-4);
  const auto moves = [&] {
    const EnergyLedger& e = world.result.report.energy;
    return world.state.step < 5000 || e.kinetic > 1e-7 * e.potential;
  };
  while (moves() && world.state.step < 40000) world.step();
  const auto height = [&] {
    double sum = 0.0;
    for (const Vec3& x : world.state.bodies.position) sum += x.z();
    return sum / static_cast<double>(world.state.bodies.size());
  };
  const double high = height(), stored = world.result.report.energy.elastic,
               compressed = world.result.report.compression_max;
  ASSERT_FALSE(moves());
  world.model.settings.time_step_s = 2e-2;
  for (int k = 0; k < 200; ++k) {
    world.step();
    EXPECT_NEAR(height(), high, 1e-3 * high);
    EXPECT_NEAR(world.result.report.energy.elastic, stored, 0.02 * stored);
    EXPECT_NEAR(world.result.report.compression_max, compressed, 0.02 * compressed);
  }
}

TEST(SpringContacts, ReportNamesTheMostCompressedContact) {
  World world = impact(linear(0.5, 1e4), 1e-4);
  world.add_sphere(radius, Vec3(0.1, 0, radius + 1e-5), {-2.0 * Vec3::UnitZ(), Vec3::Zero()});
  for (int k = 0; k < 8; ++k) world.step();
  EXPECT_EQ(world.result.report.compressed, (Touch{1, -1, 0}));
  EXPECT_GT(world.result.report.compression_max, 0.05);
}

TEST(SpringContacts, SameBitsOnAnyThreadsAndFromACopy) {
  test::expect_same_bits([] { return heap(1e7, 2e-3); }, 0.3, 0.6);
}

// Every solver with sweeps gives the same motion, to its tolerance.
TEST(SpringContacts, SolversAgree) {
  std::vector<Vec3> first;
  for (const SolverKind kind : {SolverKind::gauss_seidel, SolverKind::gauss_seidel, SolverKind::nsgs}) {
    World world = heap(1e7, 1e-3);
    world.model.settings.solver.kind = kind;
    world.model.settings.solver.tolerance = first.empty() ? 1e-4 : 1e-8;  // in single and in double precision
    world.run(0.25);
    if (first.empty()) first = world.state.bodies.position;
    for (std::size_t i = 0; i < first.size(); ++i)
      EXPECT_LE((world.state.bodies.position[i] - first[i]).norm(), 1e-4 * 0.05) << i;
  }
}

// A rigid floor below elastic balls, a spring beside a rigid contact: each follows the law of its pair.
TEST(SpringContacts, RigidPairsStayRigid) {
  World world(glass(0.2, 0.4, 1e6), 1e-3);
  const MaterialIndex steel = world.model.materials.add("steel", 7800.0);
  world.model.materials.set_law(steel, world.material, {.friction = 0.4});
  world.model.materials.set_law(steel, steel, {.friction = 0.4});
  world.model.boundaries.push_back({"floor", steel, Plane{Vec3::Zero(), Vec3::UnitZ()}});
  world.add_sphere(radius, Vec3(0, 0, radius));
  world.add_sphere(radius, Vec3(0, 0, 3.0 * radius));
  world.run(1.0);
  const SpringLaw law = hertz_law(elasticity_of(1e6, poisson).modulus, 2.0 / radius, 2.0 / radius);
  const double overlap = std::pow(mass_of_ball() * g / law.coefficient, 2.0 / 3.0);
  EXPECT_NEAR(world.state.bodies.position[0].z(), radius, 1e-5 * radius);
  EXPECT_NEAR(world.state.bodies.position[1].z() - world.state.bodies.position[0].z(), 2.0 * radius - overlap,
              1e-5 * radius);
}

// Two bodies that were glued while they overlap store no energy between them. When their bond breaks, the
// overlap gives no force. When they meet again, the spring starts from the distance of their separation.
TEST(SpringContacts, OverlapWhereABondBreaksMakesNoEnergy) {
  World world(glass(1.0, 0.3, 1e7), 1e-5);
  world.model.settings.gravity.setZero();
  BondLaw law;
  law.breaking_force = 1e-3;
  world.model.bonds.push_back(law);
  world.add_sphere(radius, Vec3(0, 0, 0));
  world.add_sphere(radius, Vec3(1.9 * radius, 0, 0));
  for (int k = 0; k < 3; ++k) world.step();
  ASSERT_EQ(world.state.bonds.size(), 1u);
  world.state.bodies.linear_velocity[0] = Vec3(0.05, 0, 0);
  world.state.bodies.linear_velocity[1] = Vec3(-0.05, 0, 0);
  const double kinetic = mass_of_ball() * 0.05 * 0.05;
  double taken = 0.0, most = 0.0, stored = 0.0;
  for (int k = 0; k < 2000; ++k) {
    const StepReport& r = world.step();
    EXPECT_LE(r.energy.kinetic + r.energy.elastic, kinetic * (1.0 + 1e-6)) << k;
    taken += r.energy.dissipated_by_impact + r.energy.dissipated_by_friction;
    most = std::max(most, taken);
    EXPECT_GE(taken, most - 1e-6 * kinetic);
    stored = std::max(stored, r.energy.elastic);
  }
  EXPECT_TRUE(world.state.bonds.empty());
  EXPECT_GT(stored, 0.9 * kinetic);  // pressed together they come to rest, and separate with the same speed
  EXPECT_NEAR(world.state.bodies.linear_velocity[1].x(), 0.05, 1e-3);
}

// Adhesion and weight press a ball on.
TEST(SpringContacts, AdhesionPressesThemTogether) {
  PairLaw pair = glass(0.2, 0.4, 1e7);
  const double weight = mass_of_ball() * g;
  pair.cohesion.adhesion_energy = 3.0 * weight / (1.5 * pi * radius);
  World world(pair, 1e-3);
  world.add_floor();
  world.add_sphere(radius, Vec3(0, 0, radius));
  world.run(0.5);
  const double expected = std::pow(4.0 * weight / law_on_plane(pair).coefficient, 2.0 / 3.0);
  EXPECT_NEAR(radius - world.state.bodies.position[0].z(), expected, 1e-5 * expected);
}

// Adaptive steps resolve impacts with the requested number of steps.
TEST(SpringContacts, AdaptiveStepsResolveImpacts) {
  const PairLaw pair = glass(0.8);
  World world = impact(pair, 1e-4);
  world.model.settings.adaptive_step = true;
  world.model.settings.least_time_step_s = 1e-9;
  world.model.settings.steps_per_impact = 50;
  world.state.bodies.position[0].z() = radius + 1e-3;
  int touching = 0;
  while (world.state.time_s < 2e-3 && !(world.state.bodies.linear_velocity[0].z() > 0.0 &&
                                        world.state.bodies.position[0].z() > 1.01 * radius)) {
    const StepReport& r = step(world.model, world.state, world.workspace, world.result, 1.0);
    touching += r.active_contacts > 0 ? 1 : 0;
  }
  EXPECT_NEAR(world.state.bodies.linear_velocity[0].z(), 0.8, 0.01);
  EXPECT_GE(touching, 40);
  EXPECT_LE(touching, 100);
}

}  // namespace
}  // namespace scree
