// The description of a scene as a Functional Mock-up Unit (FMI 2.0, co-simulation).
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "io/fmu/variables.h"

namespace scree::io {

/// Name of the scene file in `resources`.
inline constexpr const char* fmu_scene_name = "scene.toml";

/// The scene's name as an identifier of C: "four-bar 2" -> "four_bar_2".
std::string model_identifier(const std::string& name);

/// Files from which the scene was made, each with its name relative to the scene's folder. Throws ReadError
/// if one is outside that folder, or has an absolute path: it would not be found inside the unit.
std::vector<std::pair<std::string, InputFile>> files_of(const Scene& scene);

/// Identifies the scene of a description: a hash of the variables, the scene's text and its files.
std::string guid_of(const Scene& scene, const std::vector<Variable>& variables);

/// modelDescription.xml
std::string model_description(const Scene& scene, const std::vector<Variable>& variables);

}  // namespace scree::io
