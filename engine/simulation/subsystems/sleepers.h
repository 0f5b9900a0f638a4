// Sleeping bodies, and the contacts that hold them.
#pragma once

#include "engine/core/types.h"
#include "engine/detection/contacts.h"
#include "engine/simulation/subsystems/wall_cells.h"

namespace scree {

struct Bodies;      // engine/bodies/bodies.h
struct GhostLists;  // engine/simulation/ranks/ghosts.h
class Ranks;        // engine/core/ranks.h

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

/// Sums over resting contacts, of all ranks.
struct RestingSums {
  std::int64_t contacts = 0, active = 0, touching = 0, bodies = 0;  // bodies: asleep
  double overlap_sum = 0.0, overlap_max = 0.0;                      // over the length
  Touch deepest;                                 // has overlap_max; of equal ones the first
  Vec3 boundary_impulse = Vec3::Zero();          // N s per (sub)step, from boundaries
  Vec3 boundary_angular_impulse = Vec3::Zero();  // N m s, about the origin
  std::vector<BoundaryLoad> loads;  // [boundary] per (sub)step; up to the last boundary with resting contacts
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
  /// With walls that have cells: the contacts with boundaries, of all ranks, if they are known.
  std::vector<SurfaceTouch> touches;
  bool are_touches_known = false;

  /// The bodies of other ranks that contacts of a rank touch; in lists over bodies they come after its own.
  /// Null: there are no other ranks.
  const GhostLists* ghosts = nullptr;
};

/// Computes the data that follow from the resting contacts. All ranks must call it.
void hold_sleepers(const Bodies& bodies, Sleepers& sleepers);
/// Scales the impulses of resting contacts if a step is `factor` times as long as the last one; likewise.
void scale_held(double factor, const Bodies& bodies, Sleepers& sleepers);
/// Contacts of a rank's sleeping bodies with boundaries; points and normals are in the world.
std::vector<SurfaceTouch> resting_touches(const Bodies& bodies, const Sleepers& sleepers);

/// An impulse (linear, N s) and a moment about a body's centre (angular, N m s) at a point at `arm` from it,
/// times `sign`.
Twist load_at(const Vec3& arm, double sign, const Vec3& impulse, const Vec3& torque);
inline void add(const Twist& load, Twist& sum) {
  sum.linear += load.linear;
  sum.angular += load.angular;
}

}  // namespace scree
