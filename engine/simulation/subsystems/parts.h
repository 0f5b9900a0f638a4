// How parts move, with all that they carry: as it is prescribed, by their forces, and by what touches them.
#pragma once

#include "engine/simulation/diagnostics.h"
#include "engine/simulation/workspace.h"

namespace scree {

/// Puts parts where they are before the first step, unless they are somewhere.
void start_parts(const std::vector<Part>& parts, State& state);

/// Lets a part carry a body from where it is now, which is its place while the part has not moved it. For
/// initial states; of parts that forces do not move.
void carry_body(std::int32_t part, std::size_t body, State& state);

/// What has become of the boundaries, [boundary]; empty where all stand as the model has them.
std::vector<BoundaryPose> boundary_poses(const Model& model, const State& state);
void boundary_poses(const Model& model, const State& state, std::vector<BoundaryPose>& all);

/// Free way for a time, s: travel along the rates, and of free parts as bodies drift.
void drift_parts(const Model& model, double dt_s, State& state);
/// Fills workspace.part_places, and puts carried bodies where their parts have them at a time within a
/// (sub)step of h that begins at `begin_s`, with the constant velocities that take them through it.
void carry_bodies(const Model& model, double time_s, double begin_s, double h, State& state,
                  Workspace& workspace);
/// J: of carried bodies alone. What it changes by is the work of their parts.
double energy_of_carried(const Bodies& bodies, const Vec3& gravity);

/// Fills workspace.parts and workspace.boundary_pose for a (sub)step of h about its middle, from parts as
/// they are and workspace.gravity. Damping acts with the rate at the end of the step: r stands for M r0 + h F
/// over M + h c, and impulses are answered by 1 / (M + h c). (A8)
void apply_part_forces(const Model& model, const State& state, double h, double middle_s,
                       Workspace& workspace);

/// How many parts forces move: so many bodies of the problem are parts.
std::size_t driven_parts(const Model& model);
/// These bodies of the problem, from `first` on: one a part, whatever number of contacts it has. What is
/// prescribed to it is its velocity too. Free velocities are those before forces act.
void enter_parts(const Model& model, const State& state, std::size_t first, Workspace& workspace);
/// Adds what forces give parts in the step to the problem's free velocities.
void push_parts(Workspace& workspace);
/// The rows of stops.
void add_stops(const Model& model, const State& state, double h, Workspace& workspace);

/// What the forces on parts give bodies and parts in h as one mass, m/s: as much as a gravity would that
/// makes them weigh so much. It is part of what residuals are compared with (A4).
double part_speed(const Model& model, const Bodies& bodies, double h, const Workspace& workspace);

/// From the workspace's solution: rates, the correction of overlaps, and what forces did in the step.
void take_parts(const Model& model, double h, const Workspace& workspace, State& state, StepResult& result);

}  // namespace scree
