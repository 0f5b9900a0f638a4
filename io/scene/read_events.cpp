// Events: conditions on recorded quantities, and the actions.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>

#include "engine/simulation/overrides.h"
#include "io/scene/faults.h"
#include "io/scene/grain_keys.h"
#include "io/scene/keys.h"
#include "io/scene/reading.h"
#include "io/scene/settings_keys.h"

namespace scree::io {

namespace {

// As a fraction of the speed that gravity gives in a step: slower bodies are at rest, unless the scene sets
// rest_speed.
constexpr double restful_part = 0.1;

class EventReader {
 public:
  EventReader(Section section, std::size_t number, Reading& reading)
      : section_(std::move(section)), reading_(reading), model_(reading.scene.model) {
    event_.name = section_.has("name") ? section_.text("name") : fmt::format("event{}", number);
  }

  void read() {
    if (section_.node()->faulty) return;
    const std::size_t before = reading_.faults.size();
    read_condition();
    read_actions();
    if (reading_.faults.size() == before) reading_.scene.events.push_back(std::move(event_));
  }

 private:
  void refuse(std::string_view key, std::string problem, std::string suggestion = "") {
    reading_.faults.push_back(about(section_, key, std::move(problem)));
    if (!suggestion.empty()) reading_.faults.back().suggestion = std::move(suggestion);
  }
  void refuse_all(std::string problem, std::string suggestion = "") {
    Fault fault;
    fault.where = section_.node()->where;
    fault.key_path = section_.path();
    fault.problem = std::move(problem);
    fault.suggestion = std::move(suggestion);
    reading_.faults.push_back(std::move(fault));
  }

  /// The index of the part that a key names.
  std::optional<std::size_t> find(const auto& parts, const char* of_what, std::string_view key) {
    return find_name(names_of(parts), of_what, section_, key, reading_);
  }

  void read_condition() {
    set_from(section_, event_);
    Condition& c = event_.condition;
    const bool rises = section_.has("rises_above"), falls = section_.has("falls_below");
    c.both = section_.has("crosses");
    if (int{rises} + int{falls} + int{c.both} != 1) {
      refuse_all("needs exactly one of rises_above, falls_below and crosses");
      return;
    }
    c.rising = !falls;
    c.threshold = section_.number(rises ? "rises_above" : falls ? "falls_below" : "crosses");
    if (c.both && section_.has("hold"))
      refuse("hold", "cannot be combined with crosses: hold needs rises_above or falls_below");
    if (section_.has("expression")) {
      read_expression();
    } else if (section_.has("quantity")) {
      if (section_.has("other_body"))
        refuse("other_body", "can be used only with expression: a quantity belongs to one body");
      read_quantity();
    } else {
      refuse_all("needs quantity or expression");
    }
    if (c.quantity != "time_s" || section_.has("expression")) return;
    c.time_s = c.threshold;
    if (falls) refuse("falls_below", "is never true: time does not decrease", "write rises_above");
  }

  /// An expression in the time and in the positions, velocities and angular velocities of one or two bodies.
  void read_expression() {
    Condition& c = event_.condition;
    for (const char* key :
         {"quantity", "boundary", "part", "joint", "opening", "bodies", "bonds", "model", "region"})
      if (section_.has(key)) refuse(key, "cannot be combined with expression");
    const bool two = section_.has("other_body");
    const std::optional<Formula> formula =
        read_formula(section_.given("expression"), section_.path_of("expression"),
                     two ? FormulaOf::two_bodies : FormulaOf::body, reading_);
    if (!formula) return;
    c.quantity = section_.text("expression");
    const auto uses = [&](std::size_t first) {
      bool any = false;
      for (std::size_t variable = first; variable < first + 9; ++variable)
        any = any || formula->uses(variable);
      return any;
    };
    const bool of_body = uses(1) || (two && uses(10));
    if (of_body != section_.has("body")) {
      refuse("expression", of_body ? "uses variables of a body: write `body`, the number of the body"
                                   : "uses no variables of a body: remove `body`");
      return;
    }
    if (two && !uses(10)) {
      refuse("other_body",
             "is not used: in the expression its position is ox, oy, oz, and its velocity ovx, ovy, ovz");
      return;
    }
    if (!of_body) {
      c.value = [f = *formula](const Observed& now) {
        const std::array<double, 10> at{now.result.report.time_s};
        return f(at);
      };
      return;
    }
    const BodyId id = section_.integer("body");
    const std::optional<BodyId> other =
        two ? std::optional<BodyId>(section_.integer("other_body")) : std::nullopt;
    if (!is_there("body", id) || (other && !is_there("other_body", *other))) return;
    if (other && *other == id) {
      refuse("other_body", "must differ from body");
      return;
    }
    c.quantity += other ? fmt::format(" of bodies {} and {}", id, *other) : fmt::format(" of body {}", id);
    c.body = id;
    c.value = [f = *formula, id, other](const Observed& now) {
      std::array<double, 19> at{now.result.report.time_s};
      const auto put = [&](BodyId which, std::size_t first) {
        const std::optional<BodyMotion> body = motion_of(now.state.bodies, which);
        if (!body) return false;
        for (const Vec3* v : {&body->position, &body->twist.linear, &body->twist.angular})
          for (int k = 0; k < 3; ++k) at[first++] = (*v)[k];
        return true;
      };
      if (!put(id, 1) || (other && !put(*other, 10))) return std::numeric_limits<double>::quiet_NaN();
      return f(at);
    };
  }
  bool is_there(const char* key, BodyId id) {
    if (id < reading_.scene.initial.bodies.next_id || !model_.inlets.empty() || !reading_.faults.empty())
      return true;
    refuse(key, fmt::format("does not exist: the scene has bodies 0 to {}",
                            reading_.scene.initial.bodies.next_id - 1));
    return false;
  }

  /// Finds the kind of part that has the quantity: the kind whose key is given, or a kind without a key.
  void read_quantity() {
    std::vector<const ObservedKindWords*> given;
    for (const ObservedKindWords& of : observed_kinds())
      if (*of.key != '\0' && of.kind != ObservedKind::region && section_.has(of.key)) given.push_back(&of);
    if (section_.has("model")) {
      for (const char* key : {given.empty() ? "region" : given[0]->key, "region"})
        if (section_.has(key))
          return refuse(key, "cannot be combined with model: a variable belongs only to the model");
      return read_variable();
    }
    if (given.size() > 1)
      return refuse(given[1]->key,
                    fmt::format("cannot be combined with {}: a quantity belongs to one part", given[0]->key));
    if (!given.empty()) return read_part_quantity(*given[0]);
    const std::string name = section_.text("quantity");
    std::vector<ObservedKind> kinds{ObservedKind::region, ObservedKind::run};
    if (model_.cell.is_periodic()) kinds.push_back(ObservedKind::cell);
    if (!model_.joints.empty()) kinds.push_back(ObservedKind::machine);
    std::vector<std::string> known;
    for (const ObservedKind kind : kinds) {
      const std::string prefix = kind == ObservedKind::machine ? "machine." : "";
      for (const Observable& quantity : observables(kind)) {
        known.push_back(prefix + quantity.name);
        if (quantity.is_reproducible() && known.back() == name) return observe(kind, quantity, {0});
      }
    }
    std::vector<std::string> owners;
    for (const ObservedKindWords& of : observed_kinds())
      if (*of.key != '\0' && find_observable(of.kind, name) != nullptr)
        owners.push_back(fmt::format("{} (`{}`)", of.noun, of.key));
    if (!owners.empty())
      return refuse("quantity", fmt::format("belongs to a part, and the event does not name it: {}",
                                            fmt::join(owners, ", ")));
    refuse("quantity", "is not the name of a quantity", did_you_mean(name, known));
  }

  void read_part_quantity(const ObservedKindWords& of) {
    const std::string name = section_.text("quantity");
    const Observable* const quantity = find_observable(of.kind, name);
    if (quantity == nullptr) {
      std::vector<std::string> known;
      for (const Observable& other : observables(of.kind)) known.emplace_back(other.name);
      refuse("quantity", fmt::format("is not a quantity of {}", of.noun), did_you_mean(name, known));
      reading_.faults.back().allowed = fmt::format("{}", fmt::join(known, ", "));
      return;
    }
    std::vector<std::int64_t> parts;
    if (of.kind == ObservedKind::body) {
      parts = {section_.integer("body")};
      if (!is_there("body", parts[0])) return;
      event_.condition.body = parts[0];
    } else if (of.kind == ObservedKind::boundary) {
      for (const std::size_t k : find_boundaries(names_of(model_.boundaries), section_, "boundary", reading_))
        parts.push_back(static_cast<std::int64_t>(k));
    } else if (const auto found =
                   find_name(part_names(of.kind, model_), of_noun(of).c_str(), section_, of.key, reading_)) {
      parts = {static_cast<std::int64_t>(*found)};
    }
    if (parts.empty()) return;
    if (!quantity->is_known_of(model_, parts[0]))
      return refuse("quantity", fmt::format("is not available: {} does not have it", section_.text(of.key)));
    observe(of.kind, *quantity, parts);
    event_.condition.quantity +=
        of.kind == ObservedKind::body ? fmt::format(" of body {}", parts[0]) : " of " + section_.text(of.key);
  }

  static std::string of_noun(const ObservedKindWords& of) { return std::string("of ") + of.noun; }

  /// Sets the quantity of the condition, with a region if the quantity needs one.
  void observe(ObservedKind kind, const Observable& quantity, const std::vector<std::int64_t>& parts) {
    std::optional<Region> region;
    if (section_.has("region") && kind != ObservedKind::region) {
      refuse_all(fmt::format("has a region, but {} does not use it", quantity.name),
                 "mass_in_region_kg and bodies_in_region use a region");
      return;
    }
    if (section_.has("region")) {
      region = read_region(section_.child("region"), reading_);
      if (!region) return;
    } else if (std::string_view(quantity.name).find("_in_region") != std::string_view::npos) {
      refuse("quantity", "needs a region: write `region`");
      return;
    }
    event_.condition.quantity = section_.text("quantity");
    event_.condition.value = [&quantity, parts, region, rest = reading_.scene.rest_speed_m_s](Observed now) {
      now.region = region ? &*region : nullptr;
      now.rest_speed_m_s = rest;
      return value(quantity, now, parts);
    };
  }

  /// An input, an output or a recorded variable of a declarative model.
  void read_variable() {
    const auto actuator = find(model_.actuators, "of a model", "model");
    if (!actuator) return;
    const std::string name = section_.text("quantity");
    const std::vector<std::string> variables = variables_of(model_.actuators[*actuator]);
    const auto found = std::ranges::find(variables, name);
    if (found == variables.end()) {
      refuse("quantity", "is not an input, an output or a recorded variable of the model",
             did_you_mean(name, variables));
      reading_.faults.back().allowed = fmt::format("{}", fmt::join(variables, ", "));
      return;
    }
    event_.condition.quantity = name + " of " + section_.text("model");
    event_.condition.value = [a = *actuator, v = static_cast<std::size_t>(found - variables.begin())](
                                 const Observed& now) { return variable_value(now.model, now.state, a, v); };
  }

  void read_change_of_material(std::vector<std::string>& done) {
    std::vector<MaterialIndex> both;
    for (const Node& node : section_.given("change_material").items)
      if (const auto material = named_material(node, section_.path_of("change_material"), reading_))
        both.push_back(*material);
    done.emplace_back("change a material");
    if (both.size() != 2) return;
    const Materials& materials = model_.materials;
    if (materials.density(both[0]) != materials.density(both[1])) {
      refuse("change_material",
             fmt::format("names materials of {:g} and {:g} kg/m^3, but the mass of bodies cannot change",
                         materials.density(both[0]), materials.density(both[1])));
      return;
    }
    event_.actions.change_material = {both[0], both[1]};
    done.back() = fmt::format("{} becomes {}", materials.name(both[0]), materials.name(both[1]));
  }

  void read_jump(std::vector<std::string>& done) {
    done.emplace_back("set velocity");
    const auto formulas = read_formulas(section_, "set_velocity", FormulaOf::body, reading_);
    if (!section_.has("body"))
      refuse("set_velocity", "needs a body: write `body`, and an `expression` with its variables");
    if (!formulas) return;
    event_.actions.velocity = [f = *formulas](double t, const Vec3& x, const Twist& motion) {
      const Vec3 &v = motion.linear, &w = motion.angular;
      const std::array at{t, x[0], x[1], x[2], v[0], v[1], v[2], w[0], w[1], w[2]};
      return Vec3(f[0](at), f[1](at), f[2](at));
    };
  }

  void read_actions() {
    Actions& a = event_.actions;
    std::vector<std::string> done;
    if (section_.has("remove")) {
      a.remove = find_boundaries(names_of(model_.boundaries), section_, "remove", reading_);
      done.push_back(fmt::format("remove {}", section_.text("remove")));
    }
    const auto on_part = [&](std::string_view key, const char* what, std::vector<std::size_t>& list) {
      if (!section_.has(key)) return;
      if (const auto part = find(model_.parts, "of a part", key)) {
        list = {*part};
      } else if (const auto wall = std::ranges::find(model_.boundaries, section_.text(key), &Boundary::name);
                 wall != model_.boundaries.end()) {
        reading_.faults.back().suggestion =
            wall->is_carried() ? fmt::format("its part is '{}'", model_.parts[wall->part].name)
                               : "the boundary of this name does not move: write a motion or a part for it";
      } else if (const auto group = std::ranges::find(reading_.groups, section_.text(key), &BodyGroup::name);
                 group != reading_.groups.end()) {
        const Bodies& bodies = reading_.scene.initial.bodies;
        const bool carried = group->end > group->begin && bodies.is_carried(group->begin);
        reading_.faults.back().suggestion = carried
                                                ? fmt::format("the part of these bodies is '{}'",
                                                              model_.parts[bodies.part[group->begin]].name)
                                                : "no part carries the bodies of this name";
      }
      done.push_back(fmt::format("{} {}", what, section_.text(key)));
    };
    on_part("start_motion", "start motion of", a.start_motion);
    on_part("stop_motion", "stop motion of", a.stop_motion);
    on_part("release_part", "release", a.release);
    on_part("lock_part", "lock", a.lock);
    on_part("release_bodies", "release bodies of", a.release_bodies);
    const auto on_inlet = [&](std::string_view key, const char* what, std::vector<std::size_t>& list) {
      if (!section_.has(key)) return;
      if (const auto inlet = find(model_.inlets, "of an inlet", key)) list = {*inlet};
      done.push_back(fmt::format("{} {}", what, section_.text(key)));
    };
    on_inlet("start_inlet", "start", a.start_inlet);
    on_inlet("stop_inlet", "stop", a.stop_inlet);
    if (section_.has("change_material")) read_change_of_material(done);
    if (section_.has("form_bonds")) {
      if (const auto law = find(model_.bonds, "of bonds", "form_bonds")) a.form_bonds = {*law};
      done.push_back(fmt::format("bond {}", section_.text("form_bonds")));
    }
    if (section_.has("gravity")) {
      const Vec3 g = section_.vector("gravity");
      a.gravity = g;
      done.push_back(fmt::format("gravity [{}, {}, {}]", g.x(), g.y(), g.z()));
    }
    if (section_.has("output_interval")) {
      a.output_interval_s = section_.number("output_interval");
      done.push_back(fmt::format("output interval {} s", *a.output_interval_s));
    }
    if (section_.has("set_velocity")) read_jump(done);
    if (a.stop) done.emplace_back("stop");
    if (a.record) done.emplace_back("record");
    a.text = fmt::format("{}", fmt::join(done, "; "));
    if (done.empty())
      refuse_all(
          "does nothing",
          "write record = true, stop = true, remove, start_motion, stop_motion, release_part, "
          "lock_part, release_bodies, "
          "start_inlet, stop_inlet, change_material, form_bonds, set_velocity, gravity or output_interval");
  }

  const Section section_;
  Reading& reading_;
  const Model& model_;
  Event event_;
};

/// Ends the run when all bodies have been slow for some time.
Event at_rest(const Scene& scene) {
  Event event;
  event.name = "at rest";
  Condition& c = event.condition;
  c.quantity = "largest_speed_m_s";
  c.value = [&quantity = *find_observable(ObservedKind::region, "largest_speed_m_s")](const Observed& now) {
    return value(quantity, now, 0);
  };
  c.rising = false;
  c.threshold = scene.rest_speed_m_s;
  c.hold_s = scene.rest_duration_s;
  c.needs_crossing = false;
  event.actions.stop = true;
  event.actions.text = "stop";
  return event;
}

/// Reads the speed below which bodies are at rest.
void read_rest(const Section& top, Reading& reading) {
  Scene& scene = reading.scene;
  const Settings& settings = scene.model.settings;
  if (scene.rest_speed_m_s == 0.0) scene.rest_speed_m_s = usual_rest_speed(settings);
  if (scene.until == RunEnd::at_rest && scene.rest_speed_m_s == 0.0) {
    reading.faults.push_back(fault_at(top.given("until"), "until", "needs rest_speed"));
    reading.faults.back().suggestion = "without gravity there is no default; write rest_speed";
  }
}

/// An event that was read, and its section.
struct Read {
  Section section;
  std::size_t event;
};

/// Reports actions that can never change anything.
class IdleActions {
 public:
  explicit IdleActions(Reading& reading)
      : reading_(reading), scene_(reading.scene), settings_(reading.scene.model.settings) {}

  void refuse_in(const Read& read) {
    const Actions& a = scene_.events[read.event].actions;
    for (const std::size_t k : a.start_motion) {
      if (!moves(k)) return idle(read, "start_motion", "has no motion that could start");
      if (!waits(k) && !any([&](const Actions& o) { return names(o.stop_motion, k); }))
        return idle(read, "start_motion", "moves from the beginning: write motion_waits = true");
    }
    for (const std::size_t k : a.stop_motion)
      if (!moves(k)) return idle(read, "stop_motion", "has no motion that could stop");
    for (const std::size_t m : a.release) {
      if (!scene_.model.parts[m].is_driven()) return idle(read, "release_part", "is not moved by forces");
      if (!scene_.model.parts[m].starts_locked && !any([&](const Actions& o) { return names(o.lock, m); }))
        return idle(read, "release_part", "moves from the beginning: write starts_locked = true");
    }
    for (const std::size_t m : a.lock)
      if (!scene_.model.parts[m].is_driven()) return idle(read, "lock_part", "is not moved by forces");
    for (const std::size_t m : a.release_bodies)
      if (std::ranges::find(scene_.initial.bodies.part, static_cast<std::int32_t>(m)) ==
          scene_.initial.bodies.part.end())
        return idle(read, "release_bodies", "carries no bodies");
    for (const std::size_t k : a.start_inlet)
      if (!is_waiting(k) && !any([&](const Actions& o) { return names(o.stop_inlet, k); }))
        return idle(read, "start_inlet", "runs from the beginning: write waits = true");
    if (a.gravity && *a.gravity == settings_.gravity && !scene_.model.forces.gravity &&
        !any([&](const Actions& o) { return o.gravity && *o.gravity != *a.gravity; }))
      idle(read, "gravity", "is the same as the gravity of the scene");
    const double interval = scene_.output.interval_s;
    if (a.output_interval_s &&
        !any([&](const Actions& o) { return o.output_interval_s.value_or(interval) != interval; }))
      idle(read, "output_interval", "is the same as the interval of the scene");
  }

  void refuse_waiting(const Waiting& waiting) {
    if (!moves(waiting.number))
      refuse(waiting.section, "motion_waits", "has no effect: there is no motion");
    else if (!any([&](const Actions& a) { return names(a.start_motion, waiting.number); }))
      refuse(waiting.section, "motion_waits", "never ends: no event has this part in start_motion");
  }

  /// Reports inlets and bonds that wait for an event which does not exist.
  void refuse_waiting_openings() {
    for (const Waiting& w : reading_.waiting_inlets)
      if (!any([&](const Actions& a) { return names(a.start_inlet, w.number); }))
        refuse(w.section, "waits", "never ends: no event has this inlet in start_inlet");
    for (const Waiting& w : reading_.waiting_bonds)
      if (!any([&](const Actions& a) { return names(a.form_bonds, w.number); }))
        refuse(w.section, "waits", "never ends: no event has these bonds in form_bonds");
  }

 private:
  bool is_waiting(std::size_t inlet) const {
    return std::ranges::any_of(reading_.waiting_inlets, [&](const Waiting& w) { return w.number == inlet; });
  }
  static bool names(const std::vector<std::size_t>& list, std::size_t k) {
    return std::ranges::find(list, k) != list.end();
  }
  bool any(auto&& acts) const {
    return std::ranges::any_of(scene_.events, [&](const Event& e) { return acts(e.actions); });
  }
  bool moves(std::size_t part) const { return !scene_.model.parts[part].motion.is_none(); }
  bool waits(std::size_t part) const { return scene_.model.parts[part].motion_waits; }
  void refuse(const Section& section, std::string_view key, const char* why) {
    reading_.faults.push_back(about(section, key, why));
  }
  void idle(const Read& read, std::string_view key, const char* why) { refuse(read.section, key, why); }

  Reading& reading_;
  const Scene& scene_;
  const Settings& settings_;
};

/// Finds the event that must happen before another one is checked.
void find_earlier(const Read& read, Reading& reading) {
  std::vector<Event>& events = reading.scene.events;
  if (!read.section.has("after")) return;
  const std::string name = read.section.text("after");
  const auto found = std::ranges::find(events, name, &Event::name);
  if (found != events.end() && found != events.begin() + static_cast<std::ptrdiff_t>(read.event)) {
    events[read.event].condition.after = static_cast<std::size_t>(found - events.begin());
    return;
  }
  reading.faults.push_back(about(
      read.section, "after", found == events.end() ? "is not the name of an event" : "is the event itself"));
  reading.faults.back().suggestion = found == events.end() ? did_you_mean(name, names_of(events)) : "";
}

}  // namespace

double usual_rest_speed(const Settings& settings) {
  return restful_part * settings.gravity.norm() * settings.time_step_s;
}

void read_events(const Section& top, Reading& reading) {
  Scene& scene = reading.scene;
  read_rest(top, reading);
  const std::vector<Section> sections = elements(top, "events");
  const std::size_t faults = reading.faults.size();
  std::vector<Read> read;
  bool all_read = true;
  for (std::size_t k = 0; k < sections.size(); ++k) {
    const std::size_t before = scene.events.size();
    EventReader(sections[k], k, reading).read();
    if (scene.events.size() > before) read.push_back({sections[k], before});
    all_read = all_read && scene.events.size() > before;
  }
  if (all_read &&
      reading.faults.size() == faults) {  // otherwise the missing event may be one that could not be read
    IdleActions actions(reading);
    for (const Read& r : read) actions.refuse_in(r);
    for (const Waiting& w : reading.waiting_motions) actions.refuse_waiting(w);
    actions.refuse_waiting_openings();
    for (const Read& r : read) find_earlier(r, reading);
  }
  if (scene.until == RunEnd::at_rest) scene.events.push_back(at_rest(scene));
  if (std::ranges::any_of(scene.events, [](const Event& e) { return !e.actions.remove.empty(); }))
    scene.initial.overrides.removed.resize(scene.model.boundaries.size());
  for (const Waiting& w : reading.waiting_inlets) let_inlet_wait(scene.model, w.number, scene.initial);
}

}  // namespace scree::io
