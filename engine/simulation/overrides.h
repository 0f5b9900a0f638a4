// What may be changed while a run goes on: all of it goes through here, between two steps, and stands in
// state.overrides, so that a copy of the state goes on with the same bits.
#pragma once

#include "engine/simulation/model.h"

namespace scree {

/// Each takes effect at the state's time.
void remove_boundary(const Model& model, std::size_t boundary, State& state);
/// The prescribed motion of a part goes on where it stands, or stays where it is.
void start_motion(const Model& model, std::size_t part, State& state);
void stop_motion(const Model& model, std::size_t part, State& state);
/// Forces move it from then on, or no more: what it has of momentum and energy by them is gone.
void release_part(const Model& model, std::size_t part, State& state);
void lock_part(const Model& model, std::size_t part, State& state);
/// The bodies that it carries go on by themselves, with the velocities they have.
void release_bodies(std::size_t part, State& state);
/// Its rate goes on where it stopped or, of one that waits, begins; or grains stop coming.
void start_inlet(const Model& model, std::size_t inlet, State& state);
void stop_inlet(const Model& model, std::size_t inlet, State& state);
/// Bodies of one material are of another from then on; they keep their mass. Everybody wakes.
void change_material(MaterialIndex from, MaterialIndex to, State& state);
/// Bonds of this kind form in the next step, wherever they have not.
void form_bonds(const Model& model, std::size_t law, State& state);
/// Everybody wakes.
void set_gravity(const Vec3& gravity, State& state);

/// Lets an inlet wait until start_inlet(). For initial states.
void let_inlet_wait(const Model& model, std::size_t inlet, State& state);

}  // namespace scree
