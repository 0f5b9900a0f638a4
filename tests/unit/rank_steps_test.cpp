// Steps by several ranks, each with a part of the bodies, against those over the whole: the same bits.
#include <gtest/gtest.h>
#include <set>

#include "engine/core/rotation.h"
#include "engine/simulation/subsystems/parts.h"
#include "tests/support/rank_courses.h"
#include "tests/support/same_bits.h"

namespace scree {
namespace {

using test::bodies_of;
using test::by_ranks;
using test::Course;
using test::cut_into;
using test::expect_same;
using test::Told;
using test::whole;
using test::World;

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

// A rank that also writes results is slower than others. Sorts move subdomains, not cuts: the bits stay.
TEST(RankSteps, SlowRanksGetLessToDo) {
  World world = test::loose_heap(20, 20, {.friction = 0.5}, 2e-3);
  world.model.settings.solver = {};
  world.model.settings.sort_interval = 20;
  const int steps = 70;  // three sorts
  const Course all = whole(world, steps);
  test::EmulatedTeam team(3);
  team.set_busy(0, 3.0);
  team.set_busy(1, 1.0);
  team.set_busy(2, 1.0);
  std::vector<Course> course(team.size());
  std::vector<std::size_t> bodies(team.size());
  team.run([&](std::size_t r) {
    World own = world;
    own.workspace.decomposition = std::make_shared<Decomposition>(own.model, team.rank(r), own.state);
    for (int k = 0; k < steps; ++k) test::take_step(own, course[r]);
    bodies[r] = own.state.bodies.size();
    course[r].end = own.workspace.decomposition->collect(own.state);
  });
  expect_same(course[0], all);
  EXPECT_EQ(bodies[0] + bodies[1] + bodies[2], world.state.bodies.size());
  EXPECT_LT(2 * bodies[0], std::min(bodies[1], bodies[2]));
}

/// A heap without walls and weight, in a periodic cell.
World heap_in_cell(const PairLaw& law) {
  World world = heap(law);
  world.model.boundaries.clear();
  world.model.settings.gravity.setZero();
  world.model.cell.periodic = {true, true, true};
  world.model.cell.high = Vec3::Constant(7 * 0.22);
  cut_into(24, world.state);
  return world;
}

// A sheared cell, so that neighbours are images of other ranks' bodies, and change all the time.
TEST(RankSteps, APeriodicCellThatFlows) {
  World world = heap_in_cell({.friction = 0.4, .restitution = 0.3});
  CellFlow shear;
  shear.rate(0, 2) = 3.0;
  CellFlow squeeze;
  squeeze.rate = -2.0 * Mat3::Identity();
  squeeze.stop = shear.start = 0.2;
  world.model.cell.flow = {squeeze, shear};
  const Course all = whole(world, 200);
  EXPECT_GT(all.steps.back().report.active_contacts, 200);
  for (const std::size_t ranks : {2u, 3u, 6u}) expect_same(by_ranks(world, 200, ranks), all);
}

// The cell's rates are unknowns of the solution: all contacts across its seam depend on one another.
TEST(RankSteps, ACellThatHoldsStresses) {
  struct Case {
    PairLaw law;
    int steps;
    std::vector<std::size_t> ranks;
  };
  for (const auto& [law, steps, numbers] :
       {Case{{.friction = 0.4, .restitution = 0.5}, 120, {2, 6}}, Case{elastic_law(), 110, {3}}}) {
    World world = heap_in_cell(law);
    CellFlow shear;
    shear.rate(0, 2) = 2.0;
    world.model.cell.flow = {shear};
    for (auto& held : world.model.cell.held) held = HeldStress{.stress = 2e4};
    world.model.settings.sort_interval = 40;
    const Course all = whole(world, steps);
    EXPECT_GT(all.steps.back().report.active_contacts, 200);
    EXPECT_LT(all.end.cell.deformation(2, 2), 0.95);
    for (const std::size_t ranks : numbers) {
      const Course by = by_ranks(world, steps, ranks, {20});
      expect_same(by, all);
      EXPECT_EQ(by.end.cell.deformation, all.end.cell.deformation);
      EXPECT_EQ(by.end.cell.rate, all.end.cell.rate);
    }
  }
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

// A heavy body falls into a heap: all ranks take steps back in which any body is shot away, and begin the
// next one with an interval that is as short.
TEST(RankSteps, BodiesAreShotAway) {
  for (const bool adaptive : {false, true}) {
    World world = heap({.friction = 0.3});
    world.model.settings.adaptive_step = adaptive;
    const std::size_t middle = world.state.bodies.size() / 2;
    world.state.bodies.mass[middle] *= 1e4;
    world.state.bodies.inertia[middle] *= 1e4;
    world.state.bodies.linear_velocity[middle] = Vec3(1.0, 0.5, -40.0);
    cut_into(24, world.state);
    const Course all = whole(world, 60);
    std::int64_t halvings = 0;
    for (const Told& step : all.steps) halvings += step.report.halvings;
    EXPECT_GT(halvings, adaptive ? 0 : 10) << adaptive;
    for (const std::size_t ranks : {2u, 5u}) expect_same(by_ranks(world, 60, ranks, {5, 11, 19}), all);
  }
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

/// The boundary of a world that faces this way.
std::size_t wall_facing(const World& world, const Vec3& normal) {
  std::size_t k = 0;
  while (std::get<Plane>(world.model.boundaries[k].surface).normal.dot(normal) < 0.9) ++k;
  return k;
}

/// A part that forces move, with one of a world's walls.
Part& let_move(World& world, std::size_t wall, Freedom freedom, const Vec3& axis, double inertia) {
  Part part;
  part.name = world.model.boundaries[wall].name;
  part.freedom = freedom;
  part.axis = axis;
  part.inertia = inertia;
  part.centre = world.model.boundaries[wall].centre;
  world.model.boundaries[wall].part = static_cast<std::int32_t>(world.model.parts.size());
  world.model.parts.push_back(part);
  return world.model.parts.back();
}

/// A heap on a floor on springs, between a wall that a force presses in up to a stop, a flap, and a lid that
/// is too high to be reached. The floor has more contacts than there are colours.
World pressed_heap(const PairLaw& law) {
  World world = test::loose_heap(9, 4, law, 2e-3);
  world.model.settings.solver = {};
  const double mass = world.state.bodies.mass[0] * static_cast<double>(world.state.bodies.size());
  Part& floor = let_move(world, wall_facing(world, Vec3::UnitZ()), Freedom::along, Vec3::UnitZ(), 0.2 * mass);
  floor.spring = 500.0 * mass;
  floor.damping = 10.0 * mass;
  Part& press = let_move(world, wall_facing(world, Vec3::UnitX()), Freedom::along, Vec3::UnitX(), 0.5 * mass);
  press.force = 20.0 * mass;
  press.high = 0.1;
  Part& flap = let_move(world, wall_facing(world, Vec3(0, -1, 0)), Freedom::about, Vec3::UnitX(), 0.5 * mass);
  flap.spring = 200.0 * mass;
  flap.damping = 5.0 * mass;
  world.model.boundaries.push_back({"lid", world.material, Plane{Vec3(0, 0, 4), Vec3(0, 0, -1)}});
  let_move(world, world.model.boundaries.size() - 1, Freedom::about, Vec3::UnitX(), mass).start_rate = 0.01;
  return world;
}

void expect_same_parts(const Course& a, const Course& b) {
  ASSERT_EQ(a.end.parts.size(), b.end.parts.size());
  for (std::size_t m = 0; m < a.end.parts.size(); ++m) {
    EXPECT_EQ(a.end.parts[m].travel, b.end.parts[m].travel) << m;
    EXPECT_EQ(a.end.parts[m].rate, b.end.parts[m].rate) << m;
    EXPECT_EQ(a.end.parts[m].pose.position, b.end.parts[m].pose.position) << m;
    EXPECT_EQ(a.end.parts[m].twist.angular, b.end.parts[m].twist.angular) << m;
  }
}

// Contacts with a part depend on one another: all ranks solve those of a part that several subdomains touch.
TEST(RankSteps, PartsThatForcesMove) {
  struct Case {
    PairLaw law;
    std::int32_t bodies_of_subdomain;
    std::vector<std::size_t> ranks;
  };
  PairLaw sticky{.friction = 0.4, .restitution = 0.3};
  sticky.cohesion = {.surface_tension = 20.0, .wetting_angle = 0.2, .bridge_volume = 1e-6};
  for (const auto& [law, cut, numbers] :
       {Case{{.friction = 0.4, .rolling_friction_m = 1e-3, .restitution = 0.3}, 24, {2, 5}},
        Case{elastic_law(), 24, {2, 5}}, Case{sticky, 24, {3}},
        Case{{.friction = 0.4}, 200, {3}}}) {  // the last one: a rank without bodies
    World world = pressed_heap(law);
    cut_into(cut, world.state);
    const Course all = whole(world, 150);
    EXPECT_LT(all.end.parts[0].travel, -0.005);
    EXPECT_NEAR(all.end.parts[1].rate, 0.0, 1e-6);  // at its stop
    EXPECT_NEAR(all.end.parts[1].travel, 0.1, 1e-6);
    EXPECT_GT(std::abs(all.end.parts[2].travel), 5e-5);
    for (const std::size_t ranks : numbers) {
      const Course by = by_ranks(world, 150, ranks, {20, 120});
      expect_same(by, all);
      expect_same_parts(by, all);
    }
  }
}

/// The number of subdomains that touch a wall.
std::size_t subdomains_at(std::size_t wall, const State& state) {
  const std::vector<std::int32_t>& first = state.bodies.subdomains.first;
  std::set<std::ptrdiff_t> found;
  for (const Contact& c : state.contacts.list)
    if (c.key.b == boundary_partner(wall))
      found.insert(std::ranges::upper_bound(first, c.key.a) - first.begin());
  return found.size();
}

// Subdomains are slices between the two pressing walls, or there is only one: then a part has an owner, whose
// solution the others take.
TEST(RankSteps, PartsThatOneSubdomainTouches) {
  for (const int per_slice : {49, 98, 343}) {
    World world = heap({.friction = 0.4, .restitution = 0.3});
    const double mass = world.state.bodies.mass[0] * static_cast<double>(world.state.bodies.size());
    world.model.settings.gravity = Vec3(0, 0, -9.81);
    Part& piston =
        let_move(world, wall_facing(world, Vec3::UnitZ()), Freedom::along, Vec3::UnitZ(), 0.2 * mass);
    piston.spring = 500.0 * mass;
    piston.high = 0.02;
    piston.start_rate = 2.0;
    Part& flap =
        let_move(world, wall_facing(world, Vec3::UnitX()), Freedom::about, Vec3::UnitY(), 0.5 * mass);
    flap.spring = 100.0 * mass;
    cut_into(per_slice, world.state);
    const Course all = whole(world, 150);
    if (per_slice > 49) {
      EXPECT_EQ(subdomains_at(wall_facing(world, Vec3::UnitZ()), all.end), 1u);
    }
    EXPECT_EQ(subdomains_at(wall_facing(world, Vec3::UnitX()), all.end) > 1, per_slice < 343);
    EXPECT_NE(all.end.parts[0].travel, 0.0);
    for (const std::size_t ranks : {2u, 3u}) {
      SCOPED_TRACE(std::to_string(per_slice) + " a slice, " + std::to_string(ranks) + " ranks");
      const Course by = by_ranks(world, 150, ranks);
      expect_same(by, all);
      expect_same_parts(by, all);
    }
  }
}

// A free part on a hinge with a motor and a stop, all of whose rows belong to no contact.
TEST(RankSteps, JointsOfParts) {
  World world = heap({.friction = 0.4, .restitution = 0.3});
  const std::size_t floor = wall_facing(world, Vec3::UnitZ());
  world.model.boundaries[floor].centre = Vec3(0.77, 0.77, 0.0);
  Part& tray = let_move(world, floor, Freedom::all, Vec3::UnitZ(), 2000.0);
  tray.moments = Vec3(300.0, 400.0, 500.0);
  MachineJoint hinge;
  hinge.name = "hinge";
  hinge.kind = JointKind::revolute;
  hinge.a.kind = JointPartner::Kind::ground;
  hinge.a.frame = {Vec3(0.77, 0.77, 0.0), turn_between(Vec3::UnitZ(), Vec3::UnitY())};
  hinge.b.kind = JointPartner::Kind::part;
  hinge.b.index = 0;
  hinge.b.frame = {Vec3::Zero(), hinge.a.frame.orientation};
  hinge.has_coordinate = true;
  hinge.low = -0.05;
  hinge.high = 0.05;
  hinge.stiffness = 2000.0;
  hinge.motor.kind = JointMotor::Kind::speed;
  hinge.motor.value = 0.2;
  hinge.motor.most = 5000.0;
  world.model.joints.push_back(hinge);
  cut_into(24, world.state);
  const Course all = whole(world, 250);
  EXPECT_GT(all.end.joints[0].coordinate, 0.01);
  for (const std::size_t ranks : {2u, 5u}) {
    const Course by = by_ranks(world, 250, ranks);
    expect_same(by, all);
    expect_same_parts(by, all);
    EXPECT_EQ(by.end.joints[0].impulse, all.end.joints[0].impulse);
    EXPECT_EQ(by.end.joints[0].coordinate, all.end.joints[0].coordinate);
  }
}

/// A joint of body a with body b, or with the ground, that is closed now; its frames are those of the world.
MachineJoint joint_of(JointKind kind, std::int32_t a, std::int32_t b, const State& state) {
  const Bodies& bodies = state.bodies;
  const Vec3 point = b < 0 ? bodies.position[a] : Vec3(0.5 * (bodies.position[a] + bodies.position[b]));
  const auto partner = [&](std::int32_t body) -> JointPartner {
    if (body < 0) return {JointPartner::Kind::ground, 0, {point, Quat::Identity()}};
    const Quat turn = bodies.orientation[body].conjugate();
    return {JointPartner::Kind::body, bodies.id[body], {turn * (point - bodies.position[body]), turn}};
  };
  MachineJoint joint;
  joint.name = "joint " + std::to_string(a);
  joint.kind = kind;
  joint.a = partner(b);
  joint.b = partner(a);
  return joint;
}

// Neighbours in one subdomain and in several, bodies far from one another, on the ground and on a part.
TEST(RankSteps, JointsOfBodies) {
  World world = heap({.friction = 0.4, .rolling_friction_m = 1e-3, .restitution = 0.3});
  std::vector<MachineJoint>& joints = world.model.joints;
  joints.push_back(joint_of(JointKind::fixed, 100, 101, world.state));
  joints.push_back(joint_of(JointKind::spherical, 23, 24, world.state));
  MachineJoint hinge = joint_of(JointKind::revolute, 200, 249, world.state);
  hinge.has_coordinate = true;
  hinge.motor.kind = JointMotor::Kind::speed;
  hinge.motor.value = 3.0;
  hinge.motor.most = 20.0;
  hinge.friction = 0.5;
  joints.push_back(hinge);
  MachineJoint rod = joint_of(JointKind::distance, 10, 330, world.state);
  rod.length = 2.0 * rod.b.frame.position.norm();
  rod.a.frame.position.setZero();
  rod.b.frame.position.setZero();
  joints.push_back(rod);
  joints.push_back(joint_of(JointKind::spherical, 60, -1, world.state));
  Part& floor = let_move(world, wall_facing(world, Vec3::UnitZ()), Freedom::along, Vec3::UnitZ(), 2000.0);
  floor.spring = 1e6;
  floor.damping = 2e4;
  MachineJoint on_part = joint_of(JointKind::spherical, 3, -1, world.state);
  on_part.a.kind = JointPartner::Kind::part;
  joints.push_back(on_part);
  cut_into(24, world.state);
  world.model.settings.sort_interval = 40;
  const Course all = whole(world, 150);
  EXPECT_GT(std::abs(all.end.joints[2].coordinate), 0.1);
  EXPECT_GT(all.steps.back().report.active_contacts, 100);
  EXPECT_GT(std::abs(all.steps.back().report.energy.joint_work), 0.0);
  for (const std::size_t ranks : {2u, 5u}) {
    const Course by = by_ranks(world, 150, ranks, {20, 120});
    expect_same(by, all);
    expect_same_parts(by, all);
    ASSERT_EQ(by.end.joints.size(), joints.size());
    for (std::size_t k = 0; k < joints.size(); ++k) {
      EXPECT_EQ(by.end.joints[k].impulse, all.end.joints[k].impulse) << joints[k].name;
      EXPECT_EQ(by.end.joints[k].coordinate, all.end.joints[k].coordinate) << joints[k].name;
    }
  }
}

// Bonds form between the bodies of several ranks, break when these fall, and are lost with removed bodies.
// Each rank knows all of them.
TEST(RankSteps, BodiesThatBondsHold) {
  World world = heap({.friction = 0.4, .restitution = 0.3});
  BondLaw glue;
  glue.name = "glue";
  glue.reach = 1.0;
  glue.youngs_modulus = 1e6;
  glue.damping = 0.1;
  glue.tensile_strength = 4e4;
  glue.time_s = 0.05;
  BondLaw weld;
  weld.name = "weld";
  weld.reach = 0.01;
  weld.time_s = 0.2;
  world.model.bonds = {glue, weld};
  world.model.forces.fluid = Fluid{};
  world.model.forces.fluid->density = 300.0;
  world.model.forces.fluid->viscosity = 0.5;
  world.model.outlets.push_back({"hole", BoxRegion{Vec3(0.3, 0.3, -1.0), Vec3(0.6, 0.6, 0.3)}});
  cut_into(24, world.state);
  world.model.settings.sort_interval = 40;
  const Course all = whole(world, 150);
  std::int64_t formed = 0, broken = 0;
  for (const Told& told : all.steps) {
    formed += told.report.bonds_formed;
    broken += told.report.bonds_broken;
  }
  EXPECT_GT(broken, 20);
  EXPECT_LT(std::ssize(all.end.bonds), formed - broken);  // some are lost with bodies
  EXPECT_GT(std::ssize(all.end.bonds), 50);
  for (const std::size_t ranks : {2u, 5u}) {
    const Course by = by_ranks(world, 150, ranks, {20, 120});
    expect_same(by, all);
    ASSERT_EQ(by.end.bonds.size(), all.end.bonds.size());
    for (std::size_t k = 0; k < all.end.bonds.size(); ++k) {
      const Bond &p = by.end.bonds[k], &q = all.end.bonds[k];
      EXPECT_EQ(bodies_of(p), bodies_of(q));
      EXPECT_EQ(p.law, q.law);
      EXPECT_EQ(p.impulse, q.impulse);
    }
  }
}

// Bodies that parts carry: a part that shakes, and one that stands.
TEST(RankSteps, BodiesThatPartsCarry) {
  World world = heap({.friction = 0.4, .rolling_friction_m = 1e-3, .restitution = 0.3});
  MotionStage shaking;
  shaking.axis = Vec3(1, 0, 1).normalized();
  shaking.law.amplitude = 0.01;
  shaking.law.frequency = 6.0;
  world.model.parts.resize(2);
  world.model.parts[0].motion = {{shaking}};
  for (std::size_t i = 0; i < 98; i += 3) carry_body(i % 2 == 0 ? 0 : 1, i, world.state);
  cut_into(24, world.state);
  world.model.settings.sort_interval = 40;
  const Course all = whole(world, 150);
  EXPECT_GT(all.steps.back().report.active_contacts, 100);
  EXPECT_GT(std::abs(all.steps.back().report.energy.boundary_work), 0.0);
  for (const std::size_t ranks : {2u, 5u}) {
    const Course by = by_ranks(world, 150, ranks, {20, 120});
    expect_same(by, all);
    EXPECT_EQ(by.end.bodies.part, all.end.bodies.part);
  }
}

// One subdomain: all ranks but one are empty, and take part in all decisions.
/// Two arms of a machine which touch no body, the first on a motor.
void add_linkage(Model& model) {
  for (int k = 0; k < 2; ++k) {
    Part arm;
    arm.name = k == 0 ? "arm" : "hand";
    arm.freedom = Freedom::all;
    arm.inertia = 3.0 + k;
    arm.moments = Vec3(0.3, 0.4, 0.5);
    arm.centre = Vec3(5.0 + k, 0.0, 0.0);
    MachineJoint hinge;
    hinge.name = k == 0 ? "shoulder" : "elbow";
    hinge.kind = JointKind::revolute;
    hinge.a.kind = k == 0 ? JointPartner::Kind::ground : JointPartner::Kind::part;
    hinge.a.index = 0;
    hinge.a.frame = {k == 0 ? Vec3(4.5, 0, 0) : Vec3(0.5, 0, 0), Quat::Identity()};
    hinge.b.kind = JointPartner::Kind::part;
    hinge.b.index = k;
    hinge.b.frame = {Vec3(-0.5, 0, 0), Quat::Identity()};
    hinge.has_coordinate = true;
    if (k == 0) {
      hinge.motor.kind = JointMotor::Kind::speed;
      hinge.motor.value = 3.0;
      hinge.motor.most = 200.0;
    }
    model.parts.push_back(arm);
    model.joints.push_back(hinge);
  }
}

TEST(RankSteps, RanksWithoutBodies) {
  World world =
      test::loose_heap(4, 4, {.friction = 0.4, .rolling_friction_m = 1e-3, .restitution = 0.3}, 2e-3);
  world.model.settings.solver = {};
  world.model.forces.fluid = Fluid{};
  const Course all = whole(world, 150);
  EXPECT_EQ(all.end.bodies.subdomains.size(), 1u);
  expect_same(by_ranks(world, 150, 3), all);
  // They have copies of bodies that joints hold.
  world.model.joints.push_back(joint_of(JointKind::spherical, 20, 21, world.state));
  world.model.joints.push_back(joint_of(JointKind::spherical, 40, -1, world.state));
  expect_same(by_ranks(world, 150, 3), whole(world, 150));
  // The machine is every rank's, also of those that have copies of bodies only, and of those that have none.
  add_linkage(world.model);
  const Course with_machine = whole(world, 150), by = by_ranks(world, 150, 3);
  expect_same(by, with_machine);
  expect_same_parts(by, with_machine);
  world.model.joints.erase(world.model.joints.begin(), world.model.joints.begin() + 2);
  expect_same_parts(by_ranks(world, 150, 3), whole(world, 150));
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
