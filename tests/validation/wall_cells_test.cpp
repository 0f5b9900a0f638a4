// Loads of walls, cell by cell: sums over cells against those of boundaries, closed forms of wear, brute
// force.
#include "io/results/wall_cells.h"

#include <cstring>
#include <gtest/gtest.h>
#include <numbers>

#include "engine/core/parallel.h"
#include "engine/geometry/nearest_triangle.h"
#include "tests/support/meshes.h"
#include "tests/support/world.h"

namespace scree {
namespace {

using test::World;

constexpr double g = 9.81;

void cut(World& world, double longest_m) {
  world.model.wall_cells = io::cut_into_cells(world.model.boundaries,
                                              io::picture_region(world.state.bodies, world.model), longest_m);
}

/// [boundary] the sums of its cells.
std::vector<CellLoad> sums_of_cells(const World& world) {
  std::vector<CellLoad> sums(world.model.boundaries.size());
  const io::WallCellMesh mesh = io::wall_cell_mesh(world.model.wall_cells, Vec3::Zero());
  for (std::size_t c = 0; c < mesh.size(); ++c) sums[mesh.boundary[c]] += world.state.wall_cells[c];
  return sums;
}

/// Distance from a point to a triangle: over its face, or from its sides.
double plain_distance(const Vec3& x, const std::array<Vec3, 3>& t) {
  const Vec3 n = (t[1] - t[0]).cross(t[2] - t[0]).normalized();
  const Vec3 foot = x - n.dot(x - t[0]) * n;
  bool inside = true;
  double least = infinity;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3 &a = t[k], side = t[(k + 1) % 3] - a;
    inside = inside && n.dot(side.cross(foot - a)) >= 0.0;
    const double along = std::clamp(side.dot(x - a) / side.squaredNorm(), 0.0, 1.0);
    least = std::min(least, (x - a - along * side).norm());
  }
  return inside ? (x - foot).norm() : least;
}

}  // namespace

TEST(NearestTriangle, IsTheOneOfBruteForce) {
  Random random(3);
  std::vector<Vec3> points;
  test::Triangles triangles;
  const auto anywhere = [&] {
    return Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
  };
  for (std::int32_t k = 0; k < 300; ++k) {
    const Vec3 at = anywhere();
    for (int c = 0; c < 3; ++c) points.push_back(at + 0.3 * anywhere());
    triangles.push_back({3 * k, 3 * k + 1, 3 * k + 2});
  }
  const PlacedMesh placed = test::placed(points, triangles);
  const MeshSurface& mesh = *placed.mesh;
  for (int k = 0; k < 500; ++k) {
    const Vec3 x = 1.5 * anywhere(), normal = anywhere().normalized();
    const double slack = k % 2 == 0 ? 0.0 : 0.2;
    double least = infinity;
    std::int32_t nearest = -1;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
      const auto& [a, b, c] = mesh.triangles[t];
      const double distance = plain_distance(x, {mesh.points[a], mesh.points[b], mesh.points[c]});
      EXPECT_NEAR(distance_to_triangle(x, mesh.points[a], mesh.points[b], mesh.points[c]), distance, 1e-12);
      const double cost = distance + slack * (1.0 - std::abs(normal.dot(mesh.normals[t])));
      if (cost >= least) continue;
      least = cost;
      nearest = static_cast<std::int32_t>(t);
    }
    EXPECT_EQ(nearest_triangle(mesh, x, normal, slack), nearest);
  }
}

namespace {

struct Case {
  const char* name;
  void (*choose)(Settings& settings);
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class WallCellSums : public testing::TestWithParam<Case> {};

/// A heap that falls into a box of planes, onto a tube and a rotating mesh.
World heap(const Case& of) {
  World world =
      test::loose_heap(3, 3, {.friction = 0.4, .rolling_friction_m = 1e-3, .restitution = 0.3}, 2e-3);
  world.model.settings.solver.tolerance = 1e-3;
  world.model.boundaries.push_back(
      {"tube", world.material, Tube{Vec3(0.2, 0.3, 0.06), Vec3(0.5, 0.3, 0.06), 0.03, 0.02}});
  const Vec3 centre(0.33, 0.5, 0.05);
  world.model.boundaries.push_back(
      {"paddle", world.material, test::box(Vec3(0.15, 0.02, 0.03), {centre, Quat::Identity()}), centre});
  test::give_motion(world.model, world.model.boundaries.size() - 1,
                    steady_motion({Vec3::Zero(), Vec3(0.0, 0.0, 1.5)}, centre));
  of.choose(world.model.settings);
  return world;
}

}  // namespace

TEST_P(WallCellSums, AreThoseOfTheBoundaries) {
  World world = heap(GetParam());
  cut(world, 0.1);
  std::vector<BoundaryLoad> sums(world.model.boundaries.size());
  for (int k = 0; k < 400; ++k) {
    world.step();
    ASSERT_FALSE(world.result.failure) << world.result.failure.text;
    for (std::size_t b = 0; b < sums.size(); ++b) sums[b] += world.result.boundaries[b];
  }
  const std::vector<CellLoad> cells = sums_of_cells(world);
  double all = 0.0;
  for (std::size_t b = 0; b < sums.size(); ++b) {
    const SurfaceLoad &of = sums[b].surface, &in = cells[b].surface;
    // The same numbers in another order.
    constexpr double rounding = 1e-12;
    EXPECT_NEAR((sums[b].impulse - cells[b].impulse).norm(), 0.0, rounding * (of.pressing + of.shearing));
    EXPECT_NEAR(in.pressing, of.pressing, rounding * of.pressing);
    EXPECT_NEAR(in.shearing, of.shearing, rounding * of.pressing);
    EXPECT_NEAR(in.friction_work, of.friction_work, rounding * of.friction_work);
    EXPECT_NEAR(in.sliding, of.sliding, rounding * of.sliding);
    EXPECT_EQ(in.impacts, of.impacts);
    EXPECT_NEAR(in.impact_energy, of.impact_energy, rounding * of.impact_energy);
    all += of.pressing;
  }
  EXPECT_GT(all, 0.1);
  EXPECT_GT(sums[4].surface.impacts, 0.0);  // the floor
}

INSTANTIATE_TEST_SUITE_P(
    All, WallCellSums,
    testing::Values(Case{"plain", [](Settings&) {}}, Case{"substeps", [](Settings& s) { s.substeps = 3; }},
                    Case{"adaptive",
                         [](Settings& s) {
                           s.adaptive_step = true;
                           s.time_step_s = 0.01;
                         }},
                    Case{"energetic", [](Settings& s) { s.restitution_law = RestitutionLaw::energetic; }},
                    Case{"sleep",
                         [](Settings& s) {
                           s.sleep.speed_m_s = 0.05;
                           s.sleep.duration_s = 0.05;
                         }}),
    [](const auto& of) { return std::string(of.param.name); });

TEST(WallCells, PiecewiseStepsHaveTheirSumsToo) {
  World world({.friction = 0.3, .restitution = 0.6}, 0.01);
  world.model.settings.stepping = Stepping::piecewise;
  world.model.settings.sleep.speed_m_s = 0.0;
  world.add_floor();
  for (int k = 0; k < 4; ++k)
    world.add_sphere(0.1, Vec3(0.5 * k, 0.0, 0.4 + 0.1 * k), {Vec3(0.3, 0.1, 0.0), Vec3(0, 2.0, 1.0)});
  cut(world, 0.2);
  BoundaryLoad sum;
  for (int k = 0; k < 150; ++k) {
    world.step();
    ASSERT_FALSE(world.result.failure) << world.result.failure.text;
    sum += world.result.boundaries[0];
  }
  const CellLoad cells = sums_of_cells(world)[0];
  EXPECT_GT(sum.surface.impacts, 10.0);
  EXPECT_EQ(cells.surface.impacts, sum.surface.impacts);
  EXPECT_NEAR((cells.impulse - sum.impulse).norm(), 0.0, 1e-12 * sum.impulse.norm());
  EXPECT_NEAR(cells.surface.friction_work, sum.surface.friction_work, 1e-12 * sum.surface.friction_work);
  EXPECT_NEAR(cells.surface.impact_energy, sum.surface.impact_energy, 1e-12 * sum.surface.impact_energy);
}

TEST(WallCells, ASlidingBlockWearsByItsForceTimesItsWay) {
  constexpr double mu = 0.3;
  World world({.friction = mu}, 1e-3);
  world.model.materials.set_wear(world.material, {1e-13, 0.0});
  world.add_floor();
  const BodyIndex block = world.add_sphere(0.1, Vec3(0, 0, 0.1), {Vec3(2.0, 0, 0), Vec3::Zero()});
  world.state.bodies.inertia[block.value].setConstant(1e12);  // it does not roll
  cut(world, 0.05);
  double wear = 0.0, friction = 0.0;
  world.run(1.0, [&](const StepReport&) {
    const SurfaceLoad& load = world.result.boundaries[0].surface;
    wear += world.model.materials.wear(world.material).volume(load);
    friction += load.friction_work;
  });
  const double m = world.state.bodies.mass[block.value], way = world.state.bodies.position[block.value].x();
  EXPECT_NEAR(way, 4.0 / (2.0 * mu * g), 1e-5);
  EXPECT_NEAR(wear, 1e-13 * m * g * way, 1e-6 * wear);  // k F s / H; it stops in the course of a step
  EXPECT_NEAR(friction, 0.5 * m * 4.0, 1e-9 * friction);
  // The wear is along its sliding path: cells behind, ahead and beside it have none.
  const io::WallCellMesh mesh = io::wall_cell_mesh(world.model.wall_cells, Vec3::Zero());
  double worn = 0.0;
  for (std::size_t c = 0; c < mesh.size(); ++c) {
    if (world.state.wall_cells[c].surface.sliding == 0.0) continue;
    worn += world.state.wall_cells[c].surface.sliding;
    Eigen::AlignedBox3d box;
    for (const Vec3& x : mesh.corners(c)) box.extend(x);
    EXPECT_LE(box.min().x(), way + 1e-9);
    EXPECT_GE(box.max().x(), -1e-9);
    EXPECT_LE(box.min().y(), 1e-9);
    EXPECT_GE(box.max().y(), -1e-9);
  }
  EXPECT_NEAR(1e-13 * worn, wear, 1e-12 * wear);
}

TEST(WallCells, ABallWearsUntilItRolls) {
  constexpr double mu = 0.3, v = 2.0, radius = 0.1;
  World world({.friction = mu}, 1e-4);
  world.add_floor();
  world.add_sphere(radius, Vec3(0, 0, radius), {Vec3(v, 0, 0), Vec3::Zero()});
  double sliding = 0.0;
  world.run(0.5, [&](const StepReport&) { sliding += world.result.boundaries[0].surface.sliding; });
  // It slips over v^2/(7 mu g), then rolls with 5/7 v.
  const double m = world.state.bodies.mass[0];
  EXPECT_NEAR(world.state.bodies.linear_velocity[0].x(), 5.0 / 7.0 * v, 1e-4);
  EXPECT_NEAR(sliding, m * v * v / (7.0 * mu), 1e-4 * sliding);
}

TEST(WallCells, ImpactsHaveTheEnergyOfTheirApproach) {
  constexpr double e = 0.5, height = 1.0;
  World world({.friction = 0.0, .restitution = e}, 1e-4);
  world.add_floor();
  world.add_sphere(0.1, Vec3(0, 0, 0.1 + height));
  SurfaceLoad sum;
  const double first_s = std::sqrt(2.0 * height / g), second_s = first_s * (1.0 + 2.0 * e);
  world.run(0.5 * (first_s + second_s),
            [&](const StepReport&) { sum += world.result.boundaries[0].surface; });
  const double energy = world.state.bodies.mass[0] * g * height;
  EXPECT_EQ(sum.impacts, 1.0);
  EXPECT_NEAR(sum.impact_energy, energy, 1e-3 * energy);  // the fall in a step before the impact
  world.run(1.02 * second_s, [&](const StepReport&) { sum += world.result.boundaries[0].surface; });
  EXPECT_EQ(sum.impacts, 2.0);
  EXPECT_NEAR(sum.impact_energy, (1.0 + e * e) * energy, 2e-3 * energy);
}

TEST(WallCells, ImpactsThatLastHaveTheirEnergyOnce) {
  // Balls that never meet fall from one height, at different times: without restitution the step that closes
  // a gap leaves a part of the approach to the next one, and elastic ones are pressed for many steps.
  struct Fall {
    double step_s, stiffness;
    RestitutionLaw law = RestitutionLaw::dissipative;
  };
  for (const Fall& of : {Fall{2e-3, 0.0}, Fall{1e-3, 0.0}, Fall{2e-4, 0.0}, Fall{1e-3, 1e6}, Fall{1e-4, 1e6},
                         Fall{2e-5, 1e6}, Fall{1e-3, 0.0, RestitutionLaw::energetic}}) {
    PairLaw law{.friction = 0.0};
    if (of.stiffness > 0.0)
      law = {.friction = 0.0, .restitution = 0.1, .elasticity = linear_elasticity(of.stiffness, 0.3)};
    World world(law, of.step_s);
    world.model.settings.restitution_law = of.law;
    world.add_floor();
    constexpr int n = 30;
    constexpr double height = 0.05;
    double energy = 0.0;
    for (int i = 0; i < n; ++i) {
      world.add_sphere(0.02, Vec3(0.1 * i, 0, 0.02 + height + 1e-4 * i));
      energy += world.state.bodies.mass[i] * g * (height + 1e-4 * i);
    }
    SurfaceLoad sum;
    world.run(0.115, [&](const StepReport&) { sum += world.result.boundaries[0].surface; });
    // (E1) stops a ball above the floor, onto which it then falls once more.
    if (of.law == RestitutionLaw::energetic)
      EXPECT_GE(sum.impacts, n);
    else
      EXPECT_EQ(sum.impacts, n) << of.step_s << ' ' << of.stiffness;
    // The fall in the step of the impact, and slow ends that are below the threshold.
    EXPECT_NEAR(sum.impact_energy, energy, (0.002 + 25.0 * of.step_s) * energy)
        << of.step_s << ' ' << of.stiffness;
  }
}

TEST(WallCells, BodiesThatLandOnTwoPointsHaveTheirEnergyOnce) {
  for (const double apart : {0.2, 0.5, 0.9}) {  // over the radius
    World world({}, 1e-3);
    world.model.settings.gravity.setZero();
    world.add_floor();
    constexpr double radius = 0.05;
    const auto at = [&](double x) {
      return ClumpMember{Ellipsoid{Vec3::Constant(radius)}, Pose{Vec3(x, 0, 0), Quat::Identity()}};
    };
    const std::vector<ClumpMember> members{at(-apart * radius), at(apart * radius)};
    ShapeFindings findings;
    const auto clump = make_clump(members, findings);
    ASSERT_TRUE(clump);
    const ShapeIndex shape = world.model.shapes.add(
        SizedClump{world.model.shapes.add_clump({"clump", members, std::make_shared<Clump>(*clump)}), 1.0});
    add_body(world.state.bodies, world.model.shapes, world.model.materials,
             {shape,
              world.material,
              {Vec3(0, 0, radius + 0.0105), Quat::Identity()},
              {Vec3(0, 0, -1), Vec3::Zero()}});
    SurfaceLoad sum;
    world.run(0.03, [&](const StepReport&) { sum += world.result.boundaries[0].surface; });
    const double energy = 0.5 * world.state.bodies.mass[0];
    EXPECT_NEAR(sum.impact_energy, energy, 1e-3 * energy) << apart;
  }
}

TEST(WallCells, ObliqueImpactsSlideUntilTheyStick) {
  // Sliding ends when the tangential impulse is 2/7 m v: m v^2/(7 friction), whatever the law of restitution.
  constexpr double mu = 0.5, v = 0.2;
  for (const RestitutionLaw law : {RestitutionLaw::newton, RestitutionLaw::energetic})
    for (const double e : {0.0, 0.5}) {
      World world({.friction = mu, .restitution = e}, 1e-4);
      world.model.settings.gravity.setZero();
      world.model.settings.restitution_law = law;
      world.add_floor();
      world.add_sphere(0.1, Vec3(0, 0, 0.1 + 0.0105), {Vec3(v, 0, -1), Vec3::Zero()});
      double sliding = 0.0;
      world.run(0.03, [&](const StepReport&) { sliding += world.result.boundaries[0].surface.sliding; });
      const double exact = world.state.bodies.mass[0] * v * v / (7.0 * mu);
      EXPECT_NEAR(sliding, exact, 2e-2 * exact) << e;
    }
}

TEST(WallCells, DoNotDependOnTheFinenessOfAMesh) {
  // Wear of the quarters of a floor of few and of many triangles, on which grains are thrown at an angle.
  std::vector<std::array<double, 16>> worn;
  for (const int n : {4, 32}) {
    World world({.friction = 0.4, .rolling_friction_m = 2e-3}, 1e-3);
    Random random(7);
    world.model.boundaries.push_back({"floor", world.material, test::floor_of_triangles(n, random)});
    Random places(11);
    for (int k = 0; k < 40; ++k)
      world.add(Vec3(0.03, 0.025, 0.02),
                {Vec3(-0.4 + 0.1 * (k % 8), -0.2 + 0.1 * (k / 8), 0.04), places.rotation()},
                {Vec3(places.uniform(-1, 1), places.uniform(-1, 1), 0.0), Vec3::Zero()});
    cut(world, 10.0);
    world.run(0.4);
    std::array<double, 16> of{};
    const io::WallCellMesh mesh = io::wall_cell_mesh(world.model.wall_cells, Vec3::Zero());
    for (std::size_t c = 0; c < mesh.size(); ++c) {
      const Vec3 middle = (mesh.corners(c)[0] + mesh.corners(c)[1] + mesh.corners(c)[2]) / 3.0;
      const auto at = [](double x) {
        return static_cast<std::size_t>(std::clamp(4.0 * (x + 0.5), 0.0, 3.0));
      };
      of[at(middle.x()) + 4 * at(middle.y())] += world.state.wall_cells[c].surface.sliding;
    }
    worn.push_back(of);
  }
  double all = 0.0;
  for (const double of : worn[0]) all += of;
  EXPECT_GT(all, 0.0);
  for (std::size_t k = 0; k < 16; ++k) EXPECT_NEAR(worn[0][k], worn[1][k], 1e-3 * all) << k;
}

TEST(WallCells, HaveTheSameBitsOnEveryNumberOfThreads) {
  std::vector<std::vector<CellLoad>> found;
  for (const int threads : {1, 2, 7}) {
    set_thread_count(threads);
    World world = test::loose_heap(8, 6, {.friction = 0.5}, 2e-3);
    world.model.settings.solver.tolerance = 1e-2;
    cut(world, 0.1);
    for (int k = 0; k < 100; ++k) world.step();
    found.push_back(world.state.wall_cells);
  }
  set_thread_count(0);
  ASSERT_GT(found[0].size(), 100u);
  for (const auto& other : found) {
    ASSERT_EQ(other.size(), found[0].size());
    EXPECT_EQ(std::memcmp(other.data(), found[0].data(), found[0].size() * sizeof(CellLoad)), 0);
  }
}

TEST(WallCells, MeshesOfSmallTrianglesAreCutNoFurther) {
  World world;
  Random random(1);
  world.model.boundaries.push_back({"fine", world.material, test::floor_of_triangles(10, random)});
  world.model.boundaries.push_back({"coarse", world.material, test::floor_of_triangles(1, random)});
  cut(world, 0.15);
  EXPECT_EQ(world.model.wall_cells[0].mesh->triangles.size(), 200u);
  const MeshSurface& coarse = *world.model.wall_cells[1].mesh;
  EXPECT_GT(coarse.triangles.size(), 50u);
  double area = 0.0;
  const io::WallCellMesh mesh = io::wall_cell_mesh(world.model.wall_cells, Vec3::Zero());
  for (std::size_t c = 0; c < mesh.size(); ++c) {
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_LE((mesh.corners(c)[(k + 1) % 3] - mesh.corners(c)[k]).norm(), 0.15);
    area += mesh.area[c];
  }
  EXPECT_NEAR(area, 2.0, 1e-12);
  EXPECT_THROW(cut(world, 1e-5), std::length_error);
}

}  // namespace scree
