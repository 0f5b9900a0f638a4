// Chunks of datasets in the form in which HDF5 stores them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace scree::io::hdf5 {

/// The bytes of a chunk after HDF5's filters shuffle, deflate (level 1) and fletcher32, in this order.
/// `element`: size of one number, bytes. HDF5 unpacks them; zlib, which it packs with, needs twice the time
/// of libdeflate. Leading bytes of numbers that are noise are not compressed.
std::vector<std::byte> packed_chunk(std::span<const std::byte> chunk, std::size_t element);

}  // namespace scree::io::hdf5
