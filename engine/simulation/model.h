// The model, which is constant, and the state, which a restart needs.
#pragma once

#include <optional>
#include <string>

#include "engine/bodies/bodies.h"
#include "engine/bodies/bond.h"
#include "engine/bodies/boundaries.h"
#include "engine/bodies/cell.h"
#include "engine/bodies/materials.h"
#include "engine/bodies/part.h"
#include "engine/detection/contacts.h"
#include "engine/geometry/shapes.h"
#include "engine/simulation/settings.h"
#include "engine/simulation/subsystems/forces.h"
#include "engine/simulation/subsystems/machine_joint.h"
#include "engine/simulation/subsystems/openings.h"
#include "engine/simulation/subsystems/sleepers.h"
#include "engine/simulation/subsystems/wall_cells.h"

namespace scree {

/// Constant during a run.
struct Model {
  Settings settings;
  Shapes shapes;
  Materials materials;
  Boundaries boundaries;
  std::vector<Part> parts;
  std::vector<MachineJoint> joints;
  std::vector<Actuator> actuators;
  std::vector<BondLaw> bonds;
  std::vector<Inlet> inlets;
  std::vector<Outlet> outlets;
  Domain domain;
  PeriodicCell cell;
  Forces forces;
  std::vector<WallCells> wall_cells;  // [boundary]; empty: no wall cells

  /// The part that carries a boundary; null if it is fixed.
  const Part* carrier(std::size_t boundary) const {
    const std::int32_t part = boundaries[boundary].part;
    return part < 0 ? nullptr : &parts[part];
  }
  /// Does a boundary move?
  bool moves(std::size_t boundary) const {
    const Part* const part = carrier(boundary);
    return part != nullptr && part->moves();
  }
  /// Do neither the boundary nor its surface move?
  bool is_still(std::size_t boundary) const {
    return !moves(boundary) && boundaries[boundary].surface_velocity.isZero(0.0);
  }
  bool any_boundary_moves() const {
    for (std::size_t k = 0; k < boundaries.size(); ++k)
      if (moves(k)) return true;
    return false;
  }
};

/// Memory of step lengths; all 0 before the first step.
struct StepMemory {
  double last_s = 0.0;                      // length of the last step: impulses belong to it
  double next_s = 0.0, after_next_s = 0.0;  // wanted: next two steps (adaptive), or first interval (0: any)
  double overlap = 0.0;                     // adaptive: penetration_max of the last step
  double elastic = 0.0;                     // J, of bonds and contacts after the last step
};

/// Past of an event's condition (engine/run/events.h).
struct EventMemory {
  bool armed = false;  // was the value on the other side of the threshold since the last time?
  double last = 0.0, last_s = -infinity;  // value and time at the end of the last step
  double since_s = infinity;              // when the value crossed the threshold, while it stays beyond it
  std::int64_t count = 0;                 // number of times that it happened
};

/// Whether bonds of one kind have formed.
enum class BondStage : std::uint8_t { waiting, due, formed };

/// Changes of a model by events, and the events' memory. Empty or 0: as in the model or the scene.
struct Overrides {
  std::optional<Vec3> gravity;                         // m/s^2, from the event on
  std::vector<std::uint8_t> removed;                   // [boundary] has it been removed?
  std::vector<EventMemory> events;                     // [event]
  std::vector<BondStage> bonds;                        // [kind of bonds]
  std::vector<MotionClock> inlets;                     // [inlet] clock of its times
  double frames_from_s = 0.0, frame_interval_s = 0.0;  // frames follow at this interval from this time on
};

/// Memory of an elastic contact from the last step.
struct SpringMemory {
  ContactKey key;
  Vec3f normal = Vec3f::Zero(), point = Vec3f::Zero();  // as the contact's normal and arm_a
  Vec3f force = Vec3f::Zero();        // N, world, on body a, tangential: at the end of the step
  float tangential_stiffness = 0.0f;  // N/m
  bool is_passed_on = false;          // in this interval, see pass_springs_on()
  double normal_energy = 0.0, tangential_energy = 0.0;  // J
  double coefficient = 0.0;                             // N/m^n, of the law of the normal force
  double theta = 0.0;                                   // its implicitness
  double free_overlap = 0.0;                            // m, overlap without force, see ContactSpring
};

/// All data that a restart needs: a run continued from a copy has the same bits as one without a stop.
struct State {
  std::int64_t step = 0;  // steps done
  double time_s = 0.0;
  Bodies bodies;
  Contacts contacts;                     // of the last step; initial values of the next one
  NormalCache cached_normals;            // normals of near pairs of ellipsoids
  std::vector<CachedPair> cached;        // of other pairs, ordered by key
  Sleepers sleepers;                     // empty while no body sleeps
  std::vector<JointState> joints;        // [joint]; empty before the first step
  std::vector<ActuatorState> actuators;  // [actuator]; likewise
  std::vector<Bond> bonds;
  std::vector<PartState> parts;       // [part]; empty before the first step: as in the model
  std::vector<SpringMemory> springs;  // ordered by key
  StepMemory memory;
  CellState cell;                   // of a cell that holds stresses
  Mat3 flow = Mat3::Zero();         // 1/s, mean rate of the cell's flows in the last step, as in velocities
  std::vector<Throughput> entered;  // [inlet]
  std::vector<Throughput> left;  // [outlet], and last the domain's boundary; both empty before the first step
  Overrides overrides;
  std::vector<CellLoad> wall_cells;  // [cell of all boundaries] since the start
};

/// The cell at a time after the state's, in the same step; its rate is that of the bodies.
inline PlacedCell cell_at(const Model& model, const State& state, double time_s) {
  return model.cell.in_step(time_s, state.time_s, state.flow, state.cell);
}

/// Gravity at a time, m/s^2.
inline Vec3 gravity_at(const Model& model, const State& state, double time_s) {
  if (state.overrides.gravity) return *state.overrides.gravity;
  return model.forces.gravity ? model.forces.gravity(time_s) : model.settings.gravity;
}

}  // namespace scree
