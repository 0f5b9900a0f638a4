// What trajectory.h5 says of a run but for its frames: recorded_model.h reads it. For trajectory.cpp alone,
// because of HDF5.
#pragma once

#include "io/files/hdf5_objects.h"
#include "io/scene/scene.h"

namespace scree::io {

/// Attributes of the run, the scene's text, materials, boundaries, outlines, functions and clumps.
void write_model(hid_t file, const Scene& scene);
/// The simulated time that the run is to come to, in place of what was there.
void write_end_time(hid_t file, const Scene& scene);

}  // namespace scree::io
