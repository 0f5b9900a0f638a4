// Who sleeps, and what holds the sleepers.
#pragma once

#include "engine/core/types.h"
#include "engine/detection/contacts.h"
#include "engine/simulation/subsystems/wall_cells.h"

namespace scree {

class Ranks;  // engine/core/ranks.h

/// What contacts do to a boundary, or what a boundary gave the bodies with the opposite sign.
struct BoundaryLoad {
  Vec3 impulse = Vec3::Zero();          // N s, on the boundary
  Vec3 angular_impulse = Vec3::Zero();  // N m s, on the boundary, about its centre
  double work = 0.0;                    // J, done by the boundary on the bodies
  SurfaceLoad surface{};
  BoundaryLoad& operator+=(const BoundaryLoad& o) {
    impulse += o.impulse;
    angular_impulse += o.angular_impulse;
    work += o.work;
    surface += o.surface;
    return *this;
  }

  static constexpr std::size_t sums = 13;  // see ExactSums
  template <class F>
  void each_sum(F&& f) {
    f(impulse), f(angular_impulse), f(work), f(surface.pressing), f(surface.shearing);
    f(surface.friction_work), f(surface.sliding), f(surface.impacts), f(surface.impact_energy);
  }
  void join(const BoundaryLoad&) {}
  void over_ranks(Ranks&) {}
};

/// What resting contacts add up to.
struct RestingSums {
  std::int64_t contacts = 0, active = 0, touching = 0, bodies = 0;  // bodies: asleep
  double overlap_sum = 0.0, overlap_max = 0.0;                      // over the length
  std::size_t deepest = 0;                                          // resting contact of overlap_max
  Vec3 boundary_impulse = Vec3::Zero();                             // N s a (sub)step, from boundaries
  Vec3 boundary_angular_impulse = Vec3::Zero();                     // N m s, about the origin
  std::vector<BoundaryLoad> loads;  // [boundary] a (sub)step; as many as have resting contacts
  std::vector<SurfaceTouch>
      touches;  // one a contact with a boundary; points in the world while the cell is not looked for
};

struct Sleepers {
  std::vector<std::uint32_t> still;  // [body] for how many steps, or least_time_step_s if they are adaptive,
                                     // it has been still; empty until one was
  /// Contacts of two sleepers, or of a sleeper and a boundary, as they were when both came to rest; ordered
  /// by key.
  std::vector<Contact> contacts;
  // What follows from the contacts, see hold_sleepers().
  std::vector<Twist> held;  // [body] impulse (linear, N s) and moment about the centre (angular, N m s)
  RestingSums sums;
};

}  // namespace scree
