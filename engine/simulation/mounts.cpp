#include "engine/simulation/mounts.h"

#include <cmath>

#include "engine/core/parallel.h"
#include "engine/simulation/motion.h"

namespace scree {

namespace {

/// The velocity of all points of what moves so about a point.
VelocityField field_of(const Twist& twist, const Vec3& about) {
  return {twist.linear - twist.angular.cross(about), twist.angular};
}

/// Of a twist of the mount's body, how fast it goes along the axis or turns about it.
double along_axis(const Mount& mount, const Twist& twist) {
  return mount.axis.dot(mount.kind == MountKind::slider ? twist.linear : twist.angular);
}

double distance(const Model& model, const std::vector<BoundaryPose>& boundary_pose, double time_s,
                const std::array<std::size_t, 2>& pair) {
  const auto plane = [&](std::size_t k) {
    return std::get<Plane>(place(model.boundaries[k], time_s, 0.0, boundary_pose[k]).surface);
  };
  const Plane a = plane(pair[0]), b = plane(pair[1]);
  return std::abs(a.normal.dot(b.point - a.point));
}

/// Without damping, N or N m.
double force_on(const Model& model, const Mount& mount, const MountState& state, double time_s,
                const Workspace& w) {
  double force = mount.force + mount.changing_force.at(time_s) - mount.spring * state.travel;
  if (mount.kind == MountKind::hinge) return force;
  if (mount.weight) force += mount.inertia * mount.axis.dot(w.gravity);
  double area = mount.area;
  if (mount.area_between) {
    const auto& [first, second] = mount.area_between->pairs;
    area = distance(model, w.boundary_pose, time_s, first) * distance(model, w.boundary_pose, time_s, second);
  }
  return force + mount.pressure * area;
}

/// From the solution, of a free mount.
void take_free(const Model& model, std::size_t m, double h, const Workspace& w, MountState& now,
               StepResult& result) {
  const Mount& mount = model.mounts[m];
  const MountMotion& motion = w.mounts[m];
  MountLoad& load = result.mounts[m];
  MachineReport& machine = result.machine;
  const Vec3& steady = model.settings.gravity;
  if (motion.response > 0.0) {
    const auto body = static_cast<std::size_t>(motion.body);
    const Vec3 mean = 0.5 * (w.before[body].linear + to_vec3(w.solution.velocity[body].linear));
    now.twist = twist(w.solution.velocity[body]);
    if (mount.weight) machine.force_work += h * mount.inertia * (w.gravity - steady).dot(mean);
    const Twist by = w.solution.correction_of(body);
    if (!by.linear.isZero(0.0) || !by.angular.isZero(0.0)) {
      const auto energy = [&] {
        const MountEnergy e = energy_of(mount, now, steady);
        return e.kinetic + e.potential;
      };
      const double before = energy();
      Pose principal{now.pose.position, now.pose.orientation * mount.axes};
      move_by(by, h, mount.moments, principal, now.twist.angular);
      now.pose = {principal.position, (principal.orientation * mount.axes.conjugate()).normalized()};
      machine.correction += energy() - before;
    }
    load.impulse += h * mount.inertia * (mount.weight ? w.gravity.norm() : 0.0);
  }
  Vec3 given = Vec3::Zero();
  for (std::size_t k = 0; k < model.boundaries.size(); ++k)
    if (model.boundaries[k].mount == static_cast<std::int32_t>(m)) given += result.boundaries[k].impulse;
  load.contact_impulse = given.norm();
  load.travel = (now.pose.position + 0.5 * h * now.twist.linear - mount.point).norm();  // at the end
  load.rate = now.twist.linear.norm();
  load.kinetic_energy = energy_of(mount, now, steady).kinetic;
}

}  // namespace

void start_mounts(const std::vector<Mount>& mounts, State& state) {
  if (!state.mounts.empty()) return;
  for (const Mount& mount : mounts) {
    const bool held = mount.starts_held;
    state.mounts.push_back({.rate = held ? 0.0 : mount.start_rate,
                            .held = held,
                            .pose = {mount.point, Quat::Identity()},
                            .twist = held ? Twist{} : mount.start_twist});
  }
}

std::vector<BoundaryPose> boundary_poses(const Model& model, const State& state) {
  std::vector<BoundaryPose> all;
  boundary_poses(model, state, all);
  return all;
}

void boundary_poses(const Model& model, const State& state, std::vector<BoundaryPose>& all) {
  const std::vector<BoundaryStatus>& status = state.overrides.boundaries;
  all.clear();
  if (status.empty() && model.mounts.empty()) return;
  all.resize(model.boundaries.size());
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (!status.empty()) static_cast<BoundaryStatus&>(all[k]) = status[k];
    const Boundary& boundary = model.boundaries[k];
    if (!boundary.is_mounted() || state.mounts.empty()) continue;
    const auto m = static_cast<std::size_t>(boundary.mount);
    const Mount& mount = model.mounts[m];
    const MountState& now = state.mounts[m];
    all[k].carried = carried_by(mount, now);
    all[k].velocity = field_of(twist_of(mount, now), origin_of(mount, now));
  }
}

void drift_mounts(const Model& model, double dt, State& state) {
  for (std::size_t m = 0; m < state.mounts.size(); ++m) {
    const Mount& mount = model.mounts[m];
    MountState& now = state.mounts[m];
    now.travel += dt * now.rate;
    if (!mount.is_free() || now.held) continue;
    now.pose.position += dt * now.twist.linear;
    Quat principal = now.pose.orientation * mount.axes;
    rotate_freely(mount.moments, dt, principal, now.twist.angular);
    now.pose.orientation = (principal * mount.axes.conjugate()).normalized();
  }
}

void apply_mount_forces(const Model& model, const State& state, double h, double middle_s, Workspace& w) {
  boundary_poses(model, state, w.boundary_pose);
  w.mounts.resize(model.mounts.size());
  for (std::size_t m = 0; m < model.mounts.size(); ++m) {
    const Mount& mount = model.mounts[m];
    const MountState& now = state.mounts[m];
    MountMotion& motion = w.mounts[m];
    motion = {};
    if (now.held) continue;
    if (mount.is_free()) {
      motion.response = 1.0 / mount.inertia;
      if (mount.weight) motion.gain.linear = h * w.gravity;
      continue;
    }
    motion.force = force_on(model, mount, now, middle_s, w);
    motion.response = 1.0 / (mount.inertia + h * mount.damping);
    const double free_rate = (mount.inertia * now.rate + h * motion.force) * motion.response;
    motion.gain = mount.twist(free_rate - now.rate);
  }
  for (std::size_t k = 0; k < model.boundaries.size(); ++k) {
    if (!model.boundaries[k].is_mounted()) continue;
    const auto m = static_cast<std::size_t>(model.boundaries[k].mount);
    w.boundary_pose[k].gain = field_of(w.mounts[m].gain, origin_of(model.mounts[m], state.mounts[m]));
  }
}

void enter_mounts(const Model& model, const State& state, std::size_t first, Workspace& w) {
  for (std::size_t m = 0; m < model.mounts.size(); ++m) {
    const Mount& mount = model.mounts[m];
    MountMotion& motion = w.mounts[m];
    motion.body = static_cast<std::int32_t>(first + m);
    motion.origin = origin_of(mount, state.mounts[m]);

    Twist prescribed;
    for (std::size_t k = 0; k < model.boundaries.size(); ++k) {
      if (model.boundaries[k].mount != static_cast<std::int32_t>(m)) continue;
      const PlacedBoundary& placed = w.detection.boundaries[k];
      prescribed.angular = placed.twist.angular - placed.mount.angular;
      prescribed.linear = placed.twist.linear - placed.mount.at(placed.pose.position) +
                          placed.surface_velocity +
                          prescribed.angular.cross(motion.origin - placed.pose.position);
      break;  // the same for all on one mount
    }
    motion.prescribed_rate = along_axis(mount, prescribed);
    const Twist own = twist_of(mount, state.mounts[m]);
    w.before[first + m] = {prescribed.linear + own.linear, prescribed.angular + own.angular};
    w.problem.free_velocity[first + m] = w.before[first + m];
    BodyResponse& response = w.problem.response[first + m];
    response = {};
    if (motion.response == 0.0) continue;
    if (mount.is_free()) {
      response.inverse_mass = motion.response;
      response.set_inverse_inertia(inverse_inertia_of(mount, state.mounts[m]));
      continue;
    }
    response.set_inverse_inertia(motion.response * mount.axis * mount.axis.transpose());
    response.slides = mount.kind == MountKind::slider;
  }
}

void push_mounts(Workspace& w) {
  for (const MountMotion& mount : w.mounts) {
    Twist& velocity = w.problem.free_velocity[mount.body];
    velocity.linear += mount.gain.linear;
    velocity.angular += mount.gain.angular;
  }
}

void add_stops(const Model& model, const State& state, double h, Workspace& w) {
  ContactProblem& p = w.problem;
  for (std::size_t m = 0; m < model.mounts.size(); ++m) {
    const Mount& mount = model.mounts[m];
    MountMotion& motion = w.mounts[m];
    if (motion.response == 0.0 || mount.is_free()) continue;
    const auto add = [&](double room, double away) {  // away: the sign of rates that lead away from the stop
      const Twist direction = mount.twist(-away);
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
    const double travel = state.mounts[m].travel;
    if (mount.low > -infinity) motion.low_stop = add(travel - mount.low, 1.0);
    if (mount.high < infinity) motion.high_stop = add(mount.high - travel, -1.0);
  }
}

double mount_speed(const Model& model, const Bodies& bodies, double h, const Workspace& w) {
  const auto sum = [&](auto&& of) {
    return reduce_blocks(
        bodies.size(), grain_medium, 0.0,
        [&](const Block& block) {
          double part = 0.0;
          for (std::size_t i = block.begin; i < block.end; ++i) part += of(i);
          return part;
        },
        [](double x, double y) { return x + y; });
  };
  const double mass = sum([&](std::size_t i) { return bodies.mass[i]; });
  if (mass == 0.0) return 0.0;
  double squares = 0.0;
  for (std::size_t m = 0; m < model.mounts.size(); ++m) {
    const Mount& mount = model.mounts[m];
    const double impulse = h * w.mounts[m].force;
    if (impulse == 0.0) continue;
    double whole = mass + mount.inertia;
    if (mount.kind == MountKind::hinge) {  // a torque over the radius of gyration of all is a force
      const double inertia =
          mount.inertia + sum([&](std::size_t i) {
            return bodies.mass[i] * (bodies.position[i] - mount.point).cross(mount.axis).squaredNorm();
          });
      whole = std::sqrt(mass * inertia);
    }
    squares += impulse * impulse / (whole * whole);
  }
  return std::sqrt(squares);
}

void take_mounts(const Model& model, double h, const Workspace& w, State& state, StepResult& result) {
  for (std::size_t m = 0; m < model.mounts.size(); ++m) {
    const Mount& mount = model.mounts[m];
    const MountMotion& motion = w.mounts[m];
    MountState& now = state.mounts[m];
    MountLoad& load = result.mounts[m];
    if (mount.is_free()) {
      take_free(model, m, h, w, now, result);
      continue;
    }
    if (motion.response > 0.0) {
      const auto body = static_cast<std::size_t>(motion.body);
      const double before = now.rate;
      now.rate = along_axis(mount, twist(w.solution.velocity[body])) - motion.prescribed_rate;
      now.travel += h * along_axis(mount, w.solution.correction_of(body));
      const double mean = 0.5 * (before + now.rate), damping = mount.damping * now.rate;
      const auto stop = [&](std::int32_t row) { return row < 0 ? 0.0 : w.solution.row_impulse[row]; };
      const double stops = stop(motion.low_stop) - stop(motion.high_stop);
      const double all = mount.inertia * (now.rate - before);  // momentum gained
      load.impulse += h * motion.force;
      load.stop_impulse += stops;
      load.contact_impulse += all - h * (motion.force - damping) - stops;
      load.force_work += h * motion.force * mean;
      load.damping_work -= h * damping * mean;
      load.stop_work += stops * mean;
    }
    load.travel = now.travel + 0.5 * h * now.rate;  // at the end
    load.rate = now.rate;
    load.kinetic_energy = 0.5 * mount.inertia * now.rate * now.rate;
  }
}

}  // namespace scree
