#include "engine/simulation/subsystems/cohesion.h"

#include <cmath>

#include "engine/core/frames.h"
#include "engine/core/parallel.h"
#include "engine/simulation/assemble.h"

namespace scree {

namespace {

// Flat faces make the radius of a gap infinite; no larger than this, over the larger bounding radius.
constexpr double most_flat = 10.0;

/// Of the gap between two surfaces, 1 / sqrt(det(K_a + K_b)): of two balls a b / (a + b). Walls count as
/// flat.
double effective_radius(const Model& model, const Bodies& bodies, const Contact& c) {
  const auto across = tangents(c.normal);
  Vec3 sum = Vec3::Zero();  // k11, k12, k22
  double most = 0.0;
  const auto add = [&](std::size_t i, const Vec3& arm) {
    const Quat back = bodies.orientation[i].conjugate();
    sum += curvature(model.shapes, bodies.shape[i], back * arm, back * across[0], back * across[1]);
    most = std::max(most, model.shapes.bounding_radius(bodies.shape[i]));
  };
  // Between bodies a contact is midway between the surfaces, against walls it is on the body's.
  const bool wall = is_boundary(c.key.b);
  const Vec3 half = wall ? Vec3(Vec3::Zero()) : Vec3(0.5 * c.gap * c.normal);
  add(c.key.a, c.arm_a + half);
  if (!wall) add(c.key.b, c.arm_b - half);
  most *= most_flat;
  const double det = sum[0] * sum[2] - sum[1] * sum[1];
  const bool widens = sum[0] + sum[2] > 0.0 && det * most * most > 1.0;
  return widens ? 1.0 / std::sqrt(det) : most;
}

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
    w.attraction[i] = cohesion.acts() ? h * attraction(cohesion, effective_radius(model, state.bodies, c),
                                                       double{c.length}, c.gap)
                                      : 0.0;
    w.problem.start_impulse[i][0] += static_cast<float>(w.attraction[i]);
  });
  pull(w);
}

void pull(Workspace& w) {
  ContactProblem& p = w.problem;
  for (std::size_t c = 0; c < w.attraction.size(); ++c) {  // one after the other: contacts share bodies
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
