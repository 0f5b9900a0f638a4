#include "engine/simulation/subsystems/cohesion.h"

#include <cmath>

#include "engine/core/parallel.h"
#include "engine/core/ranks.h"
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
  const auto pull_of = [&](std::size_t begin, std::size_t end) {  // serial: contacts share bodies
    for (std::size_t c = begin; c < end; ++c) {
      if (w.attraction[c] == 0.0) continue;
      const std::size_t a = p.a(c), b = p.b(c);
      const Vec3 impulse = -w.attraction[c] * p.normal(c);
      push(p.response[a], impulse, p.arm_a(c), p.free_velocity[a]);
      push(p.response[b], -impulse, p.arm_b(c), p.free_velocity[b]);
    }
  };
  if (p.share == nullptr) return pull_of(0, w.attraction.size());
  // In the order of the whole problem: contacts of lower ranks, own ones, those of higher ranks.
  const auto own = static_cast<std::size_t>(p.blocks_at_home().back());
  std::size_t higher = own;
  while (higher < w.attraction.size() && (own == 0 || p.share->contact[higher] < p.share->contact[0])) ++higher;
  pull_of(own, higher);
  pull_of(0, own);
  pull_of(higher, w.attraction.size());
  std::vector<BodyVelocity> velocity(p.bodies());
  for (std::size_t i = 0; i < velocity.size(); ++i) velocity[i] = body_velocity(p.free_velocity[i]);
  p.share->ghosts->exchange(std::span(velocity));
  for (std::size_t i = 0; i < velocity.size(); ++i) p.free_velocity[i] = twist(velocity[i]);
}

double attraction_speed(const Workspace& w) {
  const ContactProblem& p = w.problem;
  const double squares = sum_numbers(p.blocks_at_home(), p.ranks(), [&](const Block& block) {
    double sum = 0.0;
    for (std::size_t c = block.begin; c < block.end; ++c) {
      const double speed = w.attraction[c] * (p.inverse_mass(p.a(c)) + p.inverse_mass(p.b(c)));
      sum += speed * speed;
    }
    return sum;
  });
  const std::int64_t contacts = p.share == nullptr ? std::ssize(w.attraction) : p.share->contacts;
  return std::sqrt(squares / static_cast<double>(std::max<std::int64_t>(1, contacts)));
}

}  // namespace scree
