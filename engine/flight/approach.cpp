#include "engine/flight/approach.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "engine/geometry/ellipsoid_ellipsoid.h"
#include "engine/geometry/ellipsoid_mesh.h"
#include "engine/geometry/ellipsoid_plane.h"
#include "engine/geometry/ellipsoid_revolved.h"
#include "engine/geometry/ellipsoid_tube.h"

namespace scree {

namespace {

constexpr int most_advances = 400;    // then: look again later
constexpr double standstill = 1e-15;  // of the search: an advance that is none
constexpr double size_roundings = 1e-13, place_roundings = 16.0 * std::numeric_limits<double>::epsilon();
constexpr double far = 1.05;    // of the radii of balls about both: then balls will do
constexpr double hint = 0.02;   // of the smallest semi-axis: so near are normals the next ones' starts
constexpr double sight = 0.25;  // of the bounding radius: of walls whose distance has many minima

/// The root of d + d' t - M t^2/2 that comes first after 0, for d >= 0.
double reach_of_bound(double d, double rate, double m) {
  const double root = std::sqrt(rate * rate + 2.0 * m * d);
  if (rate < 0.0) return 2.0 * d / (root - rate);
  return m > 0.0 ? (rate + root) / m : infinity;
}

/// Bound of the second derivative of a support function while a body turns, m/s^2.
double bulging(const Flyer& a) {
  const double most = a.shape.semi_axes.maxCoeff(), least = a.shape.semi_axes.minCoeff();
  const FreeRotation& r = a.flight->rotation();
  return (most * most - least * least) / least * (2.0 * r.most_spin() * r.most_spin() + r.most_spin_change());
}

double smallest(const Flyer& a) { return a.shape.semi_axes.minCoeff(); }

struct Standing {
  Pose pose;
  Twist twist;
};
Standing standing(const Flyer& a, double t) {
  const Quat q = a.is_sphere ? Quat::Identity() : a.flight->orientation(t);
  return {{a.flight->position(t), q},
          {a.flight->velocity(t), a.is_sphere ? Vec3::Zero() : a.flight->angular_velocity(q)}};
}

Vec3 velocity_at(const Standing& s, const Vec3& point) {
  return s.twist.linear + s.twist.angular.cross(point - s.pose.position);
}

/// d, d' and M of (V1).
struct Bound {
  double distance, rate, bending;
};

/// Goes on by bounds until they touch; look(t) is the nearest bound then.
template <class Look>
NextTouch advance(double from, double until, double near_m, Look&& look) {
  double t = from;
  for (int k = 0; k < most_advances; ++k) {
    const Bound b = look(t);
    const double d = b.distance - near_m;
    if (d <= near_m && b.rate < 0.0) return {t};
    const double ahead = reach_of_bound(std::max(0.0, d), b.rate, b.bending);
    if (t + ahead >= until) return {};
    if (ahead <= standstill * std::max(until - from, std::abs(t)) && d <= near_m) return {t};
    t += std::max(ahead, standstill * (until - from));
  }
  return {t, false};
}

/// Spheres whose distance vector goes evenly.
NextTouch touch_of_spheres(const Flyer& a, const Flyer& b, const Vec3& shift, double from, double until) {
  const Vec3 place = a.flight->position(from), r = b.flight->position(from) + shift - place,
             v = b.flight->velocity(from) - a.flight->velocity(from);
  const double radii = a.bounding_radius + b.bounding_radius, reach = radii + nearness(radii, place),
               c = r.squaredNorm() - reach * reach, closing = -r.dot(v);
  if (closing <= 0.0) return {};
  if (c <= 0.0) return {from};
  const double square = v.squaredNorm(), root = closing * closing - square * c;
  if (root < 0.0) return {};
  const double t = from + c / (closing + std::sqrt(root));
  return t < until ? NextTouch{t} : NextTouch{};
}

/// Contacts of an ellipsoid with what is no plane, as detection finds them.
void gaps_of_wall(const Flyer& a, const Pose& pose, const BoundarySurface& surface, double margin,
                  std::vector<Gap>& found) {
  found.clear();
  std::visit(
      [&](const auto& s) {
        using S = std::decay_t<decltype(s)>;
        if constexpr (std::is_same_v<S, Plane>) {
          found.push_back(gap(place(a.shape, pose), s));
        } else if constexpr (std::is_same_v<S, Tube>) {
          Gap list[max_tube_contacts];
          found.assign(list, list + gaps(a.shape, pose, s, margin, list));
        } else {
          contacts(a.shape, pose, s, margin, found);
        }
      },
      surface);
}

Vec3 velocity_of(const PlacedBoundary& wall, const Vec3& point) {
  return wall.twist.linear + wall.twist.angular.cross(point - wall.pose.position);
}

/// The least radius along which a wall bends, less what of it the body takes up, m.
double least_radius(const BoundarySurface& surface, double size) {
  if (const auto* tube = std::get_if<Tube>(&surface)) return std::max(0.1 * size, tube->inner_radius - size);
  return std::holds_alternative<PlacedRevolved>(surface) ? 0.5 * size : infinity;
}

}  // namespace

double nearness(double size, const Vec3& place) {
  return size_roundings * size + place_roundings * place.lpNorm<Eigen::Infinity>();
}

PlacedBoundary FlownAt::at(double t) const {
  return moves ? place(*boundary, epoch_s + t, 0.0, standing) : placed;
}

NextTouch next_touch(const Flyer& a, const Flyer& b, const Vec3& shift, double from, double until) {
  const bool even = a.flight->is_parabola() && b.flight->is_parabola();
  const Vec3 steady = a.flight->steady_acceleration() - b.flight->steady_acceleration();
  if (a.is_sphere && b.is_sphere && even && steady.isZero(0.0))
    return touch_of_spheres(a, b, shift, from, until);
  const double radii = a.bounding_radius + b.bounding_radius;
  const double further =
      a.flight->most_further_acceleration(until) + b.flight->most_further_acceleration(until);
  const double turning = bulging(a) + bulging(b);
  const double near_m = nearness(smallest(a) + smallest(b), a.flight->position(from));
  const double near_by = hint * std::min(smallest(a), smallest(b));
  Vec3 normal = Vec3::Zero();
  double last_distance = infinity;
  return advance(from, until, near_m, [&](double t) -> Bound {
    const Vec3 r = a.flight->position(t) - b.flight->position(t) - shift,
               v = a.flight->velocity(t) - b.flight->velocity(t);
    const double length = r.norm();
    if (length > far * radii || (a.is_sphere && b.is_sphere)) {  // as spheres they are apart
      const Vec3 n = r / length;
      return {length - radii, n.dot(v), std::abs(n.dot(steady)) + further};
    }
    const Standing of_a = standing(a, t);
    Standing of_b = standing(b, t);
    of_b.pose.position += shift;
    // The last normal is where to begin only once they are near: else the search may end elsewhere.
    const PlacedEllipsoid placed_a = place(a.shape, of_a.pose), placed_b = place(b.shape, of_b.pose);
    Gap g = gap(placed_a, placed_b, last_distance < near_by ? &normal : nullptr);
    if (g.distance < 2.0 * near_m && last_distance < near_by) g = gap(placed_a, placed_b);
    normal = g.normal;
    last_distance = g.distance;
    return {g.distance, g.normal.dot(velocity_at(of_a, g.point) - velocity_at(of_b, g.point)),
            std::abs(g.normal.dot(steady)) + further + turning};
  });
}

NextTouch next_touch(const Flyer& a, const FlownAt& wall, double from, double until,
                     std::vector<Gap>& scratch) {
  const Vec3 steady = a.flight->steady_acceleration();
  const double further = a.flight->most_further_acceleration(until), turning = bulging(a);
  const double near_m = nearness(smallest(a), a.flight->position(from)), radius = a.bounding_radius;
  if (const auto* plane = std::get_if<Plane>(&wall.placed.surface); plane != nullptr && !wall.moves) {
    return advance(from, until, near_m, [&](double t) -> Bound {
      const double height = plane->normal.dot(a.flight->position(t) - plane->point);
      const double bending = std::max(0.0, -plane->normal.dot(steady)) + further;
      if (height > far * radius || a.is_sphere)
        return {height - radius, plane->normal.dot(a.flight->velocity(t)), bending};
      const Standing s = standing(a, t);
      const Gap g = gap(place(a.shape, s.pose), *plane);
      return {g.distance, g.normal.dot(velocity_at(s, g.point)), bending + turning};
    });
  }
  const double margin = sight * radius;
  double last = from;  // when they were certainly apart
  const auto look = [&](double t) -> Bound {
    const Standing s = standing(a, t);
    const PlacedBoundary placed = wall.at(t);
    gaps_of_wall(a, s.pose, placed.surface, margin + near_m, scratch);
    const double reach = (s.pose.position - placed.pose.position).norm() + radius;
    const double wall_spin = placed.twist.angular.norm();
    const double speed = a.flight->most_speed(t, until) + radius * a.flight->rotation().most_spin() +
                         placed.twist.linear.norm() + wall_spin * reach;
    // What is not in sight yet is farther than the margin.
    Bound nearest{margin + near_m, -speed, 0.0};
    double soonest = reach_of_bound(margin, -speed, 0.0);
    for (const Gap& g : scratch) {
      const double rate = g.normal.dot(velocity_at(s, g.point) - velocity_of(placed, g.point));
      const double bend = steady.norm() + further + turning +
                          speed * speed / least_radius(placed.surface, radius) + 2.0 * wall_spin * speed +
                          wall_spin * wall_spin * reach;
      const double ahead = reach_of_bound(std::max(0.0, g.distance - near_m), rate, bend);
      const bool touches = g.distance <= 2.0 * near_m && rate < 0.0;
      if (!touches && ahead >= soonest) continue;
      nearest = {g.distance, rate, bend};
      soonest = touches ? 0.0 : ahead;
      if (touches) break;
    }
    return nearest;
  };
  const auto least_gap = [&](double t) {
    gaps_of_wall(a, standing(a, t).pose, wall.at(t).surface, margin + near_m, scratch);
    double least = margin;
    for (const Gap& g : scratch) least = std::min(least, g.distance - near_m);
    return least;
  };
  NextTouch found = advance(from, until, near_m, [&](double t) {
    const Bound b = look(t);
    if (b.distance > near_m) last = t;
    return b;
  });
  // A wall that bends or moves in other ways than the bound knows may have been passed: back to where it was
  // not, by halves.
  if (found.time < infinity && found.is_certain && least_gap(found.time) < 0.0 && least_gap(last) >= 0.0) {
    double low = last, high = found.time;
    for (int k = 0; k < 100 && high - low > standstill * std::max(1.0, std::abs(high)); ++k) {
      const double middle = 0.5 * (low + high);
      (least_gap(middle) >= 0.0 ? low : high) = middle;
    }
    found.time = low;
  }
  return found;
}

Meeting meeting(const Flyer& a, const Flyer& b, const Vec3& shift, double t) {
  const Standing of_a = standing(a, t);
  Standing of_b = standing(b, t);
  of_b.pose.position += shift;
  Meeting m;
  if (a.is_sphere && b.is_sphere) {
    const Vec3 r = of_a.pose.position - of_b.pose.position;
    const double length = r.norm();
    m.normal = r / length;
    m.distance = length - a.bounding_radius - b.bounding_radius;
    m.point = of_b.pose.position + (b.bounding_radius + 0.5 * m.distance) * m.normal;
    m.rate = m.normal.dot(of_a.twist.linear - of_b.twist.linear);
    return m;
  }
  const Gap g = gap(place(a.shape, of_a.pose), place(b.shape, of_b.pose));
  return {g.normal, g.point, g.distance,
          g.normal.dot(velocity_at(of_a, g.point) - velocity_at(of_b, g.point))};
}

void meetings(const Flyer& a, const FlownAt& wall, double t, double margin, std::vector<Gap>& scratch,
              std::vector<Meeting>& found) {
  const Standing s = standing(a, t);
  const PlacedBoundary placed = wall.at(t);
  gaps_of_wall(a, s.pose, placed.surface, margin, scratch);
  found.clear();
  for (const Gap& g : scratch)
    if (g.distance <= margin)
      found.push_back({g.normal, g.point, g.distance,
                       g.normal.dot(velocity_at(s, g.point) - velocity_of(placed, g.point))});
}

}  // namespace scree
