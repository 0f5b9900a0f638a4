// What stands for a smooth function within one step: the cubic through its values and slopes at both ends.
#pragma once

namespace scree {

struct Hermite {
  double begin, begin_slope;  // slopes per theta: per step, not per second
  double end, end_slope;

  /// The cubic as a function of theta.
  auto polynomial() const {
    const double rise = end - begin, c2 = 3.0 * rise - 2.0 * begin_slope - end_slope,
                 c3 = begin_slope + end_slope - 2.0 * rise;
    return [c0 = begin, c1 = begin_slope, c2, c3](double theta) {
      return c0 + theta * (c1 + theta * (c2 + theta * c3));
    };
  }
  /// 0 <= theta <= 1; its error is at most 1/384 of the largest fourth derivative to theta.
  double at(double theta) const { return polynomial()(theta); }

  /// Where it changes its sign, theta to 1e-15; the signs of the ends must differ, or one be zero.
  double crossing() const;

  /// The same where it begins at zero and leaves it on the side of its slope, which the end is not on: the
  /// crossing after that.
  double crossing_after_begin() const;
};

}  // namespace scree
