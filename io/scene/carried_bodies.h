// The bodies of a run as the initial state of another scene.
#pragma once

#include "io/scene/scene.h"

namespace scree::io {

/// Bodies of its last checkpoint, in full precision; if a time is given, those of the nearest frame,
/// in the precision of frames. Throws ReadError.
CarriedBodies carried_bodies(const std::filesystem::path& folder, std::optional<double> time_s);

}  // namespace scree::io
