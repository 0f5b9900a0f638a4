// The scenes that come with the project.
#pragma once

#include <algorithm>
#include <filesystem>
#include <vector>

namespace scree::test {

/// All scenes in scenes/, sorted; without its shapes and studies.
inline std::vector<std::filesystem::path> shipped_scenes() {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(SCREE_SOURCE_DIR) / "scenes";
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const fs::path topic = *entry.path().lexically_relative(folder).begin();
    if (entry.path().extension() == ".toml" && topic != "shapes" && topic != "studies" &&
        entry.path().parent_path().filename() != "shapes")
      files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace scree::test
