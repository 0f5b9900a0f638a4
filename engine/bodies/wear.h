// How walls wear, and what of contacts wears them.
#pragma once

namespace scree {

/// What contacts do to a surface beside pushing it: sums of sizes.
struct SurfaceLoad {
  double pressing = 0.0;       // N s, of normal impulses that press
  double shearing = 0.0;       // N s, of tangential impulses
  double friction_work = 0.0;  // J, that friction took
  double sliding = 0.0;        // N m, of normal impulses times the speed of slip
  double impacts = 0.0;        // contacts that began faster than the threshold of restitution
  double impact_energy = 0.0;  // J, of the approach of these along the normal
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

/// By Archard (1953), volume = wear_coefficient * force * way / hardness, and by energy: what an impact
/// takes off in proportion to its energy.
struct WearLaw {
  double volume_per_sliding = 0.0;        // m^3/(N m)
  double volume_per_impact_energy = 0.0;  // m^3/J
  double volume(const SurfaceLoad& load) const {
    return volume_per_sliding * load.sliding + volume_per_impact_energy * load.impact_energy;
  }
};

}  // namespace scree
