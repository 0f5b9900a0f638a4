#include "io/fmu/variables.h"

#include <fmt/format.h>
#include <set>

#include "io/results/boundary_table.h"
#include "io/results/joint_table.h"
#include "io/results/mount_table.h"

namespace scree::io {

namespace {

using Causality = Variable::Causality;
using Type = Variable::Type;

bool turns(const MachineJoint& joint) { return joint.coordinate == JointCoordinate::Kind::angle; }

const char* unit_of_motor(const MachineJoint& joint) {
  switch (joint.motor.kind) {
    case JointMotor::Kind::speed:
      return turns(joint) ? "rad/s" : "m/s";
    case JointMotor::Kind::position:
      return turns(joint) ? "rad" : "m";
    case JointMotor::Kind::force:
      return turns(joint) ? "N.m" : "N";
    case JointMotor::Kind::none:
      break;
  }
  return "";
}

/// Text in which XML allows every character.
std::string printable(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return text;
}

class List {
 public:
  explicit List(const Scene& scene) : model_(scene.model) {}

  std::vector<Variable> make() {
    add_scalars();
    for (std::size_t k = 0; k < model_.joints.size(); ++k) add_joint(k);
    for (std::size_t k = 0; k < model_.boundaries.size(); ++k) add_boundary(k);
    for (std::size_t k = 0; k < model_.mounts.size(); ++k) add_mount(k);
    for (std::size_t k = 0; k < model_.actuators.size(); ++k) add_actuator(k);
    return std::move(list_);
  }

 private:
  using Value = std::function<double(const CommunicationStep&, const State&)>;

  void add_scalars() {
    list_.push_back(
        {threads_name, "Threads; 0 takes all there are", "", Type::integer, Causality::parameter, 1.0});
    output("kinetic_energy", "Of the bodies", "J",
           [](const CommunicationStep& done, const State&) { return done.kinetic_energy; });
    output("bodies", "How many there are", "",
           [](const CommunicationStep&, const State& state) { return double(state.bodies.size()); });
    list_.back().type = Type::integer;
    output("residual", "Of the contact problems since the last communication point, the largest", "m/s",
           [](const CommunicationStep& done, const State&) { return done.residual_m_s; });
    output("solved", "Did all of them converge?", "",
           [](const CommunicationStep& done, const State&) { return double(done.solved); });
    list_.back().type = Type::boolean;
    list_.push_back({state_hash_name, "Of the bodies: two states are the same bits where it is the same", "",
                     Type::string, Causality::output});
  }

  void add_joint(std::size_t k) {
    const MachineJoint& joint = model_.joints[k];
    begin("joint", joint.name);
    const bool angle = turns(joint);
    if (joint.motor.kind != JointMotor::Kind::none)
      input("motor", "What is added to the value of the joint's motor", unit_of_motor(joint),
            joint.motor.value, [k](Model& model) { return &model.joints[k].motor.value; });
    if (joint.has_coordinate) {
      joint_output(k, "coordinate", "coordinate", "Angle, travel or length beyond that at the start",
                   angle ? "rad" : "m");
      joint_output(k, "rate", "rate", "Of the coordinate", angle ? "rad/s" : "m/s");
    }
    if (joint.motor.kind != JointMotor::Kind::none)
      joint_output(k, "motor_force", "motor_force", "Of the motor along the coordinate, mean",
                   angle ? "N.m" : "N");
    for (const char axis : {'x', 'y', 'z'}) {
      const std::string force = fmt::format("force_{}_N", axis);
      joint_output(k, force, force, "Of the joint on b, mean, world axes", "N");
    }
    for (const char axis : {'x', 'y', 'z'}) {
      const std::string torque = fmt::format("torque_{}_N_m", axis);
      joint_output(k, torque, torque, "Of the joint on b about its point there, mean, world axes", "N.m");
    }
  }

  void joint_output(std::size_t k, const std::string& name, const std::string& quantity,
                    const char* description, const char* unit) {
    output(name, description, unit, [k, quantity](const CommunicationStep& done, const State&) {
      return joint_quantity(quantity, done.joints[k], done.duration_s);
    });
  }

  void add_boundary(std::size_t k) {
    begin("boundary", model_.boundaries[k].name);
    const auto add = [&](const std::string& quantity, const char* description, const char* unit) {
      output(quantity, description, unit, [k, quantity](const CommunicationStep& done, const State&) {
        return boundary_quantity(quantity, done.boundaries[k], done.duration_s);
      });
    };
    for (const char axis : {'x', 'y', 'z'})
      add(fmt::format("force_{}_N", axis), "Of the bodies on the boundary, mean", "N");
    for (const char axis : {'x', 'y', 'z'})
      add(fmt::format("torque_{}_N_m", axis), "Of the bodies on the boundary about its centre, mean", "N.m");
  }

  void add_mount(std::size_t k) {
    const Mount& mount = model_.mounts[k];
    begin("mount", mount.name);
    if (mount.is_free()) return add_part(k);
    const bool angle = mount.kind == MountKind::hinge;
    input("force", angle ? "Torque about the axis that acts on it" : "Force along the axis that acts on it",
          angle ? "N.m" : "N", mount.force, [k](Model& model) { return &model.mounts[k].force; });
    const auto add = [&](const std::string& quantity, const char* description, const char* unit) {
      output(quantity, description, unit, [k, quantity](const CommunicationStep& done, const State&) {
        return mount_quantity(quantity, done.mounts[k], done.duration_s);
      });
    };
    add("travel", "Since the start", angle ? "rad" : "m");
    add("rate", "Of the travel", angle ? "rad/s" : "m/s");
    add("contact_force",
        angle ? "Torque of the bodies about the axis, mean" : "Of the bodies along the axis, mean",
        angle ? "N.m" : "N");
  }

  /// Of a free mount, whose travel has no direction: where its centre is.
  void add_part(std::size_t k) {
    const Vec3 start = model_.mounts[k].point;
    for (int axis = 0; axis < 3; ++axis) {
      output(fmt::format("position_{}_m", "xyz"[axis]), "Of the centre of mass", "m",
             [k, axis, start](const CommunicationStep&, const State& state) {
               return state.mounts.empty() ? start[axis] : state.mounts[k].pose.position[axis];
             });
    }
  }

  void add_actuator(std::size_t k) {
    const Actuator& actuator = model_.actuators[k];
    begin("model", actuator.name);
    for (std::size_t n = 0; n < actuator.outputs.size(); ++n)
      output(printable(actuator.outputs[n]), "Of the declarative model", "",
             [k, n](const CommunicationStep&, const State& state) {
               return state.actuators.empty() ? 0.0 : state.actuators[k].outputs[n];
             });
  }

  /// What comes next is of this part. Parts of two kinds may have one name: the later one's kind stands in
  /// front of it then.
  void begin(const char* kind, const std::string& name) {
    part_ = printable(name);
    for (int k = 1; !taken_.insert(part_).second; ++k)
      part_ = k == 1 ? fmt::format("{}.{}", kind, printable(name)) : fmt::format("{}.{}#{}", kind, name, k);
    part_ += '.';
  }

  void output(const std::string& name, const char* description, const char* unit, Value value) {
    list_.push_back({part_ + name, description, unit, Type::real, Causality::output, 0.0, std::move(value)});
  }
  void input(const char* name, const char* description, const char* unit, double start,
             std::function<double*(Model&)> place) {
    list_.push_back(
        {part_ + name, description, unit, Type::real, Causality::input, start, {}, std::move(place)});
  }

  const Model& model_;
  std::vector<Variable> list_;
  std::string part_;  // "crank."
  std::set<std::string> taken_;
};

void add(std::vector<MountLoad>& sum, const std::vector<MountLoad>& more) {
  for (std::size_t k = 0; k < sum.size(); ++k) {
    MountLoad now = more[k];
    now.impulse += sum[k].impulse;
    now.contact_impulse += sum[k].contact_impulse;
    now.stop_impulse += sum[k].stop_impulse;
    sum[k] = now;
  }
}

void add(std::vector<JointLoad>& sum, const std::vector<JointLoad>& more) {
  for (std::size_t k = 0; k < sum.size(); ++k) {
    JointLoad now = more[k];
    now.impulse += sum[k].impulse;
    now.angular_impulse += sum[k].angular_impulse;
    now.motor_impulse += sum[k].motor_impulse;
    sum[k] = now;
  }
}

}  // namespace

CommunicationStep CommunicationStep::at_start(const Model& model, const State& state) {
  CommunicationStep start;
  start.boundaries.resize(model.boundaries.size());
  start.mounts.resize(model.mounts.size());
  start.joints.resize(model.joints.size());
  for (std::size_t k = 0; k < model.mounts.size(); ++k) start.mounts[k].rate = model.mounts[k].start_rate;
  start.kinetic_energy = scree::kinetic_energy(state.bodies);
  return start;
}

void CommunicationStep::add(const StepResult& result) {
  const StepReport& report = result.report;
  const bool converged = report.status == SolveStatus::converged;
  if (duration_s == 0.0) {
    boundaries = result.boundaries;
    mounts = result.mounts;
    joints = result.joints;
    residual_m_s = report.residual_rms_m_s;
    solved = converged;
  } else {
    for (std::size_t k = 0; k < boundaries.size(); ++k) boundaries[k] += result.boundaries[k];
    io::add(mounts, result.mounts);
    io::add(joints, result.joints);
    residual_m_s = std::max(residual_m_s, report.residual_rms_m_s);
    solved = solved && converged;
  }
  duration_s += report.time_step_s;
  kinetic_energy = report.energy.kinetic;
}

std::vector<Variable> variables_of(const Scene& scene) { return List(scene).make(); }

}  // namespace scree::io
