// Free resources of this machine.
#pragma once

#include <filesystem>
#include <string>

namespace scree::io {

/// Memory that the process may use, bytes: the machine's, or the limit of its control group or shell if
/// that is less; infinity if the system does not report it.
double memory_bytes();
/// Free space for files in this folder, which need not exist yet, bytes; infinity if unknown.
double free_disk_bytes(const std::filesystem::path& folder);

/// Number of further files that this process may open; at most `most` are tried.
int free_descriptors(int most);

/// "3 kB", "12 MB", "1.5 GB", "4.6 TB"
std::string bytes_text(double bytes);

}  // namespace scree::io
