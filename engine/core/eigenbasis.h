// Eigenvectors of a symmetric 2 x 2 matrix.
#pragma once

#include <cmath>

#include "engine/core/types.h"

namespace scree {

/// Rotation whose columns are the eigenvectors of a symmetric matrix, the one of the larger eigenvalue first
/// (Jacobi).
inline Mat2 eigenbasis(const Mat2& a) {
  const double angle = 0.5 * std::atan2(2.0 * a(0, 1), a(0, 0) - a(1, 1));
  const double c = std::cos(angle), s = std::sin(angle);
  Mat2 basis;
  basis << c, -s, s, c;
  return basis;
}

}  // namespace scree
