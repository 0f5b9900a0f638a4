#include "engine/modules/flight/approach.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>

#include "engine/geometry/ellipsoid_ellipsoid.h"
#include "engine/geometry/ellipsoid_surfaces.h"
#include "engine/geometry/implicit/implicit_contacts.h"

namespace scree {

namespace {

constexpr int most_advances = 400;             // then: search again later
constexpr double standstill = 1e-15;           // of the search: a negligible advance
constexpr double part_of_search = 1.0 / 16.0;  // for which the motion of a wall is assumed to be constant
constexpr double size_roundings = 1e-13, place_roundings = 16.0 * std::numeric_limits<double>::epsilon();
constexpr double far = 1.05;    // of the radii of balls around both: beyond it, balls are sufficient
constexpr double hint = 0.02;   // of the smallest semi-axis: nearness at which normals are the next starts
constexpr double sight = 0.25;  // of the bounding radius, for distances with many minima
constexpr double function_accuracy = 1e-9;  // of the size, of contacts of functions
constexpr double function_nearness = 1e-8;
constexpr double least_bend = 0.25;  // of the smallest length: least radius of curvature of functions

/// The first positive root of d + d' t - M t^2/2, for d >= 0.
double reach_of_bound(double d, double rate, double m) {
  const double root = std::sqrt(rate * rate + 2.0 * m * d);
  if (rate < 0.0) return 2.0 * d / (root - rate);
  return m > 0.0 ? (rate + root) / m : infinity;
}

/// Factor of the bulging of a body, or of a part of it, 1/s^2.
double turning(const BallisticBody& a) {
  const FreeRotation& r = a.flight->rotation();
  return 2.0 * r.most_spin() * r.most_spin() + r.most_spin_change();
}

double bulging(const Ellipsoid& e) {
  const double most = e.semi_axes.maxCoeff(), least = e.semi_axes.minCoeff();
  return (most * most - least * least) / least;
}

bool is_convex(const BallisticBody& a) {
  return a.form == BallisticBody::Form::sphere || a.form == BallisticBody::Form::ellipsoid;
}

struct Standing {
  Pose pose;
  Twist twist;
};
Standing motion_at(const BallisticBody& a, double t) {
  const Quat q = a.is_sphere() ? Quat::Identity() : a.flight->orientation(t);
  return {{a.flight->position(t), q},
          {a.flight->velocity(t), a.is_sphere() ? Vec3::Zero() : a.flight->angular_velocity(q)}};
}

Vec3 velocity_at(const Standing& s, const Vec3& point) {
  return s.twist.linear + s.twist.angular.cross(point - s.pose.position);
}

/// d, d' and M of (V1).
struct Bound {
  double distance, rate, bending;
};

/// Advances by bounds until they touch; look(t) returns the present nearest bound. No bound is used for
/// longer than `most_ahead`.
template <class Look>
NextTouch advance(double from, double until, double near_m, Look&& look, double most_ahead = infinity) {
  double t = from;
  for (int k = 0; k < most_advances; ++k) {
    const Bound b = look(t);
    const double d = b.distance - near_m;
    if (d <= near_m && b.rate < 0.0) return {t};
    const double ahead = std::min(most_ahead, reach_of_bound(std::max(0.0, d), b.rate, b.bending));
    if (t + ahead >= until) return {};
    if (ahead <= standstill * std::max(until - from, std::abs(t)) && d <= near_m) return {t};
    t += std::max(ahead, standstill * (until - from));
  }
  return {t, false};
}

/// The bound that is exhausted first.
class Soonest {
 public:
  /// `outer`: a bound that always holds too.
  Soonest(double near_m, const Bound& outer)
      : near_m_(near_m),
        nearest_(outer),
        ahead_(reach_of_bound(outer.distance - near_m, outer.rate, outer.bending)) {}
  explicit Soonest(double near_m) : near_m_(near_m) {}
  bool touches() const { return touches_; }
  /// Can a bound be exhausted earlier than all before?
  bool is_sooner(const Bound& b) const { return reach(b) < ahead_; }
  void add(const Bound& b) {
    if (touches_) return;
    touches_ = b.distance <= 2.0 * near_m_ && b.rate < 0.0;
    const double ahead = touches_ ? 0.0 : reach(b);
    if (!touches_ && ahead >= ahead_) return;
    nearest_ = b;
    ahead_ = ahead;
  }
  const Bound& nearest() const { return nearest_; }

 private:
  double reach(const Bound& b) const {
    return reach_of_bound(std::max(0.0, b.distance - near_m_), b.rate, b.bending);
  }
  double near_m_;
  Bound nearest_{infinity, 0.0, 0.0};
  double ahead_ = infinity;
  bool touches_ = false;
};

/// Spheres whose distance vector changes linearly.
NextTouch touch_of_spheres(const BallisticBody& a, const BallisticBody& b, const Vec3& shift, double from,
                           double until) {
  const Vec3 place = a.flight->position(from), r = b.flight->position(from) + shift - place,
             v = b.flight->velocity(from) - a.flight->velocity(from);
  const double radii = a.bounding_radius + b.bounding_radius,
               reach = radii + nearness(a, place) + nearness(b, place), c = r.squaredNorm() - reach * reach,
               closing = -r.dot(v);
  if (closing <= 0.0) return {};
  if (c <= 0.0) return {from};
  const double square = v.squaredNorm(), root = closing * closing - square * c;
  if (root < 0.0) return {};
  const double t = from + c / (closing + std::sqrt(root));
  return t < until ? NextTouch{t} : NextTouch{};
}

/// The members of a body at one time; for a body that is no clump, the ellipsoid itself.
struct PartNow {
  PlacedEllipsoid placed;
  Vec3 velocity;       // m/s, of its centre
  double radius, arm;  // m, arm: from the body's centre
  double bulging;      // m
};
void parts_at(const BallisticBody& a, const Standing& s, std::vector<PartNow>& parts) {
  parts.clear();
  const auto add = [&](const Ellipsoid& shape, const Pose& in_body) {
    const Vec3 arm = s.pose.orientation * in_body.position;
    const double length = arm.norm();
    parts.push_back({place(shape, {s.pose.position + arm, s.pose.orientation * in_body.orientation}),
                     s.twist.linear + s.twist.angular.cross(arm), shape.semi_axes.maxCoeff(), length,
                     bulging(shape) + length});
  };
  if (a.form != BallisticBody::Form::clump) add(a.shape, {});
  for (const ClumpMember& part : a.parts) add(part.ellipsoid, part.pose);
}

PlacedImplicit as_function(const BallisticBody& a, const Pose& pose) {
  return place(*a.function, pose, a.size);
}

/// Are both functions for this search? The hull of a resting body is none: then enclosing ellipsoids are
/// used.
bool meet_as_functions(const BallisticBody& a, const BallisticBody& b) {
  return (a.form == BallisticBody::Form::function || b.form == BallisticBody::Form::function) &&
         a.function != nullptr && b.function != nullptr;
}

/// Contacts of an ellipsoid with a wall, as in detection.
void gaps_of_wall(const Ellipsoid& shape, const Pose& pose, const BoundarySurface& surface, double margin,
                  std::vector<Gap>& found) {
  const auto add = [&](const auto& s) {
    if constexpr (std::is_same_v<std::decay_t<decltype(s)>, Plane>)
      found.push_back(gap(place(shape, pose), s));  // at any distance: it shows when the body may be near
    else
      contacts(shape, pose, s, margin, found);
  };
  std::visit(add, surface);
}
/// The same for any body.
void gaps_of_wall(const BallisticBody& a, const Pose& pose, const BoundarySurface& surface, double margin,
                  PairMemory& memory, std::vector<Gap>& found) {
  found.clear();
  if (a.form == BallisticBody::Form::clump) {
    for (const ClumpMember& part : a.parts)
      gaps_of_wall(
          part.ellipsoid,
          {pose.position + pose.orientation * part.pose.position, pose.orientation * part.pose.orientation},
          surface, margin, found);
  } else if (a.form == BallisticBody::Form::function) {
    std::visit(
        [&](const auto& s) {
          if constexpr (MeetsFunctions<std::decay_t<decltype(s)>>)
            contacts(as_function(a, pose), s, margin, memory, found);
        },
        surface);
  } else {
    gaps_of_wall(a.shape, pose, surface, margin, found);
  }
}

/// The least gap up to a margin, minus the gap that counts as touch, m.
double least_of(const std::vector<Gap>& gaps, double margin, double near_m) {
  double least = margin;
  for (const Gap& g : gaps) least = std::min(least, g.distance - near_m);
  return least;
}

/// Goes back, by halves, to a time at which the two were separate, if a search has passed a contact, or if
/// they overlap at its end: a surface may bend and move in ways that are not in its bound.
template <class LeastGap>
void go_back(NextTouch& found, double last, double until, LeastGap&& least_gap) {
  if (!found.is_certain) return;
  if (found.time == infinity) {
    if (least_gap(until) >= 0.0) return;
    found.time = until;
  }
  if (least_gap(found.time) >= 0.0 || least_gap(last) < 0.0) return;
  double low = last, high = found.time;
  for (int k = 0; k < 100 && high - low > standstill * std::max(1.0, std::abs(high)); ++k) {
    const double middle = 0.5 * (low + high);
    (least_gap(middle) >= 0.0 ? low : high) = middle;
  }
  found.time = low;
}

Vec3 velocity_of(const PlacedBoundary& wall, const Vec3& point) {
  return wall.twist.linear + wall.twist.angular.cross(point - wall.pose.position);
}

}  // namespace

FlownShape flown_shape(const Shapes& shapes, ShapeIndex shape) {
  FlownShape flown{enclosing_ellipsoid(shapes, shape), {}};
  if (shapes.kind(shape) != ShapeKind::clump) return flown;
  for (std::size_t part = 0; part < shapes.member_count(shape); ++part)
    flown.parts.push_back(shapes.member(shape, part));
  return flown;
}

BallisticBody ballistic_body(const Shapes& shapes, ShapeIndex shape, const FlownShape& of,
                             const Flight& flight, double growth) {
  const ShapeKind kind = growth > 1.0 ? ShapeKind::ellipsoid : shapes.kind(shape);
  BallisticBody f{.flight = &flight,
                  .form = BallisticBody::Form::ellipsoid,
                  .shape = Ellipsoid{growth * of.enclosing.semi_axes},
                  .bounding_radius = growth * shapes.bounding_radius(shape),
                  .smallest = shapes.smallest_length(shape),
                  .bulging = 0.0};
  f.bulging = bulging(f.shape);
  if (f.bulging == 0.0) f.form = BallisticBody::Form::sphere;
  if (kind == ShapeKind::clump) {
    f.form = BallisticBody::Form::clump;
    f.parts = of.parts;
    f.bulging = 0.0;
    for (const ClumpMember& part : of.parts)
      f.bulging = std::max(f.bulging, bulging(part.ellipsoid) + part.pose.position.norm());
  }
  if (kind == ShapeKind::implicit) f.form = BallisticBody::Form::function;
  if (growth == 1.0 && !shapes.functions().empty()) {
    f.function = &shapes.function_of(shape);
    f.size = shapes.size_of(shape);
  }
  return f;
}

double nearness(const BallisticBody& a, const Vec3& place) {
  return (a.form == BallisticBody::Form::function ? function_nearness : size_roundings) * a.smallest +
         place_roundings * place.lpNorm<Eigen::Infinity>();
}

PlacedBoundary FlownAt::at(double t) const {
  return boundary_pose.moves() ? place(*boundary, boundary_pose, epoch_s + t) : placed;
}

namespace {

/// Constant data of the search for a pair.
struct Pair {
  const BallisticBody &a, &b;
  Vec3 shift, steady;
  double further, near_m;

  Pair(const BallisticBody& first, const BallisticBody& second, const Vec3& image, double from, double until)
      : a(first),
        b(second),
        shift(image),
        steady(first.flight->steady_acceleration() - second.flight->steady_acceleration()),
        further(first.flight->most_further_acceleration(until) +
                second.flight->most_further_acceleration(until)),
        near_m(nearness(first, first.flight->position(from)) +
               nearness(second, first.flight->position(from))) {}

  /// The bound of the balls around both, if they are far enough apart, or if they are balls.
  std::optional<Bound> of_balls(double t) const {
    const double radii = a.bounding_radius + b.bounding_radius;
    const Vec3 r = a.flight->position(t) - b.flight->position(t) - shift;
    const double length = r.norm();
    if (length <= far * radii && !(a.is_sphere() && b.is_sphere())) return std::nullopt;
    const Vec3 n = r / length, v = a.flight->velocity(t) - b.flight->velocity(t);
    return Bound{length - radii, n.dot(v), std::abs(n.dot(steady)) + further};
  }
  Standing pose_of_b(double t) const {
    Standing s = motion_at(b, t);
    s.pose.position += shift;
    return s;
  }
};

NextTouch touch_of_ellipsoids(const Pair& p, double from, double until) {
  const double turns = p.a.bulging * turning(p.a) + p.b.bulging * turning(p.b);
  const double near_by = hint * std::min(p.a.smallest, p.b.smallest);
  Vec3 normal = Vec3::Zero();
  double last_distance = infinity;
  return advance(from, until, p.near_m, [&](double t) -> Bound {
    if (const std::optional<Bound> balls = p.of_balls(t)) return *balls;
    const Standing of_a = motion_at(p.a, t), of_b = p.pose_of_b(t);
    // The last normal is a start only if they are near: else the search may end elsewhere.
    const PlacedEllipsoid placed_a = place(p.a.shape, of_a.pose), placed_b = place(p.b.shape, of_b.pose);
    Gap g = gap(placed_a, placed_b, last_distance < near_by ? &normal : nullptr);
    if (g.distance < 2.0 * p.near_m && last_distance < near_by) g = gap(placed_a, placed_b);
    normal = g.normal;
    last_distance = g.distance;
    return {g.distance, g.normal.dot(velocity_at(of_a, g.point) - velocity_at(of_b, g.point)),
            std::abs(g.normal.dot(p.steady)) + p.further + turns};
  });
}

NextTouch touch_of_parts(const Pair& p, double from, double until) {
  const double turning_a = turning(p.a), turning_b = turning(p.b);
  std::vector<PartNow> parts_a, parts_b;
  return advance(from, until, p.near_m, [&](double t) -> Bound {
    if (const std::optional<Bound> balls = p.of_balls(t)) return *balls;
    const Standing of_a = motion_at(p.a, t), of_b = p.pose_of_b(t);
    parts_at(p.a, of_a, parts_a);
    parts_at(p.b, of_b, parts_b);
    Soonest soonest(p.near_m);
    for (const PartNow& a : parts_a)
      for (const PartNow& b : parts_b) {
        const Vec3 r = a.placed.centre - b.placed.centre;
        const double length = r.norm();
        if (length > a.radius + b.radius) {  // their balls are separate, for at least this time
          const Vec3 n = r / length;
          if (!soonest.is_sooner(
                  {length - a.radius - b.radius, n.dot(a.velocity - b.velocity),
                   std::abs(n.dot(p.steady)) + p.further + a.arm * turning_a + b.arm * turning_b}))
            continue;
        }
        const Gap g = gap(a.placed, b.placed);
        soonest.add(
            {g.distance, g.normal.dot(velocity_at(of_a, g.point) - velocity_at(of_b, g.point)),
             std::abs(g.normal.dot(p.steady)) + p.further + a.bulging * turning_a + b.bulging * turning_b});
        if (soonest.touches()) return soonest.nearest();
      }
    return soonest.nearest();
  });
}

NextTouch touch_of_functions(const Pair& p, double from, double until) {
  const double radius = std::min(p.a.bounding_radius, p.b.bounding_radius), margin = sight * radius;
  const double bend = least_bend * std::min(p.a.smallest, p.b.smallest);
  PairMemory memory;
  std::vector<Gap> gaps;
  double last = from;
  const auto find = [&](double t, Standing& of_a, Standing& of_b) {
    of_a = motion_at(p.a, t);
    of_b = p.pose_of_b(t);
    gaps.clear();
    contacts(as_function(p.a, of_a.pose), as_function(p.b, of_b.pose), margin + p.near_m, memory, gaps);
  };
  NextTouch found = advance(from, until, p.near_m, [&](double t) -> Bound {
    if (const std::optional<Bound> balls = p.of_balls(t)) {
      last = t;
      return *balls;
    }
    Standing of_a, of_b;
    find(t, of_a, of_b);
    const double speed = (of_a.twist.linear - of_b.twist.linear).norm() +
                         (p.steady.norm() + p.further) * (until - t) +
                         p.a.bounding_radius * p.a.flight->rotation().most_spin() +
                         p.b.bounding_radius * p.b.flight->rotation().most_spin();
    Soonest soonest(p.near_m, {margin + p.near_m, -speed, 0.0});  // parts that are not in sight yet
    for (const Gap& g : gaps)
      soonest.add({g.distance, g.normal.dot(velocity_at(of_a, g.point) - velocity_at(of_b, g.point)),
                   p.steady.norm() + p.further + speed * speed / bend});
    if (soonest.nearest().distance > p.near_m) last = t;
    return soonest.nearest();
  });
  go_back(found, last, until, [&](double t) {
    Standing of_a, of_b;
    find(t, of_a, of_b);
    return least_of(gaps, margin, p.near_m);
  });
  return found;
}

}  // namespace

NextTouch next_touch(const BallisticBody& a, const BallisticBody& b, const Vec3& shift, double from,
                     double until) {
  const Pair pair(a, b, shift, from, until);
  if (a.is_sphere() && b.is_sphere() && a.flight->is_parabola() && b.flight->is_parabola() &&
      pair.steady.isZero(0.0))
    return touch_of_spheres(a, b, shift, from, until);
  if (meet_as_functions(a, b)) return touch_of_functions(pair, from, until);
  if (a.form == BallisticBody::Form::clump || b.form == BallisticBody::Form::clump)
    return touch_of_parts(pair, from, until);
  return touch_of_ellipsoids(pair, from, until);
}

NextTouch next_touch(const BallisticBody& a, const FlownAt& wall, double from, double until,
                     std::vector<Gap>& scratch) {
  const Vec3 steady = a.flight->steady_acceleration();
  const double further = a.flight->most_further_acceleration(until), turns = a.bulging * turning(a);
  const double near_m = nearness(a, a.flight->position(from)), radius = a.bounding_radius;
  if (const auto* plane = std::get_if<Plane>(&wall.placed.surface);
      plane != nullptr && !wall.boundary_pose.moves() && a.form != BallisticBody::Form::function) {
    std::vector<PartNow> parts;
    return advance(from, until, near_m, [&](double t) -> Bound {
      const double height = plane->normal.dot(a.flight->position(t) - plane->point);
      const double bending = std::max(0.0, -plane->normal.dot(steady)) + further;
      if (height > far * radius || a.is_sphere())
        return {height - radius, plane->normal.dot(a.flight->velocity(t)), bending};
      const Standing s = motion_at(a, t);
      if (a.form != BallisticBody::Form::clump) {
        const Gap g = gap(place(a.shape, s.pose), *plane);
        return {g.distance, g.normal.dot(velocity_at(s, g.point)), bending + turns};
      }
      parts_at(a, s, parts);
      Soonest soonest(near_m);
      for (const PartNow& part : parts) {
        const Gap g = gap(part.placed, *plane);
        soonest.add({g.distance, g.normal.dot(velocity_at(s, g.point)), bending + part.bulging * turning(a)});
      }
      return soonest.nearest();
    });
  }
  const double margin = sight * radius;
  const double bend_of_body = a.form == BallisticBody::Form::function ? least_bend * a.smallest : infinity;
  PairMemory memory;
  double last = from;  // last time at which they were certainly separate
  const auto look = [&](double t) -> Bound {
    const Standing s = motion_at(a, t);
    const PlacedBoundary placed = wall.at(t);
    gaps_of_wall(a, s.pose, placed.surface, margin + near_m, memory, scratch);
    const double reach = (s.pose.position - placed.pose.position).norm() + radius;
    const double wall_spin = placed.twist.angular.norm();
    const double speed = a.flight->most_speed(t, until) + radius * a.flight->rotation().most_spin() +
                         placed.twist.linear.norm() + wall_spin * reach;
    Soonest soonest(near_m, {margin + near_m, -speed, 0.0});  // parts that are not in sight yet
    for (const Gap& g : scratch) {
      const double rate = g.normal.dot(velocity_at(s, g.point) - velocity_of(placed, g.point));
      const double bend = steady.norm() + further + turns +
                          speed * speed / std::min(bend_of_body, least_radius(placed.surface, radius)) +
                          2.0 * wall_spin * speed + wall_spin * wall_spin * reach;
      soonest.add({g.distance, rate, bend});
      if (soonest.touches()) break;
    }
    return soonest.nearest();
  };
  NextTouch found = advance(
      from, until, near_m,
      [&](double t) {
        const Bound b = look(t);
        if (b.distance > near_m) last = t;
        return b;
      },
      wall.boundary_pose.moves() ? part_of_search * (until - from) : infinity);
  if (!wall.boundary_pose.moves() && is_convex(a) && found.time == infinity) return found;
  go_back(found, last, until, [&](double t) {
    gaps_of_wall(a, motion_at(a, t).pose, wall.at(t).surface, margin + near_m, memory, scratch);
    return least_of(scratch, margin, near_m);
  });
  return found;
}

void meetings(const BallisticBody& a, const BallisticImage& image, double t, double margin,
              std::vector<Gap>& scratch, std::vector<Meeting>& found) {
  const BallisticBody& b = image.ballistic_body;
  found.clear();
  const Standing of_a = motion_at(a, t);
  Standing of_b = motion_at(b, t);
  of_b.pose.position += image.shift;
  const auto add = [&](const Gap& g) {
    found.push_back({g.normal, g.point, g.distance,
                     g.normal.dot(velocity_at(of_a, g.point) - velocity_at(of_b, g.point))});
  };
  if (a.is_sphere() && b.is_sphere()) {
    const Vec3 r = of_a.pose.position - of_b.pose.position;
    const double length = r.norm(), distance = length - a.bounding_radius - b.bounding_radius;
    const Vec3 normal = r / length;
    add({.point = of_b.pose.position + (b.bounding_radius + 0.5 * distance) * normal,
         .normal = normal,
         .distance = distance});
  } else if (meet_as_functions(a, b)) {
    PairMemory memory;
    scratch.clear();
    contacts(as_function(a, of_a.pose), as_function(b, of_b.pose), margin, memory, scratch);
    for (const Gap& g : scratch) add(g);
  } else if (a.form == BallisticBody::Form::clump || b.form == BallisticBody::Form::clump) {
    std::vector<PartNow> parts_a, parts_b;
    parts_at(a, of_a, parts_a);
    parts_at(b, of_b, parts_b);
    for (const PartNow& p : parts_a)
      for (const PartNow& q : parts_b) {
        if ((p.placed.centre - q.placed.centre).norm() > p.radius + q.radius + margin) continue;
        if (const Gap g = gap(p.placed, q.placed); g.distance <= margin) add(g);
      }
  } else {
    add(gap(place(a.shape, of_a.pose), place(b.shape, of_b.pose)));
  }
}

void meetings(const BallisticBody& a, const FlownAt& wall, double t, double margin, std::vector<Gap>& scratch,
              std::vector<Meeting>& found) {
  const Standing s = motion_at(a, t);
  const PlacedBoundary placed = wall.at(t);
  PairMemory memory;
  gaps_of_wall(a, s.pose, placed.surface, margin, memory, scratch);
  found.clear();
  for (const Gap& g : scratch)
    if (g.distance <= margin)
      found.push_back({g.normal, g.point, g.distance,
                       g.normal.dot(velocity_at(s, g.point) - velocity_of(placed, g.point))});
}

double overlap(const BallisticBody& a, const Pose& of_a, const FlownAt& wall, double t,
               std::vector<Gap>& scratch) {
  PairMemory memory;
  gaps_of_wall(a, of_a, wall.at(t).surface, 0.0, memory, scratch);
  double deepest = 0.0;
  for (const Gap& g : scratch) deepest = std::max(deepest, -g.distance);
  return deepest > function_accuracy * a.smallest || a.form != BallisticBody::Form::function ? deepest : 0.0;
}

double overlap(const BallisticBody& a, const Pose& of_a, const BallisticBody& b, const Pose& of_b) {
  if ((of_a.position - of_b.position).norm() > a.bounding_radius + b.bounding_radius) return 0.0;
  double deepest = 0.0;
  if (meet_as_functions(a, b)) {
    PairMemory memory;
    std::vector<Gap> gaps;
    contacts(as_function(a, of_a), as_function(b, of_b), 0.0, memory, gaps);
    for (const Gap& g : gaps)
      if (g.distance < -function_accuracy * std::min(a.smallest, b.smallest))
        deepest = std::max(deepest, -g.distance);
    return deepest;
  }
  const auto look = [&](const PlacedEllipsoid& p, const PlacedEllipsoid& q) {
    const Relation relation = classify(p, q);
    if (relation != Relation::separate && relation != Relation::touching)
      deepest = std::max(deepest, -gap(p, q).distance);
  };
  if (a.form != BallisticBody::Form::clump && b.form != BallisticBody::Form::clump) {
    look(place(a.shape, of_a), place(b.shape, of_b));
    return deepest;
  }
  std::vector<PartNow> parts_a, parts_b;
  parts_at(a, {of_a, {}}, parts_a);
  parts_at(b, {of_b, {}}, parts_b);
  for (const PartNow& p : parts_a)
    for (const PartNow& q : parts_b)
      if ((p.placed.centre - q.placed.centre).norm() <= p.radius + q.radius) look(p.placed, q.placed);
  return deepest;
}

}  // namespace scree
