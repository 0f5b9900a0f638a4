// Files for ParaView 5.12 and later that show trajectory.h5 itself.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "io/results/run_folder.h"
#include "io/results/trajectory_reader.h"

namespace scree::io {

/// Writes bodies.vtkhdf, and contacts.vtkhdf if these frames have contacts, into the folder: points with
/// times, in the published layout VTKHDF 2.0. What varies from frame to frame is not copied: it is linked
/// from the trajectory, by a path relative to the folder. Constants of bodies (`id`, `material`, `radii`,
/// `shape`, `scale`) are stored once for each set of bodies, that is once if none comes or goes. It does not
/// need VTK's library. `done(k)` is called after each frame. Returns the files. Throws ReadError and
/// WriteError.
std::vector<std::filesystem::path> write_vtk_hdf(
    const RunFolder& folder, const std::filesystem::path& trajectory, const TrajectoryReader& reader,
    const std::vector<std::size_t>& frames,
    const std::function<void(std::size_t)>& done = [](std::size_t) {});

}  // namespace scree::io
