#include "engine/geometry/ellipsoid_mesh.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/core/eigenbasis.h"
#include "engine/core/frames.h"
#include "engine/geometry/ellipsoid_walls.h"

namespace scree {

namespace {

using Touch = FrameTouch;

/// Along the edge the ellipsoid is an ellipse: its projection, with the matrix Q^T S Q.
Touch on_line(const FramedEllipsoid& g, const Vec3& from, const Vec3& along) {
  const auto [u, w] = tangents(along);
  const Vec3 su = g.matrix * u, sw = g.matrix * w;
  Mat2 shadow;
  shadow << u.dot(su), u.dot(sw), w.dot(su), w.dot(sw);
  const Mat2 turn = eigenbasis(shadow);
  const Vec2 squares = (turn.transpose() * shadow * turn).diagonal().cwiseMax(0.0);
  const Vec3 first = turn(0, 0) * u + turn(1, 0) * w, second = turn(0, 1) * u + turn(1, 1) * w,
             to = from - g.centre;
  const double a = std::sqrt(squares[0]), b = std::sqrt(squares[1]);
  // The third axis has any length; it has no effect.
  const Nearest p = nearest({{a, b, a}}, {to.dot(first), to.dot(second), 0.0});
  const Vec3 n = -(p.normal[0] * first + p.normal[1] * second), sn = g.matrix * n;
  const Vec3 deepest = g.centre - sn / std::sqrt(n.dot(sn));
  return {n, from + along.dot(deepest - from) * along, p.distance};
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
    if (is_over(m_, triangle, face.at, 1e-12 * size_))
      add(face, static_cast<std::uint32_t>(m_.patch[triangle]));
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
      if (is_near(touch) && is_free_of_edges(m_, v, touch.normal))
        add(touch, mesh_vertex + static_cast<std::uint32_t>(v));
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
    const Touch touch = on_line(g_, from, along);
    const double at = along.dot(touch.at - from);
    if (is_near(touch) && at >= 0.0 && at <= length && is_free_of_faces(m_, edge, touch.normal))
      add(touch, mesh_edge + number);
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
};

/// The distance from one feature only, at any place of contact.
double distance_from(const FramedEllipsoid& g, const MeshSurface& m, std::uint32_t feature,
                     std::int32_t face) {
  const auto number = static_cast<std::int32_t>(feature & (mesh_edge - 1));
  if (feature >= mesh_vertex) return on_point(g, m.points[number]).distance;
  if (feature >= mesh_edge) {
    const Vec3& from = m.points[m.edges[number].from];
    return on_line(g, from, (m.points[m.edges[number].to] - from).normalized()).distance;
  }
  return on_plane(g, m.points[m.triangles[face][0]], m.normals[face]).distance;
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
  const auto at = [&](double t) {
    return distance_from(in_frame(shape, moved(pose, WallMotion{pose.position, motion.body}, t),
                                  moved(mesh.pose, motion.wall, t)),
                         m, contact.feature, face);
  };
  const double dt = difference_time(shape, pose, motion);
  return (at(dt) - 2.0 * contact.distance + at(-dt)) / (dt * dt);
}

namespace {

/// The squared distance of the origin from a triangle: over its face, or from the nearest of its edges.
double squared_distance(const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 normal = (b - a).cross(c - a);
  const auto inside = [&](const Vec3& from, const Vec3& to) {
    return normal.cross(to - from).dot(-from) >= 0.0;
  };
  if (const double area = normal.squaredNorm(); area > 0.0 && inside(a, b) && inside(b, c) && inside(c, a))
    return normal.dot(a) * normal.dot(a) / area;
  const auto of_edge = [](const Vec3& from, const Vec3& to) {
    const Vec3 along = to - from;
    const double length = along.squaredNorm();
    const double at = length > 0.0 ? std::clamp(-from.dot(along) / length, 0.0, 1.0) : 0.0;
    return (from + at * along).squaredNorm();
  };
  return std::min({of_edge(a, b), of_edge(b, c), of_edge(c, a)});
}

}  // namespace

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
