// The variables of a scene as a unit, and its communication steps.
#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "engine/core/state_hash.h"
#include "engine/run/run.h"
#include "engine/simulation/step.h"
#include "io/fmu/description.h"
#include "io/scene/read_scene.h"

namespace scree::io {
namespace {

// The same name for a joint, a part and a boundary, and characters that XML must escape.
constexpr const char* alike = R"(
name = "2 & more"
time_step = 0.001
end_time = 0.1
parts = [{ name = "arm", freedom = "all", mass = 1, moments = [1, 1, 1], centre = [0.5, 0, 0] }]
boundaries = [{ name = "arm", type = "plane", point = [0, 0, -5] }]
joints = [{ name = "arm", type = "revolute", b = "arm", point = [0, 0, 0], axis = [0, 1, 0], motor = { type = "speed", value = 2 } },
          { name = "a<b&\"c\"", type = "rod", b = "arm", point_a = [0.5, 0, 1], point_b = [0.5, 0, 0] }]
materials = [{ name = "m", density = 1000 }]
bodies = [{ position = [0, 3, 0], semi_axes = [0.1, 0.1, 0.1] }]
)";

std::size_t place(const std::vector<Variable>& variables, const std::string& name) {
  const auto found = std::ranges::find(variables, name, &Variable::name);
  EXPECT_NE(found, variables.end()) << name;
  return static_cast<std::size_t>(found - variables.begin());
}

TEST(FmuVariables, EqualNamesAreDistinguishedByKind) {
  const Scene scene = read_scene_text(alike, "scene.toml");
  const std::vector<Variable> variables = variables_of(scene);
  std::set<std::string> names;
  for (const Variable& variable : variables) EXPECT_TRUE(names.insert(variable.name).second) << variable.name;
  EXPECT_TRUE(names.contains("arm.motor"));
  EXPECT_TRUE(names.contains("boundary.arm.force_x_N"));
  EXPECT_TRUE(names.contains("part.arm.position_x_m"));
}

TEST(FmuVariables, HaveStartValuesOfTheScene) {
  const Scene scene = read_scene_text(alike, "scene.toml");
  const std::vector<Variable> variables = variables_of(scene);
  const Variable& motor = variables[place(variables, "arm.motor")];
  EXPECT_EQ(motor.causality, Variable::Causality::input);
  EXPECT_EQ(motor.start, 2.0);
  EXPECT_EQ(motor.unit, "rad/s");
  const StepResult nothing = start_result(scene.model, scene.initial);
  const CommunicationStep start(variables, {scene.model, scene.initial, nothing});
  EXPECT_EQ(start.value(variables, place(variables, "part.arm.position_x_m")), 0.5);
  EXPECT_EQ(start.value(variables, place(variables, "arm.force_x_N")), 0.0);
}

TEST(FmuDescription, EscapesXmlCharacters) {
  const Scene scene = read_scene_text(alike, "scene.toml");
  const std::string text = model_description(scene, variables_of(scene));
  EXPECT_NE(text.find("modelName=\"2 &amp; more\""), std::string::npos) << text.substr(0, 300);
  EXPECT_NE(text.find("name=\"a&lt;b&amp;&quot;c&quot;.force_x_N\""), std::string::npos);
}

TEST(FmuDescription, IdentifiersAreValidInC) {
  EXPECT_EQ(model_identifier("four-bar 2"), "four_bar_2");
  EXPECT_EQ(model_identifier("4bar"), "scene_4bar");
  EXPECT_EQ(model_identifier(""), "scene_");
  EXPECT_EQ(model_identifier("\xc3\xa4"), "__");
}

TEST(FmuDescription, GuidDependsOnSceneAndVariablesOnly) {
  const Scene scene = read_scene_text(alike, "scene.toml");
  Scene other = read_scene_text(alike, "elsewhere/another.toml");
  std::vector<Variable> variables = variables_of(scene);
  const std::string guid = guid_of(scene, variables);
  EXPECT_EQ(guid_of(other, variables_of(other)), guid);
  other.text += '\n';
  EXPECT_NE(guid_of(other, variables), guid);
  variables.pop_back();
  EXPECT_NE(guid_of(scene, variables), guid);
}

// Means, sums, largest and last values of two steps of unequal lengths.
TEST(FmuCommunicationStep, MergesStepsByTheRuleOfEachVariable) {
  const Scene scene = read_scene_text(alike, "scene.toml");
  const std::vector<Variable> variables = variables_of(scene);
  StepResult step = start_result(scene.model, scene.initial);
  CommunicationStep done(variables, {scene.model, scene.initial, step});
  done.begin();
  for (const double h : {1e-3, 3e-3}) {
    step.report.time_step_s = h;
    step.report.residual_rms_m_s = 4e-3 - h;
    step.report.energy.kinetic = h;
    step.report.status = h > 2e-3 ? SolveStatus::converged : SolveStatus::iteration_limit;
    step.boundaries[0].impulse = Vec3(0, 0, h > 2e-3 ? 5.0 : 1.0);
    step.boundaries[0].work = h;
    done.add(variables, {scene.model, scene.initial, step});
  }
  const auto value = [&](const char* name) { return done.value(variables, place(variables, name)); };
  EXPECT_DOUBLE_EQ(value("boundary.arm.force_z_N"), 6.0 / 4e-3);
  EXPECT_DOUBLE_EQ(value("boundary.arm.work_J"), 4e-3);
  EXPECT_EQ(value("residual_rms_m_s"), 3e-3);
  EXPECT_EQ(value("kinetic_energy_J"), 3e-3);
  EXPECT_EQ(value("not_converged"), 1.0);
}

TEST(FmuDescription, UnitsAreProductsOfBaseUnits) {
  const Scene scene = read_scene_text(alike, "scene.toml");
  const std::string text = model_description(scene, variables_of(scene));
  for (const char* unit : {R"(<Unit name="N.m"><BaseUnit kg="1" m="2" s="-2" /></Unit>)",
                           R"(<Unit name="kg.m2/s"><BaseUnit kg="1" m="2" s="-1" /></Unit>)",
                           R"(<Unit name="W"><BaseUnit kg="1" m="2" s="-3" /></Unit>)",
                           R"(<Unit name="rad/s"><BaseUnit s="-1" rad="1" /></Unit>)"})
    EXPECT_NE(text.find(unit), std::string::npos) << unit;
}

}  // namespace
}  // namespace scree::io
