#include "engine/run/run.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "engine/simulation/ranks/decomposition.h"
#include "engine/simulation/ranks/state_part.h"

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

void Run::share(Ranks& ranks) {
  workspace_.decomposition = std::make_shared<Decomposition>(model_, ranks, state_);
  shown_ = without_bodies(state_);
}

State Run::collect() { return workspace_.decomposition ? workspace_.decomposition->collect(state_) : state_; }

/// The state for observers; by ranks without bodies, unless they are asked for.
const State& Run::state_to_show(bool with_bodies) {
  if (state_.bodies.ranks == nullptr) return state_;
  result_.state_hash = state_hash(state_.bodies);
  shown_ = with_bodies ? collect() : without_bodies(state_);
  return shown_;
}

/// Calls the observers for the step, and its events.
RunStop Run::tell() {
  Ranks* const ranks = state_.bodies.ranks;
  const auto wants = [&](RunObserver* o) { return o->wants_bodies(state_); };
  const bool with_bodies = ranks != nullptr && any(ranks, std::ranges::any_of(observers_, wants));
  const State& state = state_to_show(with_bodies);
  for (RunObserver* o : observers_) o->after_step(result_, state);
  if (with_bodies)
    for (RunObserver* o : observers_) o->share_work(*ranks);
  happenings_ = take_events(model_, plan_.events, result_, state_);
  if (!happenings_.empty()) state_to_show(with_bodies);  // events change the state
  for (RunObserver* o : observers_) o->after_events(happenings_, result_, state);
  for (RunObserver* o : observers_) {
    if (result_.failure) break;
    if (std::string objection = o->objection(); !objection.empty())
      result_.failure = {StepFailure::Kind::objection, std::move(objection)};
  }
  if (result_.failure) return RunStop::failed;
  if (std::ranges::any_of(happenings_, &Happening::stops)) return RunStop::event;
  for (RunObserver* o : observers_) o->before_next(state);
  return RunStop::none;
}

RunStop Run::step(double end_s) {
  Ranks* const ranks = state_.bodies.ranks;
  const auto wants = [](RunObserver* o) { return o->may_go_on(); };
  if (any(ranks, !std::ranges::all_of(observers_, wants))) return RunStop::interrupted;
  happenings_.clear();
  step_to_event(model_, plan_.events, state_, workspace_, result_, next_landing(plan_, state_, end_s));
  if (!result_.failure.step_is_done()) return RunStop::failed;
  const RunStop stop = tell();
  return static_cast<RunStop>(most(ranks, static_cast<double>(stop)));  // rank 0's observers decide for all
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
