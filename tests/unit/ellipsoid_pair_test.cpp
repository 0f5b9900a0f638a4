#include <Eigen/Cholesky>
#include <gtest/gtest.h>

#include "engine/core/random.h"
#include "engine/geometry/ellipsoid_batch.h"
#include "engine/geometry/ellipsoid_ellipsoid.h"
#include "engine/geometry/ellipsoid_plane.h"

namespace scree {
namespace {

struct Pair {
  Ellipsoid shape_a, shape_b;
  Pose pose_a, pose_b;
  PlacedEllipsoid a() const { return place(shape_a, pose_a); }
  PlacedEllipsoid b() const { return place(shape_b, pose_b); }
};

/// Two random ellipsoids of up to `aspect`, B `size` times larger, moved along their contact normal until
/// their gap is `gap_over_smallest` of the smallest semi-axis.
Pair random_pair(Random& random, double aspect, double size, double gap_over_smallest) {
  const auto axes = [&](double scale) {
    return Vec3(scale * std::pow(aspect, random.uniform()), scale * std::pow(aspect, random.uniform()),
                scale * std::pow(aspect, random.uniform()));
  };
  Pair pair{{axes(1.0)}, {axes(size)}, {Vec3::Zero(), random.rotation()}, {Vec3::Zero(), random.rotation()}};
  const Vec3 n = random.direction();
  const double h = std::sqrt(n.dot(pair.a().matrix * n)) + std::sqrt(n.dot(pair.b().matrix * n));
  // Support points in opposite directions touch: the exact contact for normal n.
  const Vec3 xa = pair.a().matrix * n / std::sqrt(n.dot(pair.a().matrix * n));
  const Vec3 xb = pair.b().matrix * n / std::sqrt(n.dot(pair.b().matrix * n));
  const double smallest = std::min(pair.shape_a.semi_axes.minCoeff(), pair.shape_b.semi_axes.minCoeff());
  pair.pose_b.position = xa + xb + gap_over_smallest * smallest * n;
  EXPECT_GT(h, 0.0);
  return pair;
}

TEST(EllipsoidPair, SpheresAreExact) {
  const PlacedEllipsoid a = place({Vec3::Constant(1.0)}, {Vec3(0, 0, 0), Quat::Identity()});
  const PlacedEllipsoid b = place({Vec3::Constant(2.0)}, {Vec3(0, 4, 0), Quat::Identity()});
  const Gap g = gap(a, b);
  EXPECT_NEAR(g.distance, 1.0, 1e-15);
  EXPECT_TRUE(g.normal.isApprox(Vec3(0, -1, 0), 1e-15));  // from B to A
  EXPECT_TRUE(g.point.isApprox(Vec3(0, 1.5, 0), 1e-15));
}

TEST(EllipsoidPair, KnownContactsAreFound) {
  // Pairs built backwards from their normal, separate and touching: gap and normal are known exactly.
  Random random(1);
  for (int i = 0; i < 20000; ++i) {
    const double aspect = i % 2 ? 3.0 : 10.0;
    const double size = i % 3 ? 1.0 : 50.0;
    const double g0 = 0.5 * random.uniform();
    const Pair pair = random_pair(random, aspect, size, g0);
    const Gap g = gap(pair.a(), pair.b());
    const double smallest = std::min(pair.shape_a.semi_axes.minCoeff(), pair.shape_b.semi_axes.minCoeff());
    ASSERT_EQ(g.status, GapStatus::converged);
    ASSERT_NEAR(g.distance, g0 * smallest, 1e-11 * size * aspect) << i;
  }
}

TEST(EllipsoidPair, AgreesWithBruteForce) {
  // phi at the answer is the maximum over a fine cover of directions, overlaps to a third of the smallest
  // semi-axis.
  Random random(2);
  for (int i = 0; i < 60; ++i) {
    const Pair pair = random_pair(random, 2.0, 1.0, random.uniform(-0.3, 0.3));
    const PlacedEllipsoid a = pair.a(), b = pair.b();
    const Gap g = gap(a, b);
    EXPECT_NEAR(separation(a, b, -g.normal), g.distance, 1e-14);
    for (int k = 0; k < 4000; ++k) ASSERT_LE(separation(a, b, random.direction()), g.distance + 1e-12);
  }
}

TEST(EllipsoidPair, WarmStartGivesTheSameContact) {
  Random random(3);
  for (int i = 0; i < 2000; ++i) {
    const Pair pair = random_pair(random, 3.0, 1.0, random.uniform(-0.1, 0.2));
    const Gap cold = gap(pair.a(), pair.b());
    const Vec3 start = (cold.normal + 0.05 * random.direction()).normalized();
    const Gap warm = gap(pair.a(), pair.b(), &start);
    ASSERT_NEAR(warm.distance, cold.distance, 1e-13);
    ASSERT_LT((warm.normal - cold.normal).norm(), 1e-9);
  }
}

TEST(EllipsoidPair, SwappingBodiesReversesTheNormal) {
  Random random(4);
  for (int i = 0; i < 2000; ++i) {
    const Pair pair = random_pair(random, 3.0, 3.0, random.uniform(-0.1, 0.2));
    const Gap ab = gap(pair.a(), pair.b()), ba = gap(pair.b(), pair.a());
    ASSERT_NEAR(ab.distance, ba.distance, 1e-12);
    ASSERT_LT((ab.normal + ba.normal).norm(), 1e-8);
    ASSERT_LT((ab.point - ba.point).norm(), 1e-7);
  }
}

TEST(EllipsoidPair, DeepOverlapFindsTheBestDirection) {
  // One semi-axis deep at aspect 5: several local maxima. Compared with the best of 4,000 sampled directions,
  // 1 %.
  Random random(5);
  for (int i = 0; i < 100; ++i) {
    const Pair pair = random_pair(random, 5.0, 1.0, -1.0);
    const PlacedEllipsoid a = pair.a(), b = pair.b();
    const Gap g = gap(a, b);
    double best = -infinity;
    for (int k = 0; k < 4000; ++k) best = std::max(best, separation(a, b, random.direction()));
    ASSERT_GE(g.distance, best - 0.01 * std::abs(best)) << i;
  }
}

// Batches of every size, cached and bad starts, deep overlaps: a batch gives the same results as the single
// functions, to the last bit, on every vector width. Most pairs of close bodies must be solved by the batch
// itself.
TEST(EllipsoidBatch, SameBitsAsOneByOne) {
  Random random(6);
  EllipsoidBatch batch;
  int arrived = 0, pairs = 0;
  for (int round = 0; round < 200; ++round) {
    const auto size = 1 + static_cast<std::size_t>(random.uniform(0.0, 63.99));
    std::vector<Pair> pair;
    std::vector<Vec3> start;
    std::vector<std::pair<Twist, Twist>> motion;
    batch.size = 0;
    for (std::size_t k = 0; k < size; ++k) {
      const bool deep = k % 16 == 7;
      pair.push_back(random_pair(random, 3.0, 1.0, deep ? -0.8 : random.uniform(-0.05, 0.1)));
      const Vec3 normal = gap(pair[k].a(), pair[k].b()).normal;
      const double off = std::array{1e-12, 1e-3, 0.05, 1.0}[k % 4];
      start.emplace_back((normal + off * random.direction()).normalized());
      batch.add(pair[k].a(), pair[k].b(), start[k], 0.05);
      motion.push_back(
          {{random.direction(), 3.0 * random.direction()}, {random.direction(), 2.0 * random.direction()}});
      batch.set_motion(motion[k].first, motion[k].second);
    }
    climb(batch);
    bend(batch);
    for (std::size_t k = 0; k < size; ++k) {
      const PlacedEllipsoid a = pair[k].a(), b = pair[k].b();
      const double start_phi = separation(a, b, -start[k]);
      ASSERT_EQ(batch.is_apart(k), start_phi > 0.05);
      if (batch.is_apart(k)) {
        ASSERT_EQ(batch.phi[k], start_phi);
        continue;
      }
      ++pairs;
      if (!batch.has_arrived(k)) continue;
      ++arrived;
      const Gap one = gap(a, b, &start[k]), many = contact_of(batch, k, a.centre, b.centre);
      ASSERT_EQ(many.distance, one.distance);
      ASSERT_EQ(many.normal, one.normal);
      ASSERT_EQ(many.point, one.point);
      ASSERT_EQ(batch.acceleration[k], gap_acceleration(a, b, one.normal, motion[k].first, motion[k].second));
    }
  }
  EXPECT_GT(arrived, 0.8 * pairs);
  EXPECT_LT(arrived, 0.97 * pairs);  // deep ones are not solved by the batch
}

TEST(EllipsoidPair, SizeRatioOfAThousand) {
  Random random(6);
  for (int i = 0; i < 2000; ++i) {
    const double g0 = random.uniform(-0.01, 0.5);
    const Pair pair = random_pair(random, 2.0, 1000.0, g0);
    const Gap g = gap(pair.a(), pair.b());
    const double smallest = pair.shape_a.semi_axes.minCoeff();
    ASSERT_NEAR(g.distance, g0 * smallest, 1e-9) << i;
  }
}

TEST(EllipsoidPair, GapAcceleration) {
  // Against the second difference of the gap along the motion; truncation and rounding of the difference:
  // 1e-4.
  Random random(7);
  for (int i = 0; i < 500; ++i) {
    const Pair pair = random_pair(random, 2.5, 1.0, random.uniform(-0.05, 0.3));
    const Twist va{random.direction(), 2.0 * random.direction()},
        vb{random.direction(), 2.0 * random.direction()};
    const auto moved = [&](const Pose& pose, const Twist& v, double dt) {
      const double angle = dt * v.angular.norm();
      return Pose{pose.position + dt * v.linear,
                  Quat(Eigen::AngleAxisd(angle, v.angular.normalized())) * pose.orientation};
    };
    const auto gap_at = [&](double dt) {
      return gap(place(pair.shape_a, moved(pair.pose_a, va, dt)),
                 place(pair.shape_b, moved(pair.pose_b, vb, dt)))
          .distance;
    };
    constexpr double dt = 1e-3;
    const double difference = (gap_at(dt) - 2.0 * gap_at(0.0) + gap_at(-dt)) / (dt * dt);
    const double exact = gap_acceleration(pair.a(), pair.b(), gap(pair.a(), pair.b()).normal, va, vb);
    ASSERT_NEAR(exact, difference, 1e-3 * (1.0 + std::abs(difference))) << i;
  }
}

TEST(EllipsoidPlane, GapAcceleration) {
  Random random(8);
  const Ellipsoid shape{Vec3(3.0, 2.0, 1.0)};
  const Plane plane{Vec3::Zero(), Vec3::UnitZ()};
  for (int i = 0; i < 100; ++i) {
    const Quat q = random.rotation();
    const Twist v{random.direction(), random.direction()};
    const auto height = [&](double dt) {
      const Quat turn(Eigen::AngleAxisd(dt * v.angular.norm(), v.angular.normalized()));
      return gap(place(shape, {dt * v.linear, turn * q}), plane).distance;
    };
    constexpr double dt = 1e-3;
    const double difference = (height(dt) - 2.0 * height(0.0) + height(-dt)) / (dt * dt);
    EXPECT_NEAR(gap_acceleration(place(shape, {Vec3::Zero(), q}), plane, v), difference, 1e-5);
  }
}

/// The largest t (1-t) r.C(t)^-1 r of perram_wertheim(), found by bisection of its slope down to rounding. In
/// log(t / (1 - t)): if one body is much larger than the other, t is close to an end.
double contact_function(const PlacedEllipsoid& a, const PlacedEllipsoid& b) {
  const Vec3 r = b.centre - a.centre;
  double low = -40.0, high = 40.0, value = 0.0;
  for (int k = 0; k < 70; ++k) {
    const double middle = 0.5 * (low + high), t = 1.0 / (1.0 + std::exp(-middle)),
                 rest = 1.0 / (1.0 + std::exp(middle));  // 1 - t without cancellation
    const Vec3 v = (rest * a.matrix + t * b.matrix).llt().solve(r);
    value = std::max(value, t * rest * r.dot(v));
    // d/dt = (1-t)^2 v.S_A v - t^2 v.S_B v, with r.v = (1-t) v.S_A v + t v.S_B v
    (rest * rest * v.dot(a.matrix * v) > t * t * v.dot(b.matrix * v) ? low : high) = middle;
  }
  return value;
}

TEST(EllipsoidRelation, AgreesWithPerramWertheimAndTheGap) {
  // Three independent ways to decide whether two bodies are separate: signs of the characteristic polynomial,
  // the contact function, the sign of the gap. All must agree, also for needles and discs of 100 : 1. They
  // must also agree with a positive gap from the pair's construction, which is exact. (A negative one is only
  // a start: a thin end pushed through the other may come out behind it.)
  Random random(9);
  const double aspects[] = {1.5, 3.0, 10.0, 100.0}, sizes[] = {1.0, 20.0, 1000.0};
  int separate = 0, overlapping = 0;
  for (int i = 0; i < 60000; ++i) {
    const double aspect = aspects[i % 4], size = sizes[i / 4 % 3], g0 = random.uniform(-1.0, 1.0);
    if (std::abs(g0) < 1e-6) continue;  // touching, to the accuracy of some of the methods
    const Pair pair = random_pair(random, aspect, size, g0);
    const PlacedEllipsoid a = pair.a(), b = pair.b();
    const Relation relation = classify(a, b);
    const bool apart = relation == Relation::separate;
    ASSERT_NE(relation, Relation::touching) << i << " " << g0;
    ASSERT_TRUE(apart || g0 < 0.0) << i << " " << g0;
    ASSERT_EQ(gap(a, b).distance > 0.0, apart) << i << " " << g0 << " aspect " << aspect << " size " << size;
    ASSERT_EQ(contact_function(a, b) > 1.0, apart)
        << i << " " << g0 << " aspect " << aspect << " size " << size;
    // The quick search of perram_wertheim() does not reach the maximum, but every value is a proof.
    const double quick = perram_wertheim(a, b).contact_function;
    ASSERT_TRUE(apart || quick < 1.0) << i << " " << g0;
    if (size == 1.0 && aspect <= 10.0) {
      ASSERT_EQ(quick > 1.0, apart) << i << " " << g0;
    }
    ++(apart ? separate : overlapping);
  }
  EXPECT_GT(separate, 25000);
  EXPECT_GT(overlapping, 25000);
}

TEST(EllipsoidRelation, Touching) {
  Random random(10);
  for (int i = 0; i < 1000; ++i) {
    const Pair pair = random_pair(random, 2.0, 1.0, 0.0);
    ASSERT_EQ(classify(pair.a(), pair.b()), Relation::touching) << i;
  }
}

TEST(EllipsoidRelation, Inside) {
  const auto at = [](double x, double radius) {
    return place({Vec3(radius, 0.8 * radius, 0.5 * radius)}, {Vec3(x, 0, 0), Quat::Identity()});
  };
  EXPECT_EQ(classify(at(0, 1.0), at(0.5, 0.3)), Relation::inside);
  EXPECT_EQ(classify(at(0.5, 0.3), at(0, 1.0)), Relation::inside);
  EXPECT_EQ(classify(at(0, 1.0), at(0.8, 0.3)), Relation::overlapping);
  EXPECT_EQ(classify(at(0, 1.0), at(1.5, 0.3)),
            Relation::separate);  // on a common axis: a double negative root
  EXPECT_EQ(classify(at(0, 1.0), at(1.3, 0.3)), Relation::touching);
  // Crossed needles: four negative roots, but neither contains the other.
  const PlacedEllipsoid needle = place({Vec3(10, 1, 1)}, {Vec3::Zero(), Quat::Identity()});
  const PlacedEllipsoid crossed = place({Vec3(1, 10, 1.5)}, {Vec3::Zero(), Quat::Identity()});
  EXPECT_EQ(classify(needle, crossed), Relation::overlapping);
}

TEST(EllipsoidRelation, SpheresFarApartAreSeparate) {
  // Two of their four roots are equal, and the coefficients differ by many orders: earlier, three pairs in a
  // thousand of these were reported as overlapping.
  Random random(3);
  for (int i = 0; i < 100000; ++i) {
    const double radius_a = random.uniform(0.01, 0.03), radius_b = random.uniform(0.01, 0.03);
    const Vec3 r = (radius_a + radius_b) * std::pow(10.0, random.uniform(0.01, 3.0)) * random.direction();
    ASSERT_EQ(classify(place(Ellipsoid{Vec3::Constant(radius_a)}, {Vec3::Zero(), random.rotation()}),
                       place(Ellipsoid{Vec3::Constant(radius_b)}, {r, random.rotation()})),
              Relation::separate)
        << i;
  }
}

TEST(PerramWertheim, DistinguishesSeparateFromOverlapping) {
  Random random(11);
  for (int i = 0; i < 20000; ++i) {
    const double g0 = random.uniform(-0.5, 0.5);
    if (std::abs(g0) < 0.02) continue;  // the function's maximum is found to about 1e-3
    const Pair pair = random_pair(random, 3.0, 1.0, g0);
    ASSERT_EQ(perram_wertheim(pair.a(), pair.b()).contact_function > 1.0, g0 > 0.0) << i << " " << g0;
  }
}

// Fails today: t is searched to 1e-3, but the maximum is at a t of about 1 over the ratio of sizes. So no
// separate pair of 1000 : 1 is recognised, and only half of those of 20 : 1 with an aspect of 10.
TEST(PerramWertheim, DISABLED_DistinguishesSeparateFromOverlappingForAllSizes) {
  Random random(12);
  for (int i = 0; i < 20000; ++i) {
    const double g0 = random.uniform(-0.5, 0.5);
    if (std::abs(g0) < 0.02) continue;
    const Pair pair = random_pair(random, i % 2 == 0 ? 3.0 : 10.0, i % 4 < 2 ? 20.0 : 1000.0, g0);
    const PlacedEllipsoid a = pair.a(), b = pair.b();
    ASSERT_EQ(perram_wertheim(a, b).contact_function > 1.0, contact_function(a, b) > 1.0) << i << " " << g0;
  }
}

}  // namespace
}  // namespace scree
