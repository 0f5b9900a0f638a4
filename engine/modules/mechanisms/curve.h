// Curves that points are led along.
#pragma once

#include <vector>

#include "engine/core/types.h"

namespace scree {

/// A cubic spline through points, twice differentiable, with their distances as its parameter: periodic if
/// the last point is the first, else without knots next to its ends (natural if there are fewer than four
/// points). Its distance from a smooth curve falls with the fourth power of that of the points. Beyond open
/// ends it goes on straight.
class JointCurve {
 public:
  /// At least two points, none where the one before is.
  explicit JointCurve(std::vector<Vec3> points);

  struct Place {
    Vec3 position, tangent;  // m; unit
    Vec3 curvature;          // 1/m, of a motion along it at 1 m/s the acceleration across
    double along = 0.0;      // m, the parameter
  };
  /// The place nearest to a point, m: of all of the curve, the first of equals; or, where curves cross
  /// themselves, the one that a search from a place comes to.
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
