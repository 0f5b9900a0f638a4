// The index of a series of VTK files.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace scree::io {

/// A .pvd that names the file of each time, s; files are relative to its folder. Replaces an older one in one
/// go. Throws WriteError.
void write_series(const std::filesystem::path& path,
                  const std::vector<std::pair<double, std::string>>& files);

}  // namespace scree::io
