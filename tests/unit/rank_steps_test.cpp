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

/// Subdomains with the given number of bodies.
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

/// Reports of a world's steps, and the final state.
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
      if (std::ranges::find(collect_at, k) != collect_at.end())
        world.workspace.decomposition->collect(world.state);
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
    EXPECT_EQ(p.compression_max, q.compression_max);
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
  ASSERT_EQ(a.end.springs.size(), b.end.springs.size());
  for (std::size_t k = 0; k < a.end.springs.size(); ++k) {
    EXPECT_EQ(a.end.springs[k].key, b.end.springs[k].key);
    EXPECT_EQ(a.end.springs[k].force, b.end.springs[k].force);
    EXPECT_EQ(a.end.springs[k].tangential_stiffness, b.end.springs[k].tangential_stiffness);
    EXPECT_EQ(a.end.springs[k].normal_energy, b.end.springs[k].normal_energy);
    EXPECT_EQ(a.end.springs[k].tangential_energy, b.end.springs[k].tangential_energy);
    EXPECT_EQ(a.end.springs[k].free_overlap, b.end.springs[k].free_overlap);
  }
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
  World world =
      heap({.friction = 0.4, .torsional_friction_m = 1e-3, .rolling_friction_m = 2e-3, .restitution = 0.4});
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

PairLaw elastic_law() {
  PairLaw law{.friction = 0.5, .restitution = 0.3};
  law.elasticity = elasticity_of(2e6, 0.3);
  law.damping_ratio = damping_ratio(law.restitution);
  return law;
}

// Memories of springs go with contacts, through changes of ghosts, sorts, substeps, and to other ranks.
TEST(RankSteps, ElasticContactsRememberTheirForces) {
  World world = heap(elastic_law());
  cut_into(24, world.state);
  const Course all = whole(world, 250);
  EXPECT_GT(all.end.springs.size(), 400u);
  EXPECT_GT(all.steps.back().report.energy.elastic, 0.0);
  for (const std::size_t ranks : {2u, 3u, 7u}) expect_same(by_ranks(world, 250, ranks, {20, 120}), all);
}

TEST(RankSteps, ElasticContactsThatAreSortedInSubsteps) {
  World world = test::loose_heap(14, 14, elastic_law(), 2e-3);
  world.model.settings.solver = {};
  world.model.settings.sort_interval = 40;
  world.model.settings.substeps = 2;
  const Course all = whole(world, 130);
  EXPECT_GT(all.end.bodies.subdomains.size(), 1u);
  EXPECT_GT(all.end.springs.size(), 400u);
  for (const std::size_t ranks : {2u, 4u}) {
    expect_same(by_ranks(world, 130, ranks), all);
    World resumed = world;
    resumed.state = by_ranks(world, 50, ranks).end;
    EXPECT_EQ(by_ranks(resumed, 80, ranks + 1).steps.back().hash, all.steps.back().hash);
  }
}

TEST(RankSteps, ElasticContactsWithStepsThatResolveImpacts) {
  World world = heap(elastic_law());
  world.model.settings.adaptive_step = true;
  world.model.settings.steps_per_impact = 6.0;
  world.model.settings.least_time_step_s = 1e-6;
  cut_into(24, world.state);
  const Course all = whole(world, 200);
  double least = 1.0;
  for (const Told& step : all.steps) least = std::min(least, step.report.time_step_s);
  EXPECT_LT(least, 1.9e-3);  // not that of 2e-3
  for (const std::size_t ranks : {2u, 5u}) expect_same(by_ranks(world, 200, ranks), all);
}

// The pull of each contact reaches both bodies, also if a third rank has one of them as a ghost.
TEST(RankSteps, GrainsThatCohere) {
  PairLaw law{.friction = 0.3};
  law.cohesion = {.surface_tension = 20.0, .wetting_angle = 0.2, .bridge_volume = 1e-6};
  World world = heap(law);
  cut_into(24, world.state);
  const Course all = whole(world, 250);
  World dry = heap({.friction = 0.3});
  cut_into(24, dry.state);
  EXPECT_NE(whole(dry, 250).steps.back().hash, all.steps.back().hash);
  EXPECT_NE(all.steps[200].report.energy.force_work, 0.0);
  for (const std::size_t ranks : {2u, 3u, 7u}) expect_same(by_ranks(world, 250, ranks), all);
}

TEST(RankSteps, SortingGivesBodiesToOtherRanks) {
  World world = test::loose_heap(14, 14, {.friction = 0.5, .restitution = 0.2}, 2e-3);
  world.model.settings.solver = {};
  world.model.settings.sort_interval = 40;
  const Course all = whole(world, 130);
  EXPECT_GT(all.end.bodies.subdomains.size(), 1u);
  for (const std::size_t ranks : {2u, 4u}) expect_same(by_ranks(world, 130, ranks), all);
}

// A sheared cell, so that neighbours are images of other ranks' bodies, and change all the time.
TEST(RankSteps, APeriodicCellThatFlows) {
  World world = heap({.friction = 0.4, .restitution = 0.3});
  world.model.boundaries.clear();
  world.model.settings.gravity.setZero();
  PeriodicCell& cell = world.model.cell;
  cell.periodic = {true, true, true};
  cell.high = Vec3::Constant(7 * 0.22);
  CellFlow shear;
  shear.rate(0, 2) = 3.0;
  CellFlow squeeze;
  squeeze.rate = -2.0 * Mat3::Identity();
  squeeze.stop = shear.start = 0.2;
  cell.flow = {squeeze, shear};
  cut_into(24, world.state);
  const Course all = whole(world, 200);
  EXPECT_GT(all.steps.back().report.active_contacts, 200);
  for (const std::size_t ranks : {2u, 3u, 6u}) expect_same(by_ranks(world, 200, ranks), all);
}

/// Grains enter by an inlet, rest on others, leave by an outlet and are reflected; there are none at first.
World fountain(const PairLaw& law = {.friction = 0.3}) {
  World world(law, 2e-3);
  world.model.settings.solver = {};
  world.model.boundaries = box_walls("box", world.material, Vec3(0, 0, 0), Vec3(0.6, 0.6, 10.0), {"+z"});
  Inlet inlet;
  inlet.name = "feed";
  inlet.region = BoxRegion{Vec3(0.05, 0.05, 0.6), Vec3(0.55, 0.55, 0.9)};
  inlet.grains = {{world.model.shapes.add(Ellipsoid{Vec3(0.04, 0.03, 0.03)}), world.material}};
  inlet.seed = 3;
  inlet.mass_rate = 60.0;
  inlet.twist.linear = Vec3(0, 0, -2.0);
  world.model.inlets.push_back(inlet);
  world.model.outlets.push_back({"drain", BoxRegion{Vec3(0, 0, -1), Vec3(0.2, 0.6, 0.1)}});
  world.model.domain.outside = Outside::reflect;
  world.model.domain.low = Vec3(0, 0, 0);
  world.model.domain.high = Vec3(0.6, 0.6, 0.8);
  return world;
}

TEST(RankSteps, BodiesComeAndGo) {
  for (const int sort_interval : {0, 90}) {
    World world = fountain();
    world.model.settings.sort_interval = sort_interval;
    const Course all = whole(world, 600);
    EXPECT_GT(all.end.bodies.size(), 60u);
    EXPECT_GT(all.end.left[0].bodies, 20);
    for (const std::size_t ranks : {2u, 3u}) {
      const Course course = by_ranks(world, 600, ranks);
      expect_same(course, all);
      EXPECT_EQ(course.end.entered[0].mass, all.end.entered[0].mass);
      EXPECT_EQ(course.end.left[0].mass, all.end.left[0].mass);
      EXPECT_EQ(course.end.bodies.next_id, all.end.bodies.next_id);
    }
  }
}

// Memories of springs leave with bodies, and others are numbered anew.
TEST(RankSteps, ElasticBodiesComeAndGo) {
  World world = fountain(elastic_law());
  world.model.settings.sort_interval = 90;
  const Course all = whole(world, 400);
  EXPECT_GT(all.end.left[0].bodies, 10);
  EXPECT_GT(all.end.springs.size(), 20u);
  for (const std::size_t ranks : {2u, 3u}) expect_same(by_ranks(world, 400, ranks), all);
}

// Halved steps begin with the memories of the last whole one.
TEST(RankSteps, ElasticBodiesThatTurnFast) {
  World world = heap(elastic_law());
  for (std::size_t i = 0; i < world.state.bodies.size(); ++i)
    world.state.bodies.angular_velocity[i] = Vec3(90.0, -60.0, 30.0 * static_cast<double>(i % 5));
  cut_into(24, world.state);
  const Course all = whole(world, 120);
  std::int64_t halvings = 0;
  for (const Told& step : all.steps) halvings += step.report.halvings;
  EXPECT_GT(halvings, 10);
  for (const std::size_t ranks : {2u, 5u}) expect_same(by_ranks(world, 120, ranks), all);
}

// A checkpoint of several ranks continues on another number of ranks, with new bodies that are not sorted
// yet.
TEST(RankSteps, OtherRanksGoOn) {
  World world = fountain();
  world.model.settings.sort_interval = 90;
  const Course all = whole(world, 500);
  for (const auto& [first, then] : {std::pair{3u, 2u}, {1u, 4u}, {2u, 1u}}) {
    World resumed = world;
    resumed.state = by_ranks(world, 250, first).end;
    const Course rest = by_ranks(resumed, 250, then);
    EXPECT_EQ(rest.steps.back().hash, all.steps.back().hash) << first << " ranks, then " << then;
    EXPECT_EQ(rest.end.bodies.subdomains.first, all.end.bodies.subdomains.first);
  }
}

// One subdomain: all ranks but one are empty, and take part in all decisions.
TEST(RankSteps, RanksWithoutBodies) {
  World world =
      test::loose_heap(4, 4, {.friction = 0.4, .rolling_friction_m = 1e-3, .restitution = 0.3}, 2e-3);
  world.model.settings.solver = {};
  world.model.forces.fluid = Fluid{};
  const Course all = whole(world, 150);
  EXPECT_EQ(all.end.bodies.subdomains.size(), 1u);
  expect_same(by_ranks(world, 150, 3), all);
}

// The last grain has left before the next one comes.
TEST(RankSteps, AllLeaveAndOthersCome) {
  World world = fountain();
  world.model.boundaries.clear();
  world.model.domain.outside = Outside::remove;
  world.model.inlets[0].mass_rate = 3.0;
  world.model.outlets.clear();
  const Course all = whole(world, 800);
  std::int64_t empty = 0;
  for (const Told& step : all.steps) empty += step.report.bodies == 0 ? 1 : 0;
  EXPECT_GT(empty, 100);
  EXPECT_GT(all.end.left.back().bodies, 5);
  for (const std::size_t ranks : {2u, 3u}) expect_same(by_ranks(world, 800, ranks), all);
}

// Many at once, into a bed on several ranks: contacts of new bodies in their first half step are searched.
TEST(RankSteps, NewcomersFallOntoABedOfOthers) {
  World world = heap({.friction = 0.5});
  cut_into(24, world.state);
  Inlet inlet;
  inlet.name = "feed";
  inlet.region = BoxRegion{Vec3(0.1, 0.1, 0.5), Vec3(1.4, 1.4, 2.5)};
  inlet.grains = {{world.model.shapes.add(Ellipsoid{Vec3(0.05, 0.04, 0.03)}), world.material}};
  inlet.number_rate = 2000.0;
  inlet.twist.linear = Vec3(0, 0, -20.0);
  world.model.inlets.push_back(inlet);
  world.model.domain.outside = Outside::remove;
  world.model.domain.low = Vec3(0, 0, -1.0);
  world.model.domain.high = Vec3(1.2, 1.54, 5.0);
  const Course all = whole(world, 60);
  EXPECT_GT(all.end.entered[0].bodies, 100);
  EXPECT_GT(all.end.left[0].bodies, 20);
  for (const std::size_t ranks : {2u, 5u}) expect_same(by_ranks(world, 60, ranks), all);
}

}  // namespace
}  // namespace scree
