#include "engine/geometry/clump_mass.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>
#include <queue>

#include "engine/core/eigenbasis.h"
#include "engine/geometry/secular_equation.h"

namespace scree {

namespace {

constexpr double pi = std::numbers::pi;

/// Volume, first and second moments: 1, x, y, z, xx, yy, zz, xy, xz, yz over the body; then the normal over
/// its surface, which sums up to zero unless a piece of the surface is missing.
using Moments = Eigen::Matrix<double, 13, 1>;

constexpr double touch_tolerance = 1e-12;
constexpr double same_angle = 1e-10;          // rad
constexpr std::size_t most_intervals = 2000;  // of latitudes, per member

/// Gauss-Kronrod, 7 and 15 points; pairs symmetric about the middle, starting from the ends.
constexpr std::array<double, 8> kronrod_at{
    0.991455371120812639206854697526329, 0.949107912342758524526189684047851,
    0.864864423359769072789712788640926, 0.741531185599394439863864773280788,
    0.586087235467691130294144691693429, 0.405845151377397166906606412076961,
    0.207784955007898467600689403773245, 0.0};
constexpr std::array<double, 8> kronrod_weight{
    0.022935322010529224963732008058970, 0.063092092629978553290700663189204,
    0.104790010322250183839876322541518, 0.140653259715525918745189590510238,
    0.169004726639267902826583426598550, 0.190350578064785409913256402421014,
    0.204432940075298892414161999234649, 0.209482141084727828012999174891714};
constexpr std::array<double, 8> gauss_weight{
    0.0, 0.129484966168869693270611432679082, 0.0, 0.279705391489276667901467771423780,
    0.0, 0.381830050505118944950369775488975, 0.0, 0.417959183673469387755102040816327};

/// Calls f(x, Kronrod's weight, Gauss's weight) for the points of an interval, in ascending order.
template <class F>
void at_kronrod_points(double from, double to, const F& f) {
  const double middle = 0.5 * (from + to), half = 0.5 * (to - from);
  for (int k = -7; k <= 7; ++k) {
    const auto n = static_cast<std::size_t>(7 - std::abs(k));
    f(middle + (k < 0 ? -half : half) * kronrod_at[n], half * kronrod_weight[n], half * gauss_weight[n]);
  }
}

/// The root between two points at which a function has different signs: Newton, with halving if a step leaves
/// the bracket. `f` gives value and slope.
template <class F>
double bracketed_root(const F& f, double low, double high, bool rising) {
  constexpr int most_iterations = 100;
  constexpr double tolerance = 1e-14;
  double x = 0.5 * (low + high);
  for (int k = 0; k < most_iterations && high - low > tolerance; ++k) {
    const auto [value, slope] = f(x);
    ((value > 0.0) == rising ? high : low) = x;
    double next = x - value / slope;
    if (!(next >= low && next <= high)) next = 0.5 * (low + high);
    const double step = std::abs(next - x);
    x = next;
    if (step < tolerance) break;
  }
  return x;
}

/// a + b cos t + c sin t + d cos^2 t: a quadratic function along a circle.
struct OnCircle {
  double a, b, c, d;

  struct At {
    double value, slope;
  };
  double value(double t) const {
    const double x = std::cos(t);
    return a + b * x + c * std::sin(t) + d * x * x;
  }
  At at(double t) const {
    const double x = std::cos(t), y = std::sin(t);
    return {a + b * x + c * y + d * x * x, -b * y + c * x - 2.0 * d * x * y};
  }
  At slope_at(double t) const {
    const double x = std::cos(t), y = std::sin(t);
    return {-b * y + c * x - 2.0 * d * x * y, -b * x - c * y - 2.0 * d * (x * x - y * y)};
  }
};

/// Up to 8 angles.
struct Angles {
  std::array<double, 8> at;
  std::size_t count = 0;
  void add(double t) { at[count++] = t; }
};

/// Places where the slope changes its sign, ascending in [0, 2 pi]. Divided by cos t sin t, the slope c / sin
/// t - b / cos t - 2 d is monotone in each quadrant except for one turning point in two opposite ones, at
/// tan^3 t = -c / b; so no root is missed.
Angles extremes(OnCircle f) {
  constexpr double tiny = 1e-300;  // replaces zero, for which the slope would vanish at the ends of quadrants
  if (f.b == 0.0) f.b = tiny;
  if (f.c == 0.0) f.c = tiny;
  const Vec2 turn = Vec2(std::cbrt(std::abs(f.b)), std::cbrt(std::abs(f.c))).normalized();
  const bool turns_in_even = (f.b > 0.0) != (f.c > 0.0);
  const std::array<double, 5> slope_at_end{f.c, -f.b, -f.c, f.b, f.c};
  Angles found;
  const auto search = [&](double from, double slope_from, double to, double slope_to) {
    if ((slope_from > 0.0) == (slope_to > 0.0)) return;
    found.add(bracketed_root([&](double t) { return f.slope_at(t); }, from, to, slope_to > 0.0));
  };
  for (std::size_t k = 0; k < 4; ++k) {
    const double from = 0.5 * pi * static_cast<double>(k), to = from + 0.5 * pi;
    if ((k % 2 == 0) == turns_in_even) {
      // Not from the angle, which rounds to the quadrant's end if b or c is nearly zero.
      const double x = k == 0 || k == 3 ? turn[0] : -turn[0], y = k < 2 ? turn[1] : -turn[1];
      const double slope = -f.b * y + f.c * x - 2.0 * f.d * x * y;
      const double between = std::clamp(
          from + (k % 2 == 0 ? std::atan2(turn[1], turn[0]) : std::atan2(turn[0], turn[1])), from, to);
      search(from, slope_at_end[k], between, slope);
      search(between, slope, to, slope_at_end[k + 1]);
    } else {
      search(from, slope_at_end[k], to, slope_at_end[k + 1]);
    }
  }
  return found;
}

struct Arc {
  double from, to;        // rad
  std::size_t neighbour;  // the one that covers it
};

/// Another member in the frame in which this one is the unit sphere: inside where
/// constant + 2 linear.u - u.Q u > 0; the x and y axes rotated so that Q has no product of the two.
class Neighbour {
 public:
  Neighbour(const ClumpMember& self, const ClumpMember& other) {
    const Mat3 own = self.pose.orientation.toRotationMatrix() * self.ellipsoid.semi_axes.asDiagonal();
    const Mat3 others = other.pose.orientation.toRotationMatrix();
    const Vec3 inverse = other.ellipsoid.semi_axes.cwiseInverse();
    const Mat3 into = inverse.asDiagonal() * (others.transpose() * own);  // of the other's unit sphere
    const Vec3 away = others.transpose() * (other.pose.position - self.pose.position);
    quadratic_ = into.transpose() * into;
    linear_ = into.transpose() * inverse.cwiseProduct(away);
    constant_ = 1.0 - inverse.cwiseProduct(away).squaredNorm();
    find_deepest();
    const Mat3 spread = into.inverse();
    const double z = (spread * inverse.cwiseProduct(away))[2], half = spread.row(2).norm();
    low_ = z - half;
    high_ = z + half;
    turn_into_axes();
  }

  /// The largest value on the sphere, and z there.
  double deepest() const { return deepest_; }
  std::array<double, 3> breaks() const { return {low_, deepest_z_, high_}; }

  /// Adds the arcs of the circle of radius r at z that it covers; they begin in [0, 2 pi). True if it covers
  /// all of the circle.
  bool cover(double r, double z, std::size_t number, std::vector<Arc>& covered) const {
    if (z < low_ || z > high_) return false;
    const double q2 = quadratic_(1, 1) * r * r;
    const OnCircle f{constant_ + (2.0 * linear_[2] - quadratic_(2, 2) * z) * z - q2,
                     2.0 * r * (linear_[0] - quadratic_(0, 2) * z),
                     2.0 * r * (linear_[1] - quadratic_(1, 2) * z), q2 - quadratic_(0, 0) * r * r};
    const double reach = std::hypot(f.b, f.c);
    if (f.a + reach + std::max(f.d, 0.0) <= 0.0) return false;
    if (f.a - reach + std::min(f.d, 0.0) >= 0.0) return true;
    const Angles ends = crossings(f);
    if (ends.count == 0) return f.value(0.0) > 0.0;
    const bool first_enters = f.value(0.5 * (ends.at[0] + ends.at[1])) > 0.0;
    for (std::size_t k = first_enters ? 0 : 1; k < ends.count; k += 2) {
      const double from = ends.at[k] + angle_,
                   to = (k + 1 < ends.count ? ends.at[k + 1] : ends.at[0] + 2.0 * pi) + angle_;
      const double shift = 2.0 * pi * std::floor(from / (2.0 * pi));
      covered.push_back({from - shift, to - shift, number});
    }
    return false;
  }

 private:
  /// From the least of u.Q u - 2 linear.u: (Q + multiplier) u = linear.
  void find_deepest() {
    const Eigen::SelfAdjointEigenSolver<Mat3> solver(quadratic_);
    const Vec3& q = solver.eigenvalues();
    const Vec3 w = solver.eigenvectors().transpose() * linear_;
    const Vec3 u = secular_point(w, (q.array() - q.minCoeff()).matrix());
    deepest_ = constant_ + 2.0 * w.dot(u) - q.dot(u.cwiseAbs2());
    deepest_z_ = (solver.eigenvectors() * u)[2];
  }

  void turn_into_axes() {
    const Mat2 axes = eigenbasis(quadratic_.topLeftCorner<2, 2>());
    Mat3 turn = Mat3::Identity();
    turn.topLeftCorner<2, 2>() = axes;
    quadratic_ = turn.transpose() * quadratic_ * turn;
    linear_ = turn.transpose() * linear_;
    angle_ = std::atan2(axes(1, 0), axes(0, 0));
  }

  /// Places where the function changes its sign, ascending: one root between extremes of different signs.
  static Angles crossings(const OnCircle& f) {
    const Angles turns = extremes(f);
    Angles found;
    for (std::size_t k = 0; k < turns.count; ++k) {
      const double from = turns.at[k], to = k + 1 < turns.count ? turns.at[k + 1] : turns.at[0] + 2.0 * pi;
      const bool rising = f.value(to) > 0.0;
      if ((f.value(from) > 0.0) != rising)
        found.add(bracketed_root([&](double t) { return f.at(t); }, from, to, rising));
    }
    return found;
  }

  Mat3 quadratic_;
  Vec3 linear_;
  double constant_, low_, high_, deepest_, deepest_z_, angle_;
};

/// The surface of one member.
class Surface {
 public:
  Surface(std::span<const ClumpMember> members, std::size_t self, const Vec3& origin) {
    const ClumpMember& p = members[self];
    centre_ = p.pose.position - origin;
    spread_ = p.pose.orientation.toRotationMatrix() * p.ellipsoid.semi_axes.asDiagonal();
    centre_in_unit_frame_ = (p.pose.orientation.conjugate() * centre_).cwiseQuotient(p.ellipsoid.semi_axes);
    jacobian_ = p.ellipsoid.semi_axes.prod();
    cofactor_ =
        jacobian_ * p.pose.orientation.toRotationMatrix() * p.ellipsoid.semi_axes.cwiseInverse().asDiagonal();
    for (std::size_t j = 0; j < members.size(); ++j) {
      if (j == self) continue;
      const Neighbour n(p, members[j]);
      if (n.deepest() > 0.0) neighbours_.push_back(n);
    }
  }

  /// Latitudes, from 0 to pi, of the first intervals: no part covered by a neighbour is hidden between two of
  /// them.
  std::vector<double> first_latitudes() const {
    std::vector<double> found{0.0, 0.5 * pi, pi};
    for (const Neighbour& n : neighbours_) {
      for (const double z : n.breaks()) {
        if (z > -1.0 && z < 1.0) found.push_back(std::acos(-z));
      }
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end(), [](double a, double b) { return b - a < 1e-9; }),
                found.end());
    found.back() = pi;
    return found;
  }

  /// Lists the visible arcs of the circle at a latitude. Returns a number that identifies the neighbours at
  /// their ends: while it is constant, moments are smooth functions of the latitude.
  std::uint64_t look(double latitude, std::vector<Arc>& covered, std::vector<Arc>& visible) const {
    constexpr std::uint64_t all = 1, none = 0;
    const double r = std::sin(latitude), z = -std::cos(latitude);
    covered.clear();
    visible.clear();
    for (std::size_t n = 0; n < neighbours_.size(); ++n) {
      if (neighbours_[n].cover(r, z, n, covered)) return none;
    }
    if (covered.empty()) {
      visible.push_back({0.0, 2.0 * pi, 0});
      return all;
    }
    std::sort(covered.begin(), covered.end(), [](const Arc& a, const Arc& b) { return a.from < b.from; });
    // Once around from the beginning of the first arc, which arcs beyond a full turn may cover.
    std::uint64_t pattern = none;
    Arc reach{0.0, -infinity, 0};
    for (const Arc& arc : covered) extend(reach, {0.0, arc.to - 2.0 * pi, arc.neighbour});
    const double begin = covered[0].from;
    for (std::size_t k = 0; k <= covered.size(); ++k) {
      const double next = k < covered.size() ? covered[k].from : begin + 2.0 * pi;
      if (k > 0 && next - reach.to > same_angle) {
        visible.push_back({reach.to, next, 0});
        pattern += mixed(reach.neighbour * max_clump_members + first_at(k % covered.size(), covered));
      }
      if (k < covered.size()) extend(reach, covered[k]);
    }
    return pattern;
  }

  /// Integrals over the visible arcs of the circle at a latitude.
  Moments circle(double latitude, const std::vector<Arc>& visible) const {
    const double r = std::sin(latitude), z = -std::cos(latitude);
    Moments sum = Moments::Zero();
    for (const Arc& arc : visible) {
      if (arc.to - arc.from == 2.0 * pi) {
        // Moments are of third degree in cos and sin: four points are exact on a full turn.
        for (int k = 0; k < 4; ++k) add_point(r, z, 0.5 * pi * k, 0.5 * pi, sum);
      } else {
        add_arc(r, z, arc, sum);
      }
    }
    return r * sum;
  }

 private:
  /// If arcs of neighbours end at the same angle, the first counts; else rounding would change the pattern
  /// where surfaces of three members meet in one curve.
  static void extend(Arc& reach, const Arc& arc) {
    if (arc.to > reach.to + same_angle)
      reach = arc;
    else if (arc.to >= reach.to - same_angle)
      reach = {0.0, std::max(arc.to, reach.to), std::min(arc.neighbour, reach.neighbour)};
  }
  static std::size_t first_at(std::size_t k, const std::vector<Arc>& covered) {
    std::size_t first = covered[k].neighbour;
    for (std::size_t m = k; m < covered.size() && covered[m].from - covered[k].from <= same_angle; ++m)
      first = std::min(first, covered[m].neighbour);
    return first;
  }
  static std::uint64_t mixed(std::uint64_t n) {
    n = (n + 2) * 0x9e3779b97f4a7c15ull;
    return (n ^ (n >> 29)) * 0xbf58476d1ce4e5b9ull;
  }

  /// Volume, first and second moments of the cone from the origin to a piece of the surface, by the
  /// divergence theorem: p(x) (x.n) dS / (degree + 3), with x.n dS = jacobian (1 + spread^-1 centre.u) d(u).
  void add_point(double r, double z, double angle, double weight, Moments& sum) const {
    const Vec3 u(r * std::cos(angle), r * std::sin(angle), z), x = centre_ + spread_ * u;
    const double w = weight * jacobian_ * (1.0 + centre_in_unit_frame_.dot(u)), w5 = w / 5.0;
    sum[0] += w / 3.0;
    sum.segment<3>(1) += w / 4.0 * x;
    sum.segment<3>(4) += w5 * x.cwiseAbs2();
    sum[7] += w5 * x[0] * x[1];
    sum[8] += w5 * x[0] * x[2];
    sum[9] += w5 * x[1] * x[2];
    sum.segment<3>(10) += weight * (cofactor_ * u);
  }

  /// 15 points per half turn integrate trigonometric polynomials of third degree to less than 1e-15.
  void add_arc(double r, double z, const Arc& arc, Moments& sum) const {
    const int pieces = arc.to - arc.from > pi ? 2 : 1;
    const double length = (arc.to - arc.from) / pieces;
    for (int k = 0; k < pieces; ++k) {
      at_kronrod_points(arc.from + k * length, arc.from + (k + 1) * length,
                        [&](double angle, double weight, double) { add_point(r, z, angle, weight, sum); });
    }
  }

  Vec3 centre_, centre_in_unit_frame_;
  Mat3 spread_, cofactor_;
  double jacobian_;
  std::vector<Neighbour> neighbours_;
};

struct Range {
  double from, to;
};

/// Latitudes of one surface.
struct Interval {
  const Surface* surface;
  Range latitudes;
  Moments value = Moments::Zero(), error = Moments::Zero();
  std::optional<Range> change;  // where the pattern of the arcs changes
};

/// Integrates intervals of latitudes.
class Integrator {
 public:
  /// Integrates over s with latitude = from + (to - from) s^2 (3 - 2 s), because at changes of the pattern
  /// arcs begin and end like square roots.
  Interval over(const Surface& surface, const Range& at) {
    Interval r{&surface, at, Moments::Zero(), Moments::Zero(), std::nullopt};
    Moments coarse = Moments::Zero(), before = Moments::Zero();
    std::uint64_t pattern_before = surface.look(at.from, covered_, visible_);
    double latitude_before = at.from, most = 0.0;
    const auto visit = [&](double latitude, const Moments& moments, std::uint64_t pattern) {
      if (pattern != pattern_before) {
        const Moments off = (latitude - latitude_before) * (moments - before).cwiseAbs();
        r.error += off;
        if (!r.change || off[0] > most) {
          most = off[0];
          r.change = Range{latitude_before, latitude};
        }
      }
      pattern_before = pattern;
      latitude_before = latitude;
      before = moments;
    };
    const double length = at.to - at.from;
    before = surface.circle(at.from, visible_);
    at_kronrod_points(0.0, 1.0, [&](double s, double kronrod, double gauss) {
      const double latitude = at.from + length * s * s * (3.0 - 2.0 * s),
                   jacobian = length * 6.0 * s * (1.0 - s);
      const std::uint64_t pattern = surface.look(latitude, covered_, visible_);
      const Moments moments = surface.circle(latitude, visible_);
      r.value += kronrod * jacobian * moments;
      coarse += gauss * jacobian * moments;
      visit(latitude, moments, pattern);
    });
    const std::uint64_t pattern = surface.look(at.to, covered_, visible_);
    visit(at.to, surface.circle(at.to, visible_), pattern);
    r.error += (r.value - coarse).cwiseAbs();
    return r;
  }

  /// The two parts of an interval: on both sides of a change of the pattern, found to rounding, else halves.
  std::array<Interval, 2> divided(const Interval& whole) {
    const Range& at = whole.latitudes;
    const double half = 0.5 * (at.from + at.to);
    Range middle{half, half};
    if (whole.change) {
      middle = *whole.change;
      const std::uint64_t before = whole.surface->look(middle.from, covered_, visible_);
      for (;;) {
        const double between = 0.5 * (middle.from + middle.to);
        if (!(between > middle.from && between < middle.to)) break;
        (whole.surface->look(between, covered_, visible_) == before ? middle.from : middle.to) = between;
      }
    }
    return {over(*whole.surface, {at.from, middle.from}), over(*whole.surface, {middle.to, at.to})};
  }

 private:
  std::vector<Arc> covered_, visible_;  // scratch
};

MassProperties from_moments(const Moments& m, const Vec3& origin) {
  MassProperties r;
  r.volume = m[0];
  const Vec3 mean = m.segment<3>(1) / m[0];
  r.centre = origin + mean;
  r.second << m[4], m[7], m[8], m[7], m[5], m[9], m[8], m[9], m[6];
  r.second = r.second / m[0] - mean * mean.transpose();
  return r;
}

/// Relative change of volume or inertia per unit of error in each moment.
Moments error_weights(const MassProperties& mass) {
  const double trace = mass.second.trace(),
               inertia = std::max(trace - mass.second.diagonal().maxCoeff(), 1e-3 * trace);
  Moments w = Moments::Constant(2.0 / (mass.volume * inertia));
  w[0] = 1.0 / mass.volume;
  w.segment<3>(1).setConstant(1.0 / (mass.volume * std::sqrt(inertia)));
  w.segment<3>(10).setConstant(std::sqrt(trace) / mass.volume);  // as a lever
  return w;
}

/// Divides the interval with the largest error until the sum of all errors is small enough.
void refine(std::vector<Interval>& intervals, const Moments& weights, double tolerance, std::size_t most) {
  Integrator integrator;
  std::priority_queue<std::pair<double, std::size_t>> waiting;
  double sum = 0.0;
  const auto note = [&](std::size_t i) {
    const double off = intervals[i].error.cwiseProduct(weights).maxCoeff();
    sum += off;
    waiting.emplace(off, i);
  };
  for (std::size_t i = 0; i < intervals.size(); ++i) note(i);
  while (sum > tolerance && intervals.size() < most) {
    const auto [off, i] = waiting.top();
    waiting.pop();
    sum -= off;
    const auto [left, right] = integrator.divided(intervals[i]);
    intervals[i] = left;
    intervals.push_back(right);
    note(i);
    note(intervals.size() - 1);
  }
}

/// Divides all intervals longer than a quarter of the longest.
void divide_long_ones(std::vector<Interval>& intervals) {
  Integrator integrator;
  double longest = 0.0;
  for (const Interval& i : intervals) longest = std::max(longest, i.latitudes.to - i.latitudes.from);
  const std::size_t count = intervals.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (intervals[i].latitudes.to - intervals[i].latitudes.from < 0.25 * longest) continue;
    const auto [left, right] = integrator.divided(intervals[i]);
    intervals[i] = left;
    intervals.push_back(right);
  }
}

struct Sums {
  Moments value = Moments::Zero(), error = Moments::Zero();
};

Sums add_up(const std::vector<Interval>& intervals) {
  Sums sums;
  for (const Interval& i : intervals) {
    sums.value += i.value;
    sums.error += i.error;
  }
  return sums;
}

/// Relative error of volume and inertia: from the intervals' estimates and from the gap of the
/// surface.
double relative_error(const Sums& sums, const Moments& weights) {
  const double open = sums.value.segment<3>(10).cwiseProduct(weights.segment<3>(10)).norm();
  return std::max(sums.error.cwiseProduct(weights).maxCoeff(), open);
}

}  // namespace

bool overlap(const ClumpMember& a, const ClumpMember& b) {
  return Neighbour(a, b).deepest() > touch_tolerance;
}

MassProperties mass_properties(std::span<const ClumpMember> members, double tolerance) {
  if (members.size() == 1) {
    const Ellipsoid& e = members[0].ellipsoid;
    return {volume(e), members[0].pose.position,
            symmetric_in_world(members[0].pose.orientation, e.semi_axes.cwiseAbs2() / 5.0), 0.0};
  }
  Vec3 origin = Vec3::Zero();  // between the members, or the divergence theorem suffers from cancellation
  for (const ClumpMember& p : members) origin += p.pose.position / static_cast<double>(members.size());
  std::vector<Surface> surfaces;
  for (std::size_t i = 0; i < members.size(); ++i) surfaces.emplace_back(members, i, origin);
  std::vector<Interval> intervals;
  Integrator integrator;
  for (const Surface& s : surfaces) {
    const std::vector<double> at = s.first_latitudes();
    for (std::size_t k = 0; k + 1 < at.size(); ++k)
      intervals.push_back(integrator.over(s, {at[k], at[k + 1]}));
  }
  constexpr int most_rounds = 5;
  const std::size_t most = most_intervals * members.size();
  MassProperties mass = from_moments(add_up(intervals).value, origin);
  for (int round = 0; round < most_rounds; ++round) {
    if (round > 0) divide_long_ones(intervals);
    refine(intervals, error_weights(mass), tolerance, most);
    const Sums sums = add_up(intervals);
    mass = from_moments(sums.value, origin);
    mass.error = relative_error(sums, error_weights(mass));
    if (!(mass.error > 2.0 * tolerance) || intervals.size() >= most) break;
  }
  return mass;
}

}  // namespace scree
