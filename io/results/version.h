// Which Scree this is.
#pragma once

#include <string>

namespace scree::io {

/// "major.minor.patch"
std::string scree_version();

}  // namespace scree::io
