#include "engine/simulation/assemble.h"

#include <cmath>

#include "engine/core/frames.h"
#include "engine/core/parallel.h"

namespace scree {

namespace {

// The smaller of two anisotropic coefficients over the larger: below, the tangential block would be singular.
constexpr double least_friction_ratio = 1e-3;

/// Rows n, t1, t2 of a right-handed frame.
Mat3 contact_frame(const Vec3& n) {
  const auto t = tangents(n);
  Mat3 frame;
  frame << n.transpose(), t[0].transpose(), t[1].transpose();
  return frame;
}

void assemble_bodies(const Model& model, const Bodies& bodies, double h, ContactProblem& p) {
  for_each_index(bodies.size(), grain_medium, [&](std::size_t i) {
    p.free_velocity[i] = {bodies.linear_velocity[i] + h * model.settings.gravity, bodies.angular_velocity[i]};
    p.inverse_mass[i] = 1.0 / bodies.mass[i];
    p.inverse_inertia[i] = world_inverse_inertia(bodies, i);
  });
}

/// The remembered impulse of a contact, turned from its last normal to the new one.
void warm_start(const ContactMemory& memory, const ContactKey& key, const Mat3& frame, Vec3& impulse,
                Vec3& torque) {
  impulse.setZero();
  torque.setZero();
  const std::int64_t found = find_contact(memory, key);
  if (found < 0) return;
  const auto m = static_cast<std::size_t>(found);
  const Vec3 normal = frame.row(0).transpose();
  // Rows may be shorter than one: components p with frame^T p = impulse.
  const Vec3 scale = frame.rowwise().squaredNorm().cwiseInverse();
  impulse = scale.cwiseProduct(frame * turned_with(memory.normal[m], normal, memory.impulse[m]));
  if (memory.torque_impulse.empty() || memory.torque_impulse[m].isZero(0.0)) return;
  torque = scale.cwiseProduct(frame * turned_with(memory.normal[m], normal, memory.torque_impulse[m]));
}

/// Normal relative velocity of a contact before gravity and contacts act, m/s; negative when approaching.
double approach_speed(const ContactProblem& p, std::size_t c, const Bodies& bodies) {
  const auto at = [&](std::int32_t body, const Vec3& arm) -> Vec3 {
    const auto i = static_cast<std::size_t>(body);
    return bodies.linear_velocity[i] + bodies.angular_velocity[i].cross(arm);
  };
  Vec3 u = at(p.body_a[c], p.arm_a[c]);
  if (p.body_b[c] != fixed_partner) u -= at(p.body_b[c], p.arm_b[c]);
  return p.frame[c].row(0).dot(u);
}

/// The surface of a body, or of a boundary (b >= bodies).
PlacedSurface surface_of(const Model& model, const Bodies& bodies, std::size_t b) {
  if (b >= bodies.size()) return {model.materials.surface(model.boundaries[b - bodies.size()].material)};
  return {model.materials.surface(bodies.material[b]), bodies.orientation[b]};
}

/// What the surfaces of both sides make of the pair's coefficients, and the frame that goes with it.
void apply_surfaces(const Model& model, const Bodies& bodies, const ContactKey& key, const Vec3& point,
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
    const Vec3 n = p.frame[c].row(0).transpose();
    const DirectionFactors d = direction_factors(of_a, of_b, n);
    factor *= d.along_t1;
    const double ratio = d.along_t1 > 0.0 ? std::max(least_friction_ratio, d.along_t2 / d.along_t1) : 1.0;
    p.frame[c] << n.transpose(), d.t1.transpose(), ratio * n.cross(d.t1).transpose();
  }
  p.friction[c] *= factor;
  p.torsional_friction[c] *= factor;
  p.rolling_friction[c] *= factor;
}

}  // namespace

void assemble(const Model& model, const Bodies& bodies, const Contacts& contacts, const ContactMemory& memory,
              double h, ContactProblem& p) {
  const std::size_t n = bodies.size();
  const Settings& settings = model.settings;
  p.resize(n, contacts.size());
  p.velocity_scale = settings.gravity.norm() * h;
  p.friction_corners =
      settings.solver.friction_cone == FrictionCone::sampled ? settings.solver.friction_samples : 0;
  assemble_bodies(model, bodies, h, p);

  const bool newton = settings.restitution_law == RestitutionLaw::newton;
  const bool surfaces = model.materials.has_surfaces();
  p.has_torques = reduce_blocks(
      contacts.size(), grain_medium, false,
      [&](const Block& block) {
        bool torques = false;
        for (std::size_t c = block.begin; c < block.end; ++c) {
          const ContactKey& key = contacts.key[c];
          const auto a = static_cast<std::size_t>(key.a), b = static_cast<std::size_t>(key.b);
          const bool fixed = b >= n;
          p.body_a[c] = key.a;
          p.body_b[c] = fixed ? fixed_partner : key.b;
          p.frame[c] = contact_frame(contacts.normal[c]);
          p.arm_a[c] = contacts.point[c] - bodies.position[a];
          // Between bodies both sides use the midpoint, for angular momentum; a wall takes any, so the body's
          // own surface point serves.
          if (fixed) p.arm_a[c] += 0.5 * contacts.gap[c] * contacts.normal[c];
          p.arm_b[c] = fixed ? Vec3(Vec3::Zero()) : Vec3(contacts.point[c] - bodies.position[b]);
          const MaterialIndex other = fixed ? model.boundaries[b - n].material : bodies.material[b];
          const PairLaw& law = model.materials.law(bodies.material[a], other);
          p.friction[c] = law.friction;
          p.torsional_friction[c] = law.torsional_friction_m;
          p.rolling_friction[c] = law.rolling_friction_m;
          if (surfaces) apply_surfaces(model, bodies, key, contacts.point[c], c, p);
          torques |= law.torsional_friction_m > 0.0 || law.rolling_friction_m > 0.0;

          const double length_a = model.shapes.smallest_length(bodies.shape[a]);
          p.length[c] = fixed ? length_a : std::min(length_a, model.shapes.smallest_length(bodies.shape[b]));
          p.gap[c] = contacts.gap[c];
          p.slop[c] = settings.solver.correction_slop * p.length[c];
          p.offset[c] = std::max(contacts.gap[c], 0.0) / h + 0.5 * h * contacts.gap_acceleration[c];  // (A2)
          const double approach = p.approach[c] = approach_speed(p, c, bodies);
          const bool impact =
              approach < -settings.restitution_threshold_m_s && contacts.gap[c] + h * approach < 0.0;
          p.restitution[c] = law.restitution;
          if (impact && newton && law.restitution > 0.0) p.offset[c] = law.restitution * approach;  // (A3)
          warm_start(memory, key, p.frame[c], p.start_impulse[c], p.start_torque_impulse[c]);
        }
        return torques;
      },
      [](bool a, bool b) { return a || b; });
  if (!sweeps_suffice(settings.solver) || !newton) p.complete();
}

void advance_contacts(const ContactProblem& p, const ContactSolution& s, const std::vector<Twist>& before,
                      double h, Contacts& contacts) {
  for_each_index(contacts.size(), grain_medium, [&](std::size_t c) {
    const auto moved = [&](std::int32_t body, const Vec3& arm) -> Vec3 {
      const auto i = static_cast<std::size_t>(body);
      const Vec3 linear = 0.5 * (before[i].linear + s.velocity[i].linear) + s.correction[i].linear;
      const Vec3 angular = 0.5 * (before[i].angular + s.velocity[i].angular) + s.correction[i].angular;
      return h * (linear + angular.cross(arm));
    };
    const Vec3 a = moved(p.body_a[c], p.arm_a[c]);
    const Vec3 b = p.body_b[c] == fixed_partner ? Vec3(Vec3::Zero()) : moved(p.body_b[c], p.arm_b[c]);
    contacts.point[c] += 0.5 * (a + b);
    contacts.gap[c] += contacts.normal[c].dot(a - b);
  });
}

}  // namespace scree
