// What is to happen in a run when something else has: conditions on quantities, and actions.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/simulation/observables.h"
#include "engine/simulation/step.h"

namespace scree {

/// Holds as long as the value is not below the threshold (rising) or not above it.
struct Condition {
  std::string quantity;  // as people call it: "force_z_N of floor"
  std::function<double(const Observed&)> value;
  bool rising = true;
  bool both = false;  // or does any crossing of the threshold count?
  double threshold = 0.0;
  double hold_s = 0.0;               // for how long it has to hold before the event happens
  bool needs_crossing = true;        // must the value have been on the other side before? If not, what else
                                     // happens lets the time of holding begin anew
  std::optional<std::size_t> after;  // looked at only once this event has happened
  std::optional<BodyId> body;        // that the value is of, if it is of one
  std::optional<double> time_s;      // when it comes to hold, if it looks at the time alone
};

struct Actions {
  bool stop = false;                                                       // the run
  bool record = false;                                                     // nothing but a row in events.csv
  std::vector<std::size_t> remove;                                         // boundaries
  std::vector<std::size_t> start_motion, stop_motion, release, lock;       // parts
  std::vector<std::size_t> release_bodies;                                 // of parts
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
  bool repeats = false;  // may it happen again, each time that the value crosses the threshold anew?
  Actions actions;
};

/// An event that happened at the end of a step.
struct Happening {
  std::int64_t step = 0;
  double time_s = 0.0;     // of its end
  double instant_s = 0.0;  // when the value was at the threshold, on a straight line through the step
  std::int64_t count = 1;  // how often it has happened
  std::optional<Twist> body_twist = {};  // of the body that the value is of, after the step
  Vec3 body_position = Vec3::Zero();
  std::size_t event = 0;  // of the list
  double value = 0.0;
  bool stops = false;  // the run
};

/// "open: kinetic_energy_J fell to 9.9e-06: remove gate"
std::string event_text(const Event& event, double value);

/// Looks at the conditions before the first step: which values are on the near side of their thresholds.
void arm_events(const Model& model, std::span<const Event> events, State& state);

/// What happens at the end of a step, in the order of the list, with all values as they were before the
/// first action. Actions change state.overrides, and what events remember stands there too: the same from a
/// copy of the state, and on any number of threads.
std::vector<Happening> take_events(const Model& model, std::span<const Event> events,
                                   const StepResult& result, State& state);

/// step() that, where steps are piecewise, ends at the first instant at which an event happens: the step is
/// taken anew as far as there, to 1e-13 of it. Elsewhere, and of events that have to hold for a while, the
/// same as step().
const StepReport& step_to_event(const Model& model, std::span<const Event> events, State& state,
                                Workspace& workspace, StepResult& result, double land_at_s);

/// The next time after the state's, by more than `slack_s`, that an event looks at; infinity if none does.
double next_event_time(std::span<const Event> events, double time_s, double slack_s);

}  // namespace scree
