// From bodies and contacts to continuous fields: density, velocity, granular temperature, stress on a grid.
#pragma once

#include <array>
#include <span>

#include "engine/bodies/bodies.h"
#include "engine/core/types.h"

namespace scree {

/// Cells of a cube each. Cell (i, j, k) has the number i + nx (j + ny k); its centre is where fields are
/// evaluated.
struct Grid {
  Vec3 low = Vec3::Zero();             // m, lower corner of the first cell
  double cell = 1.0;                   // m, edge of a cell
  std::array<std::size_t, 3> count{};  // cells along x, y, z
  std::size_t size() const { return count[0] * count[1] * count[2]; }
  double cell_volume() const { return cell * cell * cell; }
};

/// The grid of this cell size that holds the box with `margin` to spare on every side.
Grid covering_grid(const Vec3& low, const Vec3& high, double margin, double cell);

/// Lucy's kernel (1977), 105 / (16 pi w^3) (1 + 3 r/w) (1 - r/w)^3 inside the radius w, else 0, 1/m^3:
/// smooth, compact, of integral 1.
double lucy_kernel(double r, double w);

/// One contact, in the terms of the average force between two bodies.
struct ContactForce {
  Vec3 point = Vec3::Zero();   // m
  Vec3 force = Vec3::Zero();   // N, on body a
  std::int32_t a = 0, b = -1;  // slots; b is -1 against a boundary
};

/// All arrays are [cell].
struct CoarseFields {
  std::vector<double> density;         // kg/m^3
  std::vector<double> solid_fraction;  // volume of bodies over volume
  std::vector<Vec3> velocity;          // m/s, of the centre of mass; 0 where there is nothing
  std::vector<double> temperature;   // m^2/s^2, a third of the mean square velocity about `velocity`, by mass
  std::vector<Mat3> kinetic_stress;  // Pa, pressure positive
  std::vector<Mat3> contact_stress;  // Pa, pressure positive; row: direction of the force
};

/// Fields at the centres of the cells, each body spread out by Lucy's kernel of radius `width`, each contact
/// along the lines from its point to the centres that it acts on (Goldhirsch 2010; Weinhart et al. 2012, eq.
/// 19, for bodies that are not spheres and for boundaries), integrated by three Gauss points a line.
///
/// Every body's kernel is scaled so that its sum over the grid's points, continued beyond the grid, times the
/// cell volume is 1: a grid that holds all bodies and `width` beyond has their mass, momentum and energy to
/// rounding (test: CoarseFields.KeepMassAndMomentum). Contact stress and weight balance as well as the grid
/// resolves the kernel: to 1 % with four cells a width (test: CoarseFields.StressOfAColumnIsTheWeightAbove).
/// A gradient of the velocity counts as temperature, of the order of its square times width^2. Precondition:
/// width >= 1.5 cells. The same bits on any number of threads.
CoarseFields coarse_fields(const Shapes& shapes, const Bodies& bodies, std::span<const ContactForce> contacts,
                           const Grid& grid, double width);

}  // namespace scree
