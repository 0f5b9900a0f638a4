// Frames as text for other programs.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "io/results/trajectory_reader.h"

namespace scree::io {

enum class TextFormat {
  extended_xyz,  // OVITO: orientation (x y z w) and aspherical_shape (semi-axes, m)
  lammps_dump,   // as `dump custom` of ellipsoids: quatw quati quatj quatk, shapex shapey shapez (diameters,
                 // m)
  csv            // one line per body; a single frame is a table from which a scene can start
};

/// Writes these frames, at least one, one after another into a file. Numbers have the fewest digits that read
/// back as the same single-precision value, except for constants, which are double. `done(k)` is called after
/// each frame. Throws ReadError and WriteError.
void write_text(
    const std::filesystem::path& path, TextFormat format, const TrajectoryReader& reader,
    const std::vector<std::size_t>& frames,
    const std::function<void(std::size_t)>& done = [](std::size_t) {});

}  // namespace scree::io
