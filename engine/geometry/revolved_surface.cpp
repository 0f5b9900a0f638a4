#include "engine/geometry/revolved_surface.h"

#include <algorithm>
#include <cmath>

namespace scree {

namespace {

constexpr double straight = 1e-12;  // sine of the angle between segments of a straight line

bool goes_on(const Vec2& before, const Vec2& at, const Vec2& after) {
  const Vec2 a = (at - before).normalized(), b = (after - at).normalized();
  return std::abs(a[0] * b[1] - a[1] * b[0]) < straight && a.dot(b) > 0.0;
}

std::vector<Vec2> without_straight_corners(const std::vector<Vec2>& corners, bool closed) {
  std::vector<Vec2> kept;
  const std::size_t n = corners.size();
  for (std::size_t k = 0; k < n; ++k) {
    const bool is_end = !closed && (k == 0 || k + 1 == n);
    const Vec2& before = kept.empty() ? corners[n - 1] : kept.back();
    if (!is_end && n > 2 && goes_on(before, corners[k], corners[(k + 1) % n])) continue;
    kept.push_back(corners[k]);
  }
  return kept;
}

}  // namespace

RevolvedSurface revolved_surface(const std::vector<Vec2>& corners, bool closed, double rounding) {
  RevolvedSurface s;
  s.corners = without_straight_corners(corners, closed);
  s.closed = closed;
  s.rounding = rounding;
  s.ends.resize(s.corners.size());
  const std::size_t n = s.corners.size();
  for (std::size_t k = 0; k + (closed ? 0 : 1) < n; ++k) {
    const std::size_t next = (k + 1) % n;
    const Vec2 way = s.corners[next] - s.corners[k], along = way.normalized();
    Vec2 normal(along[1], -along[0]);
    if (normal[0] < 0.0) normal = -normal;
    s.segments.push_back({s.corners[k], along, normal, way.norm()});
    const auto meet = [&](std::size_t corner, const Vec2& into) {
      RevolvedSurface::Ends& e = s.ends[corner];
      e.into[e.count++] = into;
    };
    meet(k, along);
    meet(next, -along);
  }
  return s;
}

RevolvedSurface hollow_sphere(double radius) {
  RevolvedSurface s = revolved_surface({Vec2::Zero()}, false, radius);
  s.hollow = true;
  return s;
}

PlacedRevolved moved(const PlacedRevolved& placed, const Pose& motion) {
  return {placed.surface,
          {motion.position + motion.orientation * placed.pose.position,
           motion.orientation * placed.pose.orientation}};
}

WallRoom room(const PlacedRevolved& placed, const Vec3& point) {
  const double outside = distance(placed, point);
  if (outside >= 0.0) return {};
  return {placed.surface->hollow ? WallRoom::How::behind : WallRoom::How::in_the_wall, -outside};
}

std::optional<WallExtent> extent_of(const PlacedRevolved& placed) {
  const RevolvedSurface& s = *placed.surface;
  if (s.hollow) return std::nullopt;
  double radius = 0.0, low = infinity, high = -infinity;
  for (const Vec2& c : s.corners) {
    radius = std::max(radius, c[0] + s.rounding);
    low = std::min(low, c[1] - s.rounding);
    high = std::max(high, c[1] + s.rounding);
  }
  const Vec3 middle(0.0, 0.0, 0.5 * (low + high)), axis = placed.pose.orientation * Vec3::UnitZ();
  // A cylinder's extents along an axis: from its height and from its round ends.
  const Vec3 across = (Vec3::Ones() - axis.cwiseAbs2()).cwiseMax(0.0).cwiseSqrt();
  return WallExtent{placed.pose.position + placed.pose.orientation * middle,
                0.5 * (high - low) * axis.cwiseAbs() + radius * across};
}

double distance(const PlacedRevolved& placed, const Vec3& point) {
  const RevolvedSurface& s = *placed.surface;
  const Vec3 x = placed.pose.orientation.conjugate() * (point - placed.pose.position);
  const Vec2 at(std::hypot(x[0], x[1]), x[2]);
  double nearest = infinity;
  for (const Vec2& c : s.corners) nearest = std::min(nearest, (at - c).norm());
  for (const RevolvedSurface::Segment& segment : s.segments) {
    const double along = std::clamp(segment.along.dot(at - segment.from), 0.0, segment.length);
    nearest = std::min(nearest, (at - segment.from - along * segment.along).norm());
  }
  return s.hollow ? s.rounding - nearest : nearest - s.rounding;
}

}  // namespace scree
