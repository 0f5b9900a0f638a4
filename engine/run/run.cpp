#include "engine/run/run.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace scree {

double next_frame(const RunPlan& plan, const Overrides& overrides, double time_s) {
  if (std::isinf(plan.frame_interval_s)) return infinity;
  const bool changed = overrides.frame_interval_s > 0.0;
  const double start = changed ? overrides.frames_from_s : plan.start_s,
               interval = changed ? overrides.frame_interval_s : plan.frame_interval_s;
  return start + interval * (std::floor((time_s + plan.slack_s - start) / interval) + 1.0);
}

double next_landing(const RunPlan& plan, const State& state, double end_s) {
  const double landing = std::min(next_frame(plan, state.overrides, state.time_s),
                                  next_event_time(plan.events, state.time_s, plan.slack_s));
  return landing < end_s - plan.slack_s ? landing : end_s;
}

Run::Run(const Model& model, const RunPlan& plan, State& state) : model_(model), plan_(plan), state_(state) {
  if (state.overrides.events.size() != plan.events.size()) arm_events(model, plan.events, state);
}

RunStop Run::step(double end_s) {
  const auto wants = [](RunObserver* o) { return o->may_go_on(); };
  if (!std::ranges::all_of(observers_, wants)) return RunStop::interrupted;
  happenings_.clear();
  step_to_event(model_, plan_.events, state_, workspace_, result_, next_landing(plan_, state_, end_s));
  if (!result_.failure.step_is_done()) return RunStop::failed;
  for (RunObserver* o : observers_) o->after_step(result_, state_);
  happenings_ = take_events(model_, plan_.events, result_, state_);
  for (RunObserver* o : observers_) o->after_events(happenings_, state_);
  for (RunObserver* o : observers_) {
    if (result_.failure) break;
    if (std::string objection = o->objection(); !objection.empty())
      result_.failure = {StepFailure::Kind::objection, std::move(objection)};
  }
  if (result_.failure) return RunStop::failed;
  if (std::ranges::any_of(happenings_, &Happening::stops)) return RunStop::event;
  for (RunObserver* o : observers_) o->before_next(state_);
  return RunStop::none;
}

RunStop Run::until(double end_s) {
  while (state_.time_s < end_s - plan_.slack_s)
    if (const RunStop stop = step(end_s); stop != RunStop::none) return stop;
  return RunStop::end_time;
}

std::string Run::failure_text() const {
  std::ostringstream text;
  const bool done = result_.failure.step_is_done();
  text << "step " << (done ? state_.step : state_.step + 1) << " at t = " << state_.time_s
       << " s: " << result_.failure.text;
  return text.str();
}

}  // namespace scree
