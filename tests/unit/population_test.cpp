#include "engine/simulation/subsystems/population.h"

#include <gtest/gtest.h>
#include <map>
#include <numeric>

#include "engine/core/parallel.h"
#include "tests/support/world.h"

namespace scree {
namespace {

/// A heap in motion whose bodies have any order in memory, with a few large ones among them.
test::World shuffled_heap() {
  test::World world = test::loose_heap(5, 4, {}, 2e-3, 3);
  for (int i = 0; i < 3; ++i) world.add_sphere(0.25, Vec3(0.3 + 0.25 * i, 0.5, 1.2 + 0.6 * i));
  world.run(0.3);
  Bodies& b = world.state.bodies;
  Random random(8);
  for (std::size_t i = b.size() - 1; i > 0; --i) {
    const auto j = static_cast<std::size_t>(random.uniform(0.0, static_cast<double>(i) + 0.999));
    std::swap(b.position[i], b.position[j]);
    std::swap(b.orientation[i], b.orientation[j]);
    std::swap(b.linear_velocity[i], b.linear_velocity[j]);
    std::swap(b.angular_velocity[i], b.angular_velocity[j]);
    std::swap(b.mass[i], b.mass[j]);
    std::swap(b.inertia[i], b.inertia[j]);
    std::swap(b.shape[i], b.shape[j]);
    std::swap(b.id[i], b.id[j]);
  }
  world.state.contacts = {};
  world.state.cached_normals = {};
  world.model.settings.solver.max_sweeps = 50;
  world.run(0.5);
  return world;
}

/// Cached data of a contact or a pair, by the ids of its bodies (the lower first; a boundary is -1 - its
/// number), with signs for this order.
struct Remembered {
  Vec3 normal, impulse;
  bool operator==(const Remembered&) const = default;
};
using ById = std::map<std::pair<BodyId, BodyId>, Remembered>;

void put(const Bodies& bodies, std::int32_t a, std::int32_t b, Remembered what, ById& list) {
  const auto id = [&](std::int32_t i) { return is_boundary(i) ? i : bodies.id[i]; };
  BodyId p = id(a), q = id(b);
  if (p > q) {
    std::swap(p, q);
    what = {-what.normal, -what.impulse};
  }
  EXPECT_TRUE(list.emplace(std::pair{p, q}, what).second);
}

ById contacts_by_id(const State& s) {
  ById list;
  EXPECT_TRUE(std::ranges::is_sorted(s.contacts.list, {}, &Contact::key));
  for (const Contact& c : s.contacts.list) {
    EXPECT_EQ(s.contacts.find(c.key), &c);
    EXPECT_TRUE(is_boundary(c.key.b) || c.key.a < c.key.b);
    put(s.bodies, c.key.a, c.key.b, {c.normal, c.impulse.cast<double>()}, list);
  }
  return list;
}

ById pairs_by_id(const State& s) {
  ById list;
  for (std::int32_t a = 0; a < static_cast<std::int32_t>(s.bodies.size()); ++a) {
    for (auto k = s.cached_normals.row[a]; k < s.cached_normals.row[static_cast<std::size_t>(a) + 1]; ++k) {
      const CachedNormal& seed = s.cached_normals.list[k];
      EXPECT_TRUE(is_boundary(seed.b) || a < seed.b);
      EXPECT_EQ(s.cached_normals.of_pair(a, seed.b).data(), &seed);
      put(s.bodies, a, seed.b, {seed.normal, Vec3::Zero()}, list);
    }
  }
  return list;
}

TEST(SortBodies, PermutesBodiesAndCaches) {
  const test::World world = shuffled_heap();
  State sorted = world.state;
  sort(world.model.shapes, sorted);
  const Bodies &before = world.state.bodies, &after = sorted.bodies;
  ASSERT_EQ(after.size(), before.size());
  EXPECT_NE(after.id, before.id);
  std::map<BodyId, std::size_t> slot;
  for (std::size_t i = 0; i < after.size(); ++i) slot[after.id[i]] = i;
  ASSERT_EQ(slot.size(), before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    const std::size_t k = slot[before.id[i]];
    EXPECT_EQ(after.position[k], before.position[i]);
    EXPECT_EQ(after.orientation[k].coeffs(), before.orientation[i].coeffs());
    EXPECT_EQ(after.linear_velocity[k], before.linear_velocity[i]);
    EXPECT_EQ(after.angular_velocity[k], before.angular_velocity[i]);
    EXPECT_EQ(after.mass[k], before.mass[i]);
    EXPECT_EQ(after.inertia[k], before.inertia[i]);
    EXPECT_EQ(after.shape[k], before.shape[i]);
  }
  EXPECT_GT(world.state.contacts.size(), 100u);
  EXPECT_EQ(contacts_by_id(sorted), contacts_by_id(world.state));
  EXPECT_EQ(pairs_by_id(sorted), pairs_by_id(world.state));
}

TEST(SortBodies, PutsTheLargestFirstAndNeighboursTogether) {
  const test::World world = shuffled_heap();
  State sorted = world.state;
  sort(world.model.shapes, sorted);
  for (std::size_t i = 0; i < sorted.bodies.size(); ++i) {
    EXPECT_EQ(world.model.shapes.bounding_radius(sorted.bodies.shape[i]) > 0.2, i < 3);
  }
  const auto mean_distance = [](const State& s) {  // of the slots of touching bodies
    double sum = 0.0;
    int pairs = 0;
    for (const Contact& c : s.contacts.list) {
      if (c.key.a < 3 || is_boundary(c.key.b)) continue;
      sum += c.key.b - c.key.a;
      ++pairs;
    }
    return sum / pairs;
  };
  EXPECT_LT(mean_distance(sorted), 0.6 * mean_distance(world.state));
}

// The next step finds the same contacts with the same gaps, and starts from the same impulses.
TEST(SortBodies, NextStepFindsTheSameContacts) {
  test::World plain = shuffled_heap(), sorted = shuffled_heap();
  for (test::World* world : {&plain, &sorted})
    world->model.settings.solver.max_sweeps = 1;  // shows the start
  sort(sorted.model.shapes, sorted.state);
  const StepReport p = plain.step(), s = sorted.step();
  EXPECT_EQ(s.contacts, p.contacts);
  EXPECT_EQ(s.candidates, p.candidates);
  EXPECT_NEAR(s.penetration_mean, p.penetration_mean, 1e-12);
  EXPECT_NEAR(s.penetration_max, p.penetration_max, 1e-12);
  EXPECT_LT(s.residual_rms_relative, 2.0 * p.residual_rms_relative + 1e-6);
  const ById now = contacts_by_id(sorted.state), then = contacts_by_id(plain.state);
  ASSERT_EQ(now.size(), then.size());
  for (const auto& [ids, what] : now) EXPECT_LT((what.normal - then.at(ids).normal).norm(), 1e-9);
}

// A run with sorting now and then: the same on every number of threads, and from a copy of its state.
TEST(SortBodies, IsPartOfTheStep) {
  const auto run = [](int threads, bool fresh_workspace) {
    set_thread_count(threads);
    test::World world = shuffled_heap();
    world.model.settings.sort_interval = 7;
    for (int k = 0; k < 40; ++k) {
      if (fresh_workspace) world.workspace = {};
      world.step();
    }
    return state_hash(world.state.bodies);
  };
  const std::uint64_t one = run(1, false);
  EXPECT_EQ(run(1, true), one);
  EXPECT_EQ(run(3, false), one);
  set_thread_count(0);
}

/// By ids, for any slots.
std::map<BodyId, Pose> poses_by_id(const Bodies& bodies) {
  std::map<BodyId, Pose> poses;
  for (std::size_t i = 0; i < bodies.size(); ++i) poses[bodies.id[i]] = bodies.pose(i);
  return poses;
}

// Far from a settling heap, bodies come and go and slots are sorted, at random; this does not affect the
// heap. Sweeps then treat contacts in another order, so the two runs agree to the accuracy of solutions: to
// 1e-12 m/s in each of 300 steps of 1 ms.
TEST(Population, DistantInsertionsAndRemovalsDoNotAffectAHeap) {
  PairLaw law;
  law.friction = 0.3;
  law.rolling_friction_m = 1e-3;
  const auto make = [&] {
    test::World world = test::loose_heap(2, 2, law, 1e-3, 5);
    world.model.settings.solver.tolerance = 1e-10;
    world.model.settings.solver.max_sweeps = 3000;
    return world;
  };
  test::World quiet = make(), busy = make();
  const std::size_t heap = quiet.state.bodies.size();
  const ShapeIndex shape = busy.model.shapes.add(Ellipsoid{Vec3(0.06, 0.05, 0.04)});
  Random random(11);
  std::vector<BodyId> guests;
  BodyId last_id = static_cast<BodyId>(heap) - 1;
  std::size_t most = 0;
  for (int k = 0; k < 300; ++k) {
    const double dice = random.uniform();
    if (dice < 0.3) {
      const Vec3 place(5.0 + 0.15 * random.uniform(), 0.2 * random.uniform(), 0.1 + 0.3 * random.uniform());
      const BodyId id =
          insert(busy.model, busy.state, {shape, busy.material, {place, random.rotation()}, {}});
      EXPECT_GT(id, last_id);  // never a former id
      last_id = id;
      guests.push_back(id);
    } else if (dice < 0.5 && !guests.empty()) {
      const auto at = static_cast<std::ptrdiff_t>(random.uniform() * static_cast<double>(guests.size()));
      const BodyId gone[] = {guests[at], 1 << 30};
      remove(busy.state, gone);
      guests.erase(guests.begin() + at);
    } else if (dice < 0.6) {
      sort(busy.model.shapes, busy.state);
    }
    if (k % 50 == 0) busy.workspace = {};
    most = std::max(most, guests.size());
    quiet.step();
    busy.step();
    ASSERT_EQ(busy.state.bodies.size(), heap + guests.size());
  }
  EXPECT_GT(most, 5u);
  const auto now = poses_by_id(busy.state.bodies), then = poses_by_id(quiet.state.bodies);
  for (const auto& [id, pose] : then) {
    EXPECT_LT((now.at(id).position - pose.position).norm(), 1e-8) << id;
    EXPECT_LT(now.at(id).orientation.angularDistance(pose.orientation), 1e-7) << id;
  }
}

// The memory of the remaining bodies does not change.
TEST(Population, RemovalKeepsCachesOfOtherBodies) {
  test::World world = shuffled_heap();
  const ById contacts = contacts_by_id(world.state), pairs = pairs_by_id(world.state);
  const BodyId gone[] = {world.state.bodies.id[7], world.state.bodies.id[50], world.state.bodies.id[0]};
  remove(world.state, gone);
  const auto kept = [&](const ById& list) {
    ById rest = list;
    std::erase_if(rest, [&](const auto& entry) {
      return std::ranges::find(gone, entry.first.first) != std::end(gone) ||
             std::ranges::find(gone, entry.first.second) != std::end(gone);
    });
    return rest;
  };
  EXPECT_LT(kept(contacts).size(), contacts.size());
  EXPECT_EQ(contacts_by_id(world.state), kept(contacts));
  EXPECT_EQ(pairs_by_id(world.state), kept(pairs));
  EXPECT_EQ(world.step().bodies, static_cast<std::int64_t>(world.state.bodies.size()));
}

TEST(Population, AllBodiesMayBeRemovedAndIdsAreNotReused) {
  test::World world = test::loose_heap(2, 2, {}, 1e-3);
  BondLaw glue;
  glue.reach = 1.0;
  world.model.bonds.push_back(glue);
  world.run(0.1);
  ASSERT_FALSE(world.state.bonds.empty());
  const std::vector<BodyId> all = world.state.bodies.id;
  remove(world.state, all);
  EXPECT_EQ(world.state.bodies.size(), 0u);
  EXPECT_TRUE(world.state.bonds.empty());
  EXPECT_EQ(world.step().contacts, 0);
  const NewBody body{ShapeIndex(0), world.material, {Vec3(0.2, 0.2, 0.5), Quat::Identity()}, {}};
  EXPECT_EQ(insert(world.model, world.state, body), static_cast<BodyId>(all.size()));
  EXPECT_EQ(world.step().bodies, 1);
}

// A body that slept on a removed body wakes and falls.
TEST(Population, SleepersWakeWhenTheirSupportIsRemoved) {
  test::World world;
  world.add_floor();
  for (int i = 0; i < 3; ++i) world.add_sphere(0.1, Vec3(0, 0, 0.1 + 0.2 * i));
  world.model.settings.sleep = {.speed_m_s = 1e-3, .duration_s = 0.02, .tolerance = 0.05};
  ASSERT_EQ(world.run(0.2).asleep, 3);
  const BodyId lowest[] = {0};
  remove(world.state, lowest);
  const StepReport& report = world.step();
  EXPECT_EQ(report.asleep, 0);
  world.run(1.0);
  const auto poses = poses_by_id(world.state.bodies);
  EXPECT_NEAR(poses.at(1).position[2], 0.1, 1e-4);
  EXPECT_NEAR(poses.at(2).position[2], 0.3, 1e-4);
}

}  // namespace
}  // namespace scree
