// From a scene file to everything a run needs.
#pragma once

#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "io/scene/scene.h"

namespace scree::io {

/// A key path or the name of a parameter, and the TOML value to put there.
using Override = std::pair<std::string, std::string>;

/// "count=500" -> {"count", "500"}; throws InputError if there is no '='.
Override parse_override(const std::string& key_and_value);

/// Reads, checks and builds. Notation and rules: docs/scene_reference.md. Throws one InputError with all that
/// is wrong, in the order of the file's lines; a file that cannot be opened and a slip of TOML's own grammar
/// come alone. The same file and overrides give the same scene, bit for bit. More than `most_bodies` in all
/// are a fault, told before they are made.
/// `carried`: bodies of another run that it begins with, beside its own.
Scene read_scene(const std::filesystem::path& file, const std::vector<Override>& overrides = {},
                 std::size_t most_bodies = std::numeric_limits<std::size_t>::max(),
                 const CarriedBodies& carried = {});

/// The same from a text; `file` is what messages call it, and tables are looked for beside it.
Scene read_scene_text(const std::string& text, const std::filesystem::path& file,
                      const std::vector<Override>& overrides = {},
                      std::size_t most_bodies = std::numeric_limits<std::size_t>::max(),
                      const CarriedBodies& carried = {});

/// What measurements may name of a run that is recorded.
struct RecordedWorld {
  const Model& model;                                           // materials and gravity
  double rest_speed_m_s = 0.0;                                  // whose surface is not faster is at rest
  std::function<std::vector<std::string>(ObservedKind)> names;  // of its parts, by its tables
};
/// The [[measurements]] of a text, a scene's or one of its own. `file` is what messages call it. Throws
/// InputError.
std::vector<MeasurementPlan> read_recorded_measurements(const std::string& text,
                                                        const std::filesystem::path& file,
                                                        const std::vector<Override>& overrides,
                                                        const RecordedWorld& world);
/// What a recorded scene says of it, or the usual one, m/s. Throws InputError where it is no TOML.
double recorded_rest_speed(const std::string& scene, const std::vector<Override>& overrides,
                           const Settings& settings);

/// Names and values, as a file would say them, of all settings of a run: what its scene and its overrides
/// ("key=value") say, and the defaults. Empty where the text is no scene.
std::vector<std::pair<std::string, std::string>> settings_in_effect(
    const std::string& text, const std::vector<std::string>& overrides);

}  // namespace scree::io
