// The bodies of a run as the beginning of another scene.
#pragma once

#include "io/scene/scene.h"

namespace scree::io {

/// Those of its last checkpoint, in the precision of memory; with a time those of the frame that is nearest
/// to it, in that of frames. Throws ReadError.
CarriedBodies carried_bodies(const std::filesystem::path& folder, std::optional<double> time_s);

}  // namespace scree::io
