#include "engine/simulation/subsystems/cohesion.h"

#include <cmath>

#include "engine/core/parallel.h"
#include "engine/simulation/assemble.h"
#include "engine/simulation/gap_curvature.h"

namespace scree {

namespace {

void push(const BodyResponse& response, const Vec3& impulse, const Vec3& arm, Twist& velocity) {
  if (response.slides) {
    velocity.linear += response.inverse_inertia() * impulse;
    return;
  }
  velocity.linear += response.inverse_mass * impulse;
  velocity.angular += response.inverse_inertia() * arm.cross(impulse);
}

}  // namespace

void attract(const Model& model, const State& state, double h, Workspace& w) {
  w.attraction.clear();
  if (!model.materials.cohere()) return;
  const std::vector<Contact>& contacts = state.contacts.list;
  w.attraction.resize(contacts.size());
  for_each_index(contacts.size(), grain_medium, [&](std::size_t i) {
    const Contact& c = contacts[i];
    const Cohesion& cohesion = law_of(model, state.bodies, c.key).cohesion;
    w.attraction[i] = cohesion.acts()
                          ? h * attraction(cohesion, gap_curvature(model, state.bodies, c).radius(),
                                           double{c.length}, c.gap)
                          : 0.0;
    w.problem.start_impulse[i][0] += static_cast<float>(w.attraction[i]);
  });
  pull(w);
}

void pull(Workspace& w) {
  ContactProblem& p = w.problem;
  for (std::size_t c = 0; c < w.attraction.size(); ++c) {  // serial: contacts share bodies
    if (w.attraction[c] == 0.0) continue;
    const std::size_t a = p.a(c), b = p.b(c);
    const Vec3 impulse = -w.attraction[c] * p.normal(c);
    push(p.response[a], impulse, p.arm_a(c), p.free_velocity[a]);
    push(p.response[b], -impulse, p.arm_b(c), p.free_velocity[b]);
  }
}

double attraction_speed(const Workspace& w) {
  if (w.attraction.empty()) return 0.0;
  const ContactProblem& p = w.problem;
  double squares = 0.0;
  for (std::size_t c = 0; c < w.attraction.size(); ++c) {
    const double speed = w.attraction[c] * (p.inverse_mass(p.a(c)) + p.inverse_mass(p.b(c)));
    squares += speed * speed;
  }
  return std::sqrt(squares / static_cast<double>(w.attraction.size()));
}

}  // namespace scree
