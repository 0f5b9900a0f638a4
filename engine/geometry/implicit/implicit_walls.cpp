#include "engine/geometry/implicit/implicit_walls.h"

#include <algorithm>

#include "engine/geometry/implicit/wall_search.h"

namespace scree {

namespace {

struct TubeWall {
  Three middle, axis;
  double half_length, middle_radius, half_thickness;
  double sign;  // +1: from inside

  void remember(PairMemory& m) const {
    m.offset = to_vec3(middle);
    m.turn = Quat(0.0, axis.x, axis.y, axis.z);
  }
  double moved(const PairMemory& m, double radius) const {
    const Three was = to_three(m.turn.vec()), turned = axis - was;
    const double along = -dot(to_three(m.offset), was);
    return norm(middle - to_three(m.offset) + along * turned) + radius * norm(turned);
  }
  bool is_clear(const PlacedImplicit&, double) const { return false; }

  WallHere at(Three x) const {
    const Three r = x - middle;
    const double z = dot(r, axis), beyond = std::abs(z) - half_length;
    const Three radial = r - z * axis;
    const double rho = std::max(norm(radial), 1e-12 * middle_radius);
    const Three e = (1.0 / rho) * radial, t = cross(axis, e);
    if (beyond <= 0.0)
      return {sign * (middle_radius - rho) - half_thickness, -sign * e, square(-sign / rho, t)};
    const double aside = rho - middle_radius,
                 far = std::max(std::hypot(aside, beyond), 1e-12 * middle_radius);
    const double g_e = aside / far, g_z = beyond / far;
    const Three up = std::copysign(1.0, z) * axis, g = g_e * e + g_z * up, in_plane = g_z * e - g_e * up;
    return {far - half_thickness, g, sum(square(1.0 / far, in_plane), square(g_e / rho, t))};
  }
};

TubeWall wall_of(const PlacedImplicit& body, const Tube& tube) {
  const Vec3 middle = 0.5 * (tube.start + tube.end), along = tube.end - tube.start, axis = along.normalized();
  const Vec3 r = body.position - middle;
  const double radial = (r - r.dot(axis) * axis).norm();
  return {to_three(body.rotation.transpose() * (middle - body.position)),
          to_three(body.rotation.transpose() * axis),
          0.5 * along.norm(),
          tube.middle_radius(),
          0.5 * tube.thickness,
          radial < tube.middle_radius() ? 1.0 : -1.0};
}

// A place that is lost because another one has become nearer is held: its surface point must not
// enter the wall either, and a rod that rocks from end to end needs both. It is held until the wall is
// farther from it than this, over the size, or a place is as near to it as a flat part is wide.
constexpr double longest_hold = 0.1;
constexpr std::size_t most_held = 3;
constexpr std::uint32_t held = 15;  // ends of the features of these points
bool is_held(std::uint32_t feature) { return (feature & 15u) == held; }

/// Held points.
template <class Wall>
std::vector<ImplicitStart> points_to_hold(const PlacedImplicit& body, const Wall& wall, double margin,
                                          std::span<const ImplicitStart> last,
                                          std::span<const Place> places) {
  const double size = body.scale * body.shape->bounding_radius;
  std::vector<ImplicitStart> result;
  for (const ImplicitStart& s : last) {
    const Three x = to_three(s.on_a);
    const auto is_near = [&](const Place& p) { return norm(p.touch.x - x) < flat_width * size; };
    const std::uint32_t feature = s.feature | held;
    const auto is_there = [&](const ImplicitStart& o) {
      return o.feature == feature || norm(to_three(o.on_a) - x) < flat_width * size;
    };
    if (result.size() == most_held || std::ranges::any_of(places, is_near) ||
        std::ranges::any_of(result, is_there) ||
        !(wall.at(x).distance <= std::min(margin, longest_hold * size)))
      continue;
    result.push_back({s.on_a, Vec3::Zero(), feature});
  }
  return result;
}

/// Follows the remembered places; false if one is lost or the memory is not valid so far.
template <class Wall>
bool follow(const PlacedImplicit& body, const Wall& wall, double margin, double depth,
            const PairMemory& memory, std::span<const ImplicitStart> starts, std::vector<Place>& places) {
  if (!(memory.reach > -infinity)) return false;
  const double size = body.scale * body.shape->bounding_radius, moved = wall.moved(memory, size);
  if (!(moved <= memory.slack && margin + moved <= memory.reach)) return false;
  for (const ImplicitStart& s : starts) {
    const std::optional<Place> place = follow_place(body, wall, depth, s);
    if (!place) return false;
    for (const Place& p : places) {
      if (norm(p.touch.x - place->touch.x) < same_place * size) return false;
    }
    places.push_back(*place);
  }
  return true;
}

template <class Wall>
void find(const PlacedImplicit& body, const Wall& wall, double margin, PairMemory& memory,
          std::vector<Gap>& found) {
  if (wall.is_clear(body, margin)) return;
  const ImplicitShape& shape = *body.shape;
  const double size = body.scale * shape.bounding_radius, depth = body.scale * shape.smallest_length;
  const std::vector<ImplicitStart> last = memory.starts;
  const auto first_held = std::ranges::find_if(last, is_held, &ImplicitStart::feature);  // they come last
  const std::span starts(last.begin(), first_held);
  std::vector<Place> places;
  if (!follow(body, wall, margin, depth, memory, starts, places)) {
    places.clear();
    const double wide = margin + wall_slack * size;
    const bool settled = search(body, wall, wide, depth, starts, places);
    wall.remember(memory);
    memory.reach = wide;
    memory.slack = (settled ? wall_slack : hasty_wall_slack) * size;
  }
  const auto add = [&](Three x, Three n, double distance, std::uint32_t feature) {
    Gap g;
    g.normal = -(body.rotation * to_vec3(n));
    g.distance = distance;
    g.point = body.position + body.rotation * to_vec3(x) - 0.5 * distance * g.normal;
    g.feature = feature;
    found.push_back(g);
  };
  memory.starts.clear();
  for (const Place& p : places) {
    memory.starts.push_back({to_vec3(p.touch.x), Vec3::Zero(), p.feature});
    if (p.touch.phi > margin) continue;
    add_with_ends(body, wall, p, margin,
                  [&](const WallTouch& t, std::uint32_t feature) { add(t.x, t.n, t.phi, feature); });
  }
  for (const ImplicitStart& s : points_to_hold(body, wall, margin, last, places)) {
    memory.starts.push_back(s);
    const WallHere here = wall.at(to_three(s.on_a));
    add(to_three(s.on_a), -1.0 * here.gradient, here.distance, s.feature);
  }
}

template <class Wall>
double acceleration(const PlacedImplicit& body, const Wall& wall, const Gap& g, const Twist& twist,
                    const WallMotion& motion) {
  const Vec3 n = -g.normal, on_body = g.point - 0.5 * g.distance * n,
             on_wall = g.point + 0.5 * g.distance * n;
  const auto local = [&](const Vec3& x) { return to_three(body.rotation.transpose() * (x - body.position)); };
  const auto turned = [&](const Vec3& v) { return to_three(body.rotation.transpose() * v); };
  const Three nt = turned(n);
  if (is_held(g.feature)) {  // of a point of the body
    const Three w = turned(twist.angular), arm = turned(on_body - body.position), swing = cross(w, arm);
    const Vec3 wall_velocity = motion.twist.linear + motion.twist.angular.cross(on_body - motion.centre);
    const Three v = turned(twist.linear - wall_velocity) + swing;
    return -dot(nt, cross(w, swing)) + dot(v, wall.at(local(on_body)).bend * v);
  }
  const Tangents frame = tangents(nt);
  const Plane2 a = across(frame, surface_here(*body.shape, body.scale, local(on_body)).bend),
               b = across(frame, wall.at(local(on_wall)).bend);
  return bending(
      a, b, g.distance,
      {{turned(twist.angular), turned(motion.twist.angular)},
       {turned(twist.linear), turned(motion.twist.linear)},
       {turned(on_body - body.position), turned(on_wall - motion.centre)}},
      nt, is_line_point(g.feature) ? weakest_bend(body.scale * body.shape->bounding_radius) : -infinity);
}

}  // namespace

void contacts(const PlacedImplicit& body, const Plane& plane, double margin, PairMemory& memory,
              std::vector<Gap>& found) {
  find(body, wall_of(body, plane), margin, memory, found);
}

void contacts(const PlacedImplicit& body, const Tube& tube, double margin, PairMemory& memory,
              std::vector<Gap>& found) {
  find(body, wall_of(body, tube), margin, memory, found);
}

double gap_acceleration(const PlacedImplicit& body, const Plane& plane, const Gap& contact,
                        const Twist& twist, const WallMotion& wall) {
  return acceleration(body, wall_of(body, plane), contact, twist, wall);
}

double gap_acceleration(const PlacedImplicit& body, const Tube& tube, const Gap& contact, const Twist& twist,
                        const WallMotion& wall) {
  return acceleration(body, wall_of(body, tube), contact, twist, wall);
}

}  // namespace scree
