#include "engine/geometry/ellipsoid_mesh.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/geometry/ellipsoid_walls.h"

namespace scree {

namespace {

using Touch = FrameTouch;

/// The squared distance of the origin from an edge.
double squared_distance(const Vec3& from, const Vec3& to) {
  const Vec3 along = to - from;
  const double length = along.squaredNorm();
  const double at = length > 0.0 ? std::clamp(-from.dot(along) / length, 0.0, 1.0) : 0.0;
  return (from + at * along).squaredNorm();
}

/// From a triangle: over its face, or from the nearest of its edges.
double squared_distance(const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 normal = (b - a).cross(c - a);
  const auto inside = [&](const Vec3& from, const Vec3& to) {
    return normal.cross(to - from).dot(-from) >= 0.0;
  };
  if (const double area = normal.squaredNorm(); area > 0.0 && inside(a, b) && inside(b, c) && inside(c, a))
    return normal.dot(a) * normal.dot(a) / area;
  return std::min({squared_distance(a, b), squared_distance(b, c), squared_distance(c, a)});
}

/// Contacts in the frame of the mesh, each face, edge and vertex once.
class Collector {
 public:
  Collector(const FramedEllipsoid& g, const MeshSurface& m, double margin)
      : g_(g),
        m_(m),
        margin_(margin),
        depth_(g.shape.semi_axes.minCoeff()),
        size_(g.shape.semi_axes.maxCoeff()) {}

  void look_at(std::int32_t triangle) {
    const std::array<std::int32_t, 3>& t = m_.triangles[triangle];
    const Touch face = on_plane(g_, m_.points[t[0]], m_.normals[triangle]);
    if (face.distance > margin_) return;  // then its edges and vertices are farther too
    if (is_over(m_, triangle, face.at, 1e-12 * size_)) {
      const auto patch = static_cast<std::uint32_t>(m_.patch[triangle]);
      if (face.distance >= 0.0 || covers_its_place(g_, face))
        add(face, patch);
      else
        in_doubt_.emplace_back(face, patch);
    }
    for (const std::int32_t e : m_.edge_of[triangle])
      if (m_.edges[e].is_sharp) edges_.push_back(e);
    for (const std::int32_t v : t)
      if (m_.is_corner[v]) vertices_.push_back(v);
  }

  /// After the triangles: their shared edges and vertices, each once.
  void look_at_edges_and_vertices() {
    for (std::vector<std::int32_t>* list : {&edges_, &vertices_}) {
      std::ranges::sort(*list);
      list->erase(std::unique(list->begin(), list->end()), list->end());
    }
    for (const std::int32_t e : edges_) look_at_edge(m_.edges[e], static_cast<std::uint32_t>(e));
    for (const std::int32_t v : vertices_) {
      if (!((m_.points[v] - g_.centre).norm() <= size_ + margin_)) continue;
      const Touch touch = on_point(g_, m_.points[v]);
      const std::uint32_t feature = mesh_vertex + static_cast<std::uint32_t>(v);
      if (!is_near(touch)) continue;
      if (is_free_of_edges(m_, v, touch.normal)) {
        add(touch, feature);
      } else if (touch.distance < 0.0) {
        const auto far = on_far_side_of_point(g_, m_.points[v]);
        if (far && is_near(*far) && is_free_of_edges(m_, v, far->normal))
          in_doubt_.emplace_back(*far, feature);
      }
    }
  }

  /// Last, the least deep first. A face: no adjoining one that the body touches from the other side is less
  /// deep, else the body is on that one, beyond the ridge between the two. If the face's place is not in the
  /// body: its patch reaches into the body, and no edge or vertex of it is less deep, else the body is beside
  /// it. The far side of an edge or a vertex: if there is no other contact.
  void decide_doubts(const Vec3& low, const Vec3& high) {
    const auto is_deep_face = [](const auto& f) { return f.second < mesh_edge && f.first.distance < 0.0; };
    if (in_doubt_.empty() && std::ranges::count_if(found, is_deep_face) < 2) return;
    std::ranges::sort(in_doubt_, [](const auto& a, const auto& b) {
      return a.first.distance != b.first.distance ? a.first.distance > b.first.distance : a.second < b.second;
    });
    std::vector<std::int32_t> near;
    triangles_near(m_, low, high, [&](std::int32_t t) { near.push_back(t); });
    std::vector<std::uint32_t> beyond;
    for (const auto& f : found)
      if (is_deep_face(f) && is_beyond_a_ridge(f.first, f.second, near)) beyond.push_back(f.second);
    std::erase_if(found, [&](const auto& f) { return std::ranges::count(beyond, f.second) > 0; });
    const auto rivals = [&](std::uint32_t feature, auto&& is_rival) {
      return std::ranges::any_of(found, [&](const auto& f) {
        return is_rival(f.first) && std::ranges::any_of(near, [&](std::int32_t t) {
                 return has(t, feature) && std::ranges::any_of(near, [&](std::int32_t other) {
                          return m_.patch[other] == m_.patch[t] && has(other, f.second);
                        });
               });
      });
    };
    for (const auto& [touch, feature] : in_doubt_) {
      if (feature < mesh_edge) {
        const bool reaches =
            std::ranges::any_of(near, [&](std::int32_t t) { return has(t, feature) && reaches_in(t); });
        if (!reaches) continue;
        if (rivals(feature,
                   [&](const Touch& f) { return f.distance > touch.distance && f.distance < 0.0; }) ||
            is_beyond_a_ridge(touch, feature, near))
          continue;
      } else if (rivals(feature, [](const Touch&) { return true; })) {
        continue;
      }
      add(touch, feature);
    }
  }

  std::vector<std::pair<Touch, std::uint32_t>> found;

 private:
  bool is_near(const Touch& t) const { return t.distance <= margin_ && t.distance >= -depth_; }

  void look_at_edge(const MeshSurface::Edge& edge, std::uint32_t number) {
    const Vec3 &from = m_.points[edge.from], way = m_.points[edge.to] - from;
    const double length = way.norm();
    const Vec3 along = way / length, to = g_.centre - from;
    if (!((to - along.dot(to) * along).norm() <= size_ + margin_)) return;
    const LineView line(g_, from, along);
    const Touch touch = line.touch();
    const auto is_on_it = [&](const Touch& t) {
      const double at = along.dot(t.at - from);
      return at >= 0.0 && at <= length && is_free_of_faces(m_, edge, t.normal);
    };
    if (!is_near(touch)) return;
    // If its place is not in the body, the edge may pass beside it.
    const auto reaches_in = [&] {
      return squared_distance(in_ball(from), in_ball(m_.points[edge.to])) < 1.0;
    };
    if (is_on_it(touch)) {
      if (touch.distance >= 0.0 || covers_its_place(g_, touch) || reaches_in())
        add(touch, mesh_edge + number);
    } else if (touch.distance < 0.0 && reaches_in()) {
      const auto far = line.touch_on_far_side();
      if (far && is_near(*far) && is_on_it(*far)) in_doubt_.emplace_back(*far, mesh_edge + number);
    }
  }

  /// Is a feature, by its number, a part of a triangle?
  bool has(std::int32_t triangle, std::uint32_t feature) const {
    const auto number = static_cast<std::int32_t>(feature & (mesh_edge - 1));
    if (feature < mesh_edge) return m_.patch[triangle] == number;
    return std::ranges::count(feature < mesh_vertex ? m_.edge_of[triangle] : m_.triangles[triangle], number) >
           0;
  }

  /// How two triangles that share a corner lie, seen with the normals of their contacts: each before the
  /// other one (a hollow corner), each behind it (a ridge), or one before and one behind (beyond a ridge).
  /// Windings do not matter: where sheets meet in a T, they cannot agree.
  enum class Fold { apart, hollow, ridge, beyond };
  Fold fold(std::int32_t t, const Vec3& n_t, std::int32_t o, const Vec3& n_o) const {
    const auto& of_t = m_.triangles[t];
    const auto& of_o = m_.triangles[o];
    const auto shared =
        std::ranges::find_if(of_t, [&](std::int32_t p) { return std::ranges::count(of_o, p) > 0; });
    if (shared == of_t.end()) return Fold::apart;
    const Vec3& corner = m_.points[*shared];
    const auto is_before = [&](const std::array<std::int32_t, 3>& points, const Vec3& n) {
      double highest = 0.0;
      for (const std::int32_t p : points) {
        const double height = n.dot(m_.points[p] - corner);
        if (std::abs(height) > std::abs(highest)) highest = height;
      }
      return highest > 0.0;
    };
    const bool t_before_o = is_before(of_t, n_o), o_before_t = is_before(of_o, n_t);
    if (t_before_o != o_before_t) return Fold::beyond;
    return t_before_o ? Fold::hollow : Fold::ridge;
  }
  bool is_beyond_a_ridge(const Touch& touch, std::uint32_t feature,
                         const std::vector<std::int32_t>& near) const {
    return std::ranges::any_of(found, [&](const auto& f) {
      const auto& [other, other_feature] = f;
      if (other_feature >= mesh_edge || !(other.distance > touch.distance && other.distance < 0.0))
        return false;
      bool is_beyond = false;
      for (const std::int32_t t : near) {
        if (!has(t, feature)) continue;
        for (const std::int32_t o : near) {
          if (!has(o, other_feature)) continue;
          const Fold at = fold(t, touch.normal, o, other.normal);
          if (at == Fold::hollow) return false;
          is_beyond = is_beyond || at == Fold::beyond;
        }
      }
      return is_beyond;
    });
  }

  /// A point where the ellipsoid is the unit ball.
  Vec3 in_ball(const Vec3& x) const {
    return Vec3(g_.axes.transpose() * (x - g_.centre)).cwiseQuotient(g_.shape.semi_axes);
  }
  bool reaches_in(std::int32_t triangle) const {
    const std::array<std::int32_t, 3>& t = m_.triangles[triangle];
    return squared_distance(in_ball(m_.points[t[0]]), in_ball(m_.points[t[1]]), in_ball(m_.points[t[2]])) <
           1.0;
  }

  /// Leaves out a contact that exists already, under the same name or from another feature at the same place.
  void add(const Touch& touch, std::uint32_t feature) {
    for (const auto& [other, name] : found)
      if (name == feature || is_same(other, touch, size_)) return;
    found.emplace_back(touch, feature);
  }

  const FramedEllipsoid& g_;
  const MeshSurface& m_;
  double margin_, depth_, size_;
  std::vector<std::int32_t> edges_, vertices_;
  std::vector<std::pair<Touch, std::uint32_t>> in_doubt_;
};

/// The distance from one feature only, at any place of contact; before, it touched with that normal.
double distance_from(const FramedEllipsoid& g, const MeshSurface& m, std::uint32_t feature, std::int32_t face,
                     const Vec3& before) {
  const auto number = static_cast<std::int32_t>(feature & (mesh_edge - 1));
  if (feature < mesh_edge) return on_plane(g, m.points[m.triangles[face][0]], m.normals[face]).distance;
  const auto choose = [&](const Touch& near, auto&& look_far) {
    if (!(near.distance < 0.0) || near.normal.dot(before) > 0.9) return near.distance;
    const std::optional<Touch> far = look_far();
    return far && far->normal.dot(before) > near.normal.dot(before) ? far->distance : near.distance;
  };
  if (feature >= mesh_vertex) {
    const Vec3& point = m.points[number];
    return choose(on_point(g, point), [&] { return on_far_side_of_point(g, point); });
  }
  const Vec3& from = m.points[m.edges[number].from];
  const LineView line(g, from, (m.points[m.edges[number].to] - from).normalized());
  return choose(line.touch(), [&] { return line.touch_on_far_side(); });
}

}  // namespace

void contacts(const Ellipsoid& shape, const Pose& pose, const PlacedMesh& mesh, double margin,
              std::vector<Gap>& found) {
  const MeshSurface& m = *mesh.mesh;
  const FramedEllipsoid g = in_frame(shape, pose, mesh.pose);
  const Vec3 half = g.matrix.diagonal().cwiseSqrt() + Vec3::Constant(margin);
  Collector collector(g, m, margin);
  triangles_near(m, g.centre - half, g.centre + half, [&](std::int32_t t) { collector.look_at(t); });
  collector.look_at_edges_and_vertices();
  collector.decide_doubts(g.centre - half, g.centre + half);
  std::ranges::sort(collector.found, {}, [](const auto& f) { return f.second; });
  for (const auto& [touch, feature] : collector.found) {
    Gap gap;
    gap.normal = mesh.pose.orientation * touch.normal;
    gap.distance = touch.distance;
    gap.point = mesh.pose.position + mesh.pose.orientation * touch.at + 0.5 * touch.distance * gap.normal;
    gap.feature = feature;
    gap.is_sharp = feature >= mesh_edge;
    found.push_back(gap);
  }
}

double gap_acceleration(const Ellipsoid& shape, const Pose& pose, const PlacedMesh& mesh, const Gap& contact,
                        const PairMotion& motion) {
  const MeshSurface& m = *mesh.mesh;
  std::int32_t face = -1;
  if (contact.feature < mesh_edge) face = m.triangle_of_patch[contact.feature];
  const Vec3 before = mesh.pose.orientation.conjugate() * contact.normal;
  const auto at = [&](double t) {
    return distance_from(in_frame(shape, moved(pose, WallMotion{pose.position, motion.body}, t),
                                  moved(mesh.pose, motion.wall, t)),
                         m, contact.feature, face, before);
  };
  const double dt = difference_time(shape, pose, motion);
  return (at(dt) - 2.0 * contact.distance + at(-dt)) / (dt * dt);
}

bool reaches_into(const Ellipsoid& shape, const Pose& pose, const PlacedMesh& placed) {
  const MeshSurface& mesh = *placed.mesh;
  // In the mesh's axes the ellipsoid, and in units of its semi-axes the unit ball.
  const Quat turn = placed.pose.orientation.conjugate() * pose.orientation;
  const Vec3 centre = placed.pose.orientation.conjugate() * (pose.position - placed.pose.position);
  const Vec3 half = (turn.toRotationMatrix() * shape.semi_axes.asDiagonal()).rowwise().norm();
  const auto in_ball = [&](std::int32_t vertex) {
    const Vec3& x = mesh.points[vertex];
    return Vec3((turn.conjugate() * (x - centre)).cwiseQuotient(shape.semi_axes));
  };
  bool any = false;
  triangles_near(mesh, centre - half, centre + half, [&](std::int32_t triangle) {
    const auto& corner = mesh.triangles[triangle];
    any = any || squared_distance(in_ball(corner[0]), in_ball(corner[1]), in_ball(corner[2])) < 1.0;
  });
  return any;
}

}  // namespace scree
