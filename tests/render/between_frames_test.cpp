// Ways between frames: free fall, and one impact.
#include "io/render/between_frames.h"

#include <gtest/gtest.h>

namespace scree::io {
namespace {

const Vec3 g(0.0, 0.0, -9.81);

// A parabola is met exactly, whatever gravity is said to be.
TEST(BetweenFrames, FreeFallIsExact) {
  const Vec3 x0(0.1, 0.2, 3.0), v0(1.0, -2.0, 4.0);
  const double h = 0.1;
  const auto at = [&](double t) { return Vec3(x0 + t * v0 + 0.5 * t * t * g); };
  for (const double part : {0.0, 0.3, 1.0})
    for (const Vec3& said : {g, Vec3(Vec3::Zero())})
      EXPECT_LT((between(x0, v0, at(h), v0 + h * g, said, h, part) - at(part * h)).norm(), 1e-14);
}

// A bounce between two frames is where both parabolas meet: its corner is not cut off.
TEST(BetweenFrames, OneImpactIsWhereItWas) {
  const double e = 0.8, before = 0.03, after = 0.05, h = before + after, v = -2.0;  // of the impact, at z = 0
  const Vec3 v0(1.5, 0.0, v + 9.81 * before), x0(0.0, 0.0, -before * v0.z() + 0.5 * 9.81 * before * before);
  const Vec3 up(1.5, 0.0, -e * v), corner(1.5 * before, 0.0, 0.0);
  const Vec3 x1 = corner + after * up + 0.5 * after * after * g, v1 = up + after * g;
  EXPECT_LT((between(x0, v0, x1, v1, g, h, before / h) - corner).norm(), 1e-14);
  for (const double t : {0.01, 0.02})
    EXPECT_LT((between(x0, v0, x1, v1, g, h, t / h) - (x0 + t * v0 + 0.5 * t * t * g)).norm(), 1e-14);
  for (const double t : {0.01, 0.04})
    EXPECT_LT((between(x0, v0, x1, v1, g, h, (before + t) / h) - (corner + t * up + 0.5 * t * t * g)).norm(),
              1e-14);
}

}  // namespace
}  // namespace scree::io
