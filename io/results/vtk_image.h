// Coarse-grained fields as VTK image data or structured grids.
#pragma once

#include <filesystem>
#include <vector>

#include "engine/modules/fields/coarse_graining.h"
#include "io/results/trajectory_reader.h"

namespace scree::io {

/// Writes .vti, with cells along the axes of the world, or .vts, with any cells, by the name's ending. The
/// cell arrays are density, solid_fraction, velocity, granular_temperature, kinetic_stress and contact_stress
/// (nine components, xx xy xz yx ...) and pressure (a third of the trace of both), all float32, inline
/// base64, LZ4. Throws WriteError.
void write_fields(const std::filesystem::path& path, const Grid& grid, const CoarseFields& fields);

}  // namespace scree::io
