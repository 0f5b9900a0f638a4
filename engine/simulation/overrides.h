// Changes during a run: all of them are made here, between two steps, and stored in
// state.overrides, so that a copy of the state continues with the same bits.
#pragma once

#include "engine/simulation/model.h"

namespace scree {

/// Each change takes effect at the state's time.
void remove_boundary(const Model& model, std::size_t boundary, State& state);
/// The prescribed motion of a part continues from its clock's reading, or stops.
void start_motion(const Model& model, std::size_t part, State& state);
void stop_motion(const Model& model, std::size_t part, State& state);
/// Forces move the part from then on, or no longer; its momentum and energy from forces are lost.
void release_part(const Model& model, std::size_t part, State& state);
void lock_part(const Model& model, std::size_t part, State& state);
/// The carried bodies become free, with their present velocities.
void release_bodies(std::size_t part, State& state);
/// Its rate continues where it stopped or, for a waiting inlet, starts; or no grains enter any longer.
void start_inlet(const Model& model, std::size_t inlet, State& state);
void stop_inlet(const Model& model, std::size_t inlet, State& state);
/// Bodies of one material get another one; they keep their mass. All bodies wake.
void change_material(MaterialIndex from, MaterialIndex to, State& state);
/// Bonds of this kind form in the next step, unless they have formed.
void form_bonds(const Model& model, std::size_t law, State& state);
/// All bodies wake.
void set_gravity(const Vec3& gravity, State& state);

/// Makes an inlet wait until start_inlet(). For initial states.
void let_inlet_wait(const Model& model, std::size_t inlet, State& state);

}  // namespace scree
