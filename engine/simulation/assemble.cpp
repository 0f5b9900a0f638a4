#include "engine/simulation/assemble.h"

#include <cmath>

#include "engine/core/frames.h"
#include "engine/core/parallel.h"
#include "engine/solver/contact_response.h"

namespace scree {

namespace {

// The smaller of two anisotropic coefficients over the larger: below, the tangential block would be singular.
constexpr double least_friction_ratio = 1e-3;

SCREE_FOR_EACH_TARGET
void assemble_bodies(const Bodies& bodies, const Vec3& gravity, double h, const Block& block,
                     ContactProblem& p) {
  for (std::size_t i = block.begin; i < block.end; ++i) {
    if (bodies.is_asleep(i)) {
      p.free_velocity[i] = {Vec3::Zero(), Vec3::Zero()};
      p.response[i] = BodyResponse{};
      continue;
    }
    p.free_velocity[i] = {bodies.linear_velocity[i] + h * gravity, bodies.angular_velocity[i]};
    const Mat3 inverse_inertia = world_inverse_inertia(bodies, i);
    p.response[i] = {to_vector4(inverse_inertia.col(0)), to_vector4(inverse_inertia.col(1)),
                     to_vector4(inverse_inertia.col(2)), 1.0 / bodies.mass[i]};
  }
}

/// The surface of a body, or of a boundary (b >= bodies).
PlacedSurface surface_of(const Model& model, const Bodies& bodies, std::size_t b) {
  if (b >= bodies.size()) return {model.materials.surface(model.boundaries[b - bodies.size()].material)};
  return {model.materials.surface(bodies.material[b]), bodies.orientation[b]};
}

/// What the surfaces of both sides make of the sliding coefficient and of the frame; returns the factor,
/// which is that of the other coefficients too.
double apply_surfaces(const Model& model, const Bodies& bodies, const ContactKey& key, const Vec3& point,
                      std::size_t c, ContactProblem& p) {
  const auto a = static_cast<std::size_t>(key.a), b = static_cast<std::size_t>(key.b);
  const PlacedSurface of_a = surface_of(model, bodies, a), of_b = surface_of(model, bodies, b);
  const auto place = [&](std::size_t i, const PlacedSurface& s) -> Vec3 {
    return i < bodies.size() ? Vec3(s.orientation.conjugate() * (point - bodies.position[i])) : point;
  };
  double factor = 1.0;
  if (!of_a.surface.patches.empty()) factor *= place_factor(of_a.surface, place(a, of_a));
  if (!of_b.surface.patches.empty()) factor *= place_factor(of_b.surface, place(b, of_b));
  if (!of_a.surface.is_isotropic() || !of_b.surface.is_isotropic()) {
    const Vec3 n = p.normal(c);
    const DirectionFactors d = direction_factors(of_a, of_b, n);
    factor *= d.along_t1;
    p.law[c].tangent_ratio = d.along_t1 > 0.0 ? std::max(least_friction_ratio, d.along_t2 / d.along_t1) : 1.0;
    p.geometry[c].t1 = to_vector4(d.t1);
  }
  p.law[c].local.friction *= factor;
  return factor;
}

/// All that contacts are assembled from, and what into.
struct Assembly {
  const Model& model;
  const Bodies& bodies;
  const Contacts& contacts;
  const ContactMemory& memory;
  double h;
  bool newton, surfaces;
  ContactProblem& p;
};

/// Frame and arms.
SCREE_INLINE void place(const Assembly& in, std::size_t c, bool fixed) {
  const ContactKey& key = in.contacts.key[c];
  const Vec3& normal = in.contacts.normal[c];
  ContactGeometry& g = in.p.geometry[c];
  const auto arm = [&](std::int32_t body) __attribute__((always_inline)) {
    return arm_to(in.contacts, c, in.bodies.position[static_cast<std::size_t>(body)], fixed);
  };
  g.n = to_vector4(normal);
  g.t1 = to_vector4(tangents(normal)[0]);
  g.arm_a = arm(key.a);
  g.arm_b = fixed ? Vector4{} : arm(key.b);
  in.p.law[c].tangent_ratio = 1.0;
}

/// Normal relative velocity of a contact before gravity and contacts act, m/s; negative when approaching.
SCREE_INLINE double approach_speed(const Assembly& in, std::size_t c) {
  const ContactGeometry& g = in.p.geometry[c];
  const auto a = static_cast<std::size_t>(in.p.body_a[c]);
  Vector4 u =
      to_vector4(in.bodies.linear_velocity[a]) + cross(to_vector4(in.bodies.angular_velocity[a]), g.arm_a);
  if (in.p.body_b[c] != fixed_partner) {
    const auto b = static_cast<std::size_t>(in.p.body_b[c]);
    u -= to_vector4(in.bodies.linear_velocity[b]) + cross(to_vector4(in.bodies.angular_velocity[b]), g.arm_b);
  }
  return dot(g.n, u);
}

/// Components of a remembered impulse, world axes, turned from its last normal to the new one: p with frame^T
/// p = impulse; t2 may be shorter than one.
SCREE_INLINE Vec3 turned_components(const ContactProblem& p, std::size_t c, const Vec3& last_normal,
                                    const Vec3& last) {
  const ContactGeometry& g = p.geometry[c];
  const Vector4 t2 = (1.0 / p.law[c].tangent_ratio) * cross(g.n, g.t1);
  const Vector4 now = turned_with(to_vector4(last_normal), g.n, to_vector4(last));
  return {dot(g.n, now), dot(g.t1, now), dot(t2, now)};
}

/// The torques that a contact resists, with their remembered impulse; `found` is its place in the memory, or
/// -1.
void add_torque(const Assembly& in, const PairLaw& law, double factor, std::size_t c, std::int64_t found,
                std::vector<TorqueLaw>& torques) {
  const double torsional = factor * law.torsional_friction_m, rolling = factor * law.rolling_friction_m;
  if (torsional <= 0.0 && rolling <= 0.0) return;
  Vec3 start = Vec3::Zero();
  if (found >= 0) {
    const Vec3 last = find_torque(in.memory, in.contacts.key[c]);
    start = turned_components(in.p, c, in.memory.normal[static_cast<std::size_t>(found)], last);
  }
  torques.push_back({static_cast<std::int32_t>(c), torsional, rolling, start});
}

// Contacts ahead whose other body is fetched: it may lie anywhere.
constexpr std::size_t fetch_ahead = 6;

/// What assembly reads of the other body of a contact that comes soon. No effect on results.
SCREE_INLINE void fetch_next(const Assembly& in, std::size_t c, std::size_t end) {
  if (c + fetch_ahead >= end) return;
  const auto b = static_cast<std::size_t>(in.contacts.key[c + fetch_ahead].b);
  if (b >= in.bodies.size()) return;
  __builtin_prefetch(&in.bodies.position[b]);
  __builtin_prefetch(&in.bodies.linear_velocity[b]);
  __builtin_prefetch(&in.bodies.angular_velocity[b]);
  __builtin_prefetch(&in.p.response[b]);
  __builtin_prefetch(&in.p.response[b].inertia_z);
}

/// The contacts of a block; those that resist torques are listed.
SCREE_FOR_EACH_TARGET
void assemble_contacts(const Assembly& in, const Block& block, std::vector<TorqueLaw>& torques) {
  const Model& model = in.model;
  const Bodies& bodies = in.bodies;
  const Settings& settings = model.settings;
  ContactProblem& p = in.p;
  const double h = in.h;
  torques.clear();
  for (std::size_t c = block.begin; c < block.end; ++c) {
    fetch_next(in, c, block.end);
    const ContactKey& key = in.contacts.key[c];
    const auto a = static_cast<std::size_t>(key.a), b = static_cast<std::size_t>(key.b);
    const bool fixed = b >= bodies.size();
    p.body_a[c] = key.a;
    p.body_b[c] = fixed ? fixed_partner : key.b;
    place(in, c, fixed);
    const MaterialIndex other = fixed ? model.boundaries[b - bodies.size()].material : bodies.material[b];
    const PairLaw& law = model.materials.law(bodies.material[a], other);
    ContactLaw& contact = p.law[c];
    contact.a = key.a;
    contact.b = p.body_b[c];
    contact.local.friction = law.friction;
    const double factor = in.surfaces ? apply_surfaces(model, bodies, key, in.contacts.point[c], c, p) : 1.0;

    const double length_a = model.shapes.smallest_length(bodies.shape[a]), gap = in.contacts.gap[c];
    p.length[c] = fixed ? length_a : std::min(length_a, model.shapes.smallest_length(bodies.shape[b]));
    p.gap[c] = gap;
    contact.offset = std::max(gap, 0.0) / h + 0.5 * h * in.contacts.gap_acceleration[c];  // (A2)
    const double approach = p.approach[c] = approach_speed(in, c);
    const bool impact = approach < -settings.restitution_threshold_m_s && gap + h * approach < 0.0;
    if (!in.newton) p.restitution[c] = law.restitution;
    if (impact && in.newton && law.restitution > 0.0) contact.offset = law.restitution * approach;  // (A3)
    respond(p.geometry[c], p.response.data(), contact);

    const std::int64_t found = find_contact(in.memory, key);
    const auto m = static_cast<std::size_t>(found);
    p.start_impulse[c] =
        found < 0 ? Vec3(Vec3::Zero()) : turned_components(p, c, in.memory.normal[m], in.memory.impulse[m]);
    if (law.torsional_friction_m > 0.0 || law.rolling_friction_m > 0.0)
      add_torque(in, law, factor, c, found, torques);
  }
}

}  // namespace

void assemble(const Model& model, const Bodies& bodies, const Contacts& contacts, const ContactMemory& memory,
              double h, ContactProblem& p) {
  const Settings& settings = model.settings;
  const bool newton = settings.restitution_law == RestitutionLaw::newton;
  p.resize(bodies.size(), contacts.size(), !newton);
  p.velocity_scale = settings.gravity.norm() * h;
  p.friction_corners =
      settings.solver.friction_cone == FrictionCone::sampled ? settings.solver.friction_samples : 0;
  for_blocks(bodies.size(), grain_medium,
             [&](const Block& block) { assemble_bodies(bodies, settings.gravity, h, block, p); });
  const Assembly in{model, bodies, contacts, memory, h, newton, model.materials.has_surfaces(), p};
  const std::size_t blocks = block_count(contacts.size(), grain_medium);
  if (p.found_torques.size() < blocks) p.found_torques.resize(blocks);
  for_blocks(contacts.size(), grain_medium,
             [&](const Block& block) { assemble_contacts(in, block, p.found_torques[block.index]); });
  for (std::size_t k = 0; k < blocks; ++k)
    p.torques.insert(p.torques.end(), p.found_torques[k].begin(), p.found_torques[k].end());
  if (!sweeps_suffice(settings.solver) || !newton) p.complete();
}

void advance_contacts(const ContactProblem& p, const ContactSolution& s,
                      const std::vector<DoubledMotion>& motion, double h, Contacts& contacts) {
  for_each_index(contacts.size(), grain_medium, [&](std::size_t c) {
    const auto moved = [&](std::int32_t body, const Vec3& arm) -> Vec3 {
      const auto i = static_cast<std::size_t>(body);
      const Vec3 linear = 0.5 * to_vec3(motion[i].linear) + s.correction[i].linear;
      const Vec3 angular = 0.5 * to_vec3(motion[i].angular) + s.correction[i].angular;
      return h * (linear + angular.cross(arm));
    };
    const Vec3 a = moved(p.body_a[c], p.arm_a(c));
    const Vec3 b = p.body_b[c] == fixed_partner ? Vec3(Vec3::Zero()) : moved(p.body_b[c], p.arm_b(c));
    contacts.point[c] += 0.5 * (a + b);
    contacts.gap[c] += contacts.normal[c].dot(a - b);
  });
}

}  // namespace scree
