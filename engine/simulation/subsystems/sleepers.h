// Sleeping bodies, and the contacts that hold them.
#pragma once

#include "engine/core/types.h"
#include "engine/detection/contacts.h"
#include "engine/simulation/subsystems/wall_cells.h"

namespace scree {

class Ranks;  // engine/core/ranks.h

/// Load of contacts on a boundary; the boundary acts on the bodies with the opposite sign.
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

/// Sums over resting contacts.
struct RestingSums {
  std::int64_t contacts = 0, active = 0, touching = 0, bodies = 0;  // bodies: asleep
  double overlap_sum = 0.0, overlap_max = 0.0;                      // over the length
  std::size_t deepest = 0;                                          // resting contact of overlap_max
  Vec3 boundary_impulse = Vec3::Zero();                             // N s per (sub)step, from boundaries
  Vec3 boundary_angular_impulse = Vec3::Zero();                     // N m s, about the origin
  std::vector<BoundaryLoad> loads;  // [boundary] per (sub)step; up to the last boundary with resting contacts
  std::vector<SurfaceTouch>
      touches;  // one per contact with a boundary; points in the world until the cell is located
};

struct Sleepers {
  std::vector<std::uint32_t> still;  // [body] number of steps, or of least_time_step_s if they are adaptive,
                                     // for which it has been still; empty until one was
  /// Contacts of two sleeping bodies, or of a sleeping body and a boundary, from the time at which both came
  /// to rest; ordered by key.
  std::vector<Contact> contacts;
  // Follows from the contacts, see hold_sleepers().
  std::vector<Twist> held;  // [body] impulse (linear, N s) and moment about the centre (angular, N m s)
  RestingSums sums;
};

}  // namespace scree
