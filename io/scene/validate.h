// Validates a scene against the table of keys.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/scene/document.h"

namespace scree::io {

/// Checks the keys of a section and of the sections in it: known, of the right type, within range, all
/// required ones present. Adds a fault for each error and marks the value as faulty. Returns true if there
/// was none.
bool validate(Node& section, std::string_view name, const std::string& path, std::vector<Fault>& faults);

/// The form of a section: a word of its chooser; for bodies also "single" and "table". Empty if the
/// chooser is missing or wrong, or if the section has only one form.
std::string form_of(const Node& section, std::string_view name);

/// Allowed deviation of the norm of a quaternion from 1; within it, it is normalised. Numbers printed with
/// four digits pass.
inline constexpr double quaternion_norm_tolerance = 1e-3;

}  // namespace scree::io
