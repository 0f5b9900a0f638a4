// Events of a scene while its run goes on.
#pragma once

#include <span>
#include <vector>

#include "io/results/row_file.h"
#include "io/scene/scene.h"

namespace scree::io {

/// An event that happened at the end of a step.
struct Happening {
  std::int64_t step = 0;
  double time_s = 0.0;
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
