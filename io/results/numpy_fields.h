// Fields for NumPy.
#pragma once

#include <filesystem>

#include "engine/modules/fields/coarse_graining.h"

namespace scree::io {

/// A .npy file that numpy.load reads: a structured array of the shape (nz, ny, nx) with the fields `centre`
/// (m), `density`, `solid_fraction`, `velocity`, `granular_temperature`, `kinetic_stress`, `contact_stress`
/// and `pressure`, in double precision. Throws WriteError.
void write_numpy_fields(const std::filesystem::path& path, const Grid& grid, const CoarseFields& fields);

}  // namespace scree::io
