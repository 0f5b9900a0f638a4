#include "io/results/frame.h"

#include <cmath>
#include <gtest/gtest.h>

#include "engine/core/random.h"
#include "tests/results/fixtures.h"
#include "tests/support/world.h"

namespace scree::test {

TEST(Frame, CopiesTheStateInSinglePrecision) {
  const io::Scene scene = example_scene(5);
  const ExampleStep step = example_step(scene, 3);
  const io::Frame frame = io::make_frame(scene.model, step.state, {}, true);
  ASSERT_EQ(frame.position.size(), 5u);
  EXPECT_EQ(frame.step, 3);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(frame.position[i], step.state.bodies.position[i].cast<float>());
    EXPECT_EQ(frame.orientation[i][0], static_cast<float>(step.state.bodies.orientation[i].w()));
    EXPECT_EQ(frame.orientation[i][3], static_cast<float>(step.state.bodies.orientation[i].z()));
  }
}

// Sorted bodies: the same frame as before, for any slots.
TEST(Frame, ListsBodiesInTheOrderOfTheirIds) {
  const io::Scene scene = example_scene(6);
  const std::vector<std::string> fields{"kinetic_energy", "overlap"};
  ExampleStep step = example_step(scene, 3);
  const io::Frame plain = io::make_frame(scene.model, step.state, fields, true);
  const std::vector<std::size_t> slot{3, 0, 5, 1, 4, 2};  // of each body
  const Bodies before = step.state.bodies;
  for (std::size_t i = 0; i < 6; ++i) {
    Bodies& b = step.state.bodies;
    b.position[slot[i]] = before.position[i];
    b.orientation[slot[i]] = before.orientation[i];
    b.linear_velocity[slot[i]] = before.linear_velocity[i];
    b.angular_velocity[slot[i]] = before.angular_velocity[i];
    b.mass[slot[i]] = before.mass[i];
    b.inertia[slot[i]] = before.inertia[i];
    b.shape[slot[i]] = before.shape[i];
    b.id[slot[i]] = before.id[i];
  }
  for (Contact& c : step.state.contacts.list) {
    c.key.a = static_cast<std::int32_t>(slot[c.key.a]);
    if (!is_boundary(c.key.b)) c.key.b = static_cast<std::int32_t>(slot[c.key.b]);
  }
  const io::Frame sorted = io::make_frame(scene.model, step.state, fields, true);
  EXPECT_EQ(sorted.position, plain.position);
  EXPECT_EQ(sorted.orientation, plain.orientation);
  EXPECT_EQ(sorted.velocity, plain.velocity);
  EXPECT_EQ(sorted.angular_velocity, plain.angular_velocity);
  EXPECT_EQ(sorted.contacts_of_body, plain.contacts_of_body);
  EXPECT_EQ(sorted.fields, plain.fields);
  EXPECT_EQ(sorted.contacts.body_a, plain.contacts.body_a);
  EXPECT_EQ(sorted.contacts.body_b, plain.contacts.body_b);
  EXPECT_EQ(sorted.contacts.boundary, plain.contacts.boundary);
}

TEST(Frame, HasImpulsesInWorldAxesAndCountsContactsThatCarryOne) {
  const io::Scene scene = example_scene(4);
  // Contacts: 0-floor (impulse), 1-2 (none), 2-3 (impulse).
  const ExampleStep step = example_step(scene, 1);
  const io::Frame frame = io::make_frame(scene.model, step.state, {}, true);
  ASSERT_EQ(frame.contacts.impulse.size(), 3u);
  EXPECT_EQ(frame.contacts.impulse[0], Vec3f(0.1f, 0.2f, 0.3f));
  EXPECT_EQ(frame.contacts.impulse[1], Vec3f(0.0f, 0.0f, 0.0f));
  EXPECT_EQ(frame.contacts.impulse[2], Vec3f(0.1f, 0.2f, 2.3f));
  EXPECT_EQ(frame.contacts.body_b, (std::vector<std::int32_t>{-1, 2, 3}));
  EXPECT_EQ(frame.contacts.boundary, (std::vector<std::int32_t>{0, -1, -1}));
  EXPECT_EQ(frame.contacts_of_body, (std::vector<std::int32_t>{1, 0, 1, 1}));
}

// The state keeps contacts of sleeping bodies separately: a frame shows all contacts.
TEST(Frame, IncludesSleepingBodiesAndTheirContacts) {
  const io::Scene scene = example_scene(4);
  ExampleStep step = example_step(scene, 1);
  step.state.bodies.asleep = {0, 1, 0, 1};
  Contact resting{};
  resting.key = {1, 3, 0};
  resting.arm_a = Vec3(1, 2, 3) - step.state.bodies.position[1];
  resting.normal = Vec3::UnitX();
  resting.gap = -1e-3;
  resting.impulse = Vec3f(0.5f, 0.0f, 0.0f);
  step.state.sleepers.contacts.push_back(resting);
  resting.key = {3, boundary_partner(2), 0};
  resting.gap = -4e-3;
  step.state.sleepers.contacts.push_back(resting);
  const io::Frame frame = io::make_frame(scene.model, step.state, {"asleep", "overlap"}, true);
  EXPECT_EQ(frame.fields[0], (std::vector<float>{0, 1, 0, 1}));
  EXPECT_GE(frame.fields[1][3], 0.4f);  // of the smallest semi-axis, 10 mm
  EXPECT_EQ(frame.contacts_of_body, (std::vector<std::int32_t>{1, 1, 1, 3}));
  EXPECT_EQ(frame.contacts.body_a, (std::vector<std::int32_t>{0, 1, 2, 1, 3}));
  EXPECT_EQ(frame.contacts.body_b, (std::vector<std::int32_t>{-1, 2, 3, 3, -1}));
  EXPECT_EQ(frame.contacts.boundary, (std::vector<std::int32_t>{0, -1, -1, -1, 2}));
  EXPECT_EQ(frame.contacts.impulse[3], Vec3f(0.5f, 0.0f, 0.0f));
  EXPECT_LT((frame.contacts.point[3] - Vec3f(1, 2, 3)).norm(), 1e-6f);
}

// In steps in which bodies fall asleep and wake, frames also show exactly the contacts that the report
// counts, once.
TEST(Frame, HoldsEveryContactOfTheReportOnceWhileBodiesFallAsleepAndWake) {
  World world;
  world.add_floor();
  for (int i = 0; i < 3; ++i) world.add_sphere(0.1, Vec3(0, 0, 0.1 + 0.2 * i));
  world.add_sphere(0.0126, Vec3(0, 0, 0.9));  // so light that a body which it hits wakes after the step
  world.model.settings.sleep = {.speed_m_s = 1e-3, .duration_s = 0.02, .tolerance = 0.05};
  std::int64_t fell_asleep = 0, woken = 0, asleep = 0;
  world.run(0.5, [&](const StepReport& r) {
    const io::Frame frame = io::make_frame(world.model, world.state, {}, true);
    ASSERT_EQ(static_cast<std::int64_t>(frame.contacts.gap.size()), r.contacts) << r.step;
    double floor = 0.0;
    for (std::size_t c = 0; c < frame.contacts.gap.size(); ++c)
      floor += frame.contacts.boundary[c] >= 0 ? static_cast<double>(frame.contacts.impulse[c].z()) : 0.0;
    EXPECT_NEAR(floor, r.boundary_impulse.z(), 1e-6 * std::abs(r.boundary_impulse.z()) + 1e-12) << r.step;
    woken += r.woken;
    fell_asleep += std::max<std::int64_t>(0, r.asleep - asleep);
    asleep = r.asleep;
  });
  EXPECT_GE(fell_asleep, 4);
  EXPECT_GE(woken, 1);
}

TEST(Frame, KineticEnergyFieldSumsToTheTotal) {
  const io::Scene scene = example_scene(20);
  const ExampleStep step = example_step(scene, 1);
  const io::Frame frame = io::make_frame(scene.model, step.state, {"kinetic_energy", "overlap"}, false);
  double sum = 0.0;
  for (const float energy : frame.fields[0]) sum += energy;
  // Twenty numbers rounded to single precision.
  EXPECT_NEAR(sum, kinetic_energy(step.state.bodies), 20 * 6e-8 * sum);
  // Body 19 has only the contact 18-19, with a gap of -1.8 mm; the smallest semi-axis is 10 mm.
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
  const io::Frame whole = io::make_frame(scene.model, step.state, {"kinetic_energy"}, true);
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
