// Provenance: the program and machine of a run.
#pragma once

#include <string>

namespace scree::io {

struct Provenance {
  std::string commit;    // of the sources: git's short hash, "-dirty" if files had changed, or "unknown"
  std::string compiler;  // "GCC 12.2.0"
  std::string machine;   // "AMD EPYC 7B13, 2 cores", or "unknown"
};

/// "major.minor.patch"
std::string scree_version();

/// For this program on this machine.
const Provenance& provenance();

}  // namespace scree::io
