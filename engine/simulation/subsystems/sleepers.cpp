#include "engine/simulation/subsystems/sleepers.h"

#include <algorithm>

#include "engine/core/exact_sum.h"
#include "engine/core/parallel.h"
#include "engine/simulation/ranks/ghosts.h"

namespace scree {

namespace {

/// Sums over a rank's resting contacts, except for the loads of boundaries.
struct ContactSums {
  std::int64_t contacts = 0, active = 0, touching = 0, bodies = 0;
  double overlap = 0.0;
  Vec3 impulse = Vec3::Zero(), angular_impulse = Vec3::Zero();

  static constexpr std::size_t sums = 7;  // see ExactSums
  template <class F>
  void each_sum(F&& f) {
    f(overlap), f(impulse), f(angular_impulse);
  }
  void join(const ContactSums& o) {
    contacts += o.contacts;
    active += o.active;
    touching += o.touching;
    bodies += o.bodies;
  }
  void over_ranks(Ranks& ranks) {
    std::int64_t counts[] = {contacts, active, touching, bodies};
    ranks.total(counts);
    contacts = counts[0], active = counts[1], touching = counts[2], bodies = counts[3];
  }
};

void add_contact(const Contact& c, const Vec3& centre_a, ContactSums& sums) {
  ++sums.contacts;
  sums.active += c.is_active() ? 1 : 0;
  if (c.gap < 0.0) {
    ++sums.touching;
    sums.overlap += -c.gap / double{c.length};
  }
  if (!is_boundary(c.key.b)) return;
  const Vec3 impulse = c.impulse.cast<double>();
  sums.impulse += impulse;
  sums.angular_impulse += (centre_a + c.arm_a).cross(impulse) + c.torque_impulse.cast<double>();
}

/// The load of a resting contact on a wall's surface.
CellLoad load_of_resting(const Contact& c) {
  const Vec3 impulse = c.impulse.cast<double>();
  CellLoad load;
  load.impulse = -impulse;
  load.surface.pressing = std::max(0.0, impulse.dot(c.normal));
  load.surface.shearing = (impulse - impulse.dot(c.normal) * c.normal).norm();
  return load;
}

/// The deepest overlap, over the length.
struct Deepest {
  double overlap = 0.0;
  Touch who;
};

/// Adds up what contacts give each body: those of lower ranks come first in the order of contacts.
void hold_bodies(const Bodies& bodies, Sleepers& sleepers) {
  const auto own = static_cast<std::int32_t>(bodies.size());
  const auto load_on_b = [](const Contact& c) {
    return load_at(c.arm_b, -1.0, c.impulse.cast<double>(), c.torque_impulse.cast<double>());
  };
  sleepers.held.assign(bodies.size(), {Vec3::Zero(), Vec3::Zero()});
  if (sleepers.ghosts != nullptr) {
    std::vector<SentLoad> loads;
    for (const Contact& c : sleepers.contacts)
      if (c.key.b >= own) loads.push_back({c.key.b - own, load_on_b(c)});
    for (const SentLoad& l : to_owners(*bodies.ranks, *sleepers.ghosts, loads))
      add(l.load, sleepers.held[l.body]);
  }
  for (const Contact& c : sleepers.contacts) {
    add(load_at(c.arm_a, 1.0, c.impulse.cast<double>(), c.torque_impulse.cast<double>()),
        sleepers.held[c.key.a]);
    if (!is_boundary(c.key.b) && c.key.b < own) add(load_on_b(c), sleepers.held[c.key.b]);
  }
}

Deepest deepest_of(const Bodies& bodies, const Sleepers& sleepers) {
  std::vector<BodyId> with_ghosts;
  if (sleepers.ghosts != nullptr) {
    with_ghosts = bodies.id;
    append_of_ghosts(bodies.ranks, sleepers.ghosts, with_ghosts);
  }
  const std::vector<BodyId>& ids = sleepers.ghosts != nullptr ? with_ghosts : bodies.id;
  const Contact* contact = nullptr;
  Deepest deepest;
  for (const Contact& c : sleepers.contacts) {
    const double overlap = -c.gap / double{c.length};
    if (!(overlap > deepest.overlap)) continue;
    deepest.overlap = overlap;
    contact = &c;
  }
  if (contact != nullptr) {
    const ContactKey& key = contact->key;
    deepest.who.a = ids[key.a];
    if (is_boundary(key.b))
      deepest.who.boundary = static_cast<std::int32_t>(boundary_of(key.b));
    else
      deepest.who.b = ids[key.b];
  }
  const std::vector<Deepest> all = of_all(bodies.ranks, std::vector{deepest});
  return *std::ranges::max_element(all, {}, &Deepest::overlap);
}

/// Loads of boundaries, of all ranks.
std::vector<BoundaryLoad> loads_of(const Bodies& bodies, const std::vector<Contact>& contacts) {
  std::size_t boundaries = 0;
  for (const Contact& c : contacts)
    if (is_boundary(c.key.b)) boundaries = std::max(boundaries, boundary_of(c.key.b) + 1);
  boundaries = static_cast<std::size_t>(most(bodies.ranks, static_cast<double>(boundaries)));
  std::vector<ExactSums<BoundaryLoad>> sums(boundaries);
  for (const Contact& c : contacts) {
    if (!is_boundary(c.key.b)) continue;
    const CellLoad load = load_of_resting(c);
    const Twist moment = load_at(c.arm_b, -1.0, c.impulse.cast<double>(), c.torque_impulse.cast<double>());
    sums[boundary_of(c.key.b)].add({load.impulse, moment.angular, 0.0, load.surface});
  }
  std::vector<BoundaryLoad> loads;
  for (ExactSums<BoundaryLoad>& sum : sums) {
    sum_over(bodies.ranks, sum);
    loads.push_back(sum.value());
  }
  return loads;
}

}  // namespace

Twist load_at(const Vec3& arm, double sign, const Vec3& impulse, const Vec3& torque) {
  return {sign * impulse, sign * (arm.cross(impulse) + torque)};
}

void hold_sleepers(const Bodies& bodies, Sleepers& sleepers) {
  hold_bodies(bodies, sleepers);
  ExactSums<ContactSums> sum;
  sum.joined().bodies = std::count(bodies.asleep.begin(), bodies.asleep.end(), 1);
  for (std::size_t k = 0; k < sleepers.contacts.size();) {
    ContactSums of_body;  // as usual for one body, exactly over all
    for (const std::int32_t a = sleepers.contacts[k].key.a;
         k < sleepers.contacts.size() && sleepers.contacts[k].key.a == a; ++k)
      add_contact(sleepers.contacts[k], bodies.position[a], of_body);
    sum.add(of_body);
  }
  sum_over(bodies.ranks, sum);
  const ContactSums s = sum.value();
  const Deepest deepest = deepest_of(bodies, sleepers);
  sleepers.sums = {
      s.contacts,      s.active,    s.touching, s.bodies,          s.overlap,
      deepest.overlap, deepest.who, s.impulse,  s.angular_impulse, loads_of(bodies, sleepers.contacts)};
  sleepers.are_touches_known = false;
}

void scale_held(double factor, const Bodies& bodies, Sleepers& sleepers) {
  if (sleepers.sums.bodies == 0) return;
  for_each_index(sleepers.contacts.size(), grain_medium, [&](std::size_t c) {
    sleepers.contacts[c].impulse *= static_cast<float>(factor);
    sleepers.contacts[c].torque_impulse *= static_cast<float>(factor);
  });
  hold_sleepers(bodies, sleepers);
}

std::vector<SurfaceTouch> resting_touches(const Bodies& bodies, const Sleepers& sleepers) {
  std::vector<SurfaceTouch> touches;
  for (const Contact& c : sleepers.contacts)
    if (is_boundary(c.key.b))
      touches.push_back({static_cast<std::int32_t>(boundary_of(c.key.b)), -1,
                         bodies.position[c.key.a] + c.arm_a, c.normal, double{c.length}, load_of_resting(c)});
  return touches;
}

}  // namespace scree
