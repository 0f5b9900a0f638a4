// What is to happen in a run when something else has: conditions on recorded quantities, and actions.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/simulation/diagnostics.h"
#include "engine/simulation/model.h"

namespace scree::io {

/// What conditions look at: the end of a step.
struct StepView {
  const Model& model;
  const State& state;
  const StepReport& report;
  std::span<const BoundaryLoad> loads;             // [boundary]; empty before the first step
  std::span<const MountLoad> mounts;               // [mount]; likewise
  std::span<const JointLoad> joints;               // [joint]; likewise
  std::span<const BoundaryLoad> kinematic_groups;  // [kinematic group]; likewise
  const CellReport& cell;
};

/// Holds as long as the value is not below the threshold (rising) or not above it.
struct Condition {
  std::string quantity;  // as people call it: "force_z_N of floor"
  std::function<double(const StepView&)> value;
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
  std::vector<std::size_t> remove, start_motion, stop_motion;              // boundaries
  std::vector<std::size_t> release, lock;                                  // mounts
  std::vector<std::size_t> release_bodies;                                 // kinematic groups
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

}  // namespace scree::io
