// Materials and the laws of their pairs.
#pragma once

#include <string>

#include "engine/bodies/surface.h"
#include "engine/core/types.h"

namespace scree {

/// How two materials touch. Everything is dimensionless but the two lengths.
struct PairLaw {
  double friction = 0.5;              // sliding: |tangential impulse| <= friction * normal impulse
  double torsional_friction_m = 0.0;  // m: |torque impulse about the normal| <= this * normal impulse
  double rolling_friction_m = 0.0;    // m: |torque impulse across the normal| <= this * normal impulse
  double restitution = 0.0;           // Newton's coefficient, in [0, 1]
};

/// What two materials do whose pair nobody has measured, from what each does with its own kind: the geometric
/// mean of the three frictions, since a frictionless material stays so against all, and the smaller
/// restitution, since the partner that bounces less decides.
PairLaw mixed_law(const PairLaw& a, const PairLaw& b);

/// Named materials and a symmetric table of pair laws.
class Materials {
 public:
  MaterialIndex add(std::string name, double density);
  void set_law(MaterialIndex a, MaterialIndex b, const PairLaw& law);

  void set_surface(MaterialIndex m, Surface surface);

  std::size_t size() const { return names_.size(); }
  const std::string& name(MaterialIndex m) const { return names_[m]; }
  double density(MaterialIndex m) const { return densities_[m]; }  // kg/m^3
  const PairLaw& law(MaterialIndex a, MaterialIndex b) const { return laws_[a.value * size() + b.value]; }
  bool has_surfaces() const;  // any surface has directions or patches
  const Surface& surface(MaterialIndex m) const { return surfaces_[m]; }

 private:
  std::vector<std::string> names_;
  std::vector<double> densities_;
  std::vector<Surface> surfaces_;
  std::vector<PairLaw> laws_;  // [a * size + b]
};

}  // namespace scree
