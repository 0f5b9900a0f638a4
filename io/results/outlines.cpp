#include "io/results/outlines.h"

#include <cmath>
#include <numbers>

namespace scree::io {

namespace {

/// The twelve edges of the parallelepiped of three vectors from a corner.
void add_box(const Vec3& corner, const Mat3& edges, OutlineKind kind, std::vector<OutlineEdge>& list) {
  for (int along = 0; along < 3; ++along) {
    const Vec3 one = edges.col((along + 1) % 3), other = edges.col((along + 2) % 3);
    for (const double i : {0.0, 1.0}) {
      for (const double j : {0.0, 1.0}) {
        const Vec3 start = corner + i * one + j * other;
        list.push_back({start, start + edges.col(along), kind});
      }
    }
  }
}

void add_box(const Vec3& low, const Vec3& high, OutlineKind kind, std::vector<OutlineEdge>& list) {
  if (low.allFinite() && high.allFinite()) add_box(low, Mat3((high - low).asDiagonal()), kind, list);
}

void add_cylinder(const CylinderRegion& c, OutlineKind kind, std::vector<OutlineEdge>& list) {
  constexpr int around = 48, lines = 4;
  const Vec3 axis = c.end - c.start, u = c.radius * axis.unitOrthogonal(), v = axis.normalized().cross(u);
  const auto point = [&](int k) -> Vec3 {
    const double angle = 2.0 * std::numbers::pi * k / around;
    return c.start + std::cos(angle) * u + std::sin(angle) * v;
  };
  for (int k = 0; k < around; ++k) {
    list.push_back({point(k), point(k + 1), kind});
    list.push_back({point(k) + axis, point(k + 1) + axis, kind});
    if (k % (around / lines) == 0) list.push_back({point(k), point(k) + axis, kind});
  }
}

void add_region(const Region& region, OutlineKind kind, std::vector<OutlineEdge>& list) {
  if (const auto* cylinder = std::get_if<CylinderRegion>(&region)) return add_cylinder(*cylinder, kind, list);
  const auto [middle, half] = bounding_box(region);
  add_box(Vec3(middle - half), Vec3(middle + half), kind, list);
}

}  // namespace

Outlines outlines(const Model& model) {
  Outlines all;
  all.periodic = model.cell.periodic;
  if (model.cell.is_periodic()) all.cell_centre = 0.5 * (model.cell.low + model.cell.high);
  std::vector<OutlineEdge>& list = all.edges;
  for (const Inlet& inlet : model.inlets) add_region(inlet.region, OutlineKind::inlet, list);
  for (const Outlet& outlet : model.outlets) {
    std::visit(
        [&]<class Where>(const Where& where) {
          if constexpr (!std::is_same_v<Where, HalfSpace>) add_region(where, OutlineKind::outlet, list);
        },
        outlet.where);
  }
  if (model.domain.outside != Outside::keep)
    add_box(model.domain.low, model.domain.high, OutlineKind::domain, list);
  return all;
}

Outlines counted_from(const Vec3& origin, Outlines outlines) {
  for (OutlineEdge& edge : outlines.edges) {
    edge.start -= origin;
    edge.end -= origin;
  }
  if (outlines.cell_centre) *outlines.cell_centre -= origin;
  return outlines;
}

std::vector<OutlineEdge> cell_outline(const Vec3& centre, const Mat3& lattice) {
  std::vector<OutlineEdge> list;
  add_box(Vec3(centre - 0.5 * lattice.rowwise().sum()), lattice, OutlineKind::cell, list);
  return list;
}

}  // namespace scree::io
