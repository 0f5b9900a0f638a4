// Joints between bodies, parts and the ground, and their motors.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <set>

#include "engine/core/rotation.h"
#include "io/scene/faults.h"
#include "io/scene/reading.h"
#include "io/scene/settings_keys.h"

namespace scree::io {

namespace {

using Partner = JointPartner::Kind;
using Coordinate = JointCoordinate::Kind;

/// The kind of joint for a word of `type`.
struct NamedKind {
  std::string_view word;
  JointKind kind;
};
constexpr NamedKind kinds[] = {
    {"fixed", JointKind::fixed},
    {"revolute", JointKind::revolute},
    {"prismatic", JointKind::prismatic},
    {"cylindrical", JointKind::cylindrical},
    {"screw", JointKind::cylindrical},
    {"spherical", JointKind::spherical},
    {"universal", JointKind::universal},
    {"planar", JointKind::planar},
    {"rod", JointKind::distance},
    {"cylinder", JointKind::cylinder},
    {"point_on_plane", JointKind::point_on_plane},
    {"point_on_line", JointKind::point_on_line},
    {"point_on_curve", JointKind::point_on_curve},
    {"gear", JointKind::cylinder},
    {"rack", JointKind::cylinder},
};

Pose inverse(const Pose& pose) {
  const Quat back = pose.orientation.conjugate();
  return {-(back * pose.position), back};
}

Quat with_z_along(const Vec3& axis) { return turn_between(Vec3::UnitZ(), axis).normalized(); }

class JointReader {
 public:
  JointReader(const Section& section, Reading& reading)
      : section_(section), reading_(reading), model_(reading.scene.model) {}

  void read() {
    const std::string type = section_.text("type");
    const std::size_t before = reading_.faults.size();
    set_from(section_, joint_);
    joint_.kind = std::ranges::find(kinds, type, &NamedKind::word)->kind;
    joint_.name = section_.has("name") ? section_.text("name") : fmt::format("joint{}", model_.joints.size());
    if (type == "gear" || type == "rack") {
      joint_.kind = JointKind::cylinder;  // a gear has no constraints of its own
      joint_.couples.kind = type == "gear" ? JointTeeth::Kind::gear : JointTeeth::Kind::rack;
      read_coupling();
      if (reading_.faults.size() == before) model_.joints.push_back(std::move(joint_));
      return;
    }
    if (type == "screw") joint_.lead = section_.number("lead") / (2.0 * std::numbers::pi);
    choose_coordinate();
    if (section_.has("axis")) axis_ = read_direction(section_, "axis", reading_).value_or(axis_);
    if (joint_.kind == JointKind::universal) read_second_axis();
    if (section_.has("motor")) read_motor(section_.child("motor"));
    if (joint_.kind == JointKind::point_on_curve) read_curve();
    check();
    if (reading_.faults.size() > before) return;
    if (section_.has("chain"))
      read_chain();
    else
      read_pair();
    if (reading_.faults.size() > before) joints_.clear();
    for (MachineJoint& joint : joints_) model_.joints.push_back(std::move(joint));
  }

 private:
  void refuse(std::string_view key, std::string problem, std::string suggestion = "") {
    reading_.faults.push_back(about(section_, key, std::move(problem)));
    reading_.faults.back().suggestion = std::move(suggestion);
  }
  void refuse_all(std::string problem, std::string suggestion = "") {
    reading_.faults.push_back(fault_at(*section_.node(), section_.path(), std::move(problem)));
    reading_.faults.back().suggestion = std::move(suggestion);
  }

  /// Couples two joints that were read before.
  void read_coupling() {
    JointTeeth& teeth = joint_.couples;
    const bool gear = teeth.kind == JointTeeth::Kind::gear;
    for (const char* key :
         {"a", "b", "body_a", "body_b", "chain", "point", "point_a", "point_b", "axis", "low", "high",
          "friction", "friction_coefficient", "friction_radius", "stiffness", "rest", "damping", "motor"})
      if (section_.has(key)) refuse(key, "has no effect on gears and racks, which couple two other joints");
    teeth.ratio = section_.number("ratio");
    if (teeth.ratio == 0.0 || (gear && teeth.ratio == -1.0))
      return refuse("ratio", "does not give a pitch circle");
    const auto find = [&](const char* key, JointKind kind, std::size_t& number) {
      const auto at =
          find_name(names_of(model_.joints), "of a joint above this one", section_, key, reading_);
      if (!at) return;
      number = *at;
      const MachineJoint& joint = model_.joints[*at];
      if (joint.kind != kind || joint.couples.kind != JointTeeth::Kind::none)
        refuse(key, fmt::format("is not a {} joint", to_string(kind)));
    };
    const std::size_t before = reading_.faults.size();
    find("first", JointKind::revolute, teeth.first);
    find("second", gear ? JointKind::revolute : JointKind::prismatic, teeth.second);
    if (reading_.faults.size() > before) return;
    const MachineJoint &of_one = model_.joints[teeth.first], &of_two = model_.joints[teeth.second];
    if (of_one.a.kind != of_two.a.kind || of_one.a.index != of_two.a.index)
      return refuse("second", "must have the same a as the first joint, because gears need a common carrier",
                    "write the carrier as a of both joints, and the wheels as b");
    const auto axis = [&](std::size_t joint) { return axes_of(model_.joints[joint].b); };
    const auto [point_one, one] = axis(teeth.first);
    const auto [point_two, two] = axis(teeth.second);
    const double along = std::abs(one.dot(two));
    if (gear && along < 1.0 - 1e-9) refuse("second", "must have an axis parallel to that of the first joint");
    if (!gear && along > 1e-9) refuse("second", "must have an axis perpendicular to that of the first joint");
    const Vec3 apart = point_two - point_one;
    if (gear && (apart - apart.dot(one) * one).norm() == 0.0)
      refuse("second", "has the same axis as the first joint");
    if (gear && one.dot(two) < 0.0)
      refuse("second", "has an axis in the opposite direction", "reverse the axis of one of the two joints");
  }
  /// Point and axis of one side of a joint, at the start.
  std::pair<Vec3, Vec3> axes_of(const JointPartner& side) const {
    Pose of;
    const auto index = static_cast<std::size_t>(side.index);
    if (side.kind == Partner::part) of = pose_at_start(model_.parts[index]);
    if (side.kind == Partner::body) of = reading_.scene.initial.bodies.pose(index);
    const Pose frame = of * side.frame;
    return {frame.position, frame.orientation * Vec3::UnitZ()};
  }

  /// Stores the curve as a spline through points, in world axes relative to its first point.
  void read_curve() {
    constexpr int pieces = 512;
    const auto formulas = read_formulas(section_, "curve", FormulaOf::time, reading_);
    const double from = section_.number("from"), to = section_.number("to");
    if (!formulas) return;
    if (!(to > from)) return refuse("to", "must be larger than from");
    std::vector<Vec3> points;
    for (int k = 0; k <= pieces; ++k) {
      const std::vector<double> t{from + (to - from) * k / pieces};
      const Vec3 point((*formulas)[0](t), (*formulas)[1](t), (*formulas)[2](t));
      if (!point.allFinite()) return refuse("curve", fmt::format("is not finite at t = {:g}", t[0]));
      if (!points.empty() && !((point - points.back()).norm() > 0.0))
        return refuse("curve", fmt::format("does not move at t = {:g}", t[0]));
      points.push_back(point);
    }
    curve_at_ = points.front();
    for (Vec3& point : points) point -= curve_at_;
    joint_.curve = std::make_shared<const JointCurve>(std::move(points));
  }

  void choose_coordinate() {
    joint_.has_coordinate = true;
    switch (joint_.kind) {
      case JointKind::revolute:
        joint_.coordinate = Coordinate::angle;
        break;
      case JointKind::cylindrical:
        if (joint_.lead != 0.0) joint_.coordinate = Coordinate::angle;
        break;
      case JointKind::prismatic:
        joint_.coordinate = Coordinate::travel;
        break;
      case JointKind::cylinder:
        joint_.coordinate = Coordinate::length;
        break;
      default:
        joint_.has_coordinate = false;
    }
  }

  void read_second_axis() {
    const auto second = read_direction(section_, "axis_b", reading_);
    if (!second) return;
    axis_b_ = *second;
    if (std::abs(axis_.dot(*axis_b_)) > 1e-9)
      refuse("axis_b",
             fmt::format("must be perpendicular to axis; the angle is {:.4g} degrees",
                         std::acos(std::clamp(axis_.dot(*axis_b_), -1.0, 1.0)) * 180.0 / std::numbers::pi));
  }

  void read_motor(const Section& section) {
    if (section.node() == nullptr || section.node()->faulty || !section.has("type")) return;
    JointMotor& motor = joint_.motor;
    set_from(section, motor);
    const std::string kind = section.text("type");
    motor.kind = kind == "speed"      ? JointMotor::Kind::speed
                 : kind == "position" ? JointMotor::Kind::position
                                      : JointMotor::Kind::force;
    for (const char* key : {"stiffness", "damping"}) {
      if (motor.kind == JointMotor::Kind::position || !section.has(key)) continue;
      reading_.faults.push_back(about(section, key, "can be used only with motors of type \"position\""));
    }
    if (section.has("most")) motor.most = section.number("most");
    if (section.has("function")) motor.law.function = read_function_of_time(section, reading_);
    if (section.has("table")) read_time_table(section, motor.law, reading_);
    if (section.has("model")) read_actuator(section);
    if (section.has("variable") && !section.has("model"))
      reading_.faults.push_back(about(section, "variable", "needs model, the name of one of [[models]]"));
    if (!section.has("value") && !section.has("function") && !section.has("table") && !section.has("model"))
      reading_.faults.push_back(
          fault_at(*section.node(), section.path(), "needs value, function, table or model"));
  }

  /// The variable of a declarative model that sets the motor.
  void read_actuator(const Section& section) {
    const auto actuator =
        find_name(names_of(model_.actuators), "of one of [[models]]", section, "model", reading_);
    if (!actuator) return;
    if (!section.has("variable")) return reading_.faults.push_back(missing_key(section, "variable"));
    const std::vector<std::string>& variables = reading_.model_variables[*actuator];
    if (variables.empty()) return;  // its faults were already reported
    if (!find_name(variables, "of a variable of the model", section, "variable", reading_)) return;
    std::vector<std::string>& outputs = model_.actuators[*actuator].outputs;
    auto at = std::ranges::find(outputs, section.text("variable"));
    if (at == outputs.end()) at = outputs.insert(at, section.text("variable"));
    joint_.motor.actuator = static_cast<std::int32_t>(*actuator);
    joint_.motor.output = static_cast<std::int32_t>(at - outputs.begin());
  }

  void check() {
    const bool actuators = joint_.has_coordinate;
    for (const char* key : {"low", "high", "friction", "friction_coefficient", "friction_radius", "stiffness",
                            "rest", "damping", "motor"})
      if (!actuators && section_.has(key))
        refuse(key, "needs a joint with a coordinate: revolute, prismatic, cylindrical, screw or cylinder");
    if (section_.has("low")) joint_.low = section_.number("low");
    if (section_.has("high")) joint_.high = section_.number("high");
    if (joint_.low > 0.0) refuse("low", "must not be above 0, the coordinate at the start");
    if (joint_.high < 0.0) refuse("high", "must not be below 0, the coordinate at the start");
    if (section_.has("lead") && section_.number("lead") == 0.0) refuse("lead", "must not be 0");
    if (section_.has("rest") && !section_.has("stiffness")) refuse("rest", "needs stiffness");
    const bool turns = joint_.has_coordinate && joint_.coordinate == Coordinate::angle;
    if (section_.has("friction_radius") && (!turns || !section_.has("friction_coefficient")))
      refuse("friction_radius", "needs friction_coefficient and a joint that rotates");
    if (section_.has("friction_coefficient")) {
      if (joint_.kind == JointKind::cylinder)
        refuse("friction_coefficient", "cannot be used for a cylinder, which has no constraint forces");
      if (turns && !section_.has("friction_radius"))
        refuse("friction_coefficient", "needs friction_radius, which gives the moment of friction");
    }
    const Settings& settings = model_.settings;
    if (settings.solver.kind == SolverKind::one_pass)
      refuse_all("cannot be combined with the solver 'one_pass', which supports only contacts",
                 "choose gauss_seidel");
    if (model_.cell.is_periodic()) refuse_all("cannot be combined with a periodic cell");
  }

  /// The object that a name, or the number of a body, refers to.
  struct Side {
    JointPartner partner;
    Pose pose;  // the frame at the start to which frames of the joint are relative
    bool moves = false;
  };
  std::optional<Side> read_side(const char* name, const char* body) {
    const auto body_at = [&](std::size_t id) {
      return Side{{Partner::body, static_cast<std::int64_t>(id), {}},
                  reading_.scene.initial.bodies.pose(id),
                  !reading_.scene.initial.bodies.is_carried(id)};
    };
    if (section_.has(body)) {
      if (section_.has(name)) {
        refuse(body, fmt::format("cannot be combined with {}", name));
        return std::nullopt;
      }
      const std::int64_t id = section_.integer(body);
      const std::size_t count = reading_.scene.initial.bodies.size();
      if (id < 0 || static_cast<std::size_t>(id) >= count) {
        refuse(body, "is not the number of a body");
        reading_.faults.back().allowed = count > 0 ? fmt::format("0 to {}", count - 1) : "there are none";
        return std::nullopt;
      }
      return body_at(static_cast<std::size_t>(id));
    }
    const std::string text = section_.has(name) ? section_.text(name) : "ground";
    if (text == "ground") return Side{};
    const auto single = std::ranges::find_if(reading_.groups, [&](const BodyGroup& group) {
      return group.name == text && group.end == group.begin + 1;
    });
    const Bodies& bodies = reading_.scene.initial.bodies;
    for (std::size_t m = 0; m < model_.parts.size(); ++m) {
      const Part& part = model_.parts[m];
      if (part.name != text) continue;
      // A single body which is the whole part: an event can release it.
      if (single != reading_.groups.end() && bodies.is_carried(single->begin) &&
          bodies.part[single->begin] == static_cast<std::int32_t>(m))
        return body_at(single->begin);
      if (part.has_axis()) {
        refuse(name, "has freedom \"along\" or \"about\"", "joints need a part with freedom \"all\"");
        return std::nullopt;
      }
      return Side{{Partner::part, static_cast<std::int64_t>(m), {}}, pose_at_start(part), part.is_free()};
    }
    for (const Boundary& boundary : model_.boundaries) {
      if (boundary.name != text) continue;
      if (boundary.is_carried()) {
        refuse(name, "is carried by a part",
               fmt::format("write the name of the part: \"{}\"", model_.parts[boundary.part].name));
        return std::nullopt;
      }
      return Side{};  // it is fixed to the ground
    }
    if (single != reading_.groups.end()) return body_at(single->begin);
    std::vector<std::string> known{"ground"};
    for (const std::string& of : names_of(model_.parts)) known.push_back(of);
    for (const std::string& of : names_of(model_.boundaries)) known.push_back(of);
    for (const BodyGroup& group : reading_.groups)
      if (!group.name.empty()) known.push_back(group.name);
    refuse(name, "is not the name of a part, a boundary or a single body", did_you_mean(text, known));
    return std::nullopt;
  }

  /// Its centre and orientation.
  Pose pose_at_start(const Part& part) const {
    const PartState start = start_of(part);
    const double time_s = reading_.scene.initial.time_s;
    return {centre_of(part, start, time_s), pose_of(part, start, time_s).orientation};
  }

  bool needs_points() const {
    return joint_.kind == JointKind::distance || joint_.kind == JointKind::cylinder;
  }

  void read_pair() {
    const std::optional<Side> a = read_side("a", "body_a"), b = read_side("b", "body_b");
    if (!a || !b) return;
    if (!a->moves && !b->moves)
      return refuse_all("joins two sides that forces cannot move",
                        "write the name of a free part or of a body for a or b");
    if (a->partner.kind == b->partner.kind && a->partner.index == b->partner.index)
      return refuse_all("has the same object on both sides");
    Vec3 point_a = a->moves ? a->pose.position : b->pose.position, point_b = point_a;
    if (b->moves) point_a = point_b = b->pose.position;
    if (needs_points()) {
      for (const char* key : {"point_a", "point_b"})
        if (!section_.has(key)) return reading_.faults.push_back(missing_key(section_, key));
      if (section_.has("point"))
        return refuse("point", "cannot be used for this type: write point_a and point_b");
      point_a = section_.vector("point_a");
      point_b = section_.vector("point_b");
      if ((point_a - point_b).norm() == 0.0)
        return refuse("point_b", "must differ from point_a, because they define the direction");
    } else {
      for (const char* key : {"point_a", "point_b"})
        if (section_.has(key))
          return refuse(key, "can be used only for rods, cylinders and chains: write point");
      if (section_.has("point")) {
        point_a = point_b = section_.vector("point");
      } else if (joint_.kind != JointKind::fixed && joint_.kind != JointKind::prismatic) {
        return reading_.faults.push_back(missing_key(section_, "point"));
      }
    }
    if (joint_.kind == JointKind::point_on_curve) {
      const double off = (joint_.curve->nearest(point_b - curve_at_).position + curve_at_ - point_b).norm();
      if (off > 1e-6 * joint_.curve->length())
        return refuse("point", fmt::format("is {:.3g} m from the curve", off));
      return join(*a, {curve_at_, Quat::Identity()}, *b, {point_b, Quat::Identity()}, joint_.name);
    }
    const Quat along = with_z_along(axis_);
    join(*a, {point_a, along}, *b, {point_b, axis_b_ ? with_z_along(*axis_b_) : along}, joint_.name);
  }

  /// Adds a joint; the frames are in world coordinates.
  void join(const Side& a, const Pose& frame_a, const Side& b, const Pose& frame_b, std::string name) {
    MachineJoint joint = joint_;
    joint.name = std::move(name);
    joint.length = (frame_a.position - frame_b.position).norm();
    joint.a = a.partner;
    joint.b = b.partner;
    joint.a.frame = inverse(a.pose) * frame_a;
    joint.b.frame = inverse(b.pose) * frame_b;
    for (JointPartner* side : {&joint.a, &joint.b}) side->frame.orientation.normalize();
    joints_.push_back(std::move(joint));
  }

  /// Joins each body of a heading with the next one; points and axes are in the frames of the bodies.
  void read_chain() {
    for (const char* key : {"a", "b", "body_a", "body_b", "point"})
      if (section_.has(key))
        return refuse(key,
                      "cannot be combined with chain: write point_a and point_b in the frames of the bodies");
    const std::string text = section_.text("chain");
    const auto group = std::ranges::find(reading_.groups, text, &BodyGroup::name);
    if (group == reading_.groups.end()) {
      std::vector<std::string> known;
      for (const BodyGroup& of : reading_.groups)
        if (!of.name.empty()) known.push_back(of.name);
      return refuse("chain", "is not the name of [[bodies]]", did_you_mean(text, known));
    }
    if (joint_.kind == JointKind::point_on_curve) return refuse("chain", "cannot be combined with curves");
    if (std::ranges::count(reading_.groups, text, &BodyGroup::name) > 1)
      return refuse("chain", "is the name of more than one of [[bodies]]");
    if (group->end < group->begin + 2) return refuse("chain", "has fewer than two bodies");
    if (reading_.scene.initial.bodies.is_carried(group->begin))
      return refuse("chain", "has bodies which a part carries");
    for (const char* key : {"point_a", "point_b"})
      if (!section_.has(key)) return reading_.faults.push_back(missing_key(section_, key));
    const Bodies& bodies = reading_.scene.initial.bodies;
    for (std::size_t i = group->begin; i + 1 < group->end; ++i) {
      const Pose a = bodies.pose(i), b = bodies.pose(i + 1);
      const Pose frame_a = a * Pose{section_.vector("point_a"), with_z_along(axis_)};
      const Vec3 point_b = (b * Pose{section_.vector("point_b"), Quat::Identity()}).position;
      const double apart = (frame_a.position - point_b).norm(),
                   size = model_.shapes.smallest_length(bodies.shape[i]);
      if (!needs_points() && joint_.kind != JointKind::prismatic && apart > 1e-3 * size)
        return refuse("point_b",
                      fmt::format("of body {} is {:.3g} m from point_a of body {}", i + 1, apart, i));
      const auto side = [&](std::size_t body) {
        return Side{{Partner::body, static_cast<std::int64_t>(body), {}}, bodies.pose(body), true};
      };
      const Vec3 second = axis_b_ ? Vec3(a.orientation * *axis_b_) : frame_a.orientation * Vec3::UnitZ();
      const Quat of_b = axis_b_ ? with_z_along(second) : frame_a.orientation;
      join(side(i), frame_a, side(i + 1), {point_b, of_b},
           fmt::format("{}.{}", joint_.name, i - group->begin));
    }
  }

  const Section& section_;
  Reading& reading_;
  Model& model_;
  MachineJoint joint_;
  std::vector<MachineJoint> joints_;
  Vec3 axis_ = Vec3::UnitZ();
  std::optional<Vec3> axis_b_;
  Vec3 curve_at_ = Vec3::Zero();
};

}  // namespace

void read_joints(const Section& top, Reading& reading) {
  std::set<std::string> taken;
  for (const Section& section : elements(top, "joints")) {
    bool is_taken = section.has("name") && !taken.insert(section.text("name")).second;
    const std::size_t before = reading.scene.model.joints.size();
    if (!section.node()->faulty) JointReader(section, reading).read();
    const std::vector<MachineJoint>& joints = reading.scene.model.joints;
    for (std::size_t k = before; k < joints.size(); ++k)  // also the links of chains
      is_taken |= joints[k].name != section.text("name") && !taken.insert(joints[k].name).second;
    if (is_taken) reading.faults.push_back(about(section, "name", "is already in use"));
  }
}

}  // namespace scree::io
