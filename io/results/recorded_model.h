// Reads the constant data of a run from trajectory.h5. All functions throw hdf5::Error; their results are
// complete: each index in them is valid, and so are the numbers of shapes.
#pragma once

#include "io/files/hdf5_file.h"
#include "io/results/trajectory_reader.h"

namespace scree::io {

/// All data except the bodies.
RecordedRun read_recorded_run(const hdf5::File& file);

/// Adds the bodies that `bodies` does not have yet; all or none.
void read_recorded_bodies(const hdf5::File& file, Model& model, Bodies& bodies);

}  // namespace scree::io
