// How mounts move: along their axes, by their forces and by what their boundaries feel.
#pragma once

#include "engine/simulation/diagnostics.h"
#include "engine/simulation/workspace.h"

namespace scree {

/// Puts mounts where they are before the first step, unless they are somewhere.
void start_mounts(const std::vector<Mount>& mounts, State& state);

/// What has become of the boundaries, [boundary]; empty where all are as the model has them.
std::vector<BoundaryPose> boundary_poses(const Model& model, const State& state);
void boundary_poses(const Model& model, const State& state, std::vector<BoundaryPose>& all);

/// Free way for a time, s: travel along the rates, and of free mounts as bodies drift.
void drift_mounts(const Model& model, double dt_s, State& state);

/// Fills workspace.mounts and workspace.standing for a (sub)step of h about its middle, from mounts as they
/// are and workspace.gravity. Damping acts with the rate at the end of the step: r stands for M r0 + h F over
/// M + h c, and impulses are answered by 1 / (M + h c). (A8)
void apply_mount_forces(const Model& model, const State& state, double h, double middle_s,
                        Workspace& workspace);

/// The bodies [first, first + mounts) of the problem: one a mount, whatever number of contacts it has. What
/// is prescribed to the boundaries on it is its velocity too. Free velocities are those before forces act.
void enter_mounts(const Model& model, const State& state, std::size_t first, Workspace& workspace);
/// Adds what forces give mounts in the step to the problem's free velocities.
void push_mounts(Workspace& workspace);
/// The rows of stops.
void add_stops(const Model& model, const State& state, double h, Workspace& workspace);

/// What the forces on mounts give bodies and mounts in h as one mass, m/s: as much as a gravity would that
/// makes them weigh so much. It is part of what residuals are compared with (A4).
double mount_speed(const Model& model, const Bodies& bodies, double h, const Workspace& workspace);

/// From the workspace's solution: rates, the correction of overlaps, and what forces did in the step.
void take_mounts(const Model& model, double h, const Workspace& workspace, State& state, StepResult& result);

}  // namespace scree
