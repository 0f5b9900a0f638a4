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

double gap_acceleration(const PlacedEllipsoid& ellipsoid, const Plane& plane, const Twist& twist,
                        const WallMotion& wall) {
  const Vec3& n = plane.normal;
  const Vec3& w = twist.angular;
  const Vec3& w_wall = wall.twist.angular;
  const Vec3 sn = ellipsoid.matrix * n;
  const double h = std::sqrt(n.dot(sn));
  const Vec3 x = sn / h, n1 = w_wall.cross(n), n2 = w_wall.cross(n1), turned = w.cross(n) - n1;
  const double c = (turned.dot(ellipsoid.matrix * turned) - x.dot(turned) * x.dot(turned)) / h;
  const Vec3 second = w.cross(w.cross(n)) - 2.0 * w.cross(n1) + n2;
  const double carried =
      (ellipsoid.centre - wall.centre).dot(n2) + 2.0 * (twist.linear - wall.twist.linear).dot(n1);
  return carried - x.dot(second) - c;
}

}  // namespace scree
