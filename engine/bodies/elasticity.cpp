#include "engine/bodies/elasticity.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace scree {

namespace {

constexpr double least_restitution = 0.01;

/// Factor of an ellipse of contact on 4/3 E* sqrt(R), and the ratio of curvatures of this ellipse; k: its
/// smaller over its larger semi-axis, in (0, 1).
struct ContactEllipse {
  double curvature_ratio, factor;
};
ContactEllipse ellipse(double k) {
  const double e2 = 1.0 - k * k, e = std::sqrt(e2), first = std::comp_ellint_1(e),
               second = std::comp_ellint_2(e), across = first - second, along = second / (k * k) - first;
  const double g = 4.0 / (std::numbers::pi * e2) * std::sqrt(across * along);
  const double pi3 = std::pow(std::numbers::pi, 3);
  return {along / across, 0.75 * std::sqrt(2.0 * pi3 * g / (9.0 * first * first * first))};
}

/// phi as a function of the logarithm of the ratio of curvatures; it is an even function.
class EllipseTable {
 public:
  EllipseTable() {
    at_[0] = 1.0;
    for (std::size_t i = 1; i < at_.size(); ++i)
      at_[i] = factor_of(std::exp(spacing * static_cast<double>(i)));
  }
  /// Interpolated by Catmull and Rom's cubics.
  double operator()(double log_ratio) const {
    const double x = std::min(log_ratio / spacing, static_cast<double>(at_.size() - 3));
    const auto i = static_cast<std::size_t>(x);
    const double t = x - static_cast<double>(i), before = i == 0 ? at_[1] : at_[i - 1], a = at_[i],
                 b = at_[i + 1], after = at_[i + 2];
    return a + 0.5 * t *
                   (b - before +
                    t * (2.0 * before - 5.0 * a + 4.0 * b - after + t * (3.0 * (a - b) + after - before)));
  }

 private:
  static constexpr double spacing = 1.0 / 16.0;

  static double factor_of(double curvature_ratio) {
    double low = 1e-9, high = 1.0 - 1e-9;  // of k: the ratio decreases with it
    for (int step = 0; step < 100; ++step) {
      const double k = low < 1e-2 * high ? std::sqrt(low * high) : 0.5 * (low + high);
      (ellipse(k).curvature_ratio > curvature_ratio ? low : high) = k;
    }
    return ellipse(0.5 * (low + high)).factor;
  }

  std::array<double, 16 * 14 + 3> at_;
};

/// The restitution e of an impact with this share of critical damping.
double restitution_of(double ratio) {
  if (ratio < 1.0) {
    const double omega = std::sqrt(1.0 - ratio * ratio);
    return std::exp(-ratio / omega *
                    (std::numbers::pi - std::atan2(2.0 * ratio * omega, 1.0 - 2.0 * ratio * ratio)));
  }
  const double omega = std::sqrt(ratio * ratio - 1.0);
  if (omega < 1e-6) return std::exp(-2.0);
  return std::exp(-ratio / omega * std::log((ratio + omega) / (ratio - omega)));
}

double sum_of_compliances(double a, double b) {
  if (!(a > 0.0) || !(b > 0.0)) return 2.0 * (a + b);  // the other is rigid
  return 2.0 * a * b / (a + b);
}

}  // namespace

Elasticity elasticity_of(double youngs_modulus, double nu) {
  return {.modulus = youngs_modulus / (2.0 * (1.0 - nu * nu)),
          .tangential_ratio = 2.0 * (1.0 - nu) / (2.0 - nu)};
}
Elasticity linear_elasticity(double stiffness, double nu) {
  return {.stiffness = stiffness, .tangential_ratio = 2.0 * (1.0 - nu) / (2.0 - nu)};
}

bool can_mix(const Elasticity& a, const Elasticity& b) {
  return !(a.modulus > 0.0 && b.stiffness > 0.0) && !(a.stiffness > 0.0 && b.modulus > 0.0);
}

Elasticity mixed_elasticity(const Elasticity& a, const Elasticity& b) {
  if (!a.is_elastic()) return b.modulus > 0.0 ? Elasticity{2.0 * b.modulus, 0.0, b.tangential_ratio} : b;
  if (!b.is_elastic()) return mixed_elasticity(b, a);
  if (a.modulus > 0.0) {
    // For two bodies of one material E* = E/(2 (1 - nu^2)), and likewise G* = ratio E*/4.
    const double modulus = sum_of_compliances(a.modulus, b.modulus),
                 shear = sum_of_compliances(a.modulus * a.tangential_ratio, b.modulus * b.tangential_ratio);
    return {modulus, 0.0, shear / modulus};
  }
  return a.stiffness <= b.stiffness ? a : b;
}

double SpringLaw::force(double s) const {
  if (!(s > 0.0)) return 0.0;
  return is_hertz ? coefficient * s * std::sqrt(s) : coefficient * s;
}
double SpringLaw::energy(double s) const {
  if (!(s > 0.0)) return 0.0;
  return is_hertz ? 0.4 * coefficient * s * s * std::sqrt(s) : 0.5 * coefficient * s * s;
}
double SpringLaw::stiffness(double s) const {
  if (!(s > 0.0)) return 0.0;
  return is_hertz ? 1.5 * coefficient * std::sqrt(s) : coefficient;
}
double SpringLaw::overlap(double energy) const {
  return is_hertz ? std::pow(2.5 * energy / coefficient, 0.4) : std::sqrt(2.0 * energy / coefficient);
}
double SpringLaw::deepest(double speed, double response) const {
  return overlap(0.5 * speed * speed / response);
}
double SpringLaw::damping(double ratio, double s, double response) const {
  if (!(s > 0.0)) return 0.0;
  return is_hertz ? ratio * std::sqrt(5.0 * coefficient * std::sqrt(s) / response)
                  : 2.0 * ratio * std::sqrt(coefficient / response);
}

double SpringLaw::damping_impulse(double ratio, double s, double response) const {
  return (is_hertz ? 0.8 : 1.0) * std::max(0.0, s) * damping(ratio, s, response);
}

SpringLaw hertz_law(double modulus, double larger, double smaller) {
  static const EllipseTable factor;
  const double radius = 1.0 / std::sqrt(larger * smaller),
               phi = larger > smaller * (1.0 + 1e-9) ? factor(std::log(larger / smaller)) : 1.0;
  return {4.0 / 3.0 * modulus * std::sqrt(radius) * phi, true};
}

double damping_ratio(double restitution) {
  if (restitution >= 1.0) return 0.0;
  const double e = std::max(least_restitution, restitution);
  double low = 0.0, high = 10.0;
  for (int step = 0; step < 60; ++step) {
    const double middle = 0.5 * (low + high);
    (restitution_of(middle) > e ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace scree
