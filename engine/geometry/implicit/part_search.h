// Contacts of functionally defined bodies with walls made of faces and curves: meshes, and surfaces of
// revolution.
//
// A view of the wall in the axes of the body derives from WallView and has the functions
//   Wall face(std::int32_t)             a face as a wall of wall_search.h, without its ends
//   Curve curve(std::uint32_t feature)  an edge or a vertex: StraightEdge or Circle
//   NearParts near(body, reach)         the parts which may be nearer than that, m
//   bool has(feature)                   is there such a face, edge or vertex?
//   bool is_over(face, foot, x, size)   is the foot of a point x of the body within the face?
//   bool is_free(feature, at, normal)   does a normal at a point of an edge point away from its faces?
// Points and normals of the last two are in the frame of the wall.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "engine/geometry/implicit/wall_search.h"
#include "engine/geometry/mesh_surface.h"

namespace scree::parts {

// A feature: kind (mesh_edge, mesh_vertex or 0), number of the face, edge or vertex, place on the body, and
// end of a flat part.
inline constexpr std::uint32_t part_shift = 10, place_shift = 4, places_of_part = 64;
inline constexpr std::uint32_t place_mask = (places_of_part - 1) << place_shift;
inline constexpr std::uint32_t known_place = 1u << 31;  // marks places of the memory in a search

inline constexpr double edge_spacing = 1.0 / 12;  // of the size, between samples along an edge
// Above this a body would move thousands of its sizes in a step, which the verdict reports.
inline constexpr double most_samples = 1e5;

inline std::int32_t part_of(std::uint32_t feature) {
  return static_cast<std::int32_t>((feature & (mesh_edge - 1)) >> part_shift);
}
inline std::uint32_t feature_of(std::uint32_t kind, std::int32_t part) {
  return kind | static_cast<std::uint32_t>(part) << part_shift;
}

/// A wall in the axes of a body: x in the wall's frame is at turn * x + offset.
struct WallView {
  Quat turn;
  Vec3 offset;  // m

  WallView(const PlacedImplicit& body, const Pose& wall)
      : turn((Quat(body.rotation).conjugate() * wall.orientation).normalized()),
        offset(body.rotation.transpose() * (wall.position - body.position)) {}

  Vec3 here(const Vec3& x) const { return turn * x + offset; }
  Vec3 there(const Vec3& x) const { return turn.conjugate() * (x - offset); }

  void remember(PairMemory& m) const {
    m.offset = offset;
    m.turn = turn;
  }
  /// Largest movement of any point of the wall within `radius` of the body's centre since then, m.
  double moved(const PairMemory& m, double radius) const {
    const Quat since = turn * m.turn.conjugate();
    return (offset - since * m.offset).norm() + 2.0 * radius * since.vec().norm();
  }
};

/// A point of a curve, its unit tangent, and the change of that along the curve, 1/m.
struct CurvePoint {
  Three at, tangent, bend;
};

/// An edge, or with a length of zero a vertex, in the axes of the body.
struct StraightEdge {
  static constexpr bool is_round = false;
  Three from, along;  // m, unit
  double length;      // m

  bool is_vertex() const { return length == 0.0; }
  CurvePoint point(double t) const { return {from + t * along, along, {0.0, 0.0, 0.0}}; }
  double parameter(Three x) const { return dot(x - from, along); }
  bool has(double t, double slack = 0.0) const { return t >= -slack && t <= length + slack; }
  double apart(double s, double t) const { return std::abs(s - t); }
  Three way(double, double s) const { return s * along; }
  double longest_step() const { return infinity; }
  double longest_flat() const { return infinity; }
  double least_samples(double) const { return 0.0; }
  /// The part within a ball about the origin; empty: low > high.
  std::pair<double, double> within(double ball) const {
    const double middle = -dot(from, along), away = dot(point(middle).at, point(middle).at);
    if (away > ball * ball) return {1.0, 0.0};
    const double half = std::sqrt(ball * ball - away);
    return {std::max(0.0, middle - half), std::min(length, middle + half)};
  }
};
inline StraightEdge vertex(Three at) { return {at, {0.0, 0.0, 0.0}, 0.0}; }

/// A circle, or with a radius of zero a vertex, in the axes of the body; the parameter is an arc.
struct Circle {
  static constexpr bool is_round = true;
  Three centre, u, v;  // m; unit, in its plane
  double radius;       // m

  bool is_vertex() const { return radius == 0.0; }
  CurvePoint point(double t) const {
    if (is_vertex()) return {centre, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    const double c = std::cos(t / radius), s = std::sin(t / radius);
    const Three out = c * u + s * v;
    return {centre + radius * out, c * v - s * u, (-1.0 / radius) * out};
  }
  double parameter(Three x) const { return radius * std::atan2(dot(x - centre, v), dot(x - centre, u)); }
  bool has(double, double = 0.0) const { return true; }
  double apart(double s, double t) const {
    return is_vertex() ? 0.0 : std::abs(std::remainder(s - t, 2.0 * std::numbers::pi * radius));
  }
  Three way(double t, double s) const { return point(t + s).at - point(t).at; }
  double longest_step() const { return 0.5 * radius; }
  /// A third of the circle: a body that touches all around has three contacts.
  double longest_flat() const { return 2.0 * std::numbers::pi / 3.0 * radius; }
  double least_samples(double arc) const {
    return is_vertex() ? 0.0 : arc / radius / (std::numbers::pi / 12.0);
  }
  std::pair<double, double> within(double ball) const {
    const Three b = -1.0 * centre;
    const double beside = std::hypot(dot(b, u), dot(b, v)), both = 2.0 * radius * beside,
                 rest = dot(b, b) + radius * radius - ball * ball;
    if (rest > both) return {1.0, 0.0};
    const double half = rest > -both ? std::acos(rest / both) : std::numbers::pi;
    const double facing = std::atan2(dot(b, v), dot(b, u));
    return {radius * (facing - half), radius * (facing + half)};
  }
};

/// The point of a curve at t, the nearest point of the body's surface, and the outward normal there.
struct CurveTouch {
  Three x, n;
  double t, phi;  // m
  bool converged, is_least;
};

/// Newton on p - x parallel to n(x) and, along an edge, n(x) across the edge: steps u of x in the tangent
/// plane and s along the edge,
///   (1 + phi A) u - s e_t = r_t - phi k,   e_t.A u + n.e' s = -n.e - e_t.k,
/// r = p - x, e' the curve's bend, and k the change of the normal while x moves to the surface.
template <class Curve>
CurveTouch newton(const PlacedImplicit& body, const Curve& curve, Three x, double t) {
  const double size = body.scale * body.shape->bounding_radius, limit = step_limit * size;
  CurveTouch touch{x, {}, t, 0.0, false, false};
  for (int i = 0; i < newton_iterations; ++i) {
    const SurfaceHere here = surface_here(*body.shape, body.scale, touch.x);
    const Tangents frame = tangents(here.n);
    const Plane2 a = across(frame, here.bend);
    const Two turn = across(frame, here.bend * here.n), k{here.off * turn.x, here.off * turn.y};
    const CurvePoint p = curve.point(touch.t);
    const Three r = p.at - touch.x;
    const Two r_t = across(frame, r), e = across(frame, p.tangent);
    touch.phi = dot(here.n, r) - here.off;
    const double phi = touch.phi;
    Mat3 m = Mat3::Zero();
    m << 1.0 + phi * a.xx, phi * a.xy, -e.x, phi * a.xy, 1.0 + phi * a.yy, -e.y, a.xx * e.x + a.xy * e.y,
        a.xy * e.x + a.yy * e.y, dot(here.n, p.bend);
    Vec3 right(r_t.x - phi * k.x, r_t.y - phi * k.y, -dot(here.n, p.tangent) - e.x * k.x - e.y * k.y);
    m.row(2) *= size;  // all without units
    right[2] *= size;
    if (curve.is_vertex()) m(2, 2) = 1.0;
    // Flat along the edge: any point of it is a solution, and least squares give the nearest one.
    const Vec3 step = m.completeOrthogonalDecomposition().solve(right);
    const double length = step.norm();
    if (!(length < 1e10 * size)) return touch;
    double shorter = length > limit ? limit / length : 1.0;
    if (std::abs(step[2]) * shorter > curve.longest_step() && !curve.is_vertex())
      shorter = curve.longest_step() / std::abs(step[2]);
    const Two u{shorter * step[0], shorter * step[1]};
    touch.x = touch.x + along(frame, u) + std::clamp(here.off, -limit, limit) * here.n;
    touch.t += shorter * step[2];
    if (std::max(length, std::abs(here.off)) < newton_tolerance * size) {
      const Two au = a * u;
      touch.n = here.n + along(frame, {au.x + k.x, au.y + k.y});
      touch.n = (1.0 / norm(touch.n)) * touch.n;
      const CurvePoint end = curve.point(touch.t);
      touch.phi = dot(touch.n, end.at - touch.x);
      touch.converged = true;
      const double det = (1.0 + phi * a.xx) * (1.0 + phi * a.yy) - phi * phi * a.xy * a.xy;
      const Matrix2 g{1.0 + phi * a.xx, phi * a.xy, phi * a.xy, 1.0 + phi * a.yy};
      const Two ae = a * e, ge = solve(g, e);
      touch.is_least = det > 0.0 && 2.0 + phi * (a.xx + a.yy) > 0.0 &&
                       ge.x * ae.x + ge.y * ae.y + dot(touch.n, end.bend) >= -1e-9 / size;
      return touch;
    }
  }
  return touch;
}

/// The sample of the surface that is nearest to a point of the body's axes, m.
inline Three nearest_sample(const PlacedImplicit& body, Three p) {
  const SurfaceSamples& all = body.shape->samples;
  const Vec3 at = (1.0 / body.scale) * to_vec3(p);
  double least = infinity;
  const SurfaceSample* nearest = nullptr;
  for (std::size_t g = 0; g < all.groups.size(); ++g) {
    const Vec3 centre(all.of_groups.x[g], all.of_groups.y[g], all.of_groups.z[g]);
    if (!((centre - at).norm() - all.of_groups.radius[g] < least)) continue;
    const auto [first, count] = all.groups[g];
    for (std::int32_t k = first; k < first + count; ++k) {
      const double d = (all.samples[k].point - at).norm();
      if (d < least) {
        least = d;
        nearest = &all.samples[k];
      }
    }
  }
  if (nearest == nullptr) return p;  // not finite or too large: a search from there does not converge
  return body.scale * to_three(nearest->point);
}

/// From the least of the distances of points between two parameters, by golden sections: where the curve
/// bends more than the body, Newton's method alone may leave for a place where the distance is greatest.
template <class Curve>
CurveTouch newton_between(const PlacedImplicit& body, const Curve& curve, double low, double high) {
  constexpr int sections = 12;  // to 0.3 % of the interval
  constexpr double golden = 0.6180339887498949;
  const auto at = [&](double t) {
    const Three p = curve.point(t).at;
    return newton(body, vertex(p), nearest_sample(body, p), 0.0);
  };
  double a = high - golden * (high - low), b = low + golden * (high - low);
  CurveTouch of_a = at(a), of_b = at(b);
  for (int k = 0; k < sections; ++k) {
    if (of_a.phi < of_b.phi) {
      high = b;
      b = a;
      of_b = of_a;
      a = high - golden * (high - low);
      of_a = at(a);
    } else {
      low = a;
      a = b;
      of_a = of_b;
      b = low + golden * (high - low);
      of_b = at(b);
    }
  }
  return of_a.phi < of_b.phi ? newton(body, curve, of_a.x, a) : newton(body, curve, of_b.x, b);
}

/// A place found on one part.
struct CurvePlace {
  CurveTouch touch;
  std::uint32_t feature;
};

/// Limits of the search for the nearest places of edges and vertices.
struct Reach {
  double margin, depth;  // m
  bool holds(double phi) const { return phi <= margin && phi >= -depth; }
};

/// A body of revolution about the axis of a circle is held by three contacts, not by one at each sample:
/// those `kept` from the last step, or else three that are evenly spaced.
inline void keep_three_of_many(double low, double high, std::size_t first, std::size_t kept,
                               std::vector<CurvePlace>& places) {
  constexpr std::size_t many = 16;
  if (places.size() - first <= many) return;
  if (kept < 3 || kept > many) {
    for (std::size_t k = 0; k < 3; ++k) {
      const double target = low + (high - low) * static_cast<double>(k) / 3.0;
      const auto from = places.begin() + static_cast<std::ptrdiff_t>(first + k);
      std::iter_swap(from,
                     std::min_element(from, places.end(), [&](const CurvePlace& a, const CurvePlace& b) {
                       return std::abs(a.touch.t - target) < std::abs(b.touch.t - target);
                     }));
    }
    kept = 3;
  }
  places.erase(places.begin() + static_cast<std::ptrdiff_t>(first + kept), places.end());
}

template <class Curve>
void search_curve(const PlacedImplicit& body, const Curve& curve, const Reach& reach, std::uint32_t part,
                  std::span<const ImplicitStart> known, std::vector<CurvePlace>& places) {
  const ImplicitShape& shape = *body.shape;
  const double size = body.scale * shape.bounding_radius, error = body.scale * shape.distances.error;
  const std::size_t first = places.size();
  const auto take = [&](const CurveTouch& touch, std::uint32_t feature) {
    if (!touch.converged || !touch.is_least || !reach.holds(touch.phi)) return;
    if (!curve.has(touch.t, reach.margin) || places.size() - first == places_of_part) return;
    for (std::size_t k = first; k < places.size(); ++k)
      if (curve.apart(places[k].touch.t, touch.t) < same_place * size &&
          norm(places[k].touch.x - touch.x) < same_place * size)
        return;
    const auto taken = [&](const CurvePlace& p) { return p.feature == feature; };
    while (std::any_of(places.begin() + static_cast<std::ptrdiff_t>(first), places.end(), taken))
      feature = (feature & ~place_mask) | ((feature + (1u << place_shift)) & place_mask);
    places.push_back({touch, feature});
  };
  for (const ImplicitStart& s : known)
    if ((s.feature >> part_shift) == (part >> part_shift))
      take(newton(body, curve, to_three(s.on_a), s.on_b.x()), s.feature);
  const std::size_t kept = places.size() - first;  // of the last step
  const auto apart = [&](double t) {
    return body.scale * distance(shape.distances, (1.0 / body.scale) * to_vec3(curve.point(t).at));
  };
  // Only parts within a ball about the body can be near.
  const auto [low, high] = curve.within(size + reach.margin);
  if (!(low <= high)) return;
  const double samples = std::max((high - low) / (edge_spacing * size), curve.least_samples(high - low));
  const int count =
      curve.is_vertex() ? 0 : 1 + static_cast<int>(samples < most_samples ? samples : most_samples);
  const double step = count > 0 ? (high - low) / count : 0.0;
  double before = infinity, here = apart(low);
  for (int k = 0; k <= count; ++k) {
    const double t = low + k * step, after = k < count ? apart(t + step) : infinity;
    if (here <= before && here <= after && here - error - 0.5 * step <= reach.margin) {
      const CurveTouch touch = newton(body, curve, nearest_sample(body, curve.point(t).at), t);
      take(touch, part);
      if constexpr (Curve::is_round) {
        const bool is_between = touch.converged && touch.is_least && curve.apart(touch.t, t) <= step;
        if (!is_between && step > 0.0)
          take(newton_between(body, curve, std::max(low, t - step), std::min(high, t + step)), part);
      }
    }
    before = here;
    here = after;
  }
  if constexpr (Curve::is_round) keep_three_of_many(low, high, first, kept, places);
}

/// The parts of a wall near a body, each once.
struct NearParts {
  std::vector<std::int32_t> faces, edges, vertices;
};

/// All places found, on faces and on curves.
template <class View>
struct Places {
  using Wall = decltype(std::declval<const View&>().face(0));
  std::vector<std::pair<Wall, Place>> faces;
  std::vector<CurvePlace> curves;
};

/// Places of one face, with features of this file; true if no further one can appear next to them.
template <class View>
bool search_face(const PlacedImplicit& body, const View& v, std::int32_t face, const Reach& reach,
                 std::span<const ImplicitStart> known, Places<View>& places) {
  const auto wall = v.face(face);
  if (wall.is_clear(body, reach.margin)) return true;
  const std::uint32_t part = feature_of(0, face);
  std::vector<ImplicitStart> of_part;
  for (const ImplicitStart& s : known) {
    if (s.feature < mesh_edge && (s.feature >> part_shift) == (part >> part_shift))
      of_part.push_back({s.on_a, s.on_b, known_place | (s.feature & (place_mask | line_point))});
  }
  std::vector<Place> found;
  const bool settled = search(body, wall, reach.margin, reach.depth, of_part, found);
  std::uint64_t taken = 0;
  for (const Place& p : found)
    if (p.feature & known_place) taken |= std::uint64_t{1} << ((p.feature & place_mask) >> place_shift);
  for (Place& p : found) {
    std::uint32_t number = (p.feature & place_mask) >> place_shift;
    if (!(p.feature & known_place)) {
      if (std::countr_one(taken) == places_of_part) continue;  // more than features tell apart
      number = static_cast<std::uint32_t>(std::countr_one(taken));
      taken |= std::uint64_t{1} << number;
    }
    p.feature = part | number << place_shift | (p.feature & line_point);
    places.faces.emplace_back(wall, p);
  }
  return settled;
}

/// Returns the motion that the next steps may make before all is searched again.
template <class View>
double search_all(const PlacedImplicit& body, const View& v, const Reach& reach, double slack,
                  std::span<const ImplicitStart> known, Places<View>& places) {
  const NearParts near = v.near(body, reach.margin);
  bool settled = true;
  for (const std::int32_t f : near.faces) settled &= search_face(body, v, f, reach, known, places);
  const auto look_at = [&](std::uint32_t part) {
    search_curve(body, v.curve(part), reach, part, known, places.curves);
  };
  for (const std::int32_t e : near.edges) look_at(feature_of(mesh_edge, e));
  for (const std::int32_t p : near.vertices) look_at(feature_of(mesh_vertex, p));
  return settled ? slack : slack * hasty_wall_slack / wall_slack;
}

/// Follows all remembered places; false if any is lost or the memory is not valid so far.
template <class View>
bool follow(const PlacedImplicit& body, const View& v, double margin, double depth, const PairMemory& memory,
            Places<View>& places) {
  if (!(memory.reach > -infinity)) return false;
  const double size = body.scale * body.shape->bounding_radius, moved = v.moved(memory, size);
  if (!(moved <= memory.slack && margin + moved <= memory.reach)) return false;
  for (const ImplicitStart& s : memory.starts) {
    if (!v.has(s.feature)) return false;
    const Three from = to_three(s.on_a);
    if (s.feature < mesh_edge) {
      const auto wall = v.face(part_of(s.feature));
      const std::optional<Place> place = follow_place(body, wall, depth, s);
      if (!place) return false;
      places.faces.push_back({wall, *place});
    } else {
      const CurveTouch t = newton(body, v.curve(s.feature), from, s.on_b.x());
      if (!t.converged || !t.is_least || t.phi < -depth || norm(t.x - from) > step_limit * size) return false;
      places.curves.push_back({t, s.feature});
    }
  }
  return true;
}

/// Turns places into contacts.
template <class View>
class Output {
 public:
  Output(const PlacedImplicit& body, const View& v, double margin, std::vector<Gap>& found)
      : body_(body),
        v_(v),
        margin_(margin),
        size_(body.scale * body.shape->bounding_radius),
        shallow_(surely_inside * body.scale * body.shape->smallest_length),
        first_(found.size()),
        found_(found) {}

  void add_face(const auto& wall, const Place& p) {
    if (p.touch.phi > margin_) return;
    const std::int32_t face = part_of(p.feature);
    add_with_ends(body_, wall, p, margin_, [&](const WallTouch& t, std::uint32_t feature) {
      if (t.phi < -shallow_ && value(body_.shape->function, (1.0 / body_.scale) * (t.x + t.phi * t.n)) < 0.0)
        return;  // the wall's place is not in the body: it is beside the wall, and has not come through it
      if (v_.is_over(face, v_.there(to_vec3(t.x + t.phi * t.n)), v_.there(to_vec3(t.x)), size_))
        add(t.x, t.n, t.phi, feature);
    });
  }

  void add_curve(const CurvePlace& p) {
    if (p.touch.phi > margin_) return;
    const auto curve = v_.curve(p.feature);
    add_curve(curve, p.touch, p.feature);
    if (curve.is_vertex()) return;
    for (int k = 0; k < 2; ++k) {  // the ends of the flat part along the edge
      const double way = k == 0 ? -1.0 : 1.0;
      const auto aside = [&](double s) -> std::optional<CurveTouch> {
        const double t = p.touch.t + way * s;
        if (!curve.has(t) || s > curve.longest_flat()) return std::nullopt;
        const CurvePoint point = curve.point(t);
        CurveTouch there = newton(body_, vertex(point.at), p.touch.x + curve.way(p.touch.t, way * s), 0.0);
        if (!there.converged) return std::nullopt;
        there.t = t;
        return there;
      };
      const CurveTouch end = end_of_flat(p.touch, size_, aside);
      // Round ones have no such ends.
      if (std::abs(end.t - p.touch.t) > flat_width * size_ && end.phi <= margin_)
        add_curve(curve, end, p.feature + static_cast<std::uint32_t>(k) + 1);
    }
  }

 private:
  void add_curve(const auto& curve, const CurveTouch& t, std::uint32_t feature) {
    if (!curve.has(t.t)) return;
    const Vec3 normal = -(v_.turn.conjugate() * to_vec3(t.n));  // in the wall's frame, towards the body
    if (v_.is_free(feature, v_.there(to_vec3(curve.point(t.t).at)), normal)) add(t.x, t.n, t.phi, feature);
  }

  /// Leaves out a contact that another part has found at the same place.
  void add(Three x, Three n, double phi, std::uint32_t feature) {
    constexpr double same = 1e-9;
    Gap g;
    g.normal = -(body_.rotation * to_vec3(n));
    g.distance = phi;
    g.point = body_.position + body_.rotation * to_vec3(x) - 0.5 * phi * g.normal;
    g.feature = feature;
    g.is_sharp = feature >= mesh_edge;
    for (std::size_t k = first_; k < found_.size(); ++k) {
      if ((found_[k].point - g.point).norm() < same * size_ && found_[k].normal.dot(g.normal) > 1.0 - same)
        return;
    }
    found_.push_back(g);
  }

  const PlacedImplicit& body_;
  const View& v_;
  static constexpr double surely_inside = 0.05;  // of the smallest length: overlaps that need no look
  double margin_, size_, shallow_;
  std::size_t first_;
  std::vector<Gap>& found_;
};

template <class View>
void find_contacts(const PlacedImplicit& body, const View& v, double margin, PairMemory& memory,
                   std::vector<Gap>& found) {
  const double size = body.scale * body.shape->bounding_radius,
               depth = body.scale * body.shape->smallest_length;
  Places<View> places;
  if (!follow(body, v, margin, depth, memory, places)) {
    places = {};
    const double slack = wall_slack * size;
    memory.slack = search_all(body, v, {margin + slack, depth}, slack, memory.starts, places);
    memory.reach = margin + slack;
    v.remember(memory);
  }
  memory.starts.clear();
  Output output(body, v, margin, found);
  for (const auto& [wall, place] : places.faces) {
    memory.starts.push_back({to_vec3(place.touch.x), Vec3::Zero(), place.feature});
    output.add_face(wall, place);
  }
  for (const CurvePlace& p : places.curves) {
    memory.starts.push_back({to_vec3(p.touch.x), Vec3(p.touch.t, 0.0, 0.0), p.feature});
    output.add_curve(p);
  }
}

/// The second difference of the gap with the same face, edge or vertex. view_of(body, pose): the view of the
/// wall in another pose.
template <class ViewOf>
double acceleration_by_difference(const PlacedImplicit& body, const Pose& wall_pose, const Gap& contact,
                                  const Twist& twist, const WallMotion& wall, ViewOf&& view_of) {
  // Over the size: motion in the difference, and movement of the points.
  constexpr double way = 1e-3, farthest = 0.05;
  const double size = body.scale * body.shape->bounding_radius;
  const Vec3 apart = twist.linear - wall.twist.linear - wall.twist.angular.cross(body.position - wall.centre);
  const double speed = apart.norm() + size * (twist.angular.norm() + wall.twist.angular.norm());
  if (!(speed > 0.0)) return 0.0;
  const double dt = way * size / speed;
  const Vec3 n = -contact.normal, on_body = contact.point - 0.5 * contact.distance * n;
  const Three x = to_three(body.rotation.transpose() * (on_body - body.position));
  const Vec3 on_wall = contact.point + 0.5 * contact.distance * n;
  bool stays = true;  // else it is flat there: points move all over the patch, or are lost
  const auto at = [&](double t) {
    const Pose pose = moved({body.position, Quat(body.rotation)}, WallMotion{body.position, twist}, t);
    const PlacedImplicit there = place(*body.shape, pose, body.scale);
    const auto v = view_of(there, moved(wall_pose, wall, t));
    const auto see = [&](const auto& touch) {
      stays = stays && touch.converged && norm(touch.x - x) <= farthest * size;
      return touch.phi;
    };
    if (contact.feature < mesh_edge) {
      const auto face = v.face(part_of(contact.feature));
      return see(is_line_point(contact.feature) ? newton_across(there, face, x, farthest * size)
                                                : newton(there, face, x));
    }
    const auto curve = v.curve(contact.feature);
    const Vec3 at_rest = wall_pose.orientation.conjugate() * (on_wall - wall_pose.position);
    return see(newton(there, curve, x, curve.parameter(to_three(v.here(at_rest)))));
  };
  const double second = (at(dt) - 2.0 * at(0.0) + at(-dt)) / (dt * dt);
  return stays ? second : 0.0;
}

}  // namespace scree::parts
