// Parts: rigid pieces of the apparatus, which carry boundaries and bodies. A part follows its prescribed
// motion. Forces may move it further: not at all, along an axis, about an axis, or freely.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/bodies/prescribed_motion.h"
#include "engine/core/types.h"

namespace scree {

/// The movements of a part that forces can cause.
enum class Freedom : std::uint8_t {
  none,
  along,  // translation along its axis
  about,  // rotation about its axis
  all,    // all six, as a body; joints may limit them (engine/simulation/subsystems/machine_joint.h)
};

/// An area on which a pressure acts, m^2: the product of the distances between the planes of two pairs of
/// boundaries.
struct AreaBetween {
  std::array<std::array<std::size_t, 2>, 2> pairs = {};
};

/// Forces act along the axis, moments about it, N or N m; only parts with one freedom have them.
/// Travel is measured from the pose at the start.
struct Part {
  std::string name;
  Freedom freedom = Freedom::none;
  PrescribedMotion motion = {};  // prescribed; forces move the part further. None with all freedoms
  bool motion_waits = false;     // its clock is stopped at zero until start_motion()
  Vec3 centre = Vec3::Zero();    // m, at the start: reference point of twist and torque. A point of the axis
                                 // of rotation; for a part with all freedoms the centre of mass
  Vec3 axis = Vec3::UnitZ();     // unit, world
  double inertia = 1.0;          // kg, or kg m^2 for a rotation: of the part with all that it carries
  Vec3 moments = Vec3::Ones();   // kg m^2, principal, of a part with all freedoms
  Quat axes = Quat::Identity();  // likewise, from its principal axes to the world's at the start
  Twist start_twist = {};        // likewise, of its centre
  double force = 0.0;            // N or N m
  TimeLaw changing_force = {};   // N or N m, as a function of time; added to `force`
  double pressure = 0.0;         // Pa, of a part that moves along its axis: times the area it is a force
  double area = 0.0;             // m^2
  std::optional<AreaBetween> area_between = {};  // instead of `area`
  bool weight = true;                            // does gravity act on its mass? False: it is balanced
  double damping = 0.0;                          // N s/m or N m s: force = -damping * rate
  double spring = 0.0;                           // N/m or N m/rad: force = -spring * travel
  double low = -infinity, high = infinity;       // m or rad: stops without restitution
  double start_rate = 0.0;                       // m/s or rad/s
  bool starts_locked = false;                    // forces do not move it until it is released

  bool is_driven() const { return freedom != Freedom::none; }  // by forces
  bool is_free() const { return freedom == Freedom::all; }
  bool has_axis() const { return is_driven() && !is_free(); }  // along or about which forces move it
  bool moves() const { return is_driven() || !motion.is_none(); }
  /// Its velocity at a rate; `linear` is the velocity of points of its axis of rotation.
  Twist twist(double rate) const;
};

/// The state of a part.
struct PartState {
  double travel = 0.0;  // m or rad
  double rate = 0.0;    // m/s or rad/s
  bool locked = false;
  Pose pose{};          // of a part with all freedoms: centre, and rotation since the start
  Twist twist{};        // likewise, world axes
  MotionClock clock{};  // of its prescribed motion
};

PartState start_of(const Part& part);
/// [part]; the state at the start if the list is empty.
PartState state_of(const std::vector<Part>& parts, std::span<const PartState> states, std::size_t part);

/// Motion by forces, beyond the prescribed motion, of a point that is at x at the start.
Pose carried_by(const Part& part, const PartState& now);
/// Motion of a point that is at x at the start, by forces and prescribed motion.
Pose pose_of(const Part& part, const PartState& now, double time_s);
/// Place of its centre, by both, m.
Vec3 centre_of(const Part& part, const PartState& now, double time_s);
/// The centre of a part with all freedoms, or else the reference point of moments, m, without the prescribed
/// motion.
Vec3 origin_of(const Part& part, const PartState& now);
/// Its velocity by forces, about that point.
Twist twist_of(const Part& part, const PartState& now);
/// 1/(kg m^2), world axes, of a part with all freedoms.
Mat3 inverse_inertia_of(const Part& part, const PartState& now);
/// J, of a part with all freedoms: kinetic, and potential if gravity acts on it (zero at the origin).
struct PartEnergy {
  double kinetic = 0.0, potential = 0.0;
};
PartEnergy energy_of(const Part& part, const PartState& now, const Vec3& gravity);

}  // namespace scree
