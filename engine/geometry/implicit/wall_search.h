// Places where a functionally defined body is nearest to a wall: (F3) with the wall's own curvature.
#pragma once

#include <algorithm>

#include "engine/geometry/implicit/line_contact.h"
#include "engine/geometry/implicit/sample_batch.h"
#include "engine/geometry/plane.h"

namespace scree {

inline constexpr double step_limit = 0.2;  // of the size
// Motion that a search allows for, over the size; the second if contacts may appear meanwhile.
inline constexpr double wall_slack = 0.02, hasty_wall_slack = 0.0025;
inline constexpr double known_reach =
    0.25;  // spacings: a search that would begin this near to a known place is skipped

/// Distance from a wall at a point, with its derivatives.
struct WallHere {
  double distance;  // m
  Three gradient;   // unit
  Symmetric bend;   // 1/m
};

/// k v v^T.
inline Symmetric square(double k, Three v) {
  return {k * v.x * v.x, k * v.y * v.y, k * v.z * v.z, k * v.x * v.y, k * v.x * v.z, k * v.y * v.z};
}
inline Symmetric sum(const Symmetric& a, const Symmetric& b) {
  return {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
}

/// A wall in the axes of the body, with the body's centre as origin. remember() stores its place in a memory;
/// moved(): bound of the change since then of distances within `radius` of the origin, m.
struct PlaneWall {
  Three normal;
  double offset;  // m, distance of the origin

  void remember(PairMemory& m) const {
    m.offset = offset * Vec3::UnitZ();
    m.turn = Quat(0.0, normal.x, normal.y, normal.z);
  }
  double moved(const PairMemory& m, double radius) const {
    return std::abs(offset - m.offset.z()) + radius * norm(normal - to_three(m.turn.vec()));
  }
  /// Is all of the body farther away than the margin?
  bool is_clear(const PlacedImplicit& body, double margin) const {
    return offset - body.scale * support_bound(*body.shape, to_vec3(-1.0 * normal)) > margin;
  }
  WallHere at(Three x) const { return {offset + dot(normal, x), normal, {}}; }
};

inline PlaneWall wall_of(const PlacedImplicit& body, const Plane& plane) {
  return {to_three(body.rotation.transpose() * plane.normal), plane.normal.dot(body.position - plane.point)};
}

/// A point of the surface where n = -grad d.
struct WallTouch {
  Three x, n;   // body's axes
  double phi;   // m
  Plane2 bend;  // A + Hess d in tangents(n)
  bool converged;
};

/// The terms of a step on the surface: the slope g of the distance in the tangents, its second derivatives,
/// and the change k of the slope per way along the normal.
struct WallStep {
  SurfaceHere here;
  WallHere wall;
  Tangents frame;
  Plane2 bend;
  Two g, k;
};
template <class Wall>
WallStep step_at(const PlacedImplicit& body, const Wall& wall, Three x) {
  const SurfaceHere here = surface_here(*body.shape, body.scale, x);
  const WallHere w = wall.at(x);
  const Tangents frame = tangents(here.n);
  const Plane2 a = across(frame, here.bend), d = across(frame, w.bend);
  return {here,
          w,
          frame,
          {a.xx + d.xx, a.xy + d.xy, a.yy + d.yy},
          across(frame, w.gradient),
          across(frame, here.bend * here.n + w.bend * here.n)};
}

/// Newton on the slope of the distance. If the slope increases in a step, the step is halved, since
/// curvatures may differ much between places.
template <class Wall>
WallTouch newton(const PlacedImplicit& body, const Wall& wall, Three x) {
  constexpr int most_halvings = 4;
  const double size = body.scale * body.shape->bounding_radius, limit = step_limit * size;
  WallTouch t{x, {}, 0.0, {}, false};
  Three before = x;
  double least_off = infinity;
  int halvings = 0;
  for (int i = 0; i < newton_iterations; ++i) {
    const auto [here, w, frame, bend, g, k] = step_at(body, wall, t.x);
    t.bend = bend;
    t.n = here.n;
    t.phi = w.distance;
    const double off = norm(g) + std::abs(here.off) / size;
    if (off > least_off && halvings < most_halvings) {
      t.x = 0.5 * (before + t.x);
      ++halvings;
      continue;
    }
    before = t.x;
    least_off = off;
    halvings = 0;
    const Matrix2 m{t.bend.xx, t.bend.xy, t.bend.xy, t.bend.yy};
    const double scale = norm(t.bend) + 1e-3 / size;
    Two u{-g.x - here.off * k.x, -g.y - here.off * k.y};
    // Where all is flat, any point is a solution.
    u = std::abs(m.det()) > 1e-12 * scale * scale
            ? solve(m, u)
            : (norm(u) < 1e-9 ? Two{0.0, 0.0} : Two{size * u.x, size * u.y});
    const double step = norm(u), shorter = step > limit ? limit / step : 1.0;
    t.x = t.x + shorter * along(frame, u) + std::clamp(here.off, -limit, limit) * here.n;
    if (std::max(step, std::abs(here.off)) < newton_tolerance * size) {
      const WallHere end = wall.at(t.x);
      t.n = -1.0 * end.gradient;
      t.phi = end.distance;
      t.converged = dot(here.n, end.gradient) < 0.0;
      return t;
    }
  }
  return t;
}

inline bool is_least(const WallTouch& t, double size) {
  return t.bend.xx + t.bend.yy >= 0.0 &&
         t.bend.xx * t.bend.yy - t.bend.xy * t.bend.xy >= -1e-9 / (size * size);
}

/// A point of a line contact (F5), within `radius` of x (m): stationary across the line.
template <class Wall>
WallTouch newton_across(const PlacedImplicit& body, const Wall& wall, Three x, double radius) {
  const double size = body.scale * body.shape->bounding_radius, limit = 0.5 * radius,
               weakest = weakest_bend(size);
  WallTouch t{x, {}, 0.0, {}, false};
  for (int i = 0; i < line_iterations; ++i) {
    const auto [here, w, frame, bend, g, k] = step_at(body, wall, t.x);
    t.bend = bend;
    const Matrix2 m{t.bend.xx, t.bend.xy, t.bend.xy, t.bend.yy};
    const Two u = solve_across(m, t.bend, weakest, {-g.x - here.off * k.x, -g.y - here.off * k.y});
    const double step = norm(u), shorter = step > limit ? limit / step : 1.0;
    t.x = t.x + shorter * along(frame, u) + std::clamp(here.off, -limit, limit) * here.n;
    if (!(norm(t.x - x) <= radius)) return t;
    if (std::max(step, std::abs(here.off)) < newton_tolerance * size) {
      const WallHere end = wall.at(t.x);
      t.n = -1.0 * end.gradient;
      t.phi = end.distance;
      t.converged = dot(here.n, end.gradient) < 0.0 && is_along_line(t.bend, g, weakest);
      return t;
    }
  }
  return t;
}

inline FlatView flat_view(const WallTouch& t) { return {t.x, t.n, t.bend, t.phi}; }

struct Place {
  WallTouch touch;
  std::uint32_t feature;
};

/// The place next to a remembered one, if there is still one.
template <class Wall>
std::optional<Place> follow_place(const PlacedImplicit& body, const Wall& wall, double depth,
                                  const ImplicitStart& s) {
  const double size = body.scale * body.shape->bounding_radius;
  const Three from = to_three(s.on_a);
  const bool is_line = is_line_point(s.feature);
  const WallTouch t = is_line ? newton_across(body, wall, from, step_limit * size) : newton(body, wall, from);
  if (!t.converged || t.phi < -depth || norm(t.x - from) > step_limit * size) return std::nullopt;
  if (!is_line && !is_least(t, size)) return std::nullopt;
  return Place{t, s.feature};
}

/// All places where a wall is nearest, up to `margin` away, by Newton from samples of the surface. Known ones
/// keep their features. Returns true if no further place can appear next to those found.
template <class Wall>
bool search(const PlacedImplicit& body, const Wall& wall, double margin, double depth,
            std::span<const ImplicitStart> known, std::vector<Place>& places) {
  const ImplicitShape& shape = *body.shape;
  const SurfaceSamples& all = shape.samples;
  const double scale = body.scale, size = scale * shape.bounding_radius;
  const auto is_known = [&](Three x, double near) {
    return std::ranges::any_of(places, [&](const Place& p) { return norm(p.touch.x - x) < near; });
  };
  const auto take = [&](const WallTouch& t, std::uint32_t feature) {
    if (!t.converged || !is_least(t, size) || t.phi > margin || t.phi < -depth ||
        is_known(t.x, same_place * size))
      return;
    while (std::ranges::any_of(places, [&](const Place& p) { return p.feature == feature; }))
      feature += 1u << 4;
    places.push_back({t, feature});
  };
  std::vector<Place> line;
  for (const ImplicitStart& s : known) {
    if (!is_line_point(s.feature)) {
      take(newton(body, wall, to_three(s.on_a)), s.feature);
    } else if (const auto p = follow_place(body, wall, depth, s); p && p->touch.phi <= margin) {
      line.push_back(*p);
    }
  }
  const std::size_t kept = line.size();
  // Looks for a point of a line contact where Newton finds no contact.
  const auto follow_line = [&](Three from, double spacing, std::uint32_t feature) {
    constexpr double same_line = 0.5, line_reach = 3.0;  // spacings
    const auto is_near = [&](const Place& p) { return norm(p.touch.x - from) < same_line * spacing; };
    if (is_known(from, spacing) || std::ranges::any_of(line, is_near)) return;
    const WallTouch t = newton_across(body, wall, from, line_reach * spacing);
    if (t.converged && t.phi <= margin && t.phi >= -depth) line.push_back({t, feature | line_point});
  };
  bool settled = true;
  static thread_local SampleBatch batch;
  batch.size = 0;
  const auto follow_starts = [&] {
    find_starts({scale, 1.0, to_rotation(Mat3::Identity()), margin, 0.0, wall_slack}, batch);
    for (std::size_t k = 0; k < batch.size; ++k) {
      if (batch.is_open[k] != 0.0) settled = false;
      if (batch.is_start[k] == 0.0) continue;
      const Three from = Three{batch.x[k], batch.y[k], batch.z[k]} + batch.aside(k);
      const double spacing = scale * batch.spacing[k];
      if (is_known(from, known_reach * spacing)) continue;
      const std::uint32_t feature = (static_cast<std::uint32_t>(batch.sample[k]) & 0xfffffff) << 4;
      const WallTouch t = newton(body, wall, from);
      take(t, feature);
      if (batch.is_open[k] != 0.0) follow_line(from, spacing, feature);
      if (!t.converged || is_least(t, size)) continue;
      settled = false;
      const Three to = beside * spacing * flattest(t.bend, t.n);
      for (const double sign : {-1.0, 1.0}) take(newton(body, wall, t.x + sign * to), feature);
    }
    batch.size = 0;
  };
  const auto may_touch = [&](double distance, double radius) {
    return distance - radius <= margin && distance + radius >= -depth;
  };
  for (std::size_t g = 0; g < all.groups.size(); ++g) {
    const Three centre = scale * Three{all.of_groups.x[g], all.of_groups.y[g], all.of_groups.z[g]};
    if (!may_touch(wall.at(centre).distance, scale * all.of_groups.radius[g])) continue;
    const auto [first, count] = all.groups[g];
    for (std::int32_t k = first; k < first + count; ++k) {
      const SurfaceSample& sample = all.samples[k];
      const Three x = scale * to_three(sample.point);
      const WallHere w = wall.at(x);
      if (!may_touch(w.distance, scale * sample.spacing)) continue;
      batch.set_other(-w.distance, -1.0 * w.gradient, w.bend);
      batch.add(all, k, x, w.distance);
      if (batch.is_full()) follow_starts();
    }
  }
  follow_starts();
  take_lines(size, kept, line, places);
  return settled;
}

/// Calls add(touch, feature) for a place and, if the surface is flat there and no line contact, for the ends
/// of the flat part that are within the margin.
template <class Wall, class Add>
void add_with_ends(const PlacedImplicit& body, const Wall& wall, const Place& p, double margin, Add&& add) {
  const ImplicitShape& shape = *body.shape;
  const double size = body.scale * shape.bounding_radius;
  Three direction[2];
  const int flat = is_line_point(p.feature) ? 0 : flat_directions(p.touch.bend, p.touch.n, size, direction);
  add(p.touch, p.feature);
  for (int k = 0; k < 2 * flat; ++k) {
    const Three to = (k % 2 == 0 ? -1.0 : 1.0) * direction[k / 2];
    const auto aside = [&](double s) -> std::optional<WallTouch> {
      const std::optional<double> up = height(shape, body.scale, p.touch.x + s * to, p.touch.n);
      if (!up) return std::nullopt;
      WallTouch moved = p.touch;
      moved.x = p.touch.x + s * to + *up * p.touch.n;
      moved.phi = wall.at(moved.x).distance;
      return moved;
    };
    const WallTouch end = end_of_flat(p.touch, size, aside);
    if (end.phi <= margin) add(end, p.feature + static_cast<std::uint32_t>(k) + 1);
  }
}

}  // namespace scree
