// Every broken scene in bad/ gets exactly the messages written beside it.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

#include "io/scene/read_scene.h"

namespace scree::io {
namespace {

const std::filesystem::path folder = std::filesystem::path(SCREE_SOURCE_DIR) / "tests" / "scene" / "bad";

std::string read_text(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::vector<std::string> bad_scenes() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class BadScene : public testing::TestWithParam<std::string> {};

TEST_P(BadScene, ReportsAllErrors) {
  std::filesystem::current_path(folder);  // messages then name files without their folder
#ifndef SCREE_MODELS
  if (read_text(GetParam() + ".toml").find("[[models]]") != std::string::npos)
    GTEST_SKIP() << "no declarative models in this build";
#endif
  const std::string expected = read_text(GetParam() + ".txt");
  ASSERT_FALSE(expected.empty()) << "no expected messages in " << GetParam() << ".txt";
  try {
    read_scene(GetParam() + ".toml");
    FAIL() << "was accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()) + '\n', expected);
  }
}

INSTANTIATE_TEST_SUITE_P(All, BadScene, testing::ValuesIn(bad_scenes()),
                         [](const auto& test) { return test.param; });

TEST(BadSceneFile, CannotBeOpened) {
  try {
    std::filesystem::current_path(folder);
    read_scene("16_bodies_overlp.toml");
    FAIL() << "was accepted";
  } catch (const InputError& error) {
    const std::string told = error.what();
    EXPECT_TRUE(
        told.starts_with("16_bodies_overlp.toml: cannot be opened: No such file or directory; there are 01_"))
        << told;
    EXPECT_TRUE(told.ends_with(", ...; did you mean '16_bodies_overlap.toml'?")) << told;
  }
}

TEST(BadSceneFile, TooManyBodiesAreRejectedBeforeCreation) {
  const std::string text =
      "[[materials]]\nname = \"m\"\ndensity = 1000\n[[bodies]]\ngenerate = \"lattice\"\nradius = 0.1\n"
      "count = 1_000_000_000\nregion = { type = \"box\", low = [0, 0, 0], high = [1000, 1000, 1000] }\n";
  try {
    read_scene_text(text, "many.toml", {}, 1'000'000);
    FAIL() << "was accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "many.toml:7:9: bodies[0].count: is too large: these bodies need more memory than this "
                 "machine has (value "
                 "1000000000, allowed <= 1000000)");
  }
}

TEST(BadSceneFile, IsAFolder) {
  try {
    read_scene(folder);
    FAIL() << "was accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), folder.string() + ": is a folder, not a scene file");
  }
}

}  // namespace
}  // namespace scree::io
