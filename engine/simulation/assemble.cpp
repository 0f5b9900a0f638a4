#include "engine/simulation/assemble.h"

#include <algorithm>
#include <cmath>

#include "engine/core/exact_sum.h"
#include "engine/core/fetch.h"
#include "engine/core/frames.h"
#include "engine/core/ordering.h"
#include "engine/core/parallel.h"
#include "engine/simulation/ranks/decomposition.h"
#include "engine/simulation/subsystems/bonds.h"
#include "engine/simulation/subsystems/cell_flow.h"
#include "engine/simulation/subsystems/cohesion.h"
#include "engine/simulation/subsystems/contact_springs.h"
#include "engine/simulation/subsystems/machine.h"
#include "engine/simulation/subsystems/parts.h"
#include "engine/solver/problem/contact_response.h"

namespace scree {

namespace {

// Limit of the smaller anisotropic coefficient over the larger: below it, the tangential block is singular.
constexpr double least_friction_ratio = 1e-3;

// Weight of the changes that contacts require in a step beyond gravity's, (A4): if much must change at
// once, a solution may leave a larger error (docs/decisions/0012).
constexpr double weight_of_change = 5.0;

const std::vector<std::int32_t> no_subdomains;

SCREE_FOR_EACH_TARGET
void assemble_bodies(const Model& model, const Bodies& bodies, const Interval& interval, const Block& block,
                     Workspace& w) {
  const double h = interval.h;
  for (std::size_t i = block.begin; i < block.end; ++i) {
    BodyResponse& response = w.problem.response[i];
    w.before[i] = {bodies.linear_velocity[i], bodies.angular_velocity[i]};
    if (bodies.is_asleep(i) || bodies.is_carried(i)) {  // sleeping bodies have no velocity
      w.problem.free_velocity[i] = w.before[i];
      response = BodyResponse{};
      continue;
    }
    w.problem.free_velocity[i] = {bodies.linear_velocity[i] + h * acceleration(w, i),
                                  bodies.angular_velocity[i]};
    const auto [x, y, z] = symmetric_columns(bodies.orientation[i], bodies.inertia[i].cwiseInverse());
    if (!w.own.empty() && !w.own[i].torque.isZero(0.0))
      w.problem.free_velocity[i].angular += h * spin_by_own_forces(bodies, i, w);
    put_three(x, &response.xx);
    response.yz = z[1];
    response.zz = z[2];
    response.yy = y[1];
    response.inverse_mass = share_beside_drag(model, bodies, i, h, interval.middle) / bodies.mass[i];
    response.slides = false;  // it may have belonged to a part before
  }
}

/// Input and output of the assembly of contacts.
struct Assembly {
  const Model& model;
  const State& state;
  const Bodies& bodies;
  const std::vector<Contact>& contacts;
  Interval interval;
  bool newton, surfaces, springs, first_springs;
  std::size_t first_part;  // body of the problem
  Workspace& w;
  ContactProblem& p;

  const PairLaw& law(const ContactKey& key) const { return law_of(model, bodies, key); }
};

/// Factors on coefficients: of the places on both surfaces, and of the direction t1, on friction alone.
struct SurfaceFactors {
  double of_place = 1.0, along_t1 = 1.0;
};

/// Applies the surfaces of both sides to the frame.
SurfaceFactors apply_surfaces(const Assembly& in, std::size_t c) {
  const Contact& contact = in.contacts[c];
  ContactProblem& p = in.p;
  const Vec3 point = in.bodies.position[contact.key.a] + p.contact[c].arm_a;
  SurfaceFactors factors;
  // A boundary's axes are the world's at rest.
  const auto placed = [&](std::int32_t partner, const Vec3& arm) -> PlacedSurface {
    const Surface& surface = in.model.materials.surface(material_of(in.model, in.bodies, partner));
    if (!is_boundary(partner)) {
      const Quat& q = in.bodies.orientation[partner];
      if (!surface.patches.empty()) factors.of_place *= place_factor(surface, q.conjugate() * arm);
      return {surface, q};
    }
    const Boundary& boundary = in.model.boundaries[boundary_of(partner)];
    const Pose& pose = in.w.detection.boundaries[boundary_of(partner)].pose;
    if (!surface.patches.empty())
      factors.of_place *= place_factor(
          surface, boundary.centre + pose.orientation.conjugate() * (point - pose.position), in.w.cell);
    return {surface, pose.orientation};
  };
  const PlacedSurface of_a = placed(contact.key.a, p.contact[c].arm_a),
                      of_b = placed(contact.key.b, p.contact[c].arm_b);
  if (!of_a.surface.is_isotropic() || !of_b.surface.is_isotropic()) {
    const DirectionFactors d = direction_factors(of_a, of_b, p.contact[c].n);
    factors.along_t1 = d.along_t1;
    p.contact[c].tangent_ratio =
        static_cast<float>(d.along_t1 > 0.0 ? std::max(least_friction_ratio, d.along_t2 / d.along_t1) : 1.0);
    p.contact[c].t1 = d.t1;
  }
  return factors;
}

/// How the velocity of a body that moves like this changes at places that stay, m/s^2 and 1/s^2, if the rates
/// of its stages do not change: each stage's axis is moved by the stages before it. `linear`: at the world's
/// origin.
Twist change_of_field(const PrescribedMotion& motion, double time_s) {
  Twist all, change;  // `all`: of the stages so far
  Pose pose;
  for (const MotionStage& stage : motion.stages) {
    const double much = stage.law.at(time_s);
    const Vec3 rate = stage.law.rate_at(time_s) * (pose.orientation * stage.axis);
    if (stage.kind == MotionStage::Kind::translation) {
      change.linear += all.angular.cross(rate);
      all.linear += rate;
      pose.position += pose.orientation * (much * stage.axis);
      continue;
    }
    const Vec3 linear = -rate.cross(pose.position + pose.orientation * stage.point);
    change.linear += all.angular.cross(linear) + all.linear.cross(rate);
    change.angular += all.angular.cross(rate);
    all.linear += linear;
    all.angular += rate;
    const Quat turn(Eigen::AngleAxisd(much, stage.axis));
    pose.position += pose.orientation * (stage.point - turn * stage.point);
    pose.orientation = (pose.orientation * turn).normalized();
  }
  return change;
}

/// (A18): what a boundary that turns adds to its velocity at a contact until the next detection, m/s, along
/// the surface: the contact's place moves with the body, and the boundary's velocity is another one there.
/// Normal to the surface the place moves with the boundary.
Vec3 drift_of(const Assembly& in, const Contact& contact) {
  const std::size_t b = boundary_of(contact.key.b);
  const PlacedBoundary& boundary = in.w.detection.boundaries[b];
  const Vec3 &n = contact.normal, turn = boundary.twist.angular;
  if (turn.isZero(0.0)) return Vec3::Zero();
  const Vec3 body = in.w.before[contact.key.a].linear,
             wall = boundary.twist.linear + turn.cross(contact.arm_b);
  Vec3 change = turn.cross(body + n.dot(wall - body) * n);
  if (const BoundaryPose& pose = in.w.boundary_pose[b];
      pose.motion != nullptr && pose.motion->stages.size() > 1) {
    const Twist field = change_of_field(*pose.motion, pose.clock.at(in.interval.middle));
    change += field.linear + field.angular.cross(boundary.pose.position + contact.arm_b);
  }
  return 0.5 * in.interval.to_next * (change - n.dot(change) * n);
}

/// The body of the problem for a contact's partner; for a boundary a new fixed body, or
/// its part if forces move that.
SCREE_INLINE std::int32_t enter_partner(const Assembly& in, const Contact& contact,
                                        std::int32_t& next_fixed) {
  const std::int32_t partner = contact.key.b;
  if (!is_boundary(partner)) return partner;
  if (const std::int32_t driven = in.w.driven_body[boundary_of(partner)]; driven >= 0) return driven;
  const auto i = next_fixed;
  const PlacedBoundary& boundary = in.w.detection.boundaries[boundary_of(partner)];
  const Vec3 now = boundary.twist.linear + boundary.sliding(contact.normal), drift = drift_of(in, contact);
  in.w.before[i] = {now - drift, boundary.twist.angular};
  in.p.free_velocity[i] = {now + drift, boundary.twist.angular};
  in.p.response[i] = BodyResponse{};
  return next_fixed++;
}

/// From the origin of a driven part's arms to that of its boundary's, m.
Vec3 arm_to_part(const Assembly& in, std::size_t boundary) {
  const auto part = static_cast<std::size_t>(in.model.boundaries[boundary].part);
  return in.w.detection.boundaries[boundary].pose.position - in.w.parts[part].origin;
}

/// A contact's vectors as loaded in detection: data just written in pieces are slow to read as a
/// whole.
struct Geometry {
  Vector4 n, t1, arm_a, arm_b;  // the spare lane of t1 is not zero
};
SCREE_INLINE Geometry geometry_of(const Contact& contact) {
  const auto [t1, t2] = tangents(contact.normal);
  return {first_three(&contact.normal), Vector4{t1[0], t1[1], t1[2], t1[2]}, first_three(&contact.arm_a),
          first_three(&contact.arm_b)};
}

/// Normal relative velocity of a contact before gravity and contacts act, m/s; negative when approaching.
SCREE_INLINE double approach_speed(const Assembly& in, std::size_t c, Edge edge, const Geometry& g) {
  const Twist &a = in.w.before[edge.a], &b = in.w.before[edge.b];
  const Vector4 u =
      linear_of(a) + cross(angular_of(a), g.arm_a) - linear_of(b) - cross(angular_of(b), g.arm_b);
  if (!in.p.image_velocity.empty()) return dot(g.n, u - to_vector4(in.p.image_velocity[c]));
  return dot(g.n, u);
}

/// (A2) for a contact in this interval; the curvature term is limited so that no rotation moves surfaces
/// farther in a step than their thickness.
SCREE_INLINE double offset_of(const Interval& interval, const Contact& contact, double gap) {
  const double most = double{contact.length} / interval.h;
  return std::max(gap, 0.0) / interval.to_next +
         std::clamp(0.5 * interval.h * double{contact.gap_acceleration}, -most, most);
}

/// Components of an impulse in world axes: p with frame^T p = impulse; t2 may be shorter than one.
SCREE_INLINE Vec3 components(Vector4 n, Vector4 t1, float tangent_ratio, const Vec3f& impulse) {
  const Vector4 t2 = (1.0 / double{tangent_ratio}) * cross(n, t1), world = to_vector4(impulse);
  return {dot(n, world), dot(t1, world), dot(t2, world)};
}

// Number of contacts ahead whose other body is prefetched: it may be anywhere.
constexpr std::size_t fetch_ahead = 6;

/// Prefetches the other body of a contact that comes soon.
SCREE_INLINE void fetch_next(const Assembly& in, std::size_t c, std::size_t end) {
  if (c + fetch_ahead >= end) return;
  const auto b = static_cast<std::size_t>(std::max(0, in.contacts[c + fetch_ahead].key.b));
  fetch(&in.w.before[b], sizeof in.w.before[b]);
  fetch(&in.p.response[b], sizeof in.p.response[b]);
}

/// Sums of a block of contacts.
struct Assembled {
  double squares = 0.0;  // m^2/s^2, sum of the required changes
  bool bounce = false;   // does any contact have restitution?

  static constexpr std::size_t sums = 1;  // see ExactSums
  template <class F>
  void each_sum(F&& f) {
    f(squares);
  }
  void join(const Assembled& o) { bounce = bounce || o.bounce; }
  void over_ranks(Ranks& ranks) { bounce = any(&ranks, bounce); }
};

/// Assembles the contacts of a block, except for the rows of those with torque resistance, which are counted.
SCREE_FOR_EACH_TARGET
Assembled assemble_contacts(const Assembly& in, const Block& block, std::int32_t next_fixed,
                            std::int32_t& rows) {
  const Settings& settings = in.model.settings;
  ContactProblem& p = in.p;
  // Copies: the compiler does not know that these pointers are constant.
  const Contact* const contacts = in.contacts.data();
  Edge* const edges = p.edge.data();
  ContactTerms* const terms = p.contact.data();
  float* const approaches = p.approach.data();
  Vec3f* const starts = p.start_impulse.data();
  std::uint8_t* const resist = in.w.resist.data();
  const double t = in.interval.to_next, clearance = settings.clearance();
  double squares = 0.0;
  bool bounce = false;
  std::size_t resisting = 0;
  SpringMemories memories(in.state.springs,
                          block.begin < block.end ? contacts[block.begin].key : ContactKey{});
  for (std::size_t c = block.begin; c < block.end; ++c) {
    fetch_next(in, c, block.end);
    const Contact& from = contacts[c];
    const Edge edge = edges[c] = {from.key.a, enter_partner(in, from, next_fixed)};
    const PairLaw& law = in.law(from.key);
    ContactTerms& contact = terms[c];
    Geometry geometry = geometry_of(from);
    if (static_cast<std::size_t>(edge.b) >= in.first_part)
      geometry.arm_b += to_vector4(arm_to_part(in, boundary_of(from.key.b)));
    contact.n = to_vec3(geometry.n);
    contact.t1 = to_vec3(geometry.t1);
    contact.arm_a = to_vec3(geometry.arm_a);
    contact.arm_b = to_vec3(geometry.arm_b);
    contact.tangent_ratio = 1.0f;
    contact.friction = law.friction;
    if (in.surfaces) {
      const SurfaceFactors factors = apply_surfaces(in, c);
      contact.friction *= factors.of_place * factors.along_t1;
      geometry.t1 = first_tangent(contact);
    }

    contact.length = from.length;
    contact.gap = from.gap - clearance * double{from.length};
    contact.offset = offset_of(in.interval, from, contact.gap);
    const double approach = approach_speed(in, c, edge, geometry);
    approaches[c] = static_cast<float>(approach);
    starts[c] = components(geometry.n, geometry.t1, contact.tangent_ratio, from.impulse).cast<float>();
    const auto memory = [&] {
      return in.w.decomposition ? in.w.decomposition->spring_memory(c) : memories.find(from.key);
    };
    const bool is_spring = in.springs && begin_spring(in.model, in.state.bodies, from, in.interval, c,
                                                      {memory(), in.first_springs}, in.w);
    const bool impact =
        !is_spring && approach < -settings.restitution_threshold_m_s && contact.gap + t * approach < 0.0;
    if (!in.newton) p.restitution[c] = law.restitution;
    if (impact && in.newton && law.restitution > 0.0) {
      contact.offset = std::min(contact.offset, law.restitution * approach);  // (A3), and not less than (A2)
      bounce = true;
    }
    const double needed = -(approach + contact.offset);
    double to_change = 0.5 * (needed + std::abs(needed));
    if (is_spring) to_change = speed_to_change(in.w.springs[c], double{starts[c][0]});
    squares += to_change * to_change;  // of the positive part, exactly; a branch would not be predictable

    const std::size_t resists = resisting_rows(law);
    resist[c] = static_cast<std::uint8_t>(resists);
    resisting += resists;
  }
  rows = static_cast<std::int32_t>(resisting);
  return {squares, bounce};
}

/// The contacts that require more than (A2).
std::vector<Bounce> list_bounces(const Assembly& in) {
  return reduce_blocks(
      in.contacts.size(), grain_medium, std::vector<Bounce>{},
      [&](const Block& block) {
        std::vector<Bounce> found;
        for (std::size_t c = block.begin; c < block.end; ++c) {
          if (in.p.is_compliant(c)) continue;
          const double with = in.p.offset(c),
                       without = offset_of(in.interval, in.contacts[c], in.p.contact[c].gap);
          if (with < without) found.push_back({static_cast<std::int32_t>(c), with, without});
        }
        return found;
      },
      [](std::vector<Bounce> all, const std::vector<Bounce>& more) {
        all.insert(all.end(), more.begin(), more.end());
        return all;
      });
}

/// Radius of the sphere of a body's volume, m.
double equivalent_radius(const Assembly& in, std::int32_t body) {
  return std::cbrt(volume(in.model.shapes, in.bodies.shape[body]) * 0.75 / std::numbers::pi);
}

/// Largest torques over the normal force, m. Ratios are those to the reduced radius r_a r_b / (r_a + r_b) of
/// the spheres of the bodies' volumes, which is r_a at a boundary (Ai et al. 2011, Powder Technology 206,
/// 269).
Resistance resistance_of(const Assembly& in, const PairLaw& law, const ContactKey& key) {
  Resistance resistance{law.torsional_friction_m, law.rolling_friction_m};
  if (law.torsional_friction_ratio == 0.0 && law.rolling_friction_ratio == 0.0) return resistance;
  double radius = equivalent_radius(in, key.a);
  if (!is_boundary(key.b)) {
    const double other = equivalent_radius(in, key.b);
    radius = radius * other / (radius + other);
  }
  resistance.torsional_friction_m += law.torsional_friction_ratio * radius;
  resistance.rolling_friction_m += law.rolling_friction_ratio * radius;
  return resistance;
}

/// The rows of a block's contacts, from this one on.
void set_rows(const Assembly& in, const Block& block, std::size_t row) {
  for (std::size_t c = block.begin; c < block.end; ++c) {
    if (in.w.resist[c] == 0) continue;
    const PairLaw& law = in.law(in.contacts[c].key);
    Resistance resistance = resistance_of(in, law, in.contacts[c].key);
    if (in.surfaces) resistance.factor = apply_surfaces(in, c).of_place;
    const ContactTerms& terms = in.p.contact[c];
    set_resistance(in.p, c, resistance,
                   components(normal_of(terms), first_tangent(terms), 1.0f, in.contacts[c].torque_impulse),
                   &in.p.rows[row]);
    row += resistance.rows();
  }
}

/// Numbers the fixed partners: [block] the first of each, and returns the total number.
std::size_t number_fixed(const std::vector<BoundaryPose>& boundary_pose, const std::vector<Contact>& contacts,
                         std::span<const std::int32_t> blocks, std::size_t bodies,
                         std::vector<std::int32_t>& first) {
  first.resize(blocks.size() - 1);
  for_ranges(blocks, [&](const Block& block) {
    first[block.index] = static_cast<std::int32_t>(
        std::count_if(contacts.begin() + static_cast<std::ptrdiff_t>(block.begin),
                      contacts.begin() + static_cast<std::ptrdiff_t>(block.end), [&](const Contact& c) {
                        return is_boundary(c.key.b) &&
                               (boundary_pose.empty() || !boundary_pose[boundary_of(c.key.b)].is_driven);
                      }));
  });
  const std::size_t fixed = exclusive_scan(first);
  for (std::int32_t& number : first) number += static_cast<std::int32_t>(bodies);
  return fixed;
}

/// Divides contacts into blocks; for a rank, its own contacts by its subdomains, then the others.
void cut_contacts(const State& state, ContactProblem& p) {
  const Contacts& contacts = state.contacts;
  const Subdomains& subdomains = state.bodies.subdomains;
  if (p.share == nullptr) {
    cut_rows(subdomains, contacts.row, contacts.size(), p.contact_block);
    return;
  }
  const auto own = static_cast<std::size_t>(contacts.row[subdomains.own_bodies()]);
  cut_own_rows(subdomains, contacts.row, p.contact_block);
  p.own_blocks = p.contact_block.size() - 1;
  p.contact_block.pop_back();
  append_even_blocks(static_cast<std::int32_t>(own), static_cast<std::int32_t>(contacts.size()),
                     p.contact_block);
  p.contact_block.push_back(static_cast<std::int32_t>(contacts.size()));
}

/// Speed that forces give a body in h, root mean square, m/s.
double force_speed(const Model& model, const Bodies& bodies, const Workspace& w, double h) {
  if (!model.forces.act()) return w.gravity.norm() * h;
  const double squares = sum_numbers(bodies.blocks(), bodies.ranks, [&](const Block& block) {
    double sum = 0.0;
    for (std::size_t i = block.begin; i < block.end; ++i) sum += acceleration(w, i).squaredNorm();
    return sum;
  });
  const std::int64_t count = bodies.ranks == nullptr ? std::ssize(bodies.position)
                                                     : total(bodies.ranks, bodies.subdomains.own_bodies());
  return count > 0 ? h * std::sqrt(squares / static_cast<double>(count)) : w.gravity.norm() * h;
}

}  // namespace

void assemble(const Model& model, State& state, const Interval& interval, Workspace& w) {
  const double h = interval.h;
  const Settings& settings = model.settings;
  const Bodies& bodies = state.bodies;
  const std::vector<Contact>& contacts = state.contacts.list;
  ContactProblem& p = w.problem;
  const bool newton = settings.restitution_law != RestitutionLaw::energetic;
  p.first_body = bodies.subdomains.cover(bodies.size()) ? bodies.subdomains.first : no_subdomains;
  p.share = w.decomposition ? &w.decomposition->share() : nullptr;
  cut_contacts(state, p);
  const std::size_t first_part =
      bodies.size() + number_fixed(w.boundary_pose, contacts, p.contact_block, bodies.size(), w.first_fixed);
  p.resize(first_part + driven_parts(model), contacts.size(), !newton);
  resize_with_room(w.before, p.bodies());
  p.friction_corners =
      settings.solver.friction_cone == FrictionCone::sampled ? settings.solver.friction_samples : 0;
  for_blocks(bodies.size(), grain_medium,
             [&](const Block& block) { assemble_bodies(model, bodies, interval, block, w); });
  set_image_velocities(model, state, w);
  enter_parts(model, state, first_part, w);
  push_parts(w);
  w.has_springs = model.materials.are_elastic();
  const bool first_springs = w.has_springs && springs_begin(state);
  w.springs.resize(w.has_springs ? contacts.size() : 0);
  p.compliance.assign(w.springs.size(), {});
  const Assembly in{
      model,         state,         bodies,     contacts, interval, newton, model.materials.has_surfaces(),
      w.has_springs, first_springs, first_part, w,        p};
  w.first_row.resize(w.first_fixed.size());
  resize_with_room(w.resist, contacts.size());
  const auto assemble_block = [&](const Block& block) {
    return assemble_contacts(in, block, w.first_fixed[block.index], w.first_row[block.index]);
  };
  const Assembled assembled = sum_ranges<Assembled>(p.blocks_at_home(), p.ranks(), assemble_block);
  for_ranges(p.blocks_elsewhere(), [&](const Block& block) {
    assemble_block({block.index + p.own_blocks, block.begin, block.end});
  });
  w.bounces.clear();
  if (assembled.bounce) w.bounces = list_bounces(in);
  resize_with_room(p.rows, exclusive_scan(w.first_row));
  if (!p.rows.empty())
    for_ranges(p.contact_block, [&](const Block& block) { set_rows(in, block, w.first_row[block.index]); });
  p.contact_rows = p.rows.size();
  p.begins_active.clear();
  if (w.has_springs || model.materials.cohere()) {  // what follows changes starts of iterations
    resize_with_room(p.begins_active, p.start_impulse.size());
    for_each_index(p.start_impulse.size(), grain_light,
                   [&](std::size_t c) { p.begins_active[c] = p.start_impulse[c][0] > 0.0f ? 1 : 0; });
  }
  attract(model, state, h, w);
  const double of_bonds = add_bonds(model, state, h, w);
  free_cell(model, state, h, w);
  add_stops(model, state, h, w);
  const double of_joints = add_joints(model, state, h, interval.middle, w);
  w.before.resize(p.bodies(), Twist{});
  if (w.decomposition) w.decomposition->number_others(p);
  if (is_wide(settings.solver) && newton)
    p.complete_rows();
  else
    p.complete();
  if (!model.joints.empty() || !w.bonds.empty()) block_joints(state, w);

  p.time_step_s = h;
  p.gravity_speed = force_speed(model, bodies, w, h);
  if (driven_parts(model) > 0) p.gravity_speed = std::hypot(p.gravity_speed, part_speed(model, bodies, h, w));
  if (p.cell) p.gravity_speed = std::hypot(p.gravity_speed, cell_speed(model, bodies, h, w));
  if (!w.bonds.empty()) p.gravity_speed = std::hypot(p.gravity_speed, of_bonds);
  if (of_joints > 0.0) p.gravity_speed = std::hypot(p.gravity_speed, of_joints);
  if (model.materials.cohere()) p.gravity_speed = std::hypot(p.gravity_speed, attraction_speed(w));
  const auto edges = static_cast<double>(
      std::max<std::int64_t>(1, p.share == nullptr ? std::ssize(contacts) : p.share->contacts));
  p.velocity_scale = p.gravity_speed + weight_of_change * std::sqrt(assembled.squares / edges);
}

void advance_contacts(const Workspace& w, double h, Contacts& contacts) {
  for_each_index(contacts.size(), grain_medium, [&](std::size_t c) {
    Contact& contact = contacts.list[c];
    const auto moved = [&](std::size_t i, const Vec3& arm) -> Twist {  // of the centre, and of the point
      const Twist after = twist(w.solution.velocity[i]), correction = w.solution.correction_of(i);
      // From the middle of this substep to that of the next one.
      const Vec3 linear = after.linear + correction.linear, angular = after.angular + correction.angular;
      return {h * linear, h * (linear + angular.cross(arm))};
    };
    const auto [centre_a, point_a] = moved(w.problem.a(c), contact.arm_a);
    // A part's arms have another origin than its boundaries'.
    const Vec3 start_b = w.problem.arm_b(c) - contact.arm_b;
    Vec3 centre_b = moved(w.problem.b(c), start_b).angular,
         point_b = moved(w.problem.b(c), w.problem.arm_b(c)).angular;
    if (!w.problem.image_velocity.empty()) {  // an image moves with the flow
      centre_b += h * w.problem.image_velocity[c];
      point_b += h * w.problem.image_velocity[c];
    }
    const Vec3 point = 0.5 * (point_a + point_b);
    contact.arm_a += point - centre_a;
    contact.arm_b += point - centre_b;
    contact.gap += contact.normal.dot(point_a - point_b);
    contact.impulse *= contact.lasting;
    contact.torque_impulse *= contact.lasting;
    contact.lasting = 1.0f;
  });
}

}  // namespace scree
