// Events of a run: conditions on quantities, and the actions that follow.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/simulation/observables.h"
#include "engine/simulation/step.h"

namespace scree {

/// Holds while the value is not below the threshold (rising) or not above it.
struct Condition {
  std::string quantity;                          // its name for users: "force_z_N of floor"
  std::function<double(const Observed&)> value;  // the same on all ranks, which must all call it
  bool rising = true;
  bool both = false;  // does any crossing of the threshold count?
  double threshold = 0.0;
  double hold_s = 0.0;               // time for which it must hold before the event happens
  bool needs_crossing = true;        // must the value first be on the other side? If not, the holding
                                     // time restarts when another event happens
  std::optional<std::size_t> after;  // checked only after this event has happened
  std::optional<BodyId> body;        // the body of the value, if there is one
  std::optional<double> time_s;      // when it becomes true, if it depends on time alone
};

struct Actions {
  bool stop = false;                                                       // ends the run
  bool record = false;                                                     // only writes a row in events.csv
  std::vector<std::size_t> remove;                                         // boundaries
  std::vector<std::size_t> start_motion, stop_motion, release, lock;       // parts
  std::vector<std::size_t> release_bodies;                                 // bodies carried by these parts
  std::vector<std::size_t> form_bonds;                                     // kinds of bonds
  std::vector<std::size_t> start_inlet, stop_inlet;                        // inlets
  std::optional<std::pair<MaterialIndex, MaterialIndex>> change_material;  // from one to another
  std::optional<Vec3> gravity;                                             // m/s^2
  std::optional<double> output_interval_s;
  std::function<Vec3(double time_s, const Vec3& place, const Twist& before)> velocity;  // of the event's body
  std::string text;                                                                     // "remove gate; stop"
};

struct Event {
  std::string name;
  Condition condition;
  bool repeats = false;  // can it happen again at each new crossing of the threshold?
  Actions actions;
};

/// An event that happened at the end of a step.
struct Happening {
  std::int64_t step = 0;
  double time_s = 0.0;     // end of the step
  double instant_s = 0.0;  // when the value reached the threshold, interpolated linearly in the step
  std::int64_t count = 1;  // number of times it has happened
  std::optional<Twist> body_twist = {};  // of the body of the value, after the step
  Vec3 body_position = Vec3::Zero();
  std::size_t event = 0;  // index in the list
  double value = 0.0;
  bool stops = false;  // it ends the run
};

/// "open: kinetic_energy_J fell to 9.9e-06: remove gate"
std::string event_text(const Event& event, double value);

/// Checks the conditions before the first step: which values already meet their thresholds.
void arm_events(const Model& model, std::span<const Event> events, State& state);

/// The events at the end of a step, in the order of the list, with all values from before the
/// first action. Actions change state.overrides, which also stores the state of events: so a copy of the
/// state gives the same events, and so does any number of threads.
std::vector<Happening> take_events(const Model& model, std::span<const Event> events,
                                   const StepResult& result, State& state);

/// As step(), but a piecewise step ends at the first time at which an event happens: the step is repeated up
/// to there, to 1e-13 of it. For other steps, and for events with a holding time, it is the same as step().
const StepReport& step_to_event(const Model& model, std::span<const Event> events, State& state,
                                Workspace& workspace, StepResult& result, double land_at_s);

/// The next time after the state's, by more than `slack_s`, for which an event waits; infinity if none does.
double next_event_time(std::span<const Event> events, double time_s, double slack_s);

}  // namespace scree
