// Verification: are the files of a run complete, and do they match?
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/results/run_folder.h"

namespace scree::io {

/// Findings about a file: its content and its errors.
struct FileFindings {
  std::string file;   // within the folder
  std::string found;  // "600 rows"; empty if unknown
  std::vector<std::string> problems;
  bool unread = false;  // it could not be opened or read, so its content is unknown
};

/// Checks all frames, rows and checksums: trajectory.h5, the tables, the files for ParaView, the
/// checkpoints, the summary; then their agreement, and the checksums of tables. The journal of a
/// killed run is applied to trajectory.h5 first, unless a run is writing to the folder. Throws
/// ReadError if there is no run, or only headers.
std::vector<FileFindings> verify_run(const RunFolder& folder);

}  // namespace scree::io
