#include "engine/geometry/ellipsoid_revolved.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>

#include "engine/core/frames.h"
#include "engine/geometry/ellipsoid_walls.h"

namespace scree {

namespace {

using Touch = FrameTouch;

constexpr double pi = std::numbers::pi;
constexpr int samples = 24;  // around the axis, or along the part of a circle within reach
constexpr double sample_step = 2.0 * pi / samples;  // rad
constexpr std::uint32_t per_element = 16, first_of_ring = 8, ring_contacts = 3;
constexpr double clear_of_faces = 1e-9;  // allowed cosine between a corner's normal and its segments
constexpr double on_segment = 1e-12;     // of the size, beyond its ends

using Segment = RevolvedSurface::Segment;

Vec3 at_angle(const Vec2& profile, double phi) {
  return {profile[0] * std::cos(phi), profile[0] * std::sin(phi), profile[1]};
}
Vec2 in_profile(const Vec3& x, double phi) { return {x[0] * std::cos(phi) + x[1] * std::sin(phi), x[2]}; }
Vec2 half_plane(const Vec3& x) { return {std::hypot(x[0], x[1]), x[2]}; }
Vec3 round_the_axis(double phi) { return {-std::sin(phi), std::cos(phi), 0.0}; }
double ring_angle(std::uint32_t k) { return 2.0 * pi * k / ring_contacts; }

/// A cone's lines with the ellipsoid on one side: sign +1 inside, -1 outside. F(phi) = N.c + sign h(N) has
/// its maxima at the contacts.
struct Cone {
  const FramedEllipsoid& g;
  const Segment& segment;
  double offset;  // m, N.x on the tangent planes
  double sign;

  Cone(const FramedEllipsoid& grain, const Segment& s) : g(grain), segment(s), offset(s.normal.dot(s.from)) {
    sign = s.normal.dot(half_plane(g.centre)) < offset ? 1.0 : -1.0;
  }

  double value(double phi) const {
    const Vec3 n = at_angle(segment.normal, phi);
    return n.dot(g.centre) + sign * std::sqrt(n.dot(g.matrix * n));
  }
  double slope(double phi) const {
    const Vec3 n = at_angle(segment.normal, phi), sn = g.matrix * n;
    return segment.normal[0] * round_the_axis(phi).dot(g.centre + sign / std::sqrt(n.dot(sn)) * sn);
  }
  double distance(double phi) const { return sign * (offset - value(phi)); }
  Touch touch(double phi) const {
    const Vec3 n = at_angle(segment.normal, phi), sn = g.matrix * n;
    const double h = std::sqrt(n.dot(sn)), d = sign * (offset - n.dot(g.centre) - sign * h);
    return {-sign * n, g.centre + sign / h * sn + sign * d * n, d};
  }
  /// The place of the maximum of F uphill of phi.
  double climb(double phi, double step) const {
    return peak([&](double x) { return value(x); }, [&](double x) { return slope(x); }, phi, step);
  }
};

bool is_disc(const Segment& s) { return s.normal[0] == 0.0; }
Touch on_disc(const FramedEllipsoid& g, const Segment& s) {
  return on_plane(g, Vec3(0.0, 0.0, s.from[1]), Vec3::UnitZ());
}

/// The nearest place of a circle, downhill of phi.
double nearest_on_circle(const FramedEllipsoid& g, const Vec2& corner, double phi, double step) {
  const auto touch = [&](double x) { return on_point(g, at_angle(corner, x)); };
  return peak([&](double x) { return -touch(x).distance; },
              [&](double x) { return touch(x).normal.dot(round_the_axis(x)); }, phi, step);
}

/// The inside of a ball is touched where N.c + h(N), a convex function, has a local maximum. Each step to
/// the normal of the support point climbs, and Newton's step is taken if it climbs too.
Touch on_hollow(const FramedEllipsoid& g, double radius, Vec3 n) {
  constexpr int iterations = 100;
  constexpr double arrived = 1e-12, longest = 0.3;  // rad
  Vec3 x;
  const auto value = [&](const Vec3& m) {
    const Vec3 sm = g.matrix * m;
    const double h = std::sqrt(m.dot(sm));
    x = g.centre + sm / h;
    return m.dot(x);
  };
  double here = value(n);
  for (int k = 0; k < iterations; ++k) {
    const auto [u, w] = tangents(n);
    const Vec3 support = x - g.centre, su = g.matrix * u, sw = g.matrix * w;
    const Vec2 slope(u.dot(x), w.dot(x)), s(u.dot(support), w.dot(support));
    const double h = n.dot(support);
    Mat2 bend;
    bend << u.dot(su), u.dot(sw), u.dot(sw), w.dot(sw);
    bend = ((bend - s * s.transpose()) / h - here * Mat2::Identity()).eval();
    Vec3 next = x.normalized();
    if (bend(0, 0) < 0.0 && bend.determinant() > 0.0) {
      Vec2 step = -bend.inverse() * slope;
      if (step.norm() > longest) step *= longest / step.norm();
      const Vec3 newton = (n + step[0] * u + step[1] * w).normalized();
      if (value(newton) >= here) next = newton;
    }
    const double turn = (next - n).norm();
    n = next;
    here = value(n);
    if (turn < arrived) break;
  }
  return {-n, Vec3::Zero(), radius - here};
}

/// Contacts in the frame of the surface.
class Collector {
 public:
  Collector(const FramedEllipsoid& g, const RevolvedSurface& s, double margin)
      : g_(g),
        s_(s),
        margin_(margin + (s.hollow ? 0.0 : s.rounding)),
        depth_(g.shape.semi_axes.minCoeff()),
        size_(g.shape.semi_axes.maxCoeff()),
        centre_(half_plane(g.centre)) {}

  void look_at_segment(std::size_t k) {
    const Segment& s = s_.segments[k];
    const double along = std::clamp(s.along.dot(centre_ - s.from), 0.0, s.length);
    if ((centre_ - s.from - along * s.along).norm() > size_ + margin_) return;
    element_ = k;
    if (is_disc(s)) return look_at_disc(s);
    const Cone cone(g_, s);
    cone.sign < 0.0 ? look_from_outside(cone) : look_from_inside(cone);
  }

  void look_at_corner(std::size_t k) {
    const Vec2& corner = s_.corners[k];
    if ((centre_ - corner).norm() > size_ + margin_) return;
    element_ = s_.segments.size() + k;
    if (corner[0] > 0.0) return look_at_circle(k);
    const Touch touch = on_point(g_, Vec3(0.0, 0.0, corner[1]));
    const Vec2 n = half_plane(touch.normal);  // the worst case around the axis
    if (is_near(touch) && is_free(k, n)) add(touch);
  }

  void look_from_within() {
    const double radius = s_.rounding;
    if (radius - g_.centre.norm() - size_ > margin_) return;
    const auto look = [&](const Vec3& start) {
      const Touch t = on_hollow(g_, radius, start);
      if (t.distance <= margin_) add({t.normal, -radius * t.normal, t.distance});
    };
    for (int axis = 0; axis < 3; ++axis) {
      look(g_.axes.col(axis));
      look(-g_.axes.col(axis));
    }
    if (!g_.centre.isZero(0.0)) look(g_.centre.normalized());
  }

  /// Last, the least deep first. No adjoining segment that the body touches from the other side is less deep,
  /// else the body is on that one, beyond the ridge between the two. A segment whose place is not in the
  /// body: it reaches into the body elsewhere, and no corner of it is less deep, else the body is beside it.
  void decide_doubts() {
    std::vector<std::uint32_t> beyond;
    for (const auto& [touch, name] : found)
      if (name / per_element < s_.segments.size() && touch.distance < s_.rounding &&
          is_beyond_a_ridge(touch, name / per_element))
        beyond.push_back(name);
    std::erase_if(found, [&](const auto& f) { return std::ranges::count(beyond, f.second) > 0; });
    std::ranges::sort(in_doubt_, [](const Doubt& a, const Doubt& b) {
      return a.touch.distance != b.touch.distance ? a.touch.distance > b.touch.distance
                                                  : a.element < b.element;
    });
    const double rounding = s_.rounding;
    for (const Doubt& d : in_doubt_) {
      const std::array<std::size_t, 2> ends{d.element, (d.element + 1) % s_.corners.size()};
      const bool is_less_deep = std::ranges::any_of(found, [&](const auto& f) {
        const std::size_t of = f.second / per_element;
        if (!(f.first.distance < rounding && f.first.distance > d.touch.distance)) return false;
        return of == s_.segments.size() + ends[0] || of == s_.segments.size() + ends[1];
      });
      if (is_less_deep || is_beyond_a_ridge(d.touch, d.element)) continue;
      const bool reaches = d.is_middle_over ||
                           std::ranges::any_of(ends, [&](std::size_t k) { return reaches_in(k, rounding); });
      if (!reaches) continue;
      element_ = d.element;
      add(d.touch);
    }
  }

  std::vector<std::pair<Touch, std::uint32_t>> found;

 private:
  bool is_near(const Touch& t) const { return t.distance <= margin_ && t.distance >= -depth_; }

  bool adjoin(std::size_t a, std::size_t b) const {
    const std::size_t n = s_.segments.size();
    return a < n && (a + 1 == b || b + 1 == a || (s_.closed && (a + b + 1 == n) && (a == 0 || b == 0)));
  }
  /// Does a touch look at the left side of its segment, seen along the profile?
  bool is_on_left(const Touch& t, std::size_t segment) const {
    const Vec2 along = s_.segments[segment].along;
    const double radius = t.at.head<2>().norm(),
                 outwards = radius > 0.0 ? t.normal.head<2>().dot(t.at.head<2>()) / radius : 0.0;
    return along[0] * t.normal[2] > along[1] * outwards;
  }

  bool is_beyond_a_ridge(const Touch& touch, std::size_t segment) const {
    return std::ranges::any_of(found, [&](const auto& f) {
      const std::size_t of = f.second / per_element;
      return f.first.distance < s_.rounding && f.first.distance > touch.distance && adjoin(of, segment) &&
             is_on_left(f.first, of) != is_on_left(touch, segment);
    });
  }

  /// Does a normal of a corner point away from the segments that meet there?
  bool is_free(std::size_t corner, const Vec2& normal) const {
    const RevolvedSurface::Ends& e = s_.ends[corner];
    for (int k = 0; k < e.count; ++k)
      if (normal.dot(e.into[k]) > clear_of_faces) return false;
    return true;
  }

  bool is_over(const Segment& s, const Vec2& foot) const {
    const double along = s.along.dot(foot - s.from), slack = on_segment * size_;
    return along >= -slack && along <= s.length + slack;
  }

  void look_at_disc(const Segment& s) {
    const Touch t = on_disc(g_, s);
    if (t.distance <= margin_ && is_over(s, half_plane(t.at))) take(t, s);
  }

  bool look_at_line(const Cone& cone, double phi) {
    const Touch t = cone.touch(phi);
    if (!(t.distance <= margin_ && is_over(cone.segment, in_profile(t.at, phi)))) return false;
    take(t, cone.segment);
    return true;
  }

  bool is_in_doubt(const Touch& t) const {
    return t.distance < s_.rounding && !covers_its_place(g_, t, s_.rounding);
  }

  void take(const Touch& t, const Segment& s) {
    if (!is_in_doubt(t)) return add(t);
    const double rounding = s_.rounding;
    const double offset = s.normal.dot(s.from);
    const std::optional<Vec3> middle = is_disc(s) ? middle_of_section(g_, t, rounding)
                                                  : middle_of_section(g_, t, rounding, [&](const Vec3& x) {
                                                      return s.normal.dot(half_plane(x)) < offset;
                                                    });
    in_doubt_.push_back({t, element_, middle && is_over(s, half_plane(*middle))});
  }

  /// Does any part of a corner's circle, with its rounding, reach into the grain?
  bool reaches_in(std::size_t k, double rounding) const {
    const Vec2& corner = s_.corners[k];
    if (corner[0] == 0.0) return on_point(g_, Vec3(0.0, 0.0, corner[1])).distance < rounding;
    bool reaches = false;
    for_minima_of_circle(corner, [&](const Touch& t, double) { reaches |= t.distance < rounding; });
    return reaches;
  }

  /// Angles next to that of the grain's centre, up to a cosine and one beyond: on both sides of the first, or
  /// all around.
  struct Angles {
    double facing;
    int each_side;
    bool whole;

    int first() const { return whole ? 0 : -each_side; }
    int count() const { return whole ? samples : 2 * each_side + 1; }
    double at(int k) const { return facing + sample_step * (first() + k); }
  };
  Angles angles_near(double cosine) const {
    Angles a{std::atan2(g_.centre[1], g_.centre[0]), samples, true};
    if (!(cosine > -1.0)) return a;
    a.each_side = 1 + static_cast<int>(std::ceil(std::acos(std::min(cosine, 1.0)) / sample_step));
    a.whole = 2 * a.each_side + 1 >= samples;
    return a;
  }

  /// One plane separates the convex hull of a cone from an ellipsoid: that of the greatest distance. It
  /// cannot be rotated farther from the centre than the ellipsoid's widths differ.
  void look_from_outside(const Cone& cone) {
    const Angles angles = angles_near(1.0 - (size_ - depth_) / (cone.segment.normal[0] * centre_[0]));
    double best = -infinity, phi = 0.0;
    for (int k = 0; k < angles.count(); ++k) {
      const double value = cone.value(angles.at(k));
      if (value > best) {
        best = value;
        phi = angles.at(k);
      }
    }
    look_at_line(cone, cone.climb(phi, sample_step));
  }

  /// All maxima, starting where a ball with the longest semi-axis would be near enough.
  void look_from_inside(const Cone& cone) {
    const Vec2& normal = cone.segment.normal;
    const double cosine =
        (cone.offset - margin_ - size_ - normal[1] * g_.centre[2]) / (normal[0] * centre_[0]);
    if (cosine > 1.0) return;
    const Angles angles = angles_near(cosine);
    bool touches = false;
    std::array<double, samples> value;
    const int n = angles.count();
    for (int k = 0; k < n; ++k) value[k] = cone.value(angles.at(k));
    for (int k = 0; k < n; ++k) {
      if (!angles.whole && (k == 0 || k == n - 1)) continue;
      if (!(value[k] >= value[(k + n - 1) % n] && value[k] > value[(k + 1) % n])) continue;
      if (look_at_line(cone, cone.climb(angles.at(k), sample_step))) touches = true;
    }
    if (!touches) return;
    look_all_round([&](double phi) { return cone.touch(phi); },
                   [&](const Touch& t, double phi, std::uint32_t k) {
                     if (is_over(cone.segment, in_profile(t.at, phi)) && !is_in_doubt(t)) add_to_ring(t, k);
                   });
  }

  /// Calls take(touch, phi) for the nearest places of a circle; returns whether all of it is within reach.
  template <class Take>
  bool for_minima_of_circle(const Vec2& corner, Take&& take) const {
    const double reach = size_ + margin_, radius = corner[0];
    const double facing = std::atan2(g_.centre[1], g_.centre[0]);
    // The part within reach of the centre, and a little beyond: the nearest place is not at its ends.
    const double aside = centre_[1] - corner[1],
                 cosine = (centre_[0] * centre_[0] + radius * radius + aside * aside - reach * reach) /
                          (2.0 * centre_[0] * radius);
    const double half_range = cosine > -1.0 ? std::min(pi, 1.1 * std::acos(std::min(cosine, 1.0))) : pi;
    const bool whole = half_range >= pi;
    const double step = 2.0 * half_range / (whole ? samples : samples - 1);
    const auto touch = [&](double phi) { return on_point(g_, at_angle(corner, phi)); };
    std::array<double, samples> sample;
    for (int i = 0; i < samples; ++i) sample[i] = touch(facing - half_range + i * step).distance;
    for (std::size_t i = 0; i < samples; ++i) {
      if (!whole && (i == 0 || i == samples - 1)) continue;
      if (!(sample[i] <= sample[(i + samples - 1) % samples] && sample[i] < sample[(i + 1) % samples]))
        continue;
      const double phi =
          nearest_on_circle(g_, corner, facing - half_range + static_cast<double>(i) * step, step);
      take(touch(phi), phi);
    }
    return whole;
  }

  void look_at_circle(std::size_t k) {
    const Vec2& corner = s_.corners[k];
    const bool whole = for_minima_of_circle(corner, [&](const Touch& t, double phi) {
      if (is_near(t) && is_free(k, in_profile(t.normal, phi))) add(t);
    });
    if (whole)
      look_all_round([&](double phi) { return on_point(g_, at_angle(corner, phi)); },
                     [&](const Touch& t, double phi, std::uint32_t number) {
                       if (is_near(t) && is_free(k, in_profile(t.normal, phi))) add_to_ring(t, number);
                     });
  }

  /// The smallest distance of a ring: if all its points are near, three of them hold the grain.
  template <class At, class Take>
  void look_all_round(At&& at, Take&& take) {
    std::array<Touch, ring_contacts> ring;
    for (std::uint32_t k = 0; k < ring_contacts; ++k) {
      ring[k] = at(ring_angle(k));
      if (ring[k].distance > margin_) return;
    }
    for (std::uint32_t k = 0; k < ring_contacts; ++k) take(ring[k], ring_angle(k), k);
  }

  bool is_there(const Touch& touch) const {
    return std::ranges::any_of(found, [&](const auto& other) { return is_same(other.first, touch, size_); });
  }

  /// Leaves out a contact that another feature has already found at the same place. Of two contacts on
  /// the same end of a grain the later one takes the next free number.
  void add(const Touch& touch) {
    if (is_there(touch)) return;
    const Vec3 on_grain = g_.axes.transpose() * (touch.at + touch.distance * touch.normal - g_.centre);
    const auto base = static_cast<std::uint32_t>(element_) * per_element;
    std::uint32_t feature = base + end_of_grain(g_.shape, on_grain);
    while (std::ranges::any_of(found, [&](const auto& f) { return f.second == feature; })) ++feature;
    if (feature < base + first_of_ring) found.emplace_back(touch, feature);
  }
  void add_to_ring(const Touch& touch, std::uint32_t k) {
    if (is_there(touch)) return;
    found.emplace_back(touch, static_cast<std::uint32_t>(element_) * per_element + first_of_ring + k);
  }

  const FramedEllipsoid& g_;
  const RevolvedSurface& s_;
  double margin_, depth_, size_;
  Vec2 centre_;
  std::size_t element_ = 0;
  struct Doubt {
    Touch touch;
    std::size_t element;
    bool is_middle_over;
  };
  std::vector<Doubt> in_doubt_;
};

/// The distance of one feature only from the sharp surface, at any place of contact; before, it touched
/// there with that normal.
double distance_from(const FramedEllipsoid& g, const RevolvedSurface& s, std::uint32_t feature,
                     const Touch& before) {
  constexpr double window = 0.05;  // rad, around the axis in a step
  if (s.hollow) return on_hollow(g, s.rounding, -before.normal).distance;
  const std::size_t element = feature / per_element;
  const bool of_ring = feature % per_element >= first_of_ring;
  const double fixed = of_ring ? ring_angle(feature % per_element - first_of_ring) : 0.0;
  if (element < s.segments.size()) {
    const Segment& segment = s.segments[element];
    if (is_disc(segment)) return on_disc(g, segment).distance;
    const Cone cone(g, segment);
    if (of_ring) return cone.distance(fixed);
    const Vec3 n = -cone.sign * before.normal;
    return cone.distance(cone.climb(std::atan2(n[1], n[0]), window));
  }
  const Vec2& corner = s.corners[element - s.segments.size()];
  double phi = fixed;
  if (corner[0] > 0.0 && !of_ring) {
    phi = nearest_on_circle(g, corner, std::atan2(before.at[1], before.at[0]), window);
  }
  return on_point(g, at_angle(corner, phi)).distance;
}

}  // namespace

void contacts(const Ellipsoid& shape, const Pose& pose, const PlacedRevolved& wall, double margin,
              std::vector<Gap>& found) {
  const RevolvedSurface& s = *wall.surface;
  const FramedEllipsoid g = in_frame(shape, pose, wall.pose);
  Collector collector(g, s, margin);
  if (s.hollow) {
    collector.look_from_within();
  } else {
    for (std::size_t k = 0; k < s.segments.size(); ++k) collector.look_at_segment(k);
    for (std::size_t k = 0; k < s.corners.size(); ++k) collector.look_at_corner(k);
    collector.decide_doubts();
  }
  std::ranges::sort(collector.found, {}, [](const auto& f) { return f.second; });
  for (const auto& [touch, feature] : collector.found) {
    Gap gap;
    gap.normal = wall.pose.orientation * touch.normal;
    gap.distance = touch.distance - (s.hollow ? 0.0 : s.rounding);
    gap.point = wall.pose.position +
                wall.pose.orientation * (touch.at + (touch.distance - 0.5 * gap.distance) * touch.normal);
    gap.feature = feature;
    gap.is_sharp = s.rounding == 0.0 && feature / per_element >= s.segments.size();
    found.push_back(gap);
  }
}

double gap_acceleration(const Ellipsoid& shape, const Pose& pose, const PlacedRevolved& wall,
                        const Gap& contact, const PairMotion& motion) {
  const RevolvedSurface& s = *wall.surface;
  const double rounding = s.hollow ? 0.0 : s.rounding;
  const Quat back = wall.pose.orientation.conjugate();
  const Vec3 foot = contact.point - (0.5 * contact.distance + rounding) * contact.normal;
  const Touch before{back * contact.normal, back * (foot - wall.pose.position), contact.distance + rounding};
  const auto at = [&](double t) {
    return distance_from(in_frame(shape, moved(pose, WallMotion{pose.position, motion.body}, t),
                                  moved(wall.pose, motion.wall, t)),
                         s, contact.feature, before);
  };
  const double dt = difference_time(shape, pose, motion);
  return (at(dt) - 2.0 * before.distance + at(-dt)) / (dt * dt);
}

}  // namespace scree
