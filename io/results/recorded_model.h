// What stays the same during a run, as trajectory.h5 has it. All throw hdf5::Error; what they return is
// whole: every index in it names something, and the numbers that shapes are made of are sound.
#pragma once

#include "io/files/hdf5_file.h"
#include "io/results/trajectory_reader.h"

namespace scree::io {

/// All but the bodies.
RecordedRun read_recorded_run(const hdf5::File& file);

/// Adds those that `bodies` does not have yet; all or none.
void read_recorded_bodies(const hdf5::File& file, Model& model, Bodies& bodies);

}  // namespace scree::io
