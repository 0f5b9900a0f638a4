#include "engine/simulation/placement.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "engine/detection/detection.h"
#include "engine/geometry/ellipsoid_mesh.h"
#include "engine/geometry/ellipsoid_revolved.h"
#include "engine/geometry/implicit/implicit_mesh.h"
#include "engine/geometry/implicit/implicit_revolved.h"
#include "engine/modules/generation/packing.h"
#include "engine/simulation/adaptive_step.h"
#include "engine/simulation/subsystems/parts.h"

namespace scree {

namespace {

// Largest difference between the exact relation and the gap, over the smaller body's smallest length:
// remaining digits of the discriminant (test: EllipsoidRelation.AgreesWithPerramWertheimAndTheGap).
constexpr double gap_rounding = 1e-6;

/// Contacts as the first step would find them with zero length: they include all overlaps.
Contacts contacts_at_rest(const Model& model, const Bodies& bodies, double time_s,
                          std::span<const BoundaryPose> boundary_pose) {
  DetectionWorkspace workspace;
  Contacts contacts;
  NormalCache cached_normals;
  std::vector<CachedPair> cached;
  find_contacts(
      {model.shapes, bodies, model.boundaries, time_s, 0.0, 0.0, boundary_pose, model.cell.at(time_s)},
      workspace, {contacts, cached_normals, cached});
  return contacts;
}

double smaller_length(const Model& model, const Bodies& bodies, std::size_t a, std::size_t b) {
  return std::min(model.shapes.smallest_length(bodies.shape[a]),
                  model.shapes.smallest_length(bodies.shape[b]));
}

/// Largest width of the body's projection along `axis`, m: over directions a degree apart; less than the true
/// one by at most 1e-4 of it for ellipsoids up to 3 : 1.
double shadow_width(const Shapes& shapes, ShapeIndex shape, const Quat& orientation, const Vec3& axis) {
  constexpr int directions = 180;
  const Vec3 u = axis.unitOrthogonal(), v = axis.cross(u);
  double width = 0.0;
  for (int k = 0; k < directions; ++k) {
    const double angle = std::numbers::pi * k / directions;
    const Vec3 across = orientation.conjugate() * (std::cos(angle) * u + std::sin(angle) * v);
    width = std::max(width, (support(shapes, shape, across) - support(shapes, shape, -across)).dot(across));
  }
  return width;
}

/// Whether the body's centre can be at its place, and if so whether there is room around it.
Misplaced fit(const Shapes& shapes, const Bodies& bodies, std::size_t i, const BoundarySurface& surface) {
  Misplaced result;
  const WallRoom found = room(surface, bodies.position[i]);
  if (found.how == WallRoom::How::behind) result.how = Misplaced::How::behind;
  if (found.how == WallRoom::How::in_the_wall) result.how = Misplaced::How::in_the_wall;
  if (found.how == WallRoom::How::free && 2.0 * shapes.bounding_radius(bodies.shape[i]) > found.bore) {
    result.width_m = shadow_width(shapes, bodies.shape[i], bodies.orientation[i], found.along);
    if (result.width_m > found.bore) result.how = Misplaced::How::wider_than_the_bore;
  }
  return result;
}

bool is_lost(const Model& model, const std::vector<PlacedBoundary>& boundaries, const Bodies& bodies,
             std::size_t i) {
  if (bodies.is_carried(i)) return false;
  const bool finite = bodies.position[i].allFinite() && bodies.orientation[i].coeffs().allFinite() &&
                      bodies.linear_velocity[i].allFinite() && bodies.angular_velocity[i].allFinite();
  if (!finite) return true;
  const double radius = model.shapes.bounding_radius(bodies.shape[i]);
  return std::any_of(boundaries.begin(), boundaries.end(), [&](const PlacedBoundary& boundary) {
    if (boundary.removed) return false;
    const WallRoom found = room(boundary.surface, bodies.position[i]);
    return found.how == WallRoom::How::behind && found.depth > radius;
  });
}

/// Calls f(S) for a cell and all neighbouring ones: shifts of images.
template <class F>
void for_cells_around(const PlacedCell& cell, F&& f) {
  const auto most = [&](std::size_t k) { return cell.periodic[k] ? 1 : 0; };
  for (int z = -most(2); z <= most(2); ++z)
    for (int y = -most(1); y <= most(1); ++y)
      for (int x = -most(0); x <= most(0); ++x) f(Vec3(cell.lattice * Vec3(x, y, z)));
}

/// Adds pairs of bodies given by functions that overlap more deeply than the contact search, half the smaller
/// smallest length; `found`: pairs with an overlapping contact. In a periodic cell images count.
void add_deep_pairs(const Model& model, const Bodies& bodies,
                    const std::set<std::pair<std::size_t, std::size_t>>& found, std::vector<Misplaced>& all) {
  const Shapes& shapes = model.shapes;
  if (shapes.functions().empty()) return;
  const PlacedCell cell = model.cell.at(0.0);
  std::vector<PlacedImplicit> placed;
  NeighbourGrid grid;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const ShapeIndex s = bodies.shape[i];
    placed.push_back(place(shapes.function_of(s), bodies.pose(i), shapes.size_of(s)));
    if (cell.is_periodic()) placed[i].position += cell.image_in_cell(bodies.position[i]);
    const double radius = shapes.bounding_radius(s);
    for_cells_around(cell, [&](const Vec3& shift) {
      PlacedImplicit image = placed[i];
      image.position += shift;
      grid.visit_near(image.position, radius, [&](std::int32_t other) {
        const auto j = static_cast<std::size_t>(other);
        const bool both =
            shapes.kind(s) == ShapeKind::ellipsoid && shapes.kind(bodies.shape[j]) == ShapeKind::ellipsoid;
        if (!both && !(bodies.is_carried(i) && bodies.is_carried(j)) && !found.contains({j, i}) &&
            hold_samples_of_each_other(image, placed[j]))
          all.push_back({.body = j,
                         .other = i,
                         .depth_m = 0.5 * smaller_length(model, bodies, i, j),
                         .at_least = true,
                         .relative = 0.5});
        return true;
      });
    });
    grid.add(placed[i].position, radius, static_cast<std::int32_t>(i));
  }
}

/// Depth of triangles in a body without a contact, over its size: the body would be free if it were smaller
/// by this. 0 if it is not more than `limit`.
double hidden_depth(const Ellipsoid& hull, const Pose& pose, const PlacedMesh& mesh, double limit) {
  const auto reached = [&](double depth) {
    return reaches_into(Ellipsoid{(1.0 - depth) * hull.semi_axes}, pose, mesh);
  };
  constexpr double rounding = 1e-6;
  if (limit >= 1.0 || !reached(std::max(limit, rounding))) return 0.0;
  double low = limit, high = 1.0;
  constexpr int halvings = 20;
  for (int k = 0; k < halvings; ++k) {
    const double middle = 0.5 * (low + high);
    (reached(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace

std::vector<Misplaced> misplaced_bodies(const Model& model, const Bodies& bodies, double limit) {
  const std::vector<BoundaryPose> boundary_pose = boundary_poses(model, {});
  const Contacts contacts = contacts_at_rest(model, bodies, 0.0, boundary_pose);
  std::vector<Misplaced> all;
  std::vector<double> wall_depth(model.boundaries.size());
  std::set<std::pair<std::size_t, std::size_t>> overlapping;
  std::size_t c = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    std::fill(wall_depth.begin(), wall_depth.end(), 0.0);
    for (; c < contacts.size() && static_cast<std::size_t>(contacts[c].key.a) == i; ++c) {
      const std::int32_t partner = contacts[c].key.b;
      const auto b = static_cast<std::size_t>(partner);
      const double depth = -contacts[c].gap;
      if (is_boundary(partner)) {
        double& deepest = wall_depth[boundary_of(partner)];
        deepest = std::max(deepest, depth);
        continue;
      }
      if (depth > 0.0) overlapping.insert({i, b});
      if (const double relative = depth / smaller_length(model, bodies, i, b); relative > limit) {
        all.push_back({.body = i, .other = b, .depth_m = depth, .relative = relative});
      }
    }
    for (std::size_t w = 0; w < wall_depth.size() && !bodies.is_carried(i); ++w) {
      const BoundarySurface surface =
          place(model.boundaries[w], boundary_pose_of(boundary_pose, w), 0.0).surface;
      Misplaced found = fit(model.shapes, bodies, i, surface);
      if (const auto* mesh = std::get_if<PlacedMesh>(&surface);
          mesh != nullptr && wall_depth[w] == 0.0 &&
          model.shapes.kind(bodies.shape[i]) == ShapeKind::ellipsoid)
        wall_depth[w] =
            hidden_depth(enclosing_ellipsoid(model.shapes, bodies.shape[i]), bodies.pose(i), *mesh, limit) *
            smaller_length(model, bodies, i, i);
      found.by_boundary = true;
      found.body = i;
      found.other = w;
      found.depth_m = wall_depth[w];
      found.relative = wall_depth[w] / smaller_length(model, bodies, i, i);
      if (found.how != Misplaced::How::overlaps || found.relative > limit) all.push_back(found);
    }
  }
  if (limit < 0.5) add_deep_pairs(model, bodies, overlapping, all);
  std::ranges::stable_sort(all, {}, &Misplaced::body);
  return all;
}

std::optional<Crowd> crowd(const Model& model, const Bodies& bodies) {
  constexpr std::size_t most_a_body = 10;  // pairs, over all bodies; a few thousand pairs more are no crowd
  const std::size_t most = most_a_body * bodies.size() + 2000;
  std::optional<Crowd> found;
  std::size_t pairs = 0;
  NeighbourGrid grid;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const double reach = 0.5 * model.shapes.smallest_length(bodies.shape[i]);
    grid.visit_near(bodies.position[i], reach, [&](std::int32_t other) {
      const auto j = static_cast<std::size_t>(other);
      const double near = 0.5 * smaller_length(model, bodies, i, j);
      if ((bodies.position[i] - bodies.position[j]).squaredNorm() >= near * near) return true;
      if (!found) found = {.body = j, .other = i};
      return ++pairs <= most;
    });
    if (pairs > most) {
      found->near = i + 1;
      return found;
    }
    grid.add(bodies.position[i], reach, static_cast<std::int32_t>(i));
  }
  return {};
}

namespace {

/// By contacts, and by the place of the centre.
bool is_told_in_boundary(const Model& model, const Bodies& one, double time_s,
                         std::span<const BoundaryPose> boundary_pose) {
  const Contacts contacts = contacts_at_rest(model, one, time_s, boundary_pose);
  if (std::ranges::any_of(contacts.list, [](const Contact& c) { return c.gap < 0.0; })) return true;
  for (std::size_t k = 0; k < model.boundaries.size(); ++k) {
    const PlacedBoundary placed = place(model.boundaries[k], boundary_pose_of(boundary_pose, k), time_s);
    const Misplaced found = fit(model.shapes, one, 0, placed.surface);
    if (!placed.removed && found.how != Misplaced::How::overlaps) return true;
  }
  return false;
}

/// Does an ellipsoid overlap a surface of revolution, also where this passes through its middle?
bool reaches_into(const Ellipsoid& body, const Pose& pose, const PlacedRevolved& wall) {
  if (distance(wall, pose.position) < body.semi_axes.minCoeff()) return true;
  std::vector<Gap> found;
  contacts(body, pose, wall, 0.0, found);
  return std::ranges::any_of(found, [](const Gap& g) { return g.distance < 0.0; });
}

/// Deeper than the contact search: a sheet may pass through the middle of a grain. Tests smaller bodies of
/// the same shape about the centre, down to the inscribed ball; each is smaller than the last by a part of
/// the depth that contacts find.
template <class Wall>
bool is_cut(const ImplicitShape& shape, const Pose& pose, double size, const Wall& wall) {
  const double inner = shape.smallest_length / shape.bounding_radius, shrink = 0.5 * inner;
  std::vector<Gap> found;
  for (double scale = 1.0 - shrink; scale > inner; scale -= shrink) {
    PairMemory memory;
    found.clear();
    contacts(place(shape, pose, scale * size), wall, 0.0, memory, found);
    if (std::ranges::any_of(found, [](const Gap& g) { return g.distance < 0.0; })) return true;
  }
  return reaches_into(Ellipsoid{Vec3::Constant(size * shape.smallest_length)}, pose, wall);
}

bool is_cut(const Shapes& shapes, ShapeIndex s, const Pose& pose, const PlacedMesh& mesh) {
  switch (shapes.kind(s)) {
    case ShapeKind::ellipsoid:
      return reaches_into(shapes.ellipsoid(s), pose, mesh);
    case ShapeKind::implicit:
      return reaches_into(enclosing_ellipsoid(shapes, s), pose, mesh) &&
             is_cut(shapes.function_of(s), pose, shapes.size_of(s), mesh);
    case ShapeKind::clump:
      for (std::size_t k = 0; k < shapes.member_count(s); ++k) {
        const ClumpMember part = shapes.member(s, k);
        if (reaches_into(part.ellipsoid,
                         {pose.position + pose.orientation * part.pose.position,
                          pose.orientation * part.pose.orientation},
                         mesh))
          return true;
      }
      return false;
  }
  return false;
}

Bodies one_body(const Model& model, ShapeIndex shape, MaterialIndex material, const Pose& pose) {
  Bodies one;
  add_body(one, model.shapes, model.materials, {shape, material, pose, {}});
  return one;
}

}  // namespace

bool overlaps_boundary(const Model& model, ShapeIndex shape, MaterialIndex material, const Pose& pose,
                       double time_s, std::span<const BoundaryPose> boundary_pose) {
  if (model.boundaries.empty()) return false;
  if (is_told_in_boundary(model, one_body(model, shape, material, pose), time_s, boundary_pose)) return true;
  for (std::size_t k = 0; k < model.boundaries.size(); ++k) {
    const PlacedBoundary placed = place(model.boundaries[k], boundary_pose_of(boundary_pose, k), time_s);
    // Deeper than the contact search: a sheet may pass through the middle of a grain.
    const auto* mesh = std::get_if<PlacedMesh>(&placed.surface);
    if (!placed.removed && mesh != nullptr &&
        reaches_into(enclosing_ellipsoid(model.shapes, shape), pose, *mesh))
      return true;
    const auto* round = std::get_if<PlacedRevolved>(&placed.surface);
    if (!placed.removed && round != nullptr && model.shapes.kind(shape) == ShapeKind::implicit &&
        is_cut(model.shapes.function_of(shape), pose, model.shapes.size_of(shape), *round))
      return true;
  }
  return false;
}

bool is_in_boundary(const Model& model, ShapeIndex shape, MaterialIndex material, const Pose& pose) {
  if (model.boundaries.empty()) return false;
  const std::vector<BoundaryPose> boundary_pose = boundary_poses(model, {});
  if (is_told_in_boundary(model, one_body(model, shape, material, pose), 0.0, boundary_pose)) return true;
  for (std::size_t k = 0; k < model.boundaries.size(); ++k) {
    const BoundarySurface surface =
        place(model.boundaries[k], boundary_pose_of(boundary_pose, k), 0.0).surface;
    const auto* mesh = std::get_if<PlacedMesh>(&surface);
    if (mesh != nullptr && is_cut(model.shapes, shape, pose, *mesh)) return true;
    const auto* round = std::get_if<PlacedRevolved>(&surface);
    if (round != nullptr && model.shapes.kind(shape) == ShapeKind::implicit &&
        is_cut(model.shapes.function_of(shape), pose, model.shapes.size_of(shape), *round))
      return true;
  }
  return false;
}

ExactRelations exact_relations(const Model& model, const Bodies& bodies) {
  const Contacts contacts = contacts_at_rest(model, bodies, 0.0, boundary_poses(model, {}));
  ExactRelations result;
  for (const Contact& c : contacts.list) {
    if (is_boundary(c.key.b)) continue;
    const auto a = static_cast<std::size_t>(c.key.a), b = static_cast<std::size_t>(c.key.b);
    Pose of_b = bodies.pose(b);  // or of its image
    of_b.position = bodies.position[a] + c.arm_a - c.arm_b;
    const auto relation =
        exact_relation(model.shapes, bodies.shape[a], bodies.pose(a), bodies.shape[b], of_b);
    if (!relation) {
      ++result.unknown;
      continue;
    }
    ++result.count[static_cast<std::size_t>(*relation)];
    const double gap = c.gap, rounding = gap_rounding * smaller_length(model, bodies, a, b);
    const bool apart = *relation == Relation::separate, touching = *relation == Relation::touching;
    if ((gap < -rounding && (apart || touching)) || (gap > rounding && !apart)) ++result.disagreeing;
    if (!apart && gap < result.deepest.gap_m) result.deepest = {a, b, *relation, gap};
  }
  return result;
}

Travel farthest_travel(const Model& model, const Bodies& bodies) {
  const double dt = first_step(model, bodies), g = model.settings.gravity.norm();
  Travel farthest;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const double speed = bodies.linear_velocity[i].norm() + g * dt;
    const double relative = speed * dt / model.shapes.smallest_length(bodies.shape[i]);
    if (relative > farthest.relative) farthest = {i, relative};
  }
  return farthest;
}

std::int64_t count_lost_bodies(const Model& model, const Bodies& bodies, double time_s,
                               std::span<const BoundaryPose> boundary_pose) {
  std::vector<PlacedBoundary> boundaries;
  for (std::size_t k = 0; k < model.boundaries.size(); ++k)
    boundaries.push_back(place(model.boundaries[k], boundary_pose_of(boundary_pose, k), time_s));
  std::int64_t lost = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) lost += is_lost(model, boundaries, bodies, i) ? 1 : 0;
  return lost;
}

}  // namespace scree
