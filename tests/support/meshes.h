// Small meshes for collision tests.
#pragma once

#include <memory>

#include "engine/core/random.h"
#include "engine/geometry/mesh_surface.h"

namespace scree::test {

using Triangles = std::vector<std::array<std::int32_t, 3>>;

inline PlacedMesh placed(const std::vector<Vec3>& vertices, const Triangles& triangles, const Pose& pose = {},
                         MeshFindings* findings = nullptr) {
  MeshFindings none;
  return {std::make_shared<MeshSurface>(
              mesh_surface({vertices, triangles}, findings != nullptr ? *findings : none)),
          pose};
}

/// n x n squares of side 1/n in z = 0 about the origin, each divided along one of its diagonals; each
/// triangle has its own corners.
inline PlacedMesh floor_of_triangles(int n, Random& random, const Pose& pose = {}) {
  std::vector<Vec3> vertices;
  Triangles triangles;
  const auto at = [&](int i, int j) {
    return Vec3(static_cast<double>(i) / n - 0.5, static_cast<double>(j) / n - 0.5, 0.0);
  };
  const auto add = [&](const Vec3& a, const Vec3& b, const Vec3& c) {
    const auto first = static_cast<std::int32_t>(vertices.size());
    vertices.insert(vertices.end(), {a, b, c});
    triangles.push_back({first, first + 1, first + 2});
  };
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const Vec3 a = at(i, j), b = at(i + 1, j), c = at(i + 1, j + 1), d = at(i, j + 1);
      if (random.uniform() < 0.5) {
        add(a, b, c);
        add(a, c, d);
      } else {
        add(a, b, d);
        add(b, c, d);
      }
    }
  }
  return placed(vertices, triangles, pose);
}

inline PlacedMesh box(const Vec3& half, const Pose& pose = {}, MeshFindings* findings = nullptr) {
  std::vector<Vec3> v;
  v.reserve(8);
  for (int k = 0; k < 8; ++k)
    v.push_back(half.cwiseProduct(Vec3(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1)));
  return placed(v,
                {{0, 2, 1},
                 {1, 2, 3},
                 {4, 5, 6},
                 {5, 7, 6},
                 {0, 1, 4},
                 {1, 5, 4},
                 {2, 6, 3},
                 {3, 6, 7},
                 {0, 4, 2},
                 {2, 4, 6},
                 {1, 3, 5},
                 {3, 7, 5}},
                pose, findings);
}

}  // namespace scree::test
