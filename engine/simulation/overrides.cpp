#include "engine/simulation/overrides.h"

#include <algorithm>

#include "engine/simulation/subsystems/parts.h"
#include "engine/simulation/subsystems/sleep.h"

namespace scree {

namespace {

MotionClock& clock_of_inlet(const Model& model, std::size_t inlet, State& state) {
  state.overrides.inlets.resize(model.inlets.size());
  return state.overrides.inlets[inlet];
}

}  // namespace

void remove_boundary(const Model& model, std::size_t boundary, State& state) {
  state.overrides.removed.resize(model.boundaries.size());
  state.overrides.removed[boundary] = 1;
  std::vector<std::uint8_t> held(state.bodies.size(), 0);
  for (const Contact& c : state.sleepers.contacts)
    if (is_boundary(c.key.b) && boundary_of(c.key.b) == boundary) held[c.key.a] = 1;
  wake_neighbours(held, state);
}

void start_motion(const Model& model, std::size_t part, State& state) {
  start_parts(model.parts, state);
  state.parts[part].clock.start(state.time_s);
}

void stop_motion(const Model& model, std::size_t part, State& state) {
  start_parts(model.parts, state);
  state.parts[part].clock.stop(state.time_s);
}

void release_part(const Model& model, std::size_t part, State& state) {
  start_parts(model.parts, state);
  state.parts[part].locked = false;
}

void lock_part(const Model& model, std::size_t part, State& state) {
  start_parts(model.parts, state);
  state.parts[part].locked = true;
  state.parts[part].rate = 0.0;
  state.parts[part].twist = {};
}

void release_bodies(std::size_t part, State& state) {
  Bodies& bodies = state.bodies;
  std::ranges::replace(bodies.part, static_cast<std::int32_t>(part), Bodies::no_part);
  if (std::ranges::any_of(bodies.part, [](std::int32_t p) { return p != Bodies::no_part; })) return;
  bodies.part.clear();
  bodies.rest.clear();
}

void start_inlet(const Model& model, std::size_t inlet, State& state) {
  clock_of_inlet(model, inlet, state).start(state.time_s);
}

void stop_inlet(const Model& model, std::size_t inlet, State& state) {
  clock_of_inlet(model, inlet, state).stop(state.time_s);
}

void let_inlet_wait(const Model& model, std::size_t inlet, State& state) {
  clock_of_inlet(model, inlet, state) = {.runs = false, .reading_s = 0.0, .delay_s = 0.0};
}

void change_material(MaterialIndex from, MaterialIndex to, State& state) {
  std::ranges::replace(state.bodies.material, from, to);
  wake_neighbours(std::vector<std::uint8_t>(state.bodies.size(), 1), state);
}

void form_bonds(const Model& model, std::size_t law, State& state) {
  state.overrides.bonds.resize(model.bonds.size(), BondStage::waiting);
  state.overrides.bonds[law] = BondStage::due;
}

void set_gravity(const Vec3& gravity, State& state) {
  state.overrides.gravity = gravity;
  wake_neighbours(std::vector<std::uint8_t>(state.bodies.size(), 1), state);
}

}  // namespace scree
