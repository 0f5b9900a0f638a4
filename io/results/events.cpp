#include "io/results/events.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>

#include "engine/simulation/overrides.h"

namespace scree::io {

namespace {

// Of a step: sums of rounded times differ by less.
constexpr double rounding = 1e-6;
constexpr double location_accuracy = 1e-13;  // of a step, of the instant at which an event happens
constexpr int most_trials = 200;             // of steps on the way there

bool holds(const Condition& c, double value, double slack_s) {
  const double slack = c.time_s ? slack_s : 0.0;
  return c.rising ? value >= c.threshold - slack : value <= c.threshold + slack;
}

/// Has the value come to the threshold, or passed it, since the last step?
bool crossed(const Condition& c, double value, const EventMemory& memory) {
  if (!std::isfinite(memory.last_s)) return false;
  const double before = memory.last - c.threshold, now = value - c.threshold;
  return before != 0.0 && (now == 0.0 || (before < 0.0) != (now < 0.0));
}

/// Notes whether the condition holds; says whether the event happens.
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

/// When the value was at the threshold, on a straight line from the end of the last step.
double instant(const Condition& c, double value, double time_s, const EventMemory& memory) {
  if (!std::isfinite(memory.last_s) || value == memory.last || c.hold_s > 0.0) return time_s;
  const double part = (c.threshold - memory.last) / (value - memory.last);
  return part >= 0.0 && part <= 1.0 ? memory.last_s + part * (time_s - memory.last_s) : time_s;
}

StepView view_of(const Scene& scene, const StepResult& result, const State& state) {
  return {scene.model,   state,         result.report,           result.boundaries,
          result.mounts, result.joints, result.kinematic_groups, result.cell};
}

/// May it still happen?
bool is_watched(const Event& event, std::size_t k, const Overrides& overrides) {
  if (overrides.events[k].count > 0 && !event.repeats) return false;
  return !event.condition.after || overrides.events[*event.condition.after].count > 0;
}

/// Does an event happen when it is looked at now? And its value over the threshold.
bool happens(const Scene& scene, std::size_t k, const StepResult& result, const State& state, double slack_s,
             double& beyond) {
  const Event& event = scene.events[k];
  const double value = event.condition.value(view_of(scene, result, state));
  beyond = value - event.condition.threshold;
  EventMemory memory = state.overrides.events[k];
  return std::isfinite(value) && look(event, value, state.time_s, slack_s, memory);
}

/// The slot of a body that is there.
std::size_t slot_of(const Bodies& bodies, BodyId id) {
  return static_cast<std::size_t>(std::ranges::find(bodies.id, id) - bodies.id.begin());
}

void act(const Event& event, const Model& model, State& state) {
  const Actions& actions = event.actions;
  for (const std::size_t boundary : actions.remove) remove_boundary(model, boundary, state);
  for (const std::size_t boundary : actions.start_motion) start_motion(model, boundary, state);
  for (const std::size_t boundary : actions.stop_motion) stop_motion(model, boundary, state);
  for (const std::size_t mount : actions.release) release_mount(model, mount, state);
  for (const std::size_t mount : actions.lock) lock_mount(model, mount, state);
  for (const std::size_t kinematic_group : actions.release_bodies) release_bodies(kinematic_group, state);
  for (const std::size_t law : actions.form_bonds) form_bonds(model, law, state);
  for (const std::size_t inlet : actions.start_inlet) start_inlet(model, inlet, state);
  for (const std::size_t inlet : actions.stop_inlet) stop_inlet(model, inlet, state);
  if (actions.change_material)
    change_material(actions.change_material->first, actions.change_material->second, state);
  if (actions.velocity && event.condition.body) {
    Bodies& b = state.bodies;
    const std::size_t i = slot_of(b, *event.condition.body);
    b.linear_velocity[i] =
        actions.velocity(state.time_s, b.position[i], {b.linear_velocity[i], b.angular_velocity[i]});
  }
  if (actions.gravity) set_gravity(*actions.gravity, state);
  if (actions.output_interval_s) {
    state.overrides.frames_from_s = state.time_s;
    state.overrides.frame_interval_s = *actions.output_interval_s;
  }
}

}  // namespace

void arm_events(const Scene& scene, State& state) {
  state.overrides.events.assign(scene.events.size(), {});
  StepReport report;
  report.time_s = state.time_s;
  report.bodies = static_cast<std::int64_t>(state.bodies.size());
  const BodySums sums = body_sums(state.bodies, scene.model.settings.gravity);
  report.energy.kinetic = sums.kinetic;
  report.energy.potential = sums.potential;
  report.linear_momentum = sums.linear;
  report.angular_momentum = sums.angular;
  for (std::size_t k = 0; k < scene.events.size(); ++k) {
    const Condition& c = scene.events[k].condition;
    EventMemory& memory = state.overrides.events[k];
    const double value = c.value({scene.model, state, report, {}, {}, {}, {}, CellReport{}});
    memory.armed = !c.needs_crossing || (!c.after && !holds(c, value, 0.0));
    if (!std::isfinite(value)) continue;
    memory.last = value;
    memory.last_s = state.time_s;
  }
}

std::vector<Happening> take_events(const Scene& scene, const StepResult& result, State& state) {
  std::vector<Happening> list;
  const double slack = rounding * result.report.time_step_s;
  for (std::size_t k = 0; k < scene.events.size(); ++k) {
    const Event& event = scene.events[k];
    EventMemory& memory = state.overrides.events[k];
    if (!is_watched(event, k, state.overrides)) continue;
    const double value = event.condition.value(view_of(scene, result, state));
    if (!std::isfinite(value)) continue;  // of a body that is not there
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
        const std::size_t i = slot_of(state.bodies, *event.condition.body);
        h.body_position = state.bodies.position[i];
        h.body_twist = Twist{state.bodies.linear_velocity[i], state.bodies.angular_velocity[i]};
      }
      list.push_back(h);
    }
    memory.last = value;
    memory.last_s = state.time_s;
  }
  for (const Happening& h : list) act(scene.events[h.event], scene.model, state);
  return list;
}

const StepReport& step_to_event(const Scene& scene, State& state, Workspace& workspace, StepResult& result,
                                double land_at_s) {
  const auto is_located = [](const Event& e) { return !e.condition.time_s && e.condition.hold_s == 0.0; };
  if (scene.model.settings.stepping != Stepping::piecewise || std::ranges::none_of(scene.events, is_located))
    return step(scene.model, state, workspace, result, land_at_s);
  const State before = state;
  const auto step_to = [&](double end_s) {
    state = before;
    step(scene.model, state, workspace, result, end_s);
  };
  step_to(land_at_s);
  double end = state.time_s;
  const double slack = rounding * result.report.time_step_s;
  for (std::size_t k = 0; k < scene.events.size(); ++k) {
    if (!is_located(scene.events[k]) || !is_watched(scene.events[k], k, before.overrides)) continue;
    double beyond = 0.0;
    if (!happens(scene, k, result, state, slack, beyond)) continue;
    // The last moment at which it does not happen yet, and the first at which it does.
    double low = before.time_s, high = end;
    const double accuracy = location_accuracy * (high - low);
    double side_low = before.overrides.events[k].last - scene.events[k].condition.threshold,
           side_high = beyond;
    for (int trial = 0; high - low > accuracy && trial < most_trials; ++trial) {
      double middle = 0.5 * (low + high);
      if (trial % 3 != 2 && (side_low < 0.0) != (side_high < 0.0)) {  // a secant, kept off the ends
        const double guess = low + (high - low) * side_low / (side_low - side_high);
        const double guard = std::max(0.25 * accuracy, 1e-3 * (high - low));
        middle = std::clamp(guess, low + guard, high - guard);
      }
      step_to(middle);
      if (state.time_s < middle) {  // it ended before, as somebody came to rest
        if (happens(scene, k, result, state, slack, beyond))
          high = state.time_s;
        else
          low = middle;
        continue;
      }
      if (happens(scene, k, result, state, slack, beyond)) {
        high = middle;
        side_high = beyond;
      } else {
        low = middle;
        side_low = beyond;
      }
    }
    end = high;
    step_to(end);
  }
  return result.report;
}

EventTable::EventTable(const std::filesystem::path& path, const std::vector<Event>& events, std::int64_t at)
    : events_(events),
      rows_(path, "step,time_s,event,quantity,value,actions,instant_s,count,x_m,y_m,z_m,vx_m_s,vy_m_s,vz_m_s",
            at) {}

void EventTable::append(const Happening& h) {
  const Event& event = events_[h.event];
  fmt::format_to(std::back_inserter(rows_.pending()), "{},{},{},{},{},{},{},{}", h.step, h.time_s,
                 csv_field(event.name), csv_field(event.condition.quantity), h.value,
                 csv_field(event.actions.text), h.instant_s, h.count);
  if (h.body_twist) {
    const Vec3 &x = h.body_position, &v = h.body_twist->linear;
    fmt::format_to(std::back_inserter(rows_.pending()), ",{},{},{},{},{},{}\n", x[0], x[1], x[2], v[0], v[1],
                   v[2]);
  } else {
    rows_.pending() += ",,,,,,\n";
  }
  rows_.end_row();
}

std::string event_text(const Event& event, double value) {
  const Condition& c = event.condition;
  return fmt::format("{}: {} {} {:.4g}: {}", event.name, c.quantity,
                     c.both     ? "came to"
                     : c.rising ? "rose to"
                                : "fell to",
                     value, event.actions.text);
}

}  // namespace scree::io
