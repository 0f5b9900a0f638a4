// Does a scene say only what the table of keys allows?
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/scene/document.h"

namespace scree::io {

/// Looks at the keys of a section and of the sections in it: known, of the right type, within range, required
/// ones present. Adds a fault for each slip and marks what is wrong as faulty. True if nothing was.
bool validate(Node& section, std::string_view name, const std::string& path, std::vector<Fault>& faults);

/// The form that a section takes: a word of its chooser; for bodies also "single" and "table". Empty if the
/// chooser is missing or wrong, or if the section has but one form.
std::string form_of(const Node& section, std::string_view name);

/// How far the norm of a quaternion may be from 1; within that it is normalised. Numbers printed with four
/// digits pass.
inline constexpr double quaternion_norm_tolerance = 1e-3;

}  // namespace scree::io
