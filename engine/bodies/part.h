// Parts: rigid pieces of the apparatus, which carry boundaries and bodies. A part moves as it is prescribed
// and, beyond that, as forces move it: not at all, along an axis, about one, or in every way.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/bodies/prescribed_motion.h"
#include "engine/core/types.h"

namespace scree {

/// How forces may move a part.
enum class Freedom : std::uint8_t {
  none,
  along,  // it goes along its axis
  about,  // it turns about its axis
  all,    // it goes and turns as a body, but for its joints (engine/simulation/subsystems/machine_joint.h)
};

/// An area that a pressure acts on, m^2: the product of the distances between the planes of two pairs of
/// boundaries.
struct AreaBetween {
  std::array<std::array<std::size_t, 2>, 2> pairs = {};
};

/// Forces are those along the axis, or moments about it, N or N m; only parts with one freedom have them.
/// Travel is counted from where the part is at the start.
struct Part {
  std::string name;
  Freedom freedom = Freedom::none;
  PrescribedMotion motion = {};  // beyond which forces move it; none of a part with all freedoms
  bool motion_waits = false;     // its clock stands at zero until start_motion()
  Vec3 centre = Vec3::Zero();   // m, at the start: what its twist and torques on it are about. A point of the
                                // axis that it turns about; the centre of mass of one with all freedoms
  Vec3 axis = Vec3::UnitZ();    // unit, world
  double inertia = 1.0;         // kg, or of one that turns kg m^2: of the part with all that it carries
  Vec3 moments = Vec3::Ones();  // kg m^2, principal, of one with all freedoms
  Quat axes = Quat::Identity();  // likewise, from its principal axes to the world's at the start
  Twist start_twist = {};        // likewise, of its centre
  double force = 0.0;            // N or N m
  TimeLaw changing_force = {};   // N or N m, of the time; added to that
  double pressure = 0.0;         // Pa, of one that goes along its axis: a force of this times an area
  double area = 0.0;             // m^2
  std::optional<AreaBetween> area_between = {};  // in place of `area`
  bool weight = true;                            // of one that is not balanced: does gravity act on its mass?
  double damping = 0.0;                          // N s/m or N m s: a force of so much times minus the rate
  double spring = 0.0;                           // N/m or N m/rad: a force of so much times minus the travel
  double low = -infinity, high = infinity;       // m or rad: stops, which do not bounce
  double start_rate = 0.0;                       // m/s or rad/s
  bool starts_locked = false;                    // forces do not move it before it is released

  bool is_driven() const { return freedom != Freedom::none; }  // by forces
  bool is_free() const { return freedom == Freedom::all; }
  bool has_axis() const { return is_driven() && !is_free(); }  // along or about which forces move it
  bool moves() const { return is_driven() || !motion.is_none(); }
  /// How fast it moves at a rate: linear is that of the points of the axis that it turns about.
  Twist twist(double rate) const;
};

/// Where a part is.
struct PartState {
  double travel = 0.0;  // m or rad
  double rate = 0.0;    // m/s or rad/s
  bool locked = false;
  Pose pose{};          // of one with all freedoms: its centre, and how it has turned since the start
  Twist twist{};        // likewise, world axes
  MotionClock clock{};  // of what is prescribed to it
};

PartState start_of(const Part& part);
/// [part]; as it is at the start where the list is empty.
PartState state_of(const std::vector<Part>& parts, std::span<const PartState> states, std::size_t part);

/// Where forces have brought a point that is at x at the start, beyond what is prescribed.
Pose carried_by(const Part& part, const PartState& now);
/// Where a point goes that is at x at the start, by both.
Pose pose_of(const Part& part, const PartState& now, double time_s);
/// Where its centre is, by both, m.
Vec3 centre_of(const Part& part, const PartState& now, double time_s);
/// The centre of a part with all freedoms, or what moments on others are about, m, but for what is
/// prescribed.
Vec3 origin_of(const Part& part, const PartState& now);
/// How fast forces move it, about that.
Twist twist_of(const Part& part, const PartState& now);
/// 1/(kg m^2), world axes, of one with all freedoms.
Mat3 inverse_inertia_of(const Part& part, const PartState& now);
/// J, of one with all freedoms: kinetic, and potential where gravity acts on it (zero at the origin).
struct PartEnergy {
  double kinetic = 0.0, potential = 0.0;
};
PartEnergy energy_of(const Part& part, const PartState& now, const Vec3& gravity);

}  // namespace scree
