// Common parts of contacts of ellipsoids with several kinds of walls.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/core/eigenbasis.h"
#include "engine/core/frames.h"
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

/// The same for a point within the ellipsoid, on the other side of its shortest axis, if the surface there
/// has a place that is nearer than all places around it. No third one exists.
inline std::optional<Nearest> nearest_on_far_side(const Ellipsoid& shape, const Vec3& point) {
  const Vec3 squares = shape.semi_axes.cwiseAbs2(), y = point.cwiseAbs();
  int shortest = 0;
  const double least = squares.minCoeff(&shortest), b = shape.semi_axes[shortest];
  double middle = infinity;
  for (int i = 0; i < 3; ++i)
    if (i != shortest) middle = std::min(middle, squares[i]);
  // x_i = a_i^2 y_i / (a_i^2 - b^2 - u), where u is the least root in (0, m^2 - b^2) of the sum of
  // (x_i/a_i)^2 minus one. It is convex there, and above zero where the term of the shortest axis alone is
  // one.
  double u = b * y[shortest];
  Vec3 x;
  const auto place = [&] {
    double rest = 1.0;
    for (int i = 0; i < 3; ++i) {
      if (i == shortest) continue;
      x[i] = squares[i] * y[i] / (squares[i] - least - u);
      rest -= x[i] * x[i] / squares[i];
    }
    return rest;
  };
  if (!(u < middle - least)) return std::nullopt;
  if (u == 0.0) {
    const double rest = place();
    if (!(rest > 0.0)) return std::nullopt;
    x[shortest] = b * std::sqrt(rest);
  } else {
    constexpr int iterations = 60;
    constexpr double tolerance = 1e-15;
    for (int k = 0; k < iterations; ++k) {
      const double term = b * y[shortest] / u, value = term * term - place();
      double slope = -2.0 * term * term / u;
      for (int i = 0; i < 3; ++i)
        if (i != shortest) slope += 2.0 * x[i] * x[i] / (squares[i] * (squares[i] - least - u));
      if (!(value > tolerance)) break;
      u -= value / slope;
      if (!(slope < 0.0 && u < middle - least)) return std::nullopt;
    }
    place();
    x[shortest] = least * y[shortest] / u;
  }
  x /= x.cwiseQuotient(shape.semi_axes).norm();
  for (int i = 0; i < 3; ++i) x[i] = std::copysign(x[i], i == shortest ? -point[i] : point[i]);
  const Vec3 n = x.cwiseQuotient(squares).normalized();
  return Nearest{n, n.dot(point - x)};
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
inline std::optional<FrameTouch> on_far_side_of_point(const FramedEllipsoid& g, const Vec3& point) {
  const auto p = nearest_on_far_side(g.shape, g.axes.transpose() * (point - g.centre));
  if (!p) return std::nullopt;
  return FrameTouch{-(g.axes * p->normal), point, p->distance};
}

/// Along a line the ellipsoid is an ellipse: its projection, with the matrix Q^T S Q.
struct LineView {
  const FramedEllipsoid& g;
  Vec3 from, along, first, second;
  double a, b;
  Vec3 local;  // the line in the axes of the ellipse; the third coordinate has no effect

  LineView(const FramedEllipsoid& grain, const Vec3& point, const Vec3& direction)
      : g(grain), from(point), along(direction) {
    const auto [u, w] = tangents(along);
    const Vec3 su = g.matrix * u, sw = g.matrix * w;
    Mat2 shadow;
    shadow << u.dot(su), u.dot(sw), w.dot(su), w.dot(sw);
    const Mat2 turn = eigenbasis(shadow);
    const Vec2 squares = (turn.transpose() * shadow * turn).diagonal().cwiseMax(0.0);
    first = turn(0, 0) * u + turn(1, 0) * w;
    second = turn(0, 1) * u + turn(1, 1) * w;
    const Vec3 to = from - g.centre;
    a = std::sqrt(squares[0]);
    b = std::sqrt(squares[1]);
    local = {to.dot(first), to.dot(second), 0.0};
  }
  FrameTouch touch() const { return touch_of(nearest({{a, b, a}}, local)); }
  std::optional<FrameTouch> touch_on_far_side() const {
    const auto p = nearest_on_far_side({{a, b, 2.0 * std::max(a, b)}}, local);
    return p ? std::optional(touch_of(*p)) : std::nullopt;
  }

 private:
  FrameTouch touch_of(const Nearest& p) const {
    const Vec3 n = -(p.normal[0] * first + p.normal[1] * second), sn = g.matrix * n;
    const Vec3 deepest = g.centre - sn / std::sqrt(n.dot(sn));
    return {n, from + along.dot(deepest - from) * along, p.distance};
  }
};

/// Is the touched place of a wall within the ellipsoid? Else it is deeper than the ellipsoid is curved, and
/// the body may have come from beside the wall. `rounding`: from `at` to the surface.
inline bool covers_its_place(const FramedEllipsoid& g, const FrameTouch& t, double rounding = 0.0) {
  constexpr double slack = 1e-9;  // at touch the place is on the surface
  const Vec3 x = g.axes.transpose() * (t.at + rounding * t.normal - g.centre);
  return x.cwiseQuotient(g.shape.semi_axes).squaredNorm() < 1.0 + slack;
}
/// The middle of the ellipsoid's section with the plane of a touch: also its touched place, if not deep.
inline Vec3 middle_of_section(const FramedEllipsoid& g, const FrameTouch& t, double rounding = 0.0) {
  const Vec3 sn = g.matrix * t.normal;
  const double square = t.normal.dot(sn), height = std::sqrt(square) + t.distance - rounding;
  return g.centre - (height / square) * sn;
}

/// The same on a curved sheet, whose sides `is_inside` tells apart: where the way from the centre to the
/// deepest place passes through it. None if a body deeper than its rounding does not do that.
template <class F>
std::optional<Vec3> middle_of_section(const FramedEllipsoid& g, const FrameTouch& t, double rounding,
                                      F&& is_inside) {
  constexpr int halvings = 30;
  if (t.distance > 0.0) return middle_of_section(g, t, rounding);
  Vec3 low = g.centre, high = t.at + t.distance * t.normal;
  const bool start = is_inside(low);
  if (is_inside(high) == start) return std::nullopt;
  for (int k = 0; k < halvings; ++k) {
    const Vec3 middle = 0.5 * (low + high);
    (is_inside(middle) == start ? low : high) = middle;
  }
  return low;
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

/// The maximum uphill of phi, by the sign of the slope; of several, one that is higher than phi. `step`:
/// distance at which the function is known to be lower, or the range of the search.
template <class Value, class Slope>
double peak(Value&& value, Slope&& slope, double phi, double step) {
  constexpr int halvings = 40;
  const double way = slope(phi) > 0.0 ? step : -step;
  double low = 0.0, high = 1.0, highest = value(phi);
  for (int k = 0; k < halvings && way * slope(phi + high * way) > 0.0; ++k) {
    const double middle = 0.5 * (low + high), here = value(phi + middle * way);
    if (here > highest && way * slope(phi + middle * way) > 0.0) {
      low = middle;
      highest = here;
    } else {
      high = middle;
    }
  }
  return phi + way * falling_root([&](double x) { return way * slope(phi + x * way); }, low, high);
}

}  // namespace scree
