// Four doubles in one register: x, y, z and a spare lane that stays zero. The compiler's vector extension
// makes one source serve all machines; operations are the same IEEE ones in each width, so results are
// the same bits.
#pragma once

#include <bit>
#include <cstring>

#include "engine/core/types.h"

namespace scree {

// Explicit alignment: without AVX the compiler would align to 16 bytes, which its AVX2 clones cannot use.
using Vector4 = double __attribute__((vector_size(32), aligned(32)));
static_assert(alignof(Vector4) == 32);

#define SCREE_INLINE inline __attribute__((always_inline))

// Compiles a function for AVX2 too and selects at run time. Sanitizers do not support this mechanism.
#if defined(__x86_64__) && !defined(SCREE_ONE_TARGET)
#define SCREE_FOR_EACH_TARGET __attribute__((target_clones("avx2", "default")))
#else
#define SCREE_FOR_EACH_TARGET
#endif

// The same for loops over structures of arrays, which gain from AVX-512 as well.
#if defined(__x86_64__) && !defined(SCREE_ONE_TARGET)
#define SCREE_FOR_EACH_VECTOR_WIDTH __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define SCREE_FOR_EACH_VECTOR_WIDTH
#endif

// Before a loop: no iteration reads a value that another one writes. Clang gets no hint; it checks by itself.
#ifdef __clang__
#define SCREE_INDEPENDENT_TURNS
#else
#define SCREE_INDEPENDENT_TURNS _Pragma("GCC ivdep")
#endif

/// Plain numbers in memory, loaded into a register.
SCREE_INLINE Vector4 all_four(const void* numbers) {
  Vector4 r;
  std::memcpy(&r, numbers, sizeof r);
  return r;
}
SCREE_INLINE Vector4 load(const Padded3& v) { return all_four(&v); }
SCREE_INLINE void store(Vector4 v, Padded3& to) { std::memcpy(static_cast<void*>(&to), &v, sizeof v); }

SCREE_INLINE Vector4 to_vector4(const Vec3& v) { return Vector4{v[0], v[1], v[2], 0.0}; }
using Vector4f = float __attribute__((vector_size(16)));
/// One by one: a copy of 12 bytes into 16 would be read before the write is complete (store forwarding
/// fails).
SCREE_INLINE Vector4 to_vector4(const Vec3f& v) {
  return __builtin_convertvector((Vector4f{v[0], v[1], v[2], 0.0f}), Vector4);
}
/// v with its spare lane zero: one bitwise instruction, where a shuffle with zeros is three.
SCREE_INLINE Vector4 without_spare(Vector4 v) {
  using Bits = std::int64_t __attribute__((vector_size(32)));
  return std::bit_cast<Vector4>(std::bit_cast<Bits>(v) & Bits{-1, -1, -1, 0});
}
/// Three numbers of a structure, with a fourth one after them, or before them.
SCREE_INLINE Vector4 first_three(const void* numbers) { return without_spare(all_four(numbers)); }
SCREE_INLINE Vector4 last_three(const void* numbers) {
  const Vector4 r = all_four(static_cast<const char*>(numbers) - sizeof(double));
  return without_spare(__builtin_shufflevector(r, r, 1, 2, 3, 3));
}
/// Writes three numbers and one more after them, which the caller overwrites afterwards.
SCREE_INLINE void put_three(Vector4 v, void* numbers) { std::memcpy(numbers, &v, sizeof v); }
SCREE_INLINE Vector4 linear_of(const Twist& t) { return first_three(&t); }
SCREE_INLINE Vector4 angular_of(const Twist& t) {
  return last_three(reinterpret_cast<const char*>(&t) + sizeof(Vec3));
}

SCREE_INLINE Vec3 to_vec3(const Vector4& v) { return Vec3(v[0], v[1], v[2]); }
SCREE_INLINE Vec3f to_vec3f(const Vector4& v) {
  const Vector4f narrow = __builtin_convertvector(v, Vector4f);
  return Vec3f(narrow[0], narrow[1], narrow[2]);
}

SCREE_INLINE Vector4 cross(Vector4 a, Vector4 b) {
  const Vector4 a_yzx = __builtin_shufflevector(a, a, 1, 2, 0, 3),
                b_yzx = __builtin_shufflevector(b, b, 1, 2, 0, 3);
  const Vector4 c = a * b_yzx - a_yzx * b;  // z, x, y
  return __builtin_shufflevector(c, c, 1, 2, 0, 3);
}

SCREE_INLINE double dot(Vector4 a, Vector4 b) {
  const Vector4 p = a * b;
  return p[0] + p[1] + p[2];
}

/// v rotated by the smallest rotation that takes unit n0 to unit n1; zero if they are opposite.
SCREE_INLINE Vector4 turned_with(Vector4 n0, Vector4 n1, Vector4 v) {
  const double cosine = dot(n0, n1);
  if (cosine < -0.999) return Vector4{};
  const Vector4 s = cross(n0, n1), sv = cross(s, v);
  return v + sv + (1.0 / (1.0 + cosine)) * cross(s, sv);
}

/// v rotated by a quaternion, and the inverse. The spare lane of the axis holds w; cross() removes it.
SCREE_INLINE Vector4 turned_by(const Quat& q, Vector4 v) {
  const Vector4 axis{q.x(), q.y(), q.z(), q.w()}, twice = 2.0 * cross(axis, v);
  return v + q.w() * twice + cross(axis, twice);
}
SCREE_INLINE Vector4 turned_back_by(const Quat& q, Vector4 v) {
  const Vector4 axis{q.x(), q.y(), q.z(), q.w()}, twice = 2.0 * cross(v, axis);
  return v + q.w() * twice + cross(twice, axis);
}

/// A symmetric matrix by columns.
struct Columns4 {
  Vector4 x, y, z;
};
/// R diag(d) R^T with the rotation matrix R of the quaternion: the same bits as symmetric_in_world().
SCREE_INLINE Columns4 symmetric_columns(const Quat& q, const Vec3& d) {
  const Mat3 r = q.toRotationMatrix();
  const Vector4 a{r(0, 0), r(1, 0), r(2, 0), 0.0}, b{r(0, 1), r(1, 1), r(2, 1), 0.0},
      c{r(0, 2), r(1, 2), r(2, 2), 0.0};
  return {a * a[0] * d[0] + b * b[0] * d[1] + c * c[0] * d[2],
          a * a[1] * d[0] + b * b[1] * d[1] + c * c[1] * d[2],
          a * a[2] * d[0] + b * b[2] * d[1] + c * c[2] * d[2]};
}

}  // namespace scree
