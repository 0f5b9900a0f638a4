// A shape file by itself, outside any scene.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "engine/core/errors.h"
#include "engine/geometry/shapes.h"

namespace scree::io {

struct ShapeFile {
  // Either, named as the file is, without its ending.
  std::optional<ShapeFunction> function;
  std::optional<ShapeClump> clump;
  std::vector<Fault> warnings;
};

/// With the keys of [[shapes]] at its top level, as a scene's `file` names it. Throws InputError with all
/// that is wrong with the file and with the body that it describes.
ShapeFile read_shape(const std::filesystem::path& file);

}  // namespace scree::io
