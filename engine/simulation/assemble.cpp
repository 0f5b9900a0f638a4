#include "engine/simulation/assemble.h"

#include <algorithm>
#include <cmath>

#include "engine/core/frames.h"
#include "engine/core/ordering.h"
#include "engine/core/parallel.h"
#include "engine/simulation/rods.h"
#include "engine/solver/problem/contact_response.h"

namespace scree {

namespace {

// The smaller of two anisotropic coefficients over the larger: below, the tangential block would be singular.
constexpr double least_friction_ratio = 1e-3;

// What contacts have to change in a step beside what gravity gives in it, (A4): where much has to change at
// once a solution may leave more of it undone (docs/decisions/0012).
constexpr double weight_of_change = 5.0;

std::size_t slot(std::int32_t body) { return static_cast<std::size_t>(body); }

SCREE_FOR_EACH_TARGET
void assemble_bodies(const Bodies& bodies, const Vec3& gravity, double h, const Block& block, Workspace& w) {
  for (std::size_t i = block.begin; i < block.end; ++i) {
    BodyResponse& response = w.problem.response[i];
    if (bodies.is_asleep(i)) {
      w.before[i] = w.problem.free_velocity[i] = {Vec3::Zero(), Vec3::Zero()};
      response = BodyResponse{};
      continue;
    }
    w.before[i] = {bodies.linear_velocity[i], bodies.angular_velocity[i]};
    w.problem.free_velocity[i] = {bodies.linear_velocity[i] + h * gravity, bodies.angular_velocity[i]};
    const Mat3 inverse_inertia = world_inverse_inertia(bodies, i);
    response.inertia_x = padded(inverse_inertia.col(0));
    response.inertia_y = padded(inverse_inertia.col(1));
    response.inertia_z = padded(inverse_inertia.col(2));
    response.inverse_mass = 1.0 / bodies.mass[i];
  }
}

/// All that contacts are assembled from, and what into.
struct Assembly {
  const Model& model;
  const Bodies& bodies;
  const std::vector<Contact>& contacts;
  Interval interval;
  bool newton, surfaces;
  Workspace& w;
  ContactProblem& p;

  MaterialIndex material(std::int32_t partner) const {
    return is_boundary(partner) ? model.boundaries[boundary_of(partner)].material
                                : bodies.material[slot(partner)];
  }
};

/// What the surfaces of both sides make of the sliding coefficient and of the frame; returns the factor,
/// which is that of the other coefficients too.
double apply_surfaces(const Assembly& in, std::size_t c) {
  const Contact& contact = in.contacts[c];
  ContactProblem& p = in.p;
  const Vec3 point = in.bodies.position[slot(contact.key.a)] + contact.arm_a;
  double factor = 1.0;
  // A boundary's axes are the world's at time zero.
  const auto placed = [&](std::int32_t partner) -> PlacedSurface {
    const Surface& surface = in.model.materials.surface(in.material(partner));
    if (!is_boundary(partner)) {
      const Quat& q = in.bodies.orientation[slot(partner)];
      if (!surface.patches.empty())
        factor *= place_factor(surface, q.conjugate() * (point - in.bodies.position[slot(partner)]));
      return {surface, q};
    }
    const Boundary& boundary = in.model.boundaries[boundary_of(partner)];
    const Pose pose = place(boundary, in.interval.middle).pose;
    if (!surface.patches.empty())
      factor *=
          place_factor(surface, boundary.centre + pose.orientation.conjugate() * (point - pose.position));
    return {surface, pose.orientation};
  };
  const PlacedSurface of_a = placed(contact.key.a), of_b = placed(contact.key.b);
  if (!of_a.surface.is_isotropic() || !of_b.surface.is_isotropic()) {
    const DirectionFactors d = direction_factors(of_a, of_b, contact.normal);
    factor *= d.along_t1;
    p.law[c].tangent_ratio = d.along_t1 > 0.0 ? std::max(least_friction_ratio, d.along_t2 / d.along_t1) : 1.0;
    p.geometry[c].t1 = padded(d.t1);
  }
  p.law[c].friction *= factor;
  return factor;
}

/// The partner of a contact as a body of the problem; a boundary as one of its own that nothing moves.
SCREE_INLINE std::int32_t enter_partner(const Assembly& in, std::int32_t partner, std::int32_t& next_fixed) {
  if (!is_boundary(partner)) return partner;
  const auto i = slot(next_fixed);
  in.w.before[i] = in.p.free_velocity[i] = in.model.boundaries[boundary_of(partner)].twist;
  in.p.response[i] = BodyResponse{};
  return next_fixed++;
}

/// Normal relative velocity of a contact before gravity and contacts act, m/s; negative when approaching.
SCREE_INLINE double approach_speed(const Assembly& in, std::size_t c) {
  const ContactGeometry& g = in.p.geometry[c];
  const Twist &a = in.w.before[in.p.a(c)], &b = in.w.before[in.p.b(c)];
  const Vector4 u = to_vector4(a.linear) + cross(to_vector4(a.angular), load(g.arm_a)) -
                    to_vector4(b.linear) - cross(to_vector4(b.angular), load(g.arm_b));
  return dot(load(g.n), u);
}

/// Components of an impulse in world axes: p with frame^T p = impulse; t2 may be shorter than one.
SCREE_INLINE Vec3 components(const ContactProblem& p, std::size_t c, const Vec3& impulse) {
  const ContactGeometry& g = p.geometry[c];
  const Vector4 n = load(g.n), t1 = load(g.t1), t2 = (1.0 / p.law[c].tangent_ratio) * cross(n, t1),
                world = to_vector4(impulse);
  return {dot(n, world), dot(t1, world), dot(t2, world)};
}

// Contacts ahead whose other body is fetched: it may lie anywhere.
constexpr std::size_t fetch_ahead = 6;

/// What assembly reads of the other body of a contact that comes soon. No effect on results.
SCREE_INLINE void fetch_next(const Assembly& in, std::size_t c, std::size_t end) {
  if (c + fetch_ahead >= end) return;
  const auto b = static_cast<std::size_t>(std::max(0, in.contacts[c + fetch_ahead].key.b));
  __builtin_prefetch(&in.w.before[b]);
  __builtin_prefetch(&in.p.response[b]);
  __builtin_prefetch(&in.p.response[b].inertia_z);
}

/// The contacts of a block; returns the sum of squares of what they have to change. Rows of those that resist
/// torques are listed.
SCREE_FOR_EACH_TARGET
double assemble_contacts(const Assembly& in, const Block& block, std::int32_t next_fixed,
                         std::vector<Row>& rows) {
  const Settings& settings = in.model.settings;
  ContactProblem& p = in.p;
  const double t = in.interval.to_next;
  double squares = 0.0;
  rows.clear();
  for (std::size_t c = block.begin; c < block.end; ++c) {
    fetch_next(in, c, block.end);
    const Contact& from = in.contacts[c];
    p.edge[c] = {from.key.a, enter_partner(in, from.key.b, next_fixed)};
    p.geometry[c] = {padded(from.normal), padded(tangents(from.normal)[0]), padded(from.arm_a),
                     padded(from.arm_b)};
    const PairLaw& law =
        in.model.materials.law(in.bodies.material[slot(from.key.a)], in.material(from.key.b));
    ContactLaw& contact = p.law[c];
    contact.tangent_ratio = 1.0;
    contact.friction = law.friction;
    const double factor = in.surfaces ? apply_surfaces(in, c) : 1.0;

    p.length[c] = from.length;
    p.gap[c] = from.gap;
    contact.offset = std::max(from.gap, 0.0) / t + 0.5 * in.interval.h * from.gap_acceleration;  // (A2)
    const double approach = p.approach[c] = approach_speed(in, c);
    const bool impact = approach < -settings.restitution_threshold_m_s && from.gap + t * approach < 0.0;
    if (!in.newton) p.restitution[c] = law.restitution;
    if (impact && in.newton && law.restitution > 0.0)
      contact.offset = std::min(contact.offset, law.restitution * approach);  // (A3), and not less than (A2)
    const double to_change = std::max(0.0, -(approach + contact.offset));
    squares += to_change * to_change;

    p.start_impulse[c] = components(p, c, from.impulse);
    if (law.torsional_friction_m > 0.0 || law.rolling_friction_m > 0.0)
      add_resistance(p, c, factor * law.torsional_friction_m, factor * law.rolling_friction_m,
                     components(p, c, from.torque_impulse), rows);
  }
  return squares;
}

/// Numbers the partners that nothing moves: [block] the first of each, and how many there are in all.
std::size_t number_fixed(const std::vector<Contact>& contacts, std::size_t bodies,
                         std::vector<std::int32_t>& first) {
  first.resize(block_count(contacts.size(), grain_medium));
  for_blocks(contacts.size(), grain_medium, [&](const Block& block) {
    first[block.index] =
        static_cast<std::int32_t>(std::count_if(contacts.begin() + static_cast<std::ptrdiff_t>(block.begin),
                                                contacts.begin() + static_cast<std::ptrdiff_t>(block.end),
                                                [](const Contact& c) { return is_boundary(c.key.b); }));
  });
  const std::size_t fixed = exclusive_scan(first);
  for (std::int32_t& number : first) number += static_cast<std::int32_t>(bodies);
  return fixed;
}

}  // namespace

void assemble(const Model& model, const State& state, const Interval& interval, Workspace& w) {
  const double h = interval.h;
  const Settings& settings = model.settings;
  const Bodies& bodies = state.bodies;
  const std::vector<Contact>& contacts = state.contacts.list;
  ContactProblem& p = w.problem;
  const bool newton = settings.restitution_law == RestitutionLaw::newton;
  const std::size_t fixed = number_fixed(contacts, bodies.size(), w.first_fixed);
  p.resize(bodies.size() + fixed, contacts.size(), !newton);
  resize_with_room(w.before, bodies.size() + fixed);
  p.friction_corners =
      settings.solver.friction_cone == FrictionCone::sampled ? settings.solver.friction_samples : 0;
  for_blocks(bodies.size(), grain_medium,
             [&](const Block& block) { assemble_bodies(bodies, settings.gravity, h, block, w); });
  const Assembly in{model, bodies, contacts, interval, newton, model.materials.has_surfaces(), w, p};
  if (w.rows.size() < w.first_fixed.size()) w.rows.resize(w.first_fixed.size());
  const double squares = reduce_blocks(
      contacts.size(), grain_medium, 0.0,
      [&](const Block& block) {
        return assemble_contacts(in, block, w.first_fixed[block.index], w.rows[block.index]);
      },
      [](double a, double b) { return a + b; });
  for (std::size_t k = 0; k < w.first_fixed.size(); ++k)
    p.rows.insert(p.rows.end(), w.rows[k].begin(), w.rows[k].end());
  p.contact_rows = p.rows.size();
  add_rods(model, state, h, w.before, p, w.row_of_rod);
  w.before.resize(p.bodies(), Twist{});
  if (is_wide(settings.solver) && newton)
    p.complete_rows();
  else
    p.complete();

  p.gravity_speed = settings.gravity.norm() * h;
  const auto edges = static_cast<double>(std::max<std::size_t>(1, contacts.size()));
  p.velocity_scale = p.gravity_speed + weight_of_change * std::sqrt(squares / edges);
}

namespace {

/// What is left of an impulse without what stopped an impact, over the whole.
SCREE_INLINE double lasting_part(const Workspace& w, std::size_t c) {
  const ContactProblem& p = w.problem;
  const double p_n = w.solution.impulse[c][0], impact = w.impact.empty() ? 0.0 : w.impact[c][0];
  if (!(p_n > 0.0)) return 0.0;
  const double sudden = p.approach[c] < 0.0
                            ? -p.approach[c] / normal_response(p.geometry[c], p.edge[c], p.response.data())
                            : 0.0;
  return std::max(0.0, p_n - sudden) / (p_n + impact);
}

SCREE_FOR_EACH_TARGET
void take_block(const Workspace& w, const Block& block, std::vector<Contact>& contacts) {
  for (std::size_t c = block.begin; c < block.end; ++c) {
    Contact& contact = contacts[c];
    const Vec3 impulse = w.impact.empty() ? w.solution.impulse[c] : Vec3(w.solution.impulse[c] + w.impact[c]);
    contact.impulse =
        to_vec3(to_world(w.problem.geometry[c], w.problem.law[c].tangent_ratio, impulse.data()));
    contact.torque_impulse.setZero();  // until its rows add to it
    contact.lasting = static_cast<float>(lasting_part(w, c));
  }
}

}  // namespace

void take_impulses(const Workspace& w, State& state) {
  std::vector<Contact>& contacts = state.contacts.list;
  const ContactProblem& p = w.problem;
  for_blocks(contacts.size(), grain_medium, [&](const Block& block) { take_block(w, block, contacts); });
  for (std::size_t r = 0; r < p.contact_rows; ++r)
    contacts[slot(p.rows[r].contact)].torque_impulse +=
        w.solution.row_impulse[r] * to_vec3(p.rows[r].angular_a);
  state.rod_impulse.assign(w.row_of_rod.size(), 0.0);
  for (std::size_t k = 0; k < w.row_of_rod.size(); ++k)
    if (w.row_of_rod[k] >= 0) state.rod_impulse[k] = w.solution.row_impulse[slot(w.row_of_rod[k])];
}

void advance_contacts(const Workspace& w, double h, Contacts& contacts) {
  for_each_index(contacts.size(), grain_medium, [&](std::size_t c) {
    Contact& contact = contacts.list[c];
    const auto moved = [&](std::size_t i, const Vec3& arm) -> Twist {  // of the centre, and of the point
      const Twist after = twist(w.solution.velocity[i]), correction = twist(w.solution.correction[i]);
      const Vec3 linear = 0.5 * (w.before[i].linear + after.linear) + correction.linear;
      const Vec3 angular = 0.5 * (w.before[i].angular + after.angular) + correction.angular;
      return {h * linear, h * (linear + angular.cross(arm))};
    };
    const auto [centre_a, point_a] = moved(w.problem.a(c), contact.arm_a);
    const auto [centre_b, point_b] = moved(w.problem.b(c), contact.arm_b);
    const Vec3 point = 0.5 * (point_a + point_b);
    contact.arm_a += point - centre_a;
    contact.arm_b += point - centre_b;
    contact.gap += contact.normal.dot(point_a - point_b);
    contact.impulse *= double{contact.lasting};
    contact.torque_impulse *= double{contact.lasting};
    contact.lasting = 1.0f;
  });
}

}  // namespace scree
