#include <algorithm>
#include <atomic>
#include <cmath>

#include "engine/core/exact_sum.h"
#include "engine/core/fetch.h"
#include "engine/core/parallel.h"
#include "engine/core/vector4.h"
#include "engine/simulation/balance.h"
#include "engine/simulation/subsystems/bonds.h"
#include "engine/simulation/subsystems/contact_springs.h"
#include "engine/solver/problem/contact_response.h"

namespace scree {

StageTimes& StageTimes::operator+=(const StageTimes& o) {
  preparation += o.preparation;
  detection += o.detection;
  resolution += o.resolution;
  finish += o.finish;
  return *this;
}

namespace {

// The momentum that bodies gain is a difference: impulses below this share of the momenta
// are not significant, because ten of sixteen digits are lost.
constexpr double momentum_rounding = 1e-6;

// Number of contacts ahead whose other body is prefetched: it may be anywhere.
constexpr std::size_t fetch_ahead = 6;

// A share of an impact in the impulse that is below this limit is not visible in single precision.
constexpr double least_sudden = 2e-8;

/// The deepest of overlaps, over the smaller of two lengths, and its contact; of equal ones the first.
struct Deepest {
  double overlap = 0.0;
  std::size_t contact = 0;
  void take(const Deepest& o) {
    if (o.overlap > overlap || (o.overlap == overlap && o.overlap > 0.0 && o.contact < contact)) *this = o;
  }
};

/// Work of contacts or rows on the bodies (D1), J, and impulses of fixed bodies on them, N s,
/// N m s.
struct ContactBalance {
  double normal_work = 0.0, friction_work = 0.0, boundary_work = 0.0, joint_work = 0.0, cohesion_work = 0.0;
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();  // from boundaries and the ground
  Vec3 linear_of_sleepers = Vec3::Zero(),
       angular_of_sleepers = Vec3::Zero();                 // from fixed bodies
  double linear_size = 0.0, angular_size = 0.0;            // sums of magnitudes, of all
  std::int64_t active = 0, touching = 0, overlapping = 0;  // overlapping: only rigid ones
  double overlap_sum = 0.0;
  Deepest overlap, compression;  // of rigid contacts, of elastic ones

  static constexpr std::size_t sums = 20;  // see ExactSums
  template <class F>
  void each_sum(F&& f) {
    f(normal_work), f(friction_work), f(boundary_work), f(joint_work), f(cohesion_work);
    f(linear), f(angular), f(linear_of_sleepers), f(angular_of_sleepers);
    f(linear_size), f(angular_size), f(overlap_sum);
  }
  void join(const ContactBalance& o) {
    active += o.active;
    touching += o.touching;
    overlapping += o.overlapping;
    overlap.take(o.overlap);
    compression.take(o.compression);
  }
  /// Except for the contacts of the deepest, see deepest_of().
  void over_ranks(Ranks& ranks) {
    std::int64_t counts[] = {active, touching, overlapping};
    double largest[] = {overlap.overlap, compression.overlap};
    ranks.total(counts);
    ranks.most(largest);
    active = counts[0], touching = counts[1], overlapping = counts[2];
    overlap.overlap = largest[0], compression.overlap = largest[1];
  }
};

/// A touch with place and normal in the world, transformed to the wall at rest; of its images the one in the
/// cell.
SurfaceTouch at_rest(SurfaceTouch touch, const PlacedCell& cell, const PlacedBoundary& placed,
                     const Vec3& centre) {
  if (cell.is_periodic()) touch.point += cell.image_in_cell(touch.point);
  const Quat back = placed.pose.orientation.conjugate();
  touch.point = back * (touch.point - placed.pose.position) + centre;
  touch.normal = back * touch.normal;
  return touch;
}

/// Transfers impulses to the contacts and sums up their effects.
class Balance {
 public:
  Balance(const Model& model, State& state, Workspace& w)
      : contacts_(state.contacts.list.data()),
        bodies_(state.bodies),
        count_(state.bodies.size()),
        p_(w.problem),
        s_(w.solution),
        impact_(w.impact),
        attraction_(w.attraction),
        springs_(w.springs.empty() ? nullptr : w.springs.data()),
        terms_(w.problem.contact.data()),
        edges_(w.problem.edge.data()),
        resist_(w.resist.data()),
        response_(w.problem.response.data()),
        impulse_(w.solution.impulse.data()),
        before_(w.before.data()),
        after_(w.solution.velocity.data()),
        position_(state.bodies.position.data()),
        repeats_(w.cell.is_periodic()),
        flows_(!w.problem.image_velocity.empty()),
        large_(w.problem.contacts() * (sizeof(Contact) + sizeof(ContactTerms)) > own_cache_bytes),
        shared_(w.solution.impulse_on_b.empty()),
        carries_(!state.bodies.part.empty()),
        has_cells_(!model.wall_cells.empty()),
        impact_speed_(model.settings.restitution_threshold_m_s),
        part_places_(w.part_places),
        boundaries_(model.boundaries),
        placed_(w.detection.boundaries),
        cell_(w.cell),
        in_collision_(w.in_collision.data()) {}

  SCREE_INLINE void take_contacts(const Block& block, ContactBalance& sums, std::vector<BoundaryLoad>& loads,
                                  std::vector<SurfaceTouch>& touches) const {
    std::size_t row = p_.contact_rows > 0 ? p_.first_row(block.begin) : 0;
    for (std::size_t c = block.begin; c < block.end; ++c) {
      if (large_ && c + fetch_ahead < block.end) {
        const auto b = static_cast<std::size_t>(edges_[c + fetch_ahead].b);
        fetch(&before_[b], sizeof before_[b]);
        fetch(&after_[b], sizeof after_[b]);
        fetch(&response_[b], sizeof response_[b]);
      }
      Vector4 torque{};
      for (const std::size_t end = row + resist_[c]; row < end; ++row)
        torque += s_.row_impulse[row] * angular_a_of(p_.rows[row]);
      take_contact(c, torque, sums, loads, touches);
    }
  }

  /// A row of a joint or a bond with an image of b at this place and velocity (m, m/s): the cell's part as
  /// in add_image(). Rows of contacts are in their torques.
  void add_joint(std::size_t r, const ImageShift& image, ContactBalance& sums,
                 std::vector<PartLoad>& parts) const {
    const Row& row = p_.rows[r];
    const double impulse = s_.row_impulse[r];
    if (impulse == 0.0) return;
    const auto a = static_cast<std::size_t>(row.edge.a), b = static_cast<std::size_t>(row.edge.b);
    const auto mean = [&](std::size_t i) -> Twist {
      const Twist after = twist(s_.velocity[i]);
      return {0.5 * (before_[i].linear + after.linear), 0.5 * (before_[i].angular + after.angular)};
    };
    if (a >= bodies_.size()) return;  // between parts of a machine
    const Twist of_a = mean(a), of_b = b < bodies_.size() ? mean(b) : Twist{};
    const Vec3 push = impulse * row.linear;
    const double by_cell = push.dot(image.velocity);
    sums.joint_work += impulse * row_velocity(row, of_a, of_b) - by_cell;
    sums.boundary_work += by_cell;
    if (b >= count_ || response_[b].is_moved()) sums.angular += image.shift.cross(push);
    const Vec3 of_centre = bodies_.position[a].cross(push) + impulse * row.angular_a;
    sums.linear_size += push.norm();
    sums.angular_size += of_centre.norm();
    add_given(row.edge, Vector4{}, to_vector4(push), to_vector4(of_centre), sums);
    const auto add_to_part = [&](std::size_t body, const Twist& moves, double sign, const Vec3& moment) {
      if (body >= bodies_.size() || !bodies_.is_carried(body)) return;
      const auto m = static_cast<std::size_t>(bodies_.part[body]);
      const double work = -sign * (push.dot(moves.linear) + moment.dot(moves.angular));
      parts[m] += {sign * push,
                   sign * ((bodies_.position[body] - part_places_[m].centre).cross(push) + moment), work};
      sums.boundary_work += work;
    };
    add_to_part(a, of_a, 1.0, impulse * row.angular_a);
    add_to_part(b, of_b, -1.0, impulse * row.angular_b);
  }

 private:
  /// torque: of its rows, N m s, world axes.
  SCREE_INLINE void take_contact(std::size_t c, Vector4 torque, ContactBalance& sums,
                                 std::vector<BoundaryLoad>& loads, std::vector<SurfaceTouch>& touches) const {
    const ContactTerms& terms = terms_[c];
    Contact& contact = contacts_[c];
    const Edge edge = edges_[c];
    const auto body_a = static_cast<std::size_t>(edge.a), body_b = static_cast<std::size_t>(edge.b);
    const ContactSpring* const spring = springs_ == nullptr ? nullptr : springs_ + c;
    if (contact.gap < 0.0) {
      const double overlap = -contact.gap / double{contact.length};
      ++sums.touching;
      if (spring != nullptr && spring->law.coefficient > 0.0) {
        sums.compression.take({overlap, c});
      } else {
        ++sums.overlapping;
        sums.overlap_sum += overlap;
        sums.overlap.take({overlap, c});
      }
    }
    if (spring != nullptr) sums.normal_work += spring->stored();
    const double attraction = attraction_.empty() ? 0.0 : attraction_[c];
    double components[3] = {impulse_[c][0], impulse_[c][1], impulse_[c][2]};
    if (!impact_.empty())
      for (int k = 0; k < 3; ++k) components[k] += impact_[c][k];
    const double pressing = components[0];
    components[0] -= attraction;
    const Vector4 impulse = to_world(terms, components);
    contact.impulse = to_vec3f(impulse);
    contact.torque_impulse = to_vec3f(torque);
    contact.lasting =
        spring != nullptr && spring->acts ? 1.0f : static_cast<float>(lasting_part(c, pressing));

    const double squared = dot(impulse, impulse);
    if (squared == 0.0 && (shared_ || s_.impulse_on_b[c].isZero(0.0))) return;
    const Vector4 n = normal_of(terms);
    ++sums.active;
    mark(body_a);
    mark(body_b);
    const Motion a = doubled(body_a, arm_a_of(terms));
    Motion b = doubled(body_b, arm_b_of(terms));
    const Vector4 image = flows_ ? to_vector4(p_.image_velocity[c]) : Vector4{};
    if (flows_) b.velocity += 2.0 * image;
    Vector4 on_b = -impulse, torque_on_b = -torque;
    const Vector4 pulling = attraction * n, by_contact = impulse + pulling;
    if (attraction != 0.0) sums.cohesion_work -= 0.5 * dot(pulling, a.velocity - b.velocity);
    double rubbed = 0.0;  // J, dissipated by friction
    if (shared_) {
      rubbed = add_work(n, by_contact, torque, resist_[c] > 0, {a.velocity - b.velocity, a.spin - b.spin},
                        sums, spring != nullptr ? spring->stored_along() : 0.0);
    } else {
      on_b = to_vector4(p_.in_world(c, s_.impulse_on_b[c]));
      torque_on_b = to_vector4(torque_impulse(p_, c, s_.row_impulse_on_b));
      rubbed = add_work(n, by_contact, torque, true, a, sums);
      rubbed += add_work(n, on_b, torque_on_b, true, b, sums);
      on_b += pulling;
    }

    const Vector4 point = to_vector4(position_[body_a]) + arm_a_of(terms);
    if (repeats_ && body_b < count_) add_image(c, point, image, on_b, sums);
    sums.linear_size += std::sqrt(squared);
    sums.angular_size += std::sqrt(dot(point, point) * squared);
    if (resist_[c] > 0) sums.angular_size += std::sqrt(dot(torque, torque));
    add_given(edge, point, impulse, torque, sums);
    if (carries_ && bodies_.is_carried(body_a))
      sums.boundary_work += push_part(body_a, arm_a_of(terms), impulse, torque, a, loads);
    if (carries_ && body_b < count_ && bodies_.is_carried(body_b))
      sums.boundary_work +=
          push_part(body_b, arm_b_of(terms), on_b, torque_on_b, doubled(body_b, arm_b_of(terms)), loads);
    if (!is_boundary(contact.key.b)) return;
    BoundaryLoad& load = loads[boundary_of(contact.key.b)];
    add_load(c, on_b, torque_on_b, b, sums, load);
    const Vector4 slip = 0.5 * (a.velocity - b.velocity);
    const Vector4 across = impulse - dot(impulse, n) * n, along = slip - dot(slip, n) * n;
    SurfaceLoad surface;
    surface.pressing = std::max(0.0, pressing);
    surface.shearing = std::sqrt(dot(across, across));
    surface.friction_work = rubbed;
    const double by_spring = spring != nullptr ? spring->stored_along() : 0.0;
    surface.sliding =
        sliding(terms, n, along, surface.pressing, std::max(0.0, -dot(across, along) - by_spring));
    add_impact(c, pressing, 2.0 * dot(slip, n), surface);
    load.surface += surface;
    if (!has_cells_) return;
    const std::size_t k = boundary_of(contact.key.b);
    touches.push_back(at_rest({static_cast<std::int32_t>(k),
                               -1,
                               to_vec3(point),
                               contact.normal,
                               double{contact.length},
                               {to_vec3(on_b), surface}},
                              cell_, placed_[k], boundaries_[k].centre));
  }

  /// (W1): the sum of p_n |v_t| over the time in which the surfaces slide, J/friction; friction's work, J.
  SCREE_INLINE static double sliding(const ContactTerms& terms, Vector4 n, Vector4 along, double pressing,
                                     double work) {
    const double way = std::sqrt(dot(along, along));
    if (!(terms.friction > 0.0)) return pressing * way;
    const Vector4 t1 = first_tangent(terms);
    const double v1 = dot(along, t1), v2 = double{terms.tangent_ratio} * dot(along, cross(n, t1)),
                 scaled = std::sqrt(v1 * v1 + v2 * v2);
    return scaled > 0.0 ? work * way / (terms.friction * scaled) : 0.0;
  }

  /// (W2); `both`: the sum of the normal velocities before and after, m/s.
  SCREE_INLINE void add_impact(std::size_t c, double pressing, double both, SurfaceLoad& surface) const {
    const double approach = -double{p_.approach[c]}, after = both + approach;
    if (!(pressing > 0.0 && approach > impact_speed_)) return;
    if (after >= -impact_speed_) surface.impacts = 1.0;
    const double still = std::max(0.0, -after), leaving = std::max(0.0, after);
    const double of_body = 0.5 * (approach * approach - still * still) /
                           normal_response(terms_[c], edges_[c], response_),
                 taken = 0.5 * pressing * (approach + still) * approach / (approach + leaving);
    surface.impact_energy = std::max(0.0, std::min(of_body, taken));
  }

  /// The impulses (normal one p_n, including impacts) minus the share that stopped an impact, over the
  /// whole.
  SCREE_INLINE double lasting_part(std::size_t c, double p_n) const {
    const double lasting = impulse_[c][0], approach = std::min(0.0, double{p_.approach[c]});
    if (!(lasting > 0.0)) return 0.0;
    const BodyResponse &a = response_[edges_[c].a], &b = response_[edges_[c].b];
    const bool counts = -approach > least_sudden * lasting * (a.inverse_mass + b.inverse_mass);
    const double sudden = counts ? -approach / normal_response(terms_[c], edges_[c], response_) : 0.0;
    return std::max(0.0, lasting - sudden) / p_n;
  }

  /// Twice the mean velocity of a point of a body in the step.
  struct Motion {
    Vector4 velocity, spin;
  };
  SCREE_INLINE Motion doubled(std::size_t body, Vector4 arm) const {
    const Twist& before = before_[body];
    const BodyVelocity& after = after_[body];
    const Vector4 spin = angular_of(before) + load(after.angular);
    return {linear_of(before) + load(after.linear) + cross(spin, arm), spin};
  }

  /// (D1), world axes. `stored`: energy stored by a tangential spring, J, which is in the normal
  /// work so far. Returns the dissipation by friction, J.
  SCREE_INLINE double add_work(Vector4 n, Vector4 impulse, Vector4 torque, bool resists,
                               const Motion& doubled, ContactBalance& sums, double stored = 0.0) const {
    const double normal = dot(n, impulse) * dot(n, doubled.velocity) - 2.0 * stored;
    double along = dot(impulse, doubled.velocity) - dot(n, impulse) * dot(n, doubled.velocity) + 2.0 * stored;
    if (resists) along += dot(torque, doubled.spin);
    // Friction only dissipates: apparent gains, where slip reverses, are booked for the normal impulse.
    const double given = 0.5 * (along + std::abs(along));
    sums.normal_work += 0.5 * (normal + given);
    sums.friction_work += 0.5 * (along - given);
    return 0.5 * (given - along);
  }

  /// The impulse and moment (about the origin) that a fixed partner gives body a at a point.
  SCREE_INLINE void add_given(const Edge& edge, Vector4 point, Vector4 impulse, Vector4 torque,
                              ContactBalance& sums) const {
    const auto a = static_cast<std::size_t>(edge.a), b = static_cast<std::size_t>(edge.b);
    const bool a_moves = response_[a].is_moved(), b_moves = response_[b].is_moved();
    if (a_moves && b_moves && b < count_) return;
    if (!a_moves && b >= count_) return;  // from a part, which is no body
    const double sign = a_moves ? 1.0 : -1.0;
    const std::size_t giver = a_moves ? b : a;
    const bool from_sleeper = giver < count_ && bodies_.is_asleep(giver);
    (from_sleeper ? sums.linear_of_sleepers : sums.linear) += sign * to_vec3(impulse);
    (from_sleeper ? sums.angular_of_sleepers : sums.angular) +=
        sign * to_vec3(cross(point, impulse) + torque);
  }

  /// The cell's part if body b is an image: it transmits the impulse to the place of b, unless b is fixed,
  /// and its flow does work, because the image has another velocity than the body.
  SCREE_INLINE void add_image(std::size_t c, Vector4 point, Vector4 velocity, Vector4 on_b,
                              ContactBalance& sums) const {
    const Vector4 shift = point - arm_b_of(p_.contact[c]) - to_vector4(bodies_.position[p_.b(c)]);
    if (response_[p_.b(c)].is_moved()) sums.angular -= to_vec3(cross(shift, on_b));
    sums.boundary_work -= dot(velocity, on_b);
  }

  /// The load of a contact on a boundary. Its work is the bodies' gain: over the boundary's prescribed
  /// travel, or that of a part moved by forces.
  SCREE_INLINE void add_load(std::size_t c, Vector4 impulse, Vector4 torque, const Motion& doubled,
                             ContactBalance& sums, BoundaryLoad& load_of) const {
    const Vector4 moment = cross(to_vector4(contacts_[c].arm_b), impulse);
    const double work = -0.5 * (dot(impulse, doubled.velocity) + dot(torque, doubled.spin));
    load_of += {to_vec3(impulse), to_vec3(moment + torque), work};
    sums.boundary_work += work;
  }

  /// The load of a contact on a carried body, and so on its part. Returns the work, J.
  double push_part(std::size_t body, Vector4 arm, Vector4 impulse, Vector4 torque, const Motion& doubled,
                   std::vector<BoundaryLoad>& loads) const {
    const auto m = static_cast<std::size_t>(bodies_.part[body]);
    const Vector4 from_centre = to_vector4(bodies_.position[body]) + arm - to_vector4(part_places_[m].centre);
    const double work = -0.5 * (dot(impulse, doubled.velocity) + dot(torque, doubled.spin));
    loads[loads.size() - part_places_.size() + m] +=
        {to_vec3(impulse), to_vec3(cross(from_centre, impulse) + torque), work};
    return work;
  }

  /// Several threads may mark the same body.
  SCREE_INLINE void mark(std::size_t body) const {
    if (body >= count_) return;
    std::atomic_ref<std::uint8_t>(in_collision_[body]).store(1, std::memory_order_relaxed);
  }

  Contact* contacts_;
  const Bodies& bodies_;
  std::size_t count_;  // of bodies
  const ContactProblem& p_;
  const ContactSolution& s_;
  const std::vector<Vec3>& impact_;
  const std::vector<double>& attraction_;
  const ContactSpring* springs_;  // or null
  // Copies of the above, which all contacts read: the compiler does not know that they are constant.
  const ContactTerms* terms_;
  const Edge* edges_;
  const std::uint8_t* resist_;
  const BodyResponse* response_;
  const Vec3* impulse_;
  const Twist* before_;
  const BodyVelocity* after_;
  const Vec3* position_;
  bool repeats_, flows_, large_, shared_, carries_, has_cells_;
  double impact_speed_;  // m/s
  const std::vector<PartPlace>& part_places_;
  const Boundaries& boundaries_;
  const std::vector<PlacedBoundary>& placed_;
  const PlacedCell& cell_;
  std::uint8_t* in_collision_;
};

SCREE_FOR_EACH_TARGET
ContactBalance take_contacts(const Balance& of_step, const Block& block, std::vector<BoundaryLoad>& loads,
                             std::vector<SurfaceTouch>& touches) {
  ContactBalance sums;
  const Balance balance = of_step;  // a copy that no store can change
  balance.take_contacts(block, sums, loads, touches);
  return sums;
}

struct Gains {
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();  // momenta, from contacts
  double linear_size = 0.0, angular_size = 0.0;        // sums |m v| and |x| |m v|, after the step
  double force_work = 0.0;                             // J, from forces beyond constant gravity

  static constexpr std::size_t sums = 9;  // see ExactSums
  template <class F>
  void each_sum(F&& f) {
    f(linear), f(angular), f(linear_size), f(angular_size), f(force_work);
  }
  void join(const Gains&) {}
  void over_ranks(Ranks&) {}
};

// Not inlined: for some targets the compiler would use instructions that Valgrind does not know.

/// The mass against which other forces than drag act: (A7).
[[gnu::noinline]] double mass_beside_drag(const Workspace& w, std::size_t i) {
  return 1.0 / w.problem.response[i].inverse_mass;
}

/// The work of forces that change the velocity by `gain`, and of drag that answers the impulse `other`.
[[gnu::noinline]] double work_of_forces(const Bodies& bodies, const Workspace& w, std::size_t i,
                                        const Vec3& gain, const Vec3& other) {
  const double share = bodies.mass[i] / mass_beside_drag(w, i);
  const Vec3 sum = w.before[i].linear + twist(w.solution.velocity[i]).linear;
  return 0.5 * (bodies.mass[i] * gain - (1.0 - share) * other).dot(sum);
}

/// Impulses of contacts on bodies in h, as the rest of their momentum change, and the work of that, over
/// their travel (D1), without the part of `steady` gravity (m/s^2), which has a potential.
SCREE_FOR_EACH_TARGET
Gains sum_gains(const Bodies& bodies, const Workspace& w, double h, const Vec3& steady, const Block& block) {
  Gains sums;
  const bool works = !w.body_acceleration.empty() || w.gravity != steady;
  for (std::size_t i = block.begin; i < block.end; ++i) {
    if (!w.problem.is_moved(i)) continue;
    const BodyVelocity& after = w.solution.velocity[i];
    const Vector4 spin = load(after.angular) - to_vector4(w.before[i].angular);
    const Vec3 gain = h * acceleration(w, i);
    const Vector4 linear =
        mass_beside_drag(w, i) * (load(after.linear) - (to_vector4(w.before[i].linear) + to_vector4(gain)));
    if (works) sums.force_work += work_of_forces(bodies, w, i, gain - h * steady, to_vec3(linear));
    const Quat& q = bodies.orientation[i];
    Vector4 turning = turned_by(q, to_vector4(bodies.inertia[i]) * turned_back_by(q, spin));
    if (!w.own.empty() && !w.own[i].torque.isZero(0.0)) {
      const Vec3 twist = h * w.own[i].torque;
      turning = turning - to_vector4(twist);
      sums.force_work += 0.5 * twist.dot(w.before[i].angular + to_vec3(load(after.angular)));
    }
    sums.linear += to_vec3(linear);
    sums.angular += to_vec3(cross(to_vector4(bodies.position[i]), linear) + turning);
    const double size = bodies.mass[i] * to_vec3(load(after.linear)).norm();
    sums.linear_size += size;
    sums.angular_size += bodies.position[i].norm() * size;
  }
  return sums;
}

/// Sum of load k over blocks of contacts, without rounding between blocks.
BoundaryLoad sum_loads(const Workspace& w, std::size_t blocks, std::size_t k) {
  ExactSums<BoundaryLoad> sum;
  for (std::size_t block = 0; block < blocks; ++block) sum.add(w.loads[block][k]);
  sum_over(w.problem.ranks(), sum);
  return sum.value();
}

/// Adds the loads from blocks of contacts, and those of resting contacts, in a fixed order: to
/// boundaries, and, about its own centre, to the part that carries one.
void add_loads(const Model& model, const Workspace& w, std::size_t blocks, const RestingSums& resting,
               StepResult& result) {
  const std::size_t boundaries = result.boundaries.size();
  const auto add = [&](std::size_t k, const BoundaryLoad& load) {
    result.boundaries[k] += load;
    const std::int32_t part = model.boundaries[k].part;
    if (part < 0) return;
    const Vec3 arm = w.detection.boundaries[k].pose.position - w.part_places[part].centre;
    result.parts[part] += {load.impulse, load.angular_impulse + arm.cross(load.impulse), load.work};
  };
  for (std::size_t k = 0; k < boundaries; ++k) add(k, sum_loads(w, blocks, k));
  for (std::size_t m = 0; m < result.parts.size(); ++m)
    result.parts[m] += sum_loads(w, blocks, boundaries + m);
  for (std::size_t k = 0; k < resting.loads.size(); ++k) add(k, resting.loads[k]);
}

/// Adds the touches of blocks of contacts, and of resting ones, in a fixed order, with their cells.
void add_touches(const Model& model, const Bodies& bodies, const Workspace& w, std::size_t blocks,
                 Sleepers& sleepers, StepResult& result) {
  if (model.wall_cells.empty()) return;
  const std::size_t first = result.touches.size();
  for (std::size_t block = 0; block < blocks; ++block)
    result.touches.insert(result.touches.end(), w.touches[block].begin(), w.touches[block].end());
  locate(model, result.touches, first);
  // Those of all ranks, on each of them: in the order of contacts, so that cells get the same sums.
  const std::vector<SurfaceTouch> own(result.touches.begin() + static_cast<std::ptrdiff_t>(first),
                                      result.touches.end()),
      all = of_all(w.problem.ranks(), own);
  result.touches.resize(first);
  result.touches.insert(result.touches.end(), all.begin(), all.end());
  if (sleepers.sums.bodies > 0 && !sleepers.are_touches_known) {
    std::vector<SurfaceTouch> resting = resting_touches(bodies, sleepers);
    for (SurfaceTouch& touch : resting) {
      const auto k = static_cast<std::size_t>(touch.boundary);
      touch = at_rest(touch, w.cell, w.detection.boundaries[k], model.boundaries[k].centre);
    }
    locate(model, resting);
    sleepers.touches = of_all(w.problem.ranks(), resting);
    sleepers.are_touches_known = true;
  }
  if (sleepers.sums.bodies > 0)
    result.touches.insert(result.touches.end(), sleepers.touches.begin(), sleepers.touches.end());
}

/// Marks bodies that contacts of other ranks touch.
void mark_ghosts_contacts(Workspace& w) {
  const std::span<const std::int32_t> blocks = w.problem.blocks_elsewhere();
  if (blocks.empty()) return;
  for (auto c = static_cast<std::size_t>(blocks.front()); c < w.problem.contacts(); ++c) {
    Vec3 impulse = w.solution.impulse[c];
    if (!w.attraction.empty()) impulse[0] -= w.attraction[c];
    if (impulse.isZero(0.0)) continue;
    w.in_collision[w.problem.a(c)] = 1;
    if (w.problem.b(c) < w.in_collision.size()) w.in_collision[w.problem.b(c)] = 1;  // else a part
  }
}

Touch touch(const Bodies& bodies, const ContactKey& key) {
  Touch who;
  who.a = bodies.id[key.a];
  if (is_boundary(key.b))
    who.boundary = static_cast<std::int32_t>(boundary_of(key.b));
  else
    who.b = bodies.id[key.b];
  return who;
}

/// The bodies with the largest overlap, over all ranks' contacts; of equal ones the first in contact order.
Touch deepest_of(const Deepest& own, const State& state, const Workspace& w) {
  struct Overlap {
    double size;
    std::int64_t contact;
    Touch who;
    bool operator<(const Overlap& o) const { return size != o.size ? size < o.size : contact > o.contact; }
  };
  Overlap deepest{own.overlap, 0, {}};
  if (own.overlap > 0.0) deepest.who = touch(state.bodies, state.contacts[own.contact].key);
  Ranks* const ranks = w.problem.ranks();
  if (ranks == nullptr) return deepest.who;
  if (own.overlap > 0.0) deepest.contact = w.problem.share->contact[own.contact];
  const std::vector<Overlap> all = of_all(ranks, std::vector{deepest});
  return std::ranges::max_element(all, std::less<>{})->who;
}

/// The deepest overlap of the step's contacts, those of its earlier parts included, and of the resting ones.
void take_deepest(double overlap_max, const Touch& who, const State& state, StepReport& report) {
  const RestingSums& resting = state.sleepers.sums;
  const bool rests = resting.overlap_max > overlap_max;
  const double overlap = rests ? resting.overlap_max : overlap_max;
  if (!(overlap > report.penetration_max)) return;
  report.penetration_max = overlap;
  report.deepest = rests ? resting.deepest : who;
}

}  // namespace

void take_impulses(const Model& model, double h, Workspace& w, State& state, StepResult& result) {
  const Bodies& bodies = state.bodies;
  const RestingSums& resting = state.sleepers.sums;
  const std::int64_t contacts =
      w.problem.share == nullptr ? std::ssize(state.contacts.list) : w.problem.share->contacts;
  const std::span<const std::int32_t> contact_blocks = w.problem.blocks_at_home();
  const std::size_t blocks = contact_blocks.size() - 1;
  w.in_collision.assign(bodies.size(), 0);
  if (!bodies.asleep.empty()) w.in_collision = bodies.asleep;  // no body falls asleep without a contact
  if (w.loads.size() < blocks) w.loads.resize(blocks);
  if (w.touches.size() < blocks) w.touches.resize(blocks);
  const Balance balance(model, state, w);
  ExactSums<ContactBalance> sum;
  add_ranges(
      contact_blocks,
      [&](const Block& block) {
        w.loads[block.index].assign(model.boundaries.size() + model.parts.size(), {});
        w.touches[block.index].clear();
        return take_contacts(balance, block, w.loads[block.index], w.touches[block.index]);
      },
      sum);
  mark_ghosts_contacts(w);
  const Touch deepest = deepest_of(sum.joined().overlap, state, w),
              compressed = !w.has_springs ? Touch{} : deepest_of(sum.joined().compression, state, w);
  sum_over(w.problem.ranks(), sum);
  const std::array<std::int32_t, 2> at_once{0, static_cast<std::int32_t>(w.bonds.size())};
  add_ranges(  // every rank has all bonds; loads on parts are added up by one thread
      result.parts.empty() ? even_blocks(w.bonds.size()) : std::span<const std::int32_t>(at_once),
      [&](const Block& block) {
        ContactBalance of_bonds;
        for (std::size_t k = block.begin; k < block.end; ++k) {
          const BondPlace& bond = w.bonds[k];
          for (int i = 0; i < rows_of_bond && bond.row >= 0; ++i)
            balance.add_joint(static_cast<std::size_t>(bond.row + i), {bond.shift, bond.image_velocity},
                              of_bonds, result.parts);
        }
        return of_bonds;
      },
      sum);
  ContactBalance given = sum.value();
  std::size_t first_of_joints = w.problem.first_block_row();  // few bonds are in the block too
  for (const BondPlace& bond : w.bonds)
    if (bond.row >= 0)
      first_of_joints = std::max(first_of_joints, static_cast<std::size_t>(bond.row + rows_of_bond));
  for (std::size_t row = first_of_joints; row < w.problem.rows.size(); ++row)
    balance.add_joint(row, {Vec3::Zero(), Vec3::Zero()}, given, result.parts);
  add_loads(model, w, blocks, resting, result);
  add_touches(model, bodies, w, blocks, state.sleepers, result);
  StepReport& report = result.report;
  report.energy.dissipated_by_impact -= given.normal_work;
  report.energy.dissipated_by_friction -= given.friction_work;
  report.energy.boundary_work += given.boundary_work;
  report.energy.joint_work += given.joint_work;
  report.energy.force_work += given.cohesion_work;

  const Gains gained = sum_ranges<Gains>(bodies.blocks(), bodies.ranks, [&](const Block& block) {
    return sum_gains(bodies, w, h, model.settings.gravity, block);
  });
  report.energy.force_work += gained.force_work;
  report.boundary_impulse += given.linear + resting.boundary_impulse;
  report.boundary_angular_impulse += given.angular + resting.boundary_angular_impulse;
  const auto relative = [](double error, double size) { return size > 0.0 ? error / size : 0.0; };
  const bool any = given.linear_size > 0.0;
  const double linear_size = any ? given.linear_size + momentum_rounding * gained.linear_size : 0.0,
               angular_size = any ? given.angular_size + momentum_rounding * gained.angular_size : 0.0;
  const Vec3 linear = given.linear + given.linear_of_sleepers,
             angular = given.angular + given.angular_of_sleepers;
  report.momentum_error_relative =
      std::max(report.momentum_error_relative, relative((gained.linear - linear).norm(), linear_size));
  report.angular_momentum_error_relative = std::max(
      report.angular_momentum_error_relative, relative((gained.angular - angular).norm(), angular_size));
  report.impulse_size_N_s += linear_size;
  report.angular_impulse_size_N_m_s += angular_size;
  report.momentum_size_kg_m_s = gained.linear_size;

  report.contacts = contacts + resting.contacts;
  report.active_contacts = given.active + resting.active;
  const auto own_end = bodies.ranks == nullptr ? w.in_collision.end()
                                               : w.in_collision.begin() + bodies.subdomains.own_bodies();
  report.bodies_in_collision = total(bodies.ranks, std::count(w.in_collision.begin(), own_end, 1));
  report.touching = given.touching + resting.touching;
  take_deepest(given.overlap.overlap, deepest, state, report);
  if (given.compression.overlap > report.compression_max) {
    report.compression_max = given.compression.overlap;
    report.compressed = compressed;
  }
  const std::int64_t overlapping = given.overlapping + resting.touching;
  report.penetration_mean =
      overlapping > 0 ? (given.overlap_sum + resting.overlap_sum) / static_cast<double>(overlapping) : 0.0;
}

void add_step(EnergyLedger& sum, const EnergyLedger& step) {
  for (const LedgerEntry& entry : ledger_entries) {
    double& value = sum.*entry.value;
    value = entry.is_flow ? value + step.*entry.value : step.*entry.value;
  }
}

}  // namespace scree
