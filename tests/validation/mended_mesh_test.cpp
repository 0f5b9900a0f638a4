// A box that CAD has left open in its last digits contains the bodies in it after repair.
#include <gtest/gtest.h>

#include "engine/geometry/mesh_repair.h"
#include "io/files/mesh_file.h"
#include "tests/support/meshes.h"
#include "tests/support/world.h"

namespace scree {
namespace {

/// The unit cube of triangles with their own corners, each shifted by a ten-millionth; `cuts` gives the
/// number of squares of each face. Points at neighbours' edges are T-junctions.
TriangleMesh rough_cube(const std::array<int, 6>& cuts, Random& random) {
  TriangleMesh mesh;
  const auto blurred = [&](Vec3 x) {
    return Vec3(x + 1e-7 * Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)));
  };
  for (int axis = 0; axis < 3; ++axis)
    for (const int end : {0, 1}) {
      const int u = (axis + 1) % 3, v = (axis + 2) % 3, n = cuts[static_cast<std::size_t>(2 * axis + end)];
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          const auto at = [&](int a, int b) {
            Vec3 x;
            x[axis] = end;
            x[u] = static_cast<double>(a) / n;
            x[v] = static_cast<double>(b) / n;
            return x;
          };
          for (const auto& t : {std::array{at(i, j), at(i + 1, j), at(i + 1, j + 1)},
                                std::array{at(i, j), at(i + 1, j + 1), at(i, j + 1)}}) {
            const auto first = static_cast<std::int32_t>(mesh.points.size());
            for (const Vec3& x : t) mesh.points.push_back(blurred(x));
            if (random.uniform() < 0.5)
              mesh.triangles.push_back({first, first + 1, first + 2});
            else
              mesh.triangles.push_back({first, first + 2, first + 1});
          }
        }
    }
  return mesh;
}

}  // namespace

TEST(MendedMesh, HoldsTenThousandFastGrains) {
  Random random(17);
  const TriangleMesh mesh = io::mended(rough_cube({3, 5, 7, 4, 6, 9}, random), 1e-6, 0.0);
  ASSERT_TRUE(diagnose(mesh, 1e-6).is_in_order());
  test::World world({.friction = 0.3, .restitution = 0.9}, 1e-3);
  world.model.settings.gravity.setZero();
  world.model.settings.solver.tolerance = 1e-2;
  world.model.settings.solver.max_sweeps = 50;
  world.model.boundaries.push_back({"cube", world.material, test::placed(mesh.points, mesh.triangles)});
  // 22 x 22 x 21 balls, minus those at the end; up to 20 m/s is more than two diameters per step.
  for (int k = 0; k < 10000; ++k) {
    const Vec3 cell(k % 22, k / 22 % 22, k / 484);
    const Vec3 way(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
    world.add_sphere(0.009, Vec3(0.045 * cell) + Vec3::Constant(0.027), {20.0 * way, Vec3::Zero()});
  }
  for (int step = 0; step < 300; ++step) {
    world.step();
    ASSERT_FALSE(world.result.failure) << world.result.failure.text;
  }
  for (const Vec3& x : world.state.bodies.position) {
    ASSERT_GT(x.minCoeff(), 0.0);
    ASSERT_LT(x.maxCoeff(), 1.0);
  }
}

}  // namespace scree
