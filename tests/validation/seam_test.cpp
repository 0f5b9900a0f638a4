// Walls of several pieces: at flush seams or edges, bodies have the same contacts as on one mesh.
#include <algorithm>
#include <gtest/gtest.h>

#include "engine/geometry/mesh_repair.h"
#include "tests/support/meshes.h"
#include "tests/support/world.h"

namespace scree {
namespace {

using test::World;

/// Two plates that meet along the y axis, each inclined: 0 flush, > 0 a ridge, < 0 a valley, rad.
struct Fold {
  double left, right;
  Vec3 corner(double x, double y) const {
    const double angle = x < 0.0 ? left : right;
    return {x * std::cos(angle), y, -std::abs(x) * std::sin(angle)};
  }
};

constexpr double half_width = 2.0, half_length = 2.0;  // m, of the plates

/// One plate, as strips between positions along the seam.
void add_plate(const Fold& fold, double side, const std::vector<double>& cuts, std::vector<Vec3>& points,
               test::Triangles& triangles) {
  for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
    const auto first = static_cast<std::int32_t>(points.size());
    for (const double y : {cuts[k], cuts[k + 1]}) {
      points.push_back(fold.corner(0.0, y));
      points.push_back(fold.corner(side * half_width, y));
    }
    triangles.push_back({first, first + 1, first + 2});
    triangles.push_back({first + 1, first + 3, first + 2});
  }
}

std::vector<double> cuts(Random& random, int inner) {
  std::vector<double> all{-half_length, half_length};
  for (int k = 0; k < inner; ++k) all.push_back(random.uniform(-0.5, 0.5));
  std::ranges::sort(all);
  return all;
}

PairLaw law(double friction, double restitution) {
  PairLaw l;
  l.friction = friction;
  l.restitution = restitution;
  return l;
}

/// Composition of two poses.
Pose then(const Pose& outer, const Pose& inner) {
  return {outer.position + outer.orientation * inner.position, outer.orientation * inner.orientation};
}

/// The same body over the plates as one mesh, as two walls, and as one mesh whose pieces share no corners.
struct Seams {
  World joined, two, loose;

  Seams(Random& random, const Fold& fold, const PairLaw& how, double h, RestitutionLaw restitution)
      : joined(how, h), two(how, h), loose(how, h) {
    const Pose place{Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)),
                     random.rotation()};
    const std::vector<double> one{-half_length, half_length}, left = cuts(random, 3), right = cuts(random, 2);
    std::vector<Vec3> points;
    test::Triangles triangles;
    add_plate(fold, -1.0, one, points, triangles);
    add_plate(fold, 1.0, one, points, triangles);
    joined.model.boundaries.push_back({"joined", joined.material, test::placed(points, triangles, place)});

    std::vector<Vec3> all;
    test::Triangles all_triangles;
    for (const double side : {-1.0, 1.0}) {
      points.clear();
      triangles.clear();
      add_plate(fold, side, side < 0.0 ? left : right, points, triangles);
      two.model.boundaries.push_back(
          {side < 0.0 ? "left" : "right", two.material, test::placed(points, triangles, place)});
      add_plate(fold, side, side < 0.0 ? left : right, all, all_triangles);
    }
    loose.model.boundaries.push_back({"loose", loose.material, test::placed(all, all_triangles, place)});
    for (World* world : {&joined, &two, &loose}) {
      world->model.settings.gravity.setZero();
      world->model.settings.restitution_law = restitution;
    }
    to_world = place;
  }
  Pose to_world;
};

TEST(Seams, BodiesBounceAsOnOneMesh) {
  // 1000 impacts next to seams of all kinds: pieces that share no corners, T-junctions, ridges, valleys, any
  // direction, any step, both laws. Velocities afterwards equal those on one mesh to 1e-9 of the speed:
  // impulses are found to 1e-9, and the contacts are the same.
  Random random(40);
  int bounced = 0;
  for (int k = 0; k < 1000; ++k) {
    const bool flush = k % 2 == 0;
    const double angle = random.uniform(-0.6, 0.6);
    const Fold fold = flush ? Fold{angle, -angle} : Fold{angle, random.uniform(-0.6, 0.6)};
    const double h = std::pow(10.0, random.uniform(-4.0, -2.3)), radius = random.uniform(0.03, 0.1);
    Seams seams(random, fold, law(random.uniform(0.0, 0.8), random.uniform(0.0, 1.0)), h,
                k % 3 == 0 ? RestitutionLaw::energetic : RestitutionLaw::dissipative);
    const Vec3 axes = k % 4 < 2
                          ? Vec3(Vec3::Constant(radius))
                          : Vec3(radius * Vec3(1.0, random.uniform(0.4, 1.0), random.uniform(0.4, 1.0)));
    // Towards a point next to the seam, from above both plates.
    const Vec3 target(random.uniform(-1.0, 1.0) * radius, random.uniform(-0.4, 0.4), 0.0);
    const Vec3 way = Vec3(random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5), -1.0);
    const double away = radius + random.uniform(0.2, 1.0) * 2.0 * h + 0.1 * radius;
    const Pose start = then(seams.to_world, {target + Vec3(0, 0, radius) - away * way, random.rotation()});
    const Twist twist{seams.to_world.orientation * (way * random.uniform(0.5, 2.0)),
                      Vec3(random.uniform(-3, 3), random.uniform(-3, 3), random.uniform(-3, 3))};
    const double speed = twist.linear.norm();
    for (World* world : {&seams.joined, &seams.two, &seams.loose}) world->add(axes, start, twist);
    const int steps = static_cast<int>(std::ceil((away + 2.0 * radius) / (0.4 * speed) / h));
    for (int n = 0; n < std::min(steps, 4000); ++n) {
      for (World* world : {&seams.joined, &seams.two, &seams.loose}) world->step();
      const Bodies& is = seams.joined.state.bodies;
      for (const World* world : {&seams.two, &seams.loose}) {
        const Bodies& seen = world->state.bodies;
        const double error = (seen.linear_velocity[0] - is.linear_velocity[0]).norm() +
                             radius * (seen.angular_velocity[0] - is.angular_velocity[0]).norm();
        ASSERT_LT(error, 1e-9 * speed)
            << "impact " << k << (world == &seams.two ? " two" : " loose") << " step " << n << " h " << h
            << " angles " << fold.left << ' ' << fold.right << " radii " << axes.transpose();
      }
    }
    if ((seams.joined.state.bodies.linear_velocity[0] - twist.linear).norm() > 1e-6 * speed) ++bounced;
  }
  EXPECT_GT(bounced, 950);
}

TEST(Seams, BallBouncesOnTwoHalvesAsOnOnePlane) {
  // From a user: (1, 0, -1) m/s onto flush halves, friction 0.3 that sticks, restitution 0.5: (5/7, 1/2).
  for (const double h : {2e-4, 1e-3, 2e-3, 5e-3})
    for (const double land : {-0.02, -0.01, -0.003, -1e-4, 0.0, 1e-4, 0.004}) {
      World world(law(0.3, 0.5), h);
      world.model.settings.gravity.setZero();
      for (const double side : {-1.0, 1.0}) {
        std::vector<Vec3> points;
        test::Triangles triangles;
        add_plate({0.0, 0.0}, side, {-1.0, 1.0}, points, triangles);
        world.model.boundaries.push_back({"half", world.material, test::placed(points, triangles)});
      }
      world.add_sphere(0.05, Vec3(land - 0.1, 0.1, 0.15), {Vec3(1, 0, -1), Vec3::Zero()});
      world.run(0.4);
      const Vec3& v = world.state.bodies.linear_velocity[0];
      EXPECT_NEAR(v[0], 5.0 / 7.0, 1e-8) << h << ' ' << land;
      EXPECT_NEAR(v[1], 0.0, 1e-8);
      EXPECT_NEAR(v[2], 0.5, 1e-8) << h << ' ' << land;
    }
}

TEST(Seams, BallBouncesOnTwoCubesAsOnOne) {
  // Their edges at the seam are those of closed boxes, with coincident sides.
  Random random(41);
  for (int k = 0; k < 40; ++k) {
    const double h = k % 2 == 0 ? 1e-3 : 5e-3;
    World world(law(0.3, 0.5), h);
    world.model.settings.gravity.setZero();
    for (const double x : {-0.5, 0.5})
      world.model.boundaries.push_back(
          {"cube", world.material, test::box(Vec3::Constant(0.5), {Vec3(x, 0, -0.5), Quat::Identity()})});
    world.add_sphere(0.05, Vec3(random.uniform(-0.05, 0.05) - 0.1, random.uniform(-0.3, 0.3), 0.15),
                     {Vec3(1, 0, -1), Vec3::Zero()});
    world.run(0.4);
    const Vec3& v = world.state.bodies.linear_velocity[0];
    EXPECT_NEAR(v[0], 5.0 / 7.0, 1e-8) << k;
    EXPECT_NEAR(v[2], 0.5, 1e-8) << k;
  }
}

TEST(Seams, RollingBodiesDoNotJumpAtSeams) {
  // Balls and long grains roll and slide over flush plates whose corners are off by 1e-7 m: height to 2e-7 m,
  // and final velocities to 1e-5 of those on a floor of one piece.
  Random random(42);
  for (int k = 0; k < 20; ++k) {
    const PairLaw how = law(k % 2 == 0 ? 0.0 : 0.5, 0.3);
    World pieces(how, 1e-3), plane(how, 1e-3);
    for (int piece = 0; piece < 8; ++piece) {
      std::vector<Vec3> points;
      for (const double x : {-0.25 + 0.125 * piece, -0.125 + 0.125 * piece})
        for (const double y : {-1.0, 1.0})
          points.push_back(Vec3(x + random.uniform(0.0, 1e-7), y, random.uniform(-1e-7, 0.0)));
      pieces.model.boundaries.push_back(
          {"piece", pieces.material, test::placed(points, {{0, 2, 1}, {1, 2, 3}})});
    }
    plane.add_floor();
    for (World* world : {&pieces, &plane})
      world->add_sphere(0.05, Vec3(-0.2, 0, 0.05), {Vec3(0.5, 0.05, 0), Vec3::Zero()});
    double highest = 0.0;
    pieces.run(1.0, [&](const StepReport&) {
      highest = std::max(highest, pieces.state.bodies.position[0][2] - 0.05);
    });
    plane.run(1.0);
    EXPECT_LT(highest, 2e-7) << k;
    EXPECT_LT((pieces.state.bodies.linear_velocity[0] - plane.state.bodies.linear_velocity[0]).norm(), 1e-5)
        << k;
  }
}

TEST(Seams, WeldedPlatesAreOneFloor) {
  // Plates cut at other places on either side of their seams, with corners off by 1e-7 m, welded as walls
  // with `weld` are. If corners are off only along the plates, balls slide, roll and bounce as on a plane to
  // 1e-9. If they are off across them by as much, there are tilts of 1e-7 over edges as short as a hundredth:
  // 1e-5.
  Random random(43);
  for (int k = 0; k < 24; ++k) {
    const bool flat = k % 2 == 0;
    const PairLaw how = law(k % 4 < 2 ? 0.0 : 0.5, 0.6);
    std::vector<Vec3> points;
    test::Triangles triangles;
    for (int piece = 0; piece < 8; ++piece) {
      const double left = -0.25 + 0.125 * piece;
      std::vector<double> at = cuts(random, 3);
      for (std::size_t c = 0; c + 1 < at.size(); ++c) {
        const auto first = static_cast<std::int32_t>(points.size());
        for (const double x : {left, left + 0.125})
          for (const double y : {at[c], at[c + 1]})
            points.push_back(Vec3(x + random.uniform(-1e-7, 1e-7), y + random.uniform(-1e-7, 1e-7),
                                  flat ? 0.0 : random.uniform(-1e-7, 1e-7)));
        triangles.push_back({first, first + 2, first + 1});
        triangles.push_back({first + 1, first + 2, first + 3});
      }
    }
    const TriangleMesh mesh = without_t_junctions(welded({points, triangles}, 1e-6), 1e-6);
    MeshFindings findings;
    World plates(how, 1e-3), plane(how, 1e-3);
    plates.model.boundaries.push_back(
        {"plates", plates.material, test::placed(mesh.points, mesh.triangles, {}, &findings)});
    plane.add_floor();
    EXPECT_EQ(findings.crowded_edges + findings.turned_edges, 0u);
    EXPECT_LE(findings.open_edges, 2u * 4u * 8u);  // around them, not between them
    const Vec3 start(-0.2, random.uniform(-0.1, 0.1), k % 3 == 0 ? 0.05 : 0.09);
    for (World* world : {&plates, &plane}) world->add_sphere(0.05, start, {Vec3(0.6, 0.05, 0), Vec3::Zero()});
    const double accuracy = flat ? 1e-9 : 3e-5;
    double worst = 0.0;
    for (int n = 0; n < 1000; ++n) {
      plates.step();
      plane.step();
      Vec3 off = plates.state.bodies.linear_velocity[0] - plane.state.bodies.linear_velocity[0];
      if (!flat) off.z() = 0.0;  // a body that leaves a ridge of 1e-7 m falls for one step
      worst = std::max(worst, off.norm());
    }
    EXPECT_LT(worst, accuracy) << k;
  }
}

}  // namespace
}  // namespace scree
