// How the gap between two surfaces widens around a contact.
#pragma once

#include <array>

#include "engine/simulation/model.h"

namespace scree {

/// The sum of the shape operators of both surfaces at a contact, 1/m. Walls count as flat.
struct GapCurvature {
  double k11 = 0.0, k12 = 0.0, k22 = 0.0;
  double flattest = 0.0;  // m: no radius counts as longer, ten times the larger bounding radius

  /// m, 1/sqrt(det) of it: of two balls a b/(a + b).
  double radius() const;
  /// Its principal values, the larger one first; neither below 1/flattest.
  std::array<double, 2> principal() const;
};
GapCurvature gap_curvature(const Model& model, const Bodies& bodies, const Contact& contact);

}  // namespace scree
