#include "engine/simulation/subsystems/machine.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/simulation/subsystems/actuators.h"
#include "engine/simulation/subsystems/bond_block.h"
#include "engine/simulation/subsystems/population.h"
#include "engine/simulation/subsystems/spring_terms.h"
#include "engine/solver/problem/contact_response.h"

namespace scree {

namespace {

/// A side of a joint in a step.
struct End {
  std::int32_t body = -1;  // of the problem; -1: it does not exist
  bool is_body = false;    // of the state
  JointedBody now;
  Pose frame;         // relative to `now`
  double size = 0.0;  // m, radius of gyration; 0: fixed
};

/// Converts rows of joints into rows of the problem.
class JointAssembly {
 public:
  JointAssembly(const Model& model, State& state, double h, double middle_s, Workspace& w)
      : model_(model),
        state_(state),
        h_(h),
        end_s_(middle_s + h),
        w_(w),
        p_(w.problem),
        slots_(state.bodies) {}

  /// Determines its sides and its coordinate.
  void look(std::size_t k) {
    const MachineJoint& joint = model_.joints[k];
    JointPlace& place = w_.joints[k] = {};
    Looked& at = looked_.emplace_back();
    if (joint.couples.kind != JointTeeth::Kind::none) return;
    JointState& memory = state_.joints[k];
    at.a = find(joint.a);
    at.b = find(joint.b);
    const End &a = at.a, &b = at.b;
    if (a.body < 0 || b.body < 0) return;
    place.arm_b = b.now.pose.orientation * b.frame.position;
    at.of = {joint.name, joint.kind, {0, a.frame}, {1, b.frame}, joint.length, joint.curve};
    if (joint.kind == JointKind::point_on_curve)
      at.of.near = memory.along = along_curve(*joint.curve, a, b, memory);
    if (joint.has_coordinate) {
      at.q = coordinate_row(at.of, joint.coordinate, a.now, b.now);
      if (joint.coordinate == JointCoordinate::Kind::angle) {
        const double near = memory.begun ? memory.coordinate : 0.0, turn = 2.0 * std::numbers::pi;
        at.q.value += turn * std::round((near - at.q.value) / turn);
      }
      if (!std::isfinite(at.q.value)) return;
      memory.begun = true;
      memory.coordinate = place.coordinate = at.q.value;
      take_sides(a, b, place);
      place.along = row_of(at.q, 0.0);
      const Edge& edge = place.along.edge;
      place.rate = row_velocity(place.along, w_.before[edge.a], w_.before[edge.b]);
    }
    place.is_known = true;
  }

  void add(std::size_t k) {
    const MachineJoint& joint = model_.joints[k];
    JointPlace& place = w_.joints[k];
    JointState& memory = state_.joints[k];
    if (joint.couples.kind != JointTeeth::Kind::none) return couple(joint.couples, place, memory);
    if (!place.is_known) return;
    const auto& [a, b, of, q] = looked_[k];
    take_sides(a, b, place);
    held_.clear();
    add_rows(of, a.now, b.now, held_);
    if (joint.kind == JointKind::distance && !(held_[0].value > -joint.length)) return;  // no direction
    if (joint.lead != 0.0) held_.push_back(screw(of, joint, q, a.now, b.now));
    place.stretch = q.value - joint.rest;
    if (a.size == 0.0 && b.size == 0.0) return;
    place.first = static_cast<std::int32_t>(p_.rows.size());
    for (ConstraintRow& row : held_) {
      // If both points are apart by errors of steps, this must not create angular momentum.
      const Vec3 apart = b.now.pose.position - a.now.pose.position,
                 moment = 0.5 * (row.angular_a + row.angular_b + apart.cross(row.linear_b));
      row.angular_a -= moment;
      row.angular_b -= moment;
      push(row, row.value, memory);
      place.error = std::max(place.error, std::abs(row.value));
      place.misfit = std::max(place.misfit, std::abs(row.value) * scale_of(row));
    }
    place.held = static_cast<std::int32_t>(held_.size());
    if (!joint.has_coordinate) return;
    place.misfit = std::max(place.misfit, std::max(joint.low - q.value, q.value - joint.high) * scale_of(q));
    add_coordinate(joint, q, place, memory);
  }

 private:
  struct Looked {
    End a, b;
    Joint of;
    ConstraintRow q;
  };

  /// Teeth: the second bodies of two joints have the same speed at their contact.
  void couple(const JointTeeth& teeth, JointPlace& place, JointState& memory) {
    const MachineJoint &one = model_.joints[teeth.first], &two = model_.joints[teeth.second];
    const JointPlace &at_one = w_.joints[teeth.first], &at_two = w_.joints[teeth.second];
    if (!at_one.is_known || !at_two.is_known) return;
    const End a = find(one.b), b = find(two.b);
    if (a.size == 0.0 && b.size == 0.0) return;
    const auto point = [](const End& end) {
      return Vec3(end.now.pose.position + end.now.pose.orientation * end.frame.position);
    };
    const auto axis = [](const End& end) {
      return Vec3(end.now.pose.orientation * end.frame.orientation * Vec3::UnitZ());
    };
    const Vec3 z = axis(a), centre = point(a);
    Vec3 along, mesh;
    double value = 0.0;
    if (teeth.kind == JointTeeth::Kind::gear) {
      const Vec3 apart = point(b) - centre, between = apart - apart.dot(z) * z;
      const double distance = between.norm(), of_two = distance / (1.0 + teeth.ratio);
      const Vec3 e = between / distance;
      along = z.cross(e);
      mesh = centre + (distance - of_two) * e;
      value = of_two * (teeth.ratio * at_one.coordinate + at_two.coordinate);
    } else {
      along = axis(b);
      mesh = centre + teeth.ratio * along.cross(z);
      value = teeth.ratio * at_one.coordinate - at_two.coordinate;
    }
    place.arm_b = mesh - b.now.pose.position;
    take_sides(a, b, place);
    ConstraintRow row;
    row.linear_a = along;
    row.linear_b = -along;
    row.angular_a = (mesh - a.now.pose.position).cross(along);
    row.angular_b = -place.arm_b.cross(along);
    place.first = static_cast<std::int32_t>(p_.rows.size());
    place.held = 1;
    place.error = std::abs(value);
    place.misfit = place.error * scale_of(row);
    push(row, value, memory);
  }

  /// Bodies come first in rows.
  void take_sides(const End& a, const End& b, JointPlace& place) {
    flipped_ = place.flipped = b.is_body && !a.is_body;
    edge_ = flipped_ ? Edge{b.body, a.body} : Edge{a.body, b.body};
    size_ = std::max(a.size, b.size);
  }

  double along_curve(const JointCurve& curve, const End& a, const End& b, const JointState& memory) const {
    const Vec3 point = b.now.pose.position + b.now.pose.orientation * b.frame.position,
               origin = a.now.pose.position + a.now.pose.orientation * a.frame.position;
    const Quat axes = a.now.pose.orientation * a.frame.orientation;
    return curve.nearest(axes.conjugate() * (point - origin), memory.along).along;
  }

  End find(const JointPartner& partner) {
    End end;
    end.frame = partner.frame;
    const auto index = static_cast<std::size_t>(partner.index);
    switch (partner.kind) {
      case JointPartner::Kind::ground:
        end.body = still({});
        return end;
      case JointPartner::Kind::part: {
        const Part& part = model_.parts[index];
        const PartState& now = state_.parts[index];
        if (!part.is_driven()) {
          const PartPlace& place = w_.part_places[index];
          const Twist twist =
              part.motion.is_none() ? Twist{} : twist_between(place.begin, place.end, part.centre, h_);
          end.now = {{place.centre, place.now.orientation}, twist};
          end.body = still(twist);
          return end;
        }
        end.body = w_.parts[index].body;
        end.now = {now.pose, now.twist};
        if (!now.locked) end.size = std::sqrt(part.moments.sum() / (3.0 * part.inertia));
        return end;
      }
      case JointPartner::Kind::body: {
        end.body = slots_.find(partner.index);
        if (end.body < 0) return end;
        const std::size_t i = end.body;
        const Bodies& bodies = state_.bodies;
        end.is_body = true;
        end.now = {bodies.pose(i), w_.before[i]};
        if (p_.is_moved(i)) end.size = std::sqrt(bodies.inertia[i].sum() / (3.0 * bodies.mass[i]));
        return end;
      }
    }
    return end;
  }

  /// A fixed body of the problem.
  std::int32_t still(const Twist& twist) {
    p_.free_velocity.push_back(twist);
    p_.response.emplace_back();
    w_.before.resize(p_.bodies() - 1, Twist{});
    w_.before.push_back(twist);
    return static_cast<std::int32_t>(p_.bodies()) - 1;
  }

  /// The row of a screw: its travel minus the lead times its angle, relative to the start.
  ConstraintRow screw(const Joint& of, const MachineJoint& joint, const ConstraintRow& angle,
                      const JointedBody& a, const JointedBody& b) const {
    ConstraintRow row = coordinate_row(of, JointCoordinate::Kind::travel, a, b);
    row.angular_a -= joint.lead * angle.angular_a;
    row.angular_b -= joint.lead * angle.angular_b;
    row.value -= joint.lead * angle.value;
    row.gamma -= joint.lead * angle.gamma;
    return row;
  }

  static bool turns(const ConstraintRow& row) { return row.linear_a.isZero(0.0) && row.linear_b.isZero(0.0); }
  /// 1 for angles, 1/m for lengths.
  double scale_of(const ConstraintRow& row) const { return turns(row) ? 1.0 : 1.0 / size_; }

  /// A row that brings `value` to 0.
  Row row_of(const ConstraintRow& row, double value) const {
    Row to;
    to.edge = edge_;
    to.linear = flipped_ ? row.linear_b : row.linear_a;
    to.angular_a = flipped_ ? row.angular_b : row.angular_a;
    to.angular_b = -(flipped_ ? row.angular_a : row.angular_b);
    to.bias = value / h_ + 0.5 * h_ * row.gamma;
    to.length = turns(row) ? size_ : 1.0;
    return to;
  }
  std::int32_t push(const ConstraintRow& row, double value, JointState& memory) {
    const auto r = static_cast<std::int32_t>(p_.rows.size());
    Row& to = p_.rows.emplace_back(row_of(row, value));
    const std::size_t number = r - first_of(memory);
    to.start_impulse =
        number < JointState::most_rows ? memory.impulse[static_cast<Eigen::Index>(number)] : 0.0;
    return r;
  }
  std::size_t first_of(const JointState& memory) const {
    return w_.joints[&memory - state_.joints.data()].first;
  }

  void add_coordinate(const MachineJoint& joint, const ConstraintRow& q, JointPlace& place,
                      JointState& memory) {
    const auto soften = [&](Row& row, double k, double c, double x) {
      const double w = row_coupling(p_, row, row);
      const SpringTerms spring = spring_terms(k, c, x, q.gamma, w, h_);
      row.compliance = spring.compliance;
      row.bias = spring.bias;
      row.length *= w / (w + spring.compliance);
      return spring.theta;
    };
    if (joint.stiffness > 0.0 || joint.damping > 0.0) {
      place.spring = push(q, 0.0, memory);
      place.bending = q.gamma;
      place.theta = soften(p_.rows.back(), joint.stiffness, joint.damping, place.stretch);
    }
    const JointMotor& motor = joint.motor;
    bool leads = false;  // does the motor prescribe the rate?
    double rate = 0.0;
    if (motor.kind != JointMotor::Kind::none) {
      place.motor = push(q, 0.0, memory);
      Row& row = p_.rows.back();
      const double most = h_ * motor.most;
      row.low = -most;
      row.high = most;
      if (motor.kind == JointMotor::Kind::speed) {
        rate = motor.at(end_s_ - 0.5 * h_) + place.aim;
        row.bias = 0.5 * h_ * q.gamma - rate;
      } else if (motor.kind == JointMotor::Kind::force) {
        give_force(motor, place, row);
      } else {
        const double change = place.aim - place.given,
                     now = motor.at(end_s_ - h_) + place.given + 0.5 * change,
                     aim = motor.at(end_s_) + place.given + 1.5 * change;
        rate = (aim - q.value) / h_;
        row.bias -= rate;
        if (motor.stiffness > 0.0 || motor.damping > 0.0) {
          soften(row, motor.stiffness, motor.damping, q.value - now);
          row.bias -= (aim - now) / h_;  // relative to that motion
        }
      }
      leads = row.is_joint() && row.compliance == 0.0;
    }
    const double brake = joint.friction + joint.friction_coefficient * joint.friction_radius * memory.bearing;
    if (brake > 0.0) {
      place.friction = push(q, 0.0, memory);
      Row& row = p_.rows.back();
      row.bias = 0.0;
      row.low = -h_ * brake;
      row.high = h_ * brake;
      if (leads)
        row.low = row.high = row.start_impulse = rate == 0.0 ? 0.0 : -std::copysign(h_ * brake, rate);
    }
    if (joint.low > -infinity) {
      place.low_stop = push(q, q.value - joint.low, memory);
      p_.rows.back().low = 0.0;
    }
    if (joint.high < infinity) {
      place.high_stop = push(q, q.value - joint.high, memory);
      p_.rows.back().high = 0.0;
    }
  }

  /// The row of a force; if the force decreases with the rate, by its tangent: F = F0 - c (v - v0), as a row
  /// v + p / (h c) = v0 + F0 / c.
  void give_force(const JointMotor& motor, const JointPlace& place, Row& row) const {
    const double force = motor.at(end_s_ - h_) + place.aim, c = -place.slope, w = row_coupling(p_, row, row);
    if (h_ * c * w > 1e-4) {  // else compliances would exceed the range of single precision
      row.compliance = 1.0 / (h_ * c);
      row.bias = -(place.rate + force / c);
      row.length *= w / (w + row.compliance);
    } else {
      row.low = row.high = row.start_impulse = h_ * std::clamp(force, -motor.most, motor.most);
    }
  }

  const Model& model_;
  State& state_;
  double h_, end_s_;
  Workspace& w_;
  ContactProblem& p_;
  SlotsById slots_;
  std::vector<Looked> looked_;
  std::vector<ConstraintRow> held_;
  Edge edge_{};
  double size_ = 0.0;
  bool flipped_ = false;
};

/// Velocity change that a row requires or, as a given force, causes, m/s, as far as its bounds allow.
double to_change(const ContactProblem& p, const Row& row, const std::vector<Twist>& before) {
  if (row.low == row.high) return row.low == 0.0 ? 0.0 : row.low * row_coupling(p, row, row) * row.length;
  const double u = row_velocity(row, before[row.edge.a], before[row.edge.b]) + row.bias;
  if ((row.low == 0.0 && u > 0.0) || (row.high == 0.0 && u < 0.0)) return 0.0;
  return u * row.length;
}

Twist mean(const Workspace& w, std::size_t body) {
  const Twist after = twist(w.solution.velocity[body]);
  return {0.5 * (w.before[body].linear + after.linear), 0.5 * (w.before[body].angular + after.angular)};
}

}  // namespace

double add_joints(const Model& model, State& state, double h, double middle_s, Workspace& w) {
  w.joints.resize(model.joints.size());
  if (model.joints.empty() && model.actuators.empty()) return 0.0;
  state.joints.resize(model.joints.size());
  const std::size_t first = w.problem.rows.size();
  w.before.resize(w.problem.bodies(), Twist{});
  JointAssembly assembly(model, state, h, middle_s, w);
  for (std::size_t k = 0; k < model.joints.size(); ++k) assembly.look(k);
  expect_actuators(model, middle_s - 0.5 * h, h, state, w);
  for (std::size_t k = 0; k < model.joints.size(); ++k) assembly.add(k);
  double squares = 0.0;
  for (std::size_t r = first; r < w.problem.rows.size(); ++r) {
    const double change = to_change(w.problem, w.problem.rows[r], w.before);
    squares += change * change;
  }
  return std::sqrt(squares / static_cast<double>(std::max<std::size_t>(1, w.problem.rows.size() - first)));
}

void block_joints(const State& state, Workspace& w) {
  std::size_t first = w.problem.rows.size();
  for (const JointPlace& joint : w.joints)
    if (joint.acts()) first = std::min(first, static_cast<std::size_t>(joint.first));
  first = block_bonds(state, first, w).value_or(first);
  for (const std::size_t row : w.problem.make_block(first)) {
    const auto r = static_cast<std::int32_t>(row);
    for (JointPlace& joint : w.joints)
      if (joint.acts() && r >= joint.first && r < joint.first + joint.held) ++joint.redundant;
  }
}

void take_joints(const Model& model, double h, const Workspace& w, State& state, StepResult& result) {
  const ContactProblem& p = w.problem;
  const std::size_t bodies = state.bodies.size();
  MachineReport& machine = result.machine;
  machine.elastic = 0.0;
  for (std::size_t k = 0; k < w.joints.size(); ++k) {
    const JointPlace& place = w.joints[k];
    const MachineJoint& joint = model.joints[k];
    JointState& memory = state.joints[k];
    JointLoad& load = result.joints[k];
    memory.impulse.setZero();
    if (place.is_known) {
      load.coordinate = place.coordinate;
      if (joint.has_coordinate) {
        const Edge& edge = place.along.edge;
        load.rate =
            row_velocity(place.along, twist(w.solution.velocity[edge.a]), twist(w.solution.velocity[edge.b]));
        load.coordinate += 0.5 * h * load.rate;
        if (joint.stiffness > 0.0)
          machine.elastic += spring_energy(joint.stiffness, place.stretch,
                                           h * load.rate + 0.5 * h * h * place.bending, place.theta);
      }
    }
    if (!place.acts()) continue;
    Vec3 impulse = Vec3::Zero(), moment = Vec3::Zero();
    const auto take = [&](std::int32_t r, double& of_joint, double& of_machine) {
      const Row& row = p.rows[r];
      const double size = w.solution.row_impulse[r];
      if (const auto n = r - place.first; n < JointState::most_rows) memory.impulse[n] = size;
      double work = 0.0;
      const auto add = [&](std::int32_t body, const Vec3& linear, const Vec3& angular) {
        const Twist v = mean(w, body);
        const double part = size * (linear.dot(v.linear) + angular.dot(v.angular));
        work += part;
        if (p.is_moved(body) && static_cast<std::size_t>(body) >= bodies) machine.work_on_parts += part;
      };
      add(row.edge.a, row.linear, row.angular_a);
      add(row.edge.b, -row.linear, -row.angular_b);
      of_joint += work;
      of_machine += work;
      return size;
    };
    for (std::int32_t r = place.first; r < place.first + place.held; ++r) {
      const double size = take(r, load.hold_work, machine.hold_work);
      const Row& row = p.rows[r];
      impulse += size * (place.flipped ? row.linear : Vec3(-row.linear));
      moment += size * (place.flipped ? row.angular_a : Vec3(-row.angular_b));
    }
    load.redundant = place.redundant;
    load.error = place.error;
    load.misfit = place.misfit;
    load.impulse += impulse;
    load.angular_impulse += moment - place.arm_b.cross(impulse);
    memory.bearing = impulse.norm() / h;
    const auto along = [&](std::int32_t r, double& sum, double& of_joint, double& of_machine) {
      if (r >= 0) sum += take(r, of_joint, of_machine);
    };
    along(place.spring, load.spring_impulse, load.spring_work, machine.spring_work);
    along(place.motor, load.motor_impulse, load.motor_work, machine.motor_work);
    along(place.friction, load.friction_impulse, load.friction_work, machine.friction_work);
    along(place.low_stop, load.stop_impulse, load.stop_work, machine.stop_work);
    along(place.high_stop, load.stop_impulse, load.stop_work, machine.stop_work);
  }
}

PartEnergy machine_energy(const Model& model, const State& state) {
  PartEnergy sum;
  for (std::size_t m = 0; m < model.parts.size(); ++m) {
    if (!model.parts[m].is_free()) continue;
    const PartState now = state_of(model.parts, state.parts, m);
    const PartEnergy e = energy_of(model.parts[m], now, model.settings.gravity);
    sum.kinetic += e.kinetic;
    sum.potential += e.potential;
  }
  return sum;
}

void close_machine(const Model& model, const State& state, double energy_before, StepResult& result) {
  MachineReport& machine = result.machine;
  for (std::size_t m = 0; m < model.parts.size(); ++m)
    if (model.parts[m].is_free()) machine.contact_work -= result.parts[m].work;
  const PartEnergy after = machine_energy(model, state);
  machine.kinetic = after.kinetic;
  machine.potential = after.potential;
  machine.remainder = after.kinetic + after.potential - energy_before - machine.contact_work -
                      machine.work_on_parts - machine.force_work - machine.correction;
}

}  // namespace scree
