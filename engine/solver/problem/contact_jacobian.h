// The Jacobian of one side of a contact, and the mass matrix: six components per body.
#pragma once

#include <Eigen/LU>

#include "engine/core/types.h"
#include "engine/solver/problem/contact_problem.h"

namespace scree {

// Mass of a body in a direction in which it cannot move, over its mass in others. It only affects the path of
// iterations: the final velocities follow from impulses.
inline constexpr double mass_of_immovable = 1e6;

using Vec6 = Eigen::Matrix<double, 6, 1>;  // linear, angular
using Mat6 = Eigen::Matrix<double, 6, 6>;
using ContactJacobian = Eigen::Matrix<double, 3, 6>;

/// Rows: frame; arm x frame row. Maps a twist to the velocity of the point at the arm, in the contact frame.
inline ContactJacobian contact_jacobian(const Mat3& frame, const Vec3& arm) {
  ContactJacobian j;
  j.leftCols<3>() = frame;
  for (int k = 0; k < 3; ++k) j.row(k).tail<3>() = arm.cross(frame.row(k).transpose()).transpose();
  return j;
}

/// M of a movable body: mass and inertia, world axes.
inline Mat6 mass_matrix(const BodyResponse& body) {
  Mat6 m = Mat6::Zero();
  if (body.inverse_mass > 0.0) {
    m.diagonal().head<3>().setConstant(1.0 / body.inverse_mass);
    m.bottomRightCorner<3, 3>() = body.inverse_inertia().inverse();
    return m;
  }
  // It moves along one axis, or rotates about it: a a^T / mass.
  const Mat3 answers = body.inverse_inertia();
  const double mass = 1.0 / answers.trace();
  const Mat3 along = mass * answers;
  const Mat3 held = mass_of_immovable * mass * Mat3::Identity();
  const Mat3 moved = mass * along + mass_of_immovable * mass * (Mat3::Identity() - along);
  m.topLeftCorner<3, 3>() = body.slides ? moved : held;
  m.bottomRightCorner<3, 3>() = body.slides ? held : moved;
  return m;
}

}  // namespace scree
