// Mounts: what boundaries are fixed to that forces move. A mount goes along one axis or turns about it, has a
// mass or a moment of inertia, and feels what its boundaries feel; or it is a part of a machine, free as a
// body but for its joints (engine/simulation/machine_joint.h).
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
  free,    // goes and turns as joints let it
};

/// An area that a pressure acts on, m^2: the product of the distances between the planes of two pairs of
/// boundaries.
struct AreaBetween {
  std::array<std::array<std::size_t, 2>, 2> pairs = {};
};

/// All numbers of forces are those along the axis, or moments about it, N or N m; free mounts have none.
/// Travel is counted from where the mount is at the start.
struct Mount {
  std::string name;
  MountKind kind = MountKind::slider;
  Vec3 axis = Vec3::UnitZ();  // unit, world
  Vec3 point = Vec3::Zero();  // m, at the start: of a hinge any point of its axis, of a free mount the centre
                              // of mass
  double inertia = 1.0;       // kg, or of a hinge kg m^2: of the mount with its boundaries
  Vec3 moments = Vec3::Ones();              // kg m^2, principal, of a free mount
  Quat axes = Quat::Identity();             // from its principal axes to the world's at the start
  Twist start_twist;                        // of a free mount and its centre
  double force = 0.0;                       // N or N m
  TimeLaw changing_force;                   // N or N m, of the time; added to that
  double pressure = 0.0;                    // Pa, of a slider: a force of this times an area
  double area = 0.0;                        // m^2
  std::optional<AreaBetween> area_between;  // in place of `area`
  bool weight = true;                       // of a slider or a free mount: does gravity act on its mass?
  double damping = 0.0;                     // N s/m or N m s: a force of so much times minus the rate
  double spring = 0.0;                      // N/m or N m/rad: a force of so much times minus the travel
  double low = -infinity, high = infinity;  // m or rad: stops, which do not bounce
  double start_rate = 0.0;                  // m/s or rad/s
  bool starts_held = false;                 // it does not move before it is released

  bool is_free() const { return kind == MountKind::free; }
  /// How fast it moves at a rate: linear is that of the points of a hinge's axis.
  Twist twist(double rate) const;
};

/// Where a mount is.
struct MountState {
  double travel = 0.0;  // m or rad
  double rate = 0.0;    // m/s or rad/s
  bool held = false;
  Pose pose{};    // of a free mount: its centre, and how it has turned since the start
  Twist twist{};  // likewise, world axes
};

/// Where a point goes that is at x at the start.
Pose carried_by(const Mount& mount, const MountState& now);
/// The centre of a free mount, or what moments on others are about, m.
Vec3 origin_of(const Mount& mount, const MountState& now);
/// How fast it moves, about that.
Twist twist_of(const Mount& mount, const MountState& now);
/// 1/(kg m^2), world axes, of a free mount.
Mat3 inverse_inertia_of(const Mount& mount, const MountState& now);
/// J, of a free mount: kinetic, and potential where gravity acts on it (zero at the origin).
struct MountEnergy {
  double kinetic = 0.0, potential = 0.0;
};
MountEnergy energy_of(const Mount& mount, const MountState& now, const Vec3& gravity);

}  // namespace scree
