#include "engine/geometry/elliptic_cylinder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "engine/geometry/ellipsoid_walls.h"

namespace scree {

namespace {

constexpr double pi = std::numbers::pi;
constexpr int samples = 48;                 // around the section; minima are searched between them
constexpr std::uint32_t rim_features = 16;  // at the start; twice of it at the end
constexpr std::uint32_t edge_features = 48, corner_features = 50;

/// Its frame: x along the width, y up, z along the axis from the start.
struct Frame {
  Pose pose;
  double a, b, length, round;  // m
  bool trough;
};

Frame frame_of(const EllipticCylinder& w) {
  const Vec3 z = (w.end - w.start).normalized();
  const Vec3 y = (w.up - w.up.dot(z) * z).normalized();
  Mat3 axes;
  axes << y.cross(z), y, z;
  return {{w.start, Quat(axes)},    w.half_width,      w.half_height,
          (w.end - w.start).norm(), 0.5 * w.thickness, w.trough};
}

Vec2 direction(double angle) { return {std::cos(angle), std::sin(angle)}; }
Vec2 across(const Vec2& m) { return {-m[1], m[0]}; }

/// The support function of the section and its point there.
double section_height(const Frame& f, const Vec2& m) { return std::hypot(f.a * m[0], f.b * m[1]); }
Vec2 section_point(const Frame& f, const Vec2& m) {
  return Vec2(f.a * f.a * m[0], f.b * f.b * m[1]) / section_height(f, m);
}
/// From the eccentric angle, and its derivative.
Vec2 on_section(const Frame& f, double t) { return {f.a * std::cos(t), f.b * std::sin(t)}; }
Vec2 along_section(const Frame& f, double t) { return {-f.a * std::sin(t), f.b * std::cos(t)}; }

bool is_inside(const Frame& f, const Vec2& p) { return p.cwiseQuotient(Vec2(f.a, f.b)).squaredNorm() < 1.0; }

/// Directions of all samples around the section: cosine and sine.
const std::array<Vec2, samples + 1>& turn() {
  static const std::array<Vec2, samples + 1> directions = [] {
    std::array<Vec2, samples + 1> d;
    for (int k = 0; k < samples; ++k) d[static_cast<std::size_t>(k)] = direction(2.0 * pi * k / samples);
    d[samples] = d[0];  // the same bits: a minimum there is between the last and the first
    return d;
  }();
  return directions;
}

/// Calls f(angle) for the places between samples at which slope(direction) changes from below 0 to above it,
/// around the whole section, or in the half below the axis.
template <class Slope, class Found>
void for_minima(bool half, Slope&& slope, Found&& found) {
  const int first = half ? samples / 2 : 0;
  double before = slope(turn()[static_cast<std::size_t>(first)]);
  for (int k = first; k < samples; ++k) {
    const double after = slope(turn()[static_cast<std::size_t>(k) + 1]);
    if (before < 0.0 && after >= 0.0) {
      constexpr double step = 2.0 * pi / samples;
      found(falling_root([&](double t) { return -slope(direction(t)); }, k * step, (k + 1) * step));
    }
    before = after;
  }
}

/// The nearest point of the section, which is a whole ellipse or its lower half.
Vec2 nearest_on_section(const Frame& f, const Vec2& p) {
  // An ellipsoid's nearest point to one in its plane of symmetry lies in that plane.
  const Ellipsoid disc{Vec3(f.a, f.b, 2.0 * std::max(f.a, f.b))};
  const Vec2 whole = closest_surface_point(disc, Vec3(p[0], p[1], 0.0)).head<2>();
  if (!f.trough || (p[1] < 0.0 && whole[1] <= 0.0)) return whole;
  Vec2 nearest(p[0] < 0.0 ? -f.a : f.a, 0.0);
  const auto slope = [&](const Vec2& at) {
    return (Vec2(f.a * at[0], f.b * at[1]) - p).dot(Vec2(-f.a * at[1], f.b * at[0]));
  };
  for_minima(true, slope, [&](double t) {
    if (const Vec2 on = on_section(f, t); (on - p).squaredNorm() < (nearest - p).squaredNorm()) nearest = on;
  });
  return nearest;
}

/// Vector from the wall to the point, in the frame: from the nearest point of the sheet, and the point's
/// distance from it.
std::pair<Vec3, double> from_sheet(const Frame& f, const Vec3& x) {
  const Vec2 on = nearest_on_section(f, x.head<2>());
  const Vec3 nearest(on[0], on[1], std::clamp(x[2], 0.0, f.length));
  return {nearest, (x - nearest).norm()};
}

class Search {
 public:
  Search(const Ellipsoid& shape, const Pose& pose, const EllipticCylinder& wall, double margin)
      : f_(frame_of(wall)), g_(in_frame(shape, pose, f_.pose)), shape_(shape), reach_(margin + f_.round) {}

  void find() {
    const Vec2 c = g_.centre.head<2>();
    const double extent = std::sqrt(g_.matrix(2, 2)), size = shape_.semi_axes.maxCoeff();
    if (g_.centre[2] + extent < -reach_ || g_.centre[2] - extent > f_.length + reach_) return;
    if (std::abs(c[0]) > f_.a + size + reach_ || std::abs(c[1]) > f_.b + size + reach_) return;
    const bool is_near = (nearest_on_section(f_, c) - c).squaredNorm() <= (size + reach_) * (size + reach_);
    if (!is_near) return;
    // A body above the rim of a trough may reach down on either side.
    if (f_.trough || is_inside(f_, c)) touch_inside();
    if (f_.trough || !is_inside(f_, c)) touch_outside();
    const bool at_start = g_.centre[2] - extent<reach_, at_end = g_.centre[2] + extent> f_.length - reach_;
    if (at_start) touch_rim(0.0, -1.0, rim_features);
    if (at_end) touch_rim(f_.length, 1.0, 2 * rim_features);
    if (f_.trough) touch_edges(at_start, at_end);
    decide_doubts();
  }

  const Frame& frame() const { return f_; }
  std::vector<std::pair<FrameTouch, std::uint32_t>> found;

 private:
  void touch_edges(bool at_start, bool at_end) {
    const Vec2 c = g_.centre.head<2>();
    const double size = shape_.semi_axes.maxCoeff();
    for (const int side : {0, 1}) {
      const Vec2 edge(side == 0 ? -f_.a : f_.a, 0.0);
      if ((c - edge).squaredNorm() > (size + reach_) * (size + reach_)) continue;
      touch_edge(edge, edge_features + static_cast<std::uint32_t>(side));
      if (at_start) touch_corner(edge, 0.0, -1.0, corner_features + static_cast<std::uint32_t>(side));
      if (at_end) touch_corner(edge, f_.length, 1.0, corner_features + 2 + static_cast<std::uint32_t>(side));
    }
  }

  /// Does the rounded edge reach into the body? Along a line the distance from a body has one minimum.
  bool edge_reaches_in(const Vec2& edge) const {
    double low = 0.0, high = f_.length;
    const auto distance = [&](double z) { return on_point(g_, Vec3(edge[0], edge[1], z)).distance; };
    constexpr int thirds = 50;
    for (int k = 0; k < thirds; ++k) {
      const double first = low + (high - low) / 3.0, second = high - (high - low) / 3.0;
      (distance(first) < distance(second) ? high : low) = distance(first) < distance(second) ? second : first;
    }
    return distance(0.5 * (low + high)) < f_.round;
  }

  /// Last, the least deep first. A place of the sheet that is not in the body: the sheet or its rim reaches
  /// into the body elsewhere, and no rim is less deep, else the body is beside the sheet.
  void decide_doubts() {
    if (in_doubt_.empty()) return;
    const std::array<bool, 2> edges{f_.trough && edge_reaches_in({-f_.a, 0.0}),
                                    f_.trough && edge_reaches_in({f_.a, 0.0})};
    std::ranges::sort(in_doubt_, {}, [](const Doubt& d) { return -d.touch.distance; });
    for (const Doubt& d : in_doubt_) {
      const bool is_less_deep = std::ranges::any_of(found, [&](const auto& one) {
        return one.second >= rim_features && one.first.distance < f_.round &&
               one.first.distance > d.touch.distance;
      });
      const bool reaches = d.feature == 0 ? d.is_middle_over || rim_reaches_in_ || edges[0] || edges[1]
                                          : edges[d.feature - edge_features];
      if (reaches && !is_less_deep) add(d.touch, d.feature);
    }
  }

  double height(const Vec2& m) const { return std::sqrt(m.dot(g_.matrix.topLeftCorner<2, 2>() * m)); }
  Vec2 support(const Vec2& m) const { return g_.matrix.topLeftCorner<2, 2>() * m / height(m); }
  /// Position along the axis, relative to its centre, of the ellipsoid's point in a transverse direction.
  double along(const Vec2& m) const { return (g_.matrix.row(2).head<2>() * m)(0) / height(m); }
  bool is_on_section(const Vec2& m) const { return !f_.trough || m[1] <= 0.0; }

  /// The body bulges along m. The contact is on that side of the sheet (`sign` -1), or on the other side (1).
  void touch_sheet(const Vec2& m, double sign, const Vec2& on_wall, double distance, std::uint32_t feature) {
    const double z = g_.centre[2] - sign * along(m);
    if (z < 0.0 || z > f_.length) return;
    const FrameTouch touch{sign * Vec3(m[0], m[1], 0.0), Vec3(on_wall[0], on_wall[1], z), distance};
    if (distance >= f_.round || covers_its_place(g_, touch, f_.round)) return add(touch, feature);
    const bool is_on_its_side =
        feature != 0 || g_.centre[1] > 0.0 || is_inside(f_, g_.centre.head<2>()) == (sign < 0.0);
    if (is_on_its_side) in_doubt_.push_back({touch, feature, feature == 0 && is_over_sheet(touch)});
  }

  /// Does the way from the body's centre to its deepest place pass through the sheet? It may start above a
  /// trough and enter the whole section there.
  bool is_over_sheet(const FrameTouch& touch) const {
    const Vec3 to = touch.at + touch.distance * touch.normal - g_.centre;
    const auto is_over = [&](const Vec3& x) {
      return x[2] >= 0.0 && x[2] <= f_.length && (!f_.trough || x[1] <= 0.0);
    };
    if (touch.distance > 0.0) return is_over(middle_of_section(g_, touch, f_.round));
    const Vec2 axes(f_.a, f_.b), c = g_.centre.head<2>().cwiseQuotient(axes),
                                 d = to.head<2>().cwiseQuotient(axes);
    const double dd = d.squaredNorm(), nearest = -c.dot(d) / dd,
                 beyond = 1.0 - (c + nearest * d).squaredNorm();
    if (!(beyond >= 0.0)) return false;
    const double half = std::sqrt(beyond / dd);
    return std::ranges::any_of(std::array{nearest - half, nearest + half},
                               [&](double t) { return t >= 0.0 && t <= 1.0 && is_over(g_.centre + t * to); });
  }

  void touch_inside() {
    const Vec2 c = g_.centre.head<2>();
    const auto slope = [&](const Vec2& m) { return (section_point(f_, m) - support(m) - c).dot(across(m)); };
    for_minima(f_.trough, slope, [&](double angle) {
      const Vec2 m = direction(angle);
      const double inside = section_height(f_, m) - m.dot(c);  // distance of the centre
      if (is_on_section(m) && inside > 0.0) touch_sheet(m, -1.0, section_point(f_, m), inside - height(m), 0);
    });
  }

  void touch_outside() {
    const Vec2 c = g_.centre.head<2>();
    const auto slope = [&](const Vec2& m) { return (section_point(f_, m) + support(m) - c).dot(across(m)); };
    for_minima(f_.trough, slope, [&](double angle) {
      const Vec2 m = direction(angle);
      const double outside = m.dot(c) - section_height(f_, m);  // not for the far side of a flat section
      if (is_on_section(m) && outside > 0.0)
        touch_sheet(m, 1.0, section_point(f_, m), outside - height(m), 0);
    });
  }

  void touch_edge(const Vec2& edge, std::uint32_t feature) {
    const Vec2 c = g_.centre.head<2>() - edge;
    const auto slope = [&](const Vec2& m) { return (support(m) - c).dot(across(m)); };
    for_minima(false, slope, [&](double angle) {
      const Vec2 m = direction(angle);
      const double distance = m.dot(c) - height(m);
      if (m[1] > 0.0 && m.dot(c) > 0.0) touch_sheet(m, 1.0, edge, distance, feature);
    });
  }

  void touch_rim(double z, double outward, std::uint32_t feature) {
    const double far = shape_.semi_axes.maxCoeff() + reach_;
    const auto point = [&](const Vec2& at) { return Vec3(f_.a * at[0], f_.b * at[1], z); };
    const auto tangent = [&](const Vec2& at) { return Vec2(-f_.a * at[1], f_.b * at[0]); };
    const auto slope = [&](const Vec2& at) {  // of the distance: above 0 if the rim moves away from the body
      const Vec3 p = point(at);
      const Vec2 d = tangent(at);
      if ((p - g_.centre).squaredNorm() > 4.0 * far * far) return (p - g_.centre).head<2>().dot(d);
      return -on_point(g_, p).normal.head<2>().dot(d);
    };
    for_minima(f_.trough, slope, [&](double angle) {
      const Vec2 at = direction(angle);
      const FrameTouch touch = on_point(g_, point(at));
      // Deep in a body its nearest side may change: this is no minimum.
      constexpr double level = 1e-6;
      const bool is_minimum = std::abs(slope(at)) < level * tangent(at).norm();
      rim_reaches_in_ |= touch.distance < f_.round;
      if (is_minimum && outward * touch.normal[2] >= 0.0) add(touch, feature);
    });
  }

  void touch_corner(const Vec2& edge, double z, double outward, std::uint32_t feature) {
    const FrameTouch touch = on_point(g_, Vec3(edge[0], edge[1], z));
    if (touch.normal[1] >= 0.0 && outward * touch.normal[2] >= 0.0) add(touch, feature);
  }

  void add(const FrameTouch& touch, std::uint32_t base) {
    if (!(touch.distance <= reach_)) return;
    for (const auto& [other, feature] : found)
      if (is_same(other, touch, shape_.semi_axes.maxCoeff())) return;
    const Vec3 on_grain = g_.axes.transpose() * (touch.at + touch.distance * touch.normal - g_.centre);
    std::uint32_t feature = base < edge_features ? base + end_of_grain(shape_, on_grain) : base;
    while (std::ranges::any_of(found, [&](const auto& one) { return one.second == feature; })) ++feature;
    found.emplace_back(touch, feature);
  }

  Frame f_;
  FramedEllipsoid g_;
  const Ellipsoid& shape_;
  double reach_;  // m, from the sheet
  struct Doubt {
    FrameTouch touch;
    std::uint32_t feature;
    bool is_middle_over;
  };
  std::vector<Doubt> in_doubt_;
  bool rim_reaches_in_ = false;
};

}  // namespace

WallProblem problem_of(const EllipticCylinder& w) {
  if (w.start == w.end) return {"end", "must differ from start"};
  const Vec3 axis = w.end - w.start;
  if (!(axis.cross(w.up).norm() > 1e-9 * axis.norm() * w.up.norm()))
    return {"up", "must not be parallel to the axis"};
  if (!(w.half_width > 0.0 && w.half_height > 0.0 && w.thickness > 0.0))
    return {"half_width", "must be positive, like half_height and thickness"};
  return {};
}

EllipticCylinder moved(const EllipticCylinder& w, const Pose& motion) {
  EllipticCylinder result = w;
  result.start = motion.position + motion.orientation * w.start;
  result.end = motion.position + motion.orientation * w.end;
  result.up = motion.orientation * w.up;
  return result;
}

std::optional<WallExtent> extent_of(const EllipticCylinder& w) {
  const Frame f = frame_of(w);
  const Mat3 axes = f.pose.orientation.toRotationMatrix();
  // From the section's ellipse, the axis and the rounding; a trough is within the same extent as a whole
  // cylinder.
  const Vec3 half = (f.a * f.a * axes.col(0).cwiseAbs2() + f.b * f.b * axes.col(1).cwiseAbs2()).cwiseSqrt() +
                    0.5 * f.length * axes.col(2).cwiseAbs() + Vec3::Constant(f.round);
  return WallExtent{0.5 * (w.start + w.end), half};
}

std::optional<TurningAxis> turning_axis(const EllipticCylinder&) { return std::nullopt; }

double least_radius(const EllipticCylinder& w, double size) {
  const double least =
      std::min(w.half_width * w.half_width / w.half_height, w.half_height * w.half_height / w.half_width) -
      0.5 * w.thickness;
  return std::max(0.1 * size, least - size);
}

double distance(const EllipticCylinder& w, const Vec3& point) {
  const Frame f = frame_of(w);
  return from_sheet(f, f.pose.orientation.conjugate() * (point - f.pose.position)).second - f.round;
}

WallRoom room(const EllipticCylinder& w, const Vec3& point) {
  WallRoom result;
  const Frame f = frame_of(w);
  const Vec3 x = f.pose.orientation.conjugate() * (point - f.pose.position);
  if (const double d = from_sheet(f, x).second - f.round; d < 0.0) {
    result.how = WallRoom::How::in_the_wall;
    result.depth = -d;
  } else if (!w.trough && x[2] > 0.0 && x[2] < f.length && is_inside(f, x.head<2>())) {
    result.bore = 2.0 * (std::max(f.a, f.b) - f.round);  // no body that is wider in any direction fits in
    result.along = (w.end - w.start).normalized();
  }
  return result;
}

bool rises_at(const EllipticCylinder& w, const SharpPlace& at) {
  const Frame f = frame_of(w);
  const auto [nearest, distance] =
      from_sheet(f, f.pose.orientation.conjugate() * (at.point - f.pose.position));
  if (!(distance > 0.0)) return false;
  const Vec3 away = (at.point - f.pose.position - f.pose.orientation * nearest) / distance;
  return tangent_rises(away, std::abs(distance - f.round), at);
}

void contacts(const Ellipsoid& shape, const Pose& pose, const EllipticCylinder& wall, double margin,
              std::vector<Gap>& found) {
  Search search(shape, pose, wall, margin);
  search.find();
  const Frame& f = search.frame();
  std::ranges::sort(search.found, {}, [](const auto& one) { return one.second; });
  for (const auto& [touch, feature] : search.found) {
    Gap gap;
    gap.distance = touch.distance - f.round;
    gap.normal = f.pose.orientation * touch.normal;
    gap.point =
        f.pose.position + f.pose.orientation * (touch.at + (f.round + 0.5 * gap.distance) * touch.normal);
    gap.feature = feature;
    found.push_back(gap);
  }
}

double gap_acceleration(const Ellipsoid& shape, const Pose& pose, const EllipticCylinder& wall,
                        const Gap& now, const PairMotion& motion) {
  const double dt = difference_time(shape, pose, motion);
  const double travel = dt * (motion.body.linear.norm() + motion.wall.twist.linear.norm() +
                              (motion.body.angular.norm() + motion.wall.twist.angular.norm()) *
                                  (shape.semi_axes.maxCoeff() + (pose.position - motion.wall.centre).norm()));
  const WallMotion body{pose.position, motion.body};
  double sum = -2.0 * now.distance;
  std::vector<Gap> found;
  for (const double t : {-dt, dt}) {
    const Pose wall_moved = moved({Vec3::Zero(), Quat::Identity()}, motion.wall, t);
    found.clear();
    contacts(shape, moved(pose, body, t), moved(wall, wall_moved), now.distance + 2.0 * travel, found);
    const auto same = std::ranges::find(found, now.feature, &Gap::feature);
    if (same == found.end()) return 0.0;
    sum += same->distance;
  }
  // The curvature of surfaces is at most that of the rims: a larger value is a jump to another contact of the
  // same feature.
  const double most = 2.0 * travel * travel / (0.5 * wall.thickness);
  return std::abs(sum) <= most ? sum / (dt * dt) : 0.0;
}

SurfacePatches patches_of(const EllipticCylinder& w, double sagitta) {
  const Frame f = frame_of(w);
  const auto steps = [&](double radius, double angle, int most) {
    const double step = std::acos(std::clamp(1.0 - sagitta / radius, 0.0, 1.0)) * 2.0;
    return std::clamp(static_cast<int>(std::ceil(angle / std::max(step, 1e-9))), 4, most);
  };
  const double bend = std::max(f.a * f.a / f.b, f.b * f.b / f.a) + f.round;
  const int around = steps(bend, 2.0 * pi, 720) / (f.trough ? 2 : 1), quarter = steps(f.round, 0.5 * pi, 12);
  // A closed line of the section at a distance from the sheet, with normals: for a pipe its outside, or its
  // inside.
  struct Line {
    std::vector<Vec2> point, normal;
  };
  const auto line = [&](double offset, bool inside) {
    Line l;
    const auto add = [&](double t, double sign) {
      const Vec2 p = on_section(f, t), n = sign * across(-along_section(f, t)).normalized();
      l.point.emplace_back(p + offset * n);
      l.normal.push_back(n);
    };
    if (!f.trough) {
      for (int k = 0; k < around; ++k) add(2.0 * pi * k / around, inside ? -1.0 : 1.0);
      return l;
    }
    const auto turn = [&](const Vec2& edge, double from) {  // half a turn about an edge
      for (int k = 1; k < 2 * quarter; ++k) {
        const Vec2 n = direction(from + 0.5 * pi * k / quarter);
        l.point.emplace_back(edge + offset * n);
        l.normal.push_back(n);
      }
    };
    for (int k = 0; k <= around; ++k) add(pi + pi * k / around, 1.0);
    turn({f.a, 0.0}, 0.0);
    for (int k = around; k >= 0; --k) add(pi + pi * k / around, -1.0);
    turn({-f.a, 0.0}, 0.0);
    return l;
  };
  SurfacePatches result;
  const auto sweep = [&](bool inside) {
    std::int32_t before = -1;
    for (int k = -quarter; k <= quarter; ++k) {
      for (const bool far : {false, true}) {
        if ((k < 0 && far) || (k > 0 && !far)) continue;
        const double angle = 0.5 * pi * k / quarter;
        const Line l = line(f.round * std::cos(angle), inside);
        const auto first = static_cast<std::int32_t>(result.points.size()),
                   n = static_cast<std::int32_t>(l.point.size());
        for (std::int32_t i = 0; i < n; ++i) {
          const Vec2& p = l.point[i];
          const Vec2 m = std::cos(angle) * l.normal[i];
          result.points.emplace_back(
              f.pose.position +
              f.pose.orientation * Vec3(p[0], p[1], (far ? f.length : 0.0) + f.round * std::sin(angle)));
          result.normals.emplace_back(f.pose.orientation * Vec3(m[0], m[1], std::sin(angle)));
        }
        for (std::int32_t i = 0; before >= 0 && i < n; ++i) {
          const std::int32_t j = (i + 1) % n;
          if (inside)
            result.patches.push_back({before + j, before + i, first + i, first + j});
          else
            result.patches.push_back({before + i, before + j, first + j, first + i});
        }
        before = first;
      }
    }
  };
  sweep(false);
  if (!f.trough) sweep(true);
  return result;
}

TriangleMesh mesh_of(const EllipticCylinder& cylinder, double sagitta) {
  SurfacePatches all = patches_of(cylinder, sagitta);
  TriangleMesh mesh{std::move(all.points), {}};
  for (const auto& p : all.patches) {
    mesh.triangles.push_back({p[0], p[1], p[2]});
    mesh.triangles.push_back({p[0], p[2], p[3]});
  }
  return mesh;
}

}  // namespace scree
