// How coarse a step was for what moved in it.
#pragma once

#include "engine/simulation/adaptive_step.h"
#include "engine/simulation/workspace.h"

namespace scree {

/// How far walls went in a step that has just been made, as its last detection placed them; keeps what is
/// more than `found`. Costs next to nothing where nothing is fast.
void look_at_walls(const Model& model, const StepPlan& plan, const State& state, const Workspace& w,
                   Coarseness& found);
/// How far bodies that are not round and touch something turn in a (sub)step of h that has been solved.
void look_at_turns(const Model& model, double h, const State& state, const Workspace& w, Coarseness& found);

/// What a boundary that moves as it is told does in a step from begin_s on; of points up to `radius_m` from
/// its centre.
struct WallWay {
  double travel_m = 0.0;  // by the even motion from its place at the start to that at the end; of a plane
                          // across it, and not what turns about its own axis
  double detour_m =
      0.0;  // how far it leaves that: bodies feel the even motion alone; seven times are looked at
};
WallWay wall_way(const Boundary& boundary, const BoundaryPose& boundary_pose, double begin_s, double h,
                 double radius_m);

/// From a boundary's centre to the farthest point of its surface, m; infinite of planes and hollow spheres.
double surface_radius(const BoundarySurface& surface, const Vec3& centre);

// What a step should keep, of the smallest length and rad, and what it must: beyond the first, results depend
// on the step; beyond the second they are of another problem.
inline constexpr double fair_travel = 0.5, most_travel = 2.0, fair_detour = 0.02, most_detour = 0.2,
                        fair_turn = 0.8, most_turn = 3.0;

}  // namespace scree
