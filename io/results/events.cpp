#include "io/results/events.h"

#include <fmt/format.h>
#include <iterator>

#include "engine/simulation/course.h"

namespace scree::io {

namespace {

// Of a step: sums of rounded times differ by less.
constexpr double rounding = 1e-6;

bool holds(const Condition& c, double value, double slack_s) {
  const double slack = c.time_s ? slack_s : 0.0;
  return c.rising ? value >= c.threshold - slack : value <= c.threshold + slack;
}

/// Notes whether the condition holds; says whether the event happens.
bool look(const Event& event, double value, double time_s, double slack_s, EventMemory& memory) {
  if (!holds(event.condition, value, slack_s)) {
    memory.armed = true;
    memory.since_s = infinity;
    return false;
  }
  if (!memory.armed) return false;
  memory.since_s = std::min(memory.since_s, time_s);
  if (time_s - memory.since_s < event.condition.hold_s - slack_s) return false;
  memory.armed = false;
  memory.since_s = infinity;
  ++memory.count;
  return true;
}

void act(const Actions& actions, const Model& model, State& state) {
  for (const std::size_t boundary : actions.remove) remove_boundary(model, boundary, state);
  for (const std::size_t boundary : actions.start_motion) start_motion(model, boundary, state);
  for (const std::size_t boundary : actions.stop_motion) stop_motion(model, boundary, state);
  for (const std::size_t mount : actions.release) release_mount(model, mount, state);
  for (const std::size_t mount : actions.lock) lock_mount(model, mount, state);
  for (const std::size_t guide : actions.release_bodies) release_bodies(guide, state);
  for (const std::size_t law : actions.form_bonds) form_bonds(model, law, state);
  for (const std::size_t inlet : actions.start_inlet) start_inlet(model, inlet, state);
  for (const std::size_t inlet : actions.stop_inlet) stop_inlet(model, inlet, state);
  if (actions.change_material)
    change_material(actions.change_material->first, actions.change_material->second, state);
  if (actions.gravity) set_gravity(*actions.gravity, state);
  if (actions.output_interval_s) {
    state.course.frames_from_s = state.time_s;
    state.course.frame_interval_s = *actions.output_interval_s;
  }
}

}  // namespace

void arm_events(const Scene& scene, State& state) {
  state.course.events.assign(scene.events.size(), {});
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
    state.course.events[k].armed =
        !c.needs_crossing ||
        (!c.after && !holds(c, c.value({scene.model, state, report, {}, {}, {}, CellReport{}}), 0.0));
  }
}

std::vector<Happening> take_events(const Scene& scene, const StepResult& result, State& state) {
  std::vector<Happening> list;
  const double slack = rounding * result.report.time_step_s;
  for (std::size_t k = 0; k < scene.events.size(); ++k) {
    const Event& event = scene.events[k];
    EventMemory& memory = state.course.events[k];
    if (memory.count > 0 && !event.repeats) continue;
    if (event.condition.after && state.course.events[*event.condition.after].count == 0) continue;
    const double value = event.condition.value(
        {scene.model, state, result.report, result.boundaries, result.mounts, result.guides, result.cell});
    if (!event.condition.needs_crossing && !list.empty())
      memory.since_s = infinity;
    else if (look(event, value, state.time_s, slack, memory))
      list.push_back({state.step, state.time_s, k, value, event.actions.stop});
  }
  for (const Happening& h : list) act(scene.events[h.event].actions, scene.model, state);
  return list;
}

EventTable::EventTable(const std::filesystem::path& path, const std::vector<Event>& events, std::int64_t at)
    : events_(events), rows_(path, "step,time_s,event,quantity,value,actions", at) {}

void EventTable::append(const Happening& h) {
  const Event& event = events_[h.event];
  fmt::format_to(std::back_inserter(rows_.pending()), "{},{},{},{},{},{}\n", h.step, h.time_s,
                 csv_field(event.name), csv_field(event.condition.quantity), h.value,
                 csv_field(event.actions.text));
  rows_.end_row();
}

std::string event_text(const Event& event, double value) {
  const Condition& c = event.condition;
  return fmt::format("{}: {} {} {:.4g}: {}", event.name, c.quantity, c.rising ? "rose to" : "fell to", value,
                     event.actions.text);
}

}  // namespace scree::io
