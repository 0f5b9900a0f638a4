#include <gtest/gtest.h>

#include "engine/geometry/ellipsoid_ellipsoid.h"
#include "tests/support/world.h"

namespace scree {
namespace {

using test::World;

TEST(Detection, FindsEveryPairThatIsClose) {
  // Against all pairs: every pair closer than the resting margin is a contact, ordered by key.
  World world = test::loose_heap(6, 6, {}, 1e-3, 3);
  world.run(0.4);
  const Bodies& bodies = world.state.bodies;
  DetectionWorkspace workspace;
  Contacts contacts;
  const DetectionReport report =
      find_contacts({world.model.shapes, bodies, world.model.boundaries, 1e-3, 0.01}, world.state.memory,
                    workspace, contacts);
  EXPECT_EQ(report.failures, 0);
  EXPECT_TRUE(std::is_sorted(contacts.key.begin(), contacts.key.end()));
  std::size_t close = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const PlacedEllipsoid a = place(enclosing_ellipsoid(world.model.shapes, bodies.shape[i]), bodies.pose(i));
    for (std::size_t j = i + 1; j < bodies.size(); ++j) {
      const PlacedEllipsoid b =
          place(enclosing_ellipsoid(world.model.shapes, bodies.shape[j]), bodies.pose(j));
      const Gap g = gap(a, b);
      if (g.distance > 0.0) continue;
      ++close;
      const auto found = std::find(contacts.key.begin(), contacts.key.end(),
                                   ContactKey{static_cast<std::int32_t>(i), static_cast<std::int32_t>(j), 0});
      ASSERT_NE(found, contacts.key.end()) << i << " " << j;
      const auto c = static_cast<std::size_t>(found - contacts.key.begin());
      EXPECT_NEAR(contacts.gap[c], g.distance, 1e-12);
      EXPECT_LT((contacts.normal[c] - g.normal).norm(), 1e-8);
    }
  }
  EXPECT_GT(close, 20u);
}

TEST(Detection, MemoryFindsItsContacts) {
  World world = test::loose_heap(4, 4, {}, 1e-3);
  world.run(0.4);
  const ContactMemory& memory = world.state.memory;
  ASSERT_GT(memory.key.size(), 20u);
  for (std::size_t c = 0; c < memory.key.size(); ++c) {
    EXPECT_EQ(find_contact(memory, memory.key[c]), static_cast<std::int64_t>(c));
  }
  EXPECT_EQ(find_contact(memory, {0, 1 << 20, 0}), -1);
  EXPECT_EQ(find_contact(memory, {1 << 20, 1 << 21, 0}), -1);
}

TEST(Step, WorkspaceMayBeThrownAway) {
  World kept = test::loose_heap(4, 4, {}, 1e-3), fresh = test::loose_heap(4, 4, {}, 1e-3);
  kept.run(0.3);
  for (int i = 0; i < 300; ++i) {
    fresh.workspace = Workspace{};
    (void)fresh.step();
  }
  EXPECT_EQ(state_hash(kept.state.bodies), state_hash(fresh.state.bodies));
}

TEST(Step, RestartsFromACopyOfTheState) {
  World world = test::loose_heap(4, 4, {}, 1e-3);
  world.run(0.3);
  State copy = world.state;
  world.run(0.4);
  Workspace workspace;
  for (int i = 0; i < 100; ++i) (void)step(world.model, copy, workspace);
  EXPECT_EQ(state_hash(world.state.bodies), state_hash(copy.bodies));
}

}  // namespace
}  // namespace scree
