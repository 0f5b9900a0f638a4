#include "engine/geometry/implicit/implicit_walls.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "engine/geometry/implicit/flat_contact.h"

namespace scree {

namespace {

constexpr double step_limit = 0.2;  // of the size
// Of the size, motion that a search allows for, and the same where contacts may appear meanwhile.
constexpr double wall_slack = 0.02, hasty_wall_slack = 0.0025;
constexpr double least_bulge =
    0.1;  // of 1/size: a surface that bends apart from the wall by more is none of those

/// A wall's distance at a point with its derivatives, and over how long a way its gradient turns by a radian.
struct WallHere {
  double distance;  // m
  Three gradient;   // unit
  Symmetric bend;   // 1/m
  double radius;    // m
};

/// Both in the axes of the body, with its centre as origin. `remember` keeps where the wall is in a memory;
/// moved(): by how much distances from it within `radius` of the origin may have changed since, m.
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
  double least_bend() const { return 0.0; }  // 1/m
  /// Is all of the body farther away than the margin?
  bool is_clear(const PlacedImplicit& body, double margin) const {
    return offset - body.scale * support_bound(*body.shape, to_vec3(-1.0 * normal)) > margin;
  }
  WallHere at(Three x) const { return {offset + dot(normal, x), normal, {}, infinity}; }
};

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
  double least_bend() const { return sign > 0.0 ? -1.0 / (middle_radius - half_thickness) : 0.0; }
  bool is_clear(const PlacedImplicit&, double) const { return false; }

  WallHere at(Three x) const {
    const Three r = x - middle;
    const double z = dot(r, axis), beyond = std::abs(z) - half_length;
    const Three radial = r - z * axis;
    const double rho = std::max(norm(radial), 1e-12 * middle_radius);
    const Three e = (1.0 / rho) * radial, t = cross(axis, e);
    const auto tensor = [](double k, Three v) {
      return Symmetric{k * v.x * v.x, k * v.y * v.y, k * v.z * v.z,
                       k * v.x * v.y, k * v.x * v.z, k * v.y * v.z};
    };
    if (beyond <= 0.0)
      return {sign * (middle_radius - rho) - half_thickness, -sign * e, tensor(-sign / rho, t), rho};
    const double aside = rho - middle_radius,
                 far = std::max(std::hypot(aside, beyond), 1e-12 * middle_radius);
    const double g_e = aside / far, g_z = beyond / far;
    const Three up = std::copysign(1.0, z) * axis, g = g_e * e + g_z * up, in_plane = g_z * e - g_e * up;
    const Symmetric round = tensor(1.0 / far, in_plane), ring = tensor(g_e / rho, t);
    return {far - half_thickness,
            g,
            {round.xx + ring.xx, round.yy + ring.yy, round.zz + ring.zz, round.xy + ring.xy,
             round.xz + ring.xz, round.yz + ring.yz},
            std::min(far, rho)};
  }
};

PlaneWall wall_of(const PlacedImplicit& body, const Plane& plane) {
  return {to_three(body.rotation.transpose() * plane.normal), plane.normal.dot(body.position - plane.point)};
}

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

/// A point of the surface where n = -grad d.
struct WallTouch {
  Three x, n;   // body's axes
  double phi;   // m
  Plane2 bend;  // A + Hess d in tangents(n)
  bool converged;
};

template <class Wall>
WallTouch newton(const PlacedImplicit& body, const Wall& wall, Three x) {
  const double size = body.scale * body.shape->bounding_radius, limit = step_limit * size;
  WallTouch t{x, {}, 0.0, {}, false};
  for (int i = 0; i < newton_iterations; ++i) {
    const SurfaceHere here = surface_here(*body.shape, body.scale, t.x);
    const WallHere w = wall.at(t.x);
    const Tangents frame = tangents(here.n);
    const Plane2 a = across(frame, here.bend), d = across(frame, w.bend);
    t.bend = {a.xx + d.xx, a.xy + d.xy, a.yy + d.yy};
    t.n = here.n;
    t.phi = w.distance;
    const Two g = across(frame, w.gradient), k = across(frame, here.bend * here.n + w.bend * here.n);
    const Matrix2 m{t.bend.xx, t.bend.xy, t.bend.xy, t.bend.yy};
    const double scale = norm(t.bend) + 1e-3 / size;
    Two u{-g.x - here.off * k.x, -g.y - here.off * k.y};
    // Where all is flat any point will do.
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

/// May a node hold a contact? Its ball against the distance, its cone against the gradient, which turns by
/// asin(radius / w.radius) at most within the ball.
template <class Wall>
bool may_touch(const PlacedImplicit& body, const Wall& wall, const CoverNode& node, double margin,
               double depth) {
  const double radius = body.scale * node.radius;
  const WallHere w = wall.at(body.scale * to_three(node.centre));
  if (w.distance - radius > margin || w.distance + radius < -depth) return false;
  const double sine_w = std::min(1.0, radius / w.radius), cosine_w = std::sqrt(1.0 - sine_w * sine_w);
  const double sine = node.sine * cosine_w + node.cosine * sine_w,
               cosine = node.cosine * cosine_w - node.sine * sine_w;
  return !(sine > 0.0 && -dot(to_three(node.normal), w.gradient) < cosine);
}

struct Place {
  WallTouch touch;
  std::uint32_t feature;
};

bool is_least(const WallTouch& t, double size) {
  return t.bend.xx + t.bend.yy >= 0.0 &&
         t.bend.xx * t.bend.yy - t.bend.xy * t.bend.xy >= -1e-9 / (size * size);
}

/// All places where a wall is nearest, up to `margin` away. Known ones keep their features. Returns whether
/// the surface bends away from the wall everywhere near it.
template <class Wall>
bool search(const PlacedImplicit& body, const Wall& wall, double margin, double depth,
            std::span<const ImplicitStart> known, std::vector<Place>& places) {
  const ImplicitShape& shape = *body.shape;
  const double size = body.scale * shape.bounding_radius;
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
  for (const ImplicitStart& s : known) take(newton(body, wall, to_three(s.on_a)), s.feature);
  bool bulges = true;
  std::array<std::int32_t, 128> stack;
  std::size_t waiting = 0;
  stack[waiting++] = 0;
  while (waiting > 0) {
    const CoverNode& node = shape.cover.nodes[static_cast<std::size_t>(stack[--waiting])];
    if (!may_touch(body, wall, node, margin, depth)) continue;
    if (node.child >= 0) {
      assert(waiting + 2 <= stack.size());
      stack[waiting++] = node.child;
      stack[waiting++] = node.child + 1;
      continue;
    }
    const Three centre = body.scale * to_three(node.centre);
    if (!(node.least_bend / body.scale + wall.least_bend() > least_bulge / size)) bulges = false;
    if (!is_known(centre, body.scale * node.radius))
      take(newton(body, wall, centre), (static_cast<std::uint32_t>(node.patch) & 0xfffffff) << 4);
  }
  return bulges;
}

/// Follows the remembered places; false if one is lost or the memory does not reach so far.
template <class Wall>
bool follow(const PlacedImplicit& body, const Wall& wall, double margin, double depth,
            const PairMemory& memory, std::vector<Place>& places) {
  if (!(memory.reach > -infinity)) return false;
  const double size = body.scale * body.shape->bounding_radius, moved = wall.moved(memory, size);
  if (!(moved <= memory.slack && margin + moved <= memory.reach)) return false;
  for (const ImplicitStart& s : memory.starts) {
    const WallTouch t = newton(body, wall, to_three(s.on_a));
    if (!t.converged || !is_least(t, size) || t.phi < -depth ||
        norm(t.x - to_three(s.on_a)) > step_limit * size)
      return false;
    for (const Place& p : places) {
      if (norm(p.touch.x - t.x) < same_place * size) return false;
    }
    places.push_back({t, s.feature});
  }
  return true;
}

template <class Wall>
void find(const PlacedImplicit& body, const Wall& wall, double margin, PairMemory& memory,
          std::vector<Gap>& found) {
  if (wall.is_clear(body, margin)) return;
  const ImplicitShape& shape = *body.shape;
  const double size = body.scale * shape.bounding_radius, depth = body.scale * shape.smallest_length;
  std::vector<Place> places;
  if (!follow(body, wall, margin, depth, memory, places)) {
    places.clear();
    const double wide = margin + wall_slack * size;
    const bool bulges = search(body, wall, wide, depth, memory.starts, places);
    wall.remember(memory);
    memory.reach = wide;
    memory.slack = (bulges ? wall_slack : hasty_wall_slack) * size;
  }
  memory.starts.clear();
  for (const Place& p : places) {
    memory.starts.push_back({to_vec3(p.touch.x), Vec3::Zero(), p.feature});
    if (p.touch.phi > margin) continue;
    const auto add = [&](const WallTouch& t, std::uint32_t feature) {
      Gap g;
      g.normal = -(body.rotation * to_vec3(t.n));
      g.distance = t.phi;
      g.point = body.position + body.rotation * to_vec3(t.x) - 0.5 * t.phi * g.normal;
      g.feature = feature;
      found.push_back(g);
    };
    Three direction[2];
    const int flat = flat_directions(p.touch.bend, p.touch.n, size, direction);
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
}

template <class Wall>
double acceleration(const PlacedImplicit& body, const Wall& wall, const Gap& g, const Twist& twist,
                    const WallMotion& motion) {
  const Vec3 n = -g.normal, on_body = g.point - 0.5 * g.distance * n,
             on_wall = g.point + 0.5 * g.distance * n;
  const auto local = [&](const Vec3& x) { return to_three(body.rotation.transpose() * (x - body.position)); };
  const auto turned = [&](const Vec3& v) { return to_three(body.rotation.transpose() * v); };
  const Three nt = turned(n);
  const Tangents frame = tangents(nt);
  const Plane2 a = across(frame, surface_here(*body.shape, body.scale, local(on_body)).bend),
               b = across(frame, wall.at(local(on_wall)).bend);
  return bending(a, b, g.distance, {turned(twist.angular), turned(motion.twist.angular)},
                 {turned(twist.linear), turned(motion.twist.linear)},
                 {turned(on_body - body.position), turned(on_wall - motion.centre)}, nt);
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
