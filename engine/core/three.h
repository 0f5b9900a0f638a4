// Three plain numbers, for loops over structures of arrays, which the compiler turns into vector code.
#pragma once

#include <array>

#include "engine/core/vector4.h"

namespace scree {

struct Three {
  double x, y, z;
};

SCREE_INLINE Three operator+(Three a, Three b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
SCREE_INLINE Three operator-(Three a, Three b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
SCREE_INLINE Three operator*(double s, Three a) { return {s * a.x, s * a.y, s * a.z}; }
SCREE_INLINE double dot(Three a, Three b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
SCREE_INLINE Three cross(Three a, Three b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
SCREE_INLINE Three to_three(const Vec3& v) { return {v[0], v[1], v[2]}; }
SCREE_INLINE Vec3 to_vec3(Three v) { return {v.x, v.y, v.z}; }

/// v rotated by a quaternion with this axis part, and the inverse.
SCREE_INLINE Three turned_by(double w, Three axis, Three v) {
  const Three twice = 2.0 * cross(axis, v);
  return v + w * twice + cross(axis, twice);
}
SCREE_INLINE Three turned_back_by(double w, Three axis, Three v) {
  const Three twice = 2.0 * cross(v, axis);
  return v + w * twice + cross(twice, axis);
}

/// Columns of numbers, for up to `capacity` items.
template <std::size_t rows, std::size_t capacity>
using Columns = std::array<std::array<double, capacity>, rows>;
/// Loops run over whole vectors of the widest machine; results beyond the last item are not used.
inline constexpr std::size_t widest = 8;
SCREE_INLINE std::size_t whole_vectors(std::size_t n) { return (n + widest - 1) / widest * widest; }

template <std::size_t capacity>
SCREE_INLINE Three three(const Columns<3, capacity>& v, std::size_t k) {
  return {v[0][k], v[1][k], v[2][k]};
}
template <std::size_t capacity>
SCREE_INLINE void put(Columns<3, capacity>& v, std::size_t k, Three value) {
  v[0][k] = value.x;
  v[1][k] = value.y;
  v[2][k] = value.z;
}

SCREE_INLINE double choose(bool first, double one, double other) { return first ? one : other; }
SCREE_INLINE Three choose(bool first, Three one, Three other) {
  return {choose(first, one.x, other.x), choose(first, one.y, other.y), choose(first, one.z, other.z)};
}

}  // namespace scree
