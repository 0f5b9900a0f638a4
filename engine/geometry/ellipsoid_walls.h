// Common parts of contacts of ellipsoids with several kinds of walls.
#pragma once

#include <algorithm>
#include <cmath>

#include "engine/geometry/ellipsoid.h"
#include "engine/geometry/gap.h"

namespace scree {

/// An ellipsoid in the frame of a wall.
struct FramedEllipsoid {
  const Ellipsoid& shape;
  Vec3 centre;
  Mat3 axes;    // columns: the ellipsoid's axes
  Mat3 matrix;  // S, m^2
};

inline FramedEllipsoid in_frame(const Ellipsoid& shape, const Pose& pose, const Pose& wall) {
  const Quat back = wall.orientation.conjugate();
  const Mat3 axes = (back * pose.orientation).toRotationMatrix();
  return {shape, back * (pose.position - wall.position), axes,
          axes * shape.semi_axes.cwiseAbs2().asDiagonal() * axes.transpose()};
}

/// Closest place on an ellipsoid to a point, along the ellipsoid's own axes: outward normal and signed
/// distance of the point, m, negative inside.
struct Nearest {
  Vec3 normal;
  double distance;
};
inline Nearest nearest(const Ellipsoid& shape, const Vec3& point) {
  const Vec3 x = closest_surface_point(shape, point);
  const Vec3 n = x.cwiseQuotient(shape.semi_axes.cwiseAbs2()).normalized();
  return {n, n.dot(point - x)};
}

/// In the frame of a wall: the touched point of the wall, and the distance from it.
struct FrameTouch {
  Vec3 normal, at;
  double distance;
};

/// On the side of the plane on which the centre is.
inline FrameTouch on_plane(const FramedEllipsoid& g, const Vec3& point, const Vec3& normal) {
  const double height = normal.dot(g.centre - point);
  const Vec3 n = (height < 0.0 ? -1.0 : 1.0) * normal, s = g.matrix * n;
  const double reach = std::sqrt(n.dot(s));
  const double distance = std::abs(height) - reach;
  return {n, g.centre - s / reach - distance * n, distance};
}

inline FrameTouch on_point(const FramedEllipsoid& g, const Vec3& point) {
  const Nearest p = nearest(g.shape, g.axes.transpose() * (point - g.centre));
  return {-(g.axes * p.normal), point, p.distance};
}

/// Are two touches the same, for a body of this size (m)?
inline bool is_same(const FrameTouch& a, const FrameTouch& b, double size) {
  constexpr double same_place = 1e-9;  // relative to the size; also for directions
  return (a.at - b.at).norm() < same_place * size && a.normal.dot(b.normal) > 1.0 - same_place;
}

/// Number of the end of the body on which a surface point (its frame) is; it does not change while the
/// contact slides a little.
inline std::uint32_t end_of_grain(const Ellipsoid& shape, const Vec3& local) {
  int longest = 0, shortest = 0;
  shape.semi_axes.maxCoeff(&longest);
  shape.semi_axes.minCoeff(&shortest);
  if (longest == shortest) return 0;
  const int middle = 3 - longest - shortest;
  return (local[longest] < 0.0 ? 1u : 0u) + (local[middle] < 0.0 ? 2u : 0u);
}

/// Time for second differences of a wall distance, s: so short that the body does not pass through the wall
/// or rotate too far.
inline double difference_time(const Ellipsoid& shape, const Pose& pose, const PairMotion& motion) {
  constexpr double most_travel = 0.5;  // relative to the smallest semi-axis
  const Twist& wall = motion.wall.twist;
  const Vec3 carried = wall.linear + wall.angular.cross(pose.position - motion.wall.centre);
  const double speed = (motion.body.linear - carried).norm() +
                       (motion.body.angular - wall.angular).norm() * shape.semi_axes.maxCoeff();
  const double most = most_travel * shape.semi_axes.minCoeff();
  return motion.dt_s * speed > most ? most / speed : motion.dt_s;
}

/// Root of a function of an angle that falls through zero between low and high, to 1e-11 rad: bisection
/// accelerated by secants. Without a sign change, the nearer end.
template <class F>
double falling_root(F&& slope, double low, double high) {
  constexpr int refinements = 60;
  constexpr double angle_tolerance = 1e-11;  // rad
  double f_low = slope(low), f_high = slope(high);
  if (f_low <= 0.0) return low;
  if (f_high >= 0.0) return high;
  for (int k = 0; k < refinements && high - low > angle_tolerance; ++k) {
    double middle = (low * f_high - high * f_low) / (f_high - f_low);
    const double guard = 0.02 * (high - low);
    if (k % 3 == 2) middle = 0.5 * (low + high);
    middle = std::clamp(middle, low + guard, high - guard);
    const double f = slope(middle);
    if (f > 0.0) {
      low = middle;
      f_low = f;
    } else {
      high = middle;
      f_high = f;
    }
  }
  return 0.5 * (low + high);
}

}  // namespace scree
