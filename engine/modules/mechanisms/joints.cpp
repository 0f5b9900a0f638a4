#include "engine/modules/mechanisms/joints.h"

#include <cmath>

namespace scree {

namespace {

/// A joint frame in the world, with the terms of its motion.
struct EndNow {
  Vec3 arm, point;                   // m
  Mat3 axes;                         // columns x, y, z
  Vec3 velocity, spin, centripetal;  // of the point
};

EndNow end_now(const JointEnd& end, const JointedBody& body) {
  EndNow now;
  now.arm = body.pose.orientation * end.frame.position;
  now.point = body.pose.position + now.arm;
  now.axes = (body.pose.orientation * end.frame.orientation).toRotationMatrix();
  now.spin = body.twist.angular;
  now.velocity = body.twist.linear + now.spin.cross(now.arm);
  now.centripetal = now.spin.cross(now.spin.cross(now.arm));
  return now;
}

/// u of a and v of b stay perpendicular: u.v = 0.
ConstraintRow square(const EndNow& a, const Vec3& u, const EndNow& b, const Vec3& v) {
  ConstraintRow row;
  row.angular_a = u.cross(v);
  row.angular_b = -row.angular_a;
  row.value = u.dot(v);
  row.gamma = a.spin.cross(a.spin.cross(u)).dot(v) + 2.0 * a.spin.cross(u).dot(b.spin.cross(v)) +
              u.dot(b.spin.cross(b.spin.cross(v)));
  return row;
}

/// The component of d = b's point - a's point along u of a.
ConstraintRow along(const EndNow& a, const Vec3& u, const EndNow& b) {
  const Vec3 d = b.point - a.point, rate = b.velocity - a.velocity;
  ConstraintRow row;
  row.linear_a = -u;
  row.angular_a = -a.arm.cross(u) + u.cross(d);
  row.linear_b = u;
  row.angular_b = b.arm.cross(u);
  row.value = u.dot(d);
  row.gamma = u.dot(b.centripetal - a.centripetal) + 2.0 * a.spin.cross(u).dot(rate) +
              a.spin.cross(a.spin.cross(u)).dot(d);
  return row;
}

/// The same along an axis of the world.
ConstraintRow coincident(const EndNow& a, const Vec3& e, const EndNow& b) {
  ConstraintRow row;
  row.linear_a = -e;
  row.angular_a = -a.arm.cross(e);
  row.linear_b = e;
  row.angular_b = b.arm.cross(e);
  row.value = e.dot(b.point - a.point);
  row.gamma = e.dot(b.centripetal - a.centripetal);
  return row;
}

ConstraintRow distance(const EndNow& a, const EndNow& b, double length) {
  const Vec3 d = b.point - a.point, rate = b.velocity - a.velocity;
  const double now = d.norm();
  const Vec3 n = d / now;
  ConstraintRow row = coincident(a, n, b);
  row.value = now - length;
  row.gamma += (rate.squaredNorm() - std::pow(n.dot(rate), 2)) / now;
  return row;
}

/// The same across a curve, which bends as the point moves along it.
void add_curve(const Joint& joint, const EndNow& a, const EndNow& b, std::vector<ConstraintRow>& rows) {
  const JointCurve::Place place = joint.curve->nearest(a.axes.transpose() * (b.point - a.point), joint.near);
  EndNow at = a;
  const Vec3 tangent = a.axes * place.tangent, bend = a.axes * place.curvature;
  at.arm += a.axes * place.position;
  at.point += a.axes * place.position;
  at.velocity += a.spin.cross(a.axes * place.position);
  at.centripetal = a.spin.cross(a.spin.cross(at.arm));
  const double speed = tangent.dot(b.velocity - at.velocity);
  const Vec3 first = tangent.unitOrthogonal();
  for (const Vec3& across : {first, Vec3(tangent.cross(first))}) {
    rows.push_back(along(at, across, b));
    rows.back().gamma -= across.dot(bend) * speed * speed;
  }
}

}  // namespace

const char* to_string(JointKind kind) {
  switch (kind) {
    case JointKind::fixed:
      return "fixed";
    case JointKind::revolute:
      return "revolute";
    case JointKind::prismatic:
      return "prismatic";
    case JointKind::cylindrical:
      return "cylindrical";
    case JointKind::spherical:
      return "spherical";
    case JointKind::universal:
      return "universal";
    case JointKind::planar:
      return "planar";
    case JointKind::distance:
      return "distance";
    case JointKind::point_on_plane:
      return "point_on_plane";
    case JointKind::point_on_line:
      return "point_on_line";
    case JointKind::point_on_curve:
      return "point_on_curve";
    case JointKind::cylinder:
      return "cylinder";
  }
  return "";
}

void add_rows(const Joint& joint, const JointedBody& body_a, const JointedBody& body_b,
              std::vector<ConstraintRow>& rows) {
  const EndNow a = end_now(joint.a, body_a), b = end_now(joint.b, body_b);
  const Vec3 x = a.axes.col(0), y = a.axes.col(1), z = a.axes.col(2);
  const auto meet = [&] {
    for (int k = 0; k < 3; ++k) rows.push_back(coincident(a, Vec3::Unit(k), b));
  };
  const auto parallel = [&] {
    rows.push_back(square(a, x, b, b.axes.col(2)));
    rows.push_back(square(a, y, b, b.axes.col(2)));
  };
  const auto no_turn = [&] { rows.push_back(square(a, x, b, b.axes.col(1))); };
  const auto on_axis = [&] {
    rows.push_back(along(a, x, b));
    rows.push_back(along(a, y, b));
  };
  switch (joint.kind) {
    case JointKind::fixed:
      meet();
      parallel();
      no_turn();
      break;
    case JointKind::revolute:
      meet();
      parallel();
      break;
    case JointKind::prismatic:
      on_axis();
      parallel();
      no_turn();
      break;
    case JointKind::cylindrical:
      on_axis();
      parallel();
      break;
    case JointKind::spherical:
      meet();
      break;
    case JointKind::universal:
      meet();
      rows.push_back(square(a, z, b, b.axes.col(2)));
      break;
    case JointKind::planar:
      rows.push_back(along(a, z, b));
      parallel();
      break;
    case JointKind::distance:
      rows.push_back(distance(a, b, joint.length));
      break;
    case JointKind::point_on_plane:
      rows.push_back(along(a, z, b));
      break;
    case JointKind::point_on_line:
      on_axis();
      break;
    case JointKind::point_on_curve:
      add_curve(joint, a, b, rows);
      break;
    case JointKind::cylinder:
      break;
  }
}

ConstraintRow coordinate_row(const Joint& joint, JointCoordinate::Kind kind, const JointedBody& body_a,
                             const JointedBody& body_b) {
  const EndNow a = end_now(joint.a, body_a), b = end_now(joint.b, body_b);
  const Vec3 z = a.axes.col(2);
  if (kind == JointCoordinate::Kind::travel) return along(a, z, b);
  if (kind == JointCoordinate::Kind::length) return distance(a, b, joint.length);
  ConstraintRow row;
  row.angular_a = -z;
  row.angular_b = z;
  const Vec3 mark = b.axes.col(0);
  row.value = std::atan2(mark.dot(a.axes.col(1)), mark.dot(a.axes.col(0)));
  row.gamma = (b.spin - a.spin).dot(a.spin.cross(z));
  return row;
}

}  // namespace scree
