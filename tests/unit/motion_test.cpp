#include "engine/simulation/motion.h"

#include <gtest/gtest.h>

#include "engine/core/random.h"

namespace scree {
namespace {

Vec3 angular_momentum_of(const Vec3& inertia, const Quat& q, const Vec3& w) {
  return q * inertia.cwiseProduct(q.conjugate() * w);
}

TEST(FreeTop, KeepsMomentumAndEnergyToRounding) {
  const Vec3 inertia(1, 2, 3);
  Quat q = Quat::Identity();
  Vec3 w(1, 1, 1);
  const Vec3 l0 = angular_momentum_of(inertia, q, w);
  const double e0 = 0.5 * w.dot(l0);
  for (int i = 0; i < 100000; ++i) rotate_freely(inertia, 0.01, q, w);
  const Vec3 l = angular_momentum_of(inertia, q, w);
  // 100,000 steps, each rounding at 1e-16: a random walk reaches 1e-13, a drift 1e-11.
  EXPECT_LT((l - l0).norm() / l0.norm(), 2e-12);
  EXPECT_LT(std::abs(0.5 * w.dot(l) - e0) / e0, 2e-12);
}

TEST(FreeTop, ReachesTheExactAngularVelocityAtSecondOrder) {
  // Reference: w(10) in the body frame for I = (1, 2, 3), w0 = (1, 1, 1), to 17 digits (elliptic functions).
  const Vec3 exact(-0.60347042309251813, -1.2789931385478724, 0.88772678821573304);
  double last_error = 0.0;
  for (const int steps : {2500, 5000, 10000}) {
    const Vec3 inertia(1, 2, 3);
    Quat q = Quat::Identity();
    Vec3 w(1, 1, 1);
    for (int i = 0; i < steps; ++i) rotate_freely(inertia, 10.0 / steps, q, w);
    const double error = (q.conjugate() * w - exact).norm();
    EXPECT_LT(error, 2.0 * 100.0 / steps / steps * 10.0);
    if (last_error > 0.0) {
      EXPECT_NEAR(last_error / error, 4.0, 0.05);
    }
    last_error = error;
  }
}

TEST(FreeTop, RunsBackward) {
  const Vec3 inertia(1, 2, 3);
  Random random(1);
  Quat q = random.rotation();
  Vec3 w = 3.0 * random.direction();
  const Quat q0 = q;
  const Vec3 w0 = w;
  for (int i = 0; i < 1000; ++i) rotate_freely(inertia, 0.01, q, w);
  for (int i = 0; i < 1000; ++i) rotate_freely(inertia, -0.01, q, w);
  EXPECT_LT((w - w0).norm(), 1e-11);
  EXPECT_LT(q.angularDistance(q0), 1e-11);
}

TEST(FreeTop, FastSpinStillConverges) {
  const Vec3 inertia(1, 2, 30);
  Quat q = Quat::Identity();
  Vec3 w(300, 200, 100);
  const Vec3 l0 = angular_momentum_of(inertia, q, w);
  const double e0 = 0.5 * w.dot(l0);
  for (int i = 0; i < 1000; ++i) rotate_freely(inertia, 1e-3, q, w);
  const Vec3 l = angular_momentum_of(inertia, q, w);
  EXPECT_LT((l - l0).norm() / l0.norm(), 1e-12);
  EXPECT_LT(std::abs(0.5 * w.dot(l) - e0) / e0, 1e-12);
}

}  // namespace
}  // namespace scree
