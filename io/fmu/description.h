// The description of a Functional Mock-up Unit (FMI 2.0, co-simulation) that a scene is.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "io/fmu/variables.h"

namespace scree::io {

/// How the scene is called inside, in `resources`.
inline constexpr const char* fmu_scene_name = "scene.toml";

/// A name that C allows, of a scene's: "four-bar 2" -> "four_bar_2".
std::string model_identifier(const std::string& name);

/// Files that the scene was made of, each with its name as seen from the scene's folder. Throws ReadError
/// where one is outside that folder, or is named by its whole path: it would not be found inside the unit.
std::vector<std::pair<std::string, InputFile>> files_of(const Scene& scene);

/// Says whether description and scene belong together: of the variables, the scene's text and its files.
std::string guid_of(const Scene& scene, const std::vector<Variable>& variables);

/// modelDescription.xml
std::string model_description(const Scene& scene, const std::vector<Variable>& variables);

}  // namespace scree::io
