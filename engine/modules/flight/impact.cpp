#include "engine/modules/flight/impact.h"

#include <algorithm>
#include <cmath>

#include "engine/core/disjoint_sets.h"
#include "engine/core/frames.h"
#include "engine/solver/impacts.h"
#include "engine/solver/problem/contact_problem.h"
#include "engine/solver/sweeps/local_cone.h"

namespace scree {

namespace {

constexpr int most_sweeps = 10000;
constexpr double accuracy = 1e-14;  // of the fastest approach

struct Local {
  Mat3 frame, w;  // rows n, t1, t2; 1/kg
  double offset = 0.0;
  Vec3 impulse = Vec3::Zero();  // contact frame
};

Vec3 relative_velocity(const CollisionImpulse& s, std::span<const Struck> bodies) {
  const Twist& a = bodies[s.a].twist;
  Vec3 u = a.linear + a.angular.cross(s.arm_a);
  if (s.b == CollisionImpulse::wall) return u - s.wall_velocity;
  const Twist& b = bodies[s.b].twist;
  return u - b.linear - b.angular.cross(s.arm_b);
}

void push(Struck& body, const Vec3& arm, const Vec3& impulse) {
  body.twist.linear += body.inverse_mass * impulse;
  body.twist.angular += body.inverse_inertia * arm.cross(impulse);
}

void push(const CollisionImpulse& s, const Vec3& impulse, std::span<Struck> bodies) {
  push(bodies[s.a], s.arm_a, impulse);
  if (s.b != CollisionImpulse::wall) push(bodies[s.b], s.arm_b, -impulse);
}

Mat3 frame_of(const Vec3& n) {
  const auto [t1, t2] = tangents(n);
  Mat3 frame;
  frame << n.transpose(), t1.transpose(), t2.transpose();
  return frame;
}

/// For approaching contacts; `restitutes`: else they only stop.
void resolve_by_newton(std::span<CollisionImpulse> collision_impulses, std::span<Struck> bodies,
                       double threshold, bool restitutes) {
  std::vector<Local> local(collision_impulses.size());
  double fastest = 0.0;
  for (std::size_t c = 0; c < collision_impulses.size(); ++c) {
    const CollisionImpulse& s = collision_impulses[c];
    Local& l = local[c];
    l.frame = frame_of(s.normal);
    const Struck& a = bodies[s.a];
    l.w = delassus_share(l.frame, s.arm_a, a.inverse_mass, a.inverse_inertia);
    if (s.b != CollisionImpulse::wall) {
      const Struck& b = bodies[s.b];
      l.w += delassus_share(l.frame, s.arm_b, b.inverse_mass, b.inverse_inertia);
    }
    const double approach = -s.normal.dot(relative_velocity(s, bodies));
    fastest = std::max(fastest, approach);
    if (restitutes && approach > threshold) l.offset = -s.restitution * approach;
  }
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    double change = 0.0;
    for (std::size_t c = 0; c < collision_impulses.size(); ++c) {
      CollisionImpulse& s = collision_impulses[c];
      Local& l = local[c];
      Vec3 q = l.frame * relative_velocity(s, bodies) - l.w * l.impulse;
      q[0] += l.offset;
      const Vec3 p = s.friction > 0.0 ? solve_local_cone(l.w, q, s.friction)
                                      : Vec3(std::max(0.0, -q[0] / l.w(0, 0)), 0.0, 0.0);
      const Vec3 d = p - l.impulse;
      l.impulse = p;
      push(s, l.frame.transpose() * d, bodies);
      change = std::max(change, (l.w * d).norm());
    }
    if (collision_impulses.size() == 1 || change <= accuracy * fastest) break;
  }
  for (std::size_t c = 0; c < collision_impulses.size(); ++c)
    collision_impulses[c].impulse += local[c].frame.transpose() * local[c].impulse;
}

/// Impacts with tracked work; walls come after the bodies in the problem.
void resolve_by_energy(std::span<CollisionImpulse> collision_impulses, std::span<Struck> bodies,
                       double threshold) {
  ContactProblem p;
  p.resize(bodies.size() + collision_impulses.size(), collision_impulses.size(), true);
  std::vector<Twist> velocity(p.bodies());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    velocity[i] = bodies[i].twist;
    p.response[i].inverse_mass = bodies[i].inverse_mass;
    p.response[i].set_inverse_inertia(bodies[i].inverse_inertia);
  }
  for (std::size_t c = 0; c < collision_impulses.size(); ++c) {
    const CollisionImpulse& s = collision_impulses[c];
    const std::size_t fixed = bodies.size() + c;
    p.response[fixed] = BodyResponse{};
    velocity[fixed].linear = s.wall_velocity;
    p.edge[c] = {s.a, s.b == CollisionImpulse::wall ? static_cast<std::int32_t>(fixed) : s.b};
    p.contact[c] = ContactTerms{};
    p.contact[c].n = s.normal;
    p.contact[c].t1 = tangents(s.normal)[0];
    p.contact[c].arm_a = s.arm_a;
    p.contact[c].arm_b = s.b == CollisionImpulse::wall ? Vec3::Zero() : s.arm_b;
    p.contact[c].tangent_ratio = 1.0f;
    p.contact[c].friction = s.friction;
    p.restitution[c] = s.restitution;
    p.start_impulse[c] = Vec3f::Zero();
    p.approach[c] = 0.0f;
  }
  p.free_velocity = velocity;
  p.complete();
  std::vector<Vec3> impulse;
  std::vector<double> of_rows;  // there are none
  resolve_impacts(p, {.time_step_s = infinity, .threshold_m_s = threshold}, velocity, impulse, of_rows);
  for (std::size_t i = 0; i < bodies.size(); ++i) bodies[i].twist = velocity[i];
  for (std::size_t c = 0; c < collision_impulses.size(); ++c)
    collision_impulses[c].impulse += p.in_world(c, impulse[c]);
}

/// Work of all impulses with the mean of the velocities before, `before`, and after; J.
double work_of(std::span<const CollisionImpulse> collision_impulses, std::span<const Struck> bodies,
               const std::vector<Vec3>& before, double& size) {
  double work = 0.0;
  for (std::size_t c = 0; c < collision_impulses.size(); ++c) {
    const double of_before = 0.5 * collision_impulses[c].impulse.dot(before[c]),
                 of_after = 0.5 * collision_impulses[c].impulse.dot(
                                      relative_velocity(collision_impulses[c], bodies));
    work += of_before + of_after;
    size += std::abs(of_before) + std::abs(of_after);
  }
  return work;
}

/// Moves back towards the impulses without restitution while the total work is above zero (A13); `start`: the
/// bodies before. If two velocities differ by impulses p, their energies differ by a quadratic in p. So the
/// work is a quadratic polynomial of the share: known from three of its values.
void take_back_energy(std::span<CollisionImpulse> collision_impulses, std::span<Struck> bodies,
                      std::span<const Struck> start, const std::vector<Vec3>& before, double threshold) {
  constexpr double rounding = 1e-12;
  double size = 0.0;
  const double with = work_of(collision_impulses, bodies, before, size);
  if (!(with > rounding * size)) return;
  std::vector<CollisionImpulse> least(collision_impulses.begin(), collision_impulses.end());
  std::vector<Struck> stopped(start.begin(), start.end());
  for (CollisionImpulse& s : least) s.impulse.setZero();
  resolve_by_newton(least, stopped, threshold, false);
  const std::vector<CollisionImpulse> most(collision_impulses.begin(), collision_impulses.end());
  const std::vector<Struck> bounced(bodies.begin(), bodies.end());
  const auto go = [&](double share) {
    for (std::size_t c = 0; c < collision_impulses.size(); ++c)
      collision_impulses[c].impulse = least[c].impulse + share * (most[c].impulse - least[c].impulse);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const Twist &from = stopped[i].twist, &to = bounced[i].twist;
      bodies[i].twist = {from.linear + share * (to.linear - from.linear),
                         from.angular + share * (to.angular - from.angular)};
    }
    return work_of(collision_impulses, bodies, before, size);
  };
  const double without = go(0.0), half = go(0.5), square = 2.0 * (without + with) - 4.0 * half,
               slope = with - without - square;
  if (without >= 0.0 || square <= 0.0) {
    go(0.0);
    return;
  }
  const double root = std::sqrt(slope * slope - 4.0 * square * without);
  go(std::clamp(slope > 0.0 ? -2.0 * without / (slope + root) : (root - slope) / (2.0 * square), 0.0, 1.0));
}

void resolve_connected(std::span<CollisionImpulse> collision_impulses, std::span<Struck> bodies,
                       const BounceLaw& law) {
  std::vector<Vec3> before(collision_impulses.size());
  for (std::size_t c = 0; c < collision_impulses.size(); ++c) {
    before[c] = relative_velocity(collision_impulses[c], bodies);
    collision_impulses[c].approach = -collision_impulses[c].normal.dot(before[c]);
  }
  if (law.energetic) resolve_by_energy(collision_impulses, bodies, law.threshold_m_s);
  const std::vector<Struck> start(bodies.begin(), bodies.end());
  resolve_by_newton(collision_impulses, bodies, law.threshold_m_s, !law.energetic);
  if (law.dissipative) take_back_energy(collision_impulses, bodies, start, before, law.threshold_m_s);
  for (std::size_t c = 0; c < collision_impulses.size(); ++c) {
    CollisionImpulse& s = collision_impulses[c];
    const Vec3 after = relative_velocity(s, bodies), mean = 0.5 * (before[c] + after);
    s.departure = s.normal.dot(after);
    const double normal = s.impulse.dot(s.normal) * mean.dot(s.normal);
    s.bounced = -normal;
    s.rubbed = normal - s.impulse.dot(mean);
    if (s.b == CollisionImpulse::wall) s.wall_work = s.impulse.dot(s.wall_velocity);
  }
}

/// [body] the number of its set: bodies that impulses connect. Returns the number of sets.
std::int32_t connect(std::span<const CollisionImpulse> collision_impulses, std::vector<std::int32_t>& set) {
  DisjointSets connected(set.size());
  for (const CollisionImpulse& s : collision_impulses) {
    if (s.b == CollisionImpulse::wall) continue;
    connected.join(s.a, s.b);
  }
  std::int32_t sets = 0;
  for (std::size_t i = 0; i < set.size(); ++i) {
    const std::size_t first = connected.first_of(i);
    set[i] = first == i ? sets++ : set[first];
  }
  return sets;
}

}  // namespace

void resolve(std::span<CollisionImpulse> collision_impulses, std::span<Struck> bodies, const BounceLaw& law) {
  std::vector<std::int32_t> set(bodies.size());
  const std::int32_t sets = connect(collision_impulses, set);
  if (sets <= 1) return resolve_connected(collision_impulses, bodies, law);
  std::vector<std::int32_t> number(bodies.size());  // in its set
  for (std::int32_t k = 0; k < sets; ++k) {
    std::vector<std::size_t> own, contacts;
    std::vector<Struck> struck;
    std::vector<CollisionImpulse> impulses;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      if (set[i] != k) continue;
      number[i] = static_cast<std::int32_t>(own.size());
      own.push_back(i);
      struck.push_back(bodies[i]);
    }
    for (std::size_t c = 0; c < collision_impulses.size(); ++c) {
      if (set[collision_impulses[c].a] != k) continue;
      contacts.push_back(c);
      CollisionImpulse& s = impulses.emplace_back(collision_impulses[c]);
      s.a = number[s.a];
      if (s.b != CollisionImpulse::wall) s.b = number[s.b];
    }
    resolve_connected(impulses, struck, law);
    for (std::size_t i = 0; i < own.size(); ++i) bodies[own[i]] = struck[i];
    for (std::size_t c = 0; c < contacts.size(); ++c) {
      CollisionImpulse& s = collision_impulses[contacts[c]];
      const std::int32_t a = s.a, b = s.b;
      s = impulses[c];
      s.a = a;
      s.b = b;
    }
  }
}

}  // namespace scree
