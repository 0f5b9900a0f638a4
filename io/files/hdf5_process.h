// HDF5's library in a separate process. Reasons: docs/decisions/0021-hdf5-in-a-process-of-its-own.md.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "io/files/hdf5_content.h"

namespace scree::io::hdf5 {

/// Forks a process that opens the file and reads as library_content() does, with limits of memory and
/// processor time. If the library crashes there, or exceeds a limit, each further call throws an Error that
/// states this. The process ends with the object. No other thread may use HDF5 meanwhile.
std::unique_ptr<ContentSource> content_by_process(const std::filesystem::path& path);

/// The same with another reader and another limit of processor time, for tests.
using Answerer = std::function<std::unique_ptr<ContentSource>(const std::filesystem::path& path)>;
std::unique_ptr<ContentSource> content_by_process(const std::filesystem::path& path, const Answerer& answerer,
                                                  double patience_s);

}  // namespace scree::io::hdf5
