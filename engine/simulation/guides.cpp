#include "engine/simulation/guides.h"

#include "engine/core/parallel.h"

namespace scree {

void hold_body(std::int32_t guide, std::size_t body, State& state) {
  Bodies& bodies = state.bodies;
  bodies.guide.resize(bodies.size(), Bodies::no_guide);
  bodies.rest.resize(bodies.size());
  bodies.guide[body] = guide;
  bodies.rest[body] = bodies.pose(body);
}

void lead_bodies(const Model& model, double time_s, double begin_s, double h, State& state, Workspace& w) {
  w.guides.clear();
  for (const Guide& guide : model.guides) {
    const Pose now = guide.motion.at(time_s);
    w.guides.push_back({now, guide.motion.at(begin_s), guide.motion.at(begin_s + h),
                        now.orientation * guide.centre + now.position});
  }
  Bodies& bodies = state.bodies;
  if (bodies.guide.empty()) return;
  for_each_index(bodies.size(), grain_medium, [&](std::size_t i) {
    if (!bodies.is_held(i)) return;
    const auto g = static_cast<std::size_t>(bodies.guide[i]);
    const GuideMotion& motion = w.guides[g];
    const Pose& rest = bodies.rest[i];
    bodies.position[i] = motion.now.orientation * rest.position + motion.now.position;
    bodies.orientation[i] = (motion.now.orientation * rest.orientation).normalized();
    const bool stands = model.guides[g].motion.is_none();
    const Twist twist = stands ? Twist{} : twist_between(motion.begin, motion.end, rest.position, h);
    bodies.linear_velocity[i] = twist.linear;
    bodies.angular_velocity[i] = twist.angular;
  });
}

double energy_of_led(const Bodies& bodies, const Vec3& gravity) {
  double energy = 0.0;
  for (std::size_t i = 0; i < bodies.guide.size(); ++i)
    if (bodies.is_held(i))
      energy += kinetic_energy(bodies, i) - bodies.mass[i] * gravity.dot(bodies.position[i]);
  return energy;
}

}  // namespace scree
