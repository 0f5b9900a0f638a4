// Materials and the laws of their pairs.
#pragma once

#include <algorithm>
#include <string>

#include "engine/bodies/elasticity.h"
#include "engine/bodies/surface.h"
#include "engine/bodies/wear.h"
#include "engine/core/types.h"

namespace scree {

/// Attraction of two surfaces: adhesion where they touch, and a liquid bridge up to some distance.
struct Cohesion {
  double adhesion_energy = 0.0;  // J/m^2, W: work that separates a unit of area
  double surface_tension = 0.0;  // N/m, of the liquid
  double wetting_angle = 0.0;    // rad, between liquid and surface
  double bridge_volume = 0.0;    // m^3, of the liquid between two surfaces

  bool acts() const { return adhesion_energy > 0.0 || surface_tension > 0.0; }
  /// Largest gap of a bridge, m: (1 + angle/2) cbrt(volume) (Lian, Thornton, Adams 1993).
  double rupture_distance() const;
};

/// Attraction, N. `radius_m`: effective radius of the gap, see effective_radius(). `length_m`: surfaces whose
/// gap is below a thousandth of it touch. Adhesion is 3/2 pi W R (Johnson, Kendall, Roberts 1971).
/// A bridge of volume V fills the gap D + r^2/(2 R) as far as it is narrower than H = sqrt(D^2 + V/(pi R)),
/// under a pressure of 2 gamma cos(angle)/H: 4 pi R gamma cos(angle) (1 - D/H) (Derjaguin's approximation:
/// bridges thin against R).
double attraction(const Cohesion& cohesion, double radius_m, double length_m, double gap_m);

/// How two materials touch. All members are dimensionless except the two lengths, cohesion and elasticity.
struct PairLaw {
  double friction = 0.5;              // sliding: |tangential impulse| <= friction * normal impulse
  double torsional_friction_m = 0.0;  // m: |torque impulse about the normal| <= this * normal impulse
  double rolling_friction_m = 0.0;    // m: |torque impulse across the normal| <= this * normal impulse
  // The same lengths over the reduced radius of the contact; they add up with the lengths.
  double torsional_friction_ratio = 0.0, rolling_friction_ratio = 0.0;
  double restitution = 0.0;  // Newton's coefficient, in [0, 1]
  Cohesion cohesion{};
  Elasticity elasticity{};
  double damping_ratio = 0.0;  // follows from restitution for elastic materials: Materials::set_law()
};

/// The law of two materials without a pair law, mixed from the laws of each with itself: geometric means of
/// the three frictions (so that a frictionless material stays frictionless) and of cohesion, except the
/// arithmetic mean of the angles; the smaller restitution, since the partner that bounces less decides; and
/// both elasticities in series.
PairLaw mixed_law(const PairLaw& a, const PairLaw& b);

/// Named materials and a symmetric table of pair laws.
class Materials {
 public:
  MaterialIndex add(std::string name, double density);
  void set_law(MaterialIndex a, MaterialIndex b, const PairLaw& law);

  void set_surface(MaterialIndex m, Surface surface);
  void set_wear(MaterialIndex m, const WearLaw& wear) { wear_[m] = wear; }

  std::size_t size() const { return names_.size(); }
  const std::string& name(MaterialIndex m) const { return names_[m]; }
  double density(MaterialIndex m) const { return densities_[m]; }  // kg/m^3
  const PairLaw& law(MaterialIndex a, MaterialIndex b) const { return laws_[place(a, b)]; }
  bool has_surfaces() const;       // does any surface have direction factors or patches?
  bool cohere() const;             // does any pair attract?
  bool are_elastic() const;        // is any pair elastic?
  double farthest_bridge() const;  // m, the largest rupture distance
  const Surface& surface(MaterialIndex m) const { return surfaces_[m]; }
  const WearLaw& wear(MaterialIndex m) const { return wear_[m]; }  // of walls of this material

 private:
  std::vector<std::string> names_;
  std::vector<double> densities_;
  std::vector<Surface> surfaces_;
  std::vector<WearLaw> wear_;
  static std::size_t place(MaterialIndex a, MaterialIndex b) {
    const auto [less, more] = std::minmax(a.value, b.value);
    return static_cast<std::size_t>(more) * (static_cast<std::size_t>(more) + 1) / 2 +
           static_cast<std::size_t>(less);
  }
  std::vector<PairLaw> laws_;  // [pair] the lower triangle, row by row
};

}  // namespace scree
