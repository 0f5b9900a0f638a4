// Sleeping bodies of several ranks, against those of one process: the same bits.
#include "engine/simulation/overrides.h"
#include "engine/simulation/subsystems/population.h"
#include "tests/support/rank_courses.h"

namespace scree {
namespace {

using test::by_ranks;
using test::Course;
using test::cut_into;
using test::expect_same;
using test::whole;
using test::World;

/// A bed in many subdomains, of which most bodies sleep.
World make_bed(bool in_cell) {
  PairLaw law{.friction = 0.5, .torsional_friction_m = 2e-3, .rolling_friction_m = 2e-3};
  World world = test::loose_heap(5, 4, law, 2e-3, 2);
  world.model.settings.solver = {};
  world.model.settings.solver.tolerance = 1e-4;
  if (in_cell) {
    std::erase_if(world.model.boundaries, [](const Boundary& wall) {
      return std::abs(std::get<Plane>(wall.surface).normal[2]) < 0.5;
    });
    world.model.cell.periodic = {true, true, false};
    world.model.cell.high = Vec3(5 * 0.22, 5 * 0.22, 5.0);
  }
  cut_into(9, world.state);
  world.run(2.0);
  world.model.settings.sleep = {.speed_m_s = 1e-3, .duration_s = 0.02, .tolerance = 0.05};
  world.run(2.5);
  return world;
}
World bed() {
  static const World made = make_bed(false);
  return made;
}

void add_stone(World& world, const Vec3& at, const Vec3& velocity = Vec3::Zero()) {
  const ShapeIndex shape = world.model.shapes.add(Ellipsoid{Vec3::Constant(0.06)});
  insert(world.model, world.state,
         {shape, world.material, {at, Quat::Identity()}, {velocity, Vec3(1, 2, 3)}});
}

std::int64_t woken(const Course& course) {
  std::int64_t sum = 0;
  for (const test::Told& step : course.steps) sum += step.report.woken;
  return sum;
}

// From the fall on: bodies of all ranks fall asleep beside each other.
TEST(RankSleep, AHeapFallsAsleep) {
  World world = test::loose_heap(5, 3, {.friction = 0.5, .rolling_friction_m = 5e-3}, 2e-3);
  world.model.settings.solver = {};
  world.model.settings.sleep = {.speed_m_s = 0.05, .duration_s = 0.02, .tolerance = 0.5};
  cut_into(9, world.state);
  const Course all = whole(world, 500);
  EXPECT_GT(all.steps.back().report.asleep, 40);
  EXPECT_GT(woken(all), 20);
  for (const std::size_t ranks : {2u, 5u}) expect_same(by_ranks(world, 500, ranks, {100, 400}), all);
}

// A stone wakes bodies of several ranks, at once and as forces change.
TEST(RankSleep, AStoneWakesABed) {
  World world = bed();
  ASSERT_GT(world.state.sleepers.sums.bodies, 50);
  add_stone(world, Vec3(0.5, 0.6, 1.2), Vec3(0.3, 0.1, -3.0));
  const Course all = whole(world, 220);
  EXPECT_GT(woken(all), 30);
  for (const std::size_t ranks : {2u, 5u}) expect_same(by_ranks(world, 220, ranks), all);
}

// A heavy stone shoots bodies away: steps are taken back while bodies of several ranks wake.
TEST(RankSleep, AHeavyStoneShootsBodiesAway) {
  for (const bool adaptive : {false, true}) {
    World world = bed();
    world.model.settings.adaptive_step = adaptive;
    world.model.settings.least_time_step_s = 1e-6;
    add_stone(world, Vec3(0.5, 0.6, 1.0), Vec3(1.0, 0.5, -20.0));
    world.state.bodies.mass.back() *= 300.0;
    world.state.bodies.inertia.back() *= 300.0;
    const Course all = whole(world, 50);
    std::int64_t halvings = 0;
    for (const test::Told& step : all.steps) halvings += step.report.halvings;
    EXPECT_GT(halvings, adaptive ? 0 : 3) << adaptive;
    EXPECT_GT(woken(all), 20) << adaptive;
    for (const std::size_t ranks : {2u, 5u}) expect_same(by_ranks(world, 50, ranks, {7, 21}), all);
  }
}

// Sorting gives sleeping bodies, and what holds them, to other ranks; others go on from there.
TEST(RankSleep, SleepersMoveToOtherRanks) {
  World world = bed();
  world.model.settings.sort_interval = 80;
  world.model.settings.substeps = 2;
  add_stone(world, Vec3(0.5, 0.6, 1.2));
  const Course all = whole(world, 200);
  EXPECT_GT(woken(all), 5);
  for (const std::size_t ranks : {2u, 3u}) expect_same(by_ranks(world, 200, ranks), all);
  World resumed = world;
  resumed.state = by_ranks(world, 100, 3).end;
  EXPECT_EQ(by_ranks(resumed, 100, 2).steps.back().hash, all.steps.back().hash);
}

// Bodies leave from below sleeping ones, and all of some ranks; gravity turns, a wall goes, and at last no
// body falls asleep any more.
TEST(RankSleep, SupportsAndForcesVanish) {
  World world = bed();
  world.model.outlets.push_back({"drain", BoxRegion{Vec3(0, 0, -1), Vec3(0.3, 1.1, 0.12)}});
  const test::Event event = [](World& w, int step) {
    if (step == 1) w.model.outlets.clear();
    if (step == 60) set_gravity(Vec3(2.0, 0.0, -9.0), w.state);
    if (step == 120) w.model.outlets.push_back({"slide", BoxRegion{Vec3(0, 0, -1), Vec3(0.6, 1.2, 5)}});
    if (step == 200) remove_boundary(w.model, 1, w.state);
    if (step == 220) w.model.settings.sleep = {};
  };
  const Course all = whole(world, 260, event);
  EXPECT_LT(all.end.bodies.size(), 95u);
  EXPECT_GT(woken(all), 30);
  for (const std::size_t ranks : {2u, 5u}) expect_same(by_ranks(world, 260, ranks, {}, event), all);
}

// A wall begins to push, and steps change their length, so that impulses at rest are scaled.
TEST(RankSleep, AWallPushesInStepsOfAnyLength) {
  World world = bed();
  world.model.settings.adaptive_step = true;
  world.model.settings.least_time_step_s = 1e-4;
  const auto facing = [&](const Boundary& wall) {
    return std::get<Plane>(wall.surface).normal.dot(Vec3::UnitX()) > 0.9;
  };
  const auto wall = std::ranges::find_if(world.model.boundaries, facing);
  MotionStage push;
  push.law.rate = 0.2;
  push.law.start = world.state.time_s;
  test::give_motion(world.model, static_cast<std::size_t>(wall - world.model.boundaries.begin()), {{push}});
  add_stone(world, Vec3(0.8, 0.6, 1.2), Vec3(0, 0, -4.0));
  const Course all = whole(world, 180);
  EXPECT_GT(woken(all), 5);
  EXPECT_NE(all.steps[10].report.time_step_s, all.steps[150].report.time_step_s);
  for (const std::size_t ranks : {2u, 5u}) expect_same(by_ranks(world, 180, ranks), all);
}

// Neighbours at rest are images.
TEST(RankSleep, ABedInAPeriodicCell) {
  World world = make_bed(true);
  EXPECT_GT(world.state.sleepers.sums.bodies, 50);
  add_stone(world, Vec3(0.05, 0.6, 1.2), Vec3(0, 0, -3.0));
  const Course all = whole(world, 180);
  EXPECT_GT(woken(all), 10);
  for (const std::size_t ranks : {2u, 5u}) expect_same(by_ranks(world, 180, ranks), all);
}

}  // namespace
}  // namespace scree
