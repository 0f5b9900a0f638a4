// Curves that points are led along.
#pragma once

#include <vector>

#include "engine/core/types.h"

namespace scree {

/// A cubic spline through points, twice differentiable, with their distances as its parameter: periodic if
/// the last point is the first, else natural. Its distance from a smooth curve falls with the fourth power of
/// that of the points. Beyond open ends it goes on straight.
class JointCurve {
 public:
  /// At least two points, none where the one before is.
  explicit JointCurve(std::vector<Vec3> points);

  struct Place {
    Vec3 position, tangent;  // m; unit
    Vec3 curvature;          // 1/m, of a motion along it at 1 m/s the acceleration across
  };
  /// Of all of the curve the place nearest to a point, m; the first of equals.
  Place nearest(const Vec3& point) const;
  bool is_closed() const { return closed_; }

 private:
  struct Values {
    Vec3 position, first, second;  // with its derivatives by the parameter
  };
  Values at(std::size_t segment, double s) const;

  std::vector<Vec3> points_, bends_;  // second derivatives there
  std::vector<double> length_;        // [segment]
  bool closed_ = false;
};

}  // namespace scree
