// The scenes that come with the project are valid.
#include "tests/support/shipped_scenes.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "io/scene/read_scene.h"

namespace scree::io {
namespace {

const std::filesystem::path folder = std::filesystem::path(SCREE_SOURCE_DIR) / "scenes";

[[maybe_unused]] std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

class ShippedScene : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(ShippedScene, PassesItsChecks) {
#ifndef SCREE_MODELS
  if (text_of(GetParam()).find("[[models]]") != std::string::npos)
    GTEST_SKIP() << "no declarative models in this build";
#endif
  const Scene scene = read_scene(GetParam());
  EXPECT_GT(scene.initial.bodies.size() + scene.model.inlets.size(), 0u);
  EXPECT_FALSE(scene.description.empty());
  EXPECT_TRUE(scene.warnings.empty()) << to_string(scene.warnings[0]);
  EXPECT_TRUE(std::filesystem::exists(GetParam().parent_path() / "README.md"));
}

TEST(ShippedShapes, CanAllBeRead) {
  int shapes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "shapes")) {
    if (entry.path().extension() != ".toml") continue;
    ++shapes;
    const Scene scene = read_scene_text(
        "gravity = [0, 0, 0]\n[[materials]]\nname = \"m\"\ndensity = 1000\n[[shapes]]\nname = \"s\"\nfile = "
        "\"" +
            entry.path().string() + "\"\n[[bodies]]\nshape = \"s\"\nsize = 0.01\nposition = [0, 0, 0]\n",
        "scene.toml");
    EXPECT_GT(scene.initial.bodies.mass.at(0), 0.0) << entry.path();
  }
  EXPECT_EQ(shapes, 15);
}

INSTANTIATE_TEST_SUITE_P(All, ShippedScene, testing::ValuesIn(test::shipped_scenes()),
                         [](const auto& test) { return test.param.stem().string(); });

TEST(ShippedScenes, SettlingBoxesHaveTheSameBodies) {
  const Scene small = read_scene(folder / "settling_box" / "settling_box.toml");
  const Scene large = read_scene(folder / "settling_box_8000" / "settling_box_8000.toml");
  EXPECT_EQ(small.initial.bodies.size(), 1000u);
  EXPECT_EQ(large.initial.bodies.size(), 8000u);
  EXPECT_EQ(small.initial.bodies.mass[0], large.initial.bodies.mass[0]);
}

TEST(ShippedScenes, SettlingBoxFloorGrowsWithTheBodyCount) {
  const Scene scene = read_scene(folder / "settling_box_n" / "settling_box_n.toml", {{"count", "4000"}});
  EXPECT_EQ(scene.initial.bodies.size(), 4000u);
  double reach = 0.0;
  for (const Vec3& p : scene.initial.bodies.position)
    reach = std::max(reach, p.head<2>().cwiseAbs().maxCoeff());
  EXPECT_GT(reach, 1.8);
  EXPECT_LT(reach, 2.0);
}

TEST(ShippedScenes, GlassRiceAndSteelDifferInWeight) {
  const Scene scene = read_scene(folder / "glass_rice_steel" / "glass_rice_steel.toml");
  const Bodies& bodies = scene.initial.bodies;
  ASSERT_EQ(bodies.size(), 880u);
  const auto [lightest, heaviest] = std::minmax_element(bodies.mass.begin(), bodies.mass.end());
  EXPECT_GT(*heaviest / *lightest, 50.0);
}

TEST(ShippedScenes, TheHopperIsFullAtTheStart) {
  const Scene scene = read_scene(folder / "rounded_hopper" / "rounded_hopper.toml");
  EXPECT_EQ(scene.initial.bodies.size(), 600u);
  for (const Vec3& p : scene.initial.bodies.position) {
    EXPECT_LT(p.head<2>().norm(), 0.25);  // inside the silo
    EXPECT_GT(p.z(), 0.6);                // above its outlet
  }
}

}  // namespace
}  // namespace scree::io
