#include "engine/bodies/bond.h"

#include <cmath>
#include <numbers>

namespace scree {

namespace {

struct Section {
  double area, second, polar;  // m^2, m^4, m^4
};

Section section_of(const Bond& bond) {
  const double r2 = bond.radius * bond.radius, area = std::numbers::pi * r2;
  return {area, 0.25 * area * r2, 0.5 * area * r2};
}

}  // namespace

BondStiffness stiffness(const BondLaw& law, const Bond& bond) {
  const Section s = section_of(bond);
  const double e = law.youngs_modulus / bond.length, g = e / law.stiffness_ratio;
  return {Vec3(e * s.area, g * s.area, g * s.area), Vec3(g * s.polar, e * s.second, e * s.second)};
}

BondLoad load_of(const BondLaw& law, const Bond& bond, const Vec3& impulse, const Vec3& moment_impulse,
                 double h) {
  const Section s = section_of(bond);
  BondLoad load;
  load.tension = -impulse[0] / h;
  load.shear = std::hypot(impulse[1], impulse[2]) / h;
  load.torsion = std::abs(moment_impulse[0]) / h;
  load.bending = std::hypot(moment_impulse[1], moment_impulse[2]) / h;
  const double lever = law.moment_share * bond.radius;
  load.tensile_stress = load.tension / s.area + lever * load.bending / s.second;
  load.shear_stress = load.shear / s.area + lever * load.torsion / s.polar;
  return load;
}

BondUse use_of(const BondLaw& law, const BondLoad& load) {
  BondUse most;
  const auto look = [&](BondFailure by, double value, double limit) {
    const double share = limit < infinity ? value / limit : 0.0;
    if (share > most.share) most = {share, by};
  };
  look(BondFailure::tension, load.tensile_stress, law.tensile_strength);
  look(BondFailure::shear, load.shear_stress, law.shear_strength);
  look(BondFailure::force, std::hypot(load.tension, load.shear), law.breaking_force);
  look(BondFailure::moment, std::hypot(load.bending, load.torsion), law.breaking_moment);
  return most;
}

double elastic_energy(const BondLaw& law, const Bond& bond, const Vec3& stretch, const Vec3& turn) {
  if (law.is_rigid()) return 0.0;
  const BondStiffness k = stiffness(law, bond);
  return 0.5 * (k.linear.cwiseProduct(stretch).dot(stretch) + k.angular.cwiseProduct(turn).dot(turn));
}

}  // namespace scree
