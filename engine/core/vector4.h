// Four doubles that move together: x, y, z and a spare lane that stays zero. The compiler's vector extension,
// so that one source serves every machine; operations are the same IEEE ones in every width, so results are
// the same bits.
#pragma once

#include "engine/core/types.h"

namespace scree {

// Aligned by itself: without AVX the compiler would be content with 16 bytes, which its AVX2 clones are not.
using Vector4 = double __attribute__((vector_size(32), aligned(32)));
static_assert(alignof(Vector4) == 32);

#define SCREE_INLINE inline __attribute__((always_inline))

// Compiles a function for AVX2 too and picks at run time. Sanitizers cannot live with the way that is done.
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

SCREE_INLINE Vector4 to_vector4(const Vec3& v) { return Vector4{v[0], v[1], v[2], 0.0}; }
SCREE_INLINE Vec3 to_vec3(const Vector4& v) { return Vec3(v[0], v[1], v[2]); }

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

}  // namespace scree
