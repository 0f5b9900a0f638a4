// Reads a scene file and builds all data of a run.
#pragma once

#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "io/scene/scene.h"

namespace scree::io {

/// A key path or the name of a parameter, and its new TOML value.
using Override = std::pair<std::string, std::string>;

/// "count=500" -> {"count", "500"}; throws InputError if there is no '='.
Override parse_override(const std::string& key_and_value);

/// Reads, checks and builds. Notation and rules: docs/scene_reference.md. Throws one InputError with all
/// faults, in the order of the file's lines; a file that cannot be opened and a syntax error of TOML
/// are reported alone. The same file and overrides give the same scene, bit for bit. More than `most_bodies`
/// in total are a fault, reported before they are created.
/// `carried`: bodies of another run, in addition to the scene's own.
Scene read_scene(const std::filesystem::path& file, const std::vector<Override>& overrides = {},
                 std::size_t most_bodies = std::numeric_limits<std::size_t>::max(),
                 const CarriedBodies& carried = {});

/// The same from a text; `file` is its name in messages, and tables are searched in its folder.
Scene read_scene_text(const std::string& text, const std::filesystem::path& file,
                      const std::vector<Override>& overrides = {},
                      std::size_t most_bodies = std::numeric_limits<std::size_t>::max(),
                      const CarriedBodies& carried = {});

/// The names that measurements of a recorded run may use.
struct RecordedWorld {
  const Model& model;           // materials and gravity
  double rest_speed_m_s = 0.0;  // bodies whose surface is not faster are at rest
  std::function<std::vector<std::string>(ObservedKind)> names;  // of its parts, from its tables
  std::vector<CellFlow> cell_flow = {};                         // of its periodic cell
};
/// The [[measurements]] of a text, of a scene or of a separate file. `file` is its name in messages. Throws
/// InputError.
std::vector<MeasurementPlan> read_recorded_measurements(const std::string& text,
                                                        const std::filesystem::path& file,
                                                        const std::vector<Override>& overrides,
                                                        const RecordedWorld& world);
/// The rest speed of a recorded scene, or the default, m/s. Throws InputError if it is not TOML.
double recorded_rest_speed(const std::string& scene, const std::vector<Override>& overrides,
                           const Settings& settings);
/// The flow of a recorded scene's cell; empty if it has none. Throws InputError if it is not TOML.
std::vector<CellFlow> recorded_flow(const std::string& scene, const std::vector<Override>& overrides);

/// Numbers of the boundaries that a name means: the boundary of this name or, if there is none, the walls of
/// the box, "name.-x" and so on.
std::vector<std::size_t> boundaries_named(const std::vector<std::string>& all, const std::string& name);

/// Names and values, in the notation of the file, of all settings of a run: from its scene, its overrides
/// ("key=value") and the defaults. Empty if the text is no scene.
std::vector<std::pair<std::string, std::string>> settings_in_effect(
    const std::string& text, const std::vector<std::string>& overrides);

}  // namespace scree::io
