// Eight floats in one register: eight contacts, or eight numbers of a body; or sixteen, for machines with
// registers of that width. The compiler's vector extension makes one source serve all machines;
// operations are the same IEEE ones in every width, so results are the same bits.
#pragma once

#include <bit>
#include <cmath>
#include <cstring>

#include "engine/core/vector4.h"

namespace scree {

using Vector8 = float __attribute__((vector_size(32), aligned(32)));
using Mask8 = std::int32_t __attribute__((vector_size(32), aligned(32)));

using Vector16 = float __attribute__((vector_size(64), aligned(64)));

// Compiles a function for registers of sixteen floats; call it only if have_sixteen_lanes().
#if defined(__x86_64__) && !defined(SCREE_ONE_TARGET)
#ifdef __clang__
#define SCREE_SIXTEEN_LANES __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw")))
#else
#define SCREE_SIXTEEN_LANES \
  __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,prefer-vector-width=512")))
#endif
inline bool have_sixteen_lanes() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
}
#else
#define SCREE_SIXTEEN_LANES
inline bool have_sixteen_lanes() { return false; }
#endif

SCREE_INLINE Vector8 load8(const float* from) {
  Vector8 r;
  std::memcpy(&r, from, sizeof r);
  return r;
}
SCREE_INLINE Vector8 load(const Lanes& v) { return load8(v.at); }
SCREE_INLINE void store(Vector8 v, Lanes& to) { std::memcpy(static_cast<void*>(&to), &v, sizeof v); }

SCREE_INLINE Vector8 low_half(Vector16 v) { return __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7); }
SCREE_INLINE Vector8 high_half(Vector16 v) {
  return __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15);
}

template <class Vector>
SCREE_INLINE Vector larger(Vector a, Vector b) {
  return a > b ? a : b;
}
template <class Vector>
SCREE_INLINE Vector sqrt_of(Vector x) {
  Vector r;
  for (std::size_t i = 0; i < sizeof r / sizeof(float); ++i) r[i] = std::sqrt(x[i]);
  return r;
}
/// Adds the lanes to a sum, always in the same order.
template <class Vector>
SCREE_INLINE void add_lanes(Vector x, double& sum) {
  for (std::size_t i = 0; i < sizeof x / sizeof(float); ++i) sum += double{x[i]};
}
template <class Vector>
SCREE_INLINE float largest_lane(Vector x) {
  float most = x[0];
  for (std::size_t i = 1; i < sizeof x / sizeof(float); ++i) most = x[i] > most ? x[i] : most;
  return most;
}
/// Is any bit set: does the mask hold anywhere, or is any number not +0?
SCREE_INLINE bool any_of(Mask8 m) {
  using Half = std::int64_t __attribute__((vector_size(32)));
  const Half h = std::bit_cast<Half>(m);
  return ((h[0] | h[1]) | (h[2] | h[3])) != 0;
}
SCREE_INLINE bool any_bit(Vector8 v) { return any_of(std::bit_cast<Mask8>(v)); }
SCREE_INLINE bool any_bit(Vector16 v) {
  return any_of(std::bit_cast<Mask8>(low_half(v)) | std::bit_cast<Mask8>(high_half(v)));
}

template <class Vector>
SCREE_INLINE Vector dot3(const Vector* a, const Vector* b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
template <class Vector>
SCREE_INLINE void cross3(const Vector* a, const Vector* b, Vector* out) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

namespace detail {
using Vector8Half = float __attribute__((vector_size(16), aligned(16)));

/// Numbers [4 * half, 4 * half + 4) of a row that begins `bytes` after the first row.
template <int half>
SCREE_INLINE Vector8Half half_row(const Lanes* rows, std::uint32_t bytes) {
  Vector8Half r;
  std::memcpy(&r, reinterpret_cast<const char*>(rows) + bytes + 16 * half, sizeof r);
  return r;
}
template <int half>
SCREE_INLINE void put_half_row(Vector8Half v, Lanes* rows, std::uint32_t bytes) {
  std::memcpy(reinterpret_cast<char*>(rows) + bytes + 16 * half, &v, sizeof v);
}

SCREE_INLINE Vector16 behind(Vector8 a, Vector8 b) {
  return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}
/// Two rows, one after the other.
SCREE_INLINE Vector16 two_rows(const Lanes* rows, std::uint32_t first, std::uint32_t second) {
  Vector8 a, b;
  std::memcpy(&a, reinterpret_cast<const char*>(rows) + first, sizeof a);
  std::memcpy(&b, reinterpret_cast<const char*>(rows) + second, sizeof b);
  return behind(a, b);
}
SCREE_INLINE void put_two_rows(Vector16 v, Lanes* rows, std::uint32_t first, std::uint32_t second) {
  const Vector8 a = low_half(v), b = high_half(v);
  std::memcpy(reinterpret_cast<char*>(rows) + first, &a, sizeof a);
  std::memcpy(reinterpret_cast<char*>(rows) + second, &b, sizeof b);
}

/// The halves of row `bytes[k]` and of every fourth one after it, side by side: low[k] and high[k], k < 4.
SCREE_INLINE void read_halves(const Lanes* rows, const std::uint32_t* bytes, Vector8* low, Vector8* high) {
  for (int k = 0; k < 4; ++k) {
    low[k] = __builtin_shufflevector(half_row<0>(rows, bytes[k]), half_row<0>(rows, bytes[k + 4]), 0, 1, 2, 3,
                                     4, 5, 6, 7);
    high[k] = __builtin_shufflevector(half_row<1>(rows, bytes[k]), half_row<1>(rows, bytes[k + 4]), 0, 1, 2,
                                      3, 4, 5, 6, 7);
  }
}
SCREE_INLINE void read_halves(const Lanes* rows, const std::uint32_t* bytes, Vector16* low, Vector16* high) {
  for (int k = 0; k < 4; ++k) {
    const Vector16 a = two_rows(rows, bytes[k], bytes[k + 4]),
                   b = two_rows(rows, bytes[k + 8], bytes[k + 12]);
    low[k] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27);
    high[k] = __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
  }
}
SCREE_INLINE void write_halves(const Vector8* low, const Vector8* high, const std::uint32_t* bytes,
                               Lanes* rows) {
  for (int k = 0; k < 4; ++k) {
    put_half_row<0>(__builtin_shufflevector(low[k], low[k], 0, 1, 2, 3), rows, bytes[k]);
    put_half_row<1>(__builtin_shufflevector(high[k], high[k], 0, 1, 2, 3), rows, bytes[k]);
    put_half_row<0>(__builtin_shufflevector(low[k], low[k], 4, 5, 6, 7), rows, bytes[k + 4]);
    put_half_row<1>(__builtin_shufflevector(high[k], high[k], 4, 5, 6, 7), rows, bytes[k + 4]);
  }
}
SCREE_INLINE void write_halves(const Vector16* low, const Vector16* high, const std::uint32_t* bytes,
                               Lanes* rows) {
  for (int k = 0; k < 4; ++k) {
    const Vector16 a = __builtin_shufflevector(low[k], high[k], 0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20,
                                               21, 22, 23),
                   b = __builtin_shufflevector(low[k], high[k], 8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15,
                                               28, 29, 30, 31);
    put_two_rows(a, rows, bytes[k], bytes[k + 4]);
    put_two_rows(b, rows, bytes[k + 8], bytes[k + 12]);
  }
}

/// 4 x 4 transpositions side by side, two or four; its own inverse.
SCREE_INLINE void transpose_fours(const Vector8* r, Vector8* out) {
  const Vector8 a = __builtin_shufflevector(r[0], r[1], 0, 8, 1, 9, 4, 12, 5, 13),
                b = __builtin_shufflevector(r[2], r[3], 0, 8, 1, 9, 4, 12, 5, 13),
                c = __builtin_shufflevector(r[0], r[1], 2, 10, 3, 11, 6, 14, 7, 15),
                d = __builtin_shufflevector(r[2], r[3], 2, 10, 3, 11, 6, 14, 7, 15);
  out[0] = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
  out[1] = __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
  out[2] = __builtin_shufflevector(c, d, 0, 1, 8, 9, 4, 5, 12, 13);
  out[3] = __builtin_shufflevector(c, d, 2, 3, 10, 11, 6, 7, 14, 15);
}
SCREE_INLINE void transpose_fours(const Vector16* r, Vector16* out) {
  const Vector16 a = __builtin_shufflevector(r[0], r[1], 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13,
                                             29),
                 b = __builtin_shufflevector(r[2], r[3], 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13,
                                             29),
                 c = __builtin_shufflevector(r[0], r[1], 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30,
                                             15, 31),
                 d = __builtin_shufflevector(r[2], r[3], 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30,
                                             15, 31);
  out[0] = __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
  out[1] = __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
  out[2] = __builtin_shufflevector(c, d, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
  out[3] = __builtin_shufflevector(c, d, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
}
}  // namespace detail

/// Rows of eight numbers, transposed: out[k] holds number k of all rows, in eight or sixteen lanes.
SCREE_INLINE void turn(const Vector8* rows, Vector8* out) {
  Vector8 low[4], high[4];
  for (int k = 0; k < 4; ++k) {
    low[k] = __builtin_shufflevector(rows[k], rows[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    high[k] = __builtin_shufflevector(rows[k], rows[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
  detail::transpose_fours(low, out);
  detail::transpose_fours(high, out + 4);
}
SCREE_INLINE void turn(const Vector8* rows, Vector16* out) {
  Vector8 first[8], second[8];
  turn(rows, first);
  turn(rows + 8, second);
  for (int k = 0; k < 8; ++k) out[k] = detail::behind(first[k], second[k]);
}

/// The same for rows in memory, at these byte offsets from the first row.
template <class Vector>
SCREE_INLINE void gather(const Lanes* rows, const std::uint32_t* bytes, Vector* out) {
  alignas(sizeof(Vector)) Vector low[4], high[4];  // deduced types have lost their alignment
  detail::read_halves(rows, bytes, low, high);
  detail::transpose_fours(low, out);
  detail::transpose_fours(high, out + 4);
}

/// The inverse of gather().
template <class Vector>
SCREE_INLINE void scatter(const Vector* in, const std::uint32_t* bytes, Lanes* rows) {
  alignas(sizeof(Vector)) Vector low[4], high[4];
  detail::transpose_fours(in, low);
  detail::transpose_fours(in + 4, high);
  detail::write_halves(low, high, bytes, rows);
}

}  // namespace scree
