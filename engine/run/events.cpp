#include "engine/run/events.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "engine/simulation/adaptive_step.h"
#include "engine/simulation/overrides.h"
#include "engine/simulation/subsystems/sleep.h"

namespace scree {

namespace {

// Over the step: sums of rounded times differ by less.
constexpr double rounding = 1e-6;
constexpr double location_accuracy = 1e-13;  // of a step, for the time of an event
constexpr int most_trials = 200;             // of steps on the path to it

bool holds(const Condition& c, double value, double slack_s) {
  const double slack = c.time_s ? slack_s : 0.0;
  return c.rising ? value >= c.threshold - slack : value <= c.threshold + slack;
}

/// Has the value reached or passed the threshold since the last step?
bool crossed(const Condition& c, double value, const EventMemory& memory) {
  if (!std::isfinite(memory.last_s)) return false;
  const double before = memory.last - c.threshold, now = value - c.threshold;
  return before != 0.0 && (now == 0.0 || (before < 0.0) != (now < 0.0));
}

/// Stores whether the condition holds; returns whether the event happens.
bool look(const Event& event, double value, double time_s, double slack_s, EventMemory& memory) {
  const Condition& c = event.condition;
  if (c.both) return crossed(c, value, memory);
  if (!holds(c, value, slack_s)) {
    memory.armed = true;
    memory.since_s = infinity;
    return false;
  }
  if (!memory.armed) return false;
  memory.since_s = std::min(memory.since_s, time_s);
  if (time_s - memory.since_s < c.hold_s - slack_s) return false;
  memory.armed = false;
  memory.since_s = infinity;
  return true;
}

/// When the value reached the threshold, by linear interpolation from the end of the last step.
double instant(const Condition& c, double value, double time_s, const EventMemory& memory) {
  if (!std::isfinite(memory.last_s) || value == memory.last || c.hold_s > 0.0) return time_s;
  const double part = (c.threshold - memory.last) / (value - memory.last);
  return part >= 0.0 && part <= 1.0 ? memory.last_s + part * (time_s - memory.last_s) : time_s;
}

/// Can it still happen?
bool is_watched(const Event& event, std::size_t k, const Overrides& overrides) {
  if (overrides.events[k].count > 0 && !event.repeats) return false;
  return !event.condition.after || overrides.events[*event.condition.after].count > 0;
}

/// Would an event happen at this time? Also returns its value minus the threshold.
bool happens(const Event& event, const EventMemory& remembered, const Observed& now, double slack_s,
             double& beyond) {
  const double value = event.condition.value(now);
  beyond = value - event.condition.threshold;
  EventMemory memory = remembered;
  return std::isfinite(value) && look(event, value, now.state.time_s, slack_s, memory);
}

void act(const Event& event, const Model& model, State& state) {
  const Actions& actions = event.actions;
  for (const std::size_t boundary : actions.remove) remove_boundary(model, boundary, state);
  for (const std::size_t part : actions.start_motion) start_motion(model, part, state);
  for (const std::size_t part : actions.stop_motion) stop_motion(model, part, state);
  for (const std::size_t part : actions.release) release_part(model, part, state);
  for (const std::size_t part : actions.lock) lock_part(model, part, state);
  for (const std::size_t part : actions.release_bodies) release_bodies(part, state);
  for (const std::size_t law : actions.form_bonds) form_bonds(model, law, state);
  for (const std::size_t inlet : actions.start_inlet) start_inlet(model, inlet, state);
  for (const std::size_t inlet : actions.stop_inlet) stop_inlet(model, inlet, state);
  if (actions.change_material)
    change_material(actions.change_material->first, actions.change_material->second, state);
  if (actions.velocity && event.condition.body) {
    Bodies& b = state.bodies;
    const auto found = std::ranges::find(b.id, *event.condition.body);
    std::vector<std::uint8_t> kicked(b.size(), 0);
    if (found != b.id.end()) kicked[found - b.id.begin()] = 1;
    wake_neighbours(kicked, state);
    if (found != b.id.end()) {  // else another rank has it
      const auto i = static_cast<std::size_t>(found - b.id.begin());
      b.linear_velocity[i] =
          actions.velocity(state.time_s, b.position[i], {b.linear_velocity[i], b.angular_velocity[i]});
    }
  }
  if (actions.gravity) set_gravity(*actions.gravity, state);
  if (actions.output_interval_s) {
    state.overrides.frames_from_s = state.time_s;
    state.overrides.frame_interval_s = *actions.output_interval_s;
  }
}

}  // namespace

void arm_events(const Model& model, std::span<const Event> events, State& state) {
  state.overrides.events.assign(events.size(), {});
  const StepResult start = start_result(model, state);
  for (std::size_t k = 0; k < events.size(); ++k) {
    const Condition& c = events[k].condition;
    EventMemory& memory = state.overrides.events[k];
    const double value = c.value({model, state, start});
    // Time rises only once, perhaps before an event that has to happen first.
    memory.armed = !c.needs_crossing || (c.after ? c.time_s.has_value() : !holds(c, value, 0.0));
    if (!std::isfinite(value)) continue;
    memory.last = value;
    memory.last_s = state.time_s;
  }
}

std::vector<Happening> take_events(const Model& model, std::span<const Event> events,
                                   const StepResult& result, State& state) {
  std::vector<Happening> list;
  const double slack = rounding * result.report.time_step_s;
  for (std::size_t k = 0; k < events.size(); ++k) {
    const Event& event = events[k];
    EventMemory& memory = state.overrides.events[k];
    const bool watched = is_watched(event, k, state.overrides);
    if (!watched && memory.count > 0) continue;
    const double value = event.condition.value({model, state, result});
    if (!std::isfinite(value)) continue;  // of a body that does not exist
    if (!watched) {                       // crossings before that of `after` do not count
      memory.last = value;
      memory.last_s = state.time_s;
      continue;
    }
    if (!event.condition.needs_crossing && !list.empty()) {
      memory.since_s = infinity;
    } else if (look(event, value, state.time_s, slack, memory)) {
      Happening h;
      h.step = state.step;
      h.time_s = state.time_s;
      h.instant_s = instant(event.condition, value, state.time_s, memory);
      h.count = ++memory.count;
      h.event = k;
      h.value = value;
      h.stops = event.actions.stop;
      if (event.condition.body) {
        const BodyMotion body = motion_of(state.bodies, *event.condition.body).value();
        h.body_position = body.position;
        h.body_twist = body.twist;
      }
      list.push_back(h);
    }
    memory.last = value;
    memory.last_s = state.time_s;
  }
  for (const Happening& h : list) act(events[h.event], model, state);
  if (!list.empty()) limit_next_step(model, state);
  return list;
}

const StepReport& step_to_event(const Model& model, std::span<const Event> events, State& state,
                                Workspace& workspace, StepResult& result, double land_at_s) {
  const auto is_located = [](const Event& e) { return !e.condition.time_s && e.condition.hold_s == 0.0; };
  if (model.settings.stepping != Stepping::piecewise || std::ranges::none_of(events, is_located))
    return step(model, state, workspace, result, land_at_s);
  const State before = state;
  const auto step_to = [&](double end_s) {  // true if it succeeds
    state = before;
    step(model, state, workspace, result, end_s);
    return result.failure.step_is_done();
  };
  if (!step_to(land_at_s)) return result.report;
  double end = state.time_s;
  const double slack = rounding * result.report.time_step_s;
  const auto happens_now = [&](std::size_t k, double& beyond) {
    return happens(events[k], state.overrides.events[k], {model, state, result}, slack, beyond);
  };
  for (std::size_t k = 0; k < events.size(); ++k) {
    if (!is_located(events[k]) || !is_watched(events[k], k, before.overrides)) continue;
    double beyond = 0.0;
    if (!happens_now(k, beyond)) continue;
    // The last time at which it does not happen yet, and the first at which it does.
    double low = before.time_s, high = end;
    const double accuracy = location_accuracy * (high - low);
    double side_low = before.overrides.events[k].last - events[k].condition.threshold, side_high = beyond;
    for (int trial = 0; high - low > accuracy && trial < most_trials; ++trial) {
      double middle = 0.5 * (low + high);
      if (trial % 3 != 2 && (side_low < 0.0) != (side_high < 0.0)) {  // a secant, kept away from the ends
        const double guess = low + (high - low) * side_low / (side_low - side_high);
        const double guard = std::max(0.25 * accuracy, 1e-3 * (high - low));
        middle = std::clamp(guess, low + guard, high - guard);
      }
      if (!step_to(middle)) return result.report;
      if (state.time_s < middle) {  // it ended earlier, because a body came to rest
        if (happens_now(k, beyond))
          high = state.time_s;
        else
          low = middle;
        continue;
      }
      if (happens_now(k, beyond)) {
        high = middle;
        side_high = beyond;
      } else {
        low = middle;
        side_low = beyond;
      }
    }
    end = high;
    if (!step_to(end)) break;
  }
  return result.report;
}

double next_event_time(std::span<const Event> events, double time_s, double slack_s) {
  double next = infinity;
  for (const Event& event : events) {
    if (!event.condition.time_s) continue;
    const double at = *event.condition.time_s + event.condition.hold_s;
    if (at > time_s + slack_s && at < next) next = at;
  }
  return next;
}

std::string event_text(const Event& event, double value) {
  const Condition& c = event.condition;
  std::array<char, 32> number{};
  std::snprintf(number.data(), number.size(), "%.4g", value);
  const char* const came = c.both ? "reached" : c.rising ? "rose to" : "fell to";
  return event.name + ": " + c.quantity + ' ' + came + ' ' + number.data() + ": " + event.actions.text;
}

}  // namespace scree
