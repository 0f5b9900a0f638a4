// Who sleeps, and what holds the sleepers.
#pragma once

#include "engine/core/types.h"
#include "engine/detection/contacts.h"

namespace scree {

/// A contact of two sleepers, or of a sleeper and a boundary, as it was when both came to rest.
struct RestingContact {
  ContactKey key;
  Vec3 point, normal;            // m, world; unit, from b to a
  double gap, length;            // m; gap negative where they overlap, length what overlaps are compared with
  Vec3 arm_a, arm_b;             // m, world axes, from the body's centre of mass to the contact
  Vec3 impulse, torque_impulse;  // N s and N m s a (sub)step, world axes, on body a
  bool is_active() const { return !impulse.isZero(0.0); }
};

/// What resting contacts add up to.
struct RestingSums {
  std::int64_t contacts = 0, active = 0, touching = 0, bodies = 0;  // bodies: asleep
  double overlap_sum = 0.0, overlap_max = 0.0;                      // over the length
  Vec3 boundary_impulse = Vec3::Zero();                             // N s a (sub)step, from boundaries
  Vec3 boundary_angular_impulse = Vec3::Zero();                     // N m s, about the origin
};

struct Sleepers {
  std::vector<std::uint32_t> still;      // [body] steps for which it has been still; empty until one was
  std::vector<RestingContact> contacts;  // ordered by key
  // What follows from the contacts, see hold_sleepers().
  std::vector<Twist> held;  // [body] impulse (linear, N s) and moment about the centre (angular, N m s)
  RestingSums sums;
};

}  // namespace scree
