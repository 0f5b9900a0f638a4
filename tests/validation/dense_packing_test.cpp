// Dense packings: the requested solid fraction, no overlaps, no bodies outside, the same bits on any number
// of threads, and an end for impossible requests.
#include "engine/simulation/dense_packing.h"

#include <gtest/gtest.h>

#include "engine/core/parallel.h"
#include "engine/modules/generation/packing.h"
#include "engine/simulation/model.h"
#include "engine/simulation/placement.h"

namespace scree {
namespace {

struct Packing {
  Model model;
  Bodies bodies;
  double factor;  // final factor
};

/// The given number of grains with these semi-axes, of two sizes, in a region.
Packing pack(const Region& region, const PeriodicCell& cell, const Vec3& axes, double solid_fraction,
             std::uint64_t seed = 1) {
  Packing result;
  Model& model = result.model;
  const MaterialIndex material = model.materials.add("grain", 1000.0);
  const double mean = 0.5 * (std::pow(0.9, 3) + std::pow(1.1, 3)) * volume(Ellipsoid{axes});
  const auto count = static_cast<std::size_t>(solid_fraction * volume(region) / mean);
  std::vector<ShapeIndex> shape;
  double whole = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    shape.push_back(model.shapes.add(Ellipsoid{(i % 2 == 0 ? 0.9 : 1.1) * axes}));
    whole += volume(model.shapes, shape.back());
  }
  const auto [fraction, factor] = looseness(region, whole);
  PeriodicCell wide = cell;
  const Vec3 middle = 0.5 * (cell.low + cell.high);
  wide.low = middle + factor * (cell.low - middle);
  wide.high = middle + factor * (cell.high - middle);
  const std::vector<Grain> grains = random_packing(
      {1.1 * axes, {}, std::nullopt}, enlarged(region, cell, factor), {count, 5000}, {}, seed, wide.at(0.0));
  EXPECT_EQ(grains.size(), count);
  std::vector<Pose> poses;
  poses.reserve(grains.size());
  for (const Grain& grain : grains) poses.push_back(grain.pose);
  result.factor = compress(model.shapes, shape, region, cell, factor, poses);
  for (std::size_t i = 0; i < count; ++i)
    add_body(result.bodies, model.shapes, model.materials, {shape[i], material, poses[i], {}});
  return result;
}

void expect_good(const Packing& p, const Region& region, const PeriodicCell& cell) {
  EXPECT_EQ(p.factor, 1.0);
  Model model = p.model;
  model.cell = cell;
  EXPECT_TRUE(misplaced_bodies(model, p.bodies, 0.0).empty());
  EXPECT_EQ(exact_relations(model, p.bodies).count[static_cast<std::size_t>(Relation::overlapping)], 0);
  for (std::size_t i = 0; i < p.bodies.size(); ++i) {
    if (cell.is_periodic()) continue;
    Ellipsoid smaller = p.model.shapes.ellipsoid(p.bodies.shape[i]);
    smaller.semi_axes *= 1.0 - 1e-9;
    EXPECT_TRUE(holds(region, place(smaller, p.bodies.pose(i)))) << i;
  }
}

const Vec3 ball = Vec3::Constant(0.02), pebble(0.026, 0.02, 0.015);
const PeriodicCell none;

TEST(DensePacking, FillsABox) {
  const Region box = BoxRegion{Vec3(0.1, 0.2, 0.3), Vec3(0.4, 0.5, 0.5)};
  expect_good(pack(box, none, ball, 0.54), box, none);  // only five to eight balls across the width
  expect_good(pack(box, none, pebble, 0.58), box, none);
}

TEST(DensePacking, FillsACylinder) {
  const Region cylinder = CylinderRegion{Vec3(0.1, 0, 0), Vec3(0.2, 0.3, 0), 0.12};
  expect_good(pack(cylinder, none, pebble, 0.58), cylinder, none);
}

TEST(DensePacking, FillsACell) {
  PeriodicCell cell;
  cell.periodic = {true, true, true};
  cell.low = Vec3(-0.1, 0, 0.2);
  cell.high = cell.low + Vec3::Constant(0.3);
  const Region region = BoxRegion{cell.low, cell.high};
  expect_good(pack(region, cell, ball, 0.62), region, cell);
  expect_good(pack(region, cell, pebble, 0.66), region, cell);
}

TEST(DensePacking, StopsAtTheRandomPackingLimit) {
  const Region box = BoxRegion{Vec3::Zero(), Vec3(0.3, 0.3, 0.2)};
  const Packing packing = pack(box, none, ball, 0.72);
  EXPECT_GT(packing.factor, 1.005);
  EXPECT_LT(0.72 / std::pow(packing.factor, 3), 0.66);  // random packings of spheres are not denser
  EXPECT_GT(0.72 / std::pow(packing.factor, 3), 0.54);
}

TEST(DensePacking, SameBitsOnAnyNumberOfThreads) {
  const Region box = BoxRegion{Vec3::Zero(), Vec3(0.3, 0.3, 0.2)};
  std::uint64_t expected = 0;
  for (const int threads : {1, 2, 3, 8}) {
    set_thread_count(threads);
    const std::uint64_t hash = state_hash(pack(box, none, pebble, 0.55).bodies);
    if (threads == 1) expected = hash;
    EXPECT_EQ(hash, expected);
  }
  set_thread_count(0);
}

}  // namespace
}  // namespace scree
