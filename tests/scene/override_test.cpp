// Parameters, expressions and --set.
#include <gtest/gtest.h>
#include <numbers>

#include "io/scene/expressions.h"
#include "io/scene/read_scene.h"

namespace scree::io {
namespace {

const std::string text = R"(
[parameters]
radius = 0.1
double_radius = "= 2 * radius"
stuff = "glass"

[[materials]]
name = "glass"
density = 2500

[[materials]]
name = "steel"
density = 7800

[[bodies]]
radius = "= double_radius"
position = [0, 0, "= 3 * double_radius + 0.5"]
material = "= stuff"
)";

double radius(const Scene& scene) {
  return enclosing_ellipsoid(scene.model.shapes, ShapeIndex(0)).semi_axes[0];
}

std::string message(const std::vector<Override>& overrides) {
  try {
    read_scene_text(text, "scene.toml", overrides);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

double value(const std::string& expression) {
  return evaluate(expression, [](const std::string& name) { return name == "x" ? 3.0 : 0.0; });
}

TEST(Expressions, HaveTheUsualPrecedence) {
  EXPECT_DOUBLE_EQ(value("1 + 2 * x"), 7.0);
  EXPECT_DOUBLE_EQ(value("(1 + 2) * x"), 9.0);
  EXPECT_DOUBLE_EQ(value("-x ^ 2"), -9.0);
  EXPECT_DOUBLE_EQ(value("2 ^ 3 ^ 2"), 512.0);
  EXPECT_DOUBLE_EQ(value("2 ^ -1"), 0.5);
  EXPECT_DOUBLE_EQ(value("8 / 2 / 2 - 1 - 1"), 0.0);
  EXPECT_DOUBLE_EQ(value("1.5e1 + .5"), 15.5);
}

TEST(Expressions, EvaluateFunctionsAndAngles) {
  EXPECT_DOUBLE_EQ(value("sin(30 * degree)"), std::sin(std::numbers::pi / 6.0));
  EXPECT_DOUBLE_EQ(value("min(x, 2, 5) + max(x, 2)"), 5.0);
  EXPECT_DOUBLE_EQ(value("round(sqrt(17)) + floor(-0.5) + ceil(0.2) + abs(-2) + cos(0) + tan(0)"), 7.0);
}

TEST(Parameters, AreComputedWhereverTheyAreUsed) {
  const Scene scene = read_scene_text(text, "scene.toml");
  EXPECT_DOUBLE_EQ(radius(scene), 0.2);
  EXPECT_DOUBLE_EQ(scene.initial.bodies.position[0].z(), 1.1);
  EXPECT_EQ(scene.model.materials.name(scene.initial.bodies.material[0]), "glass");
  EXPECT_TRUE(scene.warnings.empty());
}

TEST(Parameters, UnusedParametersGiveAWarning) {
  const Scene scene = read_scene_text(
      "[parameters]\nspare = 1\n" + text.substr(text.find("[[materials]]")), "scene.toml",
      {{"bodies[0].radius", "0.1"}, {"bodies[0].position", "[0, 0, 0]"}, {"bodies[0].material", "glass"}});
  ASSERT_EQ(scene.warnings.size(), 1u);
  EXPECT_EQ(to_string(scene.warnings[0]), "scene.toml:2:1: parameters.spare: is not used by any expression");
}

TEST(Override, TakesAParameterByItsName) {
  EXPECT_DOUBLE_EQ(radius(read_scene_text(text, "scene.toml", {{"radius", "0.25"}})), 0.5);
  EXPECT_DOUBLE_EQ(radius(read_scene_text(text, "scene.toml", {{"parameters.radius", "0.25"}})), 0.5);
}

TEST(Override, TakesWordsWithoutQuotesAndExpressions) {
  const Scene scene = read_scene_text(text, "scene.toml", {{"stuff", "steel"}, {"radius", "= 0.2 / 2"}});
  EXPECT_EQ(scene.model.materials.name(scene.initial.bodies.material[0]), "steel");
  EXPECT_DOUBLE_EQ(radius(scene), 0.2);
}

TEST(Override, TakesAnyKeyPath) {
  const Scene scene = read_scene_text(text, "scene.toml",
                                      {{"solver.max_sweeps", "50"},
                                       {"end_time", "3"},
                                       {"bodies[0].radius", "0.7"},
                                       {"bodies[0].position[2]", "4"},
                                       {"materials[1].density", "1000"},
                                       {"output.fields", "[\"overlap\"]"}});
  EXPECT_EQ(scene.model.settings.solver.max_sweeps, 50);
  EXPECT_DOUBLE_EQ(scene.end_time_s, 3.0);
  EXPECT_DOUBLE_EQ(radius(scene), 0.7);
  EXPECT_DOUBLE_EQ(scene.initial.bodies.position[0].z(), 4.0);
  EXPECT_DOUBLE_EQ(scene.model.materials.density(MaterialIndex(1)), 1000.0);
  EXPECT_EQ(scene.output.fields, std::vector<std::string>{"overlap"});
  EXPECT_EQ(scene.overrides.size(), 6u);
}

TEST(Override, IsValidatedLikeTheFile) {
  EXPECT_EQ(
      message({{"radius", "-1"}}),
      "scene.toml:16:10: bodies[0].radius: is out of range (value -2 m, allowed > 0); computed from \"= "
      "double_radius\"");
  EXPECT_EQ(message({{"solver.max_sweps", "50"}}),
            "--set solver.max_sweps=50: solver.max_sweps: unknown key; did you mean 'max_sweeps'?");
  EXPECT_EQ(message({{"time_step", "fast"}}),
            "--set time_step=fast: time_step: must be a number or a word (value \"fast\", allowed > 0 or "
            "\"adaptive\")");
}

TEST(Override, ReportsUnknownKeysAndEntries) {
  EXPECT_EQ(message({{"raduis", "1"}}),
            "--set raduis=1: raduis: is neither a parameter nor a key of the scene; did you mean 'radius'?");
  EXPECT_EQ(message({{"bodies[3].radius", "1"}}),
            "--set bodies[3].radius=1: bodies[3].radius: has no entry [3] (allowed 0 to 0)");
  EXPECT_EQ(message({{"bodies.radius", "1"}}),
            "--set bodies.radius=1: bodies.radius: 'radius' is not in a table; write the number of an entry "
            "before it, for example [0]");
  EXPECT_EQ(message({{"[0]", "1"}}),
            "--set [0]=1: [0]: is not a key path such as solver.max_sweeps or bodies[2].radius");
}

TEST(Override, IsSplitAtTheFirstEqualsSign) {
  EXPECT_EQ(parse_override("radius== 2 * 3"), (Override{"radius", "= 2 * 3"}));
  EXPECT_THROW(parse_override("radius"), InputError);
  EXPECT_THROW(parse_override("=2"), InputError);
}

}  // namespace
}  // namespace scree::io
