// Files that HDF5 itself writes, but no program would.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace scree::test {

/// Datasets, attributes, groups and links of types, shapes, layouts and filters as the bytes say.
void write_hostile_file(const std::string& path, std::span<const std::uint8_t> bytes);

/// Everything that can be asked of it, by io::hdf5::library_content() in this process. Throws hdf5::Error
/// only where the file cannot be opened; an answer of another size than its question's throws
/// std::logic_error.
void read_all_of(const std::string& path);

}  // namespace scree::test
