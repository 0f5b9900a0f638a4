// Coarse graining of bodies and contacts to fields: density, velocity, granular temperature, stress.
#pragma once

#include <Eigen/LU>
#include <array>
#include <cmath>
#include <span>

#include "engine/bodies/bodies.h"
#include "engine/bodies/cell.h"
#include "engine/core/types.h"

namespace scree {

/// Equal cells; cubes, except in a periodic cell that deforms. Cell (i, j, k) has the number i + nx (j + ny
/// k); fields are evaluated at its centre.
struct Grid {
  Vec3 low = Vec3::Zero();             // m, corner of the first cell
  Mat3 edges = Mat3::Identity();       // m, columns: the edges of a cell
  std::array<std::size_t, 3> count{};  // cells along these edges
  std::size_t size() const { return count[0] * count[1] * count[2]; }
  double cell_volume() const { return std::abs(edges.determinant()); }
  Vec3 extent() const { return {double(count[0]), double(count[1]), double(count[2])}; }  // in edges
};

/// The grid with this cell size that covers the box with `margin` on each side.
Grid covering_grid(const Vec3& low, const Vec3& high, double margin, double cell);

/// Along periodic directions: one period about the cell's centre, in equal parts of about this size. Along
/// others as above. So the grid deforms with the cell.
Grid covering_grid(const PlacedCell& periodic, const Vec3& low, const Vec3& high, double margin, double cell);

/// Lucy's kernel (1977), 105 / (16 pi w^3) (1 + 3 r/w) (1 - r/w)^3 inside the radius w, else 0, 1/m^3:
/// smooth, compact, of integral 1.
double lucy_kernel(double r, double w);

/// One contact, as the mean force between two bodies.
struct ContactForce {
  Vec3 point = Vec3::Zero();   // m
  Vec3 force = Vec3::Zero();   // N, on body a
  std::int32_t a = 0, b = -1;  // slots; b is -1 for a boundary. In a periodic cell it joins the images
                               // that are nearest to the point
};

/// All arrays are [cell].
struct CoarseFields {
  std::vector<double> density;         // kg/m^3
  std::vector<double> solid_fraction;  // volume of bodies over volume
  std::vector<Vec3> velocity;          // m/s, of the centre of mass; 0 if there is no mass
  std::vector<double> temperature;   // m^2/s^2, a third of the mean square velocity about `velocity`, by mass
  std::vector<Mat3> kinetic_stress;  // Pa, pressure positive
  std::vector<Mat3> contact_stress;  // Pa, pressure positive; row: direction of the force
};

/// Fields at the centres of the cells. Each body is spread by Lucy's kernel of radius `width`, each contact
/// along the lines from its point to the centres on which it acts (Goldhirsch 2010; Weinhart et al. 2012, eq.
/// 19, for non-spherical bodies and for boundaries), integrated by three Gauss points per line.
///
/// The kernel of each body is scaled so that its sum over the grid's points, continued beyond the grid, times
/// the cell volume is 1. So a grid that covers all bodies with a margin of `width` has their mass, momentum
/// and energy to rounding (test: CoarseFields.KeepMassAndMomentum). Contact stress and weight balance as well
/// as the grid resolves the kernel: to 1 % for width = 4 cells (test:
/// CoarseFields.StressOfAColumnIsTheWeightAbove). A velocity gradient contributes to the temperature, of the
/// order of its square times width^2. In a periodic cell all images of bodies and contacts that reach the
/// grid count, with the velocities that the flow gives them. A grid of one period has the cell's mass, and on
/// average the stress of its contacts, to rounding (test: CoarseFieldsInACell.*). Precondition: width >= 1.5
/// cells. The same bits on any number of threads.
CoarseFields coarse_fields(const Shapes& shapes, const Bodies& bodies, std::span<const ContactForce> contacts,
                           const Grid& grid, double width, const PlacedCell& cell = {});

}  // namespace scree
