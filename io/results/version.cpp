#include "io/results/version.h"

namespace scree::io {

std::string scree_version() { return SCREE_VERSION; }

}  // namespace scree::io
