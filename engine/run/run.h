// The run loop: steps that land on the times they have to, events, what ends a run, and who is told.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/run/events.h"
#include "engine/simulation/step.h"

namespace scree {

/// What a run does beside its steps.
struct RunPlan {
  double start_s = 0.0;           // what frames are counted from
  double frame_interval_s = 0.0;  // between frames; infinity: there are none to land on
  double slack_s = 0.0;           // how far from a moment the step may end that is meant for it
  std::vector<Event> events;
};

/// When the next frame is due, s.
double next_frame(const RunPlan& plan, const Overrides& overrides, double time_s);
/// When the next frame is due, or an event that looks at the time, or `end_s` if that comes first, s.
double next_landing(const RunPlan& plan, const State& state, double end_s);

/// Why a run stands still.
enum class RunStop : std::uint8_t {
  none,         // it does not
  end_time,     // it has come to the time that was wanted
  event,        // one has ended it
  interrupted,  // an observer wanted it to
  failed        // Run::failure() says why
};

/// Is told of every step of a run. What members throw ends the run; the state is that after the step.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  /// Before a step: may it be done?
  virtual bool may_go_on() { return true; }
  /// After a step by ranks: will what follows look at bodies or contacts? If no observer will, the state has
  /// none.
  virtual bool wants_bodies(const State&) { return true; }
  /// After a step that was done, before its events act.
  virtual void after_step(const StepResult&, const State&) {}
  /// After its events have acted, if there were any.
  virtual void after_events(std::span<const Happening>, const State&) {}
  /// Why the run cannot go on, though the step was done; empty: it can.
  virtual std::string objection() { return {}; }
  /// Where nothing has ended the run with that step.
  virtual void before_next(const State&) {}

 protected:
  RunObserver() = default;
  RunObserver(const RunObserver&) = default;
  RunObserver& operator=(const RunObserver&) = default;
};

/// Steps a state. What it refers to has to outlive it.
class Run {
 public:
  /// Arms the plan's events where the state does not know them yet.
  Run(const Model& model, const RunPlan& plan, State& state);

  /// It is told of what follows, after those that came before it.
  void observe(RunObserver& observer) { observers_.push_back(&observer); }

  /// Goes on as one of several ranks, which all make the same calls: the state, whole on each so far, becomes
  /// the rank's part. Observers of rank 0 see the whole, others a state without bodies.
  void share(Ranks& ranks);

  /// One step, which lands at `end_s` at the latest if steps land (steps_land()).
  RunStop step(double end_s = infinity);
  /// Steps as far as that, but for the plan's slack, or until something ends the run.
  RunStop until(double end_s);

  const State& state() const { return state_; }
  /// What observers saw last: without bodies where the state is a rank's part, and none wanted them.
  const State& seen() const { return state_.bodies.ranks == nullptr ? state_ : shown_; }
  /// The whole where ranks have parts: on rank 0, else nothing of use. All ranks call it.
  State collect();
  const StepResult& result() const { return result_; }  // of the last step
  const Workspace& workspace() const { return workspace_; }
  std::span<const Happening> happenings() const { return happenings_; }  // of the last step
  const StepFailure& failure() const { return result_.failure; }
  /// "step 12 at t = 0.1 s: ..."
  std::string failure_text() const;

 private:
  RunStop tell(const State& state);
  const State& state_to_show();

  const Model& model_;
  const RunPlan& plan_;
  State& state_;
  State shown_;  // to observers, where the state is a rank's part
  Workspace workspace_;
  StepResult result_;
  std::vector<Happening> happenings_;
  std::vector<RunObserver*> observers_;
};

}  // namespace scree
