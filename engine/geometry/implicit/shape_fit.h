// The function nearest to a triangle mesh: it turns a scanned grain into a body that can be simulated.
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
  Pose frame;  // pose of the function in the axes of the mesh
  // Distances, m, of points spread evenly over the mesh from the surface of the function:
  double mean_error = 0.0, root_mean_square = 0.0, largest_error = 0.0;
};

PerturbedQuadric function_of(const ShapeFit& fit);

/// Starts with the ellipsoid that has the mesh's moments of inertia. Adds bumps and dents one by one, each at
/// the place and with the width that lower the sum of squares most. After each, all numbers of the function
/// are optimised for the least sum (Levenberg-Marquardt). Returns the candidate, including the first
/// ellipsoid, with the least root mean square of distances. In the sum, the distance of a point is F / |grad
/// F| (Taubin 1991, IEEE PAMI 13, 1115); for the choice and for the reported errors it is to the nearest
/// point of the surface. Precondition: mesh_faults() finds none. Test: ShapeFit.*.
ShapeFit fit_shape(const TriangleMesh& mesh, int perturbations);

/// Distance from the surface of a function of size about `scale` (m): to the nearest point to which
/// projections along the normal lead.
double surface_distance(const PerturbedQuadric& f, const Vec3& point, double scale);

}  // namespace scree
