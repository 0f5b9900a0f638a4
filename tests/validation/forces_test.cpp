// Variable gravity, fields and a fluid: closed forms, and the energy balance.
#include <gtest/gtest.h>
#include <numbers>

#include "tests/support/world.h"

namespace scree {
namespace {

using test::World;

constexpr double g = 9.81, radius = 1e-3;

Fluid water(DragLaw drag) {
  Fluid fluid;
  fluid.density = 1000.0;
  fluid.viscosity = 1e-3;
  fluid.drag = drag;
  return fluid;
}

/// One sphere of 2500 kg/m^3 and 2 mm, alone; the largest remainder of the energy balance and the work of
/// forces.
struct Alone {
  World world;
  double worst = 0.0, work = 0.0;

  explicit Alone(double time_step_s, const Twist& twist = {}) : world({}, time_step_s) {
    world.add_sphere(radius, Vec3(0.1, 0, 0), twist);
  }
  void run(
      double until_s, const std::function<void(double)>& look = [](double) {}) {
    world.run(until_s, [&](const StepReport& r) {
      worst = std::max(worst, std::abs(r.energy.remainder));
      work += r.energy.force_work;
      look(r.time_s);
    });
  }
  const Vec3& x() const { return world.state.bodies.position[0]; }
  const Vec3& v() const { return world.state.bodies.linear_velocity[0]; }
  double energy() const {
    const BodySums sums = body_sums(world.state.bodies, world.model.settings.gravity);
    return sums.kinetic + sums.potential;
  }
};

/// Stokes' drag over the mass of that sphere in a fluid, 1/s.
double stokes_rate(double viscosity) {
  const double mass = 2500.0 * 4.0 / 3.0 * std::numbers::pi * radius * radius * radius;
  return 6.0 * std::numbers::pi * viscosity * radius / mass;
}

// v = w (1 - exp(-b t)) with w = (1 - rho_f/rho) g / b: exact at the end of any step, also of one much longer
// than 1/b. The distance follows from the mean velocities, with second order.
TEST(Forces, SphereSettlesByStokesLaw) {
  for (const double h : {1e-3, 0.2}) {
    Alone ball(h);
    Fluid fluid = water(DragLaw::stokes);
    fluid.viscosity = 0.5;
    ball.world.model.forces.fluid = fluid;
    const double b = stokes_rate(fluid.viscosity), w = (1.0 - 1000.0 / 2500.0) * g / b;
    const double start = ball.energy();
    ball.run(1.0, [&](double t) { EXPECT_NEAR(ball.v().z(), -w * -std::expm1(-b * t), 1e-12); });
    EXPECT_NEAR(ball.v().z(), -w, 1e-6 * w);
    if (h < 0.01) {
      const double fallen = w * (1.0 - -std::expm1(-b * 1.0) / b);
      EXPECT_NEAR(ball.x().z(), -fallen, 1e-3 * fallen);
    }
    EXPECT_LT(ball.worst, 1e-12 * std::abs(ball.work));
    EXPECT_NEAR(ball.energy() - start, ball.work, 1e-12 * std::abs(ball.work));
    EXPECT_LT(ball.work, 0.0);
  }
}

// Before the first body enters, all that a step reports is a number, and nothing is to be solved.
TEST(Forces, AFluidWithoutBodies) {
  World world;
  world.model.forces.fluid = water(DragLaw::stokes);
  world.add_floor();
  const StepReport& report = world.step();
  EXPECT_NEAR(report.velocity_scale_m_s, g * 1e-3, 1e-15);
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_LE(report.sweeps, 1);
}

// Without a fluid's inertia the final speed balances drag and weight: Schiller and Naumann's coefficient,
// solved here for the speed by bisection.
TEST(Forces, TheFinalSpeedIsThatOfSchillerAndNaumann) {
  Alone ball(1e-3);
  ball.world.model.forces.fluid = water(DragLaw::schiller_naumann);
  const double d = 2.0 * radius;
  const auto net = [&](double v) {  // N
    const double reynolds = 1000.0 * v * d / 1e-3;
    const double coefficient =
        reynolds > 1000.0 ? 0.44 : 24.0 / reynolds * (1.0 + 0.15 * std::pow(reynolds, 0.687));
    const double drag = 0.5 * 1000.0 * v * v * coefficient * std::numbers::pi * radius * radius;
    return drag - 1500.0 * g * std::numbers::pi * d * d * d / 6.0;
  };
  double low = 1e-3, high = 1.0;
  for (int k = 0; k < 100; ++k) (net(0.5 * (low + high)) > 0.0 ? high : low) = 0.5 * (low + high);
  ball.run(2.0);
  EXPECT_NEAR(ball.v().z(), -low, 1e-6 * low);
  EXPECT_GT(1000.0 * low * d / 1e-3, 100.0);  // far from Stokes' law
}

// A body lighter than the fluid rises; without drag at exactly (rho_f/rho - 1) g.
TEST(Forces, BuoyantBodyRises) {
  Alone ball(1e-3);
  Fluid fluid = water(DragLaw::none);
  fluid.density = 5000.0;
  ball.world.model.forces.fluid = fluid;
  ball.run(0.5);
  EXPECT_NEAR(ball.v().z(), g * 0.5, 1e-12);
  EXPECT_NEAR(ball.x().z(), 0.5 * g * 0.25, 1e-12);
  EXPECT_LT(ball.worst, 1e-12 * ball.work);
}

// A moving fluid carries bodies; an ellipsoid has the drag of the sphere of its volume.
TEST(Forces, MovingFluidCarriesBodies) {
  World world({}, 1e-3);
  Fluid fluid = water(DragLaw::stokes);
  fluid.viscosity = 0.5;
  fluid.velocity = [](const Vec3& x, double) { return Vec3(0.1 + 0.0 * x.x(), 0, 0); };
  world.model.forces.fluid = fluid;
  world.model.settings.gravity.setZero();
  world.add_sphere(radius, Vec3(0, 0.1, 0));
  world.add(Vec3(4.0, 0.5, 0.5) * radius, {Vec3(0, 0.2, 0), Quat::Identity()});
  world.run(0.05);
  const double expected = 0.1 * -std::expm1(-stokes_rate(fluid.viscosity) * 0.05);
  for (const Vec3& v : world.state.bodies.linear_velocity) EXPECT_NEAR(v.x(), expected, 1e-12);
}

// Gravity that rotates: v = integral of g. Its value in the middle of each step gives second order.
TEST(Forces, RotatingGravityGivesCircularMotion) {
  const double rate = 5.0;
  double error[2];
  for (int k = 0; k < 2; ++k) {
    Alone ball(k == 0 ? 2e-3 : 1e-3, {Vec3(0, 0, -g / rate), Vec3::Zero()});
    Model& model = ball.world.model;
    model.forces.gravity = [&](double t) { return Vec3(g * std::cos(rate * t), 0, g * std::sin(rate * t)); };
    model.settings.gravity = model.forces.gravity(0.0);
    const Vec3 start = ball.x();
    const double energy = ball.energy();
    error[k] = 0.0;
    ball.run(1.0, [&](double t) {
      const double phase = rate * t, size = g / (rate * rate);
      const Vec3 exact = start + size * Vec3(1.0 - std::cos(phase), 0, -std::sin(phase));
      error[k] = std::max(error[k], (ball.x() - exact).norm());
    });
    EXPECT_LT(error[k], 1e-4 * g / (rate * rate));
    EXPECT_LT(ball.worst, 1e-12 * std::abs(energy) + 1e-15);
    EXPECT_NEAR(ball.energy() - energy, ball.work, 1e-12 * std::abs(energy) + 1e-15);
  }
  EXPECT_NEAR(error[0] / error[1], 4.0, 0.2);
}

// A central field k x: the orbit of an oscillator, with constant period and energy.
TEST(Forces, InACentralFieldABodyOscillates) {
  const double k = 100.0;
  Alone ball(1e-3, {Vec3(0, 0.5, 0), Vec3::Zero()});
  ball.world.model.settings.gravity.setZero();
  ball.world.model.forces.fields.push_back(
      {[&](const Vec3& x, const Vec3&, double) { return Vec3(-k * x); }});
  double farthest = 0.0;
  ball.run(2.0 * std::numbers::pi, [&](double t) {
    const double phase = std::sqrt(k) * t;
    farthest = std::max(farthest, (ball.x() - Vec3(0.1 * std::cos(phase), 0.05 * std::sin(phase), 0)).norm());
  });
  // Leapfrog's phase is ahead by (w h)^2 / 24 of itself.
  EXPECT_LT(farthest, 1.2 * 0.1 * 20.0 * std::numbers::pi * 1e-4 / 24.0);
  EXPECT_LT(ball.worst, 1e-18);
  EXPECT_NEAR(ball.world.state.bodies.mass[0] * 0.5 * 0.25 + ball.work, ball.energy(), 1e-17);
}

// A heap in water under a field to the side: contacts and forces together close the balances of energy and
// momentum.
// A bead at rest on the ground under a viscous fluid presses with its weight less buoyancy, without drag, in
// steps of any length: b h is 0.05, 2.3 and 45. Pushed along at a given speed it would meet all of the drag.
TEST(Forces, WhatIsHeldInAFluidPressesWithItsWeight) {
  for (const double h : {1e-4, 5e-3, 0.1}) {
    Alone bead(h);
    bead.world.add_floor();
    bead.world.state.bodies.position[0] = Vec3(0, 0, radius);
    Fluid fluid = water(DragLaw::stokes);
    fluid.viscosity = 0.25;
    bead.world.model.forces.fluid = fluid;
    bead.run(10.0 * h);
    const double weight = bead.world.state.bodies.mass[0] * (1.0 - 1000.0 / 2500.0) * g;
    EXPECT_NEAR(bead.world.result.boundaries[0].impulse.z() / h, -weight, 1e-6 * weight) << h;
    EXPECT_NEAR(bead.v().z(), 0.0, 1e-9);
    EXPECT_LT(bead.worst, 1e-12 * weight * radius);
  }
}

// A program's own force F in a fluid leads to F/(m b), also in steps much longer than 1/b.
TEST(Forces, OwnForcesReachTheFinalSpeed) {
  for (const double h : {1e-3, 0.2}) {
    Alone ball(h);
    ball.world.model.settings.gravity.setZero();
    Fluid fluid = water(DragLaw::stokes);
    fluid.viscosity = 0.5;
    ball.world.model.forces.fluid = fluid;
    ball.world.model.forces.own = [](const State&, double, std::span<Wrench> given) {
      given[0].force = Vec3(1e-3, 0, 0);
    };
    ball.run(2.0);
    const double speed = 1e-3 / (ball.world.state.bodies.mass[0] * stokes_rate(fluid.viscosity));
    EXPECT_NEAR(ball.v().x(), speed, 1e-9 * speed) << h;
  }
}

TEST(Forces, TheLedgerOfAHeapInWaterCloses) {
  PairLaw law;
  law.friction = 0.4;
  law.restitution = 0.3;
  for (const RestitutionLaw restitution : {RestitutionLaw::newton, RestitutionLaw::energetic}) {
    World world = test::loose_heap(3, 3, law, 1e-3, 2);
    world.model.settings.solver.tolerance = 1e-4;
    world.model.settings.solver.max_sweeps = 100;
    world.model.settings.restitution_law = restitution;
    world.model.forces.fluid = water(DragLaw::schiller_naumann);
    world.model.forces.fields.push_back(
        {[](const Vec3& x, const Vec3&, double t) { return Vec3(std::sin(10.0 * t), 0, 0.1 * x.y()); }});
    const double energy = potential_energy(world.state.bodies, world.model.settings.gravity);
    double worst = 0.0, momentum = 0.0;
    world.run(0.5, [&](const StepReport& r) {
      worst = std::max(worst, std::abs(r.energy.remainder));
      momentum = std::max(momentum, r.momentum_error_relative);
      EXPECT_LT(r.energy_injected_J, 1e-3 * energy);
    });
    EXPECT_LT(worst, 1e-12 * energy);
    EXPECT_LT(momentum, 1e-10);
  }
}

}  // namespace
}  // namespace scree
