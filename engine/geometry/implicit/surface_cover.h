// Patches that cover the surface of a functionally defined body, as a binary tree: position,
// normal and curvature of the surface, with bounds from interval arithmetic. Made once per shape.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/geometry/implicit/interval_bounds.h"

namespace scree {

/// Bounds of a node for searches over the tree: all of its surface lies within a ball, and all of its normals
/// within a cone.
struct CoverNode {
  Vec3 centre = Vec3::Zero();        // m
  double radius = 0.0;               // m
  Vec3 normal = Vec3::Zero();        // unit, outward: axis of the cone
  double cosine = -1.0, sine = 0.0;  // of the cone's half angle
  // 1/m, of all normal curvatures, from samples; positive where the surface bulges:
  double least_bend = -infinity, most_bend = infinity;
  std::int32_t child = -1;  // index of the first of two adjacent children; -1: a leaf
  std::int32_t patch = -1;  // of a leaf
};

/// Further bounds of a leaf. With D = d(normal)/dx = -(I - n n^T) H / |g|:
struct Patch {
  std::array<double, 6> bend{};  // 1/m, -H/|g| at the centre, in the order of Quadric
  double bend_error = 0.0;       // 1/m, |D(x) - D(centre)| anywhere in the patch is at most this
  double rise = 0.0;             // m, largest distance of the surface from the plane through the centre
};

struct Cover {
  std::vector<CoverNode> nodes;  // the root first
  std::vector<Patch> patches;    // [leaf]
  std::vector<Box> boxes;        // [leaf] from which the patch was made
  std::vector<std::int32_t> node_of_patch;
};

/// Leaves are divided until they are smaller than `largest` and their normals differ by less than `spread`,
/// but not below `smallest`.
struct CoverResolution {
  double largest, smallest;  // m
  double spread = 0.3;       // rad, half angle
};

/// Node and patch of the surface within a box; none if there is no surface. Bounds are certified.
struct CoverLeaf {
  CoverNode node;
  Patch patch;
  Box box;
};
std::optional<CoverLeaf> cover_leaf(const PerturbedQuadric& f, const Box& box);

/// The ball and the cone that contain those of two nodes.
CoverNode joined(const CoverNode& a, const CoverNode& b);

Cover cover(const PerturbedQuadric& f, const Box& box, const CoverResolution& resolution);

/// Half angle of a leaf's cone, rad.
double spread(const CoverNode& node);

}  // namespace scree
