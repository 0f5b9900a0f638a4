#include "engine/geometry/revolved_mesh.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace scree {

namespace {

constexpr double pi = std::numbers::pi;

/// The rounded corner: its normals, which point away from all segments that meet there and, on the axis,
/// from their mirror images.
std::vector<ProfilePoint> corner_profile(const RevolvedSurface& surface, std::size_t corner,
                                         double round_step) {
  const Vec2& at = surface.corners[corner];
  const RevolvedSurface::Ends& ends = surface.ends[corner];
  const bool on_axis = at[0] == 0.0;
  std::vector<Vec2> away;
  for (int k = 0; k < ends.count; ++k) {
    const Vec2& into = ends.into[k];
    away.emplace_back(-into);
    if (on_axis) away.emplace_back(into[0], -into[1]);
  }
  double low = on_axis ? -0.5 * pi : 0.0, high = on_axis ? 0.5 * pi : 2.0 * pi;  // all around
  if (!away.empty()) {
    Vec2 middle = Vec2::Zero();
    for (const Vec2& d : away) middle += d;
    if (middle.norm() < 1e-9) return {};
    middle.normalize();
    double half = 0.5 * pi;
    for (const Vec2& d : away)
      half = std::min(half, 0.5 * pi - std::acos(std::clamp(middle.dot(d), -1.0, 1.0)));
    if (half <= 0.0) return {};
    const double angle = std::atan2(middle[1], middle[0]);
    low = on_axis && angle > 0.0 ? angle - half : on_axis ? angle : angle - half;
    high = on_axis && angle > 0.0 ? angle : angle + half;
  }
  const int steps = std::max(1, static_cast<int>(std::ceil((high - low) / round_step)));
  std::vector<ProfilePoint> profile;
  for (int k = 0; k <= steps; ++k) {
    const double angle = low + (high - low) * k / steps, c = std::cos(angle), s = std::sin(angle);
    const double side = surface.hollow ? -1.0 : 1.0;
    profile.push_back(
        {at[1] + surface.rounding * s, std::max(0.0, at[0] + surface.rounding * c), side * s, side * c});
  }
  return profile;
}

/// Angle of chords of a circle whose distance from it is at most the sagitta.
double chord_angle(double radius, double sagitta) {
  return 2.0 * std::acos(std::clamp(1.0 - sagitta / radius, 0.0, 1.0));
}

}  // namespace

std::vector<std::vector<ProfilePoint>> profile(const RevolvedSurface& surface, double round_step) {
  std::vector<std::vector<ProfilePoint>> lines;
  for (const RevolvedSurface::Segment& segment : surface.segments) {
    for (const double side : {1.0, -1.0}) {
      if (side < 0.0 && surface.rounding == 0.0) continue;  // one side of a sheet is enough
      const Vec2 n = side * segment.normal, from = segment.from + surface.rounding * n,
                 to = from + segment.length * segment.along;
      if (from[0] + to[0] < 0.0) continue;  // beyond the axis
      lines.push_back(
          {{from[1], std::max(0.0, from[0]), n[1], n[0]}, {to[1], std::max(0.0, to[0]), n[1], n[0]}});
    }
  }
  if (surface.rounding == 0.0) return lines;
  for (std::size_t k = 0; k < surface.corners.size(); ++k)
    if (std::vector<ProfilePoint> round = corner_profile(surface, k, round_step); !round.empty())
      lines.push_back(std::move(round));
  return lines;
}

TriangleMesh mesh_of(const RevolvedSurface& surface, double sagitta) {
  constexpr int least = 24, most = 720;
  double widest = 0.0;
  for (const Vec2& corner : surface.corners) widest = std::max(widest, corner[0] + surface.rounding);
  if (surface.rounding > 0.0) sagitta *= 0.5;  // chords in both directions add up
  const int around =
      std::clamp(static_cast<int>(std::ceil(2.0 * pi / chord_angle(widest, sagitta))), least, most);
  const double round_step =
      surface.rounding > 0.0 ? std::max(2.0 * pi / most, chord_angle(surface.rounding, sagitta)) : 0.5 * pi;
  TriangleMesh mesh;
  for (const std::vector<ProfilePoint>& line : profile(surface, round_step)) {
    const auto first = static_cast<std::int32_t>(mesh.points.size()),
               n = static_cast<std::int32_t>(line.size());
    for (int s = 0; s < around; ++s) {
      const double angle = 2.0 * pi * s / around;
      for (const ProfilePoint& p : line)
        mesh.points.emplace_back(p.radius * std::cos(angle), p.radius * std::sin(angle), p.height);
    }
    for (std::int32_t s = 0; s < around; ++s) {
      const std::int32_t here = first + s * n, next = first + (s + 1) % around * n;
      for (std::int32_t k = 0; k + 1 < n; ++k) {
        const auto at = [&](std::int32_t p) { return line[p].radius; };
        if (at(k) > 0.0) mesh.triangles.push_back({here + k, next + k, here + k + 1});
        if (at(k + 1) > 0.0) mesh.triangles.push_back({next + k, next + k + 1, here + k + 1});
      }
    }
  }
  return mesh;
}

}  // namespace scree
