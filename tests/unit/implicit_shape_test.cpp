#include "engine/geometry/implicit/implicit_shape.h"

#include <gtest/gtest.h>
#include <map>
#include <numbers>

#include "engine/core/errors.h"
#include "engine/core/random.h"
#include "engine/geometry/ellipsoid.h"
#include "engine/geometry/implicit/mass_properties.h"
#include "engine/geometry/implicit/surface_mesh.h"
#include "engine/geometry/shapes.h"
#include "tests/support/implicit_shapes.h"

namespace scree {
namespace {

constexpr double pi = std::numbers::pi;

/// Without the table of support bounds, which takes most of the time.
constexpr ImplicitShapeSettings quick{.support_cells = 1};

ImplicitShape made(const PerturbedQuadric& f, const ImplicitShapeSettings& settings = quick) {
  ShapeFindings findings;
  std::optional<ImplicitShape> s = make_implicit_shape(f, settings, findings);
  for (const std::string& e : findings.errors) ADD_FAILURE() << e;
  return s ? *s : ImplicitShape{};
}

Vec3 in_box(Random& random, double half) {
  return {random.uniform(-half, half), random.uniform(-half, half), random.uniform(-half, half)};
}

TEST(ImplicitShape, DerivativesAreThoseOfTheValue) {
  Random random(1);
  constexpr double h = 1e-5;
  for (const test::NamedShape& s : test::library()) {
    for (int i = 0; i < 50; ++i) {
      const Vec3 x = in_box(random, 1.0);
      const FunctionValue at = evaluate(s.function, x);
      const double size = 1.0 + at.gradient.norm();
      for (int k = 0; k < 3; ++k) {
        const Vec3 e = h * Vec3::Unit(k);
        const Vec3 after = gradient(s.function, x + e), before = gradient(s.function, x - e);
        // Second order in h; where a Q is 0 in between, the second derivative jumps: first order.
        ASSERT_NEAR(at.gradient[k], (value(s.function, x + e) - value(s.function, x - e)) / (2 * h),
                    1e-2 * h * size)
            << s.name;
        const Vec3 second = (after - before) / (2 * h);
        const Vec3 row(k == 0 ? at.xx : (k == 1 ? at.xy : at.xz), k == 0 ? at.xy : (k == 1 ? at.yy : at.yz),
                       k == 0 ? at.xz : (k == 1 ? at.yz : at.zz));
        if ((after + before - 2.0 * at.gradient).norm() < 1e-8 * size) {
          ASSERT_LT((second - row).norm(), 1e-3 * size) << s.name;
        }
      }
    }
  }
}

TEST(ImplicitShape, ChangeOfFrameAndScaleKeepsTheFunction) {
  Random random(2);
  const PerturbedQuadric f = test::pebble();
  for (int i = 0; i < 100; ++i) {
    const Pose pose{in_box(random, 1.0), random.rotation()};
    const double scale = random.uniform(0.1, 3.0);
    const Vec3 y = in_box(random, 1.0);
    const double expected = value(f, scale * (pose.orientation * y) + pose.position);
    EXPECT_NEAR(value(in_frame(f, pose, scale), y), expected, 1e-11 * (1.0 + std::abs(expected)));
    EXPECT_NEAR(value(scaled(f, scale), scale * y), value(f, y), 1e-12 * (1.0 + std::abs(value(f, y))));
  }
}

TEST(ImplicitShape, RaysFindEveryCrossing) {
  Random random(3);
  std::vector<double> t;
  for (const test::NamedShape& s : test::library()) {
    for (int i = 0; i < 40; ++i) {
      const Vec3 origin = in_box(random, 2.0), direction = random.direction();
      crossings(s.function, origin, direction, 0.0, 5.0, t);
      // Against a walk along the ray: the same number of sign changes, at the same places.
      constexpr int steps = 2000;
      std::size_t count = 0;
      bool inside = value(s.function, origin) >= 0.0;
      for (int k = 1; k <= steps; ++k) {
        const bool now = value(s.function, origin + 5.0 * k / steps * direction) >= 0.0;
        if (now == inside) continue;
        ASSERT_LT(count, t.size()) << s.name;
        ASSERT_NEAR(t[count], 5.0 * (k - 0.5) / steps, 5.0 / steps) << s.name;
        inside = now;
        ++count;
      }
      ASSERT_EQ(count, t.size()) << s.name;  // none is hidden between two steps with these seeds
      for (const double at : t) {
        const Vec3 x = origin + at * direction;
        ASSERT_NEAR(value(s.function, x), 0.0, 1e-13 * (1.0 + 10.0 * gradient(s.function, x).norm()))
            << s.name;
      }
      if (!t.empty()) {
        ASSERT_EQ(ray_hit(s.function, origin, direction, 0.0, 5.0), t[0]);
      }
    }
  }
}

TEST(ImplicitShape, IntervalBoundsHold) {
  Random random(4);
  for (const test::NamedShape& s : test::library()) {
    for (int i = 0; i < 100; ++i) {
      const Vec3 low = in_box(random, 1.0);
      const Box box{low, low + Vec3(random.uniform(), random.uniform(), random.uniform()) * 0.5};
      const Bounds b = bounds(s.function, box);
      const std::optional<Box> smaller = contract(s.function, box, b);
      for (int k = 0; k < 20; ++k) {
        const Vec3 x =
            box.low + Vec3(random.uniform(), random.uniform(), random.uniform()).cwiseProduct(box.size());
        const FunctionValue at = evaluate(s.function, x);
        const double rounding = 1e-13 * (1.0 + std::abs(at.value));
        ASSERT_GE(at.value, b.value.low - rounding);
        ASSERT_LE(at.value, b.value.high + rounding);
        for (int j = 0; j < 3; ++j) {
          ASSERT_GE(at.gradient[j], b.gradient[j].low - 1e-11);
          ASSERT_LE(at.gradient[j], b.gradient[j].high + 1e-11);
        }
        ASSERT_GE(at.xy, b.second[3].low - 1e-10);
        ASSERT_LE(at.xy, b.second[3].high + 1e-10);
        // There is no surface in a region that is certified to have none.
        const double t = ray_hit(s.function, x, Vec3::UnitX(), 0.0, box.high[0] - x[0] + 1e-300);
        if (t < infinity) {
          ASSERT_TRUE(smaller.has_value()) << s.name;
          const Vec3 hit = x + t * Vec3::UnitX();
          ASSERT_TRUE(((hit - smaller->low).array() > -1e-12).all() &&
                      ((smaller->high - hit).array() > -1e-12).all());
        }
      }
    }
  }
}

TEST(ImplicitShape, CoverHoldsTheSurface) {
  Random random(5);
  for (const PerturbedQuadric& f : {test::kidney(), test::pebble(), test::tablet()}) {
    const ImplicitShape s = made(f);
    for (int i = 0; i < 100; ++i) {
      const Vec3 d = random.direction();
      const Vec3 x = ray_hit(s, Vec3::Zero(), d, 0.0, infinity) * d, n = outward(s, x);
      int holding = 0;
      for (const CoverNode& node : s.cover.nodes) {
        if (node.patch < 0) continue;
        const Box& box = s.cover.boxes[node.patch];
        if ((x - box.low).minCoeff() < 1e-12 || (box.high - x).minCoeff() < 1e-12) continue;
        ++holding;
        ASSERT_LE((x - node.centre).norm(), node.radius);
        ASSERT_GE(n.dot(node.normal), node.cosine - 1e-12);
        ASSERT_LE(std::abs(node.normal.dot(x - node.centre)), s.cover.patches[node.patch].rise + 1e-12);
      }
      ASSERT_LE(holding, 1);  // leaves do not overlap
      const CoverNode& root = s.cover.nodes[0];
      ASSERT_LE((x - root.centre).norm(), root.radius);
    }
  }
}

TEST(ImplicitShape, InvalidShapesAreRejectedWithTheReason) {
  const auto first_error = [](const PerturbedQuadric& f) {
    ShapeFindings findings;
    EXPECT_FALSE(make_implicit_shape(f, quick, findings).has_value());
    return findings.errors.empty() ? std::string() : findings.errors[0];
  };
  const auto says = [&](const PerturbedQuadric& f, const char* what) {
    const std::string error = first_error(f);
    EXPECT_NE(error.find(what), std::string::npos) << error;
  };
  says({ellipsoid_quadric({1.0, 1.0, infinity}), {}}, "not bounded");
  // A bump that grows without limit.
  says(perturbed({1, 1, 1}, {{negative(ellipsoid_quadric({0.5, 0.5, 0.5})), 1.0}}), "not bounded");
  says({ellipsoid_quadric({1, 1, 1}, {2.0, 0.0, 0.0}), {}}, "origin");
  // A rod that is cut through off its middle, and one that is nearly cut.
  const auto waisted = [](double f) {
    return perturbed({1.0, 0.4, 0.4}, {{ellipsoid_quadric({0.3, infinity, infinity}, {0.5, 0.0, 0.0}), f}});
  };
  says(waisted(-1.5), "more than one piece");
  says(waisted(-0.7445), "neck");
  says(perturbed({1.0, 0.5, 0.012}, {{ellipsoid_quadric({0.3, 0.3, 0.3}), -0.01}}), "nowhere thicker");
  says(perturbed({1, 1, 1}, {{ellipsoid_quadric({0.3, 0.3, 0.3}, {0.4, 0.0, 0.0}), -2.0}}), "hollow");
  PerturbedQuadric bad = perturbed({1, 1, 1});
  bad.base.x = std::nan("");
  says(bad, "not finite");
  ShapeFindings findings;
  EXPECT_TRUE(make_implicit_shape(test::coffee_bean(), quick, findings).has_value());
  EXPECT_TRUE(findings.errors.empty());
}

TEST(ImplicitShape, BoundsHoldAndAreTight) {
  Random random(6);
  const ImplicitShape s = made(test::pebble(), {.support_cells = 6});
  double farthest = 0.0, nearest = infinity, loosest = 0.0;
  for (int i = 0; i < 3000; ++i) {
    const Vec3 d = random.direction();
    const double r = ray_hit(s, Vec3::Zero(), d, 0.0, infinity);
    farthest = std::max(farthest, r);
    nearest = std::min(nearest, r);
    ASSERT_TRUE(((r * d - s.box.low).array() >= 0.0).all() && ((s.box.high - r * d).array() >= 0.0).all());
    if (i % 30 != 0) continue;
    // Support: at least that of any surface point along the direction, and below the certified bound.
    const Vec3 e = random.direction();
    const double h = e.dot(support(s, e));
    ASSERT_LE(e.dot(r * d), h + 1e-12);
    ASSERT_LE(h, support_bound(s, e) + 1e-12);
    loosest = std::max(loosest, support_bound(s, e) - h);
    ASSERT_NEAR(value(s.function, support(s, e)), 0.0, 1e-12);
    ASSERT_GT(outward(s, support(s, e)).dot(e), 1.0 - 1e-9);
  }
  EXPECT_LE(farthest, s.bounding_radius);
  EXPECT_GE(farthest, 0.99 * s.bounding_radius);
  EXPECT_GE(nearest, s.smallest_length - 1e-9);
  EXPECT_LE(nearest, 1.01 * s.smallest_length);
  EXPECT_LT(loosest, 0.06);  // 6 cells: 15 degrees
}

void expect_mass(const PerturbedQuadric& f, double volume, const Vec3& centre, const Vec3& second) {
  const MassProperties m = mass_properties(f, 10.0, 1e-7);
  EXPECT_NEAR(m.volume, volume, 1e-6 * volume);
  EXPECT_LT((m.centre - centre).norm(), 1e-6 * std::cbrt(volume));
  EXPECT_LT((m.second - Mat3(second.asDiagonal())).norm(), 1e-6 * second.sum());
}

TEST(ImplicitShape, MassPropertiesOfClosedForms) {
  // An ellipsoid: second moments a^2 / 5.
  expect_mass(perturbed({1.0, 0.7, 0.4}), 4.0 / 3.0 * pi * 0.28, Vec3::Zero(), Vec3(1.0, 0.49, 0.16) / 5.0);
  // A ball grown by a round perturbation: with s = r^2, 1 - s + f (s / b^2 - 1)^2 = 0, a quadratic.
  {
    const double b2 = 0.64, f = -0.8;
    const double p = f / (b2 * b2), q = -1.0 - 2.0 * f / b2, c = 1.0 + f;
    const double r2 = (-q - std::sqrt(q * q - 4.0 * p * c)) / (2.0 * p), r = std::sqrt(r2);
    expect_mass(perturbed({1, 1, 1}, {{negative(ellipsoid_quadric(Vec3::Constant(0.8))), f}}),
                4.0 / 3.0 * pi * r * r2, Vec3::Zero(), Vec3::Constant(r2 / 5.0));
  }
  // A waist: across x the body is a disc of rho^2 = b^2 (1 - x^2/a^2 + f (1 - x^2/c^2)^2 for |x| < c).
  {
    const double a = 1.0, b = 0.5, c = 0.55, f = -0.65;
    const double volume = pi * b * b * (4.0 / 3.0 * a + f * c * 16.0 / 15.0);
    const double x2 = pi * b * b * (4.0 / 15.0 * a * a * a + f * c * c * c * 16.0 / 105.0);
    // Mean y^2 of a disc is rho^2 / 4: pi/4 b^4 times the integral of (u + f w^2)^2, u = 1 - x^2/a^2, w = 1 -
    // x^2/c^2: for u^2 16 a / 15, for w^4 256 c / 315, for u w^2 c (16/15 - (c/a)^2 16/105).
    const double y2 = pi / 4.0 * b * b * b * b *
                      (16.0 / 15.0 * a + 2.0 * f * c * (16.0 / 15.0 - c * c / (a * a) * 16.0 / 105.0) +
                       f * f * c * 256.0 / 315.0);
    expect_mass(test::dumbbell(), volume, Vec3::Zero(), Vec3(x2, y2, y2) / volume);
  }
  // A paraboloid closed by a plane: discs of rho^2 = (c + b z - k (z - z0)^2 for z > z0) / a.
  {
    const double a = 1.6, b = 1.2, c = 0.7, k = 10.0, z0 = 0.1, low = -c / b;
    const double top = z0 + (b + std::sqrt(b * b + 4.0 * k * (c + b * z0))) / (2.0 * k);
    // Simpson's rule on halves would suffice for integrals of z^n rho^2m; these are polynomials, so Gauss is
    // exact.
    const auto integral = [&](int n, int m) {
      const double at[5] = {-0.9061798459386640, -0.5384693101056831, 0.0, 0.5384693101056831,
                            0.9061798459386640};
      const double weight[5] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                                0.4786286704993665, 0.2369268850561891};
      double sum = 0.0;
      for (const auto& [from, to] : {std::pair{low, z0}, std::pair{z0, top}}) {
        for (int i = 0; i < 5; ++i) {
          const double z = 0.5 * (from + to) + 0.5 * (to - from) * at[i], cut = std::max(z - z0, 0.0);
          sum +=
              0.5 * (to - from) * weight[i] * std::pow(z, n) * std::pow((c + b * z - k * cut * cut) / a, m);
        }
      }
      return sum;
    };
    const double volume = pi * integral(0, 1), z1 = pi * integral(1, 1) / volume;
    const double z2 = pi * integral(2, 1) / volume - z1 * z1, x2 = pi / 4.0 * integral(0, 2) / volume;
    expect_mass(test::top(), volume, Vec3(0.0, 0.0, z1), Vec3(x2, x2, z2));
  }
}

TEST(ImplicitShape, BodyFrameIsCentralAndPrincipal) {
  for (const PerturbedQuadric& f : {test::bean(), test::pebble()}) {
    const ImplicitShape s = made(f);
    const MassProperties m = mass_properties(s.function, 2.0 * s.bounding_radius, 1e-7);
    EXPECT_LT(m.centre.norm(), 1e-6);
    EXPECT_NEAR(m.volume, s.volume, 1e-6 * s.volume);
    const Mat3 inertia = m.inertia_per_mass();
    EXPECT_LT((inertia - Mat3(s.inertia_per_mass.asDiagonal())).norm(), 1e-6);
    const Vec3 x(0.1, 0.2, -0.3);  // the pose leads back to the file's frame
    EXPECT_NEAR(value(s.function, x), value(f, s.body_in_file.orientation * x + s.body_in_file.position),
                1e-12);
  }
}

TEST(ImplicitShape, WithoutPerturbationsItIsTheEllipsoid) {
  const Ellipsoid exact{Vec3(1.0, 0.75, 0.5)};
  PerturbedQuadric f = perturbed(exact.semi_axes, {{ellipsoid_quadric(Vec3::Constant(0.3)), 0.0}});
  const ImplicitShape s = made(f);
  ASSERT_TRUE(s.semi_axes.has_value());
  EXPECT_LT((*s.semi_axes - exact.semi_axes).norm(), 1e-15);
  EXPECT_NEAR(s.volume, volume(exact), 1e-14);
  EXPECT_LT((s.inertia_per_mass - inertia_per_mass(exact)).norm(), 1e-14);
}

TEST(ImplicitShape, TableOfDistancesIsWithinItsErrors) {
  // Against the nearest of many surface points, whose error is at most their spacing.
  Random random(8);
  for (const PerturbedQuadric& f : {test::pebble(), test::kidney(), test::tablet()}) {
    const ImplicitShape s = made(f);
    const SurfaceMesh mesh = surface_mesh(s, 60);
    double coarse = 0.0;  // half the longest edge
    for (const auto& t : mesh.triangles) {
      for (std::size_t k = 0; k < 3; ++k) {
        const Vec3 edge = mesh.points[t[k]] - mesh.points[t[(k + 1) % 3]];
        coarse = std::max(coarse, 0.6 * edge.norm());
      }
    }
    const DistanceTable& t = s.distances;
    for (int i = 0; i < 400; ++i) {
      const Vec3 x =
          1.6 * s.bounding_radius * Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
      double nearest = infinity;
      for (const Vec3& p : mesh.points) nearest = std::min(nearest, (p - x).norm());
      const bool inside = value(s.function, x) > 0.0;
      const double table = distance(t, x),
                   least = inside ? -nearest : std::sqrt(std::max(0.0, nearest * nearest - coarse * coarse)),
                   most = inside ? -std::sqrt(std::max(0.0, nearest * nearest - coarse * coarse)) : nearest;
      EXPECT_LE(table, most + 1.5 * t.error);
      if (!inside && table < t.near) {
        EXPECT_LE(table, most + 1.5 * t.excess);
      }
      const Vec3 at = t.inverse_cell * (x - t.low);
      const bool on_grid =
          (at.array() >= 0.0).all() && at[0] <= t.cells[0] && at[1] <= t.cells[1] && at[2] <= t.cells[2];
      if (on_grid) {
        EXPECT_GE(table, least - 1.5 * t.error);
      }
    }
  }
}

TEST(ImplicitShape, SamplesCoverTheSurface) {
  for (const PerturbedQuadric& f : {test::pebble(), test::dumbbell(), test::tablet()}) {
    const ImplicitShape s = made(f);
    const auto covered = [&](const Vec3& p) {
      return std::ranges::any_of(
          s.samples.samples, [&](const SurfaceSample& o) { return (o.point - p).norm() < 1.02 * o.spacing; });
    };
    for (const Vec3& p : surface_mesh(s, 12).points) EXPECT_TRUE(covered(p)) << p.transpose();
    const Balls& b = s.samples.of_groups;
    for (std::size_t g = 0; g < s.samples.groups.size(); ++g) {
      const auto [first, count] = s.samples.groups[g];
      for (const SurfaceSample& o : std::span(s.samples.samples).subspan(first, count))
        EXPECT_LE((o.point - Vec3(b.x[g], b.y[g], b.z[g])).norm() + o.spacing, b.radius[g] * (1.0 + 1e-12));
    }
  }
}

TEST(ImplicitShape, EllipsoidsMayBeThin) {
  // A sliver in a user's function is an error, but not in an ellipsoid: one of 1000 : 1 is also built.
  ShapeFindings findings;
  const std::optional<ImplicitShape> thin =
      make_implicit_shape(perturbed({1.0, 0.5, 1e-3}), {.support_cells = 1}, findings);
  ASSERT_TRUE(thin.has_value());
  EXPECT_TRUE(findings.errors.empty());
  EXPECT_EQ(thin->smallest_length, 1e-3);
}

TEST(ImplicitShape, MeshIsClosed) {
  // Two star-shaped bodies and one that is not.
  const PerturbedQuadric hook =
      perturbed({1.0, 0.7, 0.4}, {{ellipsoid_quadric({0.7, 0.55, infinity}, {0.0, 0.5, 0.0}), -1.5}});
  for (const PerturbedQuadric& f : {test::pebble(), test::rounded_cube(), hook}) {
    const ImplicitShape s = made(f);
    const SurfaceMesh mesh = surface_mesh(s, 16);
    std::map<std::pair<std::int32_t, std::int32_t>, int> edges;
    double volume = 0.0;
    for (const auto& [a, b, c] : mesh.triangles) {
      for (const auto& [i, j] : {std::pair{a, b}, std::pair{b, c}, std::pair{c, a}}) ++edges[{i, j}];
      volume += mesh.points[a].dot(mesh.points[b].cross(mesh.points[c])) / 6.0;
    }
    for (const auto& [edge, count] : edges) {
      ASSERT_EQ(count, 1);
      ASSERT_EQ(edges.count({edge.second, edge.first}), 1u);
    }
    EXPECT_NEAR(volume, s.volume, 0.02 * s.volume);
    for (std::size_t i = 0; i < mesh.points.size(); ++i) {
      ASSERT_NEAR(value(s.function, mesh.points[i]), 0.0, 1e-10);
      ASSERT_NEAR(mesh.normals[i].norm(), 1.0, 1e-12);
    }
  }
}

// Any numbers give a shape or a message.
TEST(ImplicitShape, ExtremeSizesAreBuiltOrReported) {
  const auto said = [](const PerturbedQuadric& f) {
    ShapeFindings findings;
    const bool made = make_implicit_shape(f, {.distance_cells = 2, .support_cells = 1}, findings).has_value();
    EXPECT_EQ(made, findings.errors.empty());
    return made ? std::string("made") : findings.errors.front();
  };
  const auto has = [](const std::string& text, const char* what) {
    return text.find(what) != std::string::npos;
  };
  for (const double size : {1e-29, 1.0, 1e29})
    EXPECT_EQ(said(perturbed(Vec3::Constant(size))), "made") << size;
  for (const double size : {1e-31, 1e-100, 1e31, 1e100, 1e150})
    EXPECT_TRUE(has(said(perturbed(Vec3::Constant(size))), "in the units of the shape")) << size;
  for (const double size : {1e-300, 1e-200, 1e200, 1e300})
    EXPECT_NE(said(perturbed(Vec3::Constant(size))), "made");
  for (const double thin : {1e-5, 1e-7, 1e-14, 1e-40, 1e-140}) {
    const bool is_made = thin > 1e-6;
    EXPECT_EQ(said(perturbed({1.0, 1.0, thin})) == "made", is_made) << thin;
    EXPECT_EQ(said(perturbed({thin, thin, 1.0})) == "made", is_made) << thin;
  }
  for (const double size : {1e-30, 1e10, 1e120}) {
    PerturbedQuadric sharp = test::pebble(), strong = test::pebble();
    sharp.perturbations[0].quadric = ellipsoid_quadric(Vec3::Constant(1.0 / size), Vec3(0.9, 0.0, 0.0));
    strong.perturbations[0].weight *= size;
    EXPECT_FALSE(said(sharp).empty());
    EXPECT_FALSE(said(strong).empty());
    EXPECT_FALSE(said(scaled(test::pebble(), size)).empty());
  }
}

TEST(ImplicitShape, SupportBoundOfNonFiniteVectorIsNaN) {
  ShapeFindings findings;
  const ImplicitShape shape = *make_implicit_shape(test::pebble(), {}, findings);
  for (const double x : {std::nan(""), infinity, -infinity})
    EXPECT_TRUE(std::isnan(support_bound(shape, Vec3(0.1, x, 0.2))));
}

TEST(Shapes, VeryThinEllipsoidsWithImplicitShapesAreRejected) {
  ShapeFindings findings;
  const auto pebble = std::make_shared<ImplicitShape>(*make_implicit_shape(test::pebble(), {}, findings));
  Shapes alone, before, after;
  const Ellipsoid thin{Vec3(1e-14, 1e-14, 0.2)}, thick{Vec3(1e-6, 1e-6, 0.2)};
  EXPECT_NO_THROW(alone.add(thin));
  EXPECT_THROW(alone.add_function({"pebble", test::pebble(), pebble}), InputError);
  after.add_function({"pebble", test::pebble(), pebble});
  EXPECT_THROW(after.add(thin), InputError);
  const ShapeIndex fits = after.add(thick);
  EXPECT_DOUBLE_EQ(after.size_of(fits), 0.2);
}

}  // namespace
}  // namespace scree
