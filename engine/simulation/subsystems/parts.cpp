#include "engine/simulation/subsystems/parts.h"

#include <algorithm>
#include <cmath>

#include "engine/core/exact_sum.h"
#include "engine/core/parallel.h"
#include "engine/core/ranks.h"
#include "engine/simulation/motion.h"

namespace scree {

namespace {

/// The part along the axis, or about it, of a twist of the part's body.
double along_axis(const Part& part, const Twist& twist) {
  return part.axis.dot(part.freedom == Freedom::along ? twist.linear : twist.angular);
}

double distance(const Model& model, const std::vector<BoundaryPose>& boundary_pose, double time_s,
                const std::array<std::size_t, 2>& pair) {
  const auto plane = [&](std::size_t k) {
    return std::get<Plane>(place(model.boundaries[k], boundary_pose[k], time_s).surface);
  };
  const Plane a = plane(pair[0]), b = plane(pair[1]);
  return std::abs(a.normal.dot(b.point - a.point));
}

/// Force without damping, N or N m.
double force_on(const Model& model, const Part& part, const PartState& state, double time_s,
                const Workspace& w) {
  double force = part.force + part.changing_force.at(time_s) - part.spring * state.travel;
  if (part.freedom == Freedom::about) return force;
  if (part.weight) force += part.inertia * part.axis.dot(w.gravity);
  double area = part.area;
  if (part.area_between) {
    const auto& [first, second] = part.area_between->pairs;
    area = distance(model, w.boundary_pose, time_s, first) * distance(model, w.boundary_pose, time_s, second);
  }
  return force + part.pressure * area;
}

/// Takes the solution for a free part.
void take_free(const Model& model, std::size_t m, double h, const Workspace& w, PartState& now,
               StepResult& result) {
  const Part& part = model.parts[m];
  const PartMotion& motion = w.parts[m];
  PartLoad& load = result.parts[m];
  MachineReport& machine = result.machine;
  const Vec3& steady = model.settings.gravity;
  if (motion.response > 0.0) {
    const auto body = static_cast<std::size_t>(motion.body);
    const Vec3 mean = 0.5 * (w.before[body].linear + to_vec3(w.solution.velocity[body].linear));
    now.twist = twist(w.solution.velocity[body]);
    if (part.weight) machine.force_work += h * part.inertia * (w.gravity - steady).dot(mean);
    const Twist by = w.solution.correction_of(body);
    if (!by.linear.isZero(0.0) || !by.angular.isZero(0.0)) {
      const auto energy = [&] {
        const PartEnergy e = energy_of(part, now, steady);
        return e.kinetic + e.potential;
      };
      const double before = energy();
      Pose principal{now.pose.position, now.pose.orientation * part.axes};
      move_by(by, h, part.moments, principal, now.twist.angular);
      now.pose = {principal.position, (principal.orientation * part.axes.conjugate()).normalized()};
      machine.correction += energy() - before;
    }
    load.force_impulse += h * part.inertia * (part.weight ? w.gravity.norm() : 0.0);
  }
  load.contact_impulse = load.impulse.norm();
  load.travel = (now.pose.position + 0.5 * h * now.twist.linear - part.centre).norm();  // at the end
  load.rate = now.twist.linear.norm();
  load.kinetic_energy = energy_of(part, now, steady).kinetic;
}

}  // namespace

namespace {

/// Prescribed velocity of a part that forces move, or of the surface of its only boundary, beyond the
/// velocity by forces; about its origin.
Twist prescribed_twist(const Model& model, std::size_t m, const Workspace& w) {
  Twist prescribed;
  for (std::size_t k = 0; k < model.boundaries.size(); ++k) {
    if (model.boundaries[k].part != static_cast<std::int32_t>(m)) continue;
    const PlacedBoundary& placed = w.detection.boundaries[k];
    prescribed.angular = placed.twist.angular - placed.driven.angular;
    prescribed.linear = placed.twist.linear - placed.driven.at(placed.pose.position) +
                        placed.surface_velocity +
                        prescribed.angular.cross(w.parts[m].origin - placed.pose.position);
    break;  // the same for all
  }
  return prescribed;
}

}  // namespace

void start_parts(const std::vector<Part>& parts, State& state) {
  if (!state.parts.empty()) return;
  for (const Part& part : parts) state.parts.push_back(start_of(part));
}

void carry_body(std::int32_t part, std::size_t body, State& state) {
  Bodies& bodies = state.bodies;
  bodies.part.resize(bodies.size(), Bodies::no_part);
  bodies.rest.resize(bodies.size());
  bodies.part[body] = part;
  bodies.rest[body] = bodies.pose(body);
}

void begin_motion(const Part& part, std::size_t body, Bodies& bodies) {
  const MotionClock clock = start_of(part).clock;
  if (part.motion.is_none()) return;
  const Pose &rest = bodies.rest[body], begin = part.motion.at(clock.at(0.0));
  const Twist twist = clock.runs ? part.motion.twist_at(clock.at(0.0), rest.position) : Twist{};
  bodies.position[body] = begin.orientation * rest.position + begin.position;
  bodies.orientation[body] = (begin.orientation * rest.orientation).normalized();
  bodies.linear_velocity[body] = twist.linear;
  bodies.angular_velocity[body] = twist.angular;
}

std::vector<BoundaryPose> boundary_poses(const Model& model, const State& state) {
  std::vector<BoundaryPose> all;
  boundary_poses(model, state, all);
  return all;
}

void boundary_poses(const Model& model, const State& state, std::vector<BoundaryPose>& all) {
  const std::vector<std::uint8_t>& removed = state.overrides.removed;
  all.clear();
  if (removed.empty() && model.parts.empty()) return;
  for (const Boundary& boundary : model.boundaries) {
    all.push_back(pose_of(boundary, model.parts, state.parts));
    all.back().removed = !removed.empty() && removed[all.size() - 1] != 0;
  }
}

void drift_parts(const Model& model, double dt, State& state) {
  for (std::size_t m = 0; m < state.parts.size(); ++m) {
    const Part& part = model.parts[m];
    PartState& now = state.parts[m];
    now.travel += dt * now.rate;
    if (!part.is_free() || now.locked) continue;
    now.pose.position += dt * now.twist.linear;
    Quat principal = now.pose.orientation * part.axes;
    rotate_freely(part.moments, dt, principal, now.twist.angular);
    now.pose.orientation = (principal * part.axes.conjugate()).normalized();
  }
}

void carry_bodies(const Model& model, double time_s, double begin_s, double h, State& state, Workspace& w) {
  w.part_places.clear();
  for (std::size_t m = 0; m < model.parts.size(); ++m) {
    const Part& part = model.parts[m];
    const MotionClock& clock = state.parts[m].clock;
    const Pose now = pose_of(part, state.parts[m], time_s);
    w.part_places.push_back({now, part.motion.at(clock.at(begin_s)), part.motion.at(clock.at(begin_s + h)),
                             now.orientation * part.centre + now.position});
  }
  Bodies& bodies = state.bodies;
  if (bodies.part.empty()) return;
  for_each_index(bodies.size(), grain_medium, [&](std::size_t i) {
    if (!bodies.is_carried(i)) return;
    const PartPlace& place = w.part_places[bodies.part[i]];
    const Pose& rest = bodies.rest[i];
    bodies.position[i] = place.now.orientation * rest.position + place.now.position;
    bodies.orientation[i] = (place.now.orientation * rest.orientation).normalized();
    const bool stands = model.parts[bodies.part[i]].motion.is_none();
    const Twist twist = stands ? Twist{} : twist_between(place.begin, place.end, rest.position, h);
    bodies.linear_velocity[i] = twist.linear;
    bodies.angular_velocity[i] = twist.angular;
  });
}

double energy_of_carried(const Model& model, const Bodies& bodies) {
  if (model.parts.empty()) return 0.0;
  return sum_numbers(bodies.blocks(), bodies.ranks, [&](const Block& block) {
    double energy = 0.0;
    for (std::size_t i = block.begin; i < block.end; ++i)
      if (bodies.is_carried(i))
        energy += kinetic_energy(bodies, i) - bodies.mass[i] * model.settings.gravity.dot(bodies.position[i]);
    return energy;
  });
}

void apply_part_forces(const Model& model, const State& state, double h, double middle_s, Workspace& w) {
  boundary_poses(model, state, w.boundary_pose);
  w.parts.assign(model.parts.size(), {});
  for (std::size_t m = 0; m < model.parts.size(); ++m) {
    const Part& part = model.parts[m];
    const PartState& now = state.parts[m];
    PartMotion& motion = w.parts[m];
    if (!part.is_driven() || now.locked) continue;
    if (part.is_free()) {
      motion.response = 1.0 / part.inertia;
      if (part.weight) motion.gain.linear = h * w.gravity;
      continue;
    }
    motion.force = force_on(model, part, now, middle_s, w);
    motion.response = 1.0 / (part.inertia + h * part.damping);
    const double free_rate = (part.inertia * now.rate + h * motion.force) * motion.response;
    motion.gain = part.twist(free_rate - now.rate);
  }
  for (std::size_t k = 0; k < w.boundary_pose.size(); ++k) {
    if (!w.boundary_pose[k].is_driven) continue;
    const std::int32_t m = model.boundaries[k].part;
    w.boundary_pose[k].gain = field_of(w.parts[m].gain, origin_of(model.parts[m], state.parts[m]));
  }
}

std::size_t driven_parts(const Model& model) {
  return static_cast<std::size_t>(std::ranges::count_if(model.parts, &Part::is_driven));
}

void enter_parts(const Model& model, const State& state, std::size_t first, Workspace& w) {
  std::size_t next = first;
  for (std::size_t m = 0; m < model.parts.size(); ++m) {
    const Part& part = model.parts[m];
    if (!part.is_driven()) continue;
    PartMotion& motion = w.parts[m];
    const PartState& now = state.parts[m];
    const std::size_t body = next++;
    motion.body = static_cast<std::int32_t>(body);
    motion.origin = origin_of(part, now);
    const Twist prescribed = prescribed_twist(model, m, w);
    motion.prescribed_rate = along_axis(part, prescribed);
    const Twist own = twist_of(part, now);
    w.before[body] = {prescribed.linear + own.linear, prescribed.angular + own.angular};
    w.problem.free_velocity[body] = w.before[body];
    BodyResponse& response = w.problem.response[body];
    response = {};
    if (motion.response == 0.0) continue;
    if (part.is_free()) {
      response.inverse_mass = motion.response;
      response.set_inverse_inertia(inverse_inertia_of(part, now));
      continue;
    }
    response.set_inverse_inertia(motion.response * part.axis * part.axis.transpose());
    response.slides = part.freedom == Freedom::along;
  }
  w.driven_body.assign(model.boundaries.size(), -1);
  for (std::size_t k = 0; k < w.boundary_pose.size(); ++k)
    if (w.boundary_pose[k].is_driven) w.driven_body[k] = w.parts[model.boundaries[k].part].body;
}

void push_parts(Workspace& w) {
  for (const PartMotion& part : w.parts) {
    if (part.body < 0) continue;
    Twist& velocity = w.problem.free_velocity[part.body];
    velocity.linear += part.gain.linear;
    velocity.angular += part.gain.angular;
  }
}

void add_stops(const Model& model, const State& state, double h, Workspace& w) {
  ContactProblem& p = w.problem;
  for (std::size_t m = 0; m < model.parts.size(); ++m) {
    const Part& part = model.parts[m];
    PartMotion& motion = w.parts[m];
    if (motion.response == 0.0 || part.is_free()) continue;
    const auto add = [&](double room, double away) {  // away: the sign of rates that lead away from the stop
      const Twist direction = part.twist(-away);
      const auto held = static_cast<std::int32_t>(p.bodies());
      p.free_velocity.emplace_back();
      p.response.emplace_back();
      p.rows.push_back({.edge = {held, motion.body},
                        .linear = direction.linear,
                        .angular_a = direction.angular,
                        .angular_b = direction.angular,
                        .bias = room / h - away * motion.prescribed_rate,
                        .low = 0.0});
      return static_cast<std::int32_t>(p.rows.size()) - 1;
    };
    const double travel = state.parts[m].travel;
    if (part.low > -infinity) motion.low_stop = add(travel - part.low, 1.0);
    if (part.high < infinity) motion.high_stop = add(part.high - travel, -1.0);
  }
}

double part_speed(const Model& model, const Bodies& bodies, double h, const Workspace& w) {
  const auto sum = [&](auto&& of) {
    return sum_numbers(bodies.blocks(), bodies.ranks, [&](const Block& block) {
      double part = 0.0;
      for (std::size_t i = block.begin; i < block.end; ++i) part += of(i);
      return part;
    });
  };
  const double mass = sum([&](std::size_t i) { return bodies.mass[i]; });
  if (mass == 0.0) return 0.0;
  double squares = 0.0;
  for (std::size_t m = 0; m < model.parts.size(); ++m) {
    const Part& part = model.parts[m];
    const double impulse = h * w.parts[m].force;
    if (impulse == 0.0) continue;
    double whole = mass + part.inertia;
    if (part.freedom == Freedom::about) {  // a torque over the total radius of gyration is a force
      const double inertia =
          part.inertia + sum([&](std::size_t i) {
            return bodies.mass[i] * (bodies.position[i] - part.centre).cross(part.axis).squaredNorm();
          });
      whole = std::sqrt(mass * inertia);
    }
    squares += impulse * impulse / (whole * whole);
  }
  return std::sqrt(squares);
}

void take_parts(const Model& model, double h, const Workspace& w, State& state, StepResult& result) {
  for (std::size_t m = 0; m < model.parts.size(); ++m) {
    const Part& part = model.parts[m];
    const PartMotion& motion = w.parts[m];
    PartState& now = state.parts[m];
    PartLoad& load = result.parts[m];
    if (!part.is_driven()) continue;
    if (part.is_free()) {
      take_free(model, m, h, w, now, result);
      continue;
    }
    if (motion.response > 0.0) {
      const auto body = static_cast<std::size_t>(motion.body);
      const double before = now.rate;
      now.rate = along_axis(part, twist(w.solution.velocity[body])) - motion.prescribed_rate;
      // Separating overlaps must not take it beyond its stops: they would throw it back.
      now.travel = std::clamp(now.travel + h * along_axis(part, w.solution.correction_of(body)),
                              std::min(now.travel, part.low), std::max(now.travel, part.high));
      const double mean = 0.5 * (before + now.rate), damping = part.damping * now.rate;
      const auto stop = [&](std::int32_t row) { return row < 0 ? 0.0 : w.solution.row_impulse[row]; };
      const double stops = stop(motion.low_stop) - stop(motion.high_stop);
      const double all = part.inertia * (now.rate - before);  // momentum gain
      load.force_impulse += h * motion.force;
      load.stop_impulse += stops;
      load.contact_impulse += all - h * (motion.force - damping) - stops;
      load.force_work += h * motion.force * mean;
      load.damping_work -= h * damping * mean;
      load.stop_work += stops * mean;
    } else {  // locked
      load.contact_impulse = along_axis(part, {load.impulse, load.angular_impulse});
    }
    load.travel = now.travel + 0.5 * h * now.rate;  // at the end
    load.rate = now.rate;
    load.kinetic_energy = 0.5 * part.inertia * now.rate * now.rate;
  }
}

}  // namespace scree
