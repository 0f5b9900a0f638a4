// Are the files of a run whole, and do they fit each other?
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/results/run_folder.h"

namespace scree::io {

/// What was found of a file, and what is wrong with it.
struct FileFindings {
  std::string file;   // within the folder
  std::string found;  // "600 rows"; empty where it cannot be said
  std::vector<std::string> problems;
  bool unread = false;  // it could not be opened or read, so that nothing is known of it
};

/// Every frame, every row, every checksum: trajectory.h5, the tables, the files for ParaView, the
/// checkpoints, the summary; then what they say of each other, and the checksums of tables. A journal that a
/// killed run has left is brought into trajectory.h5 first, unless a run writes to the folder now. Throws
/// ReadError if there is no run, or headers alone.
std::vector<FileFindings> verify_run(const RunFolder& folder);

}  // namespace scree::io
