#include "engine/geometry/mesh_repair.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/core/disjoint_sets.h"
#include "engine/geometry/mesh_surface.h"

namespace scree {

namespace {

using Triangle = std::array<std::int32_t, 3>;
using Cell = std::array<std::int64_t, 3>;
using Side = std::array<std::int32_t, 2>;  // points, the lower one first

constexpr double needle_angle = 0.0175;  // rad
constexpr double no_area = 1e-14;        // of the square of the longest edge
constexpr int most_passes = 64;          // an edge may have many junctions, and a triangle has three edges

Side side(std::int32_t a, std::int32_t b) { return {std::min(a, b), std::max(a, b)}; }

double area_of(const TriangleMesh& mesh, const Triangle& t) {
  const Vec3 &a = mesh.points[t[0]], &b = mesh.points[t[1]], &c = mesh.points[t[2]];
  return 0.5 * (b - a).cross(c - a).norm();
}

bool has_area(const TriangleMesh& mesh, const Triangle& t) {
  if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) return false;
  double longest = 0.0;
  for (std::size_t k = 0; k < 3; ++k)
    longest = std::max(longest, (mesh.points[t[(k + 1) % 3]] - mesh.points[t[k]]).squaredNorm());
  return area_of(mesh, t) > no_area * longest;
}

Cell cell_of(const Vec3& x, double edge) {
  return {std::llround(x[0] / edge), std::llround(x[1] / edge), std::llround(x[2] / edge)};
}

template <class F>
void for_cells_around(const Cell& at, F&& f) {
  for (std::int64_t k = 0; k < 27; ++k) f(Cell{at[0] + k % 3 - 1, at[1] + k / 3 % 3 - 1, at[2] + k / 9 - 1});
}

/// [point] the first point nearer than the tolerance, or itself.
std::vector<std::int32_t> first_near(const std::vector<Vec3>& points, double tolerance) {
  std::map<Cell, std::vector<std::int32_t>> taken;
  std::vector<std::int32_t> first(points.size());
  const double edge = std::max(tolerance, 1e-300);
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::int32_t found = -1;
    const Cell at = cell_of(points[i], edge);
    for_cells_around(at, [&](const Cell& cell) {
      const auto there = taken.find(cell);
      if (there == taken.end()) return;
      for (const std::int32_t other : there->second)
        if ((points[other] - points[i]).norm() <= tolerance && (found < 0 || other < found)) found = other;
    });
    first[i] = found < 0 ? static_cast<std::int32_t>(i) : found;
    if (found < 0) taken[at].push_back(static_cast<std::int32_t>(i));
  }
  return first;
}

/// Keeps only points used by triangles, in their order.
TriangleMesh compact(const TriangleMesh& mesh) {
  std::vector<std::int32_t> number(mesh.points.size(), -1);
  for (const Triangle& t : mesh.triangles)
    for (const std::int32_t p : t) number[p] = 0;
  TriangleMesh kept;
  for (std::size_t i = 0; i < number.size(); ++i)
    if (number[i] == 0) {
      number[i] = static_cast<std::int32_t>(kept.points.size());
      kept.points.push_back(mesh.points[i]);
    }
  for (const Triangle& t : mesh.triangles)
    kept.triangles.push_back({number[t[0]], number[t[1]], number[t[2]]});
  return kept;
}

/// A triangle at an edge: does it run from the lower point to the higher one?
struct Use {
  std::int32_t triangle;
  bool forth;
};
using Edges = std::map<Side, std::vector<Use>>;

Edges edges_of(const TriangleMesh& mesh) {
  Edges edges;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::int32_t a = mesh.triangles[t][k], b = mesh.triangles[t][(k + 1) % 3];
      if (a != b) edges[side(a, b)].push_back({static_cast<std::int32_t>(t), a < b});
    }
  return edges;
}

/// Points of open edges that are on other open edges, in the order of those.
std::vector<TJunction> junctions(const TriangleMesh& mesh, const Edges& edges, double tolerance) {
  std::vector<Side> open;
  std::vector<char> is_rim(mesh.points.size(), 0);
  double length = 0.0;
  for (const auto& [edge, uses] : edges) {
    if (uses.size() != 1) continue;
    open.push_back(edge);
    for (const std::int32_t p : edge) is_rim[p] = 1;
    length += (mesh.points[edge[1]] - mesh.points[edge[0]]).norm();
  }
  if (open.empty()) return {};
  // Cells as large as a mean edge, so that an edge crosses few cells and a cell contains few points.
  const double cell = std::max(length / static_cast<double>(open.size()), 4.0 * tolerance);
  std::map<Cell, std::vector<std::int32_t>> in_cell;
  for (std::size_t p = 0; p < is_rim.size(); ++p)
    if (is_rim[p] != 0) in_cell[cell_of(mesh.points[p], cell)].push_back(static_cast<std::int32_t>(p));
  std::vector<TJunction> found;
  for (const Side& edge : open) {
    const Vec3 &a = mesh.points[edge[0]], way = mesh.points[edge[1]] - a;
    const double long_m = way.norm();
    std::vector<std::pair<double, std::int32_t>> on;
    const auto look = [&](std::int32_t p) {
      if (p == edge[0] || p == edge[1]) return;
      const double along = way.dot(mesh.points[p] - a) / long_m;
      if (!(along > tolerance && along < long_m - tolerance)) return;
      if ((mesh.points[p] - a - along / long_m * way).norm() <= tolerance) on.emplace_back(along, p);
    };
    std::vector<Cell> cells;
    const auto steps = static_cast<std::int64_t>(std::ceil(2.0 * long_m / cell)) + 1;
    for (std::int64_t k = 0; k <= steps; ++k)
      for_cells_around(cell_of(a + static_cast<double>(k) / static_cast<double>(steps) * way, cell),
                       [&](const Cell& at) { cells.push_back(at); });
    std::ranges::sort(cells);
    cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
    for (const Cell& at : cells)
      if (const auto there = in_cell.find(at); there != in_cell.end())
        for (const std::int32_t p : there->second) look(p);
    std::ranges::sort(on);
    for (const auto& [along, p] : on) found.push_back({p, edge[0], edge[1]});
  }
  return found;
}

std::vector<MeshHole> holes_of(const TriangleMesh& mesh, const Edges& edges) {
  std::map<std::int32_t, std::vector<std::int32_t>> next;
  for (const auto& [edge, uses] : edges)
    if (uses.size() == 1) next[edge[uses[0].forth ? 0 : 1]].push_back(edge[uses[0].forth ? 1 : 0]);
  std::vector<MeshHole> holes;
  while (!next.empty()) {
    MeshHole hole;
    const std::int32_t start = next.begin()->first;
    for (std::int32_t at = start;;) {
      const auto to = next.find(at);
      if (to == next.end()) break;  // a rim of triangles that face opposite ways
      hole.points.push_back(at);
      at = to->second.back();
      to->second.pop_back();
      if (to->second.empty()) next.erase(to);
      if (at == start) break;
    }
    Eigen::AlignedBox3d box;
    for (const std::int32_t p : hole.points) box.extend(mesh.points[p]);
    hole.size = box.diagonal().norm();
    holes.push_back(std::move(hole));
  }
  return holes;
}

/// Does a segment pass through the inside of a triangle, and farther than the tolerance?
bool pierces(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b, const Vec3& c, double tolerance) {
  constexpr double inner = 1e-9;  // of the triangle's measure: touching is not crossing
  const Vec3 n = (b - a).cross(c - a);
  const double of_p = n.dot(p - a), of_q = n.dot(q - a),
               least = n.norm() * std::max(tolerance, inner * (q - p).norm());
  if (!(of_p * of_q < 0.0) || std::min(std::abs(of_p), std::abs(of_q)) <= least) return false;
  const Vec3 x = p + of_p / (of_p - of_q) * (q - p);
  const double whole = n.squaredNorm();
  return n.dot((b - a).cross(x - a)) > inner * whole && n.dot((c - b).cross(x - b)) > inner * whole &&
         n.dot((a - c).cross(x - c)) > inner * whole;
}

bool cross(const MeshSurface& mesh, std::int32_t s, std::int32_t t, double tolerance) {
  const Triangle &p = mesh.triangles[s], &q = mesh.triangles[t];
  for (const std::int32_t a : p)
    if (std::ranges::find(q, a) != q.end()) return false;  // neighbours
  const auto any = [&](const Triangle& of, const Triangle& through) {
    for (std::size_t k = 0; k < 3; ++k)
      if (pierces(mesh.points[of[k]], mesh.points[of[(k + 1) % 3]], mesh.points[through[0]],
                  mesh.points[through[1]], mesh.points[through[2]], tolerance))
        return true;
    return false;
  };
  return any(p, q) || any(q, p);
}

std::vector<std::array<std::int32_t, 2>> crossings_of(const TriangleMesh& mesh, double tolerance) {
  constexpr std::size_t most = 10000;
  MeshFindings findings;
  const MeshSurface surface = mesh_surface(mesh, findings);  // without degenerate triangles
  if (surface.triangles.size() != mesh.triangles.size()) return {};
  std::vector<std::array<std::int32_t, 2>> found;
  for (std::size_t s = 0; s < surface.triangles.size() && found.size() < most; ++s) {
    Eigen::AlignedBox3d box;
    for (const std::int32_t p : surface.triangles[s]) box.extend(surface.points[p]);
    triangles_near(surface, box.min(), box.max(), [&](std::int32_t t) {
      if (t > static_cast<std::int32_t>(s) && cross(surface, static_cast<std::int32_t>(s), t, tolerance))
        found.push_back({static_cast<std::int32_t>(s), t});
    });
  }
  return found;
}

/// Pieces connected by edges of two triangles, with the data whether they are closed.
struct Piece {
  std::vector<std::int32_t> triangles;
  bool closed = true;
  double volume = 0.0, area_kept = 0.0, area_flipped = 0.0;
};

}  // namespace

TriangleMesh welded(const TriangleMesh& mesh, double tolerance) {
  const std::vector<std::int32_t> first = first_near(mesh.points, tolerance);
  TriangleMesh joined{mesh.points, {}};
  std::map<Triangle, int> there;
  for (const Triangle& t : mesh.triangles) {
    const Triangle of{first[t[0]], first[t[1]], first[t[2]]};
    if (!has_area(joined, of)) continue;
    Triangle sorted = of;
    std::ranges::sort(sorted);
    if (there[sorted]++ == 0) joined.triangles.push_back(of);
  }
  return compact(joined);
}

TriangleMesh without_t_junctions(const TriangleMesh& mesh, double tolerance) {
  TriangleMesh cut = mesh;
  for (int pass = 0; pass < most_passes; ++pass) {
    const Edges edges = edges_of(cut);
    const std::vector<TJunction> found = junctions(cut, edges, tolerance);
    if (found.empty()) break;
    std::vector<char> done(cut.triangles.size(), 0);
    std::vector<Triangle> added;
    bool any = false;
    for (std::size_t k = 0; k < found.size();) {
      std::size_t end = k;
      while (end < found.size() && found[end].from == found[k].from && found[end].to == found[k].to) ++end;
      const Use use = edges.at({found[k].from, found[k].to}).front();
      if (done[use.triangle] == 0) {
        done[use.triangle] = 1;
        any = true;
        Triangle t = cut.triangles[use.triangle];
        // So that its first edge is this one.
        while (side(t[0], t[1]) != Side{found[k].from, found[k].to}) t = {t[1], t[2], t[0]};
        std::vector<std::int32_t> along{t[0]};
        for (std::size_t j = k; j < end; ++j) along.push_back(found[j].point);
        along.push_back(t[1]);
        if (!use.forth) std::reverse(along.begin() + 1, along.end() - 1);
        cut.triangles[use.triangle] = {along[0], along[1], t[2]};
        for (std::size_t j = 1; j + 1 < along.size(); ++j) added.push_back({along[j], along[j + 1], t[2]});
      }
      k = end;
    }
    cut.triangles.insert(cut.triangles.end(), added.begin(), added.end());
    // Triangles between a corner and a junction of the other side have no area.
    std::erase_if(cut.triangles, [&](const Triangle& t) { return !has_area(cut, t); });
    if (!any) break;
  }
  return cut;
}

TriangleMesh oriented(const TriangleMesh& mesh) {
  TriangleMesh turned = mesh;
  const Edges edges = edges_of(mesh);
  std::vector<std::vector<std::pair<std::int32_t, bool>>> neighbour(mesh.triangles.size());  // aligned?
  std::vector<char> is_open(mesh.triangles.size(), 0);
  for (const auto& [edge, uses] : edges) {
    if (uses.size() != 2) {
      for (const Use& use : uses) is_open[use.triangle] = 1;
      continue;
    }
    const bool same = uses[0].forth != uses[1].forth;
    neighbour[uses[0].triangle].emplace_back(uses[1].triangle, same);
    neighbour[uses[1].triangle].emplace_back(uses[0].triangle, same);
  }
  std::vector<signed char> turn(mesh.triangles.size(), 0);  // 1 unchanged, -1 reversed
  for (std::size_t start = 0; start < mesh.triangles.size(); ++start) {
    if (turn[start] != 0) continue;
    Piece piece;
    turn[start] = 1;
    piece.triangles.push_back(static_cast<std::int32_t>(start));
    const Vec3 origin = mesh.points[mesh.triangles[start][0]];
    for (std::size_t k = 0; k < piece.triangles.size(); ++k) {
      const std::int32_t t = piece.triangles[k];
      piece.closed = piece.closed && is_open[t] == 0;
      const auto& [a, b, c] = mesh.triangles[t];
      piece.volume +=
          turn[t] * (mesh.points[a] - origin).dot((mesh.points[b] - origin).cross(mesh.points[c] - origin));
      (turn[t] > 0 ? piece.area_kept : piece.area_flipped) += area_of(mesh, mesh.triangles[t]);
      for (const auto& [other, same] : neighbour[t]) {
        if (turn[other] != 0) continue;
        turn[other] = static_cast<signed char>(same ? turn[t] : -turn[t]);
        piece.triangles.push_back(other);
      }
    }
    const bool flip = piece.closed ? piece.volume < 0.0 : piece.area_flipped > piece.area_kept;
    for (const std::int32_t t : piece.triangles)
      if ((turn[t] < 0) != flip) std::swap(turned.triangles[t][1], turned.triangles[t][2]);
  }
  return turned;
}

MeshDiagnosis diagnose(const TriangleMesh& mesh, double tolerance) {
  MeshDiagnosis d;
  d.triangles = mesh.triangles.size();
  d.fault.assign(d.triangles, TriangleFault::none);
  const auto mark = [&](std::int32_t t, TriangleFault fault) { d.fault[t] = std::max(d.fault[t], fault); };
  std::vector<char> used(mesh.points.size(), 0);
  DisjointSets pieces(mesh.points.size());
  std::map<Triangle, int> there;
  for (std::size_t t = 0; t < d.triangles; ++t) {
    const Triangle& of = mesh.triangles[t];
    for (const std::int32_t p : of) used[p] = 1;
    for (const std::size_t k : {1, 2}) pieces.join(of[0], of[k]);
    Triangle sorted = of;
    std::ranges::sort(sorted);
    if (there[sorted]++ > 0) ++d.twice;
    if (!has_area(mesh, of)) {
      ++d.without_area;
      mark(static_cast<std::int32_t>(t), TriangleFault::needle);
      continue;
    }
    double least = infinity;
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3 a = mesh.points[of[(k + 1) % 3]] - mesh.points[of[k]],
                 b = mesh.points[of[(k + 2) % 3]] - mesh.points[of[k]];
      least = std::min(least, std::atan2(a.cross(b).norm(), a.dot(b)));
    }
    if (least < needle_angle) {
      ++d.needles;
      mark(static_cast<std::int32_t>(t), TriangleFault::needle);
    }
  }
  Eigen::AlignedBox3d box;
  std::vector<std::size_t> roots;
  for (std::size_t p = 0; p < used.size(); ++p) {
    if (used[p] == 0) continue;
    ++d.points;
    box.extend(mesh.points[p]);
    roots.push_back(pieces.first_of(p));
  }
  if (d.points > 0) d.low = box.min(), d.high = box.max();
  std::ranges::sort(roots);
  roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
  d.pieces = roots.size();
  const Edges edges = edges_of(mesh);
  std::map<std::size_t, bool> closed;
  std::map<std::size_t, double> volume;
  for (const std::size_t root : roots) closed[root] = true, volume[root] = 0.0;
  for (const auto& [edge, uses] : edges) {
    const bool is_turned = uses.size() == 2 && uses[0].forth == uses[1].forth;
    const TriangleFault fault = uses.size() == 1  ? TriangleFault::open
                                : uses.size() > 2 ? TriangleFault::crowded
                                : is_turned       ? TriangleFault::turned
                                                  : TriangleFault::none;
    if (fault == TriangleFault::none) continue;
    ++(fault == TriangleFault::open ? d.open_edges : is_turned ? d.turned_edges : d.crowded_edges);
    for (const Use& use : uses) mark(use.triangle, fault);
    closed[static_cast<std::size_t>(pieces.first_of(edge[0]))] = false;
  }
  for (const Triangle& t : mesh.triangles)
    volume[static_cast<std::size_t>(pieces.first_of(t[0]))] +=
        (mesh.points[t[0]] - d.low).dot((mesh.points[t[1]] - d.low).cross(mesh.points[t[2]] - d.low));
  for (const std::size_t root : roots) d.inside_out += closed[root] && volume[root] < 0.0 ? 1 : 0;
  const std::vector<std::int32_t> first = first_near(mesh.points, tolerance);
  for (std::size_t p = 0; p < first.size(); ++p)
    d.near_points += used[p] != 0 && first[p] != static_cast<std::int32_t>(p) ? 1 : 0;
  d.holes = holes_of(mesh, edges);
  d.t_junctions = junctions(mesh, edges, tolerance);
  d.crossings = crossings_of(mesh, tolerance);
  for (const auto& pair : d.crossings)
    for (const std::int32_t t : pair) mark(t, TriangleFault::crossing);
  return d;
}

}  // namespace scree
