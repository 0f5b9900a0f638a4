// Mounts: what boundaries are fixed to that forces move. A mount goes along one axis or turns about it, has a
// mass or a moment of inertia, and feels what its boundaries feel.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/bodies/prescribed_motion.h"
#include "engine/core/types.h"

namespace scree {

enum class MountKind : std::uint8_t {
  slider,  // goes along its axis
  hinge,   // turns about it
};

/// An area that a pressure acts on, m^2: the product of the distances between the planes of two pairs of
/// boundaries.
struct AreaBetween {
  std::array<std::array<std::size_t, 2>, 2> pairs = {};
};

/// All numbers of forces are those along the axis, or moments about it, N or N m. Travel is counted from
/// where the mount is at the start.
struct Mount {
  std::string name;
  MountKind kind = MountKind::slider;
  Vec3 axis = Vec3::UnitZ();                // unit, world
  Vec3 point = Vec3::Zero();                // m, of a hinge: any point of its axis
  double inertia = 1.0;                     // kg, or kg m^2: of the mount with its boundaries
  double force = 0.0;                       // N or N m
  TimeLaw changing_force;                   // N or N m, of the time; added to that
  double pressure = 0.0;                    // Pa, of a slider: a force of this times an area
  double area = 0.0;                        // m^2
  std::optional<AreaBetween> area_between;  // in place of `area`
  bool weight = true;                       // of a slider: does gravity act on its mass?
  double damping = 0.0;                     // N s/m or N m s: a force of so much times minus the rate
  double spring = 0.0;                      // N/m or N m/rad: a force of so much times minus the travel
  double low = -infinity, high = infinity;  // m or rad: stops, which do not bounce
  double start_rate = 0.0;                  // m/s or rad/s
  bool starts_held = false;                 // it does not move before it is released

  /// Where a point goes that is at x before the mount has travelled so far.
  Pose at(double travel) const;
  /// How fast it moves at a rate: linear is that of the points of a hinge's axis.
  Twist twist(double rate) const;
};

/// Where a mount is.
struct MountState {
  double travel = 0.0;  // m or rad
  double rate = 0.0;    // m/s or rad/s
  bool held = false;
};

}  // namespace scree
