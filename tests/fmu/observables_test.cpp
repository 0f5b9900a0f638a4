// The list of observables: each entry is a column, a condition, an output of a unit and a row of the docs.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <set>

#include "io/fmu/variables.h"
#include "io/results/observable_table.h"
#include "io/results/observables_page.h"
#include "io/results/step_table.h"
#include "io/scene/read_scene.h"

namespace scree::io {
namespace {

constexpr const char* machine_scene = R"(
time_step = 0.001
end_time = 0.1
parts = [{ name = "arm", freedom = "all", mass = 1, moments = [1, 1, 1], centre = [0.5, 1, 1] },
          { name = "lid", freedom = "along", direction = [0, 0, 1], mass = 1 }]
boundaries = [{ name = "floor", type = "plane", point = [0, 0, 0] },
              { name = "top", type = "plane", point = [0, 0, 2], normal = [0, 0, -1], part = "lid" }]
joints = [{ name = "hinge", type = "revolute", b = "arm", point = [0, 1, 1], axis = [0, 1, 0], motor = { type = "speed", value = 2 } }]
materials = [{ name = "m", density = 1000 }]
bodies = [{ position = [1, 1, 0.5], semi_axes = [0.1, 0.1, 0.1] },
          { position = [1, 1, 1.5], semi_axes = [0.1, 0.1, 0.1], fixed = true, name = "held" }]
inlets = [{ name = "tap", region = { type = "box", low = [0.1, 0.5, 0.8], high = [0.6, 0.9, 1.2] }, radius = 0.05, number_rate = 1 }]
bonds = [{ name = "glue", tensile_strength = 1e6 }]
)";
constexpr const char* cell_scene = R"(
time_step = 0.001
end_time = 0.1
cell = { low = [0, 0, 0], high = [2, 2, 2] }
materials = [{ name = "m", density = 1000 }]
bodies = [{ position = [1, 1, 0.5], semi_axes = [0.1, 0.1, 0.1] }]
)";

/// A scene with parts of the kind.
const char* scene_of(ObservedKind kind) { return kind == ObservedKind::cell ? cell_scene : machine_scene; }

constexpr ObservedKind kinds[] = {ObservedKind::run,     ObservedKind::cell,  ObservedKind::boundary,
                                  ObservedKind::part,    ObservedKind::joint, ObservedKind::machine,
                                  ObservedKind::opening, ObservedKind::bonds, ObservedKind::body,
                                  ObservedKind::region};

/// The name of a part of a kind in the scene above, in the form that its key requires.
std::string part_of(ObservedKind kind, const Observable& quantity, const Scene& scene) {
  if (kind == ObservedKind::body) return "0";
  const std::vector<std::string> names = part_names(kind, scene.model);
  for (std::size_t k = 0; k < names.size(); ++k)
    if (quantity.is_known_of(scene.model, static_cast<std::int64_t>(k))) return '"' + names[k] + '"';
  return "";
}

std::string event_on(ObservedKind kind, const Observable& quantity, const Scene& scene) {
  const ObservedKindWords& of = words_of(kind);
  std::string text = std::string("[[events]]\nrises_above = 1e9\nrecord = true\nquantity = \"") +
                     (kind == ObservedKind::machine ? "machine." : "") + quantity.name + "\"\n";
  if (kind == ObservedKind::region)
    return text + "region = { type = \"box\", low = [0, 0, 0], high = [1, 1, 1] }\n";
  return *of.key == '\0' ? text : text + of.key + " = " + part_of(kind, quantity, scene) + '\n';
}

TEST(Observables, NamesAreUniqueAndMagnitudesFollowComponents) {
  for (const ObservedKind kind : kinds) {
    std::set<std::string> names;
    const std::span<const Observable> list = observables(kind);
    for (std::size_t k = 0; k < list.size(); ++k) {
      EXPECT_TRUE(names.insert(list[k].name).second) << list[k].name;
      EXPECT_EQ(find_observable(kind, list[k].name), &list[k]);
      EXPECT_EQ(list[k].value == nullptr, list[k].form == ObservedForm::size) << list[k].name;
      if (list[k].form != ObservedForm::size) continue;
      ASSERT_GE(k, 3u);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::string component = list[k - 3 + axis].name;
        EXPECT_NE(component.find(std::string("_") + "xyz"[axis] + "_"), std::string::npos) << component;
        EXPECT_STREQ(list[k - 3 + axis].unit, list[k].unit);
      }
    }
  }
}

TEST(Observables, AreInTablesEventConditionsFmuOutputsAndDocs) {
  const std::string page = observables_page(), steps = ',' + step_table_header() + ',';
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "scree_observables_test";
  std::filesystem::create_directories(folder);
  for (const ObservedKind kind : kinds) {
    const Scene scene = read_scene_text(scene_of(kind), "scene.toml");
    std::set<std::string> outputs;
    for (const Variable& variable : variables_of(scene))
      if (variable.causality == Variable::Causality::output) outputs.insert(variable.name);
    const ObservedKindWords& of = words_of(kind);
    std::string columns = steps;
    if (kind != ObservedKind::run && *of.table != '\0') {
      const std::filesystem::path file = folder / (std::string(of.table) + ".csv");
      ObservableTable(file, kind, scene.model).close();
      std::ifstream stream(file);
      std::getline(stream, columns);
      columns = ',' + columns + ',';
    }
    for (const Observable& quantity : observables(kind)) {
      const std::string name = quantity.name;
      EXPECT_NE(page.find("| `" + name + "` |"), std::string::npos) << name;
      EXPECT_TRUE(*of.table == '\0' || columns.find(',' + name + ',') != std::string::npos)
          << of.table << ' ' << name;
      if (!quantity.is_reproducible()) continue;
      const Scene with_event =
          read_scene_text(scene_of(kind) + event_on(kind, quantity, scene), "scene.toml");
      ASSERT_EQ(with_event.events.size(), 1u) << name;
      const StepResult start = start_result(scene.model, scene.initial);
      EXPECT_TRUE(std::isfinite(with_event.events[0].condition.value({scene.model, scene.initial, start})))
          << name;
      if (kind == ObservedKind::body || kind == ObservedKind::region || quantity.form == ObservedForm::clock)
        continue;
      EXPECT_TRUE(std::ranges::any_of(outputs, [&](const std::string& output) {
        return output == name || output.ends_with('.' + name);
      })) << name;
    }
  }
  std::filesystem::remove_all(folder);
}

TEST(Observables, PageIsUpToDate) {
  std::ifstream stream(std::filesystem::path(SCREE_SOURCE_DIR) / "docs" / "observables.md");
  const std::string committed{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  EXPECT_EQ(committed, observables_page()) << "run: scree observables > docs/observables.md";
}

// Two walls of a box together: the magnitude of their total force, not the sum of magnitudes.
TEST(Observables, MagnitudeOfSeveralPartsIsThatOfTheSum) {
  const Scene scene = read_scene_text(machine_scene, "scene.toml");
  StepResult result = start_result(scene.model, scene.initial);
  result.report.time_step_s = 0.5;
  result.boundaries[0].impulse = Vec3(3, 0, 0);
  result.boundaries[1].impulse = Vec3(0, 4, 0);
  const std::int64_t both[] = {0, 1};
  const Observed now{scene.model, scene.initial, result};
  EXPECT_DOUBLE_EQ(value(*find_observable(ObservedKind::boundary, "force_N"), now, both), 10.0);
  EXPECT_DOUBLE_EQ(value(*find_observable(ObservedKind::boundary, "force_N"), now, 1), 8.0);
  EXPECT_DOUBLE_EQ(value(*find_observable(ObservedKind::boundary, "force_x_N"), now, both), 6.0);
}

}  // namespace
}  // namespace scree::io
