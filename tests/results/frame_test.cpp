#include "io/results/frame.h"

#include <cmath>
#include <gtest/gtest.h>

#include "engine/core/random.h"
#include "tests/results/fixtures.h"

namespace scree::test {

TEST(Frame, CopiesTheStateInSinglePrecision) {
  const io::Scene scene = example_scene(5);
  const ExampleStep step = example_step(scene, 3);
  const io::Frame frame = io::make_frame(scene.model, step.state, step.workspace, {}, true);
  ASSERT_EQ(frame.position.size(), 5u);
  EXPECT_EQ(frame.step, 3);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(frame.position[i], step.state.bodies.position[i].cast<float>());
    EXPECT_EQ(frame.orientation[i][0], static_cast<float>(step.state.bodies.orientation[i].w()));
    EXPECT_EQ(frame.orientation[i][3], static_cast<float>(step.state.bodies.orientation[i].z()));
  }
}

TEST(Frame, TurnsImpulsesIntoWorldAxesAndCountsContactsThatCarryOne) {
  const io::Scene scene = example_scene(4);
  // Contacts: 0-floor (impulse), 1-2 (none), 2-3 (impulse).
  const ExampleStep step = example_step(scene, 1);
  const io::Frame frame = io::make_frame(scene.model, step.state, step.workspace, {}, true);
  ASSERT_EQ(frame.contacts.impulse.size(), 3u);
  EXPECT_EQ(frame.contacts.impulse[0], io::Vec3f(0.1f, 0.2f, 0.3f));
  EXPECT_EQ(frame.contacts.impulse[1], io::Vec3f(0.0f, 0.0f, 0.0f));
  EXPECT_EQ(frame.contacts.impulse[2], io::Vec3f(0.1f, 0.2f, 2.3f));
  EXPECT_EQ(frame.contacts.body_b, (std::vector<std::int32_t>{-1, 2, 3}));
  EXPECT_EQ(frame.contacts.boundary, (std::vector<std::int32_t>{0, -1, -1}));
  EXPECT_EQ(frame.contacts_of_body, (std::vector<std::int32_t>{1, 0, 1, 1}));
}

TEST(Frame, ExtraFieldsAddUpToTheWhole) {
  const io::Scene scene = example_scene(20);
  const ExampleStep step = example_step(scene, 1);
  const io::Frame frame =
      io::make_frame(scene.model, step.state, step.workspace, {"kinetic_energy", "overlap"}, false);
  double sum = 0.0;
  for (const float energy : frame.fields[0]) sum += energy;
  // Twenty numbers rounded to single precision.
  EXPECT_NEAR(sum, kinetic_energy(step.state.bodies), 20 * 6e-8 * sum);
  // Body 19 takes part in the contact 18-19 only, whose gap is -1.8 mm; the smallest semi-axis is 10 mm.
  EXPECT_NEAR(frame.fields[1][19], 0.18, 1e-7);
  EXPECT_TRUE(frame.contacts.point.empty());
}

TEST(Frame, RoundsToSignificantBits) {
  Random random(4);
  for (const int bits : {8, 12, 16, 23}) {
    for (int k = 0; k < 1000; ++k) {
      const auto x = static_cast<float>(random.uniform(-1.0, 1.0) * std::exp2(random.uniform(-20.0, 20.0)));
      const float r = io::rounded(x, bits);
      EXPECT_LE(std::abs(r - x), std::ldexp(std::abs(x), -bits));
      int exponent = 0;
      const float digits = std::ldexp(std::frexp(r, &exponent), bits);
      EXPECT_EQ(digits, std::round(digits)) << "no more than so many bits";
    }
  }
  EXPECT_EQ(io::rounded(0.1f, 24), 0.1f);
  EXPECT_EQ(io::rounded(0.0f, 8), 0.0f);
  EXPECT_EQ(io::rounded(0.999999f, 8), 1.0f);
  EXPECT_TRUE(std::isinf(io::rounded(std::numeric_limits<float>::infinity(), 8)));
}

TEST(Frame, RoundsAllItsNumbers) {
  const io::Scene scene = example_scene(6);
  const ExampleStep step = example_step(scene, 3);
  const io::Frame whole = io::make_frame(scene.model, step.state, step.workspace, {"kinetic_energy"}, true);
  io::Frame frame = whole;
  io::round_frame(frame, 24);
  EXPECT_EQ(frame.position, whole.position);
  io::round_frame(frame, 10);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(frame.position[i].y(), io::rounded(whole.position[i].y(), 10));
    EXPECT_EQ(frame.orientation[i][2], io::rounded(whole.orientation[i][2], 10));
    EXPECT_EQ(frame.velocity[i].x(), io::rounded(whole.velocity[i].x(), 10));
    EXPECT_EQ(frame.angular_velocity[i].z(), io::rounded(whole.angular_velocity[i].z(), 10));
    EXPECT_EQ(frame.fields[0][i], io::rounded(whole.fields[0][i], 10));
  }
  EXPECT_EQ(frame.contacts.gap[1], io::rounded(whole.contacts.gap[1], 10));
  EXPECT_EQ(frame.contacts.impulse[2].z(), io::rounded(whole.contacts.impulse[2].z(), 10));
}

}  // namespace scree::test
