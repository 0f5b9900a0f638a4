// Clumps as bodies: cases equal to ellipsoids and balls, their contacts with all kinds of walls, and heaps of
// them.
#include <gtest/gtest.h>

#include "engine/core/parallel.h"
#include "engine/core/state_hash.h"
#include "engine/geometry/ellipsoid_ellipsoid.h"
#include "engine/modules/generation/packing.h"
#include "engine/simulation/motion.h"
#include "engine/simulation/subsystems/population.h"
#include "tests/support/same_bits.h"
#include "tests/support/world.h"

namespace scree {
namespace {

using test::World;

constexpr double g = 9.81;

std::int32_t add_clump(World& world, const std::vector<ClumpMember>& parts) {
  ShapeFindings findings;
  const std::optional<Clump> made = make_clump(parts, findings);
  EXPECT_TRUE(made) << (findings.errors.empty() ? "" : findings.errors[0]);
  return world.model.shapes.add_clump({"clump", parts, std::make_shared<Clump>(*made)});
}

BodyIndex add_body_of(World& world, std::int32_t clump, double size, const Pose& pose,
                      const Twist& twist = {}) {
  const ShapeIndex shape = world.model.shapes.add(SizedClump{clump, size});
  return add_body(world.state.bodies, world.model.shapes, world.model.materials,
                  {shape, world.material, pose, twist});
}

ClumpMember ball(double radius, const Vec3& at) { return {{Vec3::Constant(radius)}, {at, Quat::Identity()}}; }

/// Two balls of radius 1 with centres 1.6 apart along x.
std::vector<ClumpMember> dumbbell() { return {ball(1.0, {-0.8, 0, 0}), ball(1.0, {0.8, 0, 0})}; }

/// Three crossing rods.
std::vector<ClumpMember> jack() {
  const Quat same = Quat::Identity();
  return {{{Vec3(1.0, 0.3, 0.3)}, {Vec3::Zero(), same}},
          {{Vec3(0.3, 1.0, 0.3)}, {Vec3::Zero(), same}},
          {{Vec3(0.3, 0.3, 1.0)}, {Vec3::Zero(), same}}};
}

Quat some_turn() { return Quat(Eigen::AngleAxisd(0.6, Vec3(1, -2, 0.5).normalized())); }

// A clump of one member: the same as the ellipsoid, on a floor and against another one.
TEST(ClumpBodies, OnePartClumpMovesAsTheEllipsoid) {
  const Vec3 axes(0.2, 0.12, 0.08);
  const auto run = [&](bool as_clump) {
    World world({.friction = 0.4, .restitution = 0.3});
    world.add_floor();
    const std::int32_t clump = as_clump ? add_clump(world, {{{axes}, {}}}) : 0;
    const Pose low{Vec3(0, 0, 0.22), some_turn()}, high{Vec3(0.05, 0.02, 0.5), Quat::Identity()};
    for (const Pose& pose : {low, high}) {
      if (as_clump)
        add_body_of(world, clump, 1.0, pose);
      else
        world.add(axes, pose);
    }
    world.run(1.0);
    return world.state.bodies;
  };
  const Bodies as_ellipsoids = run(false), as_clumps = run(true);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_LE((as_ellipsoids.position[i] - as_clumps.position[i]).norm(), 1e-9);
    EXPECT_LE(as_ellipsoids.orientation[i].angularDistance(as_clumps.orientation[i]), 1e-8);
  }
}

TEST(ClumpBodies, DumbbellRestsOnBothParts) {
  World world({.friction = 0.5});
  world.add_floor();
  const std::int32_t clump = add_clump(world, dumbbell());
  const BodyIndex body = add_body_of(world, clump, 0.1, {Vec3(0, 0, 0.1), Quat::Identity()});
  world.run(0.5);
  ASSERT_EQ(world.state.contacts.size(), 2u);
  const double weight = world.state.bodies.mass[body] * g * 1e-3;
  for (const Contact& c : world.state.contacts.list)
    EXPECT_NEAR(double{c.impulse.z()}, 0.5 * weight, 1e-6 * weight);
  EXPECT_LE((world.state.bodies.position[body] - Vec3(0, 0, 0.1)).norm(), 1e-9);
  EXPECT_LE(world.state.bodies.angular_velocity[body].norm(), 1e-9);
}

// The gap's second derivative: the centre of a member moves round the body's centre.
TEST(ClumpBodies, GapAccelerationIncludesRotationOfParts) {
  World world;
  world.add_floor();
  const std::int32_t clump = add_clump(world, dumbbell());
  const Twist twist{Vec3(0.3, -0.2, -0.4), Vec3(0, 6.0, 0)};  // about a principal axis: it is constant
  add_body_of(world, clump, 0.1, {Vec3(0, 0, 0.125), Quat(Eigen::AngleAxisd(0.4, Vec3::UnitY()))}, twist);
  add_body_of(world, clump, 0.1, {Vec3(0.02, 0.21, 0.125), some_turn()},
              {Vec3(0, -1, 0), Vec3(2, 3, -4)});  // rotates freely: only its present spin counts
  const auto contacts_after = [&](double t) {
    Bodies bodies = world.state.bodies;
    for (std::size_t i = 0; i < 2; ++i) {
      bodies.position[i] += t * bodies.linear_velocity[i];
      const Vec3& w = bodies.angular_velocity[i];
      bodies.orientation[i] = Quat(Eigen::AngleAxisd(w.norm() * t, w.normalized())) * bodies.orientation[i];
    }
    DetectionWorkspace workspace;
    Contacts contacts;
    NormalCache seeds;
    std::vector<CachedPair> cached;
    find_contacts({world.model.shapes, bodies, world.model.boundaries, 0.0, 0.05, 0.0}, workspace,
                  {contacts, seeds, cached});
    return contacts.list;
  };
  const double t = 1e-4;
  const auto now = contacts_after(0.0), before = contacts_after(-t), after = contacts_after(t);
  std::size_t compared = 0, between_bodies = 0;
  for (const Contact& c : now) {
    const auto same = [&](const Contact& o) { return o.key == c.key; };
    const auto b = std::ranges::find_if(before, same), a = std::ranges::find_if(after, same);
    if (a == after.end() || b == before.end()) continue;
    const double second = (a->gap - 2.0 * c.gap + b->gap) / (t * t);
    // Fourth derivatives times t^2 / 12, and the rounding of gaps over t^2.
    EXPECT_NEAR(double{c.gap_acceleration}, second, 1e-3 * std::max(1.0, std::abs(second)));
    ++compared;
    between_bodies += is_boundary(c.key.b) ? 0 : 1;
  }
  EXPECT_GE(compared, 4u);
  EXPECT_GE(between_bodies, 1u);
}

// Two dumbbells collide in free flight: momenta to rounding, and all of the energy with restitution 1.
TEST(ClumpBodies, CollideWithoutLosingMomentum) {
  World world({.friction = 0.0, .restitution = 1.0}, 1e-4);
  world.model.settings.gravity = Vec3::Zero();
  const std::int32_t clump = add_clump(world, dumbbell());
  add_body_of(world, clump, 0.1, {Vec3(-0.25, 0, 0), some_turn()}, {Vec3(1, 0, 0), Vec3(0, 3, 1)});
  add_body_of(world, clump, 0.1, {Vec3(0.25, 0.05, 0.03), Quat::Identity()}, {Vec3(-1, 0, 0), Vec3(2, 0, 0)});
  const BodySums before = body_sums(world.state.bodies, Vec3::Zero());
  double deepest = 0.0;
  world.run(0.5, [&](const StepReport& r) { deepest = std::max(deepest, r.penetration_max); });
  const BodySums after = body_sums(world.state.bodies, Vec3::Zero());
  EXPECT_LE((after.linear - before.linear).norm(), 1e-12 * before.kinetic);
  EXPECT_LE((after.angular - before.angular).norm(), 1e-11 * before.kinetic);
  EXPECT_NEAR(after.kinetic, before.kinetic, 1e-3 * before.kinetic);  // Newton's law, in steps of 1e-4 s
  EXPECT_GT(world.state.bodies.linear_velocity[1].x(), 0.0);
  EXPECT_LE(deepest, 1e-2);
}

TriangleMesh flat_floor() {
  return {{Vec3(-5, -5, 0), Vec3(5, -5, 0), Vec3(5, 5, 0), Vec3(-5, 5, 0)}, {{0, 1, 2}, {0, 2, 3}}};
}

// A jack that slides and tumbles over a mesh moves as on a plane, except for the gap accelerations, which are
// second differences there.
TEST(ClumpBodies, AMeshFloorIsAPlane) {
  const auto run = [&](bool mesh) {
    World world({.friction = 0.3});
    if (mesh) {
      MeshFindings findings;
      auto surface = std::make_shared<MeshSurface>(mesh_surface(flat_floor(), findings));
      world.model.boundaries.push_back({"floor", world.material, PlacedMesh{surface, {}}});
    } else {
      world.add_floor();
    }
    const std::int32_t clump = add_clump(world, jack());
    add_body_of(world, clump, 0.1, {Vec3(-0.3, 0, 0.11), some_turn()}, {Vec3(0.8, 0.3, 0), Vec3(0, 4, 1)});
    world.run(0.4);
    return world.state.bodies;
  };
  const Bodies on_mesh = run(true), on_plane = run(false);
  EXPECT_LE((on_mesh.position[0] - on_plane.position[0]).norm(), 1e-8);
  EXPECT_LE(on_mesh.orientation[0].angularDistance(on_plane.orientation[0]), 1e-7);
}

// In a tube and in a funnel: they come to rest without overlaps.
TEST(ClumpBodies, RestInTubesAndFunnels) {
  for (const bool funnel : {false, true}) {
    World world({.friction = 0.4}, 2e-3);
    world.model.settings.solver.tolerance = 1e-4;
    if (funnel)
      world.model.boundaries.push_back(
          {"funnel", world.material,
           PlacedRevolved{std::make_shared<RevolvedSurface>(
                              revolved_surface({Vec2(0.0, 0.0), Vec2(0.1, 0.0), Vec2(0.6, 0.5)}, false, 0.0)),
                          {}}});
    else
      world.model.boundaries.push_back(
          {"tube", world.material, Tube{Vec3(-1, 0, 0.4), Vec3(1, 0, 0.4), 0.4, 0.02}});
    const std::int32_t clump = add_clump(world, jack());
    add_body_of(world, clump, 0.15, {Vec3(0, 0.02, 0.45), some_turn()});
    add_body_of(world, clump, 0.1, {Vec3(0.1, 0.0, 0.72), some_turn().conjugate()});
    const StepReport last = world.run(3.0);
    EXPECT_LE(last.energy.kinetic, 1e-6) << funnel;
    EXPECT_LE(last.penetration_max, 1e-2) << funnel;
    EXPECT_GE(last.active_contacts, 4) << funnel;
    EXPECT_GT(world.state.bodies.position[1].z(), 0.05) << funnel;
  }
}

World heap() {
  World world({.friction = 0.4}, 2e-3);
  world.model.settings.sort_interval = 7;
  world.model.settings.solver.tolerance = 1e-3;
  world.model.boundaries = box_walls("box", world.material, Vec3(0, 0, 0), Vec3(0.8, 0.8, 10), {"+z"});
  const std::int32_t jacks = add_clump(world, jack()), bells = add_clump(world, dumbbell());
  Random random(3);
  for (int k = 0; k < 48; ++k) {
    const int row = k / 3 % 3, layer = k / 9;
    const Pose pose{Vec3(0.14 + 0.26 * (k % 3), 0.14 + 0.26 * row, 0.14 + 0.26 * layer), random.rotation()};
    if (k % 3 == 2)
      world.add(Vec3(0.1, 0.07, 0.05), pose);  // with some ellipsoids
    else
      add_body_of(world, k % 3 == 0 ? jacks : bells, k % 3 == 0 ? 0.12 : 0.06, pose);
  }
  return world;
}

TEST(ClumpBodies, HeapsComeToRest) {
  set_thread_count(2);
  World world = heap();
  double energy = 0.0, most_remainder = 0.0, momentum = 0.0, deepest = 0.0;
  const StepReport last = world.run(4.0, [&](const StepReport& r) {
    energy = std::max(energy, r.energy.kinetic + std::abs(r.energy.potential));
    most_remainder = std::max(most_remainder, std::abs(r.energy.remainder));
    momentum = std::max({momentum, r.momentum_error_relative, r.angular_momentum_error_relative});
    deepest = std::max(deepest, r.penetration_max);
  });
  EXPECT_LE(most_remainder, 1e-12 * energy);
  EXPECT_LE(momentum, 1e-12);
  EXPECT_LE(deepest, 0.15);
  EXPECT_LE(last.penetration_max, 0.01);
  EXPECT_LE(last.energy.kinetic, 1e-3);
  for (const Vec3& x : world.state.bodies.position) {
    EXPECT_TRUE((x.array() > 0.0).all() && x.x() < 0.8 && x.y() < 0.8);
  }
  set_thread_count(0);
}

TEST(ClumpBodies, SameBitsOnAnyThreadsAndFromACopy) { test::expect_same_bits(heap, 0.2, 0.4); }

// Slots change, and the cached members of contacts and seeds change with them.
TEST(ClumpBodies, KeepTheirPartsWhereSlotsChange) {
  World world = heap();
  world.run(0.5);
  const std::size_t before = world.state.contacts.size();
  Bodies& bodies = world.state.bodies;
  for (std::size_t i = 0; i < bodies.size(); ++i)
    bodies.position[i] *= -1.0;  // for another order along the curve
  State turned = world.state;
  sort(world.model.shapes, turned, PlacedCell{});
  for (Vec3& x : turned.bodies.position) x *= -1.0;
  ASSERT_NE(turned.bodies.id, bodies.id);
  ASSERT_EQ(turned.contacts.size(), before);
  ASSERT_TRUE(std::ranges::is_sorted(turned.contacts.list, {}, &Contact::key));
  const auto part = [&](std::int32_t body, std::size_t number) {
    const ClumpMember p = world.model.shapes.member(turned.bodies.shape[body], number);
    const Pose at = turned.bodies.pose(static_cast<std::size_t>(body));
    return place(p.ellipsoid,
                 {at.position + at.orientation * p.pose.position, at.orientation * p.pose.orientation});
  };
  std::size_t of_parts = 0;
  for (const Contact& c : turned.contacts.list) {
    if (is_boundary(c.key.b)) continue;
    const Gap found =
        gap(part(c.key.a, c.key.feature / max_clump_members), part(c.key.b, c.key.feature % max_clump_members));
    EXPECT_NEAR(found.distance, c.gap, 2e-3);  // bodies have moved for half a step
    EXPECT_GT(found.normal.dot(c.normal), 0.95);
    of_parts += c.key.feature % (max_clump_members + 1) != 0 ? 1 : 0;
  }
  EXPECT_GT(of_parts, 10u);
  for (std::size_t i = 0; i < turned.bodies.size(); ++i)
    for (const CachedNormal& s :
         turned.cached_normals.of_pair(static_cast<std::int32_t>(i), static_cast<std::int32_t>(i) + 1))
      EXPECT_LT(s.feature % max_clump_members, world.model.shapes.member_count(turned.bodies.shape[i + 1]));
  set_thread_count(0);
}

// Random packings use the members: no overlaps, and a closer packing than balls around the jacks allow.
TEST(ClumpBodies, PackWithoutOverlap) {
  World world;
  const std::int32_t clump = add_clump(world, jack());
  const ShapeIndex shape = world.model.shapes.add(SizedClump{clump, 0.1});
  GrainRecipe recipe{enclosing_ellipsoid(world.model.shapes, shape).semi_axes, {}, std::nullopt};
  recipe.clump = &world.model.shapes.clump_of(shape);
  recipe.size = 0.1;
  const BoxRegion box{Vec3::Zero(), Vec3::Constant(0.8)};
  const std::vector<Grain> grains = random_packing(recipe, box, {400, 3000}, {}, 5);
  const auto parts_of = [&](const Grain& grain) {
    std::vector<PlacedEllipsoid> parts;
    for (const ClumpMember& p : recipe.clump->members)
      parts.push_back(place(Ellipsoid{0.1 * p.ellipsoid.semi_axes},
                            {grain.pose.position + grain.pose.orientation * (0.1 * p.pose.position),
                             grain.pose.orientation * p.pose.orientation}));
    return parts;
  };
  std::size_t nearer_than_balls = 0;
  for (std::size_t i = 0; i < grains.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if ((grains[i].pose.position - grains[j].pose.position).norm() > 0.2) continue;
      ++nearer_than_balls;
      for (const PlacedEllipsoid& a : parts_of(grains[i]))
        for (const PlacedEllipsoid& b : parts_of(grains[j])) EXPECT_GE(gap(a, b).distance, 0.0);
    }
  }
  EXPECT_GT(grains.size(), 50u);
  EXPECT_GT(nearer_than_balls, 20u);
}

}  // namespace
}  // namespace scree
