#include "engine/geometry/ellipsoid_tube.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "engine/geometry/ellipsoid_walls.h"

namespace scree {

namespace {

constexpr double pi = std::numbers::pi;
constexpr std::size_t circle_samples = 24;  // of s(m) around the bore: it has at most two local maxima
constexpr int rim_samples = 17;             // along the part of the rim within a grain's reach
constexpr int refinements = 60;
constexpr std::uint32_t rim_features = 16;
constexpr double angle_tolerance = 1e-11;  // rad
constexpr double handover = 1e-9;          // of the length: there surface and rim may both have the contact

/// The input of a search: ellipsoid, tube, search distance.
struct Search {
  const Ellipsoid& shape;
  const Pose& pose;
  const Tube& tube;
  double margin;  // m
};

/// The tube's axis and the ellipsoid seen in the frame (u, v, axis) about the middle of the axis.
struct TubeView {
  Vec3 middle, u, v, axis;
  double half_length;
  Vec3 centre;  // of the ellipsoid in this frame, m
  Mat3 matrix;  // S in this frame, m^2
};

TubeView view(const PlacedEllipsoid& placed, const Tube& tube) {
  TubeView w;
  w.middle = 0.5 * (tube.start + tube.end);
  w.axis = (tube.end - tube.start).normalized();
  w.half_length = 0.5 * (tube.end - tube.start).norm();
  w.u = w.axis.unitOrthogonal();
  w.v = w.axis.cross(w.u);
  Mat3 to_tube;
  to_tube << w.u.transpose(), w.v.transpose(), w.axis.transpose();
  w.centre = to_tube * (placed.centre - w.middle);
  w.matrix = to_tube * placed.matrix * to_tube.transpose();
  return w;
}

FramedEllipsoid framed(const TubeView& w, const Pose& pose, const Ellipsoid& shape) {
  Mat3 to_tube;
  to_tube << w.u.transpose(), w.v.transpose(), w.axis.transpose();
  return {shape, w.centre, to_tube * pose.orientation.toRotationMatrix(), w.matrix};
}

struct Output {
  explicit Output(Gap* place) : out(place) {}

  Gap* out;
  int count = 0;
  bool rim_reaches_in = false;  // does the ring of any rim reach into the ellipsoid?
  /// Contacts on the surface with their ends, if their places are not in the ellipsoid.
  struct Doubt {
    Gap gap;
    std::uint32_t end;
    bool is_middle_over;
  };
  std::array<Doubt, 2> in_doubt;
  std::size_t doubts = 0;

  void add(Gap g, std::uint32_t base, std::uint32_t end) {
    if (count == max_tube_contacts) return;
    g.feature = base + end;
    // If two contacts are on the same end of a grain, the later one takes the next free number.
    for (int i = 0; i < count; ++i) {
      if (out[i].feature == g.feature) {
        ++g.feature;
        i = -1;
      }
    }
    out[count++] = g;
  }

  /// Last: the tube reaches into the body elsewhere, and no rim is less deep, else the body is beside the
  /// wall.
  void decide_doubts() {
    for (std::size_t k = 0; k < doubts; ++k) {
      const Doubt& d = in_doubt[k];
      const bool is_less_deep = std::any_of(out, out + count, [&](const Gap& g) {
        return g.feature >= rim_features && g.distance < 0.0 && g.distance > d.gap.distance;
      });
      if ((d.is_middle_over || rim_reaches_in) && !is_less_deep) add(d.gap, 0, d.end);
    }
  }
};

/// Directions across the axis at which s(m) is sampled.
const std::array<Vec2, circle_samples>& circle_directions() {
  static const std::array<Vec2, circle_samples> directions = [] {
    std::array<Vec2, circle_samples> d;
    for (std::size_t k = 0; k < circle_samples; ++k) {
      const double angle = 2.0 * pi * static_cast<double>(k) / circle_samples;
      d[k] = Vec2(std::cos(angle), std::sin(angle));
    }
    return d;
  }();
  return directions;
}

/// s(m) = m.c + sign sqrt(m.E m), m a unit vector across the axis, and its first two derivatives along the
/// circle.
struct Support {
  double s, slope, bend;
};

Support support_along(const TubeView& w, double sign, const Vec2& m) {
  const Mat2 e = w.matrix.topLeftCorner<2, 2>();
  const Vec2 t(-m[1], m[0]), em = e * m;
  const double h = std::sqrt(m.dot(em));
  const double s = m.dot(w.centre.head<2>()) + sign * h;
  const double et = t.dot(em) / h;
  return {s, t.dot(w.centre.head<2>()) + sign * et, sign * (t.dot(e * t) - et * et) / h - s};
}

/// A direction across the axis and s there.
struct Maximum {
  Vec2 m;
  double s;
};

/// The local maximum of s next to the direction of a sample with this value, by Newton. For long bodies it
/// may leave the neighbouring samples or go to and fro: then by the slope's sign.
Maximum climb(const TubeView& w, double sign, std::size_t sample, double value) {
  constexpr double longest = 2.0 * pi / circle_samples;
  constexpr double level = 1e-9;  // of the value: rounding
  static const double nearest = std::cos(longest);
  const Vec2& start = circle_directions()[sample];
  Vec2 m = start;
  for (int k = 0; k < refinements; ++k) {
    const Support at = support_along(w, sign, m);
    const double newton = at.bend < 0.0 ? -at.slope / at.bend : std::copysign(longest, at.slope);
    const double step = std::clamp(newton, -longest, longest);
    m = (m + step * Vec2(-m[1], m[0])).normalized();
    if (!(std::abs(step) < angle_tolerance)) continue;
    const double s = support_along(w, sign, m).s;
    if (m.dot(start) >= nearest && s >= value - level * std::abs(value)) return {m, s};
    break;
  }
  const auto at = [&](double angle) {
    return support_along(w, sign, Vec2(std::cos(angle), std::sin(angle)));
  };
  const double angle = peak([&](double x) { return at(x).s; }, [&](double x) { return at(x).slope; },
                            longest * static_cast<double>(sample), longest);
  return {{std::cos(angle), std::sin(angle)}, at(angle).s};
}

/// Contacts with the inner (sign +1) or outer (sign -1) surface: local maxima of s(m). From outside one plane
/// separates the tube from the ellipsoid: only the greatest counts, others are on its far side.
void surface_contacts(const Search& search, const TubeView& w, double sign, Output& output) {
  const Ellipsoid& shape = search.shape;
  const Pose& pose = search.pose;
  const Tube& tube = search.tube;
  const double margin = search.margin;
  const auto distance_at = [&](double s) {
    return sign > 0.0 ? tube.inner_radius - s : s - tube.outer_radius();
  };
  const double e00 = w.matrix(0, 0), e01 = w.matrix(0, 1), e11 = w.matrix(1, 1);
  // The longest semi-axis seen along the tube bounds s.
  const double longest = std::sqrt(0.5 * (e00 + e11) + std::hypot(0.5 * (e00 - e11), e01));
  if (distance_at(w.centre.head<2>().norm() + sign * longest) > margin) return;
  const auto& directions = circle_directions();
  std::array<double, circle_samples> sample;
  for (std::size_t k = 0; k < circle_samples; ++k) {
    const double x = directions[k][0], y = directions[k][1];
    sample[k] =
        x * w.centre[0] + y * w.centre[1] + sign * std::sqrt(x * x * e00 + 2.0 * x * y * e01 + y * y * e11);
  }
  const auto take = [&](const Vec2& direction, double distance) {
    if (distance > margin) return;
    const Vec3 m(direction[0], direction[1], 0.0);
    const Vec3 sm = w.matrix * m;
    const Vec3 support = w.centre + sign * sm / std::sqrt(m.dot(sm));
    if (std::abs(support[2]) > w.half_length * (1.0 + handover)) return;
    Gap g;
    g.distance = distance;
    g.normal = -sign * (m[0] * w.u + m[1] * w.v);
    const Vec3 on_grain = w.middle + support[0] * w.u + support[1] * w.v + support[2] * w.axis;
    g.point = on_grain - 0.5 * distance * g.normal;
    const Vec3 local = pose.orientation.conjugate() * (on_grain - pose.position);
    const std::uint32_t end = end_of_grain(shape, local);
    if (distance < 0.0) {
      const FramedEllipsoid grain = framed(w, pose, shape);
      // From the middle surface.
      const double wall = 0.5 * tube.thickness;
      const FrameTouch touch{-sign * m, support + (distance + wall) * sign * m, distance + wall};
      if (!covers_its_place(grain, touch, wall)) {
        const std::optional<Vec3> middle = middle_of_section(
            grain, touch, wall, [&](const Vec3& x) { return std::hypot(x[0], x[1]) < tube.middle_radius(); });
        const bool is_over = middle && std::abs((*middle)[2]) <= w.half_length;
        if (output.doubts < output.in_doubt.size()) output.in_doubt[output.doubts++] = {g, end, is_over};
        return;
      }
    }
    output.add(g, 0, end);
  };
  constexpr double level = 1e-14;  // relative: only rounding makes a difference
  const auto is_equal = [&](double s) { return std::abs(s - sample[0]) <= level * tube.inner_radius; };
  if (is_equal(sample[circle_samples / 4]) && std::ranges::all_of(sample, is_equal)) {
    // A ball on the axis is held by three contacts.
    for (std::size_t k = 0; k < circle_samples; k += circle_samples / 3)
      take(circle_directions()[k], distance_at(sample[k]));
    return;
  }
  Vec2 highest = Vec2::Zero();
  double greatest = -infinity;
  for (std::size_t k = 0; k < circle_samples; ++k) {
    const double before = sample[(k + circle_samples - 1) % circle_samples],
                 after = sample[(k + 1) % circle_samples];
    if (!(sample[k] >= before && sample[k] > after)) continue;
    const Maximum at = climb(w, sign, k, sample[k]);
    const double distance = distance_at(at.s);
    if (sign > 0.0) {
      take(at.m, distance);
    } else if (distance > greatest) {
      greatest = distance;
      highest = at.m;
    }
  }
  if (sign < 0.0 && greatest > -infinity) take(highest, greatest);
}

/// Contacts with one rim, a ring of radius thickness/2 around the circle at `end_sign` * half_length: local
/// minima of the distance between the circle and the ellipsoid, where the ring is touched from beyond the
/// tube's end.
void rim_contacts(const Search& search, const TubeView& w, double end_sign, Output& output) {
  const Ellipsoid& shape = search.shape;
  const Pose& pose = search.pose;
  const Tube& tube = search.tube;
  const double margin = search.margin;
  const double radius = tube.middle_radius(), wall = 0.5 * tube.thickness;
  const double reach = shape.semi_axes.maxCoeff() + wall + margin;
  const double radial = std::hypot(w.centre[0], w.centre[1]);
  const double axial = w.centre[2] - end_sign * w.half_length;
  if ((radial - radius) * (radial - radius) + axial * axial > reach * reach) return;

  struct RimPoint {
    Vec3 local, closest, outward;  // circle point, closest surface point, outward normal there; body frame
    double distance;               // signed, to the circle
  };
  const auto point_at = [&](double angle) -> Vec3 {
    const Vec3 world = w.middle + radius * (std::cos(angle) * w.u + std::sin(angle) * w.v) +
                       end_sign * w.half_length * w.axis;
    return pose.orientation.conjugate() * (world - pose.position);
  };
  const auto look = [&](double angle) {
    RimPoint p;
    p.local = point_at(angle);
    p.closest = closest_surface_point(shape, p.local);
    p.outward = p.closest.cwiseQuotient(shape.semi_axes.cwiseAbs2()).normalized();
    p.distance = p.outward.dot(p.local - p.closest);
    return p;
  };
  // Scaled about its centre so that it reaches the place: the ellipsoid's scale, and the distance along the
  // ray from the centre, which is exact at the surface.
  const auto scale = [&](const Vec3& local) { return local.cwiseQuotient(shape.semi_axes).norm(); };
  const auto rough = [&](const Vec3& local) {
    return local.norm() * (1.0 - 1.0 / std::max(scale(local), 1e-6));
  };
  const auto towards = [&](double angle) {  // minus the slope of the distance along the circle
    const Vec3 along = pose.orientation.conjugate() * (-std::sin(angle) * w.u + std::cos(angle) * w.v);
    return -look(angle).outward.dot(along);
  };

  constexpr double level = 1e-6;  // of slopes at a minimum
  const double facing = std::atan2(w.centre[1], w.centre[0]);
  const double half_range = radial > 1e-9 * radius ? std::min(pi, 2.0 * reach / radius) : pi;
  const bool whole = half_range >= pi;
  const double step = 2.0 * half_range / (whole ? rim_samples : rim_samples - 1);
  std::array<double, rim_samples> sample, ahead;
  std::array<Vec3, rim_samples> place;
  double least_scale = infinity;
  const auto angle_of = [&](int k) { return facing - half_range + k * step; };
  for (std::size_t k = 0; k < rim_samples; ++k) {
    place[k] = point_at(angle_of(static_cast<int>(k)));
    sample[k] = rough(place[k]);
    least_scale = std::min(least_scale, scale(place[k]));
  }
  // The distance is at least that in the directions of the shortest semi-axis.
  if ((least_scale - 1.0) * shape.semi_axes.minCoeff() - 0.5 * step * radius > wall + margin) return;
  // Its slope, but not where no contact is next.
  const double beyond = reach + step * radius;
  for (std::size_t k = 0; k < rim_samples; ++k) {
    const double angle = angle_of(static_cast<int>(k));
    ahead[k] =
        place[k].squaredNorm() < beyond * beyond
            ? towards(angle)
            : -place[k].dot(pose.orientation.conjugate() * (-std::sin(angle) * w.u + std::cos(angle) * w.v));
  }
  const auto wrapped = [&](int k) { return static_cast<std::size_t>((k + rim_samples) % rim_samples); };
  /// Is the rough distance least at a sample, so that the minimum is between its neighbours?
  const auto is_least_at = [&](int k) {
    if (!whole && (k <= 0 || k >= rim_samples - 1)) return false;
    const std::size_t before = wrapped(k - 1), here = wrapped(k), after = wrapped(k + 1);
    return sample[here] <= sample[before] && sample[here] < sample[after] && ahead[before] > 0.0 &&
           ahead[after] < 0.0;
  };
  const auto add = [&](const Vec3& normal, const Vec3& local, double distance) {
    Gap g;
    g.distance = distance;
    g.normal = normal;
    g.point = pose.position + pose.orientation * local - 0.5 * distance * normal;
    output.add(g, end_sign < 0.0 ? rim_features : 2 * rim_features, end_of_grain(shape, local));
  };
  // Deep in a flat body its nearest side changes, without a minimum. There along the tangents of the rim: the
  // contact is where the deepest place of the body is at the rim.
  const auto add_across = [&](double low, double high) {
    const FramedEllipsoid grain = framed(w, pose, shape);
    const auto along = [](double angle) { return Vec3(-std::sin(angle), std::cos(angle), 0.0); };
    const auto place_of = [&](double angle) {
      return Vec3(radius * std::cos(angle), radius * std::sin(angle), end_sign * w.half_length);
    };
    const auto touch = [&](double angle) {
      const LineView line(grain, place_of(angle), along(angle));
      const FrameTouch near = line.touch();
      if (!(near.distance < 0.0) || end_sign * near.normal[2] >= -handover) return near;
      const std::optional<FrameTouch> far = line.touch_on_far_side();
      return far && end_sign * far->normal[2] >= -handover ? *far : near;
    };
    const double angle = falling_root([&](double x) { return along(x).dot(touch(x).at - place_of(x)); },
                                      low - step, high + step);
    const FrameTouch t = touch(angle);
    const double distance = t.distance - wall;
    if (std::abs(along(angle).dot(t.at - place_of(angle))) > level * shape.semi_axes.maxCoeff() ||
        distance < -shape.semi_axes.minCoeff() || end_sign * t.normal[2] < -handover)
      return false;
    if (distance > margin) return true;
    const Vec3 local = grain.axes.transpose() * (t.at + t.distance * t.normal - w.centre);
    add(t.normal[0] * w.u + t.normal[1] * w.v + t.normal[2] * w.axis, local, distance);
    return true;
  };
  const auto look_at_minimum = [&](double angle, double low, double high) {
    const RimPoint p = look(angle);
    const double distance = p.distance - wall;
    if (distance > margin) return;
    output.rim_reaches_in |= distance < 0.0;
    if (std::abs(towards(angle)) > level && add_across(low, high)) return;
    const Vec3 normal = -(pose.orientation * p.outward);    // from the ring to the grain
    if (end_sign * normal.dot(w.axis) < -handover) return;  // the surface before the rim is closer
    add(normal, p.closest, distance);
  };
  constexpr double rounding = 1e-14;  // of slopes: a ball on the axis is held by three contacts
  if (whole && std::ranges::all_of(ahead, [](double slope) { return std::abs(slope) <= rounding; })) {
    for (int k = 0; k < 3; ++k) {
      const double angle = facing + 2.0 * pi * k / 3;
      look_at_minimum(angle, angle - step, angle + step);
    }
    return;
  }
  for (int k = 0; k < (whole ? rim_samples : rim_samples - 1); ++k) {
    if (!(ahead[wrapped(k)] > 0.0 && ahead[wrapped(k + 1)] <= 0.0)) continue;
    double low = angle_of(k), high = angle_of(k + 1);
    for (const int middle : {k, k + 1}) {
      if (!is_least_at(middle)) continue;
      low = angle_of(middle) - step;
      high = angle_of(middle) + step;
    }
    look_at_minimum(falling_root(towards, low, high), low, high);
  }
}

}  // namespace

int gaps(const Ellipsoid& shape, const Pose& pose, const Tube& tube, double margin, Gap* out) {
  const TubeView w = view(place(shape, pose), tube);
  const double reach = shape.semi_axes.maxCoeff() + margin;
  const double radial = std::hypot(w.centre[0], w.centre[1]);
  if (std::abs(w.centre[2]) > w.half_length + 0.5 * tube.thickness + reach) return 0;
  if (radial > tube.outer_radius() + reach || radial < tube.inner_radius - reach) return 0;
  const Search search{shape, pose, tube, margin};
  Output output(out);
  if (std::abs(w.centre[2]) < w.half_length + reach) {
    const double sign = radial < tube.middle_radius() ? 1.0 : -1.0;
    surface_contacts(search, w, sign, output);
  }
  for (const double end_sign : {-1.0, 1.0}) rim_contacts(search, w, end_sign, output);
  output.decide_doubts();
  for (int i = 1; i < output.count; ++i) {
    for (int k = i; k > 0 && out[k].feature < out[k - 1].feature; --k) std::swap(out[k], out[k - 1]);
  }
  return output.count;
}

namespace {

/// For the surface of the bore or of the outside, in closed form.
double surface_gap_acceleration(const PlacedEllipsoid& placed, const Tube& tube, const Gap& g,
                                const Twist& v) {
  const Vec3 axis = (tube.end - tube.start).normalized();
  const Vec3 from_axis = placed.centre - tube.start - (placed.centre - tube.start).dot(axis) * axis;
  const double sign = from_axis.norm() < tube.middle_radius() ? 1.0 : -1.0;
  const Vec3 m = -sign * g.normal, t = axis.cross(m), w = v.angular;
  const Vec3 sm = placed.matrix * m;
  const double h = std::sqrt(m.dot(sm));
  const Vec3 x = sm / h, turned = w.cross(m);
  const auto c = [&](const Vec3& p, const Vec3& q) {
    return (p.dot(placed.matrix * q) - x.dot(p) * x.dot(q)) / h;
  };
  const double h_tt = x.dot(w) * w.dot(m) - w.squaredNorm() * h + c(turned, turned);
  const double slope = t.dot(v.linear) - sign * (c(turned, t) + x.dot(w.cross(t)));
  const double bend = m.dot(from_axis) + sign * h - sign * c(t, t);  // -s'' along the circle
  if (!(bend > 1e-6 * h)) return 0.0;
  return -sign * (sign * h_tt + slope * slope / bend);
}

/// Does a tube's motion map it to itself, except for a shift?
bool turns_into_itself(const Tube& tube, const WallMotion& wall) {
  const Vec3 axis = (tube.end - tube.start).normalized(), &w = wall.twist.angular;
  return w.cross(axis).isZero(0.0) &&
         (w.isZero(0.0) || (tube.start - wall.centre).cross(axis).norm() <= 1e-12 * tube.middle_radius());
}

}  // namespace

double gap_acceleration(const Ellipsoid& shape, const Pose& pose, const Tube& tube, const Gap& now,
                        const PairMotion& motion) {
  const auto& [twist, dt, wall] = motion;
  const Twist v{twist.linear - wall.twist.linear, twist.angular};  // relative to the shifting tube
  if (now.feature < rim_features && turns_into_itself(tube, wall))
    return surface_gap_acceleration(place(shape, pose), tube, now, v);
  const auto turned = [](const Vec3& spin, double t) {
    const Vec3 half = 0.5 * t * spin;
    return Quat(1.0, half[0], half[1], half[2]).normalized();
  };
  const double travel = dt * (v.linear.norm() + v.angular.norm() * shape.semi_axes.maxCoeff() +
                              wall.twist.angular.norm() * (pose.position - wall.centre).norm());
  double sum = -2.0 * now.distance;
  for (const double t : {-dt, dt}) {
    const Quat back = turned(wall.twist.angular, -t);
    const Pose moved{wall.centre + back * (pose.position + t * v.linear - wall.centre),
                     back * turned(v.angular, t) * pose.orientation};
    Gap found[max_tube_contacts];
    const int count = gaps(shape, moved, tube, now.distance + 2.0 * travel, found);
    const Gap* same =
        std::find_if(found, found + count, [&](const Gap& g) { return g.feature == now.feature; });
    if (same == found + count) return 0.0;
    sum += same->distance;
  }
  // The curvature of surfaces is at most that of the rim: a larger value is a jump to another contact of the
  // same feature.
  const double most = 2.0 * travel * travel / (0.5 * tube.thickness);
  return std::abs(sum) <= most ? sum / (dt * dt) : 0.0;
}

}  // namespace scree
