// Rods, rows of the contact problem: a pendulum and a chain.
#include <gtest/gtest.h>

#include "tests/support/world.h"

namespace scree {
namespace {

using test::World;

double energy(const World& world) {
  return kinetic_energy(world.state.bodies) +
         potential_energy(world.state.bodies, world.model.settings.gravity);
}

double length_of(const World& world, const Rod& rod) {
  const Bodies& b = world.state.bodies;
  const auto end = [&](BodyId id, const Vec3& point) -> Vec3 {
    if (id == ground) return point;
    const auto i = static_cast<std::size_t>(id);  // nobody has moved
    return b.position[i] + b.orientation[i] * point;
  };
  return (end(rod.a, rod.point_a) - end(rod.b, rod.point_b)).norm();
}

// A small sphere on a rod of 1 m from 60 degrees: period by the elliptic integral, T = 4 K(sin 30 deg)
// sqrt(l/g) with K = 1.685750354812596 (Abramowitz, Stegun, table 17.2), energy and length over ten periods.
TEST(Rod, PendulumKeepsPeriodEnergyAndLength) {
  World world({}, 1e-3);
  const double start = 3.14159265358979 / 3.0;
  world.add_sphere(1e-3, Vec3(std::sin(start), 0, -std::cos(start)));
  world.model.rods.push_back({0, ground, Vec3::Zero(), Vec3::Zero(), 1.0});
  const double period = 4.0 * 1.685750354812596 / std::sqrt(9.81),
               scale = world.state.bodies.mass[0] * 9.81 * 0.5;
  const double e0 = energy(world);
  double drift = 0.0, stretch = 0.0, remainder = 0.0, last_x = world.state.bodies.position[0][0],
         crossed = 0.0;
  int crossings = 0;
  world.run(10.2 * period, [&](const StepReport& r) {
    drift = std::max(drift, std::abs(energy(world) - e0));
    stretch = std::max(stretch, std::abs(length_of(world, world.model.rods[0]) - 1.0));
    remainder = std::max(remainder, std::abs(r.energy.remainder));
    EXPECT_LT(r.momentum_error_relative, 1e-12);
    const double x = world.state.bodies.position[0][0];
    if (last_x < 0.0 && x >= 0.0) {  // to the right
      ++crossings;
      crossed = r.time_s - 1e-3 * x / (x - last_x);
    }
    last_x = x;
  });
  // From the right end it first comes back through the middle, to the right, after 3/4 of a period.
  ASSERT_EQ(crossings, 10);
  EXPECT_NEAR(crossed, 9.75 * period, 2e-5 * 9.75 * period);
  EXPECT_LT(drift, 1e-4 * scale);
  EXPECT_LT(stretch, 2e-6);
  EXPECT_LT(remainder, 1e-12 * scale);
}

// A double pendulum of bodies with extent, held at their surfaces: energy and lengths, and no angular
// momentum from nothing about the axis.
TEST(Rod, HoldsBodiesAtTheirSurfaces) {
  World world({}, 5e-4);
  world.add(Vec3(0.05, 0.05, 0.1), {Vec3(0, 0, -0.3), Quat::Identity()}, {Vec3(0.5, 0.2, 0), Vec3::Zero()});
  world.add(Vec3(0.05, 0.05, 0.1), {Vec3(0, 0, -0.7), Quat::Identity()}, {Vec3::Zero(), Vec3(0, 1, 0)});
  world.model.rods = {{0, ground, Vec3(0, 0, 0.1), Vec3::Zero(), 0.2},
                      {0, 1, Vec3(0, 0, -0.1), Vec3(0, 0, 0.1), 0.2}};
  const double e0 = energy(world);
  const double scale = world.state.bodies.mass[0] * 9.81;
  double drift = 0.0, stretch = 0.0;
  world.run(3.0, [&](const StepReport& r) {
    EXPECT_EQ(r.active_contacts, 0);
    drift = std::max(drift, std::abs(energy(world) - e0));
    for (const Rod& rod : world.model.rods)
      stretch = std::max(stretch, std::abs(length_of(world, rod) - rod.length));
  });
  EXPECT_LT(drift, 2e-3 * scale);
  EXPECT_LT(stretch, 5e-5);
}

// A chain of 50 spheres swings from the horizontal for 0.5 s, until its end cracks like a whip. At 1 ms its
// links keep their lengths to 1.2 % and it gains 0.12 % of the energy that its fall sets free; at 0.25 ms to
// 0.06 % and 0.006 %: both fall with the square of the step. Momentum and the ledger close to rounding.
class Chain : public ::testing::TestWithParam<std::array<double, 3>> {
};  // step, s; bounds of stretch and gain

TEST_P(Chain, OfFifty) {
  const auto [step_s, most_stretch, most_gain] = GetParam();
  World world({}, step_s);
  world.model.settings.solver.tolerance = 1e-6;
  world.model.settings.solver.max_sweeps = 2000;
  const int links = 50;
  const double link = 0.02;
  for (int i = 0; i < links; ++i) {
    world.add_sphere(0.005, Vec3(link * (i + 1), 0, 0));
    world.model.rods.push_back({i, i == 0 ? ground : i - 1, Vec3::Zero(), Vec3::Zero(), link});
  }
  const double e0 = energy(world), whole = links * world.state.bodies.mass[0] * 9.81 * (0.5 * links * link);
  double drift = 0.0, stretch = 0.0, remainder = 0.0, momentum = 0.0;
  world.run(0.5, [&](const StepReport& r) {
    drift = std::max(drift, std::abs(energy(world) - e0));
    remainder = std::max(remainder, std::abs(r.energy.remainder));
    momentum = std::max(momentum, r.momentum_error_relative);
    EXPECT_EQ(r.status, SolveStatus::converged);
    for (const Rod& rod : world.model.rods)
      stretch = std::max(stretch, std::abs(length_of(world, rod) - link) / link);
  });
  EXPECT_LT(drift, most_gain * whole);
  EXPECT_LT(stretch, most_stretch);
  EXPECT_LT(remainder, 1e-12 * whole);
  EXPECT_LT(momentum, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Rod, Chain,
                         ::testing::Values(std::array{1e-3, 1.2e-2, 1.2e-3}, std::array{2.5e-4, 1e-3, 1e-4}));

TEST(Rod, HangingChainCarriesItsWeight) {
  World world({}, 1e-3);
  const int links = 50;
  for (int i = 0; i < links; ++i) {
    world.add_sphere(0.005, Vec3(0, 0, -0.02 * (i + 1)));
    world.model.rods.push_back({i, i == 0 ? ground : i - 1, Vec3::Zero(), Vec3::Zero(), 0.02});
  }
  world.model.settings.solver.tolerance = 1e-8;
  world.model.settings.solver.max_sweeps = 5000;
  world.run(0.05);
  const double weight = world.state.bodies.mass[0] * 9.81;
  for (int i = 0; i < links; ++i)  // rods pull: negative
    EXPECT_NEAR(world.state.rod_impulse[static_cast<std::size_t>(i)] / 1e-3, -(links - i) * weight,
                1e-4 * weight * links);
  EXPECT_NEAR(world.state.bodies.position[links - 1][2], -0.02 * links, 1e-7);
}

// Rods are named by ids: sorting bodies does not matter to them.
TEST(Rod, FollowsItsBodiesWhenTheyAreSorted) {
  const auto run = [](int sort_interval) {
    World world({}, 1e-3);
    world.model.settings.sort_interval = sort_interval;
    for (int i = 0; i < 6; ++i) {
      world.add_sphere(i % 2 == 0 ? 0.005 : 0.009, Vec3(0.05 * (i + 1), 0, 0));
      world.model.rods.push_back({i, i == 0 ? ground : i - 1, Vec3::Zero(), Vec3::Zero(), 0.05});
    }
    world.run(0.3);
    Vec3 end;
    for (std::size_t k = 0; k < 6; ++k)
      if (world.state.bodies.id[k] == 5) end = world.state.bodies.position[k];
    return end;
  };
  EXPECT_LT((run(7) - run(0)).norm(), 1e-5);
}

}  // namespace
}  // namespace scree
