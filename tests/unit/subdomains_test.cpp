// Division of bodies into subdomains, and its persistence while bodies come, go and are sorted.
#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

#include "engine/core/parallel.h"
#include "engine/simulation/step.h"
#include "engine/simulation/subsystems/population.h"
#include "tests/support/world.h"

namespace scree {
namespace {

void expect_cover(const Subdomains& s, std::size_t bodies) {
  ASSERT_GE(s.first.size(), 2u);
  EXPECT_EQ(s.first.front(), 0);
  EXPECT_TRUE(std::ranges::is_sorted(s.first));
  EXPECT_TRUE(s.cover(bodies));
  // Blocks begin at the start of subdomains, and are not larger than loops want them.
  EXPECT_TRUE(bodies == 0 || std::ranges::includes(s.block, s.first));
  for (std::size_t k = 0; k + 1 < s.block.size(); ++k)
    EXPECT_LE(s.block[k + 1] - s.block[k], static_cast<std::int32_t>(grain_medium));
}

TEST(Subdomains, WeighAboutTheSame) {
  std::vector<std::int32_t> contacts(20000);
  for (std::size_t i = 0; i < contacts.size(); ++i)
    contacts[i] = i < 5000 ? 18 : static_cast<std::int32_t>(i % 9);
  const Subdomains s = cut(contacts);
  expect_cover(s, contacts.size());
  const auto weight = [&](std::int32_t begin, std::int32_t end) {
    std::int64_t sum = 0;
    for (std::int32_t i = begin; i < end; ++i) sum += std::max(contacts[i], 6);
    return sum;
  };
  const double mean = static_cast<double>(weight(0, 20000)) / static_cast<double>(s.size());
  EXPECT_NEAR(mean, 6144.0, 614.4);
  for (std::size_t k = 0; k < s.size(); ++k)
    EXPECT_NEAR(static_cast<double>(weight(s.first[k], s.first[k + 1])), mean, 18.0);
}

TEST(Subdomains, FewBodiesAreOneAndThoseOfAThousandContactsTwo) {
  EXPECT_EQ(cut(std::vector<std::int32_t>(300, 4)).size(), 1u);
  EXPECT_EQ(cut(std::vector<std::int32_t>(400, 6)).size(), 2u);
  EXPECT_EQ(cut({}).size(), 1u);
}

TEST(Subdomains, NewcomersMakeSubdomainsBehindAndLeaveTheOthersAlone) {
  Subdomains s = cut(std::vector<std::int32_t>(5000, 6));
  const std::vector<std::int32_t> before = s.first;
  std::size_t bodies = 5000;
  for (const std::size_t more : {1u, 3u, 700u, 700u, 5000u, 0u}) {
    bodies += more;
    cut_newcomers(bodies, s);
    expect_cover(s, bodies);
    EXPECT_TRUE(std::equal(before.begin(), before.end(), s.first.begin()));
    for (std::size_t k = before.size() - 1; k + 1 < s.size(); ++k)  // all but the last are full
      EXPECT_EQ(s.first[k + 1] - s.first[k], 1024);
    EXPECT_LE(s.first[s.size()] - s.first[s.size() - 1], 1024);
  }
  EXPECT_FALSE(s.are_outgrown(5100));
  EXPECT_TRUE(s.are_outgrown(8000));
}

TEST(Subdomains, CutRowsWithTheirBodies) {
  const Subdomains s = cut(std::vector<std::int32_t>(3000, 6));
  std::vector<std::int32_t> row(3001), block;
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = static_cast<std::int32_t>(i * i % 3 + 3 * i);
  std::ranges::sort(row);
  row[0] = 0;
  cut_rows(s, row, static_cast<std::size_t>(row.back()), block);
  EXPECT_EQ(block.front(), 0);
  EXPECT_EQ(block.back(), row.back());
  for (const std::int32_t first : s.first) EXPECT_TRUE(std::ranges::binary_search(block, row[first]));
}

TEST(Subdomains, OfARunCoverBodiesInEveryStepAndStayUntilBodiesAreSorted) {
  test::World world = test::loose_heap(9, 9, {}, 2e-3, 9);
  world.model.settings.sort_interval = 20;
  std::vector<std::int32_t> first;
  for (int k = 0; k < 50; ++k) {
    world.step();
    const Subdomains& s = world.state.bodies.subdomains;
    expect_cover(s, world.state.bodies.size());
    if (k % 20 != 0) {
      EXPECT_EQ(s.first, first) << k;
    }
    first = s.first;
  }
  std::vector<BodyId> some;
  for (BodyId id = 0; id < 300; id += 3) some.push_back(id);
  remove(world.state, some);
  expect_cover(world.state.bodies.subdomains, world.state.bodies.size());
}

TEST(Subdomains, EmptySubdomainsAreRemoved) {
  // Bodies come and go for a long time, without sorting.
  test::World world = test::loose_heap(6, 6, {}, 2e-3, 9);
  for (int k = 0; k < 40; ++k) {
    world.step();
    const std::vector<BodyId>& ids = world.state.bodies.id;
    remove(world.state, std::vector<BodyId>(ids.begin(), ids.begin() + 100));
    for (int more = 0; more < 100; ++more)
      insert(world.model, world.state,
             {world.state.bodies.shape[0],
              world.material,
              {Vec3(0.5, 0.5, 3.0 + k + 0.01 * more), Quat::Identity()},
              {}});
    EXPECT_LE(world.state.bodies.subdomains.size(), 4u);
  }
  remove(world.state, std::vector<BodyId>(world.state.bodies.id));
  EXPECT_EQ(world.state.bodies.subdomains.size(), 0u);
  world.step();
  EXPECT_TRUE(world.state.bodies.subdomains.cover(0));
}

TEST(Subdomains, CutWhereTheCurveLeavesLargeCells) {
  // The curve leaves a large cell before body 1060, a larger one before 2500: cuts, nominally at 1024 and
  // 2048, are moved by a tenth at most.
  const std::vector<std::int32_t> contacts(8192, 6);
  std::vector<std::uint64_t> place(8192);
  for (std::size_t i = 0; i < place.size(); ++i)
    place[i] = i + (i >= 1060 ? 1u << 20 : 0u) + (i >= 2500 ? 1u << 24 : 0u);
  const Subdomains s = cut(contacts, place);
  expect_cover(s, 8192);
  ASSERT_EQ(s.size(), 8u);
  EXPECT_EQ(s.first[1], 1060);
  EXPECT_EQ(s.first[2], 2048);
  EXPECT_EQ(s.first[4], 4096);
}

TEST(Subdomains, OfSeveralSizesAreCompactInSpaceAndBeginWithTheLargest) {
  // Large and small grains everywhere: a subdomain contains both, largest first, and is a part of space.
  test::World world = test::loose_heap(8, 8, {}, 2e-3, 8);
  const ShapeIndex small = world.model.shapes.add(Ellipsoid{Vec3::Constant(0.05)});  // half as large
  for (std::size_t i = 0; i < world.state.bodies.size(); i += 2) world.state.bodies.shape[i] = small;
  sort(world.model.shapes, world.state);
  const Bodies& b = world.state.bodies;
  ASSERT_GE(b.subdomains.size(), 2u);
  double inner = 0.0;
  for (std::size_t k = 0; k < b.subdomains.size(); ++k) {
    const auto begin = static_cast<std::size_t>(b.subdomains.first[k]),
               end = static_cast<std::size_t>(b.subdomains.first[k + 1]);
    Vec3 low = b.position[begin], high = low;
    for (std::size_t i = begin; i < end; ++i) {
      low = low.cwiseMin(b.position[i]);
      high = high.cwiseMax(b.position[i]);
      if (i > begin) {
        EXPECT_GE(world.model.shapes.bounding_radius(b.shape[i - 1]),
                  world.model.shapes.bounding_radius(b.shape[i]));
      }
    }
    inner += (high - low).prod();
  }
  const auto [low, high] = [&] {
    Vec3 l = b.position[0], h = l;
    for (const Vec3& x : b.position) l = l.cwiseMin(x), h = h.cwiseMax(x);
    return std::pair{l, h};
  }();
  // Subdomains over the whole space would have this volume together.
  EXPECT_LT(inner, 0.75 * static_cast<double>(b.subdomains.size()) * (high - low).prod());
}

}  // namespace
}  // namespace scree
