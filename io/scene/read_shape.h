// A shape file, read without a scene.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "engine/core/errors.h"
#include "engine/geometry/shapes.h"

namespace scree::io {

struct ShapeFile {
  // One of both, named after the file, without its ending.
  std::optional<ShapeFunction> function;
  std::optional<ShapeClump> clump;
  std::vector<Fault> warnings;
};

/// Reads a file with the keys of [[shapes]] at its top level, as for a scene's `file`. Throws InputError with
/// all faults of the file and of the body that it describes.
ShapeFile read_shape(const std::filesystem::path& file);

}  // namespace scree::io
