#include "io/render/ray_scene.h"

#include <gtest/gtest.h>

#include "engine/core/random.h"
#include "tests/results/fixtures.h"

namespace scree::test {

namespace {

using Hit = std::optional<std::pair<double, std::size_t>>;  // distance on the ray, m, and the body

/// The first body that a ray hits, in double precision, by solving |M (o + t d - c)|^2 = 1 for all bodies,
/// each scaled by `size`.
Hit first_hit(const Model& model, const Bodies& bodies, const Vec3& origin, const Vec3& direction,
              double size = 1.0) {
  Hit first;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Vec3 inverse = (size * enclosing_ellipsoid(model.shapes, bodies.shape[i]).semi_axes).cwiseInverse();
    const Vec3 o = inverse.asDiagonal() * (bodies.orientation[i].conjugate() * (origin - bodies.position[i]));
    const Vec3 d = inverse.asDiagonal() * (bodies.orientation[i].conjugate() * direction);
    const double a = d.squaredNorm(), b = o.dot(d), c = o.squaredNorm() - 1.0, square = b * b - a * c;
    if (square < 0.0) continue;
    const double t = (-b - std::sqrt(square)) / a;
    if (t > 0.0 && (!first || t < first->first)) first = {t, i};
  }
  return first;
}

/// Does the ray pass an outline so closely that slightly larger or smaller bodies would change the result?
bool grazes(const Model& model, const Bodies& bodies, const Vec3& origin, const Vec3& direction,
            double change) {
  const Hit grown = first_hit(model, bodies, origin, direction, 1.0 + change),
            shrunk = first_hit(model, bodies, origin, direction, 1.0 - change);
  return grown.has_value() != shrunk.has_value() || (grown && grown->second != shrunk->second);
}

// Rays begin up to 8 m from bodies with semi-axes from 0.01 m. At that distance single precision moves a hit
// by about 1e-6 m, also across the ray. This corresponds to a growth of the body by a 5000th.
constexpr double grazing_change = 2e-4;

}  // namespace

TEST(RayScene, HitsTheExactEllipsoids) {
  io::Scene scene = example_scene(400);
  Bodies& bodies = scene.initial.bodies;
  io::RayScene rays;
  rays.set_bodies(scene.model.shapes, bodies);
  Random random(11);
  const Vec3 eye(4.0, -3.0, 2.5);
  int hits = 0, grazing = 0;
  for (int k = 0; k < 20000; ++k) {
    const Vec3 aim(random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), random.uniform(0.0, 2.0));
    const Vec3 direction = (aim - eye).normalized();
    const io::Ray ray{eye.cast<float>(), direction.cast<float>()};
    const auto found = rays.hit_solid(ray);
    EXPECT_EQ(rays.is_covered(ray), found.has_value());
    const Hit expected = first_hit(scene.model, bodies, eye, direction);
    const bool same_body = found && expected && found->number == static_cast<int>(expected->second);
    if (!same_body && (found || expected)) {
      ASSERT_TRUE(grazes(scene.model, bodies, eye, direction, grazing_change)) << "ray " << k;
      ++grazing;
      continue;
    }
    if (!found) continue;
    ++hits;
    // Single precision at a distance of 5 m: 5e-7 m, divided by the cosine of the angle of incidence.
    const Vec3 point = eye + static_cast<double>(found->t) * direction;
    const double cosine = std::abs(found->normal.cast<double>().dot(direction));
    EXPECT_NEAR(found->t, expected->first, 2e-6 / std::max(cosine, 0.02));
    const std::size_t i = expected->second;
    const Vec3 axes = enclosing_ellipsoid(scene.model.shapes, bodies.shape[i]).semi_axes;
    const Vec3 own = bodies.orientation[i].conjugate() * (point - bodies.position[i]);
    const Vec3 normal = bodies.orientation[i] * own.cwiseQuotient(axes.cwiseAbs2());
    EXPECT_GT(normal.normalized().dot(found->normal.cast<double>()), 0.9999);
  }
  EXPECT_GT(hits, 1000);
  // Outlines are strips of about 1e-6 m around bodies of a width of 0.02 m: one hit in thousands.
  EXPECT_LE(grazing, hits / 500);
}

TEST(RayScene, HitsWallsFromBothSidesAndSeparatesTransparentOnes) {
  io::WallMesh mesh;
  mesh.point = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}, {0, 0, 1}, {2, 0, 1}, {2, 2, 1}, {0, 2, 1}};
  mesh.normal.assign(8, Vec3::UnitZ());
  mesh.polygon = {{0, 1, 2, 3}, {4, 5, 6, 7}};
  mesh.boundary = {0, 1};
  io::RayScene rays;
  rays.set_walls(mesh, {true, false});
  const io::Ray down{{1.3f, 0.4f, 3.0f}, {0.0f, 0.0f, -1.0f}}, up{{1.3f, 0.4f, -1.0f}, {0.0f, 0.0f, 1.0f}};
  EXPECT_NEAR(rays.hit_solid(down)->t, 3.0f, 1e-6f);
  EXPECT_EQ(rays.hit_solid(down)->kind, io::RayHit::Kind::wall);
  EXPECT_NEAR(rays.hit_clear(down)->t, 2.0f, 1e-6f);
  EXPECT_NEAR(rays.hit_clear(up)->t, 2.0f, 1e-6f);
  EXPECT_EQ(rays.hit_clear(up)->number, 1);
  EXPECT_EQ(rays.hit_solid(up)->normal, Vec3::UnitZ().cast<float>());
  EXPECT_TRUE(rays.is_covered(down));
  EXPECT_FALSE(
      rays.is_covered({{1.3f, 0.4f, 3.0f}, {0.0f, 0.0f, -1.0f}, 0.0f, 2.9f}));  // clear walls do not shade
  EXPECT_FALSE(rays.hit_solid({{2.5f, 0.4f, 3.0f}, {0.0f, 0.0f, -1.0f}}));
}

TEST(RayScene, HitsRodsInsideTransparentBodies) {
  Shapes shapes;
  Materials materials;
  Bodies bodies;
  add_body(bodies, shapes, materials,
           {shapes.add(Ellipsoid{{1.0, 0.5, 0.5}}), materials.add("stone", 2500.0), Pose{}, Twist{}});
  io::RayScene rays;
  rays.set_bodies(shapes, bodies, true, {{{-0.8f, 0.0f, 0.0f}, {0.8f, 0.0f, 0.0f}, 0.1f}});
  const io::Ray down{{0.3f, 0.0f, 3.0f}, {0.0f, 0.0f, -1.0f}},
      beside{{0.3f, 0.3f, 3.0f}, {0.0f, 0.0f, -1.0f}};
  EXPECT_EQ(rays.hit_solid(down)->kind, io::RayHit::Kind::chain);
  EXPECT_NEAR(rays.hit_solid(down)->t, 2.9f, 1e-3f);
  EXPECT_GT(rays.hit_solid(down)->normal.z(), 0.99f);
  EXPECT_EQ(rays.hit_clear(down)->kind, io::RayHit::Kind::body);
  EXPECT_FALSE(rays.hit_solid(beside));
  EXPECT_TRUE(rays.hit_clear(beside));
  EXPECT_FALSE(rays.is_covered(beside));
}

}  // namespace scree::test
