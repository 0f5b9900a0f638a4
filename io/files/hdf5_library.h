// Answers that HDF5's own library gives. It is to run in a process of its own (hdf5_process.h): there are
// damaged files that make it crash, or never come back.
#pragma once

#include <filesystem>
#include <memory>

#include "io/files/hdf5_content.h"

namespace scree::io::hdf5 {

/// Only what the file itself holds is read: no links to other files, no data outside of it, no virtual
/// datasets; and of filters those that Scree and most others write: shuffle, deflate, fletcher32. Before
/// values are read it is asked whether the file can hold so many at all. Throws Error.
std::unique_ptr<ContentSource> library_content(const std::filesystem::path& path);

/// For this process and for ever: no links to other files, and no filters of other programs.
void stay_within_file();

/// Memory that one answer may take, bytes: what a file of this size can be made to hold, and no more than
/// half of the machine's.
std::uint64_t most_answer_bytes(std::uint64_t file_bytes);

}  // namespace scree::io::hdf5
