// Mounts: what boundaries are fixed to that forces move.
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <set>

#include "io/scene/faults.h"
#include "io/scene/reading.h"
#include "io/scene/settings_keys.h"

namespace scree::io {

namespace {

class MountReader {
 public:
  MountReader(const Section& section, Reading& reading) : section_(section), reading_(reading) {}

  void read() {
    if (section_.has("name")) mount_.name = section_.text("name");
    if (!section_.node()->faulty) {
      set_from(section_, mount_);
      const bool turns = section_.text("type") == "hinge";
      if (section_.text("type") == "free") return read_free();
      mount_.kind = turns ? MountKind::hinge : MountKind::slider;
      if (const auto axis = read_direction(section_, turns ? "axis" : "direction", reading_))
        mount_.axis = *axis;
      mount_.inertia = section_.number(turns ? "inertia" : "mass");
      if (section_.has("high")) mount_.high = section_.number("high");
      if (section_.has("low")) mount_.low = section_.number("low");
      check();
    }
    // One that is faulty too, so that numbers stay right.
    reading_.scene.model.mounts.push_back(std::move(mount_));
  }

 private:
  /// A part of a machine.
  void read_free() {
    mount_.kind = MountKind::free;
    mount_.inertia = section_.number("mass");
    mount_.axes = fixed_orientation(section_).value_or(Quat::Identity());
    const Vec3& m = mount_.moments;
    if (2.0 * m.maxCoeff() > m.sum() * (1.0 + 1e-9)) {
      refuse("moments", "are those of no body: the largest is more than the sum of the others");
    }
    if (mount_.starts_held &&
        !(mount_.start_twist.linear.isZero(0.0) && mount_.start_twist.angular.isZero(0.0)))
      refuse("starts_locked", "does not go with velocity and angular_velocity");
    reading_.scene.model.mounts.push_back(std::move(mount_));
  }

  void refuse(std::string_view key, std::string problem, std::string suggestion = "") {
    reading_.faults.push_back(about(section_, key, std::move(problem)));
    reading_.faults.back().suggestion = std::move(suggestion);
  }

  void check() {
    if (mount_.low > 0.0) refuse("low", "is above where the mount is at the start");
    if (mount_.high < 0.0) refuse("high", "is below where the mount is at the start");
    if (mount_.starts_held && mount_.start_rate != 0.0)
      refuse("start_rate", "does not go with starts_locked");
    // Springs are followed step by step: they need some steps a swing.
    const Settings& settings = reading_.scene.model.settings;
    const double stiffest = 1.0 / (settings.time_step_s * settings.time_step_s) * mount_.inertia;
    if (mount_.spring > stiffest)
      refuse("spring",
             fmt::format("is too stiff for steps of {:g} s: it swings in {:.2g} s", settings.time_step_s,
                         2.0 * std::numbers::pi * std::sqrt(mount_.inertia / mount_.spring)),
             fmt::format("at most {:.3g}, or shorter steps", stiffest));
  }

  const Section& section_;
  Reading& reading_;
  Mount mount_;
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
      fault("is no plane", "");
      return std::nullopt;
    }
    found[i] = static_cast<std::size_t>(at - boundaries.begin());
  }
  return found;
}

/// A pressure needs an area.
void read_area(const Section& section, Mount& mount, Reading& reading) {
  const bool between = section.has("width_between") || section.has("depth_between");
  const auto refuse = [&](std::string_view key, const char* problem) {
    reading.faults.push_back(about(section, key, problem));
  };
  if (!section.has("pressure")) {
    for (const char* key : {"area", "width_between", "depth_between"})
      if (section.has(key)) refuse(key, "needs `pressure`, which acts on it");
    return;
  }
  if (section.has("area") == between) {
    refuse("pressure", "needs an area: give `area`, or `width_between` and `depth_between`");
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
  if (width && depth) mount.area_between = {{*width, *depth}};
}

}  // namespace

void read_mounts(const Section& top, Reading& reading) {
  std::set<std::string> taken;
  for (const Section& section : elements(top, "mounts")) {
    MountReader(section, reading).read();
    if (section.has("name") && !taken.insert(section.text("name")).second)
      reading.faults.push_back(about(section, "name", "was taken before"));
    if (section.node()->faulty) continue;
    Mount& mount = reading.scene.model.mounts.back();
    if (section.has("function")) mount.changing_force.function = read_function_of_time(section, reading);
    if (section.has("table")) read_time_table(section, mount.changing_force, reading);
  }
}

void finish_mounts(const Section& top, Reading& reading) {
  std::vector<Mount>& mounts = reading.scene.model.mounts;
  std::vector<int> headings(mounts.size(), 0), moved(mounts.size(), 0);
  for (const Section& section : elements(top, "boundaries")) {
    if (!section.has("mount")) continue;
    const auto at = std::ranges::find(mounts, section.text("mount"), &Mount::name);
    if (at == mounts.end()) continue;  // said already
    const auto m = static_cast<std::size_t>(at - mounts.begin());
    const bool moves = section.node()->find("motion") != nullptr || section.has("surface_velocity");
    ++headings[m];
    moved[m] += moves ? 1 : 0;
    if (moves && mounts[m].is_free()) {
      reading.faults.push_back(about(section, "mount", "is free, and carries nothing that moves by itself"));
      reading.faults.back().suggestion = "leave out motion and surface_velocity";
      continue;
    }
    if (moved[m] > 0 && headings[m] > 1) {
      reading.faults.push_back(
          about(section, "mount",
                "carries more than one boundary, of which one moves by itself: they are one piece"));
      reading.faults.back().suggestion =
          "only the single boundary of a mount may have motion or surface_velocity";
    }
  }
  const std::vector<Section> sections = elements(top, "mounts");
  for (std::size_t m = 0; m < sections.size() && m < mounts.size(); ++m) {
    if (sections[m].node()->faulty) continue;
    read_area(sections[m], mounts[m], reading);
    if (headings[m] > 0 || mounts[m].is_free() || !sections[m].has("name")) continue;
    reading.faults.push_back(about(sections[m], "name", "carries no boundary"));
    reading.faults.back().suggestion =
        fmt::format("give one of [[boundaries]] mount = \"{}\"", mounts[m].name);
  }
}

}  // namespace scree::io
