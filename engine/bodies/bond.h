// Bonds: what glues two bodies together until it breaks. A bond stands for a round bar between them.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "engine/core/frames.h"
#include "engine/core/types.h"

namespace scree {

/// What bonds of one kind are like, which bodies they glue and when.
struct BondLaw {
  std::string name;
  std::vector<std::uint8_t> glues;  // [material] 1 if bodies of it are glued; empty: all are
  double reach = 0.01;              // largest gap that is bridged, over the smaller of both smallest lengths
  double time_s = 0.0;              // when bonds form; infinity: not by themselves
  double radius_ratio = 1.0;        // of the bar's radius to the smaller of both smallest lengths
  double youngs_modulus = infinity;  // Pa; infinity: rigid
  double stiffness_ratio = 2.5;     // of Young's to the shear modulus
  double damping = 0.0;             // of each of a bond's springs, over the critical one of its two bodies
  // What breaks it; infinity: nothing does.
  double tensile_strength = infinity, shear_strength = infinity;  // Pa, at the rim of the bar
  double moment_share = 1.0;                                      // of what moments bring to these stresses
  double breaking_force = infinity, breaking_moment = infinity;   // N, N m: of any direction

  bool is_rigid() const { return youngs_modulus == infinity; }
  bool is_unbreakable() const {
    return tensile_strength == infinity && shear_strength == infinity && breaking_force == infinity &&
           breaking_moment == infinity;
  }
};

/// One bond. Its frame has n first, from b to a; where it is glued to is fixed to the bodies.
struct Bond {
  std::int32_t law = 0;
  std::int32_t a = 0, b = 0;                            // slots
  Vec3 point_a = Vec3::Zero(), point_b = Vec3::Zero();  // m, body frame: its middle
  Quat frame_a = Quat::Identity(), frame_b = frame_a;   // its frame to the body's
  double radius = 0.0, length = 0.0;                    // m
  // On body a in the last (sub)step, along its frame: force and moment, N s and N m s.
  Vec3 impulse = Vec3::Zero(), moment_impulse = Vec3::Zero();
  std::int32_t broken = 0;  // 1: it is gone when the step has ended
};

/// Stiffnesses along the frame of a bond: of a bar, EA/L and GA/L; EI/L and GJ/L.
struct BondStiffness {
  Vec3 linear, angular;  // N/m, N m
};
BondStiffness stiffness(const BondLaw& law, const Bond& bond);

/// What a bond carries.
struct BondLoad {
  double tension = 0.0, shear = 0.0;                // N; tension negative where it is pressed
  double bending = 0.0, torsion = 0.0;              // N m
  double tensile_stress = 0.0, shear_stress = 0.0;  // Pa, the largest at the rim
};
/// From impulses over `h` seconds.
BondLoad load_of(const BondLaw& law, const Bond& bond, const Vec3& impulse, const Vec3& moment_impulse,
                 double h);

/// J, of springs that are deformed so along the frame, m and rad; 0 of a rigid bond.
double elastic_energy(const BondLaw& law, const Bond& bond, const Vec3& stretch, const Vec3& turn);

/// What may break a bond.
enum class BondFailure : std::uint8_t { tension, shear, force, moment };
inline constexpr std::array<const char*, 4> bond_failures{"tension", "shear", "force", "moment"};

/// The most that any of its limits is used, 1 where it breaks, and by what.
struct BondUse {
  double share = 0.0;
  BondFailure by = BondFailure::tension;
};
BondUse use_of(const BondLaw& law, const BondLoad& load);

/// A bond that formed or broke.
struct BondEvent {
  std::int32_t law = 0;
  BodyId a = 0, b = 0;
  bool formed = false;
  Vec3 point = Vec3::Zero();  // m
  BondUse use;                // of one that broke
  BondLoad load;              // likewise
  double energy = 0.0;        // J, likewise: what its springs had
};

}  // namespace scree
