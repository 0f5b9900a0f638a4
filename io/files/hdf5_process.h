// HDF5's library in a process of its own. docs/decisions/0021-hdf5-in-a-process-of-its-own.md says why.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "io/files/hdf5_content.h"

namespace scree::io::hdf5 {

/// Forks a process that opens the file and answers as library_content() does, within bounds of memory and of
/// processor time. Where the library breaks off in there, or takes more than that, every answer from then on
/// is an Error that says so. The process ends with the object. No other thread may be in HDF5 meanwhile.
std::unique_ptr<ContentSource> content_by_process(const std::filesystem::path& path);

/// The same with another one who answers, and other bounds of processor time, for tests.
using Answerer = std::function<std::unique_ptr<ContentSource>(const std::filesystem::path& path)>;
std::unique_ptr<ContentSource> content_by_process(const std::filesystem::path& path, const Answerer& answerer,
                                                  double patience_s);

}  // namespace scree::io::hdf5
