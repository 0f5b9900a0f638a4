#include "engine/geometry/clump.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

#include "engine/core/random.h"
#include "engine/geometry/clump_mass.h"
#include "engine/geometry/clump_mesh.h"
#include "engine/geometry/ellipsoid_ellipsoid.h"

namespace scree {
namespace {

constexpr double pi = std::numbers::pi;

Clump made(const std::vector<ClumpMember>& members) {
  ShapeFindings findings;
  const std::optional<Clump> clump = make_clump(members, findings);
  EXPECT_TRUE(clump.has_value());
  for (const std::string& e : findings.errors) ADD_FAILURE() << e;
  return clump.value_or(Clump{});
}

ClumpMember ball(double radius, const Vec3& at) { return {{Vec3::Constant(radius)}, {at, Quat::Identity()}}; }

Vec3 on_surface(const ClumpMember& p, Random& random) {
  return p.pose.position + p.pose.orientation * p.ellipsoid.semi_axes.cwiseProduct(random.direction());
}

/// The centre of each member is inside an earlier member.
std::vector<ClumpMember> random_members(std::size_t count, Random& random) {
  std::vector<ClumpMember> members;
  for (std::size_t i = 0; i < count; ++i) {
    Vec3 at(3.0, -2.0, 1.0);
    if (i > 0) {
      const ClumpMember& on = members[static_cast<std::size_t>(random.uniform() * static_cast<double>(i))];
      at = on.pose.position + 0.9 * (on_surface(on, random) - on.pose.position);
    }
    const Vec3 axes(random.uniform(0.5, 1.5), random.uniform(0.5, 1.5), random.uniform(0.5, 1.5));
    members.push_back({{axes}, {at, random.rotation()}});
  }
  return members;
}

std::vector<ClumpMember> moved(std::vector<ClumpMember> members, const Pose& pose) {
  for (ClumpMember& p : members)
    p.pose = {pose.position + pose.orientation * p.pose.position, pose.orientation * p.pose.orientation};
  return members;
}

/// A dimensionless depth: positive inside a member.
double depth(const ClumpMember& p, const Vec3& x) {
  return 1.0 - (p.pose.orientation.conjugate() * (x - p.pose.position))
                   .cwiseQuotient(p.ellipsoid.semi_axes)
                   .squaredNorm();
}
double depth(const Clump& c, const Vec3& x) {
  double most = -infinity;
  for (const ClumpMember& p : c.members) most = std::max(most, depth(p, x));
  return most;
}

/// Two balls of radius 1 about (+-h, 0, 0): discs of radius^2 1 - s^2 at |x| = s + h, s from -h to 1.
struct TwoBalls {
  double volume, xx, yy;  // integrals of 1, x^2, y^2
};
TwoBalls two_balls(double h) {
  const auto between = [&](const auto& integral) { return integral(1.0) - integral(-h); };
  return {2.0 * pi * between([](double s) { return s - s * s * s / 3.0; }),
          2.0 * pi * between([&](double s) {
            return h * h * s + h * s * s + (1.0 - h * h) * s * s * s / 3.0 - h * std::pow(s, 4) / 2.0 -
                   std::pow(s, 5) / 5.0;
          }),
          0.5 * pi * between([](double s) { return s - 2.0 * s * s * s / 3.0 + std::pow(s, 5) / 5.0; })};
}

TEST(Clump, OnePartIsTheEllipsoid) {
  Random random(1);
  const Ellipsoid e{Vec3(1.0, 0.7, 0.4)};
  const Pose pose{Vec3(3, 2, 1), random.rotation()};
  const Clump c = made({{e, pose}});
  EXPECT_EQ(c.volume, volume(e));
  EXPECT_EQ(c.inertia_per_mass, inertia_per_mass(e));
  EXPECT_EQ(c.mass_error, 0.0);
  EXPECT_EQ(c.body_in_file.position, pose.position);
  EXPECT_LT(c.body_in_file.orientation.angularDistance(pose.orientation), 1e-15);
  EXPECT_NEAR(c.bounding_radius, 1.0, 2e-14);
  EXPECT_GE(c.bounding_radius, 1.0);
  EXPECT_EQ(c.smallest_length, 0.4);
  EXPECT_LT((enclosing_ellipsoid(c).semi_axes - e.semi_axes).norm(), 1e-13);
  for (int i = 0; i < 1000; ++i) {
    const Vec3 d = random.direction(), o = 2.0 * random.direction();
    EXPECT_LT(
        (support(c, d) - e.semi_axes.cwiseAbs2().cwiseProduct(d) / e.semi_axes.cwiseProduct(d).norm()).norm(),
        1e-14);
    const double t = ray_hit(e, o, d, 0.0, infinity);
    if (t == infinity) {
      EXPECT_EQ(ray_hit(c, o, d, 0.0, infinity), t);
    } else {
      EXPECT_NEAR(ray_hit(c, o, d, 0.0, infinity), t, 1e-12);
    }
    const Mat3 r = random.rotation().toRotationMatrix();
    EXPECT_LT((half_extent(c, r) - Vec3((r * e.semi_axes.asDiagonal()).rowwise().norm())).norm(), 1e-14);
  }
}

TEST(Clump, TwoBallsByClosedForm) {
  // Shallow and deep. The quadrature has an error tolerance of 1e-9; the rest of the tolerance is for
  // rounding.
  for (const double h : {0.999, 0.99, 0.9, 0.6, 0.3, 0.05, 1e-3}) {
    for (const Vec3& axis : {Vec3(1, 0, 0), Vec3(0, 0, 1), Vec3(0.6, 0.0, 0.8), Vec3(0.48, 0.6, 0.64)}) {
      const Clump c = made({ball(1.0, h * axis), ball(1.0, -h * axis)});
      const TwoBalls exact = two_balls(h);
      EXPECT_NEAR(c.volume, exact.volume, 2e-9 * exact.volume) << h;
      EXPECT_LT(c.mass_error, 2e-9);
      EXPECT_LT(c.body_in_file.position.norm(), 1e-9);
      const double along = 2.0 * exact.yy / exact.volume, across = (exact.xx + exact.yy) / exact.volume;
      std::array<double, 3> moments{c.inertia_per_mass[0], c.inertia_per_mass[1], c.inertia_per_mass[2]};
      std::sort(moments.begin(), moments.end());
      EXPECT_NEAR(moments[0], along, 3e-9) << h;
      EXPECT_NEAR(moments[1], across, 3e-9) << h;
      EXPECT_NEAR(moments[2], across, 3e-9) << h;
      EXPECT_NEAR(c.bounding_radius, 1.0 + h, 1e-9);
    }
  }
}

TEST(Clump, StretchedBallsByClosedForm) {
  // Two balls stretched along any axes: volume and moments stretch with them.
  Random random(2);
  for (int i = 0; i < 50; ++i) {
    const double h = random.uniform(0.1, 0.95);
    const Vec3 stretch(random.uniform(0.3, 3.0), random.uniform(0.3, 3.0), random.uniform(0.3, 3.0));
    std::vector<ClumpMember> members;
    for (const double side : {1.0, -1.0})
      members.push_back({{stretch}, {Vec3(side * h * stretch[0], 0, 0), Quat::Identity()}});
    const TwoBalls exact = two_balls(h);
    const MassProperties m = mass_properties(moved(members, {random.direction(), random.rotation()}), 1e-9);
    EXPECT_NEAR(m.volume, exact.volume * stretch.prod(), 2e-9 * m.volume);
    const Vec3 second = Vec3(exact.xx, exact.yy, exact.yy).cwiseProduct(stretch.cwiseAbs2()) / exact.volume;
    EXPECT_NEAR(m.second.trace(), second.sum(), 5e-9 * second.sum());
    EXPECT_NEAR(m.second.determinant(), second.prod(), 2e-8 * second.prod());
  }
}

TEST(Clump, ThinAndDegenerateClumpsKeepAccuracy) {
  // Crossed discs 50 times as wide as thick, with coefficients that vanish by symmetry: compared with a
  // rotated copy.
  const std::vector<ClumpMember> discs{{{Vec3(1, 1, 0.02)}, {}},
                                       {{Vec3(0.02, 1, 1)}, {Vec3(0.3, 0, 0), Quat::Identity()}}};
  Random random(10);
  const MassProperties m = mass_properties(discs, 1e-9);
  std::vector<ClumpMember> turned = moved(discs, {Vec3::Zero(), random.rotation()});
  for (ClumpMember& p : turned) {
    const Vec3 a = p.ellipsoid.semi_axes;
    p.ellipsoid.semi_axes = Vec3(a[1], a[2], a[0]);
    p.pose.orientation = p.pose.orientation * Quat(0.5, 0.5, 0.5, 0.5);
  }
  EXPECT_LT(m.error, 2e-9);
  EXPECT_NEAR(mass_properties(turned, 1e-9).volume, m.volume, 4e-9 * m.volume);
  // Three balls with surfaces that meet in one circle: the others cover the middle one up to this circle.
  const Vec3 axis(0.48, 0.6, 0.64);
  const double h = 0.6, radius = std::sqrt(1.0 - h * h);
  const Clump c = made({ball(1.0, -h * axis), ball(radius, Vec3::Zero()), ball(1.0, h * axis)});
  EXPECT_NEAR(c.volume, two_balls(h).volume, 2e-9 * c.volume);
  EXPECT_LT(c.mass_error, 1e-8);
}

TEST(Clump, DisjointOverlapLensesAddUp) {
  // A row of three balls and a corner of three: the volume of three minus two separate lenses.
  const double h = 0.8, three = 4.0 * pi, lens = 2.0 * pi / 3.0 * (1.0 - h) * (1.0 - h) * (2.0 + h);
  for (const Vec3& third : {Vec3(-2.0 * h, 0, 0), Vec3(0, 0, 2.0 * h)}) {
    const Clump c = made({ball(1.0, Vec3::Zero()), ball(1.0, Vec3(2.0 * h, 0, 0)), ball(1.0, third)});
    EXPECT_NEAR(c.volume, three - 2.0 * lens, 2e-9 * three);
  }
}

TEST(Clump, SymmetricClumpsKeepTheirAxes) {
  // A cross of six balls about one: all moments are equal, so no rotation is allowed.
  std::vector<ClumpMember> members{ball(1.0, Vec3::Zero())};
  for (int k = 0; k < 3; ++k) {
    for (const double side : {1.2, -1.2}) members.push_back(ball(0.8, side * Vec3::Unit(k)));
  }
  const Clump cross = made(members);
  EXPECT_TRUE(cross.body_in_file.orientation.isApprox(Quat::Identity(), 0.0));
  EXPECT_LT(cross.body_in_file.position.norm(), 1e-9);
  EXPECT_NEAR(cross.inertia_per_mass[0], cross.inertia_per_mass[2], 1e-8);
  // Three about a threefold axis, which is principal.
  members.clear();
  for (int k = 0; k < 3; ++k) {
    const double angle = 2.0 * pi * k / 3.0;
    members.push_back(ball(1.0, Vec3(std::cos(angle), std::sin(angle), 0.0)));
  }
  const Clump ring = made(members);
  EXPECT_TRUE(ring.body_in_file.orientation.isApprox(Quat::Identity(), 0.0));
  EXPECT_NEAR(ring.inertia_per_mass[0], ring.inertia_per_mass[1], 1e-8);
  EXPECT_GT(ring.inertia_per_mass[2], ring.inertia_per_mass[0] + 0.1);
}

TEST(Clump, DoesNotDependOnTheGivenFrame) {
  // The circles at which members are cut belong to the members, so the order of their axes is changed, too.
  Random random(3);
  for (int i = 0; i < 20; ++i) {
    const std::vector<ClumpMember> members = random_members(2 + i % 6, random);
    std::vector<ClumpMember> again = moved(members, {10.0 * random.direction(), random.rotation()});
    for (ClumpMember& p : again) {
      const Vec3 a = p.ellipsoid.semi_axes;
      p.ellipsoid.semi_axes = Vec3(a[1], a[2], a[0]);
      p.pose.orientation = p.pose.orientation * Quat(0.5, 0.5, 0.5, 0.5);
    }
    const Clump c = made(members), d = made(again);
    EXPECT_NEAR(c.volume, d.volume, 4e-9 * c.volume);
    if (c.members.size() < members.size()) continue;  // one lies within another: it is left out
    std::array<std::pair<double, int>, 3> of_c, of_d;
    for (int k = 0; k < 3; ++k) {
      of_c[k] = {c.inertia_per_mass[k], k};
      of_d[k] = {d.inertia_per_mass[k], k};
    }
    std::sort(of_c.begin(), of_c.end());
    std::sort(of_d.begin(), of_d.end());
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(of_c[k].first, of_d[k].first, 1e-8 * of_c[k].first);
      // Axes may be reversed; their error is the error of the moments over the differences of moments.
      for (std::size_t j = 0; j < members.size(); ++j) {
        const double there = c.members[j].pose.position[of_c[k].second],
                     here = d.members[j].pose.position[of_d[k].second];
        EXPECT_NEAR(std::abs(there), std::abs(here), 1e-6);
      }
    }
    EXPECT_NEAR(c.bounding_radius, d.bounding_radius, 1e-7);
    // The frame leads back to the input.
    for (std::size_t j = 0; j < members.size(); ++j) {
      EXPECT_LT((c.body_in_file.position + c.body_in_file.orientation * c.members[j].pose.position -
                 members[j].pose.position)
                    .norm(),
                1e-13);
    }
    // In its own frame it is central and principal.
    const MassProperties m = mass_properties(c.members, 1e-9);
    EXPECT_LT(m.centre.norm(), 1e-8);
    EXPECT_LT((m.inertia_per_mass() - Mat3(c.inertia_per_mass.asDiagonal())).norm(), 1e-7);
  }
}

/// Volume and mean of x^2 by exact lines on a grid across them.
std::pair<double, double> by_lines(const std::vector<ClumpMember>& members, const Vec3& centre,
                                   double radius) {
  constexpr int cells = 300;
  const double side = 2.0 * radius / cells;
  double volume = 0.0, xx = 0.0;
  std::vector<std::pair<double, double>> within;
  for (int i = 0; i < cells; ++i) {
    for (int j = 0; j < cells; ++j) {
      const Vec3 o = centre + Vec3(0.0, (i + 0.5) * side - radius, (j + 0.5) * side - radius);
      within.clear();
      for (const ClumpMember& p : members) {
        const Vec3 from = p.pose.orientation.conjugate() * (o - p.pose.position);
        const Vec3 along = p.pose.orientation.conjugate() * Vec3::UnitX();
        const double in = ray_hit(p.ellipsoid, from, along, -infinity, infinity);
        if (in < infinity) within.emplace_back(in, ray_hit(p.ellipsoid, from, along, in + 1e-12, infinity));
      }
      std::sort(within.begin(), within.end());
      double reached = -infinity;
      for (const auto& [from, to] : within) {
        const double begin = std::max(from, reached);
        if (!(to > begin) || to == infinity) continue;
        volume += side * side * (to - begin);
        xx += side * side * (to * to * to - begin * begin * begin) / 3.0;
        reached = to;
      }
    }
  }
  return {volume, xx / volume};
}

TEST(Clump, MassByAnIndependentSum) {
  // Lines end at rims like square roots, so a grid of n^2 lines has an error of about n^-1.5, here 2e-4.
  Random random(4);
  for (int i = 0; i < 12; ++i) {
    const std::vector<ClumpMember> members = random_members(5, random);
    const Clump c = made(members);
    const auto [volume, xx] = by_lines(members, c.body_in_file.position, c.bounding_radius);
    EXPECT_NEAR(c.volume, volume, 3e-4 * volume);
    const MassProperties m = mass_properties(members, 1e-9);
    EXPECT_NEAR(m.second(0, 0), xx, 1e-3 * xx);
    EXPECT_LT(c.mass_error, 2e-9);
  }
}

TEST(Clump, ErrorEstimateBoundsTheError) {
  // Compared with a quadrature of a tolerance of 1e-11, over other circles.
  Random random(5);
  for (int i = 0; i < 14; ++i) {
    std::vector<ClumpMember> members = random_members(2 + i % 7, random), visible;
    for (std::size_t k = 0; k < members.size(); ++k) {
      if (!holder(members, k)) visible.push_back(members[k]);
    }
    if (visible.size() < 2) continue;
    std::vector<ClumpMember> turned = visible;
    for (ClumpMember& p : turned) {
      const Vec3 a = p.ellipsoid.semi_axes;
      p.ellipsoid.semi_axes = Vec3(a[1], a[2], a[0]);
      p.pose.orientation = p.pose.orientation * Quat(0.5, 0.5, 0.5, 0.5);
    }
    const MassProperties fine = mass_properties(turned, 1e-11);
    for (const double tolerance : {1e-4, 1e-7, 1e-9}) {
      const MassProperties m = mass_properties(visible, tolerance);
      EXPECT_LE(std::abs(m.volume - fine.volume), (m.error + 1e-11) * fine.volume);
      EXPECT_LE((m.inertia_per_mass() - fine.inertia_per_mass()).cwiseAbs().maxCoeff(),
                (3.0 * m.error + 1e-11) * fine.inertia_per_mass().norm());
      EXPECT_LE(m.error, 3.0 * tolerance);
    }
  }
}

TEST(Clump, PartsWithinAnotherAddNothing) {
  const Ellipsoid large{Vec3(1.0, 1.3, 0.9)};
  const Pose pose{Vec3(0.1, 0.0, 0.0), Quat(Eigen::AngleAxisd(0.3, Vec3::UnitY()))};
  ShapeFindings findings;
  const std::vector<ClumpMember> members{ball(0.5, Vec3(0.1, 0.2, 0.0)), {large, pose}, {large, pose}};
  const std::optional<Clump> c = make_clump(members, findings);
  ASSERT_TRUE(c.has_value());
  EXPECT_TRUE(findings.errors.empty());
  ASSERT_EQ(findings.warnings.size(), 2u);
  EXPECT_EQ(findings.warnings[0], "member 0 lies completely within member 1: it adds nothing to the clump");
  EXPECT_EQ(findings.warnings[1], "member 2 lies completely within member 1: it adds nothing to the clump");
  EXPECT_EQ(c->members.size(), 1u);
  EXPECT_EQ(c->volume, volume(large));
  EXPECT_EQ(c->inertia_per_mass, inertia_per_mass(large));
  EXPECT_EQ(c->smallest_length, 0.9);
  // Together with a member that extends outside, and one that touches from inside.
  findings = {};
  const std::optional<Clump> d = make_clump(
      std::vector{ball(1.0, Vec3::Zero()), ball(1.0, Vec3(1.0, 0, 0)), ball(0.5, Vec3(-0.5, 0, 0))},
      findings);
  ASSERT_TRUE(d.has_value());
  ASSERT_EQ(findings.warnings.size(), 1u);
  EXPECT_EQ(findings.warnings[0], "member 2 lies completely within member 0: it adds nothing to the clump");
  EXPECT_NEAR(d->volume, two_balls(0.5).volume, 1e-8);
}

TEST(Clump, Errors) {
  const auto errors = [](const std::vector<ClumpMember>& members) {
    ShapeFindings findings;
    EXPECT_FALSE(make_clump(members, findings).has_value());
    return findings.errors;
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(errors({}), Texts{"the clump has no members"});
  EXPECT_EQ(errors(std::vector(65, ball(1.0, Vec3::Zero()))), Texts{"more than 64 members"});
  EXPECT_EQ(errors({ball(1.0, Vec3::Zero()), ball(0.0, Vec3::Zero()), ball(infinity, Vec3::Zero())}),
            (Texts{"member 1: semi-axes must be finite and positive",
                   "member 2: semi-axes must be finite and positive"}));
  EXPECT_EQ(errors({ball(1.0, Vec3(0, std::nan(""), 0))}), Texts{"member 0: the position is not finite"});
  EXPECT_EQ(errors({{{}, {Vec3::Zero(), Quat(0, 0, 0, 0)}}}),
            Texts{"member 0: the orientation is not finite or zero"});
  // Exact touch counts as separate; an overlap of 1e-6 does not.
  EXPECT_EQ(errors({ball(1.0, Vec3::Zero()), ball(1.0, Vec3(2.0, 0, 0))}),
            Texts{"member 1 is separate from member 0: members must overlap"});
  EXPECT_EQ(errors({ball(1.0, Vec3::Zero()), ball(1.0, Vec3(3.0, 0, 0)), ball(1.0, Vec3(1, 0, 0)),
                    ball(0.5, Vec3(0, 0, 9)), ball(0.5, Vec3(0, 0.2, 9))}),
            (Texts{"members 1, 3, 4 are separate from member 0: members must overlap"}));
  made({ball(1.0, Vec3::Zero()), ball(1.0, Vec3(2.0 - 1e-6, 0, 0))});
  // A quaternion of any length is a rotation.
  EXPECT_EQ(made({{{Vec3(1, 2, 3)}, {Vec3::Zero(), Quat(2, 0, 0, 0)}}}).members[0].pose.orientation.norm(),
            1.0);
}

TEST(Clump, OverlapIsTheExactRelation) {
  Random random(6);
  int apart = 0;
  for (int i = 0; i < 5000; ++i) {
    const auto part = [&] {
      return ClumpMember{{Vec3(random.uniform(0.2, 2.0), random.uniform(0.2, 2.0), random.uniform(0.2, 2.0))},
                         {random.uniform(0.5, 2.0) * random.direction(), random.rotation()}};
    };
    const ClumpMember a = part(), b = part();
    const Relation r = classify(place(a.ellipsoid, a.pose), place(b.ellipsoid, b.pose));
    const bool within = holder(std::array{a, b}, 0).has_value() || holder(std::array{a, b}, 1).has_value();
    EXPECT_EQ(within, r == Relation::inside);
    EXPECT_EQ(overlap(a, b) || overlap(b, a) || within, r != Relation::separate);
    if (!within) {
      EXPECT_EQ(overlap(a, b), overlap(b, a));
    }
    apart += r == Relation::separate ? 1 : 0;
  }
  EXPECT_GT(apart, 500);
}

TEST(Clump, BoundsHoldTheSurface) {
  Random random(7);
  for (int i = 0; i < 20; ++i) {
    const Clump c = made(random_members(1 + i % 7, random));
    const Ellipsoid around = enclosing_ellipsoid(c);
    const Mat3 r = random.rotation().toRotationMatrix();
    const Vec3 half = half_extent(c, r), d = random.direction();
    const double farthest_along = d.dot(support(c, d));
    double farthest = 0.0, largest = 0.0;
    Vec3 box = Vec3::Zero();
    for (const ClumpMember& p : c.members) {
      Vec3 best = Vec3::Zero();
      for (int k = 0; k < 10000; ++k) {
        const Vec3 x = on_surface(p, random);
        EXPECT_LE(d.dot(x), farthest_along + 1e-14);
        EXPECT_LE(x.norm(), c.bounding_radius);
        EXPECT_LE(x.cwiseQuotient(around.semi_axes).norm(), 1.0);
        box = box.cwiseMax((r * x).cwiseAbs());
        largest = std::max(largest, x.cwiseQuotient(around.semi_axes).norm());
        if (x.norm() > best.norm()) best = x;
      }
      // Repeatedly to the farthest point: the support along its own direction.
      Clump alone;
      alone.members = {p};
      for (int k = 0; k < 20000; ++k) best = support(alone, best);
      farthest = std::max(farthest, best.norm());
    }
    EXPECT_GE(farthest, c.bounding_radius * (1.0 - 1e-9));
    EXPECT_LE(farthest, c.bounding_radius);
    EXPECT_TRUE((box.array() <= half.array() * (1.0 + 1e-14)).all());
    EXPECT_TRUE((box.array() >= half.array() * 0.99).all());  // 10^4 points: within 1 % of the largest
    EXPECT_GE(largest, 0.99);                                 // it touches
  }
}

TEST(Clump, BoundingRadiusOfSymmetricPlacements) {
  // Centres on the plane of symmetry across the longest axis: the farthest points are two, or a whole ring.
  const auto radius = [](const Vec3& axes, const Vec3& at) {
    // A body of two members on either side of the origin, so that the centre of mass stays there.
    return made({{{axes}, {at, Quat::Identity()}}, {{axes}, {-at, Quat::Identity()}}}).bounding_radius;
  };
  // x^2/9 + (y - 0.5)^2 = 1: at sine u of the angle, 9 (1 - u^2) + (u + 0.5)^2 is largest at u = 1/16.
  EXPECT_NEAR(radius(Vec3(3, 1, 1), Vec3(0, 0.5, 0)), std::sqrt(9.0 * (1.0 - 1.0 / 256) + 0.5625 * 0.5625),
              1e-9);
  EXPECT_NEAR(radius(Vec3(3, 3, 1), Vec3(0, 0, 0.5)), std::sqrt(9.0 * (1.0 - 1.0 / 256) + 0.5625 * 0.5625),
              1e-9);
  EXPECT_NEAR(radius(Vec3(1, 1, 1), Vec3(0, 0, 0.5)), 1.5, 1e-9);
}

TEST(Clump, RaysByMarching) {
  Random random(8);
  constexpr double step = 1e-3;
  int hits = 0;
  for (int i = 0; i < 100; ++i) {
    const Clump c = made(random_members(2 + i % 3, random));
    for (int k = 0; k < 4; ++k) {
      const Vec3 o = random.uniform(0.0, 1.5) * c.bounding_radius * random.direction(),
                 d = random.direction();
      const double farthest = 3.0 * c.bounding_radius, t = ray_hit(c, o, d, 0.0, farthest);
      const bool inside = contains(c, o);
      double changes = infinity;  // the first step after which it is on the other side
      for (double s = step; s < farthest && changes == infinity; s += step) {
        if (contains(c, o + s * d) != inside) changes = s;
      }
      if (changes < infinity) {
        ++hits;
        EXPECT_LE(t, changes + 1e-12);
        EXPECT_NEAR(depth(c, o + t * d), 0.0, 1e-11);
        // Earlier only if the ray enters and leaves within one step.
        if (t < changes - step) {
          EXPECT_LT(std::abs(depth(c, o + (t + 0.5 * step) * d)), 1e-2);
        }
        const Vec3 n = outward(c, o + t * d).normalized();
        EXPECT_EQ(n.dot(d) > 0.0, inside);
        // A point slightly outwards is outside.
        EXPECT_FALSE(contains(c, o + t * d + 1e-7 * n));
      } else if (t < infinity) {
        EXPECT_LT(std::abs(depth(c, o + (t + 0.5 * step) * d)), 1e-2);
      }
      EXPECT_EQ(ray_hit(c, o, d, 0.0, 0.999 * t), infinity);
    }
  }
  EXPECT_GT(hits, 100);
}

TEST(Clump, MeshIsTheUnionsSurface) {
  Random random(9);
  for (int i = 0; i < 6; ++i) {
    std::vector<ClumpMember> members = random_members(2 + i, random);
    members.push_back(members[0]);  // a duplicate member appears once in the mesh
    ShapeFindings findings;
    const std::optional<Clump> c = make_clump(members, findings);
    ASSERT_TRUE(c.has_value());
    const SurfaceMesh mesh = surface_mesh(*c, 24);
    ASSERT_EQ(mesh.points.size(), mesh.normals.size());
    for (std::size_t k = 0; k < mesh.points.size(); ++k) {
      double off = infinity;  // on the surface of a member; at corners of three, slightly inside another
      for (const ClumpMember& p : c->members) off = std::min(off, std::abs(depth(p, mesh.points[k])));
      EXPECT_LT(off, 1e-12);
      EXPECT_LT(depth(*c, mesh.points[k]), 5e-3);
      EXPECT_NEAR(mesh.normals[k].norm(), 1.0, 1e-14);
    }
    for (const auto& t : mesh.triangles) {
      const auto p = [&](std::size_t k) { return mesh.points[t[k]]; };
      const Vec3 area = (p(1) - p(0)).cross(p(2) - p(0));
      const Vec3 n = mesh.normals[t[0]];
      EXPECT_GT(n.dot(area), -1e-5);  // of 1e-3: at corners of three members, slivers may fold
    }
    // Chords of triangles of 1/24 of 63 degrees are 1e-4 of the radius below the surface. This is 0.1 % of a
    // member's volume, and more where several thin members meet.
    EXPECT_NEAR(mesh_mass(mesh).volume, c->volume, 5e-3 * c->volume);
  }
}

}  // namespace
}  // namespace scree
