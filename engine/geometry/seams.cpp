#include "engine/geometry/seams.h"

#include <algorithm>
#include <cmath>

namespace scree {

namespace {

constexpr double clear = 1e-9;  // allowed cosine between a normal and surfaces that pass through its place

/// The least cosine of a direction that rises, for a surface at this distance from the place.
double least_rise(const SharpPlace& at, double distance_m) { return clear + 2.0 * distance_m / at.size; }

/// Nearest point on a triangle (Ericson, Real-Time Collision Detection, 2005, section 5.1.5).
Vec3 nearest_on_triangle(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& p) {
  const Vec3 ab = b - a, ac = c - a, ap = p - a, bp = p - b, cp = p - c;
  const double d1 = ab.dot(ap), d2 = ac.dot(ap), d3 = ab.dot(bp), d4 = ac.dot(bp), d5 = ab.dot(cp),
               d6 = ac.dot(cp);
  if (d1 <= 0.0 && d2 <= 0.0) return a;
  if (d3 >= 0.0 && d4 <= d3) return b;
  if (d6 >= 0.0 && d5 <= d6) return c;
  const double of_c = d1 * d4 - d3 * d2, of_b = d5 * d2 - d1 * d6, of_a = d3 * d6 - d5 * d4;
  if (of_c <= 0.0 && d1 >= 0.0 && d3 <= 0.0) return a + d1 / (d1 - d3) * ab;
  if (of_b <= 0.0 && d2 >= 0.0 && d6 <= 0.0) return a + d2 / (d2 - d6) * ac;
  if (of_a <= 0.0 && d4 >= d3 && d5 >= d6) return b + (d4 - d3) / ((d4 - d3) + (d5 - d6)) * (c - b);
  const double whole = of_a + of_b + of_c;
  return a + of_b / whole * ab + of_c / whole * ac;
}

}  // namespace

bool is_same(const SharpPlace& a, const SharpPlace& b) {
  const double distance = (a.point - b.point).norm();
  return distance <= a.slack && a.normal.dot(b.normal) > 0.0 &&
         a.normal.cross(b.normal).norm() <= least_rise(a, distance);
}

bool tangent_rises(const Vec3& surface_normal, double distance_m, const SharpPlace& at) {
  return distance_m <= at.slack && at.normal.cross(surface_normal).norm() > least_rise(at, distance_m);
}

bool rises_at(const Plane& plane, const SharpPlace& at) {
  return tangent_rises(plane.normal, std::abs(plane.normal.dot(at.point - plane.point)), at);
}

bool rises_at(const Tube& tube, const SharpPlace& at) {
  const Vec3 along = (tube.end - tube.start).normalized(), r = at.point - tube.start;
  const double length = (tube.end - tube.start).norm(), height = r.dot(along);
  const Vec3 across = r - height * along;
  const double radial = across.norm();
  if (!(radial > 0.0)) return false;
  // From the middle surface: all points within half the thickness of it are wall.
  const Vec3 middle = tube.start + std::clamp(height, 0.0, length) * along +
                      tube.middle_radius() / radial * across,
             away = at.point - middle;
  const double distance = away.norm();
  if (!(distance > 0.0)) return false;
  return tangent_rises(away / distance, std::abs(distance - 0.5 * tube.thickness), at);
}

bool rises_at(const PlacedMesh& placed, const SharpPlace& at) {
  const MeshSurface& m = *placed.mesh;
  const Quat back = placed.pose.orientation.conjugate();
  const Vec3 point = back * (at.point - placed.pose.position), normal = back * at.normal;
  bool rises = false;
  triangles_near(m, point - Vec3::Constant(at.slack), point + Vec3::Constant(at.slack), [&](std::int32_t t) {
    if (rises) return;
    const auto& corners = m.triangles[t];
    const auto corner = [&](std::size_t k) -> const Vec3& { return m.points[corners[k]]; };
    const Vec3 foot = nearest_on_triangle(corner(0), corner(1), corner(2), point);
    const double distance = (foot - point).norm();
    if (distance > at.slack) return;
    // The steepest direction of a triangle from one of its points leads to a corner, or is its slope.
    const double least = least_rise(at, distance);
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3 to = corner(k) - foot;
      const double length = to.norm();
      if (length > at.slack && normal.dot(to) > least * length) rises = true;
    }
  });
  return rises;
}

bool rises_at(const PlacedRevolved& placed, const SharpPlace& at) {
  const RevolvedSurface& s = *placed.surface;
  const Quat back = placed.pose.orientation.conjugate();
  const Vec3 point = back * (at.point - placed.pose.position), normal = back * at.normal;
  const double radius = std::hypot(point[0], point[1]);
  const Vec3 outward = radius > 0.0 ? Vec3(point[0] / radius, point[1] / radius, 0.0) : Vec3(Vec3::UnitX());
  const auto in_space = [&](const Vec2& profile) -> Vec3 {
    return profile[0] * outward + profile[1] * Vec3::UnitZ();
  };
  const SharpPlace here{point, normal, at.slack, at.size};
  if (s.hollow) return tangent_rises(point.normalized(), std::abs(s.rounding - point.norm()), here);
  const Vec2 profile(radius, point[2]);
  if (s.rounding > 0.0) {  // smooth: its normal points from the nearest point of the sheet
    Vec2 nearest = s.corners[0];
    for (const Vec2& corner : s.corners)
      if ((profile - corner).norm() < (profile - nearest).norm()) nearest = corner;
    for (const RevolvedSurface::Segment& segment : s.segments) {
      const double along = std::clamp(segment.along.dot(profile - segment.from), 0.0, segment.length);
      const Vec2 foot = segment.from + along * segment.along;
      if ((profile - foot).norm() < (profile - nearest).norm()) nearest = foot;
    }
    const Vec2 away = profile - nearest;
    const double distance = away.norm();
    return distance > 0.0 && tangent_rises(in_space(away / distance), std::abs(distance - s.rounding), here);
  }
  const Vec3 around(-outward[1], outward[0], 0.0);
  return std::ranges::any_of(s.segments, [&](const RevolvedSurface::Segment& segment) {
    const double along = std::clamp(segment.along.dot(profile - segment.from), 0.0, segment.length);
    const Vec2 foot = segment.from + along * segment.along;
    const double distance = (profile - foot).norm();
    if (distance > at.slack) return false;
    const double least = least_rise(at, distance), slope = normal.dot(in_space(segment.along));
    return (segment.length - along > at.slack && slope > least) || (along > at.slack && -slope > least) ||
           (radius > at.slack && std::abs(normal.dot(around)) > least);
  });
}

}  // namespace scree
