// Basic types of the engine: vectors, quaternions and strong indices. SI units throughout.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <compare>
#include <cstdint>
#include <limits>
#include <vector>

namespace scree {

using Vec2 = Eigen::Vector2d;
using Vec3 = Eigen::Vector3d;
using Vec3f = Eigen::Vector3f;  // single precision is enough: geometry relative to a body's centre
using Mat2 = Eigen::Matrix2d;
using Mat3 = Eigen::Matrix3d;
using Quat = Eigen::Quaterniond;  // unit; rotates the body frame into the world frame

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// An index that cannot be mixed up with an index of another kind.
template <class Tag>
struct Index {
  std::int32_t value = -1;
  constexpr Index() = default;
  constexpr explicit Index(std::int64_t v) : value(static_cast<std::int32_t>(v)) {}
  constexpr auto operator<=>(const Index&) const = default;
  constexpr operator std::size_t() const { return static_cast<std::size_t>(value); }
};

using BodyIndex = Index<struct BodyTag>;          // slot in `Bodies`
using BoundaryIndex = Index<struct BoundaryTag>;  // slot in `Boundaries`
using MaterialIndex = Index<struct MaterialTag>;  // slot in `Materials`
using ShapeIndex = Index<struct ShapeTag>;        // slot in `Shapes`

/// Reserves room for `size` values; if it is too small, for a little more, but not for twice as many. For
/// arrays whose size changes a little in each step.
template <class T>
void make_room(std::vector<T>& values, std::size_t size) {
  constexpr std::size_t more = 1024 / sizeof(T) + 1;
  if (size > values.capacity()) values.reserve(size + size / 32 + more);
}
template <class T>
void resize_with_room(std::vector<T>& values, std::size_t size) {
  make_room(values, size);
  values.resize(size);
}

/// Three numbers for vector registers, with a fourth number that stays zero (engine/core/vector4.h).
struct alignas(32) Padded3 {
  double x = 0.0, y = 0.0, z = 0.0, spare = 0.0;
};
/// Eight numbers for vector registers (engine/core/vector8.h).
struct alignas(32) Lanes {
  float at[8] = {};
};

inline Padded3 padded(const Vec3& v) { return {v[0], v[1], v[2], 0.0}; }
inline Vec3 to_vec3(const Padded3& v) { return {v.x, v.y, v.z}; }

using BodyId = std::int64_t;  // persistent; survives removal and reordering of slots

/// Rotation and translation from a body's frame to the world's.
struct Pose {
  Vec3 position = Vec3::Zero();  // m
  Quat orientation = Quat::Identity();
};

/// The pose of b in the world, if b is relative to a.
inline Pose operator*(const Pose& a, const Pose& b) {
  return {a.position + a.orientation * b.position, a.orientation * b.orientation};
}

/// Linear and angular velocity in world axes; the linear part is that of the centre of mass.
struct Twist {
  Vec3 linear = Vec3::Zero();   // m/s
  Vec3 angular = Vec3::Zero();  // rad/s
};

}  // namespace scree
