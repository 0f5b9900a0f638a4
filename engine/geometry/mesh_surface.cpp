#include "engine/geometry/mesh_surface.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace scree {

namespace {

constexpr double same_corner = 1e-9;     // of the size
constexpr double same_plane = 1e-7;      // rad: normals of one patch
constexpr double needle_angle = 0.0175;  // rad
constexpr std::int32_t leaf_size = 4;
// Allowed cosine between a normal of an edge or a vertex and the faces that meet there.
constexpr double clear_of_faces = 1e-9;

/// [vertex] number of its corner, with the corners.
std::vector<std::int32_t> join_corners(const std::vector<Vec3>& points, double size,
                                       std::vector<Vec3>& corners) {
  // Cells of the size of the tolerance: near points are in the same cell or in the next one.
  const double cell = std::max(same_corner * size, 1e-300);
  std::map<std::array<std::int64_t, 3>, std::int32_t> taken;
  std::vector<std::int32_t> corner_of(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::array<std::int64_t, 3> at;
    for (std::size_t k = 0; k < 3; ++k) at[k] = std::llround(points[i][static_cast<Eigen::Index>(k)] / cell);
    std::int32_t found = -1;
    for (int k = 0; k < 27 && found < 0; ++k) {
      const auto it = taken.find({at[0] + k % 3 - 1, at[1] + k / 3 % 3 - 1, at[2] + k / 9 - 1});
      if (it != taken.end()) found = it->second;
    }
    if (found < 0) {
      found = static_cast<std::int32_t>(corners.size());
      corners.push_back(points[i]);
      taken[at] = found;
    }
    corner_of[i] = found;
  }
  return corner_of;
}

double least_angle(const Vec3& a, const Vec3& b, const Vec3& c) {
  const auto at = [](const Vec3& p, const Vec3& q, const Vec3& r) {
    return std::atan2((q - p).cross(r - p).norm(), (q - p).dot(r - p));
  };
  return std::min({at(a, b, c), at(b, c, a), at(c, a, b)});
}

void add_triangles(MeshSurface& m, const std::vector<std::array<std::int32_t, 3>>& given,
                   const std::vector<std::int32_t>& corner_of, double size, MeshFindings& findings) {
  std::map<std::array<std::int32_t, 3>, int> there;
  for (const std::array<std::int32_t, 3>& t : given) {
    std::array<std::int32_t, 3> c;
    for (std::size_t k = 0; k < 3; ++k) c[k] = corner_of[t[k]];
    std::array<std::int32_t, 3> sorted = c;
    std::ranges::sort(sorted);
    const Vec3 &p = m.points[c[0]], &q = m.points[c[1]], &r = m.points[c[2]];
    const Vec3 n = (q - p).cross(r - p);
    const double longest = std::max({(q - p).norm(), (r - q).norm(), (p - r).norm()});
    if (!(n.norm() > same_corner * size * longest) || !there.try_emplace(sorted, 0).second) {
      ++findings.dropped;
      continue;
    }
    if (least_angle(p, q, r) < needle_angle) ++findings.needles;
    m.triangles.push_back(c);
    m.normals.push_back(n.normalized());
  }
  findings.triangles = m.triangles.size();
}

/// A side of a triangle: its ends, sorted, and the triangle.
struct TriangleSide {
  std::int32_t low, high, triangle, number;
  auto operator<=>(const TriangleSide&) const = default;
};

void add_edges(MeshSurface& m, MeshFindings& findings) {
  std::vector<TriangleSide> sides;
  for (std::size_t t = 0; t < m.triangles.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::int32_t a = m.triangles[t][k], b = m.triangles[t][(k + 1) % 3];
      sides.push_back(
          {std::min(a, b), std::max(a, b), static_cast<std::int32_t>(t), static_cast<std::int32_t>(k)});
    }
  }
  std::ranges::sort(sides);
  m.edge_of.resize(m.triangles.size());
  for (std::size_t first = 0; first < sides.size();) {
    std::size_t end = first;
    while (end < sides.size() && sides[end].low == sides[first].low && sides[end].high == sides[first].high)
      ++end;
    const auto faces = static_cast<std::int32_t>(end - first);
    MeshSurface::Edge edge{sides[first].low, sides[first].high,
                           static_cast<std::int32_t>(m.face_of_edge.size()), faces, true};
    const Vec3 &p = m.points[edge.from], along = (m.points[edge.to] - p).normalized();
    bool turned = false;
    for (std::size_t k = first; k < end; ++k) {
      const TriangleSide& s = sides[k];
      const std::array<std::int32_t, 3>& t = m.triangles[s.triangle];
      const Vec3 to = m.points[t[(s.number + 2) % 3]] - p;
      m.face_of_edge.push_back(s.triangle);
      m.into_face.push_back((to - to.dot(along) * along).normalized());
      m.edge_of[s.triangle][s.number] = static_cast<std::int32_t>(m.edges.size());
      if (k > first && (t[s.number] == edge.from) ==
                           (m.triangles[sides[first].triangle][sides[first].number] == edge.from))
        turned = true;
    }
    if (faces == 2) {
      // In one plane: both extend from the edge in opposite directions.
      const Vec3 &a = m.into_face[edge.first_face], &b = m.into_face[edge.first_face + 1];
      edge.is_sharp = !((a + b).norm() < same_plane);
    }
    if (faces == 1) ++findings.open_edges;
    if (faces > 2) ++findings.crowded_edges;
    if (faces == 2 && turned) ++findings.turned_edges;
    m.edges.push_back(edge);
    first = end;
  }
}

void add_neighbours(MeshSurface& m) {
  m.first_neighbour.assign(m.points.size() + 1, 0);
  m.is_corner.assign(m.points.size(), 0);
  for (const MeshSurface::Edge& e : m.edges) {
    ++m.first_neighbour[e.from + 1];
    ++m.first_neighbour[e.to + 1];
    if (e.is_sharp) m.is_corner[e.from] = m.is_corner[e.to] = 1;
  }
  std::partial_sum(m.first_neighbour.begin(), m.first_neighbour.end(), m.first_neighbour.begin());
  m.neighbour.resize(2 * m.edges.size());
  std::vector<std::int32_t> next(m.first_neighbour.begin(), m.first_neighbour.end() - 1);
  for (const MeshSurface::Edge& e : m.edges) {
    m.neighbour[next[e.from]++] = e.to;
    m.neighbour[next[e.to]++] = e.from;
  }
}

void add_patches(MeshSurface& m) {
  m.patch.assign(m.triangles.size(), -1);
  std::vector<std::int32_t> waiting;
  for (std::size_t t = 0; t < m.triangles.size(); ++t) {
    if (m.patch[t] >= 0) continue;
    const auto patch = static_cast<std::int32_t>(m.triangle_of_patch.size());
    m.patch[t] = patch;
    waiting.push_back(static_cast<std::int32_t>(t));
    while (!waiting.empty()) {
      const std::int32_t at = waiting.back();
      waiting.pop_back();
      for (const std::int32_t e : m.edge_of[at]) {
        const MeshSurface::Edge& edge = m.edges[e];
        if (edge.is_sharp) continue;
        for (std::int32_t k = edge.first_face; k < edge.first_face + edge.faces; ++k) {
          const std::int32_t other = m.face_of_edge[k];
          if (m.patch[other] >= 0) continue;
          m.patch[other] = patch;
          waiting.push_back(other);
        }
      }
    }
    m.triangle_of_patch.push_back(static_cast<std::int32_t>(t));
  }
}

/// Fills node `at` with order[first, first + count), halved at the middle triangle along the longest side.
void divide(MeshSurface& m, const std::vector<Vec3>& middles, std::size_t at, std::int32_t first,
            std::int32_t count) {
  Vec3 low = Vec3::Constant(infinity), high = -low, least = low, most = high;
  for (std::int32_t k = first; k < first + count; ++k) {
    const std::int32_t t = m.order[k];
    for (const std::int32_t v : m.triangles[t]) {
      low = low.cwiseMin(m.points[v]);
      high = high.cwiseMax(m.points[v]);
    }
    least = least.cwiseMin(middles[t]);
    most = most.cwiseMax(middles[t]);
  }
  m.nodes[at] = {low, high, first, count};
  if (count <= leaf_size) return;
  Eigen::Index axis = 0;
  (most - least).maxCoeff(&axis);
  const std::int32_t half = count / 2;
  const auto begin = m.order.begin() + first;
  std::nth_element(begin, begin + half, begin + count, [&](std::int32_t a, std::int32_t b) {
    return std::pair(middles[a][axis], a) < std::pair(middles[b][axis], b);
  });
  const std::size_t child = m.nodes.size();
  m.nodes.resize(child + 2);
  divide(m, middles, child, first, half);
  divide(m, middles, child + 1, first + half, count - half);
  m.nodes[at].first = static_cast<std::int32_t>(child);
  m.nodes[at].count = 0;
}

}  // namespace

bool is_over(const MeshSurface& m, std::int32_t triangle, const Vec3& point, double slack) {
  const std::array<std::int32_t, 3>& t = m.triangles[triangle];
  const Vec3& n = m.normals[triangle];
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3 &a = m.points[t[k]], &b = m.points[t[(k + 1) % 3]];
    if (n.dot((b - a).cross(point - a)) < -slack * (b - a).norm()) return false;
  }
  return true;
}

bool is_free_of_faces(const MeshSurface& m, const MeshSurface::Edge& edge, const Vec3& normal) {
  for (std::int32_t k = edge.first_face; k < edge.first_face + edge.faces; ++k)
    if (normal.dot(m.into_face[k]) > clear_of_faces) return false;
  return true;
}

bool is_free_of_edges(const MeshSurface& m, std::int32_t vertex, const Vec3& normal) {
  for (std::int32_t k = m.first_neighbour[vertex]; k < m.first_neighbour[vertex + 1]; ++k) {
    const Vec3 to = m.points[m.neighbour[k]] - m.points[vertex];
    if (normal.dot(to) > clear_of_faces * to.norm()) return false;
  }
  return true;
}

PlacedMesh moved(const PlacedMesh& placed, const Pose& motion) {
  return {placed.mesh,
          {motion.position + motion.orientation * placed.pose.position,
           motion.orientation * placed.pose.orientation}};
}

std::optional<WallExtent> extent_of(const PlacedMesh& placed) {
  const MeshSurface& m = *placed.mesh;
  const Vec3 middle = 0.5 * (m.low() + m.high()), half = 0.5 * (m.high() - m.low());
  return WallExtent{placed.pose.position + placed.pose.orientation * middle,
                placed.pose.orientation.toRotationMatrix().cwiseAbs() * half};
}

MeshSurface mesh_surface(const TriangleMesh& given, MeshFindings& findings) {
  MeshSurface m;
  Vec3 low = Vec3::Constant(infinity), high = -low;
  for (const Vec3& v : given.points) {
    low = low.cwiseMin(v);
    high = high.cwiseMax(v);
  }
  const double size = given.points.empty() ? 0.0 : (high - low).maxCoeff();
  const std::vector<std::int32_t> corner_of = join_corners(given.points, size, m.points);
  add_triangles(m, given.triangles, corner_of, size, findings);
  add_edges(m, findings);
  add_neighbours(m);
  add_patches(m);
  std::vector<Vec3> middles;
  for (const std::array<std::int32_t, 3>& t : m.triangles)
    middles.push_back((m.points[t[0]] + m.points[t[1]] + m.points[t[2]]) / 3.0);
  m.order.resize(m.triangles.size());
  std::iota(m.order.begin(), m.order.end(), 0);
  if (!m.order.empty()) {
    m.nodes.resize(1);
    divide(m, middles, 0, 0, static_cast<std::int32_t>(m.order.size()));
  }
  return m;
}

}  // namespace scree
