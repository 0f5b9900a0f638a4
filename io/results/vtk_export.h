// Writes the VTK series of a run that was recorded without one.
#pragma once

#include <functional>
#include <vector>

#include "io/results/run_folder.h"
#include "io/results/trajectory_reader.h"

namespace scree::io {

/// Writes bodies.pvd, contacts.pvd (if the trajectory has contacts), walls.vtp and the files of these frames
/// into the folder, as the run would do. `done(k)` is called after each frame. Throws ReadError and
/// WriteError.
void write_vtk_series(
    const RunFolder& folder, const TrajectoryReader& reader, const std::vector<std::size_t>& frames,
    const std::function<void(std::size_t)>& done = [](std::size_t) {});

/// 0, 1, ..., all frames of the trajectory.
std::vector<std::size_t> all_frames(const TrajectoryReader& reader);

}  // namespace scree::io
