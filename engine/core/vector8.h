// Eight floats that move together: eight contacts, or eight numbers of a body. The compiler's vector
// extension, so that one source serves every machine; operations are the same IEEE ones in every width, so
// results are the same bits.
#pragma once

#include <bit>
#include <cmath>
#include <cstring>

#include "engine/core/vector4.h"

namespace scree {

using Vector8 = float __attribute__((vector_size(32), aligned(32)));
using Mask8 = std::int32_t __attribute__((vector_size(32), aligned(32)));

SCREE_INLINE Vector8 load(const Lanes& v) {
  Vector8 r;
  std::memcpy(&r, &v, sizeof r);
  return r;
}
SCREE_INLINE void store(Vector8 v, Lanes& to) { std::memcpy(static_cast<void*>(&to), &v, sizeof v); }

SCREE_INLINE Vector8 all_lanes(float x) { return Vector8{} + x; }
SCREE_INLINE Vector8 larger(Vector8 a, Vector8 b) { return a > b ? a : b; }
SCREE_INLINE Vector8 sqrt_of(Vector8 x) {
  Vector8 r;
  for (int i = 0; i < 8; ++i) r[i] = std::sqrt(x[i]);
  return r;
}
/// Always in the same order.
SCREE_INLINE double sum_of_lanes(Vector8 x) {
  double sum = 0.0;
  for (int i = 0; i < 8; ++i) sum += double{x[i]};
  return sum;
}
/// Is the mask set anywhere?
SCREE_INLINE bool any_of(Mask8 m) {
  using Half = std::int64_t __attribute__((vector_size(32)));
  const Half h = std::bit_cast<Half>(m);
  return ((h[0] | h[1]) | (h[2] | h[3])) != 0;
}

SCREE_INLINE Vector8 dot3(const Vector8* a, const Vector8* b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
SCREE_INLINE void cross3(const Vector8* a, const Vector8* b, Vector8* out) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

namespace detail {
using Vector8Half = float __attribute__((vector_size(16), aligned(16)));

/// Row `i`, numbers [4 * half, 4 * half + 4), of two rows side by side.
template <int half>
SCREE_INLINE Vector8 two_halves(const Lanes* rows, std::int32_t i, std::int32_t j) {
  Vector8Half low, high;
  std::memcpy(&low, rows[i].at + 4 * half, sizeof low);
  std::memcpy(&high, rows[j].at + 4 * half, sizeof high);
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}
template <int half>
SCREE_INLINE void put_halves(Vector8 v, Lanes* rows, std::int32_t i, std::int32_t j) {
  const Vector8Half low = __builtin_shufflevector(v, v, 0, 1, 2, 3),
                    high = __builtin_shufflevector(v, v, 4, 5, 6, 7);
  std::memcpy(rows[i].at + 4 * half, &low, sizeof low);
  std::memcpy(rows[j].at + 4 * half, &high, sizeof high);
}
/// Two 4 x 4 transpositions side by side; its own inverse.
SCREE_INLINE void transpose_fours(Vector8 r0, Vector8 r1, Vector8 r2, Vector8 r3, Vector8* out) {
  const Vector8 a = __builtin_shufflevector(r0, r1, 0, 8, 1, 9, 4, 12, 5, 13),
                b = __builtin_shufflevector(r2, r3, 0, 8, 1, 9, 4, 12, 5, 13),
                c = __builtin_shufflevector(r0, r1, 2, 10, 3, 11, 6, 14, 7, 15),
                d = __builtin_shufflevector(r2, r3, 2, 10, 3, 11, 6, 14, 7, 15);
  out[0] = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
  out[1] = __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
  out[2] = __builtin_shufflevector(c, d, 0, 1, 8, 9, 4, 5, 12, 13);
  out[3] = __builtin_shufflevector(c, d, 2, 3, 10, 11, 6, 7, 14, 15);
}
}  // namespace detail

/// Rows `index[lane]` of an array, turned: out[k] holds number k of every one of them.
SCREE_INLINE void gather(const Lanes* rows, const std::int32_t* index, Vector8* out) {
  using detail::transpose_fours, detail::two_halves;
  transpose_fours(two_halves<0>(rows, index[0], index[4]), two_halves<0>(rows, index[1], index[5]),
                  two_halves<0>(rows, index[2], index[6]), two_halves<0>(rows, index[3], index[7]), out);
  transpose_fours(two_halves<1>(rows, index[0], index[4]), two_halves<1>(rows, index[1], index[5]),
                  two_halves<1>(rows, index[2], index[6]), two_halves<1>(rows, index[3], index[7]), out + 4);
}

/// And back.
SCREE_INLINE void scatter(const Vector8* in, const std::int32_t* index, Lanes* rows) {
  Vector8 r[4];
  detail::transpose_fours(in[0], in[1], in[2], in[3], r);
  for (int k = 0; k < 4; ++k) detail::put_halves<0>(r[k], rows, index[k], index[k + 4]);
  detail::transpose_fours(in[4], in[5], in[6], in[7], r);
  for (int k = 0; k < 4; ++k) detail::put_halves<1>(r[k], rows, index[k], index[k + 4]);
}

}  // namespace scree
