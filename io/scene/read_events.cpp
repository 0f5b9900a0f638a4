// Events: conditions on recorded quantities, and what they do.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>

#include "engine/simulation/motion.h"
#include "engine/simulation/overrides.h"
#include "io/results/boundary_table.h"
#include "io/results/cell_table.h"
#include "io/results/joint_table.h"
#include "io/results/mount_table.h"
#include "io/results/step_table.h"
#include "io/scene/faults.h"
#include "io/scene/grain_keys.h"
#include "io/scene/keys.h"
#include "io/scene/reading.h"
#include "io/scene/settings_keys.h"

namespace scree::io {

namespace {

// Of the speed that gravity gives in a step: what is slower is at rest unless the scene says otherwise.
constexpr double restful_part = 0.1;

/// What needs the bodies themselves, beyond what steps report.
struct BodyQuantity {
  const char* name;
  bool needs_region;
  double (*value)(const Model& model, const State& state, const Region& region, double rest_speed);
};

/// f(i) for bodies in a region; in a periodic cell an image of theirs may be.
template <class F>
void for_bodies_in(const Region& region, const Model& model, const State& state, F&& f) {
  const PlacedCell cell = cell_at(model, state, state.time_s);
  for (std::size_t i = 0; i < state.bodies.size(); ++i)
    if (holds_image(region, cell, state.bodies.position[i])) f(i);
}

constexpr BodyQuantity body_quantities[] = {
    {"largest_speed_m_s", false,
     [](const Model& m, const State& s, const Region&, double) {
       return largest_surface_speed(m.shapes, s.bodies);
     }},
    {"share_at_rest", false,
     [](const Model& m, const State& s, const Region&, double speed) {
       const Bodies& b = s.bodies;
       double still = 0.0;
       for (std::size_t i = 0; i < b.size(); ++i) still += surface_speed(m.shapes, b, i) <= speed ? 1.0 : 0.0;
       return b.size() > 0 ? still / static_cast<double>(b.size()) : 1.0;
     }},
    {"bodies_in_region", true,
     [](const Model& m, const State& s, const Region& region, double) {
       double count = 0.0;
       for_bodies_in(region, m, s, [&](std::size_t) { count += 1.0; });
       return count;
     }},
    {"mass_in_region_kg", true,
     [](const Model& m, const State& s, const Region& region, double) {
       double mass = 0.0;
       for_bodies_in(region, m, s, [&](std::size_t i) { mass += s.bodies.mass[i]; });
       return mass;
     }},
};

const BodyQuantity* body_quantity(const std::string& name) {
  const auto found = std::ranges::find_if(body_quantities, [&](const auto& q) { return name == q.name; });
  return found == std::end(body_quantities) ? nullptr : &*found;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

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

  /// Which of some parts a key names.
  std::optional<std::size_t> find(const auto& parts, const char* of_what, std::string_view key) {
    return find_name(names_of(parts), of_what, section_, key, reading_);
  }

  /// The boundaries that a key names: of a box by its name all walls, "box.+x" one of them.
  std::vector<std::size_t> boundaries(std::string_view key) {
    const std::string name = section_.text(key);
    std::vector<std::size_t> found;
    std::vector<std::string> names;
    for (std::size_t k = 0; k < model_.boundaries.size(); ++k) {
      const std::string& known = model_.boundaries[k].name;
      if (known == name || known.starts_with(name + '.')) found.push_back(k);
      names.push_back(known);
      if (const std::size_t dot = known.rfind('.'); dot != std::string::npos)
        names.push_back(known.substr(0, dot));
    }
    if (found.empty()) refuse(key, "is not the name of a boundary", did_you_mean(name, names));
    return found;
  }

  void read_condition() {
    set_from(section_, event_);
    Condition& c = event_.condition;
    const bool rises = section_.has("rises_above"), falls = section_.has("falls_below");
    c.both = section_.has("crosses");
    if (int{rises} + int{falls} + int{c.both} != 1) {
      refuse_all("needs one of rises_above, falls_below and crosses");
      return;
    }
    c.rising = !falls;
    c.threshold = section_.number(rises ? "rises_above" : falls ? "falls_below" : "crosses");
    if (c.both && section_.has("hold"))
      refuse("hold", "does not go with crosses: a crossing has no side to stay on");
    if (section_.has("expression")) {
      read_expression();
    } else if (section_.has("quantity")) {
      for (const char* key : {"body", "other_body"})
        if (section_.has(key)) refuse(key, "is of an expression: a quantity has no body");
      read_quantity();
    } else {
      refuse_all("needs a quantity, or an expression");
    }
    if (c.quantity != "time_s" || section_.has("expression")) return;
    c.time_s = c.threshold;
    if (falls) refuse("falls_below", "never comes true: time does not fall", "say rises_above");
  }

  /// Of the time, and of the places, velocities and rates of turning of one body or two.
  void read_expression() {
    Condition& c = event_.condition;
    for (const char* key : {"quantity", "boundary", "mount", "joint", "opening", "bodies", "region"})
      if (section_.has(key)) refuse(key, "does not go with expression");
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
      refuse("expression", of_body ? "is of a body: say which by `body`" : "is of no body: leave `body` out");
      return;
    }
    if (two && !uses(10)) {
      refuse("other_body",
             "is not used: its place is ox, oy, oz in the expression, its velocity ovx, ovy, ovz");
      return;
    }
    if (!of_body) {
      c.value = [f = *formula](const StepView& view) {
        const std::array<double, 10> at{view.report.time_s};
        return f(at);
      };
      return;
    }
    const BodyId id = section_.integer("body");
    const std::optional<BodyId> other =
        two ? std::optional<BodyId>(section_.integer("other_body")) : std::nullopt;
    if (!is_there("body", id) || (other && !is_there("other_body", *other))) return;
    if (other && *other == id) {
      refuse("other_body", "is the body itself");
      return;
    }
    c.quantity += other ? fmt::format(" of bodies {} and {}", id, *other) : fmt::format(" of body {}", id);
    c.body = id;
    c.value = [f = *formula, id, other](const StepView& view) {
      const Bodies& b = view.state.bodies;
      std::array<double, 19> at{view.report.time_s};
      const auto put = [&](BodyId which, std::size_t first) {
        const auto found = std::ranges::find(b.id, which);
        if (found == b.id.end()) return false;
        const auto i = static_cast<std::size_t>(found - b.id.begin());
        for (const Vec3* v : {&b.position[i], &b.linear_velocity[i], &b.angular_velocity[i]})
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
    refuse(key, fmt::format("is not there: the scene has bodies 0 to {}",
                            reading_.scene.initial.bodies.next_id - 1));
    return false;
  }

  void read_quantity() {
    Condition& c = event_.condition;
    const std::string name = section_.text("quantity");
    c.quantity = name;
    const std::vector<std::string> of_steps = step_quantities(), of_boundaries = boundary_quantities();
    const BodyQuantity* of_bodies = body_quantity(name);
    if (section_.has("boundary")) {
      if (!is_load(name, "a boundary")) return;
      c.quantity += " of " + section_.text("boundary");
      c.value = [name, on = boundaries("boundary")](const StepView& view) {
        BoundaryLoad sum;
        for (const std::size_t k : on) sum += view.loads.empty() ? BoundaryLoad{} : view.loads[k];
        return boundary_quantity(name, sum, view.report.time_step_s);
      };
    } else if (section_.has("bodies")) {
      const std::optional<std::size_t> kinematic_group =
          is_load(name, "kinematic bodies") ? find(model_.kinematic_groups, "of kinematic bodies", "bodies")
                                            : std::nullopt;
      if (!kinematic_group) return;
      c.quantity += " of " + section_.text("bodies");
      c.value = [name, g = *kinematic_group](const StepView& view) {
        return boundary_quantity(name,
                                 view.kinematic_groups.empty() ? BoundaryLoad{} : view.kinematic_groups[g],
                                 view.report.time_step_s);
      };
    } else if (section_.has("opening")) {
      read_opening_quantity(name);
    } else if (section_.has("mount")) {
      read_mount_quantity(name);
    } else if (section_.has("joint")) {
      read_joint_quantity(name);
    } else if (of_bodies != nullptr) {
      read_body_quantity(*of_bodies);
    } else if (contains(of_steps, name)) {
      c.value = [name](const StepView& view) { return step_quantity(name, view.report); };
    } else if (model_.cell.is_periodic() && contains(cell_quantities(), name)) {
      c.value = [name](const StepView& view) { return cell_quantity(name, view.cell); };
    } else if (contains(of_boundaries, name)) {
      refuse("quantity", "is a boundary's, or kinematic bodies': say which by `boundary` or `bodies`");
      return;
    } else if (contains(mount_quantities(), name)) {
      refuse("quantity", "is a mount's: say which by `mount`");
      return;
    } else {
      std::vector<std::string> all = of_steps;
      all.insert(all.end(), of_boundaries.begin(), of_boundaries.end());
      for (const BodyQuantity& q : body_quantities) all.emplace_back(q.name);
      refuse("quantity", "is not a quantity that is recorded", did_you_mean(name, all));
      return;
    }
    if (section_.has("region") && (of_bodies == nullptr || !of_bodies->needs_region))
      refuse_all(fmt::format("gives a region, but {} is of all bodies", c.quantity),
                 "mass_in_region_kg and bodies_in_region are of a region");
  }

  /// Is it one of these?
  bool is_one_of(const std::vector<std::string>& known, const std::string& name, const char* whose) {
    if (contains(known, name)) return true;
    refuse("quantity", fmt::format("is no quantity of {}", whose), did_you_mean(name, known));
    reading_.faults.back().allowed = fmt::format("{}", fmt::join(known, ", "));
    return false;
  }
  /// Is it a quantity that boundaries and kinematic bodies have?
  bool is_load(const std::string& name, const char* whose) {
    return is_one_of(boundary_quantities(), name, whose);
  }

  void read_mount_quantity(const std::string& name) {
    if (!is_one_of(mount_quantities(), name, "a mount")) return;
    const std::optional<std::size_t> mount = find(model_.mounts, "of a mount", "mount");
    if (!mount) return;
    event_.condition.quantity += " of " + section_.text("mount");
    event_.condition.value = [name, m = *mount](const StepView& view) {
      return mount_quantity(name, view.mounts.empty() ? MountLoad{} : view.mounts[m],
                            view.report.time_step_s);
    };
  }

  void read_joint_quantity(const std::string& name) {
    if (!is_one_of(joint_quantities(), name, "a joint")) return;
    const std::optional<std::size_t> joint = find(model_.joints, "of a joint", "joint");
    if (!joint) return;
    event_.condition.quantity += " of " + section_.text("joint");
    event_.condition.value = [name, k = *joint](const StepView& view) {
      return joint_quantity(name, view.joints.empty() ? JointLoad{} : view.joints[k],
                            view.report.time_step_s);
    };
  }

  void read_body_quantity(const BodyQuantity& quantity) {
    Region region = BoxRegion{};
    if (quantity.needs_region) {
      if (!section_.has("region")) {
        refuse("quantity", "is of a region: say which by `region`");
        return;
      }
      const std::optional<Region> given = read_region(section_.child("region"), reading_);
      if (!given) return;
      region = *given;
    }
    event_.condition.value = [value = quantity.value, region,
                              rest_speed = reading_.scene.rest_speed_m_s](const StepView& view) {
      return value(view.model, view.state, region, rest_speed);
    };
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
             fmt::format("names materials of {:g} and {:g} kg/m^3, and bodies keep their mass",
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
      refuse("set_velocity", "is of a body: say which by `body`, with an `expression` of it");
    if (!formulas) return;
    event_.actions.velocity = [f = *formulas](double t, const Vec3& x, const Twist& motion) {
      const Vec3 &v = motion.linear, &w = motion.angular;
      const std::array at{t, x[0], x[1], x[2], v[0], v[1], v[2], w[0], w[1], w[2]};
      return Vec3(f[0](at), f[1](at), f[2](at));
    };
  }

  /// What passed an inlet or outlet since the start.
  void read_opening_quantity(const std::string& name) {
    constexpr std::array<const char*, 3> known{"bodies", "mass_kg", "steps_without_room"};
    const auto quantity = std::ranges::find(known, name);
    if (quantity == known.end()) {
      refuse("quantity", "is no quantity of an inlet or outlet");
      reading_.faults.back().allowed = fmt::format("{}", fmt::join(known, ", "));
      return;
    }
    std::vector<std::string> names = names_of(model_.inlets);
    const std::size_t inlets = names.size();
    for (const Outlet& outlet : model_.outlets) names.push_back(outlet.name);
    const auto found = find_name(names, "of an inlet or outlet", section_, "opening", reading_);
    if (!found) return;
    event_.condition.quantity += " of " + section_.text("opening");
    event_.condition.value = [which = quantity - known.begin(), k = *found, inlets](const StepView& view) {
      const std::vector<Throughput>& list = k < inlets ? view.state.entered : view.state.left;
      const std::size_t at = k < inlets ? k : k - inlets;
      const Throughput throughput = at < list.size() ? list[at] : Throughput{};
      return which == 0   ? static_cast<double>(throughput.bodies)
             : which == 1 ? throughput.mass
                          : static_cast<double>(throughput.waited);
    };
  }

  void read_actions() {
    Actions& a = event_.actions;
    std::vector<std::string> done;
    const auto on_boundaries = [&](std::string_view key, const char* what, std::vector<std::size_t>& list) {
      if (!section_.has(key)) return;
      list = boundaries(key);
      done.push_back(fmt::format("{} {}", what, section_.text(key)));
    };
    on_boundaries("remove", "remove", a.remove);
    on_boundaries("start_motion", "start motion of", a.start_motion);
    on_boundaries("stop_motion", "stop motion of", a.stop_motion);
    const auto on_mount = [&](std::string_view key, const char* what, std::vector<std::size_t>& list) {
      if (!section_.has(key)) return;
      if (const auto mount = find(model_.mounts, "of a mount", key)) list = {*mount};
      done.push_back(fmt::format("{} {}", what, section_.text(key)));
    };
    on_mount("release_mount", "release", a.release);
    on_mount("lock_mount", "lock", a.lock);
    if (section_.has("release_bodies")) {
      if (const auto kinematic_group = find(model_.kinematic_groups, "of kinematic bodies", "release_bodies"))
        a.release_bodies = {*kinematic_group};
      done.push_back(fmt::format("release {}", section_.text("release_bodies")));
    }
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
          "give record = true, stop = true, remove, start_motion, stop_motion, release_mount, "
          "lock_mount, release_bodies, "
          "start_inlet, stop_inlet, change_material, form_bonds, set_velocity, gravity or output_interval");
  }

  const Section section_;
  Reading& reading_;
  const Model& model_;
  Event event_;
};

/// Ends the run when everybody has been slow for a while.
Event at_rest(const Scene& scene) {
  Event event;
  event.name = "at rest";
  Condition& c = event.condition;
  c.quantity = "largest_speed_m_s";
  c.value = [](const StepView& view) { return largest_surface_speed(view.model.shapes, view.state.bodies); };
  c.rising = false;
  c.threshold = scene.rest_speed_m_s;
  c.hold_s = scene.rest_duration_s;
  c.needs_crossing = false;
  event.actions.stop = true;
  event.actions.text = "stop";
  return event;
}

/// What counts as rest.
void read_rest(const Section& top, Reading& reading) {
  Scene& scene = reading.scene;
  const Settings& settings = scene.model.settings;
  if (scene.rest_speed_m_s == 0.0)
    scene.rest_speed_m_s = restful_part * settings.gravity.norm() * settings.time_step_s;
  if (scene.until == RunEnd::at_rest && scene.rest_speed_m_s == 0.0) {
    reading.faults.push_back(fault_at(top.given("until"), "until", "needs rest_speed"));
    reading.faults.back().suggestion = "without gravity nothing says which speeds are slow";
  }
}

/// An event that was read, and where it stands.
struct Read {
  Section section;
  std::size_t event;
};

/// Faults of actions that change nothing, whatever happens.
class IdleActions {
 public:
  explicit IdleActions(Reading& reading)
      : reading_(reading), scene_(reading.scene), settings_(reading.scene.model.settings) {}

  void refuse_in(const Read& read) {
    const Actions& a = scene_.events[read.event].actions;
    for (const std::size_t k : a.start_motion) {
      if (!moves(k)) return idle(read, "start_motion", "has no motion that could start");
      if (!waits(k) && !any([&](const Actions& o) { return names(o.stop_motion, k); }))
        return idle(read, "start_motion", "moves from the beginning: let it wait by motion_waits = true");
    }
    for (const std::size_t k : a.stop_motion)
      if (!moves(k)) return idle(read, "stop_motion", "has no motion that could stop");
    for (const std::size_t m : a.release)
      if (!scene_.model.mounts[m].starts_held && !any([&](const Actions& o) { return names(o.lock, m); }))
        return idle(read, "release_mount", "moves from the beginning: let it wait by starts_locked = true");
    for (const std::size_t k : a.start_inlet)
      if (!is_waiting(k) && !any([&](const Actions& o) { return names(o.stop_inlet, k); }))
        return idle(read, "start_inlet", "runs from the beginning: let it wait by waits = true");
    if (a.gravity && *a.gravity == settings_.gravity && !scene_.model.forces.gravity &&
        !any([&](const Actions& o) { return o.gravity && *o.gravity != *a.gravity; }))
      idle(read, "gravity", "is what gravity is anyway");
    const double interval = scene_.output.interval_s;
    if (a.output_interval_s &&
        !any([&](const Actions& o) { return o.output_interval_s.value_or(interval) != interval; }))
      idle(read, "output_interval", "is what the interval is anyway");
  }

  void refuse_waiting(const WaitingMotion& waiting) {
    const auto started = [&](std::size_t k) {
      return any([&](const Actions& a) { return names(a.start_motion, k); });
    };
    if (!moves(waiting.boundaries.front()))
      refuse(waiting.section, "motion_waits", "has no motion that could wait");
    else if (std::ranges::none_of(waiting.boundaries, started))
      refuse(waiting.section, "motion_waits", "waits for ever: no event has it in start_motion");
  }

  /// What waits for an event that never comes.
  void refuse_waiting_openings() {
    for (const Waiting& w : reading_.waiting_inlets)
      if (!any([&](const Actions& a) { return names(a.start_inlet, w.number); }))
        refuse(w.section, "waits", "waits for ever: no event has it in start_inlet");
    for (const Waiting& w : reading_.waiting_bonds)
      if (!any([&](const Actions& a) { return names(a.form_bonds, w.number); }))
        refuse(w.section, "waits", "waits for ever: no event has them in form_bonds");
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
  bool moves(std::size_t k) const { return !scene_.model.boundaries[k].motion.is_none(); }
  bool waits(std::size_t k) const {
    return std::ranges::any_of(reading_.waiting, [&](const auto& w) { return names(w.boundaries, k); });
  }
  void refuse(const Section& section, std::string_view key, const char* why) {
    reading_.faults.push_back(about(section, key, why));
  }
  void idle(const Read& read, std::string_view key, const char* why) { refuse(read.section, key, why); }

  Reading& reading_;
  const Scene& scene_;
  const Settings& settings_;
};

/// The event after which another one is looked at.
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

/// Status of all boundaries where events may change that of one.
void let_boundaries_change(Scene& scene, const std::vector<WaitingMotion>& waiting) {
  const auto changes = [](const Event& e) {
    const Actions& a = e.actions;
    return !a.remove.empty() || !a.start_motion.empty() || !a.stop_motion.empty();
  };
  if (std::ranges::any_of(scene.events, changes))
    scene.initial.overrides.boundaries.resize(scene.model.boundaries.size());
  for (const WaitingMotion& w : waiting)
    for (const std::size_t k : w.boundaries) let_wait(scene.model, k, scene.initial);
}

}  // namespace

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
  if (all_read && reading.faults.size() == faults) {  // else what is missing may be in what could not be read
    IdleActions actions(reading);
    for (const Read& r : read) actions.refuse_in(r);
    for (const WaitingMotion& w : reading.waiting) actions.refuse_waiting(w);
    actions.refuse_waiting_openings();
    for (const Read& r : read) find_earlier(r, reading);
  }
  if (scene.until == RunEnd::at_rest) scene.events.push_back(at_rest(scene));
  let_boundaries_change(scene, reading.waiting);
  for (const Waiting& w : reading.waiting_inlets) let_inlet_wait(scene.model, w.number, scene.initial);
}

}  // namespace scree::io
