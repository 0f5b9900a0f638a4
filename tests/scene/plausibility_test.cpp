// Unusual values for granular scenes give a warning, and usual ones do not.
#include <filesystem>
#include <gtest/gtest.h>

#include "io/scene/read_scene.h"

namespace scree::io {
namespace {

std::vector<std::string> warnings(const std::string& density, const std::string& friction,
                                  const std::string& radius, const std::string& time_step) {
  const Scene scene = read_scene_text(
      "time_step = " + time_step + "\n[[materials]]\nname = \"m\"\ndensity = " + density +
          "\nfriction = " + friction + "\n[[bodies]]\nradius = " + radius + "\nposition = [0, 0, 0]\n",
      "odd.toml");
  std::vector<std::string> told;
  for (const Fault& warning : scene.warnings) told.push_back(to_string(warning));
  return told;
}

using Told = std::vector<std::string>;

TEST(Plausibility, WarnsOfUnusualMaterialValues) {
  EXPECT_EQ(warnings("2500", "0.5", "0.05", "0.002"), Told{});
  EXPECT_EQ(warnings("2.5", "0.5", "0.05", "0.002"),
            Told{"odd.toml:4:11: materials[0].density: is unusual: grains are not so light or heavy (value "
                 "2.5 kg/m^3); usual values: 10 to 23000 kg/m^3; 2.5 g/cm^3 are 2500 kg/m^3"});
  EXPECT_EQ(
      warnings("2500", "3", "0.05", "0.002"),
      Told{"odd.toml:5:12: materials[0].friction: is unusual: real materials are rarely so rough (value 3); "
           "usual values: 0 to 2"});
  EXPECT_EQ(warnings("2500", "0.5", "50", "0.002"),
            Told{"odd.toml:6:1: bodies[0]: has an unusual size; lengths are in metres (value 50 m); usual "
                 "distances from the centre to the surface: 1e-06 to 2 m"});
}

// A sphere of 0.1 mm falls by its radius in sqrt(2 r / g) = 4.515 ms: 2.3 steps of 2 ms; an eighth of it is
// safe.
TEST(Plausibility, ComparesStepWithSizeAndGravity) {
  EXPECT_EQ(warnings("2500", "0.5", "1e-4", "0.001"), Told{});
  EXPECT_EQ(warnings("2500", "0.5", "1e-4", "0.002"),
            Told{"odd.toml: time_step: is long: the smallest bodies fall by their smallest semi-axis of "
                 "0.0001 m in 2.3 steps "
                 "(value 0.002 s); time_step = 0.0008 would be safe"});
}

std::vector<std::string> told_of(const std::string& scene) {
  std::vector<std::string> told;
  for (const Fault& warning :
       read_scene_text(scene, std::filesystem::path(SCREE_SOURCE_DIR) / "tests" / "scene" / "odd.toml")
           .warnings)
    told.push_back(to_string(warning).substr(to_string(warning).find("odd.toml")));
  return told;
}

std::string with_rolling(const std::string& rolling, const std::string& of_pair = "") {
  return R"(
time_step = 1e-3
[[materials]]
name = "grain"
density = 2500
rolling_friction = )" +
         rolling + R"(
[[materials]]
name = "wall"
density = 2500
[[bodies]]
material = "grain"
semi_axes = [0.03, 0.02, 0.01]
position = [0, 0, 1]
[[bodies]]
material = "grain"
radius = 0.05
position = [0, 0, 2]
[[boundaries]]
material = "wall"
type = "plane"
)" + of_pair;
}

// Other codes have ratios where Scree has lengths.
TEST(Plausibility, WarnsOfRollingFrictionNearTheSmallestRadius) {
  EXPECT_EQ(told_of(with_rolling("0.006")), Told{});
  EXPECT_EQ(told_of(with_rolling("0.012")),
            Told{"odd.toml:6:20: materials[0].rolling_friction: is a length in m, and 0.4 times the smallest "
                 "radius of the bodies (0.03 m); perhaps a ratio to the radius was meant (value 0.012 m); "
                 "rolling_friction_ratio = 0.012 is the dimensionless form"});
  const Told pair = told_of(
      with_rolling("0", "[[material_pairs]]\nmaterials = [\"grain\", \"wall\"]\ntorsional_friction = 0.1\n"));
  ASSERT_EQ(pair.size(), 1u);
  EXPECT_NE(pair[0].find("material_pairs[0].torsional_friction: is a length in m"), std::string::npos);
  // The floor's material, which no body has; and an inlet's grains.
  std::string of_wall = with_rolling("0");
  of_wall.insert(of_wall.find("density = 2500\n[[bodies]]"), "rolling_friction = 0.1\n");
  EXPECT_EQ(told_of(of_wall).size(), 1u);
  const std::string inlet = R"(
[[inlets]]
material = "grain"
radius = 0.001
number_rate = 10
region = { type = "box", low = [-0.1, -0.1, 3], high = [0.1, 0.1, 3.2] }
)";
  EXPECT_EQ(told_of(with_rolling("0.002", inlet)).size(), 1u);
}

std::string one_ball(const std::string& top, const std::string& material = "") {
  return top + "[[materials]]\nname = \"m\"\ndensity = 2500\n" + material +
         "[[bodies]]\nradius = 0.01\nposition = [0, 0, 0.1]\n[[boundaries]]\ntype = \"plane\"\n";
}

void expect_one(const std::string& scene, const std::string& part) {
  const Told told = told_of(scene);
  ASSERT_EQ(told.size(), 1u) << part;
  EXPECT_NE(told[0].find(part), std::string::npos) << told[0];
}

// Habits of other codes: each is a scene without errors, and hardly ever what was meant.
TEST(Plausibility, WarnsOfHabitsOfOtherCodes) {
  EXPECT_EQ(told_of(one_ball("")), Told{});
  expect_one(one_ball("time_step = 1e-6\n"), "odd.toml:1:13: time_step: is short: contacts are rigid");
  expect_one(one_ball("end_time = 100000\n"), "100000 steps end at 200 s");
  expect_one(one_ball("end_time = 10\n[output]\ninterval = 1000\n"), "1000 steps are 2 s");
  expect_one(one_ball("gravity = [0, 0, \"= -9.81 * sin(90)\"]\n"), "write sin(90 * degree) for degrees");
  expect_one(one_ball("", "friction = 40\n"), "40 % are 0.4, an angle of 40 degrees is");
  expect_one(one_ball("", "adhesion_energy = 1e5\n"), "an energy per area, not per volume (J/m^3)");
  expect_one(one_ball("", "youngs_modulus = 5e5\n"), "steps do not depend on it");
}

// Scenes that run, and hardly do what was meant.
TEST(Plausibility, WarnsOfScenesWithoutPurpose) {
  expect_one(one_ball("end_time = 4e-4\ntime_step = 1e-3\n"),
             "odd.toml:1:12: end_time: is shorter than half");
  EXPECT_EQ(told_of(one_ball("end_time = 0\n")), Told{});
  expect_one(one_ball("gravity = [0, 0, 9.81]\n"), "gravity: points away from all walls");
  expect_one(one_ball("[domain]\nlow = [-1, -1, 0.5]\nhigh = [1, 1, 1]\noutside = \"remove\"\n"),
             "domain: does not hold 1 of 1 bodies at the start");
  expect_one(one_ball("", "surface_tension = 73\nbridge_volume = 1e-9\n"), "73 mN/m are 0.073 N/m");
  expect_one(one_ball("", "surface_tension = 0.07\nbridge_volume = 0.05\n"),
             "0.05 microlitres are 5e-11 m^3");
  expect_one(one_ball("", "bridge_volume = 1e-9\n"), "has no effect without surface_tension");
  EXPECT_EQ(told_of(one_ball("", "surface_tension = 0.07\nbridge_volume = 1e-9\n")), Told{});
}

// A measure that looks at the ends of rows sees one phase of a vibrating wall if rows are whole periods.
TEST(Plausibility, WarnsOfMeasurementsThatMeetOnePhase) {
  const auto measured = [&](const std::string& measure, const std::string& interval) {
    return one_ball("") + R"(
[[boundaries.motion]]
type = "translation"
direction = [0, 0, 1]
amplitude = 5e-5
frequency = 50
[[measurements]]
measure = ")" +
           measure + R"("
region = { type = "box", low = [-1, -1, 0], high = [1, 1, 1] }
interval = )" +
           interval + '\n';
  };
  expect_one(measured("bulk", "0.02"), "is 1 times the period of");
  expect_one(measured("bulk", "0.2"), "interval = 0.0062 meets all phases");
  EXPECT_EQ(told_of(measured("bulk", "0.017")), Told{});
  EXPECT_EQ(told_of(measured("residence", "0.02")), Told{});
}

TEST(Plausibility, WarnsOfBodiesThatFallWithoutEnd) {
  const std::string scene =
      "[[materials]]\nname = \"m\"\ndensity = 2500\n[[bodies]]\nradius = 0.01\ngenerate = \"lattice\"\ncount "
      "= 8\n"
      "region = {type = \"box\", low = [0, 0, 0], high = [1, 1, 1]}\n";
  expect_one(scene, "boundaries: are missing: the bodies fall without end");
  EXPECT_EQ(told_of("gravity = [0, 0, 0]\n" + scene), Told{});
}

// gate.stl is 0.6 long.
TEST(Plausibility, WarnsOfMeshesAThousandTimesTooLarge) {
  const auto with_gate = [](const std::string& radius, const std::string& more = "") {
    return told_of(
        "time_step = 1e-5\n[[materials]]\nname = \"m\"\ndensity = 2500\n[[bodies]]\nradius = " + radius +
        "\nposition = [0, 0, 50]\n[[boundaries]]\ntype = \"mesh\"\nsheets = true\nfile = "
        "\"../../scenes/moving_walls/gate.stl\"\n" +
        more);
  };
  EXPECT_EQ(with_gate("0.012"), Told{});
  EXPECT_EQ(with_gate("0.012", "scale = 1000"),
            Told{"odd.toml:11:8: boundaries[0].file: has a mesh of 600 m, 2.5e+04 times the largest body; "
                 "perhaps its unit is the millimetre (value \"../../scenes/moving_walls/gate.stl\"); scale = "
                 "1 would make it 0.6 m"});
  EXPECT_EQ(with_gate("0.0005").size(), 1u);
}

}  // namespace
}  // namespace scree::io
