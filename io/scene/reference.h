// What people and editors read about scene files, made from the table of keys.
#pragma once

#include <string>

namespace scree::io {

/// docs/scene_reference.md, Markdown.
std::string scene_reference();

/// docs/scene.schema.json, JSON Schema draft 7, for completion and hints in editors that know TOML.
std::string scene_schema();

}  // namespace scree::io
