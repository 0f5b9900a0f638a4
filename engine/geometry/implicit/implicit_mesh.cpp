#include "engine/geometry/implicit/implicit_mesh.h"

#include <algorithm>

#include "engine/geometry/implicit/part_search.h"

namespace scree {

namespace {

using parts::NearParts, parts::StraightEdge;

constexpr double over_slack = 1e-12;  // of the size, beside a face

void sort_out(std::vector<std::int32_t>& list) {
  std::ranges::sort(list);
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

/// Faces are patches: triangles in one plane.
struct MeshView : parts::WallView {
  const MeshSurface& mesh;

  MeshView(const PlacedImplicit& body, const MeshSurface& m, const Pose& pose)
      : WallView(body, pose), mesh(m) {}

  bool has(std::uint32_t feature) const {
    const auto part = static_cast<std::size_t>(parts::part_of(feature));
    return part < (feature >= mesh_vertex ? mesh.points.size()
                   : feature >= mesh_edge ? mesh.edges.size()
                                          : mesh.triangle_of_patch.size());
  }

  PlaneWall face(std::int32_t patch) const {
    const std::int32_t triangle = mesh.triangle_of_patch[patch];
    const Vec3 normal = turn * mesh.normals[triangle];
    const double distance = -normal.dot(here(mesh.points[mesh.triangles[triangle][0]]));
    return distance < 0.0 ? PlaneWall{to_three(-normal), -distance} : PlaneWall{to_three(normal), distance};
  }

  StraightEdge curve(std::uint32_t feature) const {
    const std::int32_t part = parts::part_of(feature);
    if (feature >= mesh_vertex) return parts::vertex(to_three(here(mesh.points[part])));
    const MeshSurface::Edge& e = mesh.edges[part];
    const Vec3 from = here(mesh.points[e.from]), way = here(mesh.points[e.to]) - from;
    return {to_three(from), to_three(way.normalized()), way.norm()};
  }

  NearParts near(const PlacedImplicit& body, double reach) const {
    NearParts near;
    const Vec3 centre = there(Vec3::Zero());
    const Vec3 half = Vec3::Constant(body.scale * body.shape->bounding_radius + reach);
    triangles_near(mesh, centre - half, centre + half, [&](std::int32_t t) {
      near.faces.push_back(mesh.patch[t]);
      for (const std::int32_t e : mesh.edge_of[t])
        if (mesh.edges[e].is_sharp) near.edges.push_back(e);
      for (const std::int32_t p : mesh.triangles[t])
        if (mesh.is_corner[p]) near.vertices.push_back(p);
    });
    sort_out(near.faces);
    sort_out(near.edges);
    sort_out(near.vertices);
    return near;
  }

  bool is_over(std::int32_t patch, const Vec3& foot, const Vec3&, double size) const {
    bool over = false;
    const Vec3 near = Vec3::Constant(1e-9 * size);
    triangles_near(mesh, foot - near, foot + near, [&](std::int32_t t) {
      over = over || (mesh.patch[t] == patch && scree::is_over(mesh, t, foot, over_slack * size));
    });
    return over;
  }

  bool is_free(std::uint32_t feature, const Vec3&, const Vec3& normal) const {
    const std::int32_t part = parts::part_of(feature);
    return feature >= mesh_vertex ? is_free_of_edges(mesh, part, normal)
                                  : is_free_of_faces(mesh, mesh.edges[part], normal);
  }
};

}  // namespace

void contacts(const PlacedImplicit& body, const PlacedMesh& mesh, double margin, PairMemory& memory,
              std::vector<Gap>& found) {
  parts::find_contacts(body, MeshView(body, *mesh.mesh, mesh.pose), margin, memory, found);
}

double gap_acceleration(const PlacedImplicit& body, const PlacedMesh& mesh, const Gap& contact,
                        const Twist& twist, const WallMotion& wall) {
  return parts::acceleration_by_difference(
      body, mesh.pose, contact, twist, wall,
      [&](const PlacedImplicit& there, const Pose& pose) { return MeshView(there, *mesh.mesh, pose); });
}

}  // namespace scree
