// Curves along which joints guide points.
#pragma once

#include <vector>

#include "engine/core/types.h"

namespace scree {

/// A cubic spline through points, twice differentiable, with the distances of points as parameter. It is
/// periodic if the last point equals the first; else it has no knots next to its ends (natural if there are
/// fewer than four points). Its error relative to a smooth curve decreases with the fourth power of the
/// distance of points. Beyond open ends it continues straight.
class JointCurve {
 public:
  /// At least two points, no two successive ones equal.
  explicit JointCurve(std::vector<Vec3> points);

  struct Place {
    Vec3 position, tangent;  // m; unit
    Vec3 curvature;          // 1/m, transverse acceleration of a motion along it at 1 m/s
    double along = 0.0;      // m, the parameter
  };
  /// The place nearest to a point, m: on the whole curve, the first of equal ones. For curves that cross
  /// themselves: the place to which a search from `from` leads.
  Place nearest(const Vec3& point, double from = -1.0) const;
  bool is_closed() const { return closed_; }
  double length() const { return start_.back(); }  // m, of the straight lines between the points

 private:
  struct Values {
    Vec3 position, first, second;  // with its derivatives by the parameter
  };
  Values at(std::size_t segment, double s) const;

  std::vector<Vec3> points_, bends_;  // second derivatives there
  std::vector<double> length_;        // [segment]
  std::vector<double> start_;         // [point] parameter
  bool closed_ = false;
};

}  // namespace scree
