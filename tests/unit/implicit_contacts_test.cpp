#include "engine/geometry/implicit/implicit_contacts.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numbers>
#include <set>

#include "engine/core/random.h"
#include "engine/geometry/ellipsoid_ellipsoid.h"
#include "engine/geometry/implicit/evaluation.h"
#include "tests/support/implicit_pairs.h"

namespace scree {
namespace {

using test::found;
using test::made;

/// An ellipsoid without this information, so that the general search is used.
ImplicitShape general_ellipsoid(const Vec3& semi_axes) {
  ImplicitShape s = made(perturbed(semi_axes));
  s.semi_axes.reset();
  return s;
}

TEST(ImplicitContacts, UnperturbedShapesMatchEllipsoidPairs) {
  Random random(1);
  const ImplicitShape a = made(perturbed({1.0, 0.75, 0.5})), b = made(perturbed({0.8, 0.5, 0.4}));
  for (int i = 0; i < 300; ++i) {
    const Pose at_a{Vec3::Zero(), random.rotation()},
        at_b{random.uniform(0.7, 1.8) * random.direction(), random.rotation()};
    const Gap exact = gap(place(Ellipsoid{*a.semi_axes}, at_a), place(Ellipsoid{*b.semi_axes}, at_b));
    const std::vector<Gap> g = found(place(a, at_a), place(b, at_b), 1.0);
    if (exact.distance > 1.0) continue;
    ASSERT_EQ(g.size(), 1u);
    ASSERT_NEAR(g[0].distance, exact.distance, 1e-12);
    ASSERT_LT((g[0].normal - exact.normal).norm(), 1e-9);
    ASSERT_LT((g[0].point - exact.point).norm(), 1e-9);
  }
}

TEST(ImplicitContacts, GeneralSearchMatchesEllipsoidPairs) {
  // (F2), (F3) against (G1), separate and overlapping up to a fifth of the smallest semi-axis, where phi(n)
  // has one maximum.
  Random random(2);
  const ImplicitShape a = general_ellipsoid({1.0, 0.75, 0.5}), b = general_ellipsoid({0.8, 0.5, 0.4});
  int compared = 0;
  for (int i = 0; i < 400; ++i) {
    const Pose at_a{Vec3::Zero(), random.rotation()},
        at_b{random.uniform(0.8, 1.8) * random.direction(), random.rotation()};
    const Gap exact = gap(place(Ellipsoid{{1.0, 0.75, 0.5}}, at_a), place(Ellipsoid{{0.8, 0.5, 0.4}}, at_b));
    if (exact.distance > 0.1 || exact.distance < -0.08) continue;
    const std::vector<Gap> g = found(place(a, at_a), place(b, at_b), 0.1);
    ASSERT_EQ(g.size(), 1u) << i;
    ASSERT_NEAR(g[0].distance, exact.distance, 1e-12) << i;
    ASSERT_LT((g[0].normal - exact.normal).norm(), 1e-10) << i;
    ASSERT_LT((g[0].point - exact.point).norm(), 1e-10) << i;
    ++compared;
  }
  EXPECT_GT(compared, 60);
}

TEST(ImplicitContacts, GapsScaleWithSize) {
  Random random(3);
  const ImplicitShape a = made(test::pebble()), b = made(test::kidney());
  for (int i = 0; i < 50; ++i) {
    const PlacedImplicit at_a = place(a, {Vec3::Zero(), random.rotation()}),
                         at_b = test::next_to(at_a, b, 0.8, random.uniform(-0.1, 0.05), random);
    const std::vector<Gap> g = found(at_a, at_b, 0.05);
    constexpr double times = 1e-3;
    PlacedImplicit small_a = at_a, small_b = at_b;
    for (PlacedImplicit* s : {&small_a, &small_b}) {
      s->position *= times;
      s->scale *= times;
    }
    const std::vector<Gap> small = found(small_a, small_b, 0.05 * times);
    ASSERT_EQ(g.size(), small.size());
    for (std::size_t k = 0; k < g.size(); ++k) {
      EXPECT_NEAR(small[k].distance, times * g[k].distance, 1e-11 * times);
      EXPECT_LT((small[k].point - times * g[k].point).norm(), 1e-9 * times);
      EXPECT_EQ(small[k].feature, g[k].feature);
    }
  }
}

TEST(ImplicitContacts, SmallBallRestsOnTheBottomOfADent) {
  const ImplicitShape dent = made(test::dented_ball()), ball = general_ellipsoid(Vec3::Ones());
  const double bottom = ray_hit(dent, Vec3::Zero(), Vec3::UnitZ(), 0.0, infinity);
  constexpr double radius = 0.1;
  for (const double gap : {0.01, 1e-9, -1e-9, -0.01}) {
    const std::vector<Gap> g =
        found(place(dent, {}), place(ball, {Vec3(0.0, 0.0, bottom + radius + gap), Quat::Identity()}, radius),
              0.02);
    ASSERT_EQ(g.size(), 1u) << gap;
    EXPECT_NEAR(g[0].distance, gap, 1e-12);
    EXPECT_LT((g[0].normal - Vec3(0, 0, -1)).norm(), 1e-9);
  }
}

TEST(ImplicitContacts, BallInKidneyHollowHasTwoContacts) {
  // A ball too wide for the hollow of a kidney touches both of its horns, but not the bottom between them.
  const ImplicitShape kidney = made(test::kidney()), ball = general_ellipsoid(Vec3::Ones());
  constexpr double radius = 0.9;
  double low = 0.9, high = 2.0;  // of the ball's centre over the hollow: bisect for a contact
  const auto at = [&](double y) {
    PairMemory memory;
    std::vector<Gap> g;
    contacts(place(kidney, {}), place(ball, {Vec3(0.0, y, 0.0), Quat::Identity()}, radius), 0.02, memory, g);
    return g;
  };
  for (int k = 0; k < 50; ++k) {
    const double y = 0.5 * (low + high);
    const std::vector<Gap> g = at(y);
    const bool touches = std::ranges::any_of(g, [](const Gap& c) { return c.distance < 0.0; });
    (touches ? low : high) = y;
  }
  const std::vector<Gap> g = at(high);
  ASSERT_EQ(g.size(), 2u);
  EXPECT_NE(g[0].feature, g[1].feature);
  EXPECT_NEAR(g[0].distance, 0.0, 1e-9);
  EXPECT_NEAR(g[1].distance, 0.0, 1e-9);
  EXPECT_NEAR(g[0].normal[0], -g[1].normal[0], 1e-6);  // mirror images
  EXPECT_GT(std::abs(g[0].normal[0]), 0.1);
}

TEST(ImplicitContacts, NormalAndPointAreContinuousThroughTouch) {
  // For a motion along its normal a contact keeps point and normal, and its distance follows exactly.
  Random random(4);
  const ImplicitShape a = made(test::pebble()), b = made(test::bean());
  int followed = 0;
  for (int i = 0; i < 100; ++i) {
    const PlacedImplicit at_a = place(a, {Vec3::Zero(), random.rotation()});
    PlacedImplicit at_b = test::next_to(at_a, b, 1.0, 0.005, random);
    PairMemory memory;
    std::vector<Gap> g;
    contacts(at_a, at_b, 0.02, memory, g);
    if (g.size() != 1) continue;
    const Gap first = g[0];
    for (const double way : {0.01, 0.02, 0.03}) {
      PlacedImplicit moved = at_b;
      moved.position += way * first.normal;  // towards a
      g.clear();
      contacts(at_a, moved, 0.02, memory, g);
      const auto same = std::ranges::find(g, first.feature, &Gap::feature);
      ASSERT_NE(same, g.end());
      EXPECT_NEAR(same->distance, first.distance - way, 1e-10);
      EXPECT_LT((same->normal - first.normal).norm(), 1e-9);
    }
    ++followed;
  }
  EXPECT_GT(followed, 10);
}

TEST(ImplicitContacts, GapAcceleration) {
  // Against the second difference of the gap of the same feature: error h^2 and rounding / h^2.
  Random random(5);
  const ImplicitShape a = made(test::pebble()), b = made(test::kidney());
  constexpr double h = 1e-4;
  int compared = 0;
  for (int i = 0; i < 200; ++i) {
    const Quat turn_a = random.rotation();
    const PlacedImplicit at_a = place(a, {Vec3::Zero(), turn_a});
    const PlacedImplicit at_b = test::next_to(at_a, b, 0.8, random.uniform(-0.05, 0.03), random);
    const Twist of_a{random.direction(), 2.0 * random.direction()},
        of_b{random.direction(), 2.0 * random.direction()};
    PairMemory memory;
    std::vector<Gap> now;
    contacts(at_a, at_b, 0.04, memory, now);
    for (const Gap& g : now) {
      if (g.feature % 16 != 0) continue;
      double there[2];
      bool both = true;
      for (int k = 0; k < 2; ++k) {
        const double t = k == 0 ? -h : h;
        const auto moved = [&](PlacedImplicit s, const Twist& v) {
          s.position += t * v.linear;
          s.rotation =
              Eigen::AngleAxisd(t * v.angular.norm(), v.angular.normalized()).toRotationMatrix() * s.rotation;
          return s;
        };
        PairMemory follow = memory;
        std::vector<Gap> then;
        contacts(moved(at_a, of_a), moved(at_b, of_b), 0.05, follow, then);
        const auto same = std::ranges::find(then, g.feature, &Gap::feature);
        both = both && same != then.end();
        if (both) there[k] = same->distance;
      }
      if (!both) continue;
      const double exact = gap_acceleration(at_a, at_b, g, of_a, of_b);
      const double difference = (there[0] + there[1] - 2.0 * g.distance) / (h * h);
      // Curvature jumps where a perturbation begins: a contact that crosses such a line within 2 h is left
      // out.
      const double change = std::abs(there[1] - there[0]) / h;
      if (std::abs(exact) > 200.0) continue;  // about to disappear
      EXPECT_NEAR(difference, exact, 1e-3 * (std::abs(exact) + change + 5.0)) << i;
      ++compared;
    }
  }
  EXPECT_GT(compared, 60);
}

TEST(ImplicitContacts, SeparatingPlaneRejectsDistantPairs) {
  // Neighbours along a random direction, which proves the gap up to the error of the table of support bounds
  // (at most a tenth of the size here); for closer pairs covers are compared.
  ShapeFindings findings;
  const ImplicitShape bean = *make_implicit_shape(test::bean(), {.support_cells = 6}, findings);
  Random random(12);
  constexpr double margin = 0.02;
  ContactCounts counts;
  const auto search = [&](double apart) {
    const PlacedImplicit a = place(bean, {Vec3::Zero(), random.rotation()}),
                         b = test::next_to(a, bean, 1.0, apart, random);
    PairMemory memory;
    std::vector<Gap> g;
    contacts(a, b, margin, memory, g, &counts);
    EXPECT_TRUE(apart < margin || g.empty());
  };
  constexpr int pairs = 100;
  for (int i = 0; i < pairs; ++i) search(margin + 0.1);
  EXPECT_GE(counts.apart, 95);  // the search for the plane ends after ten rounds, at any result
  EXPECT_EQ(counts.apart + counts.compared, pairs);
  const std::int64_t before = counts.compared;
  for (int i = 0; i < pairs; ++i) search(-0.01);
  EXPECT_GT(counts.compared, before + pairs / 4);
}

TEST(ImplicitContacts, SlackGrowsWhileNoNewContactCanAppear) {
  // Two balls, as functions, in a slow slide: 2 %, then 6 % and 10 % of the size between comparisons. A jump
  // beyond twice the slack gives no reuse.
  const ImplicitShape ball = general_ellipsoid(Vec3::Ones());
  const PlacedImplicit a = place(ball, {});
  PairMemory memory;
  std::vector<double> slack;
  const auto slide_to = [&](double x) {
    std::vector<Gap> g;
    contacts(a, place(ball, {2.005 * Vec3(std::sin(x), 0.0, std::cos(x)), Quat::Identity()}), 0.02, memory,
             g);
    ASSERT_EQ(g.size(), 1u);
    const double size = a.scale * ball.bounding_radius;
    if (slack.empty() || std::abs(memory.slack / size - slack.back()) > 1e-8)
      slack.push_back(memory.slack / size);
  };
  for (int k = 0; k <= 80; ++k) slide_to(3e-3 * k);
  ASSERT_EQ(slack.size(), 4u);
  const double expected[] = {0.0, 0.02, 0.06, 0.1};
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(slack[k], expected[k], 1e-8);
  slide_to(0.6);
  EXPECT_LT(memory.slack, 1e-8);
}

TEST(ImplicitContacts, FeaturesPersistWhileBodiesRoll) {
  // A kidney rolls and slides over a pebble in small steps: while the number of contacts is constant, so are
  // features, and the cache answers most steps. Its answer equals that of a search without cache.
  Random random(6);
  const ImplicitShape a = made(test::pebble()), b = made(test::kidney());
  ContactCounts counts;
  int steps = 0, changes = 0;
  for (int run = 0; run < 8; ++run) {
    const PlacedImplicit at_a = place(a, {Vec3::Zero(), random.rotation()});
    PlacedImplicit at_b = test::next_to(at_a, b, 0.9, -0.02, random);
    const Vec3 spin = random.direction(), shift = random.direction();
    PairMemory memory;
    std::set<std::uint32_t> last;
    for (int k = 0; k < 100; ++k) {
      at_b.rotation = Eigen::AngleAxisd(2e-3, spin).toRotationMatrix() * at_b.rotation;
      at_b.position += 1e-3 * (shift - shift.dot(at_b.position.normalized()) * at_b.position.normalized());
      std::vector<Gap> g;
      contacts(at_a, at_b, 0.02, memory, g, &counts);
      std::set<std::uint32_t> features;
      for (const Gap& c : g) features.insert(c.feature);
      ASSERT_EQ(features.size(), g.size());  // no feature occurs twice
      std::vector<Gap> afresh = found(at_a, at_b, 0.02);
      ASSERT_EQ(afresh.size(), g.size()) << run << ' ' << k;
      for (const Gap& c : g) {
        EXPECT_TRUE(
            std::ranges::any_of(afresh, [&](const Gap& o) { return (o.point - c.point).norm() < 1e-7; }));
      }
      ++steps;
      if (k > 0 && features.size() == last.size() && features != last) ++changes;
      last = features;
    }
  }
  EXPECT_LE(changes, steps / 200);
  EXPECT_GT(counts.cached, counts.compared);
}

TEST(ImplicitContacts, FlatFacesHaveContactsAtFourEnds) {
  const ImplicitShape cube = made(test::rounded_cube());
  const double half = support(cube, Vec3::UnitZ())[2];  // its faces are slightly curved
  PairMemory memory;
  std::vector<Gap> g;
  for (const double tilt : {0.0, 1e-4, -1e-4}) {
    g.clear();
    const Quat turn(Eigen::AngleAxisd(tilt, Vec3::UnitX()));
    contacts(place(cube, {}), place(cube, {Vec3(0.05, 0.02, 2.0 * half + 1e-3), turn}), 0.02, memory, g);
    ASSERT_EQ(g.size(), 5u) << tilt;
    // They surround the middle: the weight over it is supported.
    Vec3 low = g[0].point, high = g[0].point;
    for (const Gap& c : g) {
      low = low.cwiseMin(c.point);
      high = high.cwiseMax(c.point);
      EXPECT_LT((c.normal - Vec3(0, 0, -1)).norm(), 1e-2);
      EXPECT_NEAR(c.distance, 1e-3, 5e-3);
    }
    EXPECT_LT(low[0], -0.15);
    EXPECT_GT(high[0], 0.15);
    EXPECT_LT(low[1], -0.15);
    EXPECT_GT(high[1], 0.15);
  }
}

/// The least first-order distance from a of 20,000 points of b's surface.
double sampled_gap(const PlacedImplicit& a, const PlacedImplicit& b) {
  Random random(5);
  double least = infinity;
  for (int i = 0; i < 20000; ++i) {
    const Vec3 d = random.direction();
    const Vec3 x =
        b.position + b.rotation * (b.scale * ray_hit(*b.shape, Vec3::Zero(), d, 0.0, infinity) * d);
    const Three local = to_three(a.rotation.transpose() * (x - a.position) / a.scale);
    const Jet at = jet(a.shape->function.base, a.shape->perturbations, local);
    least = std::min(least, -a.scale * at.f / std::sqrt(dot(at.g, at.g)));
  }
  return least;
}

/// Offsets and tilts: exact, below and above rounding, and up to where one contact is left.
constexpr double small_changes[] = {0.0,  1e-15, 1e-12, 1e-9, 1e-8, 1e-7, 1e-6,
                                    1e-5, 1e-4,  1e-3,  1e-2, 0.03, 0.1};

TEST(ImplicitContacts, RingsAreHeldAllAround) {
  // A tablet in a round dent touches it along its rim. Its contacts once were 490 for an offset of zero, and
  // none from 1e-9 to 1e-7.
  const ImplicitShape dent = made(test::dented_ball()), tablet = made(test::tablet());
  const Quat turned(Eigen::AngleAxisd(0.7, Vec3(0.3, 0.5, 0.2).normalized()));
  const Vec3 middle(1.0, 2.0, 3.0);
  for (const double change : small_changes) {
    for (const bool tilt : {false, true}) {
      const Quat turn(Eigen::AngleAxisd(tilt ? change : 0.0, Vec3(1.0, 0.5, 0.0).normalized()));
      const Vec3 aside(tilt ? 0.0 : 0.6 * change, tilt ? 0.0 : -0.8 * change, 0.9082);
      const PlacedImplicit a = place(dent, {middle, turned}),
                           b = place(tablet, {middle + turned * aside, turned * turn}, 0.4);
      const std::vector<Gap> g = found(a, b, 0.05);
      ASSERT_FALSE(g.empty()) << change << tilt;
      EXPECT_LE(g.size(), 7u) << change << tilt;
      double least = infinity;
      for (const Gap& c : g) least = std::min(least, c.distance);
      EXPECT_NEAR(least, sampled_gap(a, b), 1e-3) << change << tilt;
      if (change > 1e-3) continue;
      std::vector<double> angles;
      for (const Gap& c : g) {
        const Vec3 at = turned.conjugate() * (c.point - middle);
        angles.push_back(std::atan2(at[1], at[0]));
      }
      std::ranges::sort(angles);
      double widest = angles.front() + 2.0 * std::numbers::pi - angles.back();
      for (std::size_t k = 1; k < angles.size(); ++k) widest = std::max(widest, angles[k] - angles[k - 1]);
      EXPECT_LT(widest, std::numbers::pi) << change << tilt;  // it cannot tip over them
    }
  }
}

TEST(ImplicitContacts, RodsSideBySideAreHeldAtBothEnds) {
  const ImplicitShape rod = made(test::rod());
  const double radius = support(rod, Vec3::UnitZ())[2];
  for (const double change : small_changes) {
    for (const Vec3& axis : {Vec3(Vec3::UnitY()), Vec3(Vec3::UnitZ())}) {
      for (const double height : {-0.01, 0.01}) {
        const PlacedImplicit a = place(rod, {}), b = place(rod, {Vec3(0.2, 0.0, 2.0 * radius + height),
                                                                 Quat(Eigen::AngleAxisd(change, axis))});
        const std::vector<Gap> g = found(a, b, 0.05);
        ASSERT_FALSE(g.empty()) << change;
        EXPECT_LE(g.size(), 5u) << change;
        double least = infinity, low = infinity, high = -infinity;
        for (const Gap& c : g) {
          least = std::min(least, c.distance);
          low = std::min(low, c.point[0]);
          high = std::max(high, c.point[0]);
        }
        EXPECT_NEAR(least, sampled_gap(a, b), 5e-3) << change;
        if (change > 1e-3) continue;
        EXPECT_LT(low, 0.0) << change;  // around the middle of b
        EXPECT_GT(high, 0.4) << change;
      }
    }
  }
}

TEST(ImplicitContacts, PointsOfRingsPersistWhileABodyTurnsInADent) {
  const ImplicitShape dent = made(test::dented_ball()), tablet = made(test::tablet());
  PairMemory memory;
  std::set<std::uint32_t> last;
  int changes = 0;
  constexpr int steps = 500;
  for (int k = 0; k < steps; ++k) {
    const Quat turn(Eigen::AngleAxisd(2e-3 * k, Vec3::UnitZ()));
    std::vector<Gap> g;
    contacts(place(dent, {}), place(tablet, {Vec3(1e-7, 0.0, 0.9082), turn}, 0.4), 0.02, memory, g);
    std::set<std::uint32_t> features;
    for (const Gap& c : g) features.insert(c.feature);
    ASSERT_GE(features.size(), 3u) << k;
    if (k > 0 && features != last) ++changes;
    last = features;
  }
  EXPECT_LE(changes, steps / 50);
}

TEST(ImplicitContacts, DeepOverlapIsNeverLost) {
  Random random(7);
  const std::vector<ImplicitShape> shapes = test::made_library({"pebble", "kidney", "rice"});
  for (int i = 0; i < 27; ++i) {
    const PlacedImplicit a = place(shapes[static_cast<std::size_t>(i) % 3],
                                   {Vec3::Zero(), random.rotation()}),
                         b = place(shapes[static_cast<std::size_t>(i / 3) % 3],
                                   {0.1 * random.direction(), random.rotation()});
    const std::vector<Gap> g = found(a, b, 0.02);
    ASSERT_FALSE(g.empty()) << i;
    EXPECT_TRUE(std::ranges::any_of(g, [](const Gap& c) { return c.distance < 0.0; })) << i;
  }
}

TEST(ImplicitContacts, FastSearchMissesNoContact) {
  const test::Judgement j =
      test::judge(test::made_library({"pebble", "kidney", "dumbbell", "rice", "lentil"}), 150, 8);
  EXPECT_EQ(j.missed, 0) << j.text();
  EXPECT_LT(j.point_error, 1e-6);
  EXPECT_LT(j.normal_error, 1e-6);
  EXPECT_GT(j.certified, 25);
}

TEST(ImplicitContacts, NoSampledPairIsNearerThanTheLeastGap) {
  // Independent of covers: points of both surfaces along random rays from the centres.
  Random random(9);
  const ImplicitShape a = made(test::kidney()), b = made(test::dumbbell());
  std::vector<Vec3> on_a, on_b;
  for (int i = 0; i < 700; ++i) {
    const Vec3 d = random.direction();
    on_a.push_back(ray_hit(a, Vec3::Zero(), d, 0.0, infinity) * d);
    on_b.push_back(ray_hit(b, Vec3::Zero(), d, 0.0, infinity) * d);
  }
  int apart = 0;
  for (int i = 0; i < 40; ++i) {
    const PlacedImplicit at_a = place(a, {Vec3::Zero(), random.rotation()});
    const PlacedImplicit at_b = test::next_to(at_a, b, 1.0, random.uniform(0.0, 0.1), random);
    double sampled = infinity;
    for (const Vec3& x : on_a) {
      for (const Vec3& y : on_b)
        sampled = std::min(sampled, (at_a.rotation * x - at_b.position - at_b.rotation * y).norm());
    }
    double least = infinity;
    for (const Gap& g : found(at_a, at_b, 0.3)) least = std::min(least, g.distance);
    if (least < 0.0 || sampled > 0.2) continue;
    EXPECT_LE(least, sampled + 1e-12);
    EXPECT_GT(least, sampled - 0.08);  // 700 points on a surface of 8 m^2: a spacing of 0.1 m
    ++apart;
  }
  EXPECT_GT(apart, 10);
}

}  // namespace
}  // namespace scree
