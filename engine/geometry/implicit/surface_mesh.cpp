#include "engine/geometry/implicit/surface_mesh.h"

#include <cmath>
#include <map>
#include <numbers>

namespace scree {

namespace {

void add_point(const ImplicitShape& s, const Vec3& x, SurfaceMesh& mesh) {
  mesh.points.push_back(x);
  mesh.normals.push_back(outward(s, x));
}

}  // namespace

SurfaceMesh unit_sphere_mesh(int fineness) {
  const double g = std::numbers::phi;
  std::vector<Vec3> corner;
  for (const double a : {-1.0, 1.0}) {
    for (const double b : {-g, g}) {
      corner.emplace_back(0.0, a, b);
      corner.emplace_back(a, b, 0.0);
      corner.emplace_back(b, 0.0, a);
    }
  }
  SurfaceMesh mesh;
  std::map<std::array<long, 3>, std::int32_t> known;
  const auto point = [&](const Vec3& x) {
    const std::array<long, 3> key{std::lround(1e6 * x[0]), std::lround(1e6 * x[1]), std::lround(1e6 * x[2])};
    const auto [at, is_new] = known.emplace(key, static_cast<std::int32_t>(mesh.points.size()));
    if (is_new) mesh.points.push_back(x.normalized());
    return at->second;
  };
  const double edge = 2.0 + 1e-9;
  for (std::size_t i = 0; i < 12; ++i) {
    for (std::size_t j = i + 1; j < 12; ++j) {
      for (std::size_t k = j + 1; k < 12; ++k) {
        if ((corner[i] - corner[j]).norm() > edge || (corner[j] - corner[k]).norm() > edge ||
            (corner[k] - corner[i]).norm() > edge)
          continue;
        const bool outwards = (corner[j] - corner[i]).cross(corner[k] - corner[i]).dot(corner[i]) > 0.0;
        const Vec3 &a = corner[i], &b = corner[outwards ? j : k], &c = corner[outwards ? k : j];
        const auto at = [&](int u, int v) {
          return point(a + (b - a) * u / fineness + (c - a) * v / fineness);
        };
        for (int u = 0; u < fineness; ++u) {
          for (int v = 0; u + v < fineness; ++v) {
            mesh.triangles.push_back({at(u, v), at(u + 1, v), at(u, v + 1)});
            if (u + v + 1 < fineness)
              mesh.triangles.push_back({at(u + 1, v), at(u + 1, v + 1), at(u, v + 1)});
          }
        }
      }
    }
  }
  mesh.normals = mesh.points;
  return mesh;
}

namespace {

/// Does each ray from the centre leave the body once? Then its surface faces away from the centre
/// everywhere.
bool is_star_shaped(const ImplicitShape& s) {
  for (const CoverNode& n : s.cover.nodes) {
    if (n.patch < 0) continue;
    // Least of n.x over the patch.
    const double far = n.centre.norm(), along = n.normal.dot(n.centre),
                 across = std::sqrt(std::max(far * far - along * along, 0.0));
    if (!(n.cosine * along - n.sine * across > n.radius)) return false;
  }
  return true;
}

using Corner = std::array<int, 3>;

/// The function at the corners of a grid around the body.
struct SampledGrid {
  Vec3 low;
  double side = 0.0;
  std::array<int, 3> n{};        // corners along each axis
  std::vector<double> values{};  // [slot]

  std::size_t slot(const Corner& c) const {
    const auto at = [](int k) { return static_cast<std::size_t>(k); };
    return (at(c[2]) * at(n[1]) + at(c[1])) * at(n[0]) + at(c[0]);
  }
  Vec3 place(const Corner& c) const { return low + side * Vec3(c[0], c[1], c[2]); }
  bool inside(const Corner& c) const { return values[slot(c)] >= 0.0; }
};

SampledGrid sample(const ImplicitShape& s, int cells) {
  SampledGrid grid{.low = s.box.low - 0.02 * s.box.size(), .side = 1.04 * s.box.size().maxCoeff() / cells};
  std::array<int, 3>& n = grid.n;
  for (int i = 0; i < 3; ++i) n[i] = static_cast<int>(std::ceil(1.04 * s.box.size()[i] / grid.side)) + 1;
  grid.values.resize(grid.slot({0, 0, n[2]}));
  for (int k = 0; k < n[2]; ++k) {
    for (int j = 0; j < n[1]; ++j) {
      for (int i = 0; i < n[0]; ++i)
        grid.values[grid.slot({i, j, k})] = value(s.function, grid.place({i, j, k}));
    }
  }
  return grid;
}

/// Marching tetrahedra: each cell of a grid is divided into six about its diagonal.
SurfaceMesh marched(const ImplicitShape& s, int cells) {
  const SampledGrid grid = sample(s, cells);
  SurfaceMesh mesh;
  std::map<std::pair<std::size_t, std::size_t>, std::int32_t> known;
  const auto cut = [&](const Corner& in, const Corner& out) {
    const auto key = std::minmax({grid.slot(in), grid.slot(out)});
    const auto [at, is_new] = known.emplace(key, static_cast<std::int32_t>(mesh.points.size()));
    if (is_new) {
      const Vec3 a = grid.place(in), b = grid.place(out);
      const double t = ray_hit(s.function, a, b - a, 0.0, 1.0);
      add_point(s, a + (t < 1.0 ? t : 0.0) * (b - a), mesh);
    }
    return at->second;
  };
  // An edge that is cut. The orientation of a triangle follows from the middles of its edges, because it may
  // have no area.
  struct Edge {
    Corner in, out;
  };
  const auto add = [&](const Edge& a, Edge b, Edge c, const Vec3& outwards) {
    const auto middle = [&](const Edge& e) { return Vec3(grid.place(e.in) + grid.place(e.out)); };
    if ((middle(b) - middle(a)).cross(middle(c) - middle(a)).dot(outwards) < 0.0) std::swap(b, c);
    mesh.triangles.push_back({cut(a.in, a.out), cut(b.in, b.out), cut(c.in, c.out)});
  };
  const auto tetrahedron = [&](const std::array<Corner, 4>& t) {
    std::vector<Corner> in, out;
    for (const Corner& c : t) (grid.inside(c) ? in : out).push_back(c);
    if (in.empty() || out.empty()) return;
    Vec3 middle_in = Vec3::Zero(), middle_out = Vec3::Zero();
    for (const Corner& c : in) middle_in += grid.place(c) / static_cast<double>(in.size());
    for (const Corner& c : out) middle_out += grid.place(c) / static_cast<double>(out.size());
    const Vec3 outwards = middle_out - middle_in;
    if (in.size() == 2) {
      const Edge a{in[0], out[0]}, b{in[0], out[1]}, c{in[1], out[1]}, d{in[1], out[0]};
      add(a, b, c, outwards);
      add(a, c, d, outwards);
    } else if (in.size() == 1) {
      add({in[0], out[0]}, {in[0], out[1]}, {in[0], out[2]}, outwards);
    } else {
      add({in[0], out[0]}, {in[1], out[0]}, {in[2], out[0]}, outwards);
    }
  };
  constexpr std::array<std::array<int, 3>, 6> orders{
      {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}};
  for (int k = 0; k + 1 < grid.n[2]; ++k) {
    for (int j = 0; j + 1 < grid.n[1]; ++j) {
      for (int i = 0; i + 1 < grid.n[0]; ++i) {
        for (const auto& order : orders) {
          std::array<Corner, 4> t;
          t[0] = {i, j, k};
          for (std::size_t step = 0; step < 3; ++step) {
            t[step + 1] = t[step];
            ++t[step + 1][order[step]];
          }
          tetrahedron(t);
        }
      }
    }
  }
  return mesh;
}

}  // namespace

SurfaceMesh surface_mesh(const ImplicitShape& s, int fineness) {
  constexpr int finest = 400;
  if (!s.semi_axes && !is_star_shaped(s)) {
    // If the grid has no corner within the body, a finer one has: no part of it is thinner than a 48th.
    SurfaceMesh mesh = marched(s, 3 * fineness);
    for (int finer = 2 * fineness; mesh.triangles.empty() && finer <= finest; finer *= 2)
      mesh = marched(s, 3 * finer);
    return mesh;
  }
  SurfaceMesh mesh = unit_sphere_mesh(fineness);
  mesh.normals.clear();
  std::vector<Vec3> directions;
  directions.swap(mesh.points);
  for (const Vec3& d : directions) {
    // An ellipsoid's points come from the sphere, so that they are dense where it bends.
    add_point(s,
              s.semi_axes ? Vec3(s.semi_axes->cwiseProduct(d))
                          : Vec3(ray_hit(s, Vec3::Zero(), d, 0.0, infinity) * d),
              mesh);
  }
  return mesh;
}

}  // namespace scree
