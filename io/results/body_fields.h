// Numbers of bodies that `output.fields` of a scene adds to each frame.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "engine/simulation/model.h"

namespace scree::io {

struct BodyField {
  std::string_view name;
  std::string_view unit;
  std::string_view meaning;
  /// [body]; `contacts` are those of the state's last step.
  std::vector<float> (*values)(const Model& model, const State& state,
                               std::span<const Contact* const> contacts);
};

/// All available fields.
std::span<const BodyField> body_fields();

/// The field of this name, or nullptr.
const BodyField* body_field(std::string_view name);

}  // namespace scree::io
