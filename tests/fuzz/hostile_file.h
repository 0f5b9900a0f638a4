// Files written by HDF5 itself, which no sensible program would write.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace scree::test {

/// Datasets, attributes, groups and links with types, shapes, layouts and filters from the bytes.
void write_hostile_file(const std::string& path, std::span<const std::uint8_t> bytes);

/// Requests all content of the file, by io::hdf5::library_content() in this process. Throws hdf5::Error only
/// if the file cannot be opened. Throws std::logic_error if an answer does not have the requested size.
void read_all_of(const std::string& path);

}  // namespace scree::test
