#include "engine/geometry/clump_mesh.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace scree {

namespace {

/// The mesh of a member, in its frame scaled to the unit sphere; cut at the surfaces of other members.
class MemberMesh {
 public:
  MemberMesh(const ClumpMember& member, const SurfaceMesh& sphere) : member_(member), points_(sphere.points) {
    for (const auto& t : sphere.triangles) polygons_.emplace_back(t.begin(), t.end());
  }

  /// Keeps the part outside of another member.
  void cut(const ClumpMember& other, int number) {
    std::vector<std::vector<std::int32_t>> kept;
    for (const std::vector<std::int32_t>& polygon : polygons_) {
      std::vector<std::int32_t> outside;
      for (std::size_t k = 0; k < polygon.size(); ++k) {
        const std::int32_t a = polygon[k], b = polygon[(k + 1) % polygon.size()];
        const bool a_inside = depth(other, point(a)) > 0.0, b_inside = depth(other, point(b)) > 0.0;
        if (!a_inside) outside.push_back(a);
        if (a_inside != b_inside)
          outside.push_back(crease(a_inside ? a : b, a_inside ? b : a, other, number));
      }
      if (outside.size() > 2) kept.push_back(std::move(outside));
    }
    polygons_ = std::move(kept);
  }

  /// Polygons as fans of triangles, with their points.
  void append_to(SurfaceMesh& mesh) const {
    std::vector<std::int32_t> place(points_.size(), -1);
    const auto placed = [&](std::int32_t i) {
      std::int32_t& at = place[i];
      if (at < 0) {
        at = static_cast<std::int32_t>(mesh.points.size());
        mesh.points.push_back(in_body(point(i)));
        mesh.normals.push_back(
            (member_.pose.orientation * point(i).cwiseQuotient(member_.ellipsoid.semi_axes)).normalized());
      }
      return at;
    };
    for (const std::vector<std::int32_t>& polygon : polygons_) {
      for (std::size_t k = 1; k + 1 < polygon.size(); ++k)
        mesh.triangles.push_back({placed(polygon[0]), placed(polygon[k]), placed(polygon[k + 1])});
    }
  }

 private:
  const Vec3& point(std::int32_t i) const { return points_[i]; }
  Vec3 in_body(const Vec3& u) const {
    return member_.pose.position + member_.pose.orientation * member_.ellipsoid.semi_axes.cwiseProduct(u);
  }
  /// Positive inside of the other member.
  double depth(const ClumpMember& other, const Vec3& u) const {
    return 1.0 - (other.pose.orientation.conjugate() * (in_body(u) - other.pose.position))
                     .cwiseQuotient(other.ellipsoid.semi_axes)
                     .squaredNorm();
  }

  /// The point where an edge, projected onto the surface, meets the surface of the other member.
  std::int32_t crease(std::int32_t inside, std::int32_t outside, const ClumpMember& other, int number) {
    constexpr int halvings = 50;
    const auto [known, is_new] =
        creases_.emplace(std::tuple(std::min(inside, outside), std::max(inside, outside), number),
                         static_cast<std::int32_t>(points_.size()));
    if (!is_new) return known->second;
    Vec3 in = point(inside), out = point(outside);
    for (int k = 0; k < halvings; ++k) {
      const Vec3 middle = (in + out).normalized();
      (depth(other, middle) > 0.0 ? in : out) = middle;
    }
    points_.push_back(out);
    return known->second;
  }

  ClumpMember member_;
  std::vector<Vec3> points_;
  std::vector<std::vector<std::int32_t>> polygons_;
  std::map<std::tuple<std::int32_t, std::int32_t, int>, std::int32_t> creases_;
};

}  // namespace

SurfaceMesh surface_mesh(const Clump& clump, int fineness) {
  const SurfaceMesh sphere = unit_sphere_mesh(fineness);
  SurfaceMesh mesh;
  for (std::size_t i = 0; i < clump.members.size(); ++i) {
    MemberMesh member(clump.members[i], sphere);
    for (std::size_t j = 0; j < clump.members.size(); ++j) {
      if (j != i) member.cut(clump.members[j], static_cast<int>(j));
    }
    member.append_to(mesh);
  }
  return mesh;
}

}  // namespace scree
