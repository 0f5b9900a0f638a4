// Pieces of files: numbers that are packed before they are written. How a piece is packed depends on nothing
// but its bytes, so that any thread or process may do it.
#pragma once

#include <cstdint>
#include <span>

#include "engine/core/ranks.h"

namespace scree::io {

struct Piece {
  enum class Kind : std::uint8_t { hdf5_chunk, vtk_poly_data };
  Kind kind = Kind::hdf5_chunk;
  std::uint32_t element = 1;  // of a chunk: size of one number, bytes
  bool is_packed = false;
  Bytes bytes;  // numbers, or, if it is packed, as they are written
};

/// Does nothing if it is packed. Throws VtkMissing for data of VTK if its library is not there.
void pack(Piece& piece);

/// Packs the pieces of rank 0. All ranks call it, with no pieces on others than rank 0. Each packs about the
/// same number of bytes.
void pack(Ranks& ranks, std::span<Piece* const> pieces = {});

}  // namespace scree::io
