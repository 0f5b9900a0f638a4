#include "engine/geometry/implicit/interval_bounds.h"

#include <algorithm>
#include <boost/numeric/interval.hpp>
#include <cmath>
#include <queue>

namespace scree {

namespace {

/// Rounding is set once per function, by the Rounding at its beginning.
using Interval = boost::numeric::interval_lib::unprotect<boost::numeric::interval<double>>::type;
using Rounding = boost::numeric::interval<double>::traits_type::rounding;
using Interval3 = std::array<Interval, 3>;

Interval3 to_intervals(const Box& b) {
  return {Interval(b.low[0], b.high[0]), Interval(b.low[1], b.high[1]), Interval(b.low[2], b.high[2])};
}

Range to_range(const Interval& i) { return {i.lower(), i.upper()}; }

Interval3 gradient(const Quadric& q, const Interval3& x) {
  return {q.xx * x[0] + q.xy * x[1] + q.xz * x[2] + q.x, q.xy * x[0] + q.yy * x[1] + q.yz * x[2] + q.y,
          q.xz * x[0] + q.yz * x[1] + q.zz * x[2] + q.z};
}

Interval value_at(const Quadric& q, const Interval3& x) {
  const Interval3 g = gradient(q, x);
  return 0.5 * (x[0] * (g[0] + q.x) + x[1] * (g[1] + q.y) + x[2] * (g[2] + q.z)) + q.constant;
}

/// A box as its middle (exact numbers) and the deviation from it.
struct Centred {
  Interval3 all, middle, beside;
};

Centred centred(const Box& box) {
  Centred c;
  c.all = to_intervals(box);
  const Vec3 m = box.middle();
  for (std::size_t i = 0; i < 3; ++i) {
    c.middle[i] = Interval(m[static_cast<Eigen::Index>(i)]);
    c.beside[i] = c.all[i] - c.middle[i];
  }
  return c;
}

Interval range(const Quadric& q, const Centred& x) {
  using boost::numeric::square;
  const Interval3 g = gradient(q, x.middle);
  const Interval3& d = x.beside;
  const Interval second = 0.5 * (q.xx * square(d[0]) + q.yy * square(d[1]) + q.zz * square(d[2])) +
                          q.xy * d[0] * d[1] + q.xz * d[0] * d[2] + q.yz * d[1] * d[2];
  return value_at(q, x.middle) + g[0] * d[0] + g[1] * d[1] + g[2] * d[2] + second;
}

Interval positive_part(const Interval& q) {
  return Interval(std::max(q.lower(), 0.0), std::max(q.upper(), 0.0));
}

/// F' at a point, in interval arithmetic.
Interval value_at(const PerturbedQuadric& f, const Interval3& x) {
  Interval sum = value_at(f.base, x);
  for (const Perturbation& p : f.perturbations)
    sum += p.weight * boost::numeric::square(positive_part(value_at(p.quadric, x)));
  return sum;
}

struct IntervalBounds {
  Interval value;
  Interval3 gradient;
  std::array<Interval, 6> second;
};

IntervalBounds interval_bounds(const PerturbedQuadric& f, const Centred& x) {
  IntervalBounds r;
  const Quadric& b = f.base;
  r.value = range(b, x);
  r.gradient = gradient(b, x.all);
  r.second = {Interval(b.xx), Interval(b.yy), Interval(b.zz), Interval(b.xy), Interval(b.xz), Interval(b.yz)};
  for (const Perturbation& p : f.perturbations) {
    const Interval q = range(p.quadric, x);
    if (q.upper() <= 0.0) continue;
    const Interval part = positive_part(q), step = q.lower() > 0.0 ? Interval(1.0) : Interval(0.0, 1.0);
    const Interval w = 2.0 * Interval(p.weight), wq = w * part, ws = w * step;
    const Interval3 g = gradient(p.quadric, x.all);
    r.value += p.weight * boost::numeric::square(part);
    for (std::size_t i = 0; i < 3; ++i) r.gradient[i] += wq * g[i];
    const Quadric& h = p.quadric;
    r.second[0] += ws * boost::numeric::square(g[0]) + wq * h.xx;
    r.second[1] += ws * boost::numeric::square(g[1]) + wq * h.yy;
    r.second[2] += ws * boost::numeric::square(g[2]) + wq * h.zz;
    r.second[3] += ws * g[0] * g[1] + wq * h.xy;
    r.second[4] += ws * g[0] * g[2] + wq * h.xz;
    r.second[5] += ws * g[1] * g[2] + wq * h.yz;
  }
  const Interval mean_value = value_at(f, x.middle) + r.gradient[0] * x.beside[0] +
                              r.gradient[1] * x.beside[1] + r.gradient[2] * x.beside[2];
  r.value = boost::numeric::intersect(r.value, mean_value);
  return r;
}

}  // namespace

std::array<Box, 2> halves(const Box& box) {
  Eigen::Index longest = 0;
  box.size().maxCoeff(&longest);
  std::array<Box, 2> half{box, box};
  half[0].high[longest] = half[1].low[longest] = box.middle()[longest];
  return half;
}

Range value_range(const PerturbedQuadric& f, const Box& box) {
  const Rounding rounding;
  return to_range(interval_bounds(f, centred(box)).value);
}

Bounds bounds(const PerturbedQuadric& f, const Box& box) {
  const Rounding rounding;
  const IntervalBounds b = interval_bounds(f, centred(box));
  Bounds r;
  r.value = to_range(b.value);
  for (std::size_t i = 0; i < 3; ++i) r.gradient[i] = to_range(b.gradient[i]);
  for (std::size_t i = 0; i < 6; ++i) r.second[i] = to_range(b.second[i]);
  return r;
}

std::optional<Box> contract(const PerturbedQuadric& f, const Box& box, const Bounds& of) {
  if (of.value.low > 0.0 || of.value.high < 0.0) return std::nullopt;
  const Rounding rounding;
  const Centred x = centred(box);
  const Interval at_middle = value_at(f, x.middle);
  Interval3 beside = x.beside;
  for (std::size_t i = 0; i < 3; ++i) {
    const Interval slope(of.gradient[i].low, of.gradient[i].high);
    if (zero_in(slope)) continue;
    Interval rest = at_middle;
    for (std::size_t j = 0; j < 3; ++j) {
      if (j != i) rest += Interval(of.gradient[j].low, of.gradient[j].high) * beside[j];
    }
    const Interval there = boost::numeric::intersect(beside[i], -rest / slope);
    if (empty(there)) return std::nullopt;
    beside[i] = there;
  }
  Box r;
  for (std::size_t i = 0; i < 3; ++i) {
    const Interval side = x.middle[i] + beside[i];
    const auto k = static_cast<Eigen::Index>(i);
    r.low[k] = std::max(side.lower(), box.low[k]);
    r.high[k] = std::min(side.upper(), box.high[k]);
  }
  return r;
}

namespace {

/// Far away, at d / w with d in a box on a face of the unit cube and w in (0, most],
///   F' = base(d, w) / w^2 + sum_linear f (b.d + w c)^2 / w^2 + sum_quadratic f Q(d, w)^2 / w^4
/// with quadrics made homogeneous. Is it negative there?
bool negative_beyond(const PerturbedQuadric& f, const Box& d, double w_low, double w_high, int depth) {
  using boost::numeric::square;
  const Interval3 x = to_intervals(d);
  const Centred at = centred(d);
  const Interval w(w_low, w_high);
  const auto quadratic = [&](const Quadric& q) {
    return range(Quadric{q.xx, q.yy, q.zz, q.xy, q.xz, q.yz, 0.0, 0.0, 0.0, 0.0}, at);
  };
  const auto linear = [&](const Quadric& q) { return q.x * x[0] + q.y * x[1] + q.z * x[2] + w * q.constant; };
  const auto is_linear = [](const Quadric& q) {
    return q.xx == 0.0 && q.yy == 0.0 && q.zz == 0.0 && q.xy == 0.0 && q.xz == 0.0 && q.yz == 0.0;
  };
  Interval second(0.0), fourth(0.0);
  for (const Perturbation& p : f.perturbations) {
    const Quadric& q = p.quadric;
    if (is_linear(q))
      second += p.weight * square(positive_part(linear(q)));
    else
      fourth += p.weight * square(positive_part(quadratic(q) + w * linear(q)));
  }
  const Interval pure = quadratic(f.base) + second, rest = linear(f.base), base = pure + w * rest;
  if (fourth.upper() <= 0.0 && (base.upper() < 0.0 || (pure.upper() <= 0.0 && rest.upper() < 0.0)))
    return true;
  if (fourth.upper() < 0.0 && (square(w) * base + fourth).upper() < 0.0) return true;
  if (depth == 0) return false;
  if (w_high - w_low > d.size().maxCoeff()) {
    const double middle = 0.5 * (w_low + w_high);
    return negative_beyond(f, d, w_low, middle, depth - 1) &&
           negative_beyond(f, d, middle, w_high, depth - 1);
  }
  for (const Box& half : halves(d)) {
    if (!negative_beyond(f, half, w_low, w_high, depth - 1)) return false;
  }
  return true;
}

}  // namespace

std::optional<double> bounding_cube(const PerturbedQuadric& f, double most) {
  constexpr int depth = 24;  // halvings of a face of the cube and of 1/distance
  const Rounding rounding;
  for (double half = most / 64.0; half <= most; half *= 2.0) {
    bool all = true;
    for (int axis = 0; axis < 3 && all; ++axis) {
      for (const double side : {-1.0, 1.0}) {
        Box face{Vec3::Constant(-1.0), Vec3::Constant(1.0)};
        face.low[axis] = face.high[axis] = side;
        all = all && negative_beyond(f, face, 0.0, 1.0 / half, depth);
      }
    }
    if (all) return half;
  }
  return std::nullopt;
}

namespace {

/// The bounded quantity: d.x, or |x|^2 if d is zero.
struct Objective {
  Vec3 d;
  bool is_square;
};

/// Upper bound of its largest value on the surface in a box. There F' = 0, so any multiple of F' may be
/// added: the one that cancels the slope leaves an error of second order.
double largest_on_surface(const PerturbedQuadric& f, const Objective& of, const Box& box, const Bounds& b) {
  const Vec3 m = box.middle(), slope = of.is_square ? Vec3(2.0 * m) : of.d, g = gradient(f, m);
  const double gg = g.squaredNorm(), times = gg > 0.0 ? -slope.dot(g) / gg : 0.0;
  const Rounding rounding;
  using boost::numeric::square;
  const Centred x = centred(box);
  Interval plain(0.0), flat(0.0), rest(0.0);
  for (std::size_t i = 0; i < 3; ++i) {
    const double d = of.d[static_cast<Eigen::Index>(i)];
    plain += of.is_square ? square(x.all[i]) : d * x.all[i];
    flat += of.is_square ? square(x.middle[i]) : d * x.middle[i];
    const Interval up = of.is_square ? 2.0 * x.middle[i] : Interval(d);
    rest += (up + times * Interval(b.gradient[i].low, b.gradient[i].high)) * x.beside[i];
    if (of.is_square) rest += square(x.beside[i]);
  }
  return std::min(plain.upper(), (flat + times * value_at(f, x.middle) + rest).upper());
}

double largest_above(const PerturbedQuadric& f, std::span<const Box> surface, const Objective& of,
                     double known, double tolerance) {
  struct Candidate {
    double high;
    Box box;
    bool operator<(const Candidate& o) const { return high < o.high; }
  };
  std::priority_queue<Candidate> waiting;
  const double enough = known + tolerance,
               smallest = of.is_square ? tolerance / std::sqrt(enough) : tolerance / of.d.norm();
  const auto corner = [&](const Box& box) {
    const Vec3 far = box.low.cwiseAbs().cwiseMax(box.high.cwiseAbs());
    const Vec3 half = 0.5 * box.size();
    return of.is_square ? far.squaredNorm() : of.d.dot(box.middle()) + of.d.cwiseAbs().dot(half);
  };
  const auto is_below = [&](const Box& box) { return corner(box) < enough * (1.0 - 1e-14); };
  const auto add = [&](const Box& box) {
    const double high = largest_on_surface(f, of, box, bounds(f, box));
    if (high > enough) waiting.push({high, box});
  };
  for (const Box& box : surface)
    if (!is_below(box)) add(box);
  while (!waiting.empty()) {
    const Candidate c = waiting.top();
    // A known value that is too low would never let it end: then the bound itself has the tolerance.
    if (c.box.size().maxCoeff() <= 0.1 * smallest) return c.high;
    waiting.pop();
    for (const Box& half : halves(c.box)) {
      if (is_below(half)) continue;
      const Bounds of_half = bounds(f, half);  // hold for what it is contracted to, too
      const std::optional<Box> smaller = contract(f, half, of_half);
      if (smaller && !is_below(*smaller) && largest_on_surface(f, of, *smaller, of_half) > enough)
        add(*smaller);
    }
  }
  return enough;
}

}  // namespace

double support_above(const PerturbedQuadric& f, std::span<const Box> surface, const Vec3& direction,
                     double known, double tolerance) {
  return largest_above(f, surface, {direction, false}, known, tolerance);
}

double distance_above(const PerturbedQuadric& f, std::span<const Box> surface, double known,
                      double tolerance) {
  const double square =
      largest_above(f, surface, {Vec3::Zero(), true}, known * known, 2.0 * known * tolerance);
  return std::sqrt(square) * (1.0 + 1e-15);
}

}  // namespace scree
