// Coarseness of a step: whether it is too long for the motion in it.
#pragma once

#include "engine/simulation/adaptive_step.h"
#include "engine/simulation/workspace.h"

namespace scree {

/// Travel of walls in the step just made, as its last detection placed them; `found` keeps the
/// larger values. Costs almost nothing if nothing is fast.
void look_at_walls(const Model& model, const StepPlan& plan, const State& state, const Workspace& w,
                   Coarseness& found);
/// Rotation of non-round bodies in contact in a solved (sub)step of h.
void look_at_turns(const Model& model, double h, const State& state, const Workspace& w, Coarseness& found);

/// Motion of a boundary with prescribed motion in a step from begin_s on, for points within `radius_m` of
/// its centre.
struct WallWay {
  double travel_m = 0.0;  // by the uniform motion from the pose at the start to that at the end; for planes
                          // only along the normal, and without rotation about the axis of symmetry
  double detour_m =
      0.0;  // largest deviation from that motion, at seven times; bodies feel only the uniform motion
};
WallWay wall_way(const Boundary& boundary, const BoundaryPose& boundary_pose, double begin_s, double h,
                 double radius_m);

/// From a boundary's centre to the farthest point of its surface, m; infinite for planes and hollow spheres.
double surface_radius(const BoundarySurface& surface, const Vec3& centre);

// Limits of a step, over the smallest length and in rad. Beyond the fair ones, results depend on the step;
// beyond the most, they belong to another problem.
inline constexpr double fair_travel = 0.5, most_travel = 2.0, fair_detour = 0.02, most_detour = 0.2,
                        fair_turn = 0.8, most_turn = 3.0;

}  // namespace scree
