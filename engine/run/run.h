// The run loop: steps that end at given times, events, reasons to stop, and observers.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/run/events.h"
#include "engine/simulation/step.h"

namespace scree {

/// Settings of a run other than those of its steps.
struct RunPlan {
  double start_s = 0.0;           // time of the first frame
  double frame_interval_s = 0.0;  // between frames; infinity: none
  double slack_s = 0.0;           // tolerance of the time at which a step should end
  std::vector<Event> events;
};

/// Time of the next frame, s.
double next_frame(const RunPlan& plan, const Overrides& overrides, double time_s);
/// Time of the next frame or time event, or `end_s` if that is earlier, s.
double next_landing(const RunPlan& plan, const State& state, double end_s);

/// The reason why a run has stopped.
enum class RunStop : std::uint8_t {
  none,         // it has not stopped
  end_time,     // it has reached the requested time
  event,        // an event has ended it
  interrupted,  // an observer has ended it
  failed        // see Run::failure()
};

/// Is called for each step of a run. Exceptions of members end the run; the state is then that after the
/// step.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  /// Before a step: may the run go on?
  virtual bool may_go_on() { return true; }
  /// After a step by ranks: do the following calls need bodies or contacts? If no observer needs them, the
  /// state has none.
  virtual bool wants_bodies(const State&) { return true; }
  /// After a successful step, before its events act.
  virtual void after_step(const StepResult&, const State&) {}
  /// After after_step() of a step by ranks, if bodies were wanted: observers of all ranks may share work.
  virtual void share_work(Ranks&) {}
  /// After each step, when its events have acted, if there were any.
  virtual void after_events(std::span<const Happening>, const StepResult&, const State&) {}
  /// The reason why the run cannot go on although the step succeeded; empty: it can.
  virtual std::string objection() { return {}; }
  /// If nothing has ended the run in that step.
  virtual void before_next(const State&) {}

 protected:
  RunObserver() = default;
  RunObserver(const RunObserver&) = default;
  RunObserver& operator=(const RunObserver&) = default;
};

/// Advances a state in time. Its arguments must outlive it.
class Run {
 public:
  /// Arms the plan's events if the state does not contain them yet.
  Run(const Model& model, const RunPlan& plan, State& state);

  /// The observer is called from now on, after those added before it.
  void observe(RunObserver& observer) { observers_.push_back(&observer); }

  /// From now on the run is one of several ranks, which all make the same calls. The state, so far complete
  /// on each rank, becomes the rank's part. Observers of rank 0 get the full state, others a state without
  /// bodies.
  void share(Ranks& ranks);

  /// One step. It ends at `end_s` at the latest if steps land (steps_land()).
  RunStop step(double end_s = infinity);
  /// Steps up to that time, within the plan's slack, or until something ends the run.
  RunStop until(double end_s);

  const State& state() const { return state_; }
  /// The state that observers saw last; without bodies if the state is a rank's part and no observer needed
  /// them.
  const State& seen() const { return state_.bodies.ranks == nullptr ? state_ : shown_; }
  /// The full state if ranks have parts: on rank 0, else unspecified. All ranks must call it.
  State collect();
  const StepResult& result() const { return result_; }  // of the last step
  const Workspace& workspace() const { return workspace_; }
  std::span<const Happening> happenings() const { return happenings_; }  // of the last step
  const StepFailure& failure() const { return result_.failure; }
  /// "step 12 at t = 0.1 s: ..."
  std::string failure_text() const;

 private:
  RunStop tell();
  const State& state_to_show(bool with_bodies);

  const Model& model_;
  const RunPlan& plan_;
  State& state_;
  State shown_;  // for observers, if the state is a rank's part
  Workspace workspace_;
  StepResult result_;
  std::vector<Happening> happenings_;
  std::vector<RunObserver*> observers_;
};

}  // namespace scree
