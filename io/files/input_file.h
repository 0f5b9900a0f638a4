// Files that are read whole, and which files are read at all: regular ones. A folder has no bytes, and a
// device or a pipe may have any number of them, or wait for ever.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>

namespace scree::io {

/// Why a file cannot be read: "No such file or directory", "it is a folder"; empty if nothing speaks against
/// it.
std::string file_problem(const std::filesystem::path& path);

/// Texts of people, scenes and such, are not larger, bytes.
inline constexpr std::uint64_t most_text_bytes = std::uint64_t{8} << 20;
/// Meshes and tables: what is read of one takes up to some twenty times its size in memory.
std::uint64_t most_data_bytes();

/// All bytes of a regular file; none, and why, if it cannot be read or has more than `most` bytes.
std::optional<std::string> read_bytes(const std::filesystem::path& path, std::string& problem,
                                      std::uint64_t most = most_data_bytes());

}  // namespace scree::io
