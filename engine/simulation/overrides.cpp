#include "engine/simulation/overrides.h"

#include <algorithm>

#include "engine/simulation/mounts.h"
#include "engine/simulation/sleep.h"

namespace scree {

namespace {

BoundaryStatus& status(const Model& model, std::size_t boundary, State& state) {
  state.overrides.boundaries.resize(model.boundaries.size());
  return state.overrides.boundaries[boundary];
}

MotionClock& clock_of_inlet(const Model& model, std::size_t inlet, State& state) {
  state.overrides.inlets.resize(model.inlets.size());
  return state.overrides.inlets[inlet];
}

}  // namespace

void remove_boundary(const Model& model, std::size_t boundary, State& state) {
  status(model, boundary, state).removed = true;
  std::vector<std::uint8_t> held(state.bodies.size(), 0);
  for (const Contact& c : state.sleepers.contacts)
    if (is_boundary(c.key.b) && boundary_of(c.key.b) == boundary) held[c.key.a] = 1;
  wake_neighbours(held, state);
}

void start_motion(const Model& model, std::size_t boundary, State& state) {
  status(model, boundary, state).clock.start(state.time_s);
}

void stop_motion(const Model& model, std::size_t boundary, State& state) {
  status(model, boundary, state).clock.stop(state.time_s);
}

void release_mount(const Model& model, std::size_t mount, State& state) {
  start_mounts(model.mounts, state);
  state.mounts[mount].held = false;
}

void lock_mount(const Model& model, std::size_t mount, State& state) {
  start_mounts(model.mounts, state);
  state.mounts[mount].held = true;
  state.mounts[mount].rate = 0.0;
  state.mounts[mount].twist = {};
}

void release_bodies(std::size_t kinematic_group, State& state) {
  Bodies& bodies = state.bodies;
  std::ranges::replace(bodies.kinematic_group, static_cast<std::int32_t>(kinematic_group),
                       Bodies::no_kinematic_group);
  if (std::ranges::any_of(bodies.kinematic_group,
                          [](std::int32_t g) { return g != Bodies::no_kinematic_group; }))
    return;
  bodies.kinematic_group.clear();
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

void let_wait(const Model& model, std::size_t boundary, State& state) {
  status(model, boundary, state).clock = {.runs = false, .reading_s = 0.0, .delay_s = 0.0};
}

}  // namespace scree
