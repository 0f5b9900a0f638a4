#include "engine/geometry/triangle_mesh.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "engine/core/random.h"

namespace scree {

namespace {

using Triangle = std::array<std::int32_t, 3>;

const Vec3& corner(const TriangleMesh& mesh, const Triangle& t, std::size_t k) { return mesh.points[t[k]]; }

std::string several(std::size_t count, const char* what) {
  return std::to_string(count) + ' ' + what + (count == 1 ? "" : "s");
}

/// Number of pieces connected by shared points.
std::size_t pieces(const TriangleMesh& mesh) {
  std::vector<std::size_t> parent(mesh.points.size());
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](std::size_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  for (const Triangle& t : mesh.triangles) {
    for (const std::size_t k : {1, 2})
      parent[root(static_cast<std::size_t>(t[k]))] = root(static_cast<std::size_t>(t[0]));
  }
  std::vector<std::size_t> roots;
  for (const Triangle& t : mesh.triangles) roots.push_back(root(static_cast<std::size_t>(t[0])));
  std::ranges::sort(roots);
  return static_cast<std::size_t>(std::unique(roots.begin(), roots.end()) - roots.begin());
}

}  // namespace

std::vector<std::string> mesh_faults(const TriangleMesh& mesh) {
  if (mesh.triangles.empty()) return {"has no triangles"};
  for (const Triangle& t : mesh.triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      if (!corner(mesh, t, k).allFinite()) return {"has coordinates that are not finite"};
    }
  }
  struct Uses {
    int forth = 0, back = 0;
  };
  std::map<std::array<std::int32_t, 2>, Uses> edges;
  for (const Triangle& t : mesh.triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::int32_t a = t[k], b = t[(k + 1) % 3];
      Uses& uses = edges[{std::min(a, b), std::max(a, b)}];
      ++(a < b ? uses.forth : uses.back);
    }
  }
  std::size_t open = 0, crowded = 0, against = 0;
  for (const auto& [edge, uses] : edges) {
    const int all = uses.forth + uses.back;
    if (all == 1) ++open;
    if (all > 2) ++crowded;
    if (all == 2 && uses.forth != 1) ++against;
  }
  std::vector<std::string> faults;
  if (open > 0)
    faults.push_back("is not closed: " + several(open, "edge") +
                     " with only one triangle, at the rims of holes");
  if (crowded > 0) faults.push_back("has " + several(crowded, "edge") + " with more than two triangles");
  if (against > 0)
    faults.push_back("has " + several(against, "edge") + " between triangles with opposite orientation");
  const std::size_t parts = pieces(mesh);
  if (parts > 1) faults.push_back("is in " + several(parts, "piece"));
  if (!faults.empty()) return faults;
  Vec3 low = Vec3::Constant(infinity), high = -low;
  for (const Triangle& t : mesh.triangles) {
    low = low.cwiseMin(corner(mesh, t, 0));
    high = high.cwiseMax(corner(mesh, t, 0));
  }
  constexpr double least = 1e-6;  // of the cube about it: thinner bodies are no grains
  if (!(std::abs(mesh_mass(mesh).volume) > least * std::pow((high - low).maxCoeff(), 3)))
    faults.emplace_back("encloses no volume");
  return faults;
}

MeshMass mesh_mass(const TriangleMesh& mesh) {
  // Tetrahedra from a point of the mesh: exact, with rounding relative to the mesh's size.
  MeshMass mass;
  if (mesh.triangles.empty()) return mass;
  const Vec3 origin = corner(mesh, mesh.triangles[0], 0);
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();
  for (const Triangle& t : mesh.triangles) {
    const Vec3 a = corner(mesh, t, 0) - origin, b = corner(mesh, t, 1) - origin,
               c = corner(mesh, t, 2) - origin;
    const double volume = a.dot(b.cross(c)) / 6.0;
    const Vec3 sum = a + b + c;
    mass.volume += volume;
    first += volume / 4.0 * sum;
    second +=
        volume / 20.0 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + sum * sum.transpose());
  }
  const Vec3 centre = first / mass.volume;
  mass.centre = origin + centre;
  mass.second = second / mass.volume - centre * centre.transpose();
  return mass;
}

std::vector<Vec3> surface_samples(const TriangleMesh& mesh, std::size_t count, std::uint64_t seed) {
  std::vector<double> until;  // area up to and with each triangle, m^2
  double area = 0.0;
  for (const Triangle& t : mesh.triangles) {
    area +=
        0.5 * (corner(mesh, t, 1) - corner(mesh, t, 0)).cross(corner(mesh, t, 2) - corner(mesh, t, 0)).norm();
    until.push_back(area);
  }
  Random random(seed);
  std::vector<Vec3> samples;
  for (std::size_t i = 0; i < count; ++i) {
    const double at = area * (static_cast<double>(i) + random.uniform()) / static_cast<double>(count);
    const auto found = std::ranges::lower_bound(until, at);
    const Triangle& t = mesh.triangles[std::min(found - until.begin(), std::ssize(until) - 1)];
    // Uniform in the triangle (Turk 1990).
    const double root = std::sqrt(random.uniform()), v = random.uniform();
    samples.push_back((1.0 - root) * corner(mesh, t, 0) + root * (1.0 - v) * corner(mesh, t, 1) +
                      root * v * corner(mesh, t, 2));
  }
  return samples;
}

}  // namespace scree
