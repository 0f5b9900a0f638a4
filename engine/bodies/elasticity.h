// Elasticity of materials in contact.
#pragma once

namespace scree {

/// Elastic constants of a pair of materials, normal and tangential to the contact. The pair is rigid if
/// neither the modulus nor the stiffness is above 0.
struct Elasticity {
  double modulus = 0.0;           // Pa, E*: 1/E* = (1 - nu_a^2)/E_a + (1 - nu_b^2)/E_b (Hertz 1882)
  double stiffness = 0.0;         // N/m, if the force is linear in the overlap; then no modulus
  double tangential_ratio = 1.0;  // tangential over normal stiffness (Mindlin 1949): 2 (1 - nu)/(2 - nu)

  bool is_elastic() const { return modulus > 0.0 || stiffness > 0.0; }
};

/// Elasticity of two bodies of one material, from its Young's modulus (Pa) and Poisson's ratio.
Elasticity elasticity_of(double youngs_modulus, double poisson_ratio);
/// The same for a force that is linear in the overlap, N/m.
Elasticity linear_elasticity(double stiffness, double poisson_ratio);

/// Can these two elastic materials touch without a pair law of their own? A material with a modulus and
/// one with a stiffness cannot.
bool can_mix(const Elasticity& a, const Elasticity& b);
/// Compliances are added; a rigid material has none. For two stiffnesses the smaller one is taken.
Elasticity mixed_elasticity(const Elasticity& a, const Elasticity& b);

/// The normal force of a contact without friction and damping: c s^n of its overlap s.
struct SpringLaw {
  double coefficient = 0.0;  // N/m^n
  bool is_hertz = false;     // n = 3/2, else 1

  double force(double overlap) const;      // N, 0 where surfaces are apart
  double energy(double overlap) const;     // J
  double stiffness(double overlap) const;  // N/m
  double overlap(double energy) const;     // m, that stores this energy
  /// The overlap at which two bodies that meet with a speed stop; `response`: inverse reduced mass, 1/kg.
  double deepest(double speed, double response) const;
  /// Damping with which an impact returns a part e of its speed, N s/m at this overlap. Hertz: ratio sqrt(5 c
  /// s^(1/2)/W) (Tsuji, Tanaka, Ishida 1992), linear: 2 ratio sqrt(c/W); ratio: damping_ratio(e).
  double damping(double ratio, double overlap, double response) const;
  /// Its integral over the overlap, N s: the impulse between two overlaps is the difference of their values,
  /// independent of time.
  double damping_impulse(double ratio, double overlap, double response) const;
};

/// Hertz's law for surfaces whose gap has the principal curvatures `larger` >= `smaller` > 0, 1/m: 4/3 E*
/// sqrt(R) phi, R = (larger smaller)^(-1/2), phi from the ellipse of contact (Johnson 1985, section 4.2), 1
/// if both are equal; to 1e-6 up to a ratio of 10^6.
SpringLaw hertz_law(double modulus, double larger, double smaller);

/// The share of critical damping with which an impact that begins and ends without force, and never pulls,
/// returns a part e of its speed (Schwager, Poeschel 2007; the same for Hertz's contact: Antypov, Elliott
/// 2011). For e below 0.01 the value at 0.01, about 5, is used.
double damping_ratio(double restitution);

}  // namespace scree
