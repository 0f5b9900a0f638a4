#include "io/fmu/instance.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/core/shared_threads.h"
#include "engine/core/state_hash.h"
#include "io/files/file_errors.h"
#include "io/fmu/description.h"
#include "io/scene/read_scene.h"

namespace scree::io {

namespace {

Scene read_with_one_thread(const std::filesystem::path& resources) {
  const SharedThreads threads(1);
  return read_scene(resources / fmu_scene_name);
}

// Largest difference between communication points and ends of steps, in steps: times are sums of rounded
// numbers.
constexpr double whole_steps = 1e-6, same_time = 1e-2;

RunPlan without_frames(const Scene& scene) {
  RunPlan plan = run_plan(scene);
  plan.frame_interval_s = infinity;
  return plan;
}

}  // namespace

Instance::Instance(const std::filesystem::path& resources, const std::string& guid)
    : scene_(read_with_one_thread(resources)),
      variables_(variables_of(scene_)),
      first_inputs_(inputs()),
      plan_(without_frames(scene_)) {
  const std::string own = guid_of(scene_, variables_);
  if (own != guid)
    throw ReadError(
        fmt::format("the guid {} differs from that of the scene in {}, {}: modelDescription.xml and "
                    "resources belong to different units, or have changed",
                    guid, resources.string(), own));
  reset();
}

void Instance::reset() {
  state_ = scene_.initial;
  arm_events(scene_.model, plan_.events, state_);
  set_inputs(first_inputs_);
  done_ = CommunicationStep(variables_, {scene_.model, state_, start_result(scene_.model, state_)});
  start_s_ = scene_.initial.time_s;
  threads_ = 1;
  over_ = false;
}

double Instance::value(std::size_t reference) const {
  const Variable& variable = variables_[reference];
  if (variable.amount) return done_.value(variables_, reference);
  if (variable.input) return *variable.input(const_cast<Model&>(scene_.model));
  return threads_;
}

std::string Instance::state_hash() const { return hash_text(scree::state_hash(state_.bodies)); }

void Instance::set(std::size_t reference, double value) {
  const Variable& variable = variables_[reference];
  if (variable.input)
    *variable.input(scene_.model) = value;
  else
    threads_ = static_cast<int>(value);
}

Outcome Instance::refuse(std::string message) {
  message_ = std::move(message);
  return Outcome::refused;
}

std::int64_t Instance::steps_in(double step_s) const {
  const Settings& settings = scene_.model.settings;
  if (steps_land(settings)) return 0;
  const double steps = std::round(step_s / settings.time_step_s);
  const bool fits = steps >= 1.0 && steps < most_steps &&
                    std::abs(step_s - steps * settings.time_step_s) <= whole_steps * settings.time_step_s;
  return fits ? static_cast<std::int64_t>(steps) : -1;
}

Outcome Instance::advance(double current_s, double step_s) {
  happened_.clear();
  const Settings& settings = scene_.model.settings;
  const double least = least_step(scene_);
  if (over_) return refuse("the run has ended; call fmi2Reset or fmi2SetFMUstate to start again");
  if (!(std::abs(current_s - time_s()) <= same_time * least))
    return refuse(fmt::format("the communication point {} s differs from the time of the scene, {} s",
                              current_s, time_s()));
  const std::int64_t steps = steps_in(step_s);
  if (steps < 0)
    return refuse(
        fmt::format("the communication step of {} s is not a whole multiple of the scene's time_step, {} s "
                    "(or write time_step = \"adaptive\")",
                    step_s, settings.time_step_s));
  if (!(step_s > 0.0 && std::isfinite(step_s)))
    return refuse(fmt::format("the communication step must be positive (value {} s)", step_s));
  const SharedThreads threads(threads_);
  done_.begin();
  if (steps > 0) {
    for (std::int64_t k = 0; k < steps; ++k) {
      if (const Outcome outcome = one_step(infinity); outcome != Outcome::done) return outcome;
    }
    return Outcome::done;
  }
  const double end = scene_.initial.time_s + (current_s - start_s_) + step_s;
  while (state_.time_s < end - whole_steps * step_s) {
    if (const Outcome outcome = one_step(end); outcome != Outcome::done) return outcome;
  }
  return Outcome::done;
}

Outcome Instance::one_step(double land_at_s) {
  const RunStop stop = run_.step(land_at_s);
  if (stop != RunStop::failed || run_.failure().step_is_done())
    done_.add(variables_, {scene_.model, state_, run_.result()});
  for (const Happening& h : run_.happenings())
    happened_.push_back(fmt::format("t = {:g} s: {}", h.time_s, event_text(plan_.events[h.event], h.value)));
  message_.clear();
  over_ = stop == RunStop::failed || stop == RunStop::event;
  if (stop == RunStop::failed) {
    message_ = run_.failure_text();
    return Outcome::failed;
  }
  if (stop == RunStop::event) {
    const auto ending = std::ranges::find_if(run_.happenings(), &Happening::stops);
    message_ = fmt::format("an event of the scene ends the run: t = {:g} s: {}", ending->time_s,
                           event_text(plan_.events[ending->event], ending->value));
    return Outcome::ended;
  }
  return Outcome::done;
}

std::vector<double> Instance::inputs() const {
  std::vector<double> values;
  for (const Variable& variable : variables_) {
    if (variable.input) values.push_back(*variable.input(const_cast<Model&>(scene_.model)));
  }
  return values;
}

void Instance::set_inputs(const std::vector<double>& values) {
  std::size_t k = 0;
  for (const Variable& variable : variables_) {
    if (variable.input) *variable.input(scene_.model) = values[k++];
  }
}

Snapshot Instance::snapshot() const { return {state_, done_, inputs(), start_s_, threads_, over_}; }

void Instance::restore(const Snapshot& snapshot) {
  state_ = snapshot.state;
  done_ = snapshot.done;
  set_inputs(snapshot.inputs);
  start_s_ = snapshot.start_s;
  threads_ = snapshot.threads;
  over_ = snapshot.over;
}

}  // namespace scree::io
