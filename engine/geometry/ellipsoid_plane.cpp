#include "engine/geometry/ellipsoid_plane.h"

#include <cmath>

namespace scree {

Gap gap(const PlacedEllipsoid& ellipsoid, const Plane& plane) {
  const Vec3 sn = ellipsoid.matrix * plane.normal;
  const double support = std::sqrt(plane.normal.dot(sn));
  const double height = plane.normal.dot(ellipsoid.centre - plane.point);
  const double distance = height - support;
  Gap result;
  result.normal = plane.normal;
  result.distance = distance;
  result.point = ellipsoid.centre - sn / support - 0.5 * distance * plane.normal;
  return result;
}

}  // namespace scree
