// Bodies given by functions, in steps: the properties of ellipsoids also hold for them.
#include <algorithm>
#include <gtest/gtest.h>

#include "engine/core/parallel.h"
#include "engine/core/rotation.h"
#include "engine/simulation/placement.h"
#include "engine/simulation/subsystems/population.h"
#include "tests/support/implicit_shapes.h"
#include "tests/support/same_bits.h"
#include "tests/support/world.h"

namespace scree {
namespace {

using test::World;

std::int32_t add_function(World& world, const std::string& name, const PerturbedQuadric& f) {
  ShapeFindings findings;
  const auto made = make_implicit_shape(f, {.support_cells = 4}, findings);
  EXPECT_TRUE(made) << name;
  return world.model.shapes.add_function({name, f, std::make_shared<ImplicitShape>(*made)});
}

BodyIndex add(World& world, std::int32_t function, double size, const Pose& pose) {
  const ShapeIndex shape = world.model.shapes.add(SizedFunction{function, size});
  return add_body(world.state.bodies, world.model.shapes, world.model.materials,
                  {shape, world.material, pose, {}});
}

/// Beans, dumbbells and ellipsoids above a floor between walls.
World mixture(int layers) {
  World world({}, 2e-3);
  world.model.settings.solver.tolerance = 1e-3;
  const std::int32_t functions[2] = {add_function(world, "bean", test::bean()),
                                     add_function(world, "dumbbell", test::dumbbell())};
  world.model.boundaries =
      box_walls("box", world.material, Vec3(-0.25, -0.25, 0.0), Vec3(0.25, 0.25, 10.0), {"+z"});
  Random random(3);
  for (int z = 0; z < layers; ++z) {
    for (int k = 0; k < 4; ++k) {
      const Pose pose{Vec3(k % 2 ? 0.12 : -0.12, k / 2 ? 0.12 : -0.12, 0.12 + 0.22 * z), random.rotation()};
      if (k < 3) {
        add(world, functions[k % 2], 0.1, pose);
      } else {
        world.add(Vec3(0.1, 0.07, 0.05), pose);
      }
    }
  }
  return world;
}

TEST(ImplicitBodies, DumbbellRestsOnBothEndsAndItsWeightIsCarried) {
  World world;
  world.add_floor();
  const std::int32_t dumbbell = add_function(world, "dumbbell", test::dumbbell());
  const BodyIndex b = add(world, dumbbell, 0.1, {Vec3(0, 0, 0.0505), Quat::Identity()});
  double worst = 0.0;
  const StepReport last =
      world.run(1.0, [&](const StepReport& r) { worst = std::max(worst, std::abs(r.energy.remainder)); });
  EXPECT_LT(worst, 1e-13);  // J; the body exchanges more than 0.1 J
  EXPECT_EQ(last.active_contacts, 2);
  EXPECT_LT(last.energy.kinetic, 1e-12);
  Vec3 carried = Vec3::Zero();
  double lever = 0.0;
  for (const Contact& c : world.state.contacts.list) {
    carried += c.impulse.cast<double>();
    lever += c.arm_a[0] * double{c.impulse[2]};
  }
  const double weight = world.state.bodies.mass[b] * 9.81 * world.model.settings.time_step_s;
  EXPECT_NEAR(carried[2], weight, 1e-6 * weight);  // impulses are in single precision
  EXPECT_NEAR(lever, 0.0, 1e-6 * weight * 0.1);    // one end on either side, symmetric
  // The lowest points of the function are those on the floor.
  EXPECT_NEAR(
      world.state.bodies.position[b][2],
      half_extent(world.model.shapes, world.state.bodies.shape[b], world.state.bodies.orientation[b])[2],
      0.03 * 0.1);
}

TEST(ImplicitBodies, BalancesCloseAndOverlapStaysSmall) {
  World world = mixture(3);
  double ledger = 0.0, momentum = 0.0, overlap = 0.0;
  world.run(0.4, [&](const StepReport& r) {
    ledger = std::max(ledger, std::abs(r.energy.remainder));
    momentum = std::max({momentum, r.momentum_error_relative, r.angular_momentum_error_relative});
    overlap = std::max(overlap, r.penetration_max);
  });
  EXPECT_LT(ledger, 1e-11);    // J, of about 50
  EXPECT_LT(momentum, 1e-13);  // of the impulses
  EXPECT_LT(overlap, 0.05);    // of the smallest length
}

TEST(ImplicitBodies, SameBitsOnAnyThreadsAndFromACopy) {
  test::expect_same_bits([] { return mixture(3); }, 0.1, 0.25);
}

// Sorting gives bodies other slots: pair caches remain, with exchanged sides where necessary.
TEST(ImplicitBodies, PairCachesSurviveSorting) {
  World world = mixture(3);
  world.run(0.3);
  World sorted = world;
  sort(sorted.model.shapes, sorted.state);
  EXPECT_NE(sorted.state.bodies.id, world.state.bodies.id);
  EXPECT_TRUE(std::ranges::is_sorted(sorted.state.cached, [](const auto& p, const auto& q) {
    return p.a != q.a ? p.a < q.a : partner_order(p.b) < partner_order(q.b);
  }));
  world.step();
  sorted.step();
  EXPECT_EQ(sorted.state.contacts.size(), world.state.contacts.size());
  const SlotsById slots(sorted.state.bodies);
  for (std::size_t i = 0; i < world.state.bodies.size(); ++i) {
    const auto k = static_cast<std::size_t>(slots.find(world.state.bodies.id[i]));
    // The order of contacts differs, so the solution differs within its tolerance.
    EXPECT_LT((sorted.state.bodies.position[k] - world.state.bodies.position[i]).norm(), 1e-6);
  }
}

TEST(ImplicitBodies, RemovedBodyLeavesNoCachedPairs) {
  World world = mixture(2);
  world.run(0.25);
  ASSERT_FALSE(world.state.cached.empty());
  const BodyId gone = world.state.bodies.id[0];
  remove(world.state, std::span(&gone, 1));
  for (const CachedPair& p : world.state.cached) {
    EXPECT_LT(p.a, static_cast<std::int32_t>(world.state.bodies.size()));
    EXPECT_LT(p.b, static_cast<std::int32_t>(world.state.bodies.size()));
  }
  EXPECT_LT(world.step().penetration_max, 0.05);
}

// A sheet through the middle of a long body, deeper than contacts are searched: neither groups nor inlets may
// place it there; beside the sheet they may.
TEST(ImplicitBodies, SheetsOfRevolutionThroughTheirMiddleAreFound) {
  World world;
  const ShapeIndex shape =
      world.model.shapes.add(SizedFunction{add_function(world, "egg", perturbed({1.0, 0.35, 0.3})), 0.1});
  const std::vector<Vec2> disc{{0.0, 0.0}, {0.5, 0.0}}, drum{{0.3, -0.5}, {0.3, 0.5}};
  for (const std::vector<Vec2>& profile : {disc, drum}) {
    world.model.boundaries = {
        {"sheet", world.material,
         PlacedRevolved{std::make_shared<RevolvedSurface>(revolved_surface(profile, false, 0.0)), {}}}};
    const bool is_disc = profile == disc;
    const Quat across = is_disc ? turn_between(Vec3::UnitX(), Vec3::UnitZ()) : Quat::Identity();
    for (const double away : {0.0, 0.01, 0.05, 0.09, 0.11}) {
      const Vec3 at = is_disc ? Vec3(0.1, 0.05, away) : Vec3(0.3 - away, 0.0, 0.1);
      EXPECT_EQ(is_in_boundary(world.model, shape, world.material, {at, across}), away < 0.1)
          << is_disc << away;
      EXPECT_EQ(overlaps_boundary(world.model, shape, world.material, {at, across}, 0.0), away < 0.1)
          << is_disc << away;
    }
  }
}

}  // namespace
}  // namespace scree
