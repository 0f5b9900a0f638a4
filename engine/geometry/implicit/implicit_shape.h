// A functionally defined body ready for use: checked, in its body frame, with mass properties, bounds
// and a cover of its surface. Made once, then used by any number of bodies at any scale.
#pragma once

#include <optional>
#include <string>

#include "engine/geometry/implicit/distance_table.h"
#include "engine/geometry/implicit/surface_samples.h"

namespace scree {

struct ImplicitShape {
  PerturbedQuadric function;                     // in the body frame: centre of mass, principal axes
  std::vector<FourPerturbations> perturbations;  // of the function
  Pose body_in_file;                             // pose of the body frame in the frame of the given function
  std::optional<Vec3> semi_axes;         // m, if it is an ellipsoid along the body's axes (no perturbations)
  double volume = 0.0;                   // m^3
  Vec3 inertia_per_mass = Vec3::Zero();  // m^2, principal moments, about the centre of mass
  double mass_error = 0.0;               // relative, of volume and inertia, estimated by the quadrature
  Box box;                               // m, certified to contain the body
  double bounding_radius = 0.0;          // m, about the centre of mass, certified
  double smallest_length = 0.0;  // m, radius of the largest ball about the centre of mass within the body
  Cover cover;
  SurfaceSamples samples;
  DistanceTable distances;
  int support_cells = 0;
  std::vector<double>
      support_table;  // m, certified upper bounds of the support function, see support_bound()
};

struct ImplicitShapeSettings {
  double tolerance = 1e-7;  // of mass properties, relative
  double feature_size =
      1.0 / 48;  // of the box: thinner parts are slivers; pieces closer than this count as one
  double largest_patch = 0.25, smallest_patch = 0.01;  // of the bounding radius, sides of the cover's boxes
  int distance_cells = 24;  // of the table of distances, along the longest side of the box
  int support_cells = 12;   // of the table of support bounds, along an edge of the cube of directions
};

/// Errors and warnings about a shape, as sentences for users.
struct ShapeFindings {
  std::vector<std::string> errors, warnings;
};

/// Returns none if there are errors. Checks: finite numbers, bounded, origin inside, one piece without
/// hollows, no sliver thinner than feature_size. Warns where the gradient vanishes on the surface (crease or
/// tip) and where it bends more sharply than the cover resolves. "One piece" and "no sliver" are decided on a
/// grid of cells of feature_size that interval bounds prove to be inside or outside.
std::optional<ImplicitShape> make_implicit_shape(const PerturbedQuadric& f,
                                                 const ImplicitShapeSettings& settings,
                                                 ShapeFindings& findings);

/// The farthest surface point along a direction (body frame), by Newton from the cover's patches.
Vec3 support(const ImplicitShape& shape, const Vec3& direction);
/// Upper bound of the support function along a unit direction, at most 3 % of the bounding radius too large
/// (measured: 1 to 2 %). Interpolated in a table of certified values, which is an upper bound because the
/// support function is convex.
double support_bound(const ImplicitShape& shape, const Vec3& direction);
/// The least t in (nearest, farthest) at which a ray meets the surface; infinite if there is none.
double ray_hit(const ImplicitShape& shape, const Vec3& origin, const Vec3& direction, double nearest,
               double farthest);
/// Outward normal at a surface point, unit.
Vec3 outward(const ImplicitShape& shape, const Vec3& point);

}  // namespace scree
