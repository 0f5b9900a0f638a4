// Files that are read as a whole. Only regular files are read: a folder has no bytes, and a
// device or a pipe may have any number of bytes, or never end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>

namespace scree::io {

/// The reason why a file cannot be read: "No such file or directory", "it is a folder"; empty if there is
/// none.
std::string file_problem(const std::filesystem::path& path);

/// Upper limit for texts written by users, such as scenes, bytes.
inline constexpr std::uint64_t most_text_bytes = std::uint64_t{8} << 20;
/// Upper limit for meshes and tables, which may take up to about twenty times their size in memory.
std::uint64_t most_data_bytes();

/// All bytes of a regular file; none, with the reason, if it cannot be read or has more than `most` bytes.
std::optional<std::string> read_bytes(const std::filesystem::path& path, std::string& problem,
                                      std::uint64_t most = most_data_bytes());

}  // namespace scree::io
