// How much room this machine has.
#pragma once

#include <filesystem>
#include <string>

namespace scree::io {

/// Memory that the process may use, bytes: the machine's, or its control group's or shell's limit where
/// that is less; infinity where the system does not tell.
double memory_bytes();
/// Free space for files in this folder, which need not be there yet, bytes; infinity where it is not told.
double free_disk_bytes(const std::filesystem::path& folder);

/// Files that this process may open still, but no more than `most` are tried.
int free_descriptors(int most);

/// "3 kB", "12 MB", "1.5 GB", "4.6 TB"
std::string bytes_text(double bytes);

}  // namespace scree::io
