// The function that comes nearest to a triangle mesh: a scanned grain becomes a body that can be simulated.
#pragma once

#include "engine/geometry/implicit/perturbed_quadric.h"
#include "engine/geometry/triangle_mesh.h"

namespace scree {

/// weight * max(Q, 0)^2 with Q = 1 - |x/semi_axes|^2 about `pose`.
struct FittedPerturbation {
  Vec3 semi_axes = Vec3::Ones();  // m
  Pose pose;
  double weight = 0.0;
};

struct ShapeFit {
  Vec3 semi_axes = Vec3::Ones();  // m, of the base, descending
  std::vector<FittedPerturbation> perturbations;
  Pose frame;  // of the function in the axes of the mesh
  // Distances of points spread evenly over the mesh from the surface of the function, m:
  double mean_error = 0.0, root_mean_square = 0.0, largest_error = 0.0;
};

PerturbedQuadric function_of(const ShapeFit& fit);

/// Begins with the ellipsoid of the mesh's moments of inertia. Adds bumps and dents one by one, each where
/// and as wide as lowers the sum of squares most, and after each lets all numbers of the function go where
/// that sum is least (Levenberg-Marquardt). What is returned is the one of these, the ellipsoid that it began
/// with among them, whose points lie nearest, root of the mean square. The distance in the sum of a point is
/// F / |grad F| (Taubin 1991, IEEE PAMI 13, 1115), that of the choice and of the errors told is to the
/// nearest point of the surface. Precondition: mesh_faults() finds none. Test: ShapeFit.*.
ShapeFit fit_shape(const TriangleMesh& mesh, int perturbations);

/// Distance from the surface of a function, about `scale` (m) large: the nearest point that projections along
/// the normal lead to.
double surface_distance(const PerturbedQuadric& f, const Vec3& point, double scale);

}  // namespace scree
