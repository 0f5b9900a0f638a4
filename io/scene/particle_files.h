// Particles as other programs write them: extended XYZ, LAMMPS and LIGGGHTS dumps, and LAMMPS data files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/files/csv_file.h"
#include "io/scene/body_table.h"

namespace scree::io {

/// Rows of a particle file, in the form of a table: the first line names the columns. Columns have the names
/// of Scree's tables, or their own where Scree has none. A line keeps its number in the file.
struct ParticleRows {
  std::vector<CsvLine> lines;
  char separator = ' ';
};

/// Recognizes the format by the first lines. None where the text is in none of these formats, or a fault is
/// added.
///
/// - XYZ: the number of particles, a comment, then `species x y z` and perhaps a radius; with `Properties=`
/// in the
///   comment (OVITO, ASE) the columns that it names. `orientation` is x y z w, `aspherical_shape` semi-axes.
/// - Dump: ITEM: ATOMS names the columns; x, y, z, vx, vy, vz, omegax, omegay, omegaz, radius or diameter,
///   quatw, quati, quatj, quatk are read.
/// - Data file: sections Atoms (styles sphere and ellipsoid; a comment behind the heading names it; sphere
///   without), Velocities and Ellipsoids, whose shapes are diameters.
///
/// The last frame of files with several frames is taken. Types of LAMMPS, from 1, become materials, from 0.
std::optional<ParticleRows> read_particle_text(const std::string& text, const std::string& shown,
                                               TableFaults& faults);

}  // namespace scree::io
