// Steps by several ranks, each with a part of the bodies, against those over the whole: the same bits.
#include <gtest/gtest.h>

#include "engine/simulation/ranks/decomposition.h"
#include "tests/support/emulated_team.h"
#include "tests/support/same_bits.h"
#include "tests/support/world.h"

namespace scree {
namespace {

using test::EmulatedTeam;
using test::World;

/// Subdomains of so many bodies.
void cut_into(std::int32_t bodies, State& state) {
  Subdomains& s = state.bodies.subdomains;
  const auto n = static_cast<std::int32_t>(state.bodies.size());
  for (std::int32_t k = 0; k < n; k += bodies) s.first.push_back(k);
  s.first.push_back(n);
  s.cut_bodies = n;
  s.index();
}

struct Told {
  std::uint64_t hash;
  StepReport report;
};

/// What steps of a world tell, and the state in the end.
struct Course {
  std::vector<Told> steps;
  State end;
};

void take_step(World& world, Course& course) {
  const StepReport& report = world.step();
  course.steps.push_back({state_hash(world.state.bodies), report});
}

Course whole(World world, int steps) {
  Course course;
  for (int k = 0; k < steps; ++k) take_step(world, course);
  course.end = world.state;
  return course;
}

Course by_ranks(const World& begin, int steps, std::size_t ranks, std::vector<int> collect_at = {}) {
  EmulatedTeam team(ranks);
  std::vector<Course> course(ranks);
  team.run([&](std::size_t r) {
    World world = begin;
    world.workspace.decomposition = std::make_shared<Decomposition>(world.model, team.rank(r), world.state);
    for (int k = 0; k < steps; ++k) {
      take_step(world, course[r]);
      if (std::ranges::find(collect_at, k) != collect_at.end()) world.workspace.decomposition->collect(world.state);
    }
    course[r].end = world.workspace.decomposition->collect(world.state);
  });
  for (std::size_t r = 1; r < ranks; ++r)
    for (int k = 0; k < steps; ++k) EXPECT_EQ(course[r].steps[k].hash, course[0].steps[k].hash);
  return course[0];
}

void expect_same(const Course& a, const Course& b) {
  ASSERT_EQ(a.steps.size(), b.steps.size());
  for (std::size_t k = 0; k < a.steps.size(); ++k) {
    const StepReport &p = a.steps[k].report, &q = b.steps[k].report;
    ASSERT_EQ(p.candidates, q.candidates) << "step " << k;
    ASSERT_EQ(p.contacts, q.contacts) << "step " << k;
    ASSERT_EQ(p.velocity_scale_m_s, q.velocity_scale_m_s) << "step " << k;
    ASSERT_EQ(p.sweeps, q.sweeps) << "step " << k;
    ASSERT_EQ(p.residual_rms_m_s, q.residual_rms_m_s) << "step " << k;
    ASSERT_EQ(a.steps[k].hash, b.steps[k].hash) << "step " << k;
    EXPECT_EQ(p.active_contacts, q.active_contacts);
    EXPECT_EQ(p.bodies_in_collision, q.bodies_in_collision);
    EXPECT_EQ(p.bodies, q.bodies);
    EXPECT_EQ(p.touching, q.touching);
    EXPECT_EQ(p.penetration_max, q.penetration_max);
    EXPECT_EQ(p.penetration_mean, q.penetration_mean);
    EXPECT_EQ(p.deepest, q.deepest);
    for (const LedgerEntry& entry : ledger_entries)
      EXPECT_EQ(p.energy.*entry.value, q.energy.*entry.value) << entry.name << ", step " << k;
    EXPECT_EQ(p.momentum_error_relative, q.momentum_error_relative);
    EXPECT_EQ(p.boundary_impulse, q.boundary_impulse);
    EXPECT_EQ(p.unreturned_J, q.unreturned_J);
    EXPECT_EQ(p.coarseness.turning, q.coarseness.turning);
    EXPECT_EQ(p.coarseness.turn_rad, q.coarseness.turn_rad);
    EXPECT_EQ(p.coarseness.wall_travel, q.coarseness.wall_travel);
    EXPECT_EQ(p.halvings, q.halvings);
    EXPECT_EQ(p.time_s, q.time_s);
  }
  EXPECT_EQ(a.end.bodies.id, b.end.bodies.id);
  EXPECT_EQ(a.end.bodies.subdomains.first, b.end.bodies.subdomains.first);
  ASSERT_EQ(a.end.contacts.size(), b.end.contacts.size());
  for (std::size_t c = 0; c < a.end.contacts.size(); ++c) {
    EXPECT_EQ(a.end.contacts[c].key, b.end.contacts[c].key);
    EXPECT_EQ(a.end.contacts[c].impulse, b.end.contacts[c].impulse);
  }
  EXPECT_EQ(a.end.cached_normals.row, b.end.cached_normals.row);
}

World heap(const PairLaw& law) {
  World world = test::loose_heap(7, 7, law, 2e-3);
  world.model.settings.solver = {};
  return world;
}

TEST(RankSteps, AHeapFallsTheSame) {
  World world = heap({.friction = 0.5});
  cut_into(24, world.state);
  const Course all = whole(world, 250);
  EXPECT_GT(all.steps.back().report.active_contacts, 500);
  for (const std::size_t ranks : {1u, 2u, 3u, 7u}) expect_same(by_ranks(world, 250, ranks, {20, 120}), all);
}

TEST(RankSteps, BouncesAndTorquesAndAMovingFloor) {
  World world = heap({.friction = 0.4, .torsional_friction_m = 1e-3, .rolling_friction_m = 2e-3, .restitution = 0.4});
  MotionStage shaking;
  shaking.axis = Vec3::UnitZ();
  shaking.law.amplitude = 0.02;
  shaking.law.frequency = 8.0;
  for (std::size_t k = 0; k < world.model.boundaries.size(); ++k)
    if (std::get<Plane>(world.model.boundaries[k].surface).normal.z() > 0.5)
      test::give_motion(world.model, k, {{shaking}});
  world.model.settings.adaptive_step = true;
  cut_into(24, world.state);
  const Course all = whole(world, 250);
  for (const std::size_t ranks : {2u, 5u}) expect_same(by_ranks(world, 250, ranks), all);
}

TEST(RankSteps, SortingGivesBodiesToOtherRanks) {
  World world = test::loose_heap(14, 14, {.friction = 0.5, .restitution = 0.2}, 2e-3);
  world.model.settings.solver = {};
  world.model.settings.sort_interval = 40;
  const Course all = whole(world, 130);
  EXPECT_GT(all.end.bodies.subdomains.size(), 1u);
  for (const std::size_t ranks : {2u, 4u}) expect_same(by_ranks(world, 130, ranks), all);
}

}  // namespace
}  // namespace scree
