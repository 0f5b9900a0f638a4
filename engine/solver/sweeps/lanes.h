// The part of a batch that a kernel processes at once: half of its lanes, or all if registers are wide
// enough. Lanes are independent, so the bits are the same.
#pragma once

#include "engine/core/vector8.h"
#include "engine/solver/sweeps/batches.h"

namespace scree {

struct HalfBatch {
  using Vector = Vector8;
  static constexpr std::size_t lanes = batch_size / 2;
  std::size_t from;  // lane 0 or 8

  SCREE_INLINE Vector load(const BatchLanes& row) const { return load8(row.at + from); }
  SCREE_INLINE void store(Vector v, BatchLanes& row) const { std::memcpy(row.at + from, &v, sizeof v); }
  /// Rows of the bodies at these offsets.
  SCREE_INLINE void read(const Lanes* rows, const std::uint32_t* bytes, Vector* out) const {
    gather(rows, bytes + from, out);
  }
  SCREE_INLINE void write(const Vector* in, const std::uint32_t* bytes, Lanes* rows) const {
    scatter(in, bytes + from, rows);
  }
};
inline constexpr HalfBatch halves[] = {{0}, {8}};

struct WholeBatch {
  using Vector = Vector16;
  static constexpr std::size_t lanes = batch_size, from = 0;

  SCREE_INLINE Vector load(const BatchLanes& row) const {
    Vector r;
    std::memcpy(&r, &row, sizeof r);
    return r;
  }
  SCREE_INLINE void store(Vector v, BatchLanes& row) const {
    std::memcpy(static_cast<void*>(&row), &v, sizeof v);
  }
  SCREE_INLINE void read(const Lanes* rows, const std::uint32_t* bytes, Vector* out) const {
    gather(rows, bytes, out);
  }
  SCREE_INLINE void write(const Vector* in, const std::uint32_t* bytes, Lanes* rows) const {
    scatter(in, bytes, rows);
  }
};

inline constexpr WholeBatch whole[] = {{}};

/// Are whole batches processed at once?
inline bool are_whole(const Batches& b) { return b.use_sixteen_lanes && have_sixteen_lanes(); }

template <class Part>
SCREE_INLINE void load3(const Part& part, const BatchLanes* from, typename Part::Vector* to) {
  for (int k = 0; k < 3; ++k) to[k] = part.load(from[k]);
}

}  // namespace scree
