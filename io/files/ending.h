// The ending of a file's name.
#pragma once

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string>

namespace scree::io {

/// ".stl" of "a.STL": with the point, in small letters.
inline std::string ending_of(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  std::ranges::transform(ending, ending.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending;
}

}  // namespace scree::io
