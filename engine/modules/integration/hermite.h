// Cubic Hermite approximation of a smooth function within one step, from its values and slopes at both ends.
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
  /// 0 <= theta <= 1; its error is at most 1/384 of the largest fourth derivative by theta.
  double at(double theta) const { return polynomial()(theta); }

  /// The theta at which it changes its sign, to 1e-15; the signs of the ends must differ, or one be zero.
  double crossing() const;

  /// The same for a function that begins at zero and leaves it towards the side of its slope, opposite to the
  /// end: the later crossing.
  double crossing_after_begin() const;
};

}  // namespace scree
