// Gases of bodies that fly from impact to impact, and their equations of state.
#pragma once

#include <gtest/gtest.h>
#include <numbers>

#include "tests/support/world.h"

namespace scree::test {

inline World piecewise(const PairLaw& law, double time_step_s, double threshold_m_s = 0.0) {
  World world(law, time_step_s);
  world.model.settings.stepping = Stepping::piecewise;
  world.model.settings.restitution_threshold_m_s = threshold_m_s;
  return world;
}

/// A gas of n equal bodies in a periodic cell; velocities for temperature one, in m/s, without momentum.
inline World gas(int n, double solid_fraction, const Vec3& axes, double restitution, double time_step_s,
                 bool periodic = true) {
  World world = piecewise({.friction = 0.0, .restitution = restitution}, time_step_s);
  world.model.settings.gravity.setZero();
  const double volume = 4.0 / 3.0 * std::numbers::pi * axes.prod() * n / solid_fraction,
               edge = std::cbrt(volume);
  const int side = static_cast<int>(std::ceil(std::cbrt(n) - 1e-9));
  const ShapeIndex shape = world.model.shapes.add(Ellipsoid{axes});
  Random random(11);
  const auto normal = [&] { return Vec3(random.normal(), random.normal(), random.normal()); };
  Vec3 sum = Vec3::Zero();
  for (int k = 0; k < n; ++k) {
    const int column = k % side, row = (k / side) % side, layer = k / side / side;
    const Vec3 place = (Vec3(column, row, layer) + Vec3::Constant(0.5)) * edge / side;
    const Vec3 v = normal(), w = normal() / (0.63 * axes.mean());
    const Quat q = axes.maxCoeff() * 2.0 < edge / side ? random.rotation() : Quat::Identity();
    add_body(world.state.bodies, world.model.shapes, world.model.materials,
             {shape, world.material, {place, q}, {v, w}});
    sum += v;
  }
  for (Vec3& v : world.state.bodies.linear_velocity) v -= sum / n;
  if (periodic) {
    world.model.cell.periodic = {true, true, true};
    world.model.cell.high = Vec3::Constant(edge);
  } else {
    world.model.boundaries = box_walls("box", world.material, Vec3::Zero(), Vec3::Constant(edge), {});
  }
  return world;
}

inline double translational(const Bodies& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < b.size(); ++i) sum += 0.5 * b.mass[i] * b.linear_velocity[i].squaredNorm();
  return sum;
}

struct GasRun {
  std::int64_t impacts = 0;
  double compressibility = 0.0;  // P V / (N k T) by the virial of impacts
  double energy_error = 0.0, momentum_error = 0.0, deepest = 0.0;
};

/// Runs until this number of impacts; the first tenth is not counted for the pressure.
inline GasRun run_gas(World& world, std::int64_t impacts) {
  GasRun g;
  const Bodies& b = world.state.bodies;
  const BodySums start = body_sums(b, Vec3::Zero());
  double virial = 0.0, begin = 0.0, temperature_time = 0.0, momentum_size = 0.0;
  for (std::size_t i = 0; i < b.size(); ++i) momentum_size += b.mass[i] * b.linear_velocity[i].norm();
  while (g.impacts < impacts) {
    const double before = world.state.time_s;
    step(world.model, world.state, world.workspace, world.result);
    g.impacts += static_cast<std::int64_t>(world.result.impacts.size());
    g.deepest = std::max(g.deepest, world.result.report.penetration_max);
    if (g.impacts < impacts / 10) {
      begin = world.state.time_s;
      continue;
    }
    for (const Impact& i : world.result.impacts)
      if (!is_boundary(i.b))
        virial += i.collision_impulse.impulse.dot(i.collision_impulse.arm_b - i.collision_impulse.arm_a);
    temperature_time += 2.0 / 3.0 * translational(b) * (world.state.time_s - before);  // N k T dt
  }
  const BodySums end = body_sums(b, Vec3::Zero());
  g.energy_error = std::abs(end.kinetic / start.kinetic - 1.0);
  g.momentum_error = (end.linear - start.linear).norm() / momentum_size;
  g.compressibility = 1.0 + virial / 3.0 / temperature_time;
  static_cast<void>(begin);
  return g;
}

inline double carnahan_starling(double f) { return (1.0 + f + f * f - f * f * f) / std::pow(1.0 - f, 3); }

/// Compressibility of hard convex bodies (Boublik 1981, Mol. Phys. 42, 209), with R S/(3 V) = alpha for a
/// prolate spheroid of semi-axes a > b = c.
inline double boublik(double f, double a, double b) {
  const double e = std::sqrt(1.0 - b * b / (a * a));
  const double surface = 2.0 * std::numbers::pi * b * (b + a * std::asin(e) / e);
  const double mean_radius = 0.5 * (a + b * b / (a * e) * std::atanh(e));
  const double alpha = mean_radius * surface / (4.0 * std::numbers::pi * a * b * b);
  return (1.0 + (3.0 * alpha - 2.0) * f + (3.0 * alpha * alpha - 3.0 * alpha + 1.0) * f * f -
          alpha * alpha * f * f * f) /
         std::pow(1.0 - f, 3);
}

inline void expect_kept(const GasRun& g) {
  EXPECT_LT(g.energy_error, 1e-10);
  EXPECT_LT(g.momentum_error, 1e-10);
  EXPECT_EQ(g.deepest, 0.0);
}

}  // namespace scree::test
