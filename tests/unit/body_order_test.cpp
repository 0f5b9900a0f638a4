#include "engine/simulation/body_order.h"

#include <gtest/gtest.h>
#include <map>
#include <numeric>

#include "engine/core/parallel.h"
#include "tests/support/world.h"

namespace scree {
namespace {

/// A heap in motion whose bodies lie in memory in any order, with a few large ones among them.
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
  world.state.memory = {};
  world.model.settings.solver.max_sweeps = 50;
  world.run(0.5);
  return world;
}

/// What the memory says of a contact or a pair, by the ids of its bodies (the lower first; a boundary is -1 -
/// its number), with signs as if that were its order.
struct Remembered {
  Vec3 normal, impulse;
  bool operator==(const Remembered&) const = default;
};
using ById = std::map<std::pair<BodyId, BodyId>, Remembered>;

void put(const Bodies& bodies, std::int32_t a, std::int32_t b, Remembered what, ById& list) {
  const auto id = [&](std::int32_t i) {
    const auto k = static_cast<std::size_t>(i);
    return k < bodies.size() ? bodies.id[k] : 1000 + static_cast<BodyId>(k - bodies.size());
  };
  BodyId p = id(a), q = id(b);
  if (p > q) {
    std::swap(p, q);
    what = {-what.normal, -what.impulse};
  }
  EXPECT_TRUE(list.emplace(std::pair{p, q}, what).second);
}

ById contacts_by_id(const State& s) {
  ById list;
  for (std::size_t a = 0; a < s.bodies.size(); ++a) {
    for (auto c = static_cast<std::size_t>(s.memory.contact_row[a]);
         c < static_cast<std::size_t>(s.memory.contact_row[a + 1]); ++c) {
      EXPECT_EQ(s.memory.key[c].a, static_cast<std::int32_t>(a));
      EXPECT_LT(s.memory.key[c].a, s.memory.key[c].b);
      if (c > 0) {
        EXPECT_LT(s.memory.key[c - 1], s.memory.key[c]);
      }
      put(s.bodies, s.memory.key[c].a, s.memory.key[c].b, {s.memory.normal[c], s.memory.impulse[c]}, list);
    }
  }
  return list;
}

ById pairs_by_id(const State& s) {
  ById list;
  for (std::size_t a = 0; a < s.bodies.size(); ++a) {
    for (auto p = static_cast<std::size_t>(s.memory.pair_row[a]);
         p < static_cast<std::size_t>(s.memory.pair_row[a + 1]); ++p) {
      EXPECT_LT(static_cast<std::int32_t>(a), s.memory.pair_b[p]);
      put(s.bodies, static_cast<std::int32_t>(a), s.memory.pair_b[p], {s.memory.pair_normal[p], Vec3::Zero()},
          list);
    }
  }
  return list;
}

TEST(SortBodies, TakesBodiesAndMemoryAlong) {
  const test::World world = shuffled_heap();
  State sorted = world.state;
  sort_bodies(world.model.shapes, sorted);
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
  EXPECT_GT(world.state.memory.key.size(), 100u);
  EXPECT_EQ(contacts_by_id(sorted), contacts_by_id(world.state));
  EXPECT_EQ(pairs_by_id(sorted), pairs_by_id(world.state));
}

TEST(SortBodies, PutsTheLargestFirstAndNeighboursTogether) {
  const test::World world = shuffled_heap();
  State sorted = world.state;
  sort_bodies(world.model.shapes, sorted);
  for (std::size_t i = 0; i < sorted.bodies.size(); ++i) {
    EXPECT_EQ(world.model.shapes.bounding_radius(sorted.bodies.shape[i]) > 0.2, i < 3);
  }
  const auto mean_distance = [](const State& s) {  // of the slots of touching bodies
    double sum = 0.0;
    int pairs = 0;
    for (const ContactKey& key : s.memory.key) {
      if (key.a < 3 || static_cast<std::size_t>(key.b) >= s.bodies.size()) continue;
      sum += key.b - key.a;
      ++pairs;
    }
    return sum / pairs;
  };
  EXPECT_LT(mean_distance(sorted), 0.6 * mean_distance(world.state));
}

// The next step finds the same contacts with the same gaps, and starts from the same impulses.
TEST(SortBodies, StepsGoOnAsBefore) {
  test::World plain = shuffled_heap(), sorted = shuffled_heap();
  sort_bodies(sorted.model.shapes, sorted.state);
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

// A run that sorts now and then: the same on every number of threads, and from a copy of its state.
TEST(SortBodies, IsPartOfTheStep) {
  const auto run = [](int threads, bool fresh_workspace) {
    set_thread_count(threads);
    test::World world = shuffled_heap();
    world.model.settings.sort_interval = 7;
    for (int k = 0; k < 40; ++k) {
      if (fresh_workspace) world.workspace = {};
      (void)world.step();
    }
    return state_hash(world.state.bodies);
  };
  const std::uint64_t one = run(1, false);
  EXPECT_EQ(run(1, true), one);
  EXPECT_EQ(run(3, false), one);
  set_thread_count(0);
}

}  // namespace
}  // namespace scree
