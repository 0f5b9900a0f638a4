// Six components of a body: the Jacobian of one side of a contact, the mass matrix.
#pragma once

#include <Eigen/LU>

#include "engine/core/types.h"

namespace scree {

using Vec6 = Eigen::Matrix<double, 6, 1>;  // linear, angular
using Mat6 = Eigen::Matrix<double, 6, 6>;
using ContactJacobian = Eigen::Matrix<double, 3, 6>;

/// Rows: frame; arm x frame row. Turns a twist into the velocity of the point at the arm, contact frame.
inline ContactJacobian contact_jacobian(const Mat3& frame, const Vec3& arm) {
  ContactJacobian j;
  j.leftCols<3>() = frame;
  for (int k = 0; k < 3; ++k) j.row(k).tail<3>() = arm.cross(frame.row(k).transpose()).transpose();
  return j;
}

/// M of one body: mass and inertia, world axes.
inline Mat6 mass_matrix(double inverse_mass, const Mat3& inverse_inertia) {
  Mat6 m = Mat6::Zero();
  m.diagonal().head<3>().setConstant(1.0 / inverse_mass);
  m.bottomRightCorner<3, 3>() = inverse_inertia.inverse();
  return m;
}

}  // namespace scree
