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

TEST(FreeTop, LargeRotationsKeepMomentumAndEnergyAndAreReversible) {
  // One rotation of (M1) without convergence of Newton gave 64 grains at 1e5 rad/s a thousand times their
  // energy.
  Random random(7);
  for (const Vec3& inertia : {Vec3(1, 2, 3), Vec3(1, 1.5, 2.4), Vec3(1, 20, 20.5)}) {
    for (const double turn : {1.0, 3.0, 50.0, 1e3, 2e4}) {  // rad a step
      const Quat q0 = random.rotation();
      const Vec3 w0 = turn * random.direction();
      Quat q = q0;
      Vec3 w = w0;
      const Vec3 l0 = angular_momentum_of(inertia, q, w);
      const double e0 = 0.5 * w.dot(l0);
      for (int i = 0; i < 3; ++i) rotate_freely(inertia, 1.0, q, w);
      const Vec3 l = angular_momentum_of(inertia, q, w);
      // Up to 30,000 rotations, each with rounding of 1e-16 and some of Newton's last digits.
      EXPECT_LT((l - l0).norm() / l0.norm(), 1e-11) << inertia.transpose() << " " << turn;
      EXPECT_LT(std::abs(0.5 * w.dot(l) - e0) / e0, 1e-11) << inertia.transpose() << " " << turn;
      if (turn > 100.0) continue;  // rounding increases with the number of rotations
      for (int i = 0; i < 3; ++i) rotate_freely(inertia, -1.0, q, w);
      EXPECT_LT((w - w0).norm() / w0.norm(), 1e-8) << inertia.transpose() << " " << turn;
    }
  }
}

TEST(FreeTop, VectorizedRotationMatchesSingleBodies) {
  // More bodies than fit side by side, with rotations in the step from none to a quarter, also thin plates
  // and needles, one of them asleep. Two ways to one root: the same to rounding.
  constexpr double dt = 1e-3;
  Random random(5);
  Bodies bodies;
  for (int i = 0; i < 200; ++i) {
    const Vec3 axes(random.uniform(0.01, 1.0), random.uniform(0.01, 1.0), random.uniform(0.01, 1.0));
    const Vec3 inertia(axes[1] * axes[1] + axes[2] * axes[2], axes[2] * axes[2] + axes[0] * axes[0],
                       axes[0] * axes[0] + axes[1] * axes[1]);
    bodies.position.push_back(random.direction());
    bodies.orientation.push_back(random.rotation());
    bodies.linear_velocity.push_back(random.direction());
    bodies.angular_velocity.push_back(
        i == 0 ? Vec3(Vec3::Zero()) : Vec3(std::pow(10.0, random.uniform(-6.0, 2.6)) * random.direction()));
    bodies.inertia.push_back(inertia);
  }
  bodies.asleep.assign(bodies.size(), 0);
  bodies.asleep[7] = 1;
  const Bodies before = bodies;
  drift(bodies, dt);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    Quat q = before.orientation[i];
    Vec3 w = before.angular_velocity[i], x = before.position[i];
    if (i != 7) {
      rotate_freely(before.inertia[i], dt, q, w);
      x += dt * before.linear_velocity[i];
    }
    EXPECT_EQ(bodies.position[i], x);
    EXPECT_LT((bodies.orientation[i].coeffs() - q.coeffs()).norm(), 1e-14) << i;
    EXPECT_LE((bodies.angular_velocity[i] - w).norm(), 2e-14 * w.norm()) << i;
    const Vec3 l0 = angular_momentum_of(before.inertia[i], before.orientation[i], before.angular_velocity[i]),
               l = angular_momentum_of(before.inertia[i], bodies.orientation[i], bodies.angular_velocity[i]);
    EXPECT_LE((l - l0).norm(), 2e-14 * l0.norm()) << i;
  }
}

TEST(FreeTop, VectorizedSmallRotationsKeepMomentumAndEnergy) {
  // As above, in 100,000 steps of 0.9 mrad: a random walk of rounding errors reaches 1e-13, a drift 1e-11.
  Bodies bodies;
  for (const Vec3& w : {Vec3(1, 1, 1), Vec3(1, -2, 0.5), Vec3(0.1, 0.2, 1.5)}) {
    bodies.position.push_back(Vec3::Zero());
    bodies.linear_velocity.push_back(Vec3::Zero());
    bodies.orientation.push_back(Quat::Identity());
    bodies.angular_velocity.push_back(w);
    bodies.inertia.emplace_back(1, 2, 3);
  }
  const Bodies before = bodies;
  for (int i = 0; i < 100000; ++i) drift(bodies, 5e-4);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const auto momentum = [&](const Bodies& b) {
      return angular_momentum_of(b.inertia[i], b.orientation[i], b.angular_velocity[i]);
    };
    const Vec3 l0 = momentum(before), l = momentum(bodies);
    const double e0 = before.angular_velocity[i].dot(l0), e = bodies.angular_velocity[i].dot(l);
    EXPECT_LT((l - l0).norm() / l0.norm(), 2e-12) << i;
    EXPECT_LT(std::abs(e - e0) / e0, 2e-12) << i;
  }
}

}  // namespace
}  // namespace scree
