// Values that granular scenes hardly ever have are warned of, and none of the usual ones.
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

TEST(Plausibility, SaysWhatIsUnusual) {
  EXPECT_EQ(warnings("2500", "0.5", "0.05", "0.002"), Told{});
  EXPECT_EQ(warnings("2.5", "0.5", "0.05", "0.002"),
            Told{"odd.toml:4:11: materials[0].density: is unusual: no grains are so light or heavy (value "
                 "2.5 kg/m^3); usual "
                 "is 10 to 23000 kg/m^3; 2.5 g/cm^3 are 2500 kg/m^3"});
  EXPECT_EQ(warnings("2500", "3", "0.05", "0.002"),
            Told{"odd.toml:5:12: materials[0].friction: is unusual: hardly anything is so rough (value 3); "
                 "usual is 0 to 2"});
  EXPECT_EQ(warnings("2500", "0.5", "50", "0.002"),
            Told{"odd.toml:6:1: bodies[0]: its size is unusual: scenes are in metres (value 50 m); usual is "
                 "1e-06 to 10 m "
                 "from the centre to the surface"});
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

}  // namespace
}  // namespace scree::io
