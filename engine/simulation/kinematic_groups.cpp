#include "engine/simulation/kinematic_groups.h"

#include "engine/core/parallel.h"

namespace scree {

void hold_body(std::int32_t kinematic_group, std::size_t body, State& state) {
  Bodies& bodies = state.bodies;
  bodies.kinematic_group.resize(bodies.size(), Bodies::no_kinematic_group);
  bodies.rest.resize(bodies.size());
  bodies.kinematic_group[body] = kinematic_group;
  bodies.rest[body] = bodies.pose(body);
}

void lead_bodies(const Model& model, double time_s, double begin_s, double h, State& state, Workspace& w) {
  w.kinematic_groups.clear();
  for (const KinematicGroup& kinematic_group : model.kinematic_groups) {
    const Pose now = kinematic_group.motion.at(time_s);
    w.kinematic_groups.push_back({now, kinematic_group.motion.at(begin_s),
                                  kinematic_group.motion.at(begin_s + h),
                                  now.orientation * kinematic_group.centre + now.position});
  }
  Bodies& bodies = state.bodies;
  if (bodies.kinematic_group.empty()) return;
  for_each_index(bodies.size(), grain_medium, [&](std::size_t i) {
    if (!bodies.is_held(i)) return;
    const auto g = static_cast<std::size_t>(bodies.kinematic_group[i]);
    const KinematicMotion& motion = w.kinematic_groups[g];
    const Pose& rest = bodies.rest[i];
    bodies.position[i] = motion.now.orientation * rest.position + motion.now.position;
    bodies.orientation[i] = (motion.now.orientation * rest.orientation).normalized();
    const bool stands = model.kinematic_groups[g].motion.is_none();
    const Twist twist = stands ? Twist{} : twist_between(motion.begin, motion.end, rest.position, h);
    bodies.linear_velocity[i] = twist.linear;
    bodies.angular_velocity[i] = twist.angular;
  });
}

double energy_of_led(const Bodies& bodies, const Vec3& gravity) {
  double energy = 0.0;
  for (std::size_t i = 0; i < bodies.kinematic_group.size(); ++i)
    if (bodies.is_held(i))
      energy += kinetic_energy(bodies, i) - bodies.mass[i] * gravity.dot(bodies.position[i]);
  return energy;
}

}  // namespace scree
