// A root of a function of one variable between two places at which its signs differ.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace scree {

/// A place in [a, b] where f changes its sign, to `tolerance` and four roundings of it. Precondition: f(a)
/// f(b)
/// <= 0. Bisection, secants and inverse parabolas, at worst the square of bisection's number of steps
/// (Brent 1973, chapter 4).
template <class F>
double brent_root(F&& f, double a, double b, double tolerance) {
  double fa = f(a), fb = f(b);
  double c = a, fc = fa;                    // on the other side of the root than b
  double move = b - a, move_before = move;  // of b: the last move, and the one before
  while (fb != 0.0) {
    if ((fb > 0.0) == (fc > 0.0)) c = a, fc = fa, move = move_before = b - a;
    if (std::abs(fc) < std::abs(fb)) a = b, b = c, c = a, fa = fb, fb = fc, fc = fa;
    const double least = 2.0 * std::numeric_limits<double>::epsilon() * std::abs(b) + 0.5 * tolerance;
    const double half = 0.5 * (c - b);
    if (std::abs(half) <= least) break;
    if (std::abs(move_before) >= least && std::abs(fa) > std::abs(fb)) {
      // Interpolation proposes the step p/q.
      const double s = fb / fa;
      double p, q;
      if (a == c) {
        p = 2.0 * half * s;
        q = 1.0 - s;
      } else {
        const double u = fa / fc, v = fb / fc;
        p = s * (2.0 * half * u * (u - v) - (b - a) * (v - 1.0));
        q = (u - 1.0) * (v - 1.0) * (s - 1.0);
      }
      if (p > 0.0) q = -q;
      p = std::abs(p);
      const bool good = 2.0 * p < std::min(3.0 * half * q - std::abs(least * q), std::abs(move_before * q));
      move_before = good ? move : half;
      move = good ? p / q : half;
    } else {
      move = move_before = half;
    }
    a = b;
    fa = fb;
    b += std::abs(move) > least ? move : std::copysign(least, half);
    fb = f(b);
  }
  return b;
}

}  // namespace scree
