// Parts, which carry boundaries and bodies.
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <set>

#include "io/scene/faults.h"
#include "io/scene/reading.h"
#include "io/scene/settings_keys.h"

namespace scree::io {

namespace {

class PartReader {
 public:
  PartReader(const Section& section, Reading& reading) : section_(section), reading_(reading) {}

  void read() {
    if (section_.has("name")) part_.name = section_.text("name");
    if (!section_.node()->faulty) {
      set_from(section_, part_);
      part_.freedom = freedom();
      part_.motion = read_motion(section_, reading_);
      if (part_.motion_waits) reading_.waiting_motions.push_back({section_, number()});
      if (!section_.has("centre") && part_.freedom != Freedom::about)
        part_.centre = centre_of(part_.motion).value_or(Vec3::Zero());
      if (part_.is_free()) read_free();
      if (part_.has_axis()) read_along_or_about();
    }
    // Faulty parts are added too, so that indices stay correct.
    reading_.scene.model.parts.push_back(std::move(part_));
  }

 private:
  std::size_t number() const { return reading_.scene.model.parts.size(); }

  Freedom freedom() const {
    const std::string word = section_.has("freedom") ? section_.text("freedom") : "none";
    if (word == "along") return Freedom::along;
    if (word == "about") return Freedom::about;
    return word == "all" ? Freedom::all : Freedom::none;
  }

  /// A part with all freedoms.
  void read_free() {
    if (!section_.has("centre")) reading_.faults.push_back(missing_key(section_, "centre"));
    part_.inertia = section_.number("mass");
    part_.axes = fixed_orientation(section_).value_or(Quat::Identity());
    const Vec3& m = part_.moments;
    if (2.0 * m.maxCoeff() > m.sum() * (1.0 + 1e-9)) {
      refuse("moments", "are not possible: the largest is larger than the sum of the two others");
    }
    if (part_.starts_locked &&
        !(part_.start_twist.linear.isZero(0.0) && part_.start_twist.angular.isZero(0.0)))
      refuse("starts_locked", "cannot be combined with velocity and angular_velocity");
  }

  void read_along_or_about() {
    const bool turns = part_.freedom == Freedom::about;
    if (const auto axis = read_direction(section_, turns ? "axis" : "direction", reading_))
      part_.axis = *axis;
    part_.inertia = section_.number(turns ? "inertia" : "mass");
    if (section_.has("high")) part_.high = section_.number("high");
    if (section_.has("low")) part_.low = section_.number("low");
    check();
  }

  void refuse(std::string_view key, std::string problem, std::string suggestion = "") {
    reading_.faults.push_back(about(section_, key, std::move(problem)));
    reading_.faults.back().suggestion = std::move(suggestion);
  }

  void check() {
    if (part_.low > 0.0) refuse("low", "must not be above 0, the position at the start");
    if (part_.high < 0.0) refuse("high", "must not be below 0, the position at the start");
    if (part_.starts_locked && part_.start_rate != 0.0)
      refuse("start_rate", "cannot be combined with starts_locked");
    // Springs are integrated in time steps: one oscillation needs several steps.
    const Settings& settings = reading_.scene.model.settings;
    const double stiffest = 1.0 / (settings.time_step_s * settings.time_step_s) * part_.inertia;
    if (part_.spring > stiffest)
      refuse(
          "spring",
          fmt::format("is too stiff for steps of {:g} s: one oscillation takes {:.2g} s",
                      settings.time_step_s, 2.0 * std::numbers::pi * std::sqrt(part_.inertia / part_.spring)),
          fmt::format("write at most {:.3g}, or use shorter steps", stiffest));
  }

  const Section& section_;
  Reading& reading_;
  Part part_;
};

/// The planes whose distance is one side of the area that a pressure acts on.
std::optional<std::array<std::size_t, 2>> read_planes(const Section& section, std::string_view key,
                                                      Reading& reading) {
  const Boundaries& boundaries = reading.scene.model.boundaries;
  std::array<std::size_t, 2> found{};
  for (std::size_t i = 0; i < 2; ++i) {
    const Node& node = section.given(key).items[i];
    const auto at = std::ranges::find(boundaries, node.text, &Boundary::name);
    const auto fault = [&](std::string problem, std::string suggestion) {
      Fault f = fault_at(node, fmt::format("{}[{}]", section.path_of(key), i), std::move(problem));
      f.suggestion = std::move(suggestion);
      reading.faults.push_back(std::move(f));
    };
    if (at == boundaries.end()) {
      fault("is not the name of a boundary", did_you_mean(node.text, names_of(boundaries)));
      return std::nullopt;
    }
    if (!std::holds_alternative<Plane>(at->surface)) {
      fault("is not a plane", "");
      return std::nullopt;
    }
    found[i] = static_cast<std::size_t>(at - boundaries.begin());
  }
  return found;
}

/// Reads the area on which a pressure acts.
void read_area(const Section& section, Part& part, Reading& reading) {
  const bool between = section.has("width_between") || section.has("depth_between");
  const auto refuse = [&](std::string_view key, const char* problem) {
    reading.faults.push_back(about(section, key, problem));
  };
  if (!section.has("pressure")) {
    for (const char* key : {"area", "width_between", "depth_between"})
      if (section.has(key)) refuse(key, "has no effect without `pressure`");
    return;
  }
  if (section.has("area") == between) {
    refuse("pressure", "needs an area: write `area`, or `width_between` and `depth_between`");
    return;
  }
  if (!between) return;
  for (const char* key : {"width_between", "depth_between"}) {
    if (section.has(key)) continue;
    reading.faults.push_back(missing_key(section, key));
    return;
  }
  const auto width = read_planes(section, "width_between", reading),
             depth = read_planes(section, "depth_between", reading);
  if (width && depth) part.area_between = {{*width, *depth}};
}

}  // namespace

void read_parts(const Section& top, Reading& reading) {
  std::set<std::string> taken;
  for (const Section& section : elements(top, "parts")) {
    PartReader(section, reading).read();
    if (section.has("name") && !taken.insert(section.text("name")).second)
      reading.faults.push_back(about(section, "name", "is already in use"));
    if (section.has("name") && section.text("name") == "ground")
      reading.faults.push_back(about(section, "name", "is reserved: joints use it for the ground"));
    if (section.node()->faulty) continue;
    Part& part = reading.scene.model.parts.back();
    if (section.has("function")) part.changing_force.function = read_function_of_time(section, reading);
    if (section.has("table")) read_time_table(section, part.changing_force, reading);
  }
}

std::optional<std::size_t> read_carrier(const Section& section, const std::string& name, bool fixed,
                                        Reading& reading) {
  std::vector<Part>& parts = reading.scene.model.parts;
  const auto refuse = [&](std::string_view key, std::string problem, std::string suggestion) {
    reading.faults.push_back(about(section, key, std::move(problem)));
    reading.faults.back().suggestion = std::move(suggestion);
    return std::nullopt;
  };
  const bool moves = section.node()->find("motion") != nullptr;
  if (section.has("part")) {
    if (fixed) return refuse("fixed", "cannot be combined with part", "remove one of them");
    if (moves)
      return refuse("motion", fmt::format("cannot be combined with the part '{}'", section.text("part")),
                    "move the motion to the part: [[parts.motion]]");
    if (section.has("motion_waits"))
      return refuse("motion_waits",
                    fmt::format("cannot be combined with the part '{}'", section.text("part")),
                    "move it to the part");
    return find_name(names_of(parts), "of a part", section, "part", reading);
  }
  const bool waits = section.has("motion_waits") && section.boolean("motion_waits");
  if (!moves && !fixed) {
    if (waits) return refuse("motion_waits", "has no effect: there is no motion", "");
    return std::nullopt;
  }
  if (std::ranges::find(parts, name, &Part::name) != parts.end())
    return refuse(section.has("name") ? "name"
                  : moves             ? "motion"
                                      : "fixed",
                  fmt::format("'{}' is already the name of a part", name),
                  "choose another name, or write part = \"...\" to add it to that part");
  Part own;
  own.name = name;
  own.motion = read_motion(section, reading);
  own.motion_waits = waits;
  own.centre = centre_of(own.motion).value_or(Vec3::Zero());
  if (waits) reading.waiting_motions.push_back({section, parts.size()});
  parts.push_back(std::move(own));
  return parts.size() - 1;
}

void finish_parts(const Section& top, Reading& reading) {
  std::vector<Part>& parts = reading.scene.model.parts;
  std::vector<int> carried(parts.size(), 0), with_belt(parts.size(), 0);
  const auto number = [&](const Section& section) {
    const std::string name = section.has("part") ? section.text("part") : "";
    return static_cast<std::size_t>(std::ranges::find(parts, name, &Part::name) - parts.begin());
  };
  for (const Section& section : elements(top, "boundaries")) {
    const std::size_t m = number(section);
    if (m == parts.size()) continue;  // already reported, or no part
    ++carried[m];
    with_belt[m] += section.has("surface_velocity") ? 1 : 0;
    if (!parts[m].is_driven() || with_belt[m] == 0) continue;
    if (!parts[m].is_free() && carried[m] == 1) continue;
    const std::string_view key = section.has("surface_velocity") ? "surface_velocity" : "part";
    reading.faults.push_back(
        about(section, key, "cannot be combined with other boundaries on a part which forces move"));
    reading.faults.back().suggestion =
        "only a part with freedom \"along\" or \"about\" and a single boundary can have a surface_velocity";
  }
  for (const Section& section : elements(top, "bodies")) {
    const std::size_t m = number(section);
    if (m == parts.size()) continue;
    ++carried[m];
    if (!parts[m].is_driven()) continue;
    reading.faults.push_back(about(section, "part", "is moved by forces, and can carry only boundaries"));
    reading.faults.back().suggestion =
        "use boundaries instead, or join the bodies to the part by joints of type \"fixed\"";
  }
  const std::vector<Section> sections = elements(top, "parts");
  for (std::size_t m = 0; m < sections.size() && m < parts.size(); ++m) {
    if (sections[m].node()->faulty) continue;
    read_area(sections[m], parts[m], reading);
    if (carried[m] > 0 || parts[m].is_free() || !sections[m].has("name")) continue;
    if (parts[m].freedom == Freedom::none && top.node()->find("joints") != nullptr) continue;
    reading.faults.push_back(about(sections[m], "name", "is a part without boundaries and bodies"));
    reading.faults.back().suggestion =
        fmt::format("write part = \"{}\" in one of [[boundaries]]", parts[m].name);
  }
}

}  // namespace scree::io
