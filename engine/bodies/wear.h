// Wear of walls, and the load by contacts that causes it.
#pragma once

namespace scree {

/// Sums of magnitudes over contacts of a surface, in addition to its force.
struct SurfaceLoad {
  double pressing = 0.0;       // N s, normal impulses that press
  double shearing = 0.0;       // N s, tangential impulses
  double friction_work = 0.0;  // J, dissipated by friction
  double sliding = 0.0;        // N m, normal impulses times slip speed
  double impacts = 0.0;        // contacts that began faster than the threshold of restitution
  double impact_energy = 0.0;  // J, kinetic energy of these along the normal
  SurfaceLoad& operator+=(const SurfaceLoad& o) {
    pressing += o.pressing;
    shearing += o.shearing;
    friction_work += o.friction_work;
    sliding += o.sliding;
    impacts += o.impacts;
    impact_energy += o.impact_energy;
    return *this;
  }
};

/// Archard (1953): volume = wear_coefficient * force * sliding distance / hardness. Impacts remove a volume
/// in proportion to their energy.
struct WearLaw {
  double volume_per_sliding = 0.0;        // m^3/(N m)
  double volume_per_impact_energy = 0.0;  // m^3/J
  double volume(const SurfaceLoad& load) const {
    return volume_per_sliding * load.sliding + volume_per_impact_energy * load.impact_energy;
  }
};

}  // namespace scree
