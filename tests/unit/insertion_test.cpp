#include "engine/simulation/subsystems/insertion.h"

#include <gtest/gtest.h>
#include <numbers>
#include <numeric>

#include "engine/core/parallel.h"
#include "engine/core/rotation.h"
#include "engine/core/state_hash.h"
#include "engine/simulation/overrides.h"
#include "engine/simulation/placement.h"
#include "engine/simulation/subsystems/population.h"
#include "tests/support/meshes.h"
#include "tests/support/same_bits.h"
#include "tests/support/world.h"

namespace scree {
namespace {

/// An inlet with one size of grain.
Inlet inlet_of(test::World& world, const Vec3& semi_axes, const Region& region) {
  Inlet inlet;
  inlet.name = "feed";
  inlet.region = region;
  inlet.grains = {{world.model.shapes.add(Ellipsoid{semi_axes}), world.material}};
  inlet.seed = 3;
  return inlet;
}

/// Grains of two sizes fall into a box without a lid and leave through a part of its floor.
test::World mill_race(double law_friction = 0.3) {
  PairLaw law;
  law.friction = law_friction;
  test::World world(law, 2e-3);
  world.model.settings.solver.tolerance = 1e-6;
  world.model.settings.sort_interval = 37;
  world.model.boundaries = box_walls("box", world.material, Vec3(0, 0, 0), Vec3(0.6, 0.6, 10.0), {"+z"});
  Inlet inlet =
      inlet_of(world, Vec3(0.05, 0.04, 0.03), BoxRegion{Vec3(0.05, 0.05, 0.6), Vec3(0.55, 0.55, 0.9)});
  inlet.grains.front().until = 0.7;
  inlet.grains.push_back({world.model.shapes.add(Ellipsoid{Vec3(0.06, 0.03, 0.03)}), world.material});
  inlet.mass_rate = 20.0;
  inlet.twist.linear = Vec3(0, 0, -1.0);
  world.model.inlets.push_back(inlet);
  world.model.outlets.push_back({"drain", BoxRegion{Vec3(0, 0, -1), Vec3(0.3, 0.6, 0.1)}});
  return world;
}

TEST(Insertion, NumberIsRateTimesTime) {
  test::World world;
  world.model.settings.gravity = Vec3(0, 0, -9.81);
  Inlet inlet = inlet_of(world, Vec3::Constant(0.01), CylinderRegion{Vec3(0, 0, 1), Vec3(0, 0, 2), 0.5});
  inlet.number_rate = 250.0;
  inlet.start_s = 0.1;
  inlet.stop_s = 0.3;
  world.model.inlets.push_back(inlet);
  world.run(0.4, [&](const StepReport& r) {
    const double since = std::clamp(r.time_s - 1e-3, 0.1, 0.3) - 0.1;  // at the beginning of the step
    EXPECT_NEAR(static_cast<double>(r.bodies), 250.0 * since, 1.0);
    EXPECT_LE(static_cast<double>(r.bodies), 250.0 * since + 1e-9);
  });
  EXPECT_EQ(world.state.bodies.size(), 50u);
  EXPECT_EQ(world.state.entered[0].bodies, 50);
  EXPECT_EQ(world.state.entered[0].waited, 0);
}

TEST(Insertion, MassFollowsRateWithinOneGrainUpToItsLimit) {
  test::World world;
  Inlet inlet = inlet_of(world, Vec3(0.02, 0.01, 0.01), BoxRegion{Vec3(0, 0, 1), Vec3(1, 1, 2)});
  const double grain = volume(world.model.shapes, inlet.grains[0].shape) * 2500.0;
  inlet.mass_rate = 3.0;
  inlet.most_mass = 0.9;
  world.model.inlets.push_back(inlet);
  world.run(0.4, [&](const StepReport& r) {
    const double due = std::min(0.9, 3.0 * (r.time_s - 1e-3)), there = world.state.entered[0].mass;
    EXPECT_LE(there, due + 1e-9);
    EXPECT_GT(there, due - grain);
  });
}

// Parts come after the bodies in the problem: a new body takes the place of a part that slid.
TEST(Insertion, NewBodyInFormerSlotOfAPartMovesFreely) {
  test::World world;
  Inlet inlet = inlet_of(world, Vec3(0.03, 0.02, 0.02), BoxRegion{Vec3(0.1, 0.1, 0.1), Vec3(0.4, 0.4, 0.3)});
  inlet.number_rate = 200.0;
  world.model.inlets.push_back(inlet);
  world.model.boundaries = box_walls("box", world.material, Vec3::Zero(), Vec3::Constant(0.5), {"+z", "+x"});
  world.model.boundaries.push_back({"ram", world.material, Plane{Vec3(0.5, 0, 0), -Vec3::UnitX()}});
  world.model.boundaries.back().part = 0;
  Part ram;
  ram.freedom = Freedom::along;
  ram.axis = -Vec3::UnitX();
  ram.inertia = 5.0;
  ram.force = 20.0;
  world.model.parts.push_back(ram);
  world.run(0.3, [](const StepReport& r) {
    EXPECT_LT(std::abs(r.energy.remainder), 1e-10);
    EXPECT_LT(r.momentum_error_relative * r.impulse_size_N_s, 1e-10);
  });
  EXPECT_GT(world.state.bodies.size(), 20u);
}

// An inlet with a start event counts its times from its start; after a stop and a new start it continues.
TEST(Insertion, EventsStartAndStopAnInlet) {
  test::World world;
  Inlet inlet = inlet_of(world, Vec3::Constant(0.01), BoxRegion{Vec3(0, 0, 1), Vec3(1, 1, 2)});
  inlet.number_rate = 100.0;
  inlet.start_s = 0.1;
  world.model.inlets.push_back(inlet);
  let_inlet_wait(world.model, 0, world.state);
  world.run(0.3);
  EXPECT_EQ(world.state.bodies.size(), 0u);
  start_inlet(world.model, 0, world.state);
  world.run(0.5);
  EXPECT_NEAR(static_cast<double>(world.state.bodies.size()), 10.0, 1.0);
  stop_inlet(world.model, 0, world.state);
  const std::size_t had = world.state.bodies.size();
  world.run(0.7);
  EXPECT_LE(world.state.bodies.size(), had + 1);  // at most one more that was due at the stop
  start_inlet(world.model, 0, world.state);
  world.run(0.8);
  EXPECT_NEAR(static_cast<double>(world.state.bodies.size()), 20.0, 1.0);
}

// Bodies slide on a slope once they have the slippery material.
TEST(Insertion, EventsChangeTheMaterial) {
  PairLaw rough;
  rough.friction = 0.6;
  test::World world(rough);
  const MaterialIndex wet = world.model.materials.add("wet", 2500.0);
  PairLaw slippery;
  slippery.friction = 0.1;
  world.model.materials.set_law(wet, world.material, slippery);
  world.model.materials.set_law(wet, wet, slippery);
  world.model.boundaries.push_back(
      {"slope", world.material, Plane{Vec3::Zero(), Vec3(0.3, 0, 1).normalized()}});
  world.add(Vec3(0.2, 0.15, 0.05),
            {0.05 * Vec3(0.3, 0, 1).normalized(), turn_between(Vec3::UnitZ(), Vec3(0.3, 0, 1))});
  world.run(0.2);
  EXPECT_LT(world.state.bodies.linear_velocity[0].norm(), 0.05);  // it still rocks a little
  change_material(world.material, wet, world.state);
  EXPECT_EQ(world.state.bodies.material[0], wet);
  world.run(0.4);
  const double slope = std::atan(0.3), expected = 9.81 * (std::sin(slope) - 0.1 * std::cos(slope)) * 0.2;
  EXPECT_NEAR(world.state.bodies.linear_velocity[0].norm(), expected, 0.15 * expected);
}

TEST(Insertion, WaitsForFreeSpaceAndInsertsLater) {
  test::World world;
  world.model.settings.gravity = Vec3::Zero();
  Inlet inlet = inlet_of(world, Vec3::Constant(0.2), BoxRegion{Vec3(0, 0, 0), Vec3(0.5, 0.5, 0.5)});
  inlet.number_rate = 1000.0;
  world.model.inlets.push_back(inlet);
  world.run(0.02);
  // Two balls of radius 0.2 m have no room in a box of 0.5 m: centres are within 0.1 sqrt(3) of each other.
  EXPECT_EQ(world.state.bodies.size(), 1u);
  EXPECT_EQ(world.state.entered[0].waited, 18);  // none is due in the first step
  // Once it is removed, the next one comes.
  const std::vector<BodyId> all = world.state.bodies.id;
  remove(world.state, all);
  world.step();
  EXPECT_EQ(world.state.bodies.size(), 1u);
  EXPECT_EQ(world.state.bodies.id[0], 1);
}

TEST(Insertion, RemovedWallDoesNotBlockInsertion) {
  test::World world;
  Inlet inlet = inlet_of(world, Vec3::Constant(0.01), BoxRegion{Vec3::Zero(), Vec3::Ones()});
  inlet.number_rate = 1000.0;
  world.model.inlets.push_back(inlet);
  world.model.boundaries.push_back({"lid", world.material, Plane{Vec3(0, 0, 2), Vec3::UnitZ()}});
  world.run(0.01);
  EXPECT_EQ(world.state.bodies.size(), 0u);  // all of the region is beyond the limit
  world.state.overrides.removed = {1};
  world.step();
  EXPECT_EQ(world.state.bodies.size(), 10u);
}

// A sheet without thickness that cuts a grain blocks it, at any position.
TEST(Insertion, SheetBlocksIntersectingGrains) {
  test::World world;
  world.model.boundaries.push_back(
      {"sheet", world.material,
       test::placed({Vec3(-1, -1, 0), Vec3(1, -1, 0), Vec3(1, 1, 0), Vec3(-1, 1, 0)},
                    {{0, 1, 2}, {0, 2, 3}})});
  const Ellipsoid ellipsoid{Vec3(0.09, 0.07, 0.06)};
  const ShapeIndex shape = world.model.shapes.add(ellipsoid);
  Random random(6);
  int missed = 0;
  for (int k = 0; k < 2000; ++k) {
    const Pose pose{Vec3(random.uniform(-0.8, 0.8), random.uniform(-0.8, 0.8), random.uniform(-0.1, 0.1)),
                    random.rotation()};
    const double half = std::sqrt(place(ellipsoid, pose).matrix(2, 2));
    const bool through = std::abs(pose.position.z()) < half;
    const bool found = overlaps_boundary(world.model, shape, world.material, pose, 0.0);
    missed += through != found ? 1 : 0;
  }
  EXPECT_EQ(missed, 0);
}

// At bends of a sheet, contacts of a grain deep in it may have no feature: samples of the sheet decide.
TEST(Insertion, CurvedSheetBlocksIntersectingGrains) {
  test::World world;
  Random random(6);
  std::vector<Vec3> points;
  test::Triangles triangles;
  constexpr int n = 24;
  for (int k = 0; k <= n; ++k) {  // one turn of a screw
    const double angle = 2.0 * std::numbers::pi * k / n;
    for (const double r : {0.02, 0.2})
      points.emplace_back(r * std::cos(angle), r * std::sin(angle), 0.2 * k / n);
    if (k < n) {
      triangles.push_back({2 * k, 2 * k + 1, 2 * k + 3});
      triangles.push_back({2 * k, 2 * k + 3, 2 * k + 2});
    }
  }
  world.model.boundaries.push_back({"screw", world.material, test::placed(points, triangles)});
  const Ellipsoid ellipsoid{Vec3(0.03, 0.025, 0.02)};
  const ShapeIndex shape = world.model.shapes.add(ellipsoid);
  int through = 0, missed = 0, without_reason = 0;
  for (int k = 0; k < 600; ++k) {
    const Pose pose{Vec3(random.uniform(-0.2, 0.2), random.uniform(-0.2, 0.2), random.uniform(0.0, 0.2)),
                    random.rotation()};
    double nearest = infinity;
    for (const auto& t : triangles) {
      const auto corner = [&](int i) { return points[t[i]]; };
      constexpr int m = 40;
      for (int u = 0; u <= m; ++u) {
        for (int v = 0; u + v <= m; ++v) {
          const Vec3 x = corner(0) + (corner(1) - corner(0)) * u / m + (corner(2) - corner(0)) * v / m;
          nearest = std::min(nearest, (pose.orientation.conjugate() * (x - pose.position))
                                          .cwiseQuotient(ellipsoid.semi_axes)
                                          .squaredNorm());
        }
      }
    }
    const bool found = overlaps_boundary(world.model, shape, world.material, pose, 0.0);
    if (nearest < 0.8 || nearest > 1.2) {  // the check of initial states also finds it
      Bodies one;
      add_body(one, world.model.shapes, world.model.materials, {shape, world.material, pose, {}});
      EXPECT_EQ(misplaced_bodies(world.model, one, 0.05).empty(), nearest > 1.0) << nearest;
    }
    through += nearest < 1.0 ? 1 : 0;
    missed += nearest < 1.0 && !found ? 1 : 0;
    without_reason += nearest > 1.2 && found ? 1 : 0;  // samples are 5 mm apart
  }
  EXPECT_GT(through, 100);
  EXPECT_EQ(missed, 0);
  EXPECT_EQ(without_reason, 0);
}

TEST(Insertion, NewGrainsOverlapNoBodyAndNoWall) {
  test::World world = mill_race();
  double deepest = 0.0;
  std::int64_t entered = 0;
  for (int k = 0; k < 400; ++k) {
    // As the next step finds them: insertion and deletion alone, on a copy.
    State copy = world.state;
    StepReport report;
    insertion(world.model, copy, report);
    entered += report.insertion.entered;
    for (const Misplaced& m : misplaced_bodies(world.model, copy.bodies, 0.0)) {
      const auto is_new = [&](std::size_t i) {
        return copy.bodies.id[i] >= world.state.bodies.next_id && copy.bodies.position[i].z() > 0.5;
      };
      if (is_new(m.body) || (!m.by_boundary && is_new(m.other))) deepest = std::max(deepest, m.relative);
    }
    world.step();
  }
  EXPECT_GT(entered, 20);
  EXPECT_LT(deepest, 1e-9);  // rounding of gaps
}

TEST(Insertion, MassMomentumAndEnergyBalancesClose) {
  test::World world = mill_race();
  double energy = 0.0, mass = 0.0, worst = 0.0, turned_over = 0.0;
  Vec3 linear = Vec3::Zero();
  double linear_size = 0.0;
  const StepReport last = world.run(3.0, [&](const StepReport& r) {
    const EnergyLedger& e = r.energy;
    energy += e.exchanged + e.position_correction + e.boundary_work - e.dissipated_by_friction -
              e.dissipated_by_impact;
    turned_over += std::abs(e.exchanged) + e.dissipated_by_friction + e.dissipated_by_impact;
    worst = std::max(worst, std::abs(e.remainder));
    mass += r.insertion.mass_entered - r.insertion.mass_left;
    const double present =
        std::accumulate(world.state.bodies.mass.begin(), world.state.bodies.mass.end(), 0.0);
    EXPECT_NEAR(mass, present, 1e-12 * (1.0 + world.state.entered[0].mass));
    // Gravity acts on the present bodies, over the whole step.
    const Vec3 weight = present * world.model.settings.gravity * r.time_step_s;
    linear += r.insertion.linear_momentum + r.boundary_impulse + weight;
    linear_size += r.insertion.linear_momentum.norm() + r.boundary_impulse.norm() + weight.norm();
    EXPECT_NEAR((linear - r.linear_momentum).norm(), 0.0, 1e-11 * linear_size);
  });
  EXPECT_EQ(world.state.entered[0].bodies - world.state.left[0].bodies, last.bodies);
  EXPECT_GT(world.state.left[0].bodies, 50);
  EXPECT_NEAR(energy, last.energy.kinetic + last.energy.potential, 1e-11 * turned_over);
  EXPECT_LT(worst, 1e-11 * turned_over);
}

TEST(Insertion, OutletsRemoveBodiesInside) {
  test::World world;
  world.model.settings.gravity = Vec3::Zero();
  Random random(5);
  std::vector<Vec3> places;
  for (int k = 0; k < 1200; ++k) {
    places.emplace_back(random.uniform(0, 10), random.uniform(0, 10), random.uniform(0, 10));
    world.add_sphere(1e-3, places.back());
  }
  const Vec3 start(2, 2, 2), end(6, 5, 4);
  world.model.outlets = {{"box", BoxRegion{Vec3(6, 6, 6), Vec3(9, 8, 10)}},
                         {"cylinder", CylinderRegion{start, end, 1.5}},
                         {"beyond", HalfSpace{Vec3(0, 0, 1), Vec3(0, 0, -1)}}};
  std::int64_t box = 0, cylinder = 0, beyond = 0;
  for (const Vec3& x : places) {
    const bool in_box = x.x() >= 6 && x.x() <= 9 && x.y() >= 6 && x.y() <= 8 && x.z() >= 6;
    const Vec3 e = (end - start).normalized();
    const double along = (x - start).dot(e), away = (x - start).cross(e).norm();
    const bool in_cylinder = along >= 0 && along <= (end - start).norm() && away <= 1.5;
    if (in_box) ++box;
    if (!in_box && in_cylinder) ++cylinder;
    if (!in_box && !in_cylinder && x.z() < 1) ++beyond;
  }
  const StepReport r = world.step();
  EXPECT_EQ(world.state.left[0].bodies, box);
  EXPECT_EQ(world.state.left[1].bodies, cylinder);
  EXPECT_EQ(world.state.left[2].bodies, beyond);
  EXPECT_GT(std::min({box, cylinder, beyond}), 3);
  EXPECT_EQ(r.bodies, 1200 - box - cylinder - beyond);
  EXPECT_EQ(r.insertion.left, box + cylinder + beyond);
}

TEST(Insertion, DomainReflectsRemovesOrStops) {
  for (const Outside outside : {Outside::reflect, Outside::remove, Outside::stop}) {
    test::World world;
    world.model.settings.gravity = Vec3::Zero();
    world.add_sphere(0.1, Vec3(0, 0, 0), {Vec3(3.0, 0.5, 0), Vec3(1, 2, 3)});
    world.add_sphere(0.1, Vec3(0, 5, 0));
    world.model.domain = {Vec3(-1, -infinity, -1), Vec3(1, infinity, 1), outside};
    Vec3 given = Vec3::Zero();
    BodyId astray = -1;
    const double mass = world.state.bodies.mass[0];
    const Vec3 before = mass * world.state.bodies.linear_velocity[0];
    const StepReport r = world.run(1.0, [&](const StepReport& s) {
      given += s.insertion.linear_momentum;
      if (astray < 0) astray = s.insertion.astray;
      EXPECT_NEAR(s.energy.remainder, 0.0, 1e-12);
    });
    if (outside == Outside::reflect) {  // after 1/3 s
      EXPECT_EQ(world.state.bodies.linear_velocity[0], Vec3(-3.0, 0.5, 0));
      EXPECT_EQ(given, Vec3(-6.0 * mass, 0, 0));
      EXPECT_EQ(r.linear_momentum, before + given);
      EXPECT_EQ(r.bodies, 2);
    } else if (outside == Outside::remove) {
      EXPECT_EQ(r.bodies, 1);
      EXPECT_EQ(world.state.left[0].bodies, 1);
      EXPECT_EQ(world.state.left[0].mass, mass);
    } else {
      EXPECT_EQ(astray, 0);
      EXPECT_EQ(r.bodies, 2);
    }
  }
}

TEST(Insertion, SameBitsOnAnyNumberOfThreadsAndFromACopyOfTheState) {
  std::vector<std::uint64_t> hashes;
  for (const int threads : {1, 2, 3, 4, 8}) {
    set_thread_count(threads);
    test::World world = mill_race();
    world.run(1.0);
    hashes.push_back(state_hash(world.state.bodies));
  }
  set_thread_count(2);
  test::World world = mill_race();
  world.run(0.5);
  test::World other = mill_race();
  other.state = world.state;
  other.run(1.0);
  hashes.push_back(state_hash(other.state.bodies));
  for (const std::uint64_t h : hashes) EXPECT_EQ(h, hashes[0]);
}

/// Grains fall onto the floor of a channel that is periodic along x and y, slide along it, and leave through
/// a slot across the seam in x, which is wider than the cell along y.
test::World channel() {
  PairLaw law;
  law.friction = 0.3;
  test::World world(law, 2e-3);
  world.model.settings.solver.tolerance = 1e-6;
  world.model.settings.sort_interval = 37;
  world.model.settings.gravity = Vec3(3.0, 0.5, -9.3);
  world.model.cell.periodic = {true, true, false};
  world.model.cell.high = Vec3(0.6, 0.6, 2.0);
  world.add_floor();
  Inlet inlet = inlet_of(world, Vec3(0.05, 0.04, 0.03), BoxRegion{Vec3(0, 0, 0.6), Vec3(0.6, 0.6, 0.9)});
  inlet.grains.front().until = 0.7;
  inlet.grains.push_back({world.model.shapes.add(Ellipsoid{Vec3(0.06, 0.03, 0.03)}), world.material});
  inlet.mass_rate = 20.0;
  inlet.twist.linear = Vec3(0, 0, -1.0);
  world.model.inlets.push_back(inlet);
  world.model.outlets.push_back({"slot", BoxRegion{Vec3(0.5, -3, -1), Vec3(0.7, 3, 0.1)}});
  return world;
}

/// Deepest overlap of the grains that the next step inserts, with bodies, images and walls, over the smallest
/// length.
double overlap_of_new(const test::World& world, std::int64_t& entered, std::int64_t& across) {
  State copy = world.state;
  StepReport report;
  insertion(world.model, copy, report);
  entered += report.insertion.entered;
  const auto is_new = [&](std::size_t i) { return copy.bodies.id[i] >= world.state.bodies.next_id; };
  const PlacedCell cell = world.model.cell.at(0.0);
  for (std::size_t i = 0; i < copy.bodies.size(); ++i) {
    if (!is_new(i)) continue;
    for (int k = 0; k < 2; ++k) {
      const double x = copy.bodies.position[i][k],
                   r = 0.5 * world.model.shapes.smallest_length(copy.bodies.shape[i]);
      across +=
          cell.periodic[k] && (x - r < world.model.cell.low[k] || x + r > world.model.cell.high[k]) ? 1 : 0;
    }
  }
  double deepest = 0.0;
  for (const Misplaced& m : misplaced_bodies(world.model, copy.bodies, 0.0))
    if (is_new(m.body) || (!m.by_boundary && is_new(m.other))) deepest = std::max(deepest, m.relative);
  return deepest;
}

TEST(InsertionInACell, NewGrainsOverlapNoBodyAndNoImage) {
  test::World world = channel();
  world.model.inlets[0].region =
      BoxRegion{Vec3(0, 0, 0.05), Vec3(0.6, 0.6, 0.9)};  // among bodies that already exist
  world.model.inlets[0].mass_rate = 100.0;
  world.model.inlets[0].twist.linear = Vec3(3.0, 1.0, -1.0);
  world.model.outlets.clear();
  double deepest = 0.0;
  std::int64_t entered = 0, across = 0;
  for (int k = 0; k < 300; ++k) {
    deepest = std::max(deepest, overlap_of_new(world, entered, across));
    world.step();
  }
  double farthest = 0.0;
  for (const Vec3& x : world.state.bodies.position) farthest = std::max(farthest, x.x());
  EXPECT_GT(farthest, 1.2);  // some have passed the cell, and are represented by their images in it
  EXPECT_GT(entered, 80);
  EXPECT_GT(across, 10);
  EXPECT_LT(deepest, 1e-9);  // rounding of gaps
}

// The whole of a cell that is periodic along x, y and z, without gravity: 400 balls, 36 % of it.
TEST(InsertionInACell, APeriodicBoxCanBeFilled) {
  test::World world;
  world.model.settings.gravity = Vec3::Zero();
  world.model.cell.periodic = {true, true, true};
  world.model.cell.high = Vec3::Constant(0.1);
  Inlet inlet = inlet_of(world, Vec3::Constant(0.006), BoxRegion{Vec3::Zero(), Vec3::Constant(0.1)});
  inlet.number_rate = 800.0;
  inlet.attempts = 1000;
  inlet.twist.linear = Vec3(0.3, 0.2, 0.1);  // all equal: no collisions
  world.model.inlets.push_back(inlet);
  double deepest = 0.0;
  std::int64_t entered = 0, across = 0;
  for (int k = 0; k < 350; ++k) {
    if (k % 10 == 0) deepest = std::max(deepest, overlap_of_new(world, entered, across));
    const StepReport& r = world.step();
    EXPECT_LT(r.penetration_max, 1e-9);
    const double all = r.bodies > 0 ? static_cast<double>(r.bodies) * world.state.bodies.mass[0] : 0.0;
    EXPECT_NEAR(r.energy.kinetic, 0.5 * 0.14 * all, 1e-12 * (all + 1.0)) << "somebody was pushed";
  }
  EXPECT_GT(world.state.bodies.size(), 270u);
  EXPECT_GT(across, 5);
  EXPECT_LT(deepest, 1e-9);
}

TEST(InsertionInACell, MassMomentumAndEnergyBalancesClose) {
  test::World world = channel();
  double energy = 0.0, mass = 0.0, worst = 0.0, turned_over = 0.0;
  Vec3 linear = Vec3::Zero();
  double linear_size = 0.0;
  const StepReport last = world.run(3.0, [&](const StepReport& r) {
    const EnergyLedger& e = r.energy;
    energy += e.exchanged + e.position_correction + e.boundary_work - e.dissipated_by_friction -
              e.dissipated_by_impact;
    turned_over += std::abs(e.exchanged) + e.dissipated_by_friction + e.dissipated_by_impact;
    worst = std::max(worst, std::abs(e.remainder));
    mass += r.insertion.mass_entered - r.insertion.mass_left;
    const double present =
        std::accumulate(world.state.bodies.mass.begin(), world.state.bodies.mass.end(), 0.0);
    EXPECT_NEAR(mass, present, 1e-12 * (1.0 + world.state.entered[0].mass));
    const Vec3 weight = present * world.model.settings.gravity * r.time_step_s;
    linear += r.insertion.linear_momentum + r.boundary_impulse + weight;
    linear_size += r.insertion.linear_momentum.norm() + r.boundary_impulse.norm() + weight.norm();
    EXPECT_NEAR((linear - r.linear_momentum).norm(), 0.0, 1e-11 * linear_size);
    EXPECT_LT(r.angular_momentum_error_relative, 1e-9);
  });
  EXPECT_EQ(world.state.entered[0].bodies - world.state.left[0].bodies, last.bodies);
  EXPECT_GT(world.state.left[0].bodies, 50);
  EXPECT_NEAR(energy, last.energy.kinetic + last.energy.potential, 1e-11 * turned_over);
  EXPECT_LT(worst, 1e-11 * turned_over);
}

TEST(InsertionInACell, SameBitsOnAnyNumberOfThreadsAndFromACopyOfTheState) {
  test::expect_same_bits(channel, 0.5, 1.0);
}

// Bodies at any position, compared with all their images one by one.
TEST(InsertionInACell, OutletsRemoveBodiesWithAnImageInside) {
  for (const double strain : {0.0, 0.4}) {
    test::World world;
    world.model.settings.gravity = Vec3::Zero();
    world.model.cell.periodic = {true, true, false};
    world.model.cell.high = Vec3(10, 8, 6);
    if (strain > 0.0) {  // from before the start
      CellFlow flow;
      flow.rate(0, 1) = strain;
      flow.start = -1.0;
      flow.stop = 0.0;
      world.model.cell.flow = {flow};
    }
    const Vec3 start(8, 7, 2), end(13, 9, 4);
    const BoxRegion box{Vec3(9, 1, 3), Vec3(11.5, 3, 5)};
    const CylinderRegion cylinder{start, end, 1.0};
    world.model.outlets = {
        {"box", box}, {"cylinder", cylinder}, {"below", HalfSpace{Vec3(0, 0, 1), -Vec3::UnitZ()}}};
    const PlacedCell cell = world.model.cell.at(0.0);
    Random random(5);
    std::array<std::int64_t, 3> expected{};
    for (int i = 0; i < 600; ++i) {
      const Vec3 x(random.uniform(-40, 40), random.uniform(-40, 40), random.uniform(0, 6));
      world.add_sphere(1e-3, x);
      bool in_box = false, in_cylinder = false;
      for (int a = -12; a <= 12; ++a)
        for (int b = -12; b <= 12; ++b) {
          const Vec3 image = x + a * cell.lattice.col(0) + b * cell.lattice.col(1);
          in_box |= holds(Region(box), image);
          in_cylinder |= holds(Region(cylinder), image);
        }
      if (in_box)
        ++expected[0];
      else if (in_cylinder)
        ++expected[1];
      else if (x.z() < 1.0)
        ++expected[2];
    }
    world.step();
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(world.state.left[k].bodies, expected[k]) << k << ' ' << strain;
      EXPECT_GT(expected[k], 10);
    }
  }
}

// A domain has no limit along periodic directions.
TEST(InsertionInACell, BodiesStayInTheDomainAcrossASeam) {
  test::World world;
  world.model.settings.gravity = Vec3::Zero();
  world.model.cell.periodic = {true, false, false};
  world.model.cell.high = Vec3::Ones();
  world.model.domain = {Vec3::Zero(), Vec3::Ones(), Outside::remove};
  world.add_sphere(0.1, Vec3(0.5, 0.2, 0.5), {Vec3(10, 0, 0), Vec3::Zero()});
  world.add_sphere(0.1, Vec3(0.5, 0.8, 0.5), {Vec3(0, 10, 0), Vec3::Zero()});
  world.run(0.5);
  ASSERT_EQ(world.state.bodies.size(), 1u);
  EXPECT_NEAR(world.state.bodies.position[0].x(), 5.5, 1e-12);
  EXPECT_EQ(world.state.left[0].bodies, 1);
}

// New grains in a flowing cell move with it, at any position.
TEST(InsertionInACell, NewGrainsFlowWithTheCell) {
  test::World world;
  world.model.settings.gravity = Vec3::Zero();
  world.model.cell.periodic = {true, true, true};
  world.model.cell.high = Vec3::Ones();
  CellFlow flow;
  flow.rate(0, 1) = 2.0;
  world.model.cell.flow = {flow};
  Inlet inlet = inlet_of(world, Vec3::Constant(0.01), BoxRegion{Vec3::Zero(), Vec3::Ones()});
  inlet.number_rate = 200.0;
  world.model.inlets.push_back(inlet);
  world.run(0.1, [&](const StepReport& r) {
    EXPECT_LT(std::abs(r.energy.remainder), 1e-12);
    ASSERT_EQ(r.active_contacts, 0);  // contacts would give them a temperature
    EXPECT_LT(world.result.cell.temperature, 1e-20) << r.time_s;
  });
  EXPECT_GE(world.state.bodies.size(), 19u);
}

TEST(Insertion, ManyInsertionsAndRemovalsDoNotGrowMemory) {
  // Balls that fall past each other: 20,000 come and go, about a hundred exist at any time.
  test::World world;
  Inlet inlet = inlet_of(world, Vec3::Constant(0.004), BoxRegion{Vec3(0, 0, 0.9), Vec3(1, 1, 1)});
  inlet.number_rate = 1000.0;
  inlet.twist.linear = Vec3(0, 0, -10.0);
  world.model.inlets.push_back(inlet);
  world.model.outlets.push_back({"below", HalfSpace{Vec3::Zero(), -Vec3::UnitZ()}});
  std::size_t most = 0;
  world.run(20.0, [&](const StepReport& r) { most = std::max(most, static_cast<std::size_t>(r.bodies)); });
  EXPECT_GT(world.state.left[0].bodies, 19000);
  EXPECT_LT(most, 200u);
  EXPECT_EQ(world.state.bodies.next_id, world.state.entered[0].bodies);
  EXPECT_LT(world.state.bodies.position.capacity(), 3 * most);
  EXPECT_LT(world.state.cached_normals.row.capacity(), 3 * most);
  EXPECT_EQ(world.model.shapes.size(), 1u);
}

}  // namespace
}  // namespace scree
