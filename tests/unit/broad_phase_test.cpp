#include "engine/detection/broad_phase.h"

#include <gtest/gtest.h>
#include <set>
#include <sys/resource.h>

#include "engine/core/parallel.h"
#include "engine/core/random.h"
#include "engine/detection/crowded_boxes.h"

namespace scree {
namespace {

std::set<std::pair<int, int>> brute_force(const std::vector<BoundingBox>& boxes) {
  std::set<std::pair<int, int>> pairs;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    for (std::size_t j = i + 1; j < boxes.size(); ++j) {
      const Vec3 d = (boxes[i].centre - boxes[j].centre).cwiseAbs(), h = boxes[i].half + boxes[j].half;
      if (d[0] < h[0] && d[1] < h[1] && d[2] < h[2]) pairs.insert({static_cast<int>(i), static_cast<int>(j)});
    }
  }
  return pairs;
}

void expect_brute_force(const std::vector<BoundingBox>& boxes) {
  CandidatePairs pairs;
  find_candidate_pairs(boxes, pairs);
  ASSERT_EQ(pairs.row.size(), boxes.size() + 1);
  std::set<std::pair<int, int>> found;
  for (std::size_t a = 0; a < boxes.size(); ++a) {
    for (std::int32_t p = pairs.row[a]; p < pairs.row[a + 1]; ++p) {
      const std::int32_t b = pairs.b[p];
      if (p > pairs.row[a]) {
        EXPECT_GT(b, pairs.b[static_cast<std::size_t>(p) - 1]);  // ordered, none twice
      }
      found.insert({static_cast<int>(a), b});
    }
  }
  EXPECT_EQ(found.size(), pairs.size());
  EXPECT_EQ(found, brute_force(boxes));
}

std::vector<BoundingBox> random_boxes(int n, double ratio, double side, std::uint64_t seed) {
  Random random(seed);
  std::vector<BoundingBox> boxes;
  for (int i = 0; i < n; ++i) {
    const double size = std::pow(ratio, -random.uniform());
    boxes.push_back({side * Vec3(random.uniform(), random.uniform(), random.uniform()),
                     size * Vec3(random.uniform(0.3, 1), random.uniform(0.3, 1), random.uniform(0.3, 1))});
  }
  return boxes;
}

TEST(BroadPhase, OneSize) { expect_brute_force(random_boxes(2000, 1.0, 15.0, 1)); }
TEST(BroadPhase, SizeRatioTen) { expect_brute_force(random_boxes(2000, 10.0, 8.0, 2)); }
TEST(BroadPhase, SizeRatioOfAThousand) { expect_brute_force(random_boxes(3000, 1000.0, 6.0, 3)); }
TEST(BroadPhase, SizeRatioOfAMillion) { expect_brute_force(random_boxes(2000, 1e6, 4.0, 4)); }

// A thousand in one place are half a million pairs; twenty thousand would be two hundred million.
TEST(BroadPhase, TooManyPairsAreRejectedBeforeMemoryRunsOut) {
  CandidatePairs pairs;
  find_candidate_pairs(std::vector<BoundingBox>(1000, {Vec3::Zero(), Vec3::Ones()}), pairs);
  EXPECT_EQ(pairs.size(), 1000u * 999u / 2u);
  const std::vector<BoundingBox> crowd(20000, {Vec3::Zero(), Vec3::Ones()});
  EXPECT_THROW(find_candidate_pairs(crowd, pairs), CrowdedBoxes);
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  EXPECT_LT(used.ru_maxrss, 1 << 20);  // kB, maximum over the whole program
}

TEST(BroadPhase, FarAwayBodiesShareTheLastCell) {
  std::vector<BoundingBox> boxes = random_boxes(300, 2.0, 4.0, 5);
  boxes.push_back({Vec3(1e9, 0, 0), Vec3::Ones()});
  boxes.push_back({Vec3(1e9 + 0.5, 0, 0), Vec3::Ones()});
  boxes.push_back({Vec3(-1e12, 3, 0), Vec3::Ones()});
  expect_brute_force(boxes);
}

TEST(BroadPhase, SkipsNonFiniteBoxes) {
  std::vector<BoundingBox> boxes = random_boxes(100, 2.0, 3.0, 6);
  const auto expected = brute_force(boxes);
  boxes.push_back({Vec3(std::nan(""), 0, 0), Vec3::Ones()});
  boxes.push_back({Vec3(0, infinity, 0), Vec3::Ones()});
  CandidatePairs pairs;
  find_candidate_pairs(boxes, pairs);
  EXPECT_EQ(pairs.size(), expected.size());
}

TEST(BroadPhase, EmptyAndSingle) {
  expect_brute_force({});
  expect_brute_force({{Vec3::Zero(), Vec3::Ones()}});
}

TEST(BroadPhase, SamePairsOnAnyThreadCount) {
  const std::vector<BoundingBox> boxes = random_boxes(20000, 5.0, 40.0, 7);
  std::vector<std::int32_t> first;
  for (const int threads : {1, 2, 4}) {
    set_thread_count(threads);
    CandidatePairs pairs;
    find_candidate_pairs(boxes, pairs);
    if (first.empty()) first = pairs.b;
    EXPECT_EQ(pairs.b, first);
  }
}

// Two boxes approach beyond the motion of the cell, after nearly all of the strain that a list survives: with
// half widths of 1 and skins of 0.1 they meet at d = 0.121.
TEST(PairList, MatchesAFreshSearchInAFlowingCell) {
  PlacedCell cell;
  cell.periodic = {true, true, true};
  cell.lattice = 100.0 * Mat3::Identity();
  cell.inverse = 0.01 * Mat3::Identity();
  cell.rate(0, 1) = 1.0;
  for (const double d : {0.115, 0.125, 0.139}) {
    const auto boxes_at = [&](double strain, double approach) {
      std::vector<BoundingBox> boxes;
      for (const double side : {-1.0, 1.0}) {
        const Vec3 x(side * (1.140001 - approach), -side * 0.95, 0.0);
        boxes.push_back({x + Vec3(strain * x.y(), 0, 0), Vec3::Ones()});
      }
      return boxes;
    };
    PairListWorkspace list;
    CandidatePairs kept, searched;
    const auto skin = [](std::size_t) { return 0.1; };
    cell.deformation.setIdentity();
    update_candidate_pairs(boxes_at(0.0, 0.0), skin, list, kept, {}, cell);
    cell.deformation(0, 1) = 0.0199;
    const std::vector<BoundingBox> boxes = boxes_at(0.0199, d);
    update_candidate_pairs(boxes, skin, list, kept, {}, cell);
    find_candidate_pairs(boxes, cell, searched);
    EXPECT_EQ(kept.b, searched.b) << d;
    EXPECT_EQ(searched.b.size(), d > 0.121 ? 1u : 0u) << d;
  }
}

// A grain that fell 1e9 times its size does not put the others into one cell: a bed of 20,000 has as many
// pairs, found in a time that is not a hundred times longer, which the limit of pairs per cell would show.
TEST(BroadPhase, ALostBodyIsFound) {
  std::vector<BoundingBox> boxes = random_boxes(2000, 1.0, 15.0, 1);
  boxes.push_back({Vec3(0, 0, -1e9), Vec3::Ones()});
  boxes.push_back({Vec3(0, 0, -1e9 - 0.5), Vec3::Ones()});
  expect_brute_force(boxes);
}

TEST(PairList, MatchesAFreshSearchWhileBoxesMove) {
  // Boxes drift, jump and change their size; a new search is made only now and then.
  std::vector<BoundingBox> boxes = random_boxes(1500, 3.0, 12.0, 6);
  std::vector<double> skin;
  skin.reserve(boxes.size());
  for (const BoundingBox& b : boxes) skin.push_back(0.1 * b.half.minCoeff());
  PairListWorkspace list;
  CandidatePairs kept, searched;
  Random random(9);
  int searches = 0;
  for (int step = 0; step < 60; ++step) {
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      boxes[i].centre += 0.02 * skin[i] * random.direction();
      boxes[i].half *= 1.0 + 1e-4 * random.uniform(-1.0, 1.0);
    }
    if (step % 20 == 19) boxes[7].centre += Vec3(1.0, 0.0, 0.0);
    if (step == 50) boxes[8].centre[0] = std::nan("");
    const std::vector<BoundingBox> before = list.wide;
    update_candidate_pairs(
        boxes, [&](std::size_t i) { return skin[i]; }, list, kept);
    find_candidate_pairs(boxes, searched);
    bool same = before.size() == list.wide.size();
    for (std::size_t i = 0; same && i < before.size(); ++i) same = before[i].centre == list.wide[i].centre;
    searches += same ? 0 : 1;
    ASSERT_EQ(kept.row, searched.row) << step;
    ASSERT_EQ(kept.b, searched.b) << step;
  }
  EXPECT_GT(searches, 3);
  EXPECT_LT(searches, 30);
}

}  // namespace
}  // namespace scree
