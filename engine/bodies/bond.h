// Bonds: each glues two bodies together until it breaks. The model of a bond is a round bar between them.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "engine/core/frames.h"
#include "engine/core/types.h"

namespace scree {

/// Properties of one kind of bond, the bodies that it glues, and the time at which it forms.
struct BondLaw {
  std::string name;
  std::vector<std::uint8_t> glues;  // [material] 1: bodies of it are glued; empty: bodies of all materials
  double reach = 0.01;              // largest gap of a bond, over the smaller of both smallest lengths
  double time_s = 0.0;              // time at which bonds form; infinity: they do not form by themselves
  double radius_ratio = 1.0;        // the bar's radius over the smaller of both smallest lengths
  double youngs_modulus = infinity;  // Pa; infinity: rigid
  double stiffness_ratio = 2.5;     // Young's modulus over shear modulus
  double damping = 0.0;             // of each spring, over the critical damping of its two bodies
  // Limits at which a bond breaks; infinity: no limit.
  double tensile_strength = infinity, shear_strength = infinity;  // Pa, at the rim of the bar
  double moment_share = 1.0;                                      // share of moments in these stresses
  double breaking_force = infinity, breaking_moment = infinity;   // N, N m: in any direction

  bool is_rigid() const { return youngs_modulus == infinity; }
  bool is_unbreakable() const {
    return tensile_strength == infinity && shear_strength == infinity && breaking_force == infinity &&
           breaking_moment == infinity;
  }
};

/// One bond. The first axis of its frame is n, from b to a; its end points are fixed to the bodies.
struct Bond {
  std::int32_t law = 0;
  std::int32_t a = 0, b = 0;                            // slots
  Vec3 point_a = Vec3::Zero(), point_b = Vec3::Zero();  // m, body frame: the bond's middle
  Quat frame_a = Quat::Identity(), frame_b = frame_a;   // from its frame to the body's frame
  double radius = 0.0, length = 0.0;                    // m
  // Impulse on body a in the last (sub)step, in the bond's frame: of force and moment, N s and N m s.
  Vec3 impulse = Vec3::Zero(), moment_impulse = Vec3::Zero();
  std::int32_t broken = 0;  // 1: it is removed at the end of the step
};

/// Stiffnesses in the frame of a bond: those of a bar, EA/L and GA/L; EI/L and GJ/L.
struct BondStiffness {
  Vec3 linear, angular;  // N/m, N m
};
BondStiffness stiffness(const BondLaw& law, const Bond& bond);

/// The load on a bond.
struct BondLoad {
  double tension = 0.0, shear = 0.0;                // N; tension is negative under compression
  double bending = 0.0, torsion = 0.0;              // N m
  double tensile_stress = 0.0, shear_stress = 0.0;  // Pa, the largest values at the rim
};
/// The load from impulses over `h` seconds.
BondLoad load_of(const BondLaw& law, const Bond& bond, const Vec3& impulse, const Vec3& moment_impulse,
                 double h);

/// Elastic energy, J, of springs with this deformation in the bond's frame, m and rad; 0 for a rigid bond.
double elastic_energy(const BondLaw& law, const Bond& bond, const Vec3& stretch, const Vec3& turn);

/// The limit that breaks a bond.
enum class BondFailure : std::uint8_t { tension, shear, force, moment };
inline constexpr std::array<const char*, 4> bond_failures{"tension", "shear", "force", "moment"};

/// The largest use of a limit, 1 where the bond breaks, and that limit.
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
  BondUse use;                // of a bond that broke
  BondLoad load;              // of a bond that broke
  double energy = 0.0;        // J, elastic energy of a bond that broke
};

}  // namespace scree
