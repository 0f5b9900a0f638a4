// Events of a scene while its run goes on.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/simulation/step.h"
#include "io/results/row_file.h"
#include "io/scene/scene.h"

namespace scree::io {

/// An event that happened at the end of a step.
struct Happening {
  std::int64_t step = 0;
  double time_s = 0.0;     // of its end
  double instant_s = 0.0;  // when the value was at the threshold, on a straight line through the step
  std::int64_t count = 1;  // how often it has happened
  std::optional<Twist> body_twist = {};  // of the body that the value is of, after the step
  Vec3 body_position = Vec3::Zero();
  std::size_t event = 0;  // of the scene
  double value = 0.0;
  bool stops = false;  // the run
};

/// Looks at the conditions before the first step: which values are on the near side of their thresholds.
void arm_events(const Scene& scene, State& state);

/// What happens at the end of a step, in the order of the scene, with all values as they were before the
/// first action. Actions change state.course, and what events remember stands there too: the same from a copy
/// of the state, and on any number of threads.
std::vector<Happening> take_events(const Scene& scene, const StepResult& result, State& state);

/// step() that, where steps are piecewise, ends at the first instant at which an event happens: the step is
/// taken anew as far as there, to 1e-13 of it. Elsewhere, and of events that have to hold for a while, the
/// same as step().
const StepReport& step_to_event(const Scene& scene, State& state, Workspace& workspace, StepResult& result,
                                double land_at_s);

/// events.csv: one row an event that happened. Members throw WriteError.
class EventTable {
 public:
  /// `at`: 0, or where to go on, as of RowFile.
  EventTable(const std::filesystem::path& path, const std::vector<Event>& events, std::int64_t at = 0);
  void append(const Happening& happening);
  std::int64_t sync() { return rows_.sync(); }
  void close() { rows_.close(); }

 private:
  const std::vector<Event>& events_;
  RowFile rows_;
};

/// "open: kinetic_energy_J fell to 9.9e-06: remove gate"
std::string event_text(const Event& event, double value);

}  // namespace scree::io
