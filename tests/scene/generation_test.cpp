// Sizes, regions, lattices and random packings.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "engine/geometry/ellipsoid_ellipsoid.h"
#include "engine/geometry/implicit/surface_mesh.h"
#include "engine/geometry/shapes.h"
#include "engine/modules/generation/neighbour_grid.h"
#include "engine/modules/generation/packing.h"
#include "io/scene/read_scene.h"
#include "tests/support/implicit_shapes.h"

namespace scree {
namespace {

struct Moments {
  double mean, deviation, low, high;
};

Moments moments(const SizeDistribution& distribution) {
  constexpr int draws = 40000;
  Random random(5);
  double sum = 0.0, squares = 0.0, low = infinity, high = 0.0;
  for (int i = 0; i < draws; ++i) {
    const double x = sample(distribution, random);
    sum += x;
    squares += x * x;
    low = std::min(low, x);
    high = std::max(high, x);
  }
  const double mean = sum / draws;
  return {mean, std::sqrt(squares / draws - mean * mean), low, high};
}

// The standard error of a mean of 40000 draws is the deviation / 200; the tolerance is five of them. A
// deviation has a smaller error.
TEST(SizeDistribution, Uniform) {
  const Moments m = moments({.kind = DistributionKind::uniform, .low = 0.5, .high = 2.0});
  const double deviation = 1.5 / std::sqrt(12.0);
  EXPECT_NEAR(m.mean, 1.25, 5.0 * deviation / 200.0);
  EXPECT_NEAR(m.deviation, deviation, 5.0 * deviation / 200.0);
  EXPECT_GE(m.low, 0.5);
  EXPECT_LE(m.high, 2.0);
}

TEST(SizeDistribution, NormalWithAWideWindowIsNormal) {
  const Moments m = moments({DistributionKind::normal, 1.0, 0.1, 0.2, 1.8});
  EXPECT_NEAR(m.mean, 1.0, 5.0 * 0.1 / 200.0);
  EXPECT_NEAR(m.deviation, 0.1, 5.0 * 0.1 / 200.0);
}

TEST(SizeDistribution, TruncatedNormalHasItsClosedForm) {
  // Mean of the standard normal law cut off at [0, 1]: (phi(0) - phi(1)) / (Phi(1) - Phi(0)).
  const double share = 0.5 * std::erf(std::numbers::sqrt2 / 2.0);
  const double mean = (1.0 - std::exp(-0.5)) / std::sqrt(2.0 * std::numbers::pi) / share;
  const Moments m = moments({DistributionKind::normal, 1.0, 1.0, 1.0, 2.0});
  EXPECT_NEAR(m.mean, 1.0 + mean, 5.0 * m.deviation / 200.0);
  EXPECT_GE(m.low, 1.0);
  EXPECT_LE(m.high, 2.0);
}

TEST(SizeDistribution, WindowFarInATailIsSampled) {
  for (const auto kind : {DistributionKind::normal, DistributionKind::lognormal}) {
    for (const auto& [low, high] : {std::pair(4.0, 5.0), std::pair(0.01, 0.02)}) {
      const Moments m = moments({kind, 1.0, 0.2, low, high});
      EXPECT_GE(m.low, low);
      EXPECT_LE(m.high, high);
      EXPECT_GT(m.deviation, 0.0);
    }
  }
}

TEST(SizeDistribution, LognormalHasItsMeanAndDeviation) {
  const Moments m = moments({DistributionKind::lognormal, 1.5, 0.3, 0.01, 100.0});
  EXPECT_NEAR(m.mean, 1.5, 5.0 * 0.3 / 200.0);
  EXPECT_NEAR(m.deviation, 0.3, 10.0 * 0.3 / 200.0);  // its fourth moment is larger
}

TEST(SizeDistribution, WeibullHasItsMeanAndDeviation) {
  SizeDistribution law{.kind = DistributionKind::weibull, .low = 1e-9, .high = 100.0};
  law.characteristic = 1.3;
  law.modulus = 2.5;
  const double mean = 1.3 * std::tgamma(1.0 + 1.0 / 2.5);
  const double deviation = std::sqrt(1.3 * 1.3 * std::tgamma(1.0 + 2.0 / 2.5) - mean * mean);
  const Moments m = moments(law);
  EXPECT_NEAR(m.mean, mean, 5.0 * deviation / 200.0);
  EXPECT_NEAR(m.deviation, deviation, 10.0 * deviation / 200.0);
}

SizeDistribution sieves() {
  SizeDistribution law{.kind = DistributionKind::table};
  law.sizes = {0.5, 1.0, 1.5, 3.0};
  law.shares = {0.0, 0.2, 0.7, 1.0};
  return law;
}

TEST(SizeDistribution, TableIsLinearBetweenItsSieves) {
  for (const auto& [size, share] : {std::pair(0.5, 0.0), {0.75, 0.1}, {1.25, 0.45}, {2.0, 0.8}, {3.0, 1.0}})
    EXPECT_NEAR(quantile(sieves(), share), size, 1e-14);
  const Moments m = moments(sieves());  // of the middles, by their shares
  EXPECT_NEAR(m.mean, 0.2 * 0.75 + 0.5 * 1.25 + 0.3 * 2.25, 5.0 * m.deviation / 200.0);
}

// The share of mass in sizes below x, for many draws by number or by classes, equals the requested one.
TEST(SizeDistribution, MassFractionsMatchTheDistribution) {
  for (const SizeDistribution& law :
       {sieves(), SizeDistribution{.kind = DistributionKind::uniform, .low = 0.4, .high = 2.0}}) {
    const SizeDistribution drawn = by_number(law);
    const SizeClasses classes = size_classes(law, 400, true);
    for (const double share : {0.1, 0.3, 0.5, 0.8}) {
      const double x = quantile(law, share);
      double below = 0.0, all = 0.0, before = 0.0;
      for (std::size_t k = 0; k < classes.size.size(); ++k) {
        const double mass = (classes.until[k] - before) * std::pow(classes.size[k], 3);
        before = classes.until[k];
        all += mass;
        if (classes.size[k] < x) below += mass;
      }
      EXPECT_NEAR(below / all, share, 1.0 / 400.0);  // a class
      // Integral of the table: (b^4 - a^4) / (4 (b - a)) is the mean of x^3 from a to b.
      below = all = 0.0;
      for (std::size_t k = 1; k < drawn.sizes.size(); ++k) {
        const double a = drawn.sizes[k - 1], b = drawn.sizes[k];
        const double mass =
            (drawn.shares[k] - drawn.shares[k - 1]) * (std::pow(b, 4) - std::pow(a, 4)) / (b - a);
        all += mass;
        if (b <= x) below += mass;
      }
      EXPECT_NEAR(below / all, share, 1e-3);  // a part of the table, and its middle
    }
  }
}

TEST(Region, HoldsAgreesWithSurfacePoints) {
  Random random(11);
  const BoxRegion box{Vec3(-1.0, -1.2, -0.9), Vec3(1.1, 1.0, 1.0)};
  const CylinderRegion cylinder{Vec3(-0.5, 0.2, -1.0), Vec3(0.4, -0.3, 1.2), 0.9};
  const RegionFrame f = frame(cylinder);
  int held = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const Ellipsoid shape{
        Vec3(random.uniform(0.05, 0.8), random.uniform(0.05, 0.8), random.uniform(0.05, 0.8))};
    const Pose pose{0.7 * Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)),
                    random.rotation()};
    const PlacedEllipsoid placed = place(shape, pose);
    double box_excess = -infinity, cylinder_excess = -infinity;  // m, of the farthest surface point found
    for (int k = 0; k < 4000; ++k) {
      const Vec3 p = pose.position + pose.orientation * shape.semi_axes.cwiseProduct(random.direction());
      box_excess = std::max({box_excess, (p - box.high).maxCoeff(), (box.low - p).maxCoeff()});
      const double height = (p - cylinder.start).dot(f.axes.col(2));
      const double radial = (p - cylinder.start - height * f.axes.col(2)).norm();
      cylinder_excess = std::max({cylinder_excess, radial - cylinder.radius, -height, height - f.extent[2]});
    }
    // 4000 random points come within 1 % of the size of any extreme point.
    constexpr double slack = 0.01;
    EXPECT_FALSE(box_excess > 0.0 && holds(box, placed));
    EXPECT_FALSE(box_excess < -slack && !holds(box, placed));
    EXPECT_FALSE(cylinder_excess > 0.0 && holds(cylinder, placed));
    EXPECT_FALSE(cylinder_excess < -slack && !holds(cylinder, placed));
    held += holds(cylinder, placed) ? 1 : 0;
  }
  EXPECT_GT(held, 50);
}

TEST(Region, VolumeAndPoints) {
  const CylinderRegion cylinder{Vec3(1.0, 0.0, 0.0), Vec3(1.0, 3.0, 0.0), 0.5};
  EXPECT_NEAR(volume(Region(cylinder)), 0.75 * std::numbers::pi, 1e-14);
  EXPECT_NEAR(volume(Region(BoxRegion{Vec3::Zero(), Vec3(1.0, 2.0, 3.0)})), 6.0, 1e-14);
  Random random(3);
  Vec3 sum = Vec3::Zero();
  for (int i = 0; i < 10000; ++i) {
    const Vec3 p = sample_point(cylinder, random);
    sum += p;
    EXPECT_LE(std::hypot(p.x() - 1.0, p.z()), 0.5 + 1e-12);
  }
  EXPECT_LT((sum / 10000.0 - Vec3(1.0, 1.5, 0.0)).norm(), 0.05);  // five standard errors of the longest axis
}

TEST(NeighbourGrid, MatchesBruteForce) {
  Random random(9);
  std::vector<Vec3> centre;
  std::vector<double> radius;
  NeighbourGrid grid;
  for (int i = 0; i < 400; ++i) {
    centre.emplace_back(random.uniform(-2, 2), random.uniform(-2, 2), random.uniform(-2, 2));
    radius.push_back(std::exp(random.uniform(-4.0, 0.0)));
    grid.add(centre.back(), radius.back(), i);
  }
  for (std::size_t q = 0; q < centre.size(); ++q) {
    std::vector<int> found, expected;
    grid.visit_near(centre[q], radius[q], [&](std::int32_t item) {
      found.push_back(item);
      return true;
    });
    for (std::size_t i = 0; i < centre.size(); ++i) {
      if ((centre[i] - centre[q]).norm() < radius[i] + radius[q]) expected.push_back(static_cast<int>(i));
    }
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, expected);
  }
}

TEST(NeighbourGrid, FindsTinySpheresAroundALargeOne) {
  Random random(2);
  NeighbourGrid grid;
  std::size_t expected = 0;
  for (int i = 0; i < 2000; ++i) {
    const Vec3 centre(random.uniform(-2, 2), random.uniform(-2, 2), random.uniform(-2, 2));
    grid.add(centre, 1e-6, i);
    expected += centre.norm() < 1.0 + 1e-6 ? 1 : 0;
  }
  std::size_t found = 0;
  const bool all = grid.visit_near(Vec3::Zero(), 1.0, [&](std::int32_t) { return ++found > 0; });
  EXPECT_TRUE(all);
  EXPECT_EQ(found, expected);
  found = 0;
  EXPECT_FALSE(grid.visit_near(Vec3::Zero(), 1.0, [&](std::int32_t) { return ++found < 3; }));
  EXPECT_EQ(found, 3u);  // stops where requested
}

void expect_apart_and_inside(const std::vector<Grain>& grains, const GrainRecipe& recipe,
                             const Region& region) {
  for (std::size_t i = 0; i < grains.size(); ++i) {
    const PlacedEllipsoid a = place(recipe, grains[i]);
    EXPECT_TRUE(holds(region, a)) << i;
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_GE(gap(a, place(recipe, grains[j])).distance, -1e-14) << i << ' ' << j;  // m: spheres that touch
    }
  }
}

bool same_bits(const std::vector<Grain>& a, const std::vector<Grain>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Grain& x, const Grain& y) {
    return x.scale == y.scale && x.pose.position == y.pose.position &&
           x.pose.orientation.coeffs() == y.pose.orientation.coeffs();
  });
}

const GrainRecipe candy{Vec3(0.05, 0.04, 0.03), {DistributionKind::lognormal, 1.0, 0.2, 0.7, 1.4}, {}};

TEST(RandomPacking, FillsWithoutOverlap) {
  const Region regions[] = {BoxRegion{Vec3(-0.3, -0.3, 0.0), Vec3(0.3, 0.3, 0.5)},
                            CylinderRegion{Vec3(0.0, 0.0, 0.0), Vec3(0.5, 0.0, 0.5), 0.3}};
  for (const Region& region : regions) {
    const std::vector<Grain> grains = random_packing(candy, region, {.count = 120}, {}, 1);
    EXPECT_EQ(grains.size(), 120u);
    expect_apart_and_inside(grains, candy, region);
    EXPECT_TRUE(same_bits(grains, random_packing(candy, region, {.count = 120}, {}, 1)));
    EXPECT_FALSE(same_bits(grains, random_packing(candy, region, {.count = 120}, {}, 2)));
  }
}

TEST(RandomPacking, KeepsAwayFromObstacles) {
  const Region region = BoxRegion{Vec3::Zero(), Vec3::Constant(0.5)};
  const Obstacle obstacle{
      place(Ellipsoid{Vec3::Constant(0.2)}, Pose{Vec3::Constant(0.25), Quat::Identity()})};
  const std::vector<Grain> grains = random_packing(candy, region, {.count = 60}, std::span(&obstacle, 1), 4);
  EXPECT_EQ(grains.size(), 60u);
  for (const Grain& grain : grains) EXPECT_GE(gap(place(candy, grain), obstacle.hull).distance, 0.0);
}

TEST(RandomPacking, PacksFunctionsByTheirSurfaces) {
  ShapeFindings findings;
  Shapes shapes;
  const PerturbedQuadric function = test::rounded_cube();
  const std::int32_t cube = shapes.add_function(
      {"cube", function, std::make_shared<ImplicitShape>(*make_implicit_shape(function, {}, findings))});
  const ShapeIndex grain_shape = shapes.add(SizedFunction{cube, 0.05}),
                   ball = shapes.add(Ellipsoid{Vec3::Constant(0.05)});
  GrainRecipe recipe{enclosing_ellipsoid(shapes, grain_shape).semi_axes, {}, {}};
  const Region region = BoxRegion{Vec3::Zero(), Vec3::Constant(0.4)};
  const RandomPackingSettings settings{.count = 1000, .attempts = 100};
  const std::size_t by_hulls = random_packing(recipe, region, settings, {}, 4).size();
  recipe.function = &shapes.function_of(grain_shape);
  recipe.size = shapes.size_of(grain_shape);
  const Pose middle{Vec3::Constant(0.2), Quat::Identity()};
  const Obstacle obstacle{place(Ellipsoid{Vec3::Constant(0.05)}, middle),
                          place(shapes.function_of(ball), middle, shapes.size_of(ball))};
  const std::vector<Grain> grains = random_packing(recipe, region, settings, std::span(&obstacle, 1), 4);
  // The ellipsoid around a cube has more than twice its volume; the obstacle takes a fifteenth of the box.
  EXPECT_GT(grains.size(), by_hulls * 3 / 2);
  std::vector<PlacedImplicit> bodies{*obstacle.function};
  for (const Grain& grain : grains) bodies.push_back(place(*recipe.function, grain.pose, recipe.size));
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      PairMemory memory;
      std::vector<Gap> found;
      contacts(bodies[i], bodies[j], 0.0, memory, found);
      ASSERT_TRUE(std::ranges::none_of(found, [](const Gap& g) { return g.distance < 0.0; }))
          << i << ' ' << j;
    }
  }
  const SurfaceMesh mesh = surface_mesh(*recipe.function, 8);
  for (const Grain& grain : grains) {
    for (const Vec3& x : mesh.points) {
      const Vec3 at = grain.pose.position + grain.pose.orientation * (recipe.size * x);
      ASSERT_TRUE((at.array() > -1e-9).all() && (at.array() < 0.4 + 1e-9).all());
    }
  }
}

TEST(RandomPacking, NoFunctionOverlapsAnother) {
  // Flat pebbles: two may overlap by more than the contact search covers, beyond half their thickness.
  ShapeFindings findings;
  const PerturbedQuadric function = test::pebble();
  const ImplicitShape shape = *make_implicit_shape(function, {}, findings);
  GrainRecipe recipe{Vec3::Constant(shape.bounding_radius), {}, {}};
  recipe.function = &shape;
  const Region region = BoxRegion{Vec3::Zero(), Vec3::Constant(10.0)};
  const std::vector<Grain> grains = random_packing(recipe, region, {.count = 1000, .attempts = 100}, {}, 3);
  ASSERT_GT(grains.size(), 90u);
  for (const Grain& a : grains) {
    for (const Grain& b : grains) {
      if (&a == &b || (a.pose.position - b.pose.position).norm() > 2.0 * shape.bounding_radius) continue;
      for (const SurfaceSample& s : shape.samples.samples) {
        const Vec3 x = a.pose.position + a.pose.orientation * s.point;
        ASSERT_LE(value(shape.function, b.pose.orientation.conjugate() * (x - b.pose.position)), 1e-9);
      }
    }
  }
}

MeshRegion mesh_region(const TriangleMesh& mesh) {
  MeshFindings findings;
  const auto surface = std::make_shared<MeshSurface>(mesh_surface(mesh, findings));
  EXPECT_TRUE(findings.is_closed());
  return {surface};
}

/// Its corners have coordinates that other points often share.
TriangleMesh cube(const Vec3& low, double side) {
  TriangleMesh mesh;
  for (int k = 0; k < 8; ++k) mesh.points.push_back(low + side * Vec3(k & 1, (k >> 1) & 1, (k >> 2) & 1));
  mesh.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                    {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return mesh;
}

TEST(Region, AMeshOfABoxIsTheBox) {
  const Vec3 low(-0.5, 0.25, 1.0);
  const Region mesh = mesh_region(cube(low, 2.0)), box = BoxRegion{low, low + Vec3::Constant(2.0)};
  EXPECT_NEAR(volume(mesh), 8.0, 1e-12);
  EXPECT_EQ(bounding_box(mesh).first, bounding_box(box).first);
  Random random(3);
  for (int k = 0; k < 20'000; ++k) {
    Vec3 x = low + Vec3(random.uniform(-0.5, 2.5), random.uniform(-0.5, 2.5), random.uniform(-0.5, 2.5));
    if (k % 2 == 0)
      x = low + (8.0 * (x - low)).array().round().matrix() / 8.0;  // on edges and diagonals, too
    if (((x - low).cwiseAbs().minCoeff() == 0.0) ||
        ((x - low - Vec3::Constant(2.0)).cwiseAbs().minCoeff() == 0.0))
      continue;  // on the surface itself both results are right
    ASSERT_EQ(holds(mesh, x), holds(box, x)) << x.transpose();
    const PlacedEllipsoid e = place(Ellipsoid{Vec3(0.3, 0.2, 0.1)}, {x, random.rotation()});
    ASSERT_EQ(holds(mesh, e), holds(box, e)) << x.transpose();
  }
  Vec3 mean = Vec3::Zero();
  for (int k = 0; k < 20'000; ++k) {
    const Vec3 x = sample_point(mesh, random);
    EXPECT_TRUE(holds(box, x));
    mean += x / 20'000.0;
  }
  EXPECT_LE((mean - low - Vec3::Ones()).norm(), 4.0 * 2.0 / std::sqrt(12.0 * 20'000.0) * std::sqrt(3.0));
}

// A ball of triangles: grains fill the ball, and not its box.
TEST(RandomPacking, FillsAClosedMesh) {
  const Region ball = mesh_region(unit_sphere_mesh(12));
  EXPECT_NEAR(volume(ball), 4.0 / 3.0 * std::numbers::pi, 0.03);
  const GrainRecipe recipe{Vec3(0.12, 0.09, 0.07), {}, std::nullopt};
  const std::vector<Grain> grains = random_packing(recipe, ball, {2000, 500}, {}, 7);
  EXPECT_GT(grains.size(), 150u);  // a fifth of the volume or more
  for (const Grain& grain : grains) {
    EXPECT_TRUE(holds(ball, place(recipe, grain)));
    EXPECT_LE(grain.pose.position.norm(), 1.0 - 0.07);
  }
}

// Blocked places stay empty, and places of the other grains keep their bits.
TEST(RandomPacking, AvoidsBlockedPlaces) {
  const Region region = BoxRegion{Vec3::Zero(), Vec3::Constant(1.0)};
  RandomPackingSettings settings{.count = 60};
  const std::vector<Grain> free = random_packing(candy, region, settings, {}, 4);
  settings.is_blocked = [](const Grain&) { return false; };
  EXPECT_TRUE(same_bits(free, random_packing(candy, region, settings, {}, 4)));
  settings.is_blocked = [](const Grain& grain) { return grain.pose.position.x() < 0.5; };
  const std::vector<Grain> half = random_packing(candy, region, settings, {}, 4);
  ASSERT_EQ(half.size(), 60u);
  for (const Grain& grain : half) EXPECT_GE(grain.pose.position.x(), 0.5);
}

// Rotation vectors from the given orientation have three normal components.
TEST(RandomPacking, OrientationsSpreadAboutTheGivenOne) {
  const Quat given(Eigen::AngleAxisd(0.8, Vec3(1, 2, 2).normalized()));
  const double spread = 0.1;
  Random random(11);
  constexpr int n = 20'000;
  Mat3 second = Mat3::Zero();
  for (int k = 0; k < n; ++k) {
    const Eigen::AngleAxisd turn(draw_orientation(given, spread, random) * given.conjugate());
    const Vec3 vector = turn.angle() * turn.axis();
    second += vector * vector.transpose() / n;
  }
  // The standard error of a variance is sqrt(2/n), of a covariance sqrt(1/n): 1 % and 0.7 %.
  EXPECT_LE((second / (spread * spread) - Mat3::Identity()).cwiseAbs().maxCoeff(), 0.04);
  EXPECT_EQ(draw_orientation(given, 0.0, random).coeffs(), given.coeffs());
}

TEST(RandomPacking, ReturnsOnlyGrainsThatFit) {
  const Region region = BoxRegion{Vec3::Zero(), Vec3::Constant(0.4)};
  const std::vector<Grain> grains = random_packing(candy, region, {.count = 1000, .attempts = 200}, {}, 4);
  EXPECT_GT(grains.size(), 10u);
  EXPECT_LT(grains.size(), 200u);
  // A count that can never fit is given up soon, without allocating its memory.
  EXPECT_LT(random_packing(candy, region, {.count = 2000000000, .attempts = 20}, {}, 4).size(), 200u);
}

TEST(Lattice, PlacesTheGivenCountWithoutOverlap) {
  const Region box = BoxRegion{Vec3(-0.5, -0.5, 0.0), Vec3(0.5, 0.5, 1.0)};
  const double spacing = safe_spacing(candy, 0.01);
  const std::vector<Grain> grains = lattice(candy, box, {200, spacing, 0.01}, 1);
  EXPECT_EQ(grains.size(), 200u);
  expect_apart_and_inside(grains, candy, box);
  EXPECT_TRUE(same_bits(grains, lattice(candy, box, {200, spacing, 0.01}, 1)));
  EXPECT_FALSE(same_bits(grains, lattice(candy, box, {200, spacing, 0.01}, 2)));
}

TEST(Lattice, FillsARegionThatFitsExactly) {
  const GrainRecipe sphere{Vec3::Constant(0.1), {}, Quat::Identity()};
  const Region box = BoxRegion{Vec3::Zero(), Vec3(0.6, 0.4, 0.8)};
  EXPECT_EQ(lattice(sphere, box, {1000, 0.2, 0.0}, 1).size(), 3u * 2u * 4u);
}

// Every inner place has the crystal's number of nearest neighbours, at the crystal's positions.
TEST(Lattice, CrystalsHaveTheirNeighbours) {
  struct Crystal {
    LatticeKind kind;
    int neighbours;
    double solid_fraction;
  };
  const GrainRecipe sphere{Vec3::Constant(0.05), {}, Quat::Identity()};
  const BoxRegion box{Vec3::Zero(), Vec3::Constant(1.5)};
  const double pi = std::numbers::pi;
  for (const Crystal& crystal : {Crystal{LatticeKind::cubic, 6, pi / 6.0},
                                 Crystal{LatticeKind::body_centred, 8, pi * std::sqrt(3.0) / 8.0},
                                 Crystal{LatticeKind::face_centred, 12, pi / std::sqrt(18.0)},
                                 Crystal{LatticeKind::hexagonal, 12, pi / std::sqrt(18.0)}}) {
    const std::vector<Grain> grains = lattice(sphere, box, {100000, 0.1, 0.0, crystal.kind}, 1);
    double inside = 0.0;
    constexpr double edge = 0.25;
    for (const Grain& grain : grains) {
      const Vec3& x = grain.pose.position;
      if ((x.array() < edge).any() || (x.array() > 1.5 - edge).any()) continue;
      inside += 1.0;
      int near = 0;
      for (const Grain& other : grains) {
        const double apart = (other.pose.position - x).norm();
        if (&other == &grain) continue;
        EXPECT_GT(apart, 0.1 * (1.0 - 1e-9));
        near += apart < 0.1 * (1.0 + 1e-9) ? 1 : 0;
      }
      EXPECT_EQ(near, crystal.neighbours);
    }
    // Surfaces of the box cut layers: an error of one layer in ten.
    EXPECT_NEAR(inside * 4.0 / 3.0 * pi * std::pow(0.05, 3), crystal.solid_fraction,
                0.1 * crystal.solid_fraction);
  }
  const Region cylinder = CylinderRegion{Vec3::Zero(), Vec3(0, 0, 1), 0.5};
  const std::vector<Grain> in_cylinder =
      lattice(sphere, cylinder, {100000, 0.1, 0.0, LatticeKind::hexagonal}, 1);
  const GrainRecipe smaller{Vec3::Constant(0.05 * (1.0 - 1e-9)), {}, Quat::Identity()};
  expect_apart_and_inside(in_cylinder, smaller, cylinder);
  const double filled = static_cast<double>(in_cylinder.size()) * 4.0 / 3.0 * pi * std::pow(0.05, 3);
  EXPECT_GT(filled / volume(cylinder), 0.55);
}

// Gaps of at least the clearance, by the exact distance of ellipsoids; for spheres by the distance of their
// centres.
TEST(RandomPacking, KeepsItsClearance) {
  const Region box = BoxRegion{Vec3::Zero(), Vec3::Constant(1.0)};
  for (const Vec3& axes : {Vec3(0.03, 0.03, 0.03), Vec3(0.05, 0.03, 0.02)}) {
    const std::vector<Grain> grains =
        random_packing({axes, {}, std::nullopt}, box, {.count = 300, .clearance = 0.02}, {}, 3);
    ASSERT_EQ(grains.size(), 300u);
    double nearest = infinity;
    for (std::size_t i = 0; i < grains.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        nearest = std::min(
            nearest,
            gap(place(Ellipsoid{axes}, grains[i].pose), place(Ellipsoid{axes}, grains[j].pose)).distance);
    EXPECT_GE(nearest, 0.02 * (1.0 - 1e-9));
    EXPECT_LT(nearest, 0.025);
  }
}

TEST(Lattice, OmitsSitesThatProtrudeFromACylinder) {
  const GrainRecipe sphere{Vec3::Constant(0.1), {}, Quat::Identity()};
  const Region cylinder = CylinderRegion{Vec3(1.0, 1.0, 1.0), Vec3(2.0, 1.5, 3.0), 0.31};
  const std::vector<Grain> grains = lattice(sphere, cylinder, {1000, 0.2, 0.0}, 1);
  // Across: a 3 x 3 lattice with corners (0.28 from the axis) outside.
  const double length = Vec3(1.0, 0.5, 2.0).norm();
  EXPECT_EQ(grains.size(), 5u * static_cast<std::size_t>(std::floor((length - 0.2) / 0.2 + 1.0)));
  const GrainRecipe smaller{
      Vec3::Constant(0.1 * (1.0 - 1e-12)), {}, Quat::Identity()};  // the first layer touches
  expect_apart_and_inside(grains, smaller, cylinder);
}

// Reading refuses overlaps, so a scene that is read has none. Bodies keep the order of their headings.
TEST(GeneratedScene, HeadingsComeInAnyOrder) {
  const std::string material = "[[materials]]\nname = \"m\"\ndensity = 1000\n",
                    random =
                        "[[bodies]]\ngenerate = \"random\"\ncount = 300\nradius = 0.03\n"
                        "region = {type = \"box\", low = [0, 0, 0], high = [1, 1, 1]}\n",
                    dense =
                        "[[bodies]]\ngenerate = \"dense\"\nsolid_fraction = 0.4\nradius = 0.02\n"
                        "region = {type = \"box\", low = [0.6, 0.6, 0.6], high = [0.9, 0.9, 0.9]}\n",
                    ball = "[[bodies]]\nradius = 0.2\nposition = [0.3, 0.3, 0.3]\n";
  const io::Scene before = io::read_scene_text(material + random + ball + dense, "s.toml"),
                  after = io::read_scene_text(material + dense + ball + random, "s.toml");
  const auto radius = [](const io::Scene& scene, std::size_t i) {
    return scene.model.shapes.bounding_radius(scene.initial.bodies.shape[i]);
  };
  const std::size_t n = before.initial.bodies.size();
  ASSERT_EQ(after.initial.bodies.size(), n);
  EXPECT_EQ(radius(before, 0), 0.03);
  EXPECT_EQ(radius(before, 300), 0.2);
  EXPECT_EQ(radius(before, n - 1), 0.02);
  EXPECT_EQ(radius(after, 0), 0.02);
  EXPECT_EQ(radius(after, n - 1), 0.03);
  for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(before.initial.bodies.id[i], static_cast<BodyId>(i));
}

// Half of the body that is left out, or of the last one, is the most by which the masses can differ.
TEST(GeneratedScene, TotalMassOfUnequalBodies) {
  const std::string head =
      "[[materials]]\nname = \"m\"\ndensity = 1000\n[[bodies]]\nsemi_axes = [0.03, 0.02, 0.02]\n"
      "region = {type = \"box\", low = [0, 0, 0], high = [1, 1, 1]}\n";
  const double one_kg = 1000.0 * volume(Ellipsoid{Vec3(0.03, 0.02, 0.02)}),
               largest_kg = one_kg * std::pow(1.3, 3);
  for (const std::string scale : {"{distribution = \"uniform\", low = 0.6, high = 1.3}",
                                  "{distribution = \"uniform\", low = 0.6, high = 1.3, by = \"mass\"}"})
    for (const std::string form : {"random", "lattice", "dense"}) {
      const io::Scene scene = io::read_scene_text(
          head + "generate = \"" + form + "\"\ntotal_mass = 7.25\nscale = " + scale + "\n", "s.toml");
      double kg = 0.0;
      for (const double mass : scene.initial.bodies.mass) kg += mass;
      EXPECT_NEAR(kg, 7.25, 0.5 * largest_kg) << form;
      EXPECT_GT(scene.initial.bodies.size(), 80u) << form;
    }
  const auto problem = [&](const std::string& rest) {
    try {
      io::read_scene_text(head + rest, "s.toml");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto says = [&](const std::string& rest, const char* words) {
    return problem(rest).find(words) != std::string::npos;
  };
  EXPECT_TRUE(says("generate = \"random\"\ntotal_mass = 0.001\n", "less than half of one body"));
  EXPECT_TRUE(says("generate = \"lattice\"\ntotal_mass = 1e6\n", "total_mass: is too large"));
  EXPECT_TRUE(says("generate = \"random\"\ntotal_mass = 900\n", "total_mass: is too large"));
  EXPECT_TRUE(says("generate = \"random\"\ntotal_mass = 1\ncount = 3\n", "cannot be combined with count"));
}

TEST(GeneratedScene, SameSeedSameBits) {
  const std::string text = R"(
seed = 3
[[materials]]
name = "m"
density = 1000
[[bodies]]
generate = "random"
count = 50
semi_axes = [0.1, 0.08, 0.06]
scale = { distribution = "uniform", low = 0.5, high = 1.0 }
velocity = [0, 0, -1]
region = { type = "box", low = [0, 0, 0], high = [1, 1, 1] }
[[bodies]]
generate = "lattice"
count = 20
radius = 0.05
orientation = "aligned"
region = { type = "cylinder", start = [3, 0, 0], end = [3, 0, 2], radius = 0.2 }
)";
  const auto hash = [&](const std::vector<io::Override>& overrides) {
    return state_hash(io::read_scene_text(text, "scene.toml", overrides).initial.bodies);
  };
  const io::Scene scene = io::read_scene_text(text, "scene.toml");
  EXPECT_EQ(scene.initial.bodies.size(), 70u);
  EXPECT_EQ(scene.initial.bodies.linear_velocity[7], -Vec3::UnitZ());
  EXPECT_EQ(hash({}), hash({}));
  EXPECT_NE(hash({}), hash({{"seed", "4"}}));
  EXPECT_NE(hash({}), hash({{"bodies[0].seed", "4"}}));
}

}  // namespace
}  // namespace scree
