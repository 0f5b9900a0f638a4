#include "engine/geometry/implicit/implicit_revolved.h"

#include "engine/geometry/implicit/part_search.h"

namespace scree {

namespace {

using parts::Circle, parts::NearParts;

constexpr double clear_of_faces = 1e-9;  // allowed cosine between a corner's normal and its segments
constexpr double over_slack = 1e-12;     // of the size, beyond the ends of a segment

Vec2 in_profile(const Vec3& x) { return {std::hypot(x[0], x[1]), x[2]}; }

/// One of: a cone of any slope, without its ends; what is within `rounding` of a circle; all outside of a
/// sphere.
struct RoundWall {
  enum class Kind : std::uint8_t { cone, ring, hollow };
  Kind kind;
  Three origin, axis;  // m, of the profile, in the axes of the body; unit
  Vec2 at_profile;     // m, a point of the line, or the corner
  Vec2 normal;         // unit, of the line
  double rounding, sign;

  /// The distance changes by at most the movement.
  bool is_clear(const PlacedImplicit& body, double margin) const {
    return at({0.0, 0.0, 0.0}).distance - body.scale * body.shape->bounding_radius > margin;
  }

  WallHere at(Three x) const {
    const Three r = x - origin;
    const double z = dot(r, axis), least = 1e-12 * (norm(r) + rounding) + 1e-300;
    const Three radial = r - z * axis;
    const double beside = norm(radial), rho = std::max(beside, least);
    // On the axis all directions are equal.
    const Three e = beside > least ? (1.0 / beside) * radial : along(tangents(axis), {1.0, 0.0}),
                t = cross(axis, e);
    if (kind == Kind::cone) {
      const double beyond = normal.dot(Vec2(rho, z) - at_profile), k = -sign * normal[0];
      return {-sign * beyond - rounding, k * e - sign * normal[1] * axis, square(k / rho, t)};
    }
    const Vec2 way = Vec2(rho, z) - at_profile;
    const double far = std::max(way.norm(), least);
    const Three out = (way[0] / far) * e + (way[1] / far) * axis,
                in_plane = (way[1] / far) * e - (way[0] / far) * axis;
    const Symmetric bend = sum(square(1.0 / far, in_plane), square(way[0] / far / rho, t));
    if (kind == Kind::ring) return {far - rounding, out, bend};
    return {rounding - far, -1.0 * out, {-bend.xx, -bend.yy, -bend.zz, -bend.xy, -bend.xz, -bend.yz}};
  }
};

/// Faces are the segments, then the corners if they are rounded; sharp corners are edges, or vertices on the
/// axis.
struct RevolvedView : parts::WallView {
  const RevolvedSurface& surface;

  RevolvedView(const PlacedImplicit& body, const RevolvedSurface& s, const Pose& pose)
      : WallView(body, pose), surface(s) {}

  bool has(std::uint32_t feature) const {
    const auto part = static_cast<std::size_t>(parts::part_of(feature));
    if (feature >= mesh_edge) return part < surface.corners.size();
    const bool round_corners = surface.hollow || surface.rounding > 0.0;
    return part < surface.segments.size() + (round_corners ? surface.corners.size() : 0);
  }

  RoundWall face(std::int32_t number) const {
    const std::size_t segments = surface.segments.size(), k = static_cast<std::size_t>(number);
    const Three origin = to_three(offset), axis = to_three(turn * Vec3::UnitZ());
    if (k >= segments) {
      const auto kind = surface.hollow ? RoundWall::Kind::hollow : RoundWall::Kind::ring;
      return {kind, origin, axis, surface.corners[k - segments], Vec2::Zero(), surface.rounding, 1.0};
    }
    const RevolvedSurface::Segment& s = surface.segments[k];
    const bool inside = s.normal.dot(in_profile(there(Vec3::Zero())) - s.from) < 0.0;
    return {RoundWall::Kind::cone, origin, axis, s.from, s.normal, surface.rounding, inside ? 1.0 : -1.0};
  }

  Circle curve(std::uint32_t feature) const {
    const Vec2& corner = surface.corners[static_cast<std::size_t>(parts::part_of(feature))];
    return {to_three(here(Vec3(0.0, 0.0, corner[1]))), to_three(turn * Vec3::UnitX()),
            to_three(turn * Vec3::UnitY()), corner[0]};
  }

  NearParts near(const PlacedImplicit& body, double margin) const {
    NearParts near;
    const Vec2 centre = in_profile(there(Vec3::Zero()));
    const double reach = body.scale * body.shape->bounding_radius + margin + surface.rounding;
    const auto count = static_cast<std::int32_t>(surface.segments.size());
    for (std::int32_t k = 0; k < count; ++k) {
      const RevolvedSurface::Segment& s = surface.segments[k];
      const double along = std::clamp(s.along.dot(centre - s.from), 0.0, s.length);
      if ((centre - s.from - along * s.along).norm() <= reach) near.faces.push_back(k);
    }
    for (std::int32_t k = 0; k < static_cast<std::int32_t>(surface.corners.size()); ++k) {
      const Vec2& corner = surface.corners[k];
      if (surface.hollow) near.faces.push_back(count + k);
      if (surface.hollow || (centre - corner).norm() > reach) continue;
      (surface.rounding > 0.0 ? near.faces
       : corner[0] > 0.0      ? near.edges
                              : near.vertices)
          .push_back(surface.rounding > 0.0 ? count + k : k);
    }
    return near;
  }

  bool is_over(std::int32_t number, const Vec3& foot, const Vec3& x, double size) const {
    const std::size_t segments = surface.segments.size(), k = static_cast<std::size_t>(number);
    if (surface.hollow) return true;
    const Vec2 at(foot.head<2>().dot(x.head<2>().normalized()), foot[2]);  // negative beyond the axis
    if (k >= segments) return points_away(k - segments, at - surface.corners[k - segments]);
    const RevolvedSurface::Segment& s = surface.segments[k];
    const double along = s.along.dot(at - s.from), slack = over_slack * size;
    return along >= -slack && along <= s.length + slack;
  }

  bool is_free(std::uint32_t feature, const Vec3& at, const Vec3& normal) const {
    const auto k = static_cast<std::size_t>(parts::part_of(feature));
    const double out = surface.corners[k][0] > 0.0
                           ? normal.head<2>().dot(at.head<2>().normalized())
                           : normal.head<2>().norm();  // the worst case around the axis
    return points_away(k, {out, normal[2]});
  }

 private:
  bool points_away(std::size_t corner, const Vec2& way) const {
    const RevolvedSurface::Ends& e = surface.ends[corner];
    for (int k = 0; k < e.count; ++k)
      if (way.dot(e.into[k]) > clear_of_faces * way.norm()) return false;
    return true;
  }
};

}  // namespace

void contacts(const PlacedImplicit& body, const PlacedRevolved& wall, double margin, PairMemory& memory,
              std::vector<Gap>& found) {
  parts::find_contacts(body, RevolvedView(body, *wall.surface, wall.pose), margin, memory, found);
}

double gap_acceleration(const PlacedImplicit& body, const PlacedRevolved& wall, const Gap& contact,
                        const Twist& twist, const WallMotion& motion) {
  return parts::acceleration_by_difference(body, wall.pose, contact, twist, motion,
                                           [&](const PlacedImplicit& there, const Pose& pose) {
                                             return RevolvedView(there, *wall.surface, pose);
                                           });
}

}  // namespace scree
