#include "io/results/frame.h"

#include <gtest/gtest.h>

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

}  // namespace scree::test
