// Joints between two bodies, or a body and the ground: rows of constraints.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "engine/core/types.h"
#include "engine/modules/mechanisms/curve.h"

namespace scree {

/// The frame of a joint on a body or, for the ground, in the world.
struct JointEnd {
  static constexpr int ground = -1;
  int body = ground;
  Pose frame;  // in the body's principal axes, m: z is the joint's axis
};

/// The freedoms of b relative to a, in a's joint frame. `distance`: the distance of both points is constant
/// (a rod). `point_on_plane`, `point_on_line`: b's point stays on the plane across a's z, on the line along
/// it. `point_on_curve`: b's point stays on a curve of a's frame. `cylinder`: all freedoms; it only defines
/// the line between both points for actuators.
enum class JointKind {
  fixed,        // no freedom
  revolute,     // rotation about z
  prismatic,    // translation along z
  cylindrical,  // both
  spherical,    // all rotations about the point
  universal,    // a's z and b's z stay perpendicular, both through the point
  planar,       // translation across z and rotation about it
  distance,
  point_on_plane,
  point_on_line,
  point_on_curve,
  cylinder,
};
const char* to_string(JointKind kind);

struct Joint {
  std::string name;
  JointKind kind = JointKind::revolute;
  JointEnd a, b;
  double length = 0.0;                           // m, of `distance` and `cylinder`
  std::shared_ptr<const JointCurve> curve = {};  // of `point_on_curve`
  double near = -1.0;  // m, start of the search on the curve; below 0: search everywhere
};

/// The coordinate of a joint: its angle about a's z from a's x to b's x, its travel along a's z, or the
/// distance of both points.
struct JointCoordinate {
  std::size_t joint = 0;
  enum class Kind { angle, travel, length } kind = Kind::angle;
};

/// One row: phi, d phi/dt = J v of both bodies, and the terms of d^2 phi/dt^2 other than J a.
struct ConstraintRow {
  Vec3 linear_a = Vec3::Zero(), angular_a = Vec3::Zero();
  Vec3 linear_b = Vec3::Zero(), angular_b = Vec3::Zero();
  double value = 0.0, gamma = 0.0;
};

/// A body with the data for joints; the ground: at rest in the origin.
struct JointedBody {
  Pose pose;
  Twist twist;
};

/// Appends the rows of a joint, in the order of its reactions; values in m and rad, to first order.
void add_rows(const Joint& joint, const JointedBody& a, const JointedBody& b,
              std::vector<ConstraintRow>& rows);
/// The row of a coordinate's rate. Its value is the coordinate: angles between -pi and pi, distances
/// minus the joint's length. If both points coincide there is no row: its value is then not finite.
ConstraintRow coordinate_row(const Joint& joint, JointCoordinate::Kind kind, const JointedBody& a,
                             const JointedBody& b);

}  // namespace scree
