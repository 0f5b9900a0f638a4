// Motion of parts and of all that they carry: prescribed, by forces, and by contacts.
#pragma once

#include "engine/simulation/diagnostics.h"
#include "engine/simulation/workspace.h"

namespace scree {

/// Sets the initial states of parts, unless there are states.
void start_parts(const std::vector<Part>& parts, State& state);

/// A part carries a body from its present place, which is its place before the part moves. For
/// initial states; for parts that forces do not move.
void carry_body(std::int32_t part, std::size_t body, State& state);
/// Moves a carried body to its place at time zero, and gives it the velocity at that time.
void begin_motion(const Part& part, std::size_t body, Bodies& bodies);

/// Poses of the boundaries, [boundary]; empty if all are as in the model.
std::vector<BoundaryPose> boundary_poses(const Model& model, const State& state);
void boundary_poses(const Model& model, const State& state, std::vector<BoundaryPose>& all);

/// Free motion for a time, s: travel along the rates; free parts drift as bodies do.
void drift_parts(const Model& model, double dt_s, State& state);
/// Fills workspace.part_places, and places carried bodies at a time within a
/// (sub)step of h that begins at `begin_s`, with the constant velocities that take them through it.
void carry_bodies(const Model& model, double time_s, double begin_s, double h, State& state,
                  Workspace& workspace);
/// J: of carried bodies only, on all ranks. Its change is work of their parts.
double energy_of_carried(const Model& model, const Bodies& bodies);

/// Fills workspace.parts and workspace.boundary_pose for a (sub)step of h about its middle, from the parts'
/// present states and workspace.gravity. Damping uses the rate at the end of the step: the free rate is
/// (M r0 + h F) / (M + h c), and the response to impulses is 1 / (M + h c). (A8)
void apply_part_forces(const Model& model, const State& state, double h, double middle_s,
                       Workspace& workspace);

/// Number of parts that forces move; each is a body of the problem.
std::size_t driven_parts(const Model& model);
/// Adds these bodies to the problem, from `first` on: one per part, for any number of contacts. The
/// prescribed motion contributes to their velocity. Free velocities are those before forces act.
void enter_parts(const Model& model, const State& state, std::size_t first, Workspace& workspace);
/// Adds the effect of forces on parts in the step to the problem's free velocities.
void push_parts(Workspace& workspace);
/// Adds the rows of stops.
void add_stops(const Model& model, const State& state, double h, Workspace& workspace);

/// Speed that forces on parts give bodies and parts in h as one mass, m/s: as a gravity of the same total
/// force would. It is a contribution to the reference of residuals (A4).
double part_speed(const Model& model, const Bodies& bodies, double h, const Workspace& workspace);

/// From the workspace's solution: rates, the correction of overlaps, and the effects of forces in the step.
void take_parts(const Model& model, double h, const Workspace& workspace, State& state, StepResult& result);

}  // namespace scree
