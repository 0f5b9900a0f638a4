// Reading by HDF5's own library. It should run in a separate process (hdf5_process.h), because
// damaged files can make it crash or never return.
#pragma once

#include <filesystem>
#include <memory>

#include "io/files/hdf5_content.h"

namespace scree::io::hdf5 {

/// Reads only the content of the file itself: no links to other files, no external data, no virtual
/// datasets; and only the filters that Scree and most other programs write: shuffle, deflate, fletcher32.
/// Before values are read it checks that the file can contain this number of them. Throws Error.
std::unique_ptr<ContentSource> library_content(const std::filesystem::path& path);

/// Forbids, for this process, links to other files and filters of other programs.
void stay_within_file();

/// Upper limit of the memory for one answer, bytes: the most that a file of this size can contain, and at
/// most half of the machine's.
std::uint64_t most_answer_bytes(std::uint64_t file_bytes);

}  // namespace scree::io::hdf5
