#include "io/render/camera.h"

#include <gtest/gtest.h>

#include "engine/core/random.h"
#include "io/render/labels.h"
#include "io/results/colour_map.h"

namespace scree::test {

TEST(FramingCamera, HasAllPointsInThePictureAndTwoAtItsEdges) {
  Random random(3);
  for (const std::string_view view : io::view_names()) {
    std::vector<Vec3> points;
    points.reserve(200);
    for (int i = 0; i < 200; ++i) {
      points.emplace_back(random.uniform(-1.0, 3.0), random.uniform(2.0, 2.5), random.uniform(0.0, 1.0));
    }
    const Vec3 direction = io::view_direction(view, Vec3::UnitZ());
    EXPECT_NEAR(direction.norm(), 1.0, 1e-15);
    const io::Camera camera = io::framing_camera(points, direction, Vec3::UnitZ(), 1.5, 0.1);
    const io::Lens lens(camera, 1.5);
    double reach = 0.0;
    for (const Vec3& point : points) {
      const auto at = lens.project(point);
      ASSERT_TRUE(at);
      reach = std::max(reach, at->cwiseAbs().maxCoeff());
    }
    // The margin is a tenth of half the picture: one pair of edges is reached, the other has room.
    EXPECT_NEAR(reach, 0.9, 1e-9) << view;
  }
}

TEST(Lens, ProjectsThePointsThatItsRaysHit) {
  const io::Camera camera{{3.0, -2.0, 1.0}, {0.0, 0.5, 0.2}, Vec3::UnitZ(), 0.7};
  const io::Lens lens(camera, 1.6);
  for (const double x : {-0.9, 0.0, 0.4}) {
    for (const double y : {-0.5, 0.0, 1.0}) {
      const auto at = lens.project(camera.eye + 7.0 * lens.direction(x, y));
      ASSERT_TRUE(at);
      EXPECT_NEAR(at->x(), x, 1e-12);
      EXPECT_NEAR(at->y(), y, 1e-12);
    }
  }
  EXPECT_FALSE(lens.project(camera.eye - lens.direction(0.0, 0.0)));
  // Up is up, and right is to the right of a viewer along +y.
  const io::Lens north({{0.0, -1.0, 0.0}, Vec3::Zero(), Vec3::UnitZ(), 0.5}, 1.0);
  EXPECT_GT(north.direction(0.0, 1.0).z(), 0.2);
  EXPECT_GT(north.direction(1.0, 0.0).x(), 0.2);
}

TEST(ColourMap, RunsFromItsFirstColourToItsLast) {
  const io::ColourMap viridis("viridis");
  // #440154 and #fde725, and #21918c in the middle (a step of the full map is within 3 of 255).
  EXPECT_LT((255.0f * viridis(0.0f) - io::Colour(0x44, 0x01, 0x54)).norm(), 1e-3f);
  EXPECT_LT((255.0f * viridis(1.0f) - io::Colour(0xfd, 0xe7, 0x25)).norm(), 1e-3f);
  EXPECT_LT((255.0f * viridis(0.5f) - io::Colour(0x21, 0x91, 0x8c)).cwiseAbs().maxCoeff(), 3.0f);
  EXPECT_EQ(viridis(-1.0f), viridis(0.0f));
  EXPECT_EQ(viridis(7.0f), viridis(1.0f));
  EXPECT_EQ(viridis(std::numeric_limits<float>::quiet_NaN()), viridis(0.0f));
}

TEST(ColourMap, LuminanceIncreasesMonotonically) {
  for (const std::string_view name : io::ColourMap::names()) {
    const io::ColourMap map(name);
    float last = -1.0f;
    for (int k = 0; k <= 64; ++k) {
      const io::Colour light = io::to_linear(map(static_cast<float>(k) / 64.0f));
      const float luminance = 0.2126f * light[0] + 0.7152f * light[1] + 0.0722f * light[2];
      EXPECT_GT(luminance, last) << name << ' ' << k;
      last = luminance;
    }
  }
}

TEST(ColourMap, LightAndScreenValuesAreInverse) {
  for (const float s : {0.0f, 0.02f, 0.5f, 1.0f}) {
    EXPECT_NEAR(io::to_screen(io::to_linear(io::Colour::Constant(s)))[1], s, 1e-6f);
  }
}

TEST(TickValues, AreRound) {
  EXPECT_EQ(io::tick_values(0.0, 1.0, 6), (std::vector<double>{0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0}));
  EXPECT_EQ(io::tick_values(-30.0, 52.0, 6), (std::vector<double>{-20.0, 0.0, 20.0, 40.0}));
  EXPECT_EQ(io::tick_values(2.0, 2.0, 6), std::vector<double>{2.0});
  EXPECT_EQ(io::logarithmic_ticks(3.0, 40.0), (std::vector<double>{5.0, 10.0, 20.0}));
  EXPECT_EQ(io::logarithmic_ticks(1.0, 1e4), (std::vector<double>{1.0, 10.0, 100.0, 1000.0, 10000.0}));
}

}  // namespace scree::test
