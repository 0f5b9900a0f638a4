// Coarse-grained fields as VTK image data or structured grids.
#pragma once

#include <filesystem>
#include <vector>

#include "engine/modules/fields/coarse_graining.h"
#include "io/results/trajectory_reader.h"

namespace scree::io {

/// A .vti, of cells along the axes of the world, or a .vts, of any, as the name ends; with the cell arrays
/// density, solid_fraction, velocity, granular_temperature, kinetic_stress and contact_stress (nine
/// components, xx xy xz yx ...) and pressure (a third of the trace of both), all float32, inline base64, LZ4.
/// Throws WriteError.
void write_fields(const std::filesystem::path& path, const Grid& grid, const CoarseFields& fields);

}  // namespace scree::io
