#include "engine/geometry/implicit/shape_fit.h"

#include <gtest/gtest.h>

#include "engine/core/random.h"
#include "engine/geometry/ellipsoid.h"
#include "engine/geometry/implicit/mass_properties.h"
#include "engine/geometry/implicit/surface_mesh.h"
#include "tests/support/implicit_shapes.h"

namespace scree {
namespace {

ImplicitShape made(const PerturbedQuadric& f) {
  ShapeFindings findings;
  std::optional<ImplicitShape> s = make_implicit_shape(f, {.support_cells = 1}, findings);
  for (const std::string& e : findings.errors) ADD_FAILURE() << e;
  return s.value();
}

/// A mesh of a shape, rotated, moved and enlarged, as from a scanner.
TriangleMesh scanned(const ImplicitShape& shape, double size, int fineness = 16) {
  TriangleMesh mesh = surface_mesh(shape, fineness);
  const Quat turn = Quat(0.3, -0.5, 0.2, 0.7).normalized();
  for (Vec3& x : mesh.points) x = turn * (size * x) + Vec3(100.0, -30.0, 5.0);
  return mesh;
}

TriangleMesh cube() {
  TriangleMesh mesh;
  for (int k = 0; k < 8; ++k) mesh.points.emplace_back(k & 1, (k >> 1) & 1, (k >> 2) & 1);
  mesh.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                    {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return mesh;
}

TEST(TriangleMesh, MassOfACube) {
  const MeshMass mass = mesh_mass(cube());
  EXPECT_NEAR(mass.volume, 1.0, 1e-14);
  EXPECT_LT((mass.centre - Vec3::Constant(0.5)).norm(), 1e-14);
  EXPECT_LT((mass.second - Mat3::Identity() / 12.0).norm(), 1e-14);
}

TEST(TriangleMesh, SamplesLieEvenlyOnTheSurface) {
  std::array<int, 6> on{};
  for (const Vec3& x : surface_samples(cube(), 6000, 1)) {
    int faces = 0;
    std::size_t face = 0;
    for (int k = 0; k < 3; ++k) {
      for (const int side : {0, 1}) {
        const std::size_t here = face++;
        if (std::abs(x[k] - side) > 1e-12) continue;
        ++faces;
        ++on[here];
      }
    }
    ASSERT_EQ(faces, 1);
  }
  for (const int count : on) EXPECT_NEAR(count, 1000, 2);  // one in every part of the area
}

TEST(TriangleMesh, FaultsAreReported) {
  EXPECT_TRUE(mesh_faults(cube()).empty());
  const auto says = [](const TriangleMesh& mesh, const char* what) {
    std::string all;
    for (const std::string& fault : mesh_faults(mesh)) all += fault + '\n';
    EXPECT_NE(all.find(what), std::string::npos) << all;
  };
  says({}, "no triangles");
  TriangleMesh mesh = cube();
  mesh.triangles.pop_back();
  says(mesh, "not closed: 3 edges");
  mesh = cube();
  std::swap(mesh.triangles[0][0], mesh.triangles[0][1]);
  says(mesh, "3 edges between triangles with opposite orientation");
  mesh = cube();
  mesh.triangles.push_back({0, 1, 7});
  says(mesh, "more than two triangles");
  mesh = cube();
  for (const TriangleMesh other = cube(); const auto& t : other.triangles)
    mesh.triangles.push_back({t[0] + 8, t[1] + 8, t[2] + 8});
  for (int k = 0; k < 8; ++k) mesh.points.push_back(mesh.points[k] + Vec3(3, 0, 0));
  says(mesh, "2 pieces");
  mesh = cube();
  for (Vec3& x : mesh.points) x[2] = 0.0;
  says(mesh, "no volume");
  mesh = cube();
  mesh.points[3][1] = std::nan("");
  says(mesh, "not finite");
}

TEST(ShapeFit, DistanceOfAnEllipsoidIsThatOfItsNearestPoint) {
  Random random(5);
  const Vec3 axes(1.0, 0.7, 0.5);
  const PerturbedQuadric f = perturbed(axes);
  for (int i = 0; i < 200; ++i) {
    const Vec3 x = axes.cwiseProduct(random.direction()) * random.uniform(0.9, 1.2);
    const double expected = (closest_surface_point(Ellipsoid{axes}, x) - x).norm();
    EXPECT_NEAR(surface_distance(f, x, 0.7), expected, 1e-3 * expected + 1e-9);
  }
}

TEST(ShapeFit, EllipsoidIsRecoveredInAnyPose) {
  const double size = 20.0;
  const TriangleMesh mesh = scanned(made(perturbed({1.0, 0.7, 0.5})), size);
  const ShapeFit fit = fit_shape(mesh, 0);
  // The mesh's chords are a thousandth of the size inside the ellipsoid.
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(fit.semi_axes[k], size * Vec3(1.0, 0.7, 0.5)[k], 4e-3 * size);
  EXPECT_LT((fit.frame.position - Vec3(100.0, -30.0, 5.0)).norm(), 1e-3 * size);
  EXPECT_LT(fit.mean_error, 1e-3 * size);
  EXPECT_LT(fit.largest_error, 4e-3 * size);
}

TEST(ShapeFit, PerturbedShapesAreRecovered) {
  struct Case {
    PerturbedQuadric function;
    int perturbations;
  };
  for (const auto& [function, perturbations] :
       {Case{test::pebble(), 5}, Case{test::kidney(), 2}, Case{test::dumbbell(), 4}}) {
    const ImplicitShape shape = made(function);
    const double size = 0.02, volume = shape.volume * size * size * size;
    const TriangleMesh mesh = scanned(shape, size);
    const ShapeFit fit = fit_shape(mesh, perturbations), plain = fit_shape(mesh, 0);
    const ImplicitShape found = made(function_of(fit));
    EXPECT_NEAR(found.volume / volume, 1.0, 0.01);
    EXPECT_LT(fit.mean_error, 1e-3 * size);  // the mesh's chords: 0.3e-3
    EXPECT_LT(fit.mean_error, 0.1 * plain.mean_error);
    EXPECT_GE(fit.largest_error, fit.mean_error);
  }
}

}  // namespace
}  // namespace scree
