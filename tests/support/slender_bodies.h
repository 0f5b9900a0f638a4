// Long and flat ellipsoids that touch a wall at a known place.
#pragma once

#include <cmath>
#include <vector>

#include "engine/geometry/ellipsoid.h"

namespace scree::test {

/// At a place of a wall, with its normal towards the body and the gap.
inline Pose touching(const Ellipsoid& shape, const Quat& turn, const Vec3& place, const Vec3& normal,
                     double gap) {
  const Mat3 axes = turn.toRotationMatrix();
  const Vec3 sn = axes * shape.semi_axes.cwiseAbs2().asDiagonal() * axes.transpose() * normal;
  return {place + gap * normal + sn / std::sqrt(normal.dot(sn)), turn};
}

/// Rods and discs of several aspect ratios.
inline std::vector<Ellipsoid> slender_bodies(double size) {
  std::vector<Ellipsoid> shapes;
  for (const double aspect : {3.0, 8.0, 20.0}) {
    shapes.push_back({{size, size / aspect, size / aspect}});
    shapes.push_back({{size, size, size / aspect}});
  }
  return shapes;
}

}  // namespace scree::test
