#include "engine/geometry/implicit/implicit_mesh.h"

#include <Eigen/Dense>
#include <algorithm>

#include "engine/geometry/implicit/wall_search.h"

namespace scree {

namespace {

// A feature: kind (mesh_edge, mesh_vertex or 0), number of the patch, edge or vertex, place on the body, and
// end of a flat part.
constexpr std::uint32_t part_shift = 10, place_shift = 4, places_of_part = 64;
constexpr std::uint32_t place_mask = (places_of_part - 1) << place_shift;
constexpr std::uint32_t known_place = 1u << 31;  // marks places of the memory in a search

constexpr double edge_spacing = 1.0 / 12;  // of the size, between samples along an edge
// Above this a body would move thousands of its sizes in a step, which the verdict reports.
constexpr double most_samples = 1e5;
constexpr double over_slack = 1e-12;  // of the size, beside a face

std::int32_t part_of(std::uint32_t feature) {
  return static_cast<std::int32_t>((feature & (mesh_edge - 1)) >> part_shift);
}
std::uint32_t feature_of(std::uint32_t kind, std::int32_t part) {
  return kind | static_cast<std::uint32_t>(part) << part_shift;
}

/// A mesh in the axes of a body: x in the mesh's frame is at turn * x + offset.
struct MeshView {
  const MeshSurface& mesh;
  Quat turn;
  Vec3 offset;  // m

  Vec3 here(const Vec3& x) const { return turn * x + offset; }
  Vec3 there(const Vec3& x) const { return turn.conjugate() * (x - offset); }

  void remember(PairMemory& m) const {
    m.offset = offset;
    m.turn = turn;
  }
  /// Largest movement of any point of the mesh within `radius` of the body's centre since then, m.
  double moved(const PairMemory& m, double radius) const {
    const Quat since = turn * m.turn.conjugate();
    return (offset - since * m.offset).norm() + 2.0 * radius * since.vec().norm();
  }
};

MeshView view(const PlacedImplicit& body, const PlacedMesh& mesh) {
  const Quat to_body = Quat(body.rotation).conjugate();
  return {*mesh.mesh, (to_body * mesh.pose.orientation).normalized(),
          body.rotation.transpose() * (mesh.pose.position - body.position)};
}

PlaneWall face_wall(const MeshView& v, std::int32_t triangle) {
  const Vec3 normal = v.turn * v.mesh.normals[triangle];
  const double offset = -normal.dot(v.here(v.mesh.points[v.mesh.triangles[triangle][0]]));
  return offset < 0.0 ? PlaneWall{to_three(-normal), -offset} : PlaneWall{to_three(normal), offset};
}

/// An edge, or with a direction of zero a vertex, in the axes of the body.
struct Line {
  Three from, along;  // m, unit
  double length;      // m
  bool is_vertex() const { return length == 0.0; }
};

Line edge_line(const MeshView& v, std::int32_t edge) {
  const MeshSurface::Edge& e = v.mesh.edges[edge];
  const Vec3 from = v.here(v.mesh.points[e.from]), way = v.here(v.mesh.points[e.to]) - from;
  return {to_three(from), to_three(way.normalized()), way.norm()};
}

Line vertex_line(const MeshView& v, std::int32_t vertex) {
  return {to_three(v.here(v.mesh.points[vertex])), {0.0, 0.0, 0.0}, 0.0};
}

Line line_of(const MeshView& v, std::uint32_t feature) {
  return feature >= mesh_vertex ? vertex_line(v, part_of(feature)) : edge_line(v, part_of(feature));
}

/// The point of a line at t, the nearest point of the body's surface, and the outward normal there.
struct LineTouch {
  Three x, n;
  double t, phi;  // m
  bool converged, is_least;
};

/// Newton on p - x parallel to n(x) and, along an edge, n(x) across the edge: steps u of x in the tangent
/// plane and s along the edge,
///   (1 + phi A) u - s e_t = r_t - phi k,   e_t.A u = -n.e - e_t.k,
/// r = p - x, and k the change of the normal while x moves to the surface.
LineTouch newton(const PlacedImplicit& body, const Line& line, Three x, double t) {
  const double size = body.scale * body.shape->bounding_radius, limit = step_limit * size;
  LineTouch touch{x, {}, t, 0.0, false, false};
  for (int i = 0; i < newton_iterations; ++i) {
    const SurfaceHere here = surface_here(*body.shape, body.scale, touch.x);
    const Tangents frame = tangents(here.n);
    const Plane2 a = across(frame, here.bend);
    const Two turn = across(frame, here.bend * here.n), k{here.off * turn.x, here.off * turn.y};
    const Three r = line.from + touch.t * line.along - touch.x;
    const Two r_t = across(frame, r), e = across(frame, line.along);
    touch.phi = dot(here.n, r) - here.off;
    const double phi = touch.phi;
    Mat3 m = Mat3::Zero();
    m << 1.0 + phi * a.xx, phi * a.xy, -e.x, phi * a.xy, 1.0 + phi * a.yy, -e.y, a.xx * e.x + a.xy * e.y,
        a.xy * e.x + a.yy * e.y, 0.0;
    Vec3 right(r_t.x - phi * k.x, r_t.y - phi * k.y, -dot(here.n, line.along) - e.x * k.x - e.y * k.y);
    m.row(2) *= size;  // all without units
    right[2] *= size;
    if (line.is_vertex()) m(2, 2) = 1.0;
    // Flat along the edge: any point of it is a solution, and least squares give the nearest one.
    const Vec3 step = m.completeOrthogonalDecomposition().solve(right);
    const double length = step.norm();
    if (!(length < 1e10 * size)) return touch;
    const double shorter = length > limit ? limit / length : 1.0;
    const Two u{shorter * step[0], shorter * step[1]};
    touch.x = touch.x + along(frame, u) + std::clamp(here.off, -limit, limit) * here.n;
    touch.t += shorter * step[2];
    if (std::max(length, std::abs(here.off)) < newton_tolerance * size) {
      const Two au = a * u;
      touch.n = here.n + along(frame, {au.x + k.x, au.y + k.y});
      touch.n = (1.0 / norm(touch.n)) * touch.n;
      touch.phi = dot(touch.n, line.from + touch.t * line.along - touch.x);
      touch.converged = true;
      const double det = (1.0 + phi * a.xx) * (1.0 + phi * a.yy) - phi * phi * a.xy * a.xy;
      const Matrix2 g{1.0 + phi * a.xx, phi * a.xy, phi * a.xy, 1.0 + phi * a.yy};
      const Two ae = a * e, ge = solve(g, e);
      touch.is_least =
          det > 0.0 && 2.0 + phi * (a.xx + a.yy) > 0.0 && ge.x * ae.x + ge.y * ae.y >= -1e-9 / size;
      return touch;
    }
  }
  return touch;
}

/// The sample of the surface that is nearest to a point of the body's axes, m.
Three nearest_sample(const PlacedImplicit& body, Three p) {
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

/// A place found on one part.
struct LinePlace {
  LineTouch touch;
  std::uint32_t feature;
};

/// Limits of the search for the nearest places of edges and vertices.
struct Reach {
  double margin, depth;  // m
  bool holds(double phi) const { return phi <= margin && phi >= -depth; }
};

void search_line(const PlacedImplicit& body, const Line& line, const Reach& reach, std::uint32_t part,
                 std::span<const ImplicitStart> known, std::vector<LinePlace>& places) {
  const ImplicitShape& shape = *body.shape;
  const double size = body.scale * shape.bounding_radius, error = body.scale * shape.distances.error;
  const std::size_t first = places.size();
  const auto take = [&](const LineTouch& touch, std::uint32_t feature) {
    if (!touch.converged || !touch.is_least || !reach.holds(touch.phi)) return;
    if (touch.t < -reach.margin || touch.t > line.length + reach.margin) return;
    for (std::size_t k = first; k < places.size(); ++k)
      if (std::abs(places[k].touch.t - touch.t) < same_place * size &&
          norm(places[k].touch.x - touch.x) < same_place * size)
        return;
    const auto taken = [&](const LinePlace& p) { return p.feature == feature; };
    while (std::any_of(places.begin() + static_cast<std::ptrdiff_t>(first), places.end(), taken))
      feature = (feature & ~place_mask) | ((feature + (1u << place_shift)) & place_mask);
    places.push_back({touch, feature});
  };
  for (const ImplicitStart& s : known)
    if ((s.feature >> part_shift) == (part >> part_shift))
      take(newton(body, line, to_three(s.on_a), s.on_b.x()), s.feature);
  const auto point = [&](double t) { return line.from + t * line.along; };
  const auto apart = [&](double t) {
    return body.scale * distance(shape.distances, (1.0 / body.scale) * to_vec3(point(t)));
  };
  // Only parts within a ball about the body can be near.
  const double ball = size + reach.margin, middle = -dot(line.from, line.along);
  const double away = dot(point(middle), point(middle));
  if (away > ball * ball) return;
  const double half = std::sqrt(ball * ball - away);
  const double low = std::max(0.0, middle - half), high = std::min(line.length, middle + half);
  if (!(low <= high)) return;
  const double samples = (high - low) / (edge_spacing * size);
  const int count =
      line.is_vertex() ? 0 : 1 + static_cast<int>(samples < most_samples ? samples : most_samples);
  const double step = count > 0 ? (high - low) / count : 0.0;
  double before = infinity, here = apart(low);
  for (int k = 0; k <= count; ++k) {
    const double t = low + k * step, after = k < count ? apart(t + step) : infinity;
    if (here <= before && here <= after && here - error - 0.5 * step <= reach.margin)
      take(newton(body, line, nearest_sample(body, point(t)), t), part);
    before = here;
    here = after;
  }
}

/// The parts of a mesh near a body, each once.
struct NearParts {
  std::vector<std::int32_t> triangles, edges, vertices;  // one triangle per patch
};

void sort_out(std::vector<std::int32_t>& list) {
  std::ranges::sort(list);
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

NearParts parts_near(const PlacedImplicit& body, const MeshView& v, double reach) {
  const MeshSurface& m = v.mesh;
  NearParts near;
  const Vec3 centre = v.there(Vec3::Zero());
  const Vec3 half = Vec3::Constant(body.scale * body.shape->bounding_radius + reach);
  triangles_near(m, centre - half, centre + half, [&](std::int32_t t) {
    near.triangles.push_back(m.triangle_of_patch[m.patch[t]]);
    for (const std::int32_t e : m.edge_of[t])
      if (m.edges[e].is_sharp) near.edges.push_back(e);
    for (const std::int32_t p : m.triangles[t])
      if (m.is_corner[p]) near.vertices.push_back(p);
  });
  sort_out(near.triangles);
  sort_out(near.edges);
  sort_out(near.vertices);
  return near;
}

/// All places found, on faces and on lines.
struct MeshPlaces {
  std::vector<std::pair<PlaneWall, Place>> faces;
  std::vector<LinePlace> lines;
};

/// Places of one face, with features of this file; true if no further one can appear next to them.
bool search_face(const PlacedImplicit& body, const MeshView& v, std::int32_t triangle, const Reach& reach,
                 std::span<const ImplicitStart> known, MeshPlaces& places) {
  const PlaneWall wall = face_wall(v, triangle);
  if (wall.is_clear(body, reach.margin)) return true;
  const std::uint32_t part = feature_of(0, v.mesh.patch[triangle]);
  std::vector<ImplicitStart> of_part;
  for (const ImplicitStart& s : known) {
    if (s.feature < mesh_edge && (s.feature >> part_shift) == (part >> part_shift))
      of_part.push_back({s.on_a, s.on_b, known_place | (s.feature & place_mask)});
  }
  std::vector<Place> found;
  const bool settled = search(body, wall, reach.margin, reach.depth, of_part, found);
  std::uint64_t taken = 0;
  for (const Place& p : found)
    if (p.feature & known_place) taken |= std::uint64_t{1} << ((p.feature & place_mask) >> place_shift);
  for (Place& p : found) {
    std::uint32_t number = (p.feature & place_mask) >> place_shift;
    if (!(p.feature & known_place)) {
      number = static_cast<std::uint32_t>(std::countr_one(taken)) % places_of_part;
      taken |= std::uint64_t{1} << number;
    }
    p.feature = part | number << place_shift;
    places.faces.emplace_back(wall, p);
  }
  return settled;
}

/// Returns the motion that the next steps may make before all is searched again.
double search_all(const PlacedImplicit& body, const MeshView& v, const Reach& reach, double slack,
                  std::span<const ImplicitStart> known, MeshPlaces& places) {
  const NearParts near = parts_near(body, v, reach.margin);
  bool settled = true;
  for (const std::int32_t t : near.triangles) settled &= search_face(body, v, t, reach, known, places);
  for (const std::int32_t e : near.edges)
    search_line(body, edge_line(v, e), reach, feature_of(mesh_edge, e), known, places.lines);
  for (const std::int32_t p : near.vertices)
    search_line(body, vertex_line(v, p), reach, feature_of(mesh_vertex, p), known, places.lines);
  return settled ? slack : slack * hasty_wall_slack / wall_slack;
}

/// Follows all remembered places; false if any is lost or the memory is not valid so far.
bool follow(const PlacedImplicit& body, const MeshView& v, double margin, double depth,
            const PairMemory& memory, MeshPlaces& places) {
  if (!(memory.reach > -infinity)) return false;
  const double size = body.scale * body.shape->bounding_radius, moved = v.moved(memory, size);
  if (!(moved <= memory.slack && margin + moved <= memory.reach)) return false;
  for (const ImplicitStart& s : memory.starts) {
    const Three from = to_three(s.on_a);
    if (s.feature < mesh_edge) {
      const PlaneWall wall = face_wall(v, v.mesh.triangle_of_patch[part_of(s.feature)]);
      const WallTouch t = newton(body, wall, from);
      if (!t.converged || !is_least(t, size) || t.phi < -depth || norm(t.x - from) > step_limit * size)
        return false;
      places.faces.push_back({wall, {t, s.feature}});
    } else {
      const LineTouch t = newton(body, line_of(v, s.feature), from, s.on_b.x());
      if (!t.converged || !t.is_least || t.phi < -depth || norm(t.x - from) > step_limit * size) return false;
      places.lines.push_back({t, s.feature});
    }
  }
  return true;
}

/// Turns places into contacts.
class Output {
 public:
  Output(const PlacedImplicit& body, const MeshView& v, double margin, std::vector<Gap>& found)
      : body_(body),
        v_(v),
        margin_(margin),
        size_(body.scale * body.shape->bounding_radius),
        first_(found.size()),
        found_(found) {}

  void add_face(const PlaneWall& wall, const Place& p) {
    if (p.touch.phi > margin_) return;
    const std::int32_t patch = part_of(p.feature);
    add_with_ends(body_, wall, p, margin_, [&](const WallTouch& t, std::uint32_t feature) {
      if (is_over_patch(patch, v_.there(to_vec3(t.x + t.phi * t.n)))) add(t.x, t.n, t.phi, feature);
    });
  }

  void add_line(const LinePlace& p) {
    if (p.touch.phi > margin_) return;
    const Line line = line_of(v_, p.feature);
    add_line(line, p.touch, p.feature);
    if (line.is_vertex()) return;
    for (int k = 0; k < 2; ++k) {  // the ends of the flat part along the edge
      const double way = k == 0 ? -1.0 : 1.0;
      const auto aside = [&](double s) -> std::optional<LineTouch> {
        const double t = p.touch.t + way * s;
        if (t < 0.0 || t > line.length) return std::nullopt;
        const Line point{line.from + t * line.along, {0.0, 0.0, 0.0}, 0.0};
        LineTouch there = newton(body_, point, p.touch.x + (way * s) * line.along, 0.0);
        if (!there.converged) return std::nullopt;
        there.t = t;
        return there;
      };
      const LineTouch end = end_of_flat(p.touch, size_, aside);
      // Round ones have no such ends.
      if (std::abs(end.t - p.touch.t) > flat_width * size_ && end.phi <= margin_)
        add_line(line, end, p.feature + static_cast<std::uint32_t>(k) + 1);
    }
  }

 private:
  void add_line(const Line& line, const LineTouch& t, std::uint32_t feature) {
    if (t.t < 0.0 || t.t > line.length) return;
    const Vec3 normal = -(v_.turn.conjugate() * to_vec3(t.n));  // in the mesh's frame, towards the body
    const std::int32_t part = part_of(feature);
    const bool is_free = feature >= mesh_vertex ? is_free_of_edges(v_.mesh, part, normal)
                                                : is_free_of_faces(v_.mesh, v_.mesh.edges[part], normal);
    if (is_free) add(t.x, t.n, t.phi, feature);
  }

  bool is_over_patch(std::int32_t patch, const Vec3& foot) const {
    bool over = false;
    const Vec3 near = Vec3::Constant(1e-9 * size_);
    triangles_near(v_.mesh, foot - near, foot + near, [&](std::int32_t t) {
      over = over || (v_.mesh.patch[t] == patch && is_over(v_.mesh, t, foot, over_slack * size_));
    });
    return over;
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
  const MeshView& v_;
  double margin_, size_;
  std::size_t first_;
  std::vector<Gap>& found_;
};

}  // namespace

void contacts(const PlacedImplicit& body, const PlacedMesh& mesh, double margin, PairMemory& memory,
              std::vector<Gap>& found) {
  const MeshView v = view(body, mesh);
  const double size = body.scale * body.shape->bounding_radius,
               depth = body.scale * body.shape->smallest_length;
  MeshPlaces places;
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
  for (const LinePlace& p : places.lines) {
    memory.starts.push_back({to_vec3(p.touch.x), Vec3(p.touch.t, 0.0, 0.0), p.feature});
    output.add_line(p);
  }
}

double gap_acceleration(const PlacedImplicit& body, const PlacedMesh& mesh, const Gap& contact,
                        const Twist& twist, const WallMotion& wall) {
  // Over the size: motion in the difference, and movement of the points.
  constexpr double way = 1e-3, farthest = 0.05;
  const double size = body.scale * body.shape->bounding_radius;
  const Vec3 apart = twist.linear - wall.twist.linear - wall.twist.angular.cross(body.position - wall.centre);
  const double speed = apart.norm() + size * (twist.angular.norm() + wall.twist.angular.norm());
  if (!(speed > 0.0)) return 0.0;
  const double dt = way * size / speed;
  const Vec3 n = -contact.normal, on_body = contact.point - 0.5 * contact.distance * n;
  const Three x = to_three(body.rotation.transpose() * (on_body - body.position));
  const Vec3 on_mesh = contact.point + 0.5 * contact.distance * n;
  bool stays = true;  // else it is flat there: points move all over the patch, or are lost
  const auto at = [&](double t) {
    const Pose pose = moved({body.position, Quat(body.rotation)}, WallMotion{body.position, twist}, t);
    const PlacedImplicit there = place(*body.shape, pose, body.scale);
    const MeshView v = view(there, {mesh.mesh, moved(mesh.pose, wall, t)});
    const auto see = [&](const auto& touch) {
      stays = stays && touch.converged && norm(touch.x - x) <= farthest * size;
      return touch.phi;
    };
    if (contact.feature < mesh_edge)
      return see(newton(there, face_wall(v, v.mesh.triangle_of_patch[part_of(contact.feature)]), x));
    const Line line = line_of(v, contact.feature);
    const Vec3 from = mesh.pose.orientation.conjugate() * (on_mesh - mesh.pose.position);
    return see(newton(there, line, x, dot(to_three(v.here(from)) - line.from, line.along)));
  };
  const double second = (at(dt) - 2.0 * at(0.0) + at(-dt)) / (dt * dt);
  return stays ? second : 0.0;
}

}  // namespace scree
