// From bodies and contacts to continuous fields: density, velocity, granular temperature, stress on a grid.
#pragma once

#include <Eigen/LU>
#include <array>
#include <cmath>
#include <span>

#include "engine/bodies/bodies.h"
#include "engine/bodies/cell.h"
#include "engine/core/types.h"

namespace scree {

/// Equal cells, cubes but where they go with a periodic cell. Cell (i, j, k) has the number i + nx (j + ny
/// k); its centre is where fields are evaluated.
struct Grid {
  Vec3 low = Vec3::Zero();             // m, corner of the first cell
  Mat3 edges = Mat3::Identity();       // m, columns: the edges of a cell
  std::array<std::size_t, 3> count{};  // cells along these
  std::size_t size() const { return count[0] * count[1] * count[2]; }
  double cell_volume() const { return std::abs(edges.determinant()); }
  Vec3 extent() const { return {double(count[0]), double(count[1]), double(count[2])}; }  // in edges
};

/// The grid of this cell size that holds the box with `margin` to spare on every side.
Grid covering_grid(const Vec3& low, const Vec3& high, double margin, double cell);

/// Along directions in which a cell repeats itself one period about its centre, in equal parts of about this
/// size; along others as above. So it goes with a cell that flows.
Grid covering_grid(const PlacedCell& periodic, const Vec3& low, const Vec3& high, double margin, double cell);

/// Lucy's kernel (1977), 105 / (16 pi w^3) (1 + 3 r/w) (1 - r/w)^3 inside the radius w, else 0, 1/m^3:
/// smooth, compact, of integral 1.
double lucy_kernel(double r, double w);

/// One contact, in the terms of the average force between two bodies.
struct ContactForce {
  Vec3 point = Vec3::Zero();   // m
  Vec3 force = Vec3::Zero();   // N, on body a
  std::int32_t a = 0, b = -1;  // slots; b is -1 against a boundary. Of a periodic cell the images meet there
                               // that are nearest to the point
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
/// A gradient of the velocity counts as temperature, of the order of its square times width^2. In a periodic
/// cell all images of bodies and contacts count that reach the grid, with the velocities that its flow gives
/// them: a grid that holds one period has its mass, and the stress of its contacts in the mean, to rounding
/// (test: CoarseFieldsInACell.*). Precondition: width >= 1.5 cells. The same bits on any number of threads.
CoarseFields coarse_fields(const Shapes& shapes, const Bodies& bodies, std::span<const ContactForce> contacts,
                           const Grid& grid, double width, const PlacedCell& cell = {});

}  // namespace scree
