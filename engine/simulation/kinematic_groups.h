// Guides: what holds bodies where they are, or leads them along a prescribed way, however hard they are
// pushed.
#pragma once

#include "engine/simulation/model.h"
#include "engine/simulation/workspace.h"

namespace scree {

/// Lets a kinematic group lead a body from where it is now, which is its place while the kinematic group has
/// not moved it. For initial states.
void hold_body(std::int32_t kinematic_group, std::size_t body, State& state);

/// Puts led bodies where their kinematic groups have them at a time within a (sub)step of h that begins at
/// `begin_s`, with the constant velocities that take them through it.
void lead_bodies(const Model& model, double time_s, double begin_s, double h, State& state,
                 Workspace& workspace);

/// J: of led bodies alone. What it changes by is the work of their kinematic groups.
double energy_of_led(const Bodies& bodies, const Vec3& gravity);

}  // namespace scree
