// Joints between two bodies, or a body and the ground: rows of constraints.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "engine/core/types.h"
#include "engine/modules/mechanisms/curve.h"

namespace scree {

/// Where a joint sits on a body, or, of the ground, in the world.
struct JointEnd {
  static constexpr int ground = -1;
  int body = ground;
  Pose frame;  // in the body's principal axes, m: z is the joint's axis
};

/// What is free of b against a, in a's joint frame. `distance`: both points stay as far apart as they are (a
/// rod). `point_on_plane`, `point_on_line`: b's point on the plane across a's z, on the line along it.
/// `point_on_curve`: b's point on a curve of a's frame. `cylinder`: all; it is there for what acts along the
/// line between both points.
enum class JointKind {
  fixed,        // nothing
  revolute,     // turns about z
  prismatic,    // slides along z
  cylindrical,  // both
  spherical,    // turns about the point
  universal,    // a's z and b's z stay square, both go through the point
  planar,       // slides across z and turns about it
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
  double near = -1.0;  // m, where on the curve its place is searched from; below 0: everywhere
};

/// What turns or slides in a joint: its angle about a's z from a's x to b's x, its travel along a's z, or the
/// distance of both points.
struct JointCoordinate {
  std::size_t joint = 0;
  enum class Kind { angle, travel, length } kind = Kind::angle;
};

/// One row: phi, d phi/dt = J v of both bodies, and what d^2 phi/dt^2 has beside J a.
struct ConstraintRow {
  Vec3 linear_a = Vec3::Zero(), angular_a = Vec3::Zero();
  Vec3 linear_b = Vec3::Zero(), angular_b = Vec3::Zero();
  double value = 0.0, gamma = 0.0;
};

/// A body as joints see it; the ground: at rest in the origin.
struct JointedBody {
  Pose pose;
  Twist twist;
};

/// Rows of a joint, in the order that reactions have; values in m and rad, to first order.
void add_rows(const Joint& joint, const JointedBody& a, const JointedBody& b,
              std::vector<ConstraintRow>& rows);
/// The row whose rate is that of a coordinate; its value the coordinate, angles between -pi and pi, distances
/// beyond the joint's length. Where both points are one there is no row: its value is then not finite.
ConstraintRow coordinate_row(const Joint& joint, JointCoordinate::Kind kind, const JointedBody& a,
                             const JointedBody& b);

}  // namespace scree
