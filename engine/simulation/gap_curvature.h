// Curvature of the gap between two surfaces at a contact.
#pragma once

#include <array>

#include "engine/simulation/model.h"

namespace scree {

/// The sum of the shape operators of both surfaces at a contact, 1/m. Walls count as flat.
struct GapCurvature {
  double k11 = 0.0, k12 = 0.0, k22 = 0.0;
  double flattest = 0.0;  // m: upper limit of radii, ten times the larger bounding radius

  /// m, 1/sqrt(det): for two balls a b/(a + b).
  double radius() const;
  /// Its principal values, the larger one first; at least 1/flattest.
  std::array<double, 2> principal() const;
};
GapCurvature gap_curvature(const Model& model, const Bodies& bodies, const Contact& contact);

}  // namespace scree
