// Writes the data of a run to trajectory.h5, except for frames; recorded_model.h reads them. For
// trajectory.cpp only, because of HDF5.
#pragma once

#include "io/files/hdf5_objects.h"
#include "io/scene/scene.h"

namespace scree::io {

/// Attributes of the run, the scene's text, materials, boundaries, outlines, functions and clumps.
void write_model(hid_t file, const Scene& scene);
/// The end time of the run, which replaces the old value.
void write_end_time(hid_t file, const Scene& scene);

}  // namespace scree::io
