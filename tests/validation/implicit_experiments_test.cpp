// Behaviour of bodies given by functions which ellipsoids do not have: rocking in a dent, interlocking, steep
// piles.
#include <gtest/gtest.h>
#include <numbers>

#include "engine/simulation/overrides.h"
#include "engine/simulation/subsystems/parts.h"
#include "engine/simulation/subsystems/population.h"
#include "tests/support/implicit_shapes.h"
#include "tests/support/world.h"

namespace scree {
namespace {

using test::World;

constexpr double g = 9.81;

/// A shape of a world, and the pose of its own frame in that of its function.
struct Form {
  std::int32_t function;
  Pose body_in_file;
};

Form make_form(World& world, const PerturbedQuadric& f) {
  ShapeFindings findings;
  const auto made = make_implicit_shape(f, {.support_cells = 4}, findings);
  EXPECT_TRUE(made);
  return {world.model.shapes.add_function({"form", f, std::make_shared<ImplicitShape>(*made)}),
          made->body_in_file};
}

/// With the function's own frame at a pose.
BodyIndex add(World& world, const Form& form, double size, const Pose& pose) {
  const ShapeIndex shape = world.model.shapes.add(SizedFunction{form.function, size});
  const Pose body{pose.position + pose.orientation * (size * form.body_in_file.position),
                  pose.orientation * form.body_in_file.orientation};
  return add_body(world.state.bodies, world.model.shapes, world.model.materials,
                  {shape, world.material, body, {}});
}

void hold(World& world, BodyIndex body) {
  world.model.parts.push_back({.name = "held"});
  carry_body(static_cast<std::int32_t>(world.model.parts.size()) - 1, body, world.state);
}

TEST(ImplicitExperiments, BallInADentOscillatesWithTheCurvaturePeriod) {
  // A ball that rolls at the bottom of a bowl of radius of curvature R: T = 2 pi sqrt(7 (R - r) / 5 g).
  PairLaw law;
  law.friction = 2.0;
  World world(law, 5e-4);
  world.model.settings.solver.tolerance = 1e-7;
  const PerturbedQuadric f =
      perturbed(Vec3::Ones(), {{ellipsoid_quadric(Vec3::Constant(0.6), Vec3::UnitZ()), -0.8}});
  const double size = 0.2, r = 0.04, offset = 0.003;
  hold(world, add(world, make_form(world, f), size, {Vec3::Zero(), Quat::Identity()}));

  const auto height_at = [&](double x) {  // of the dent's surface, by bisection, in the function's lengths
    double inside = 0.3, outside = 1.0;
    for (int k = 0; k < 60; ++k) {
      const double z = 0.5 * (inside + outside);
      (value(f, Vec3(x, 0.0, z)) > 0.0 ? inside : outside) = z;
    }
    return inside;
  };
  const FunctionValue bottom = evaluate(f, Vec3(0.0, 0.0, height_at(0.0)));
  const double curvature = -bottom.xx / bottom.gradient[2];
  ASSERT_GT(curvature, 1.0);  // a bowl, not a hill
  const double bowl = size / curvature, period = 2.0 * std::numbers::pi * std::sqrt(1.4 * (bowl - r) / g);

  const Vec3 foot(offset / size, 0.0, height_at(offset / size));
  const BodyIndex ball = world.add_sphere(r, size * foot - r * gradient(f, foot).normalized());
  std::vector<double> crossings;
  double before = world.state.bodies.position[ball][0], most = 0.0, remainder = 0.0;
  world.run(6.2 * period, [&](const StepReport& report) {
    const double now = world.state.bodies.position[ball][0];
    if (before > 0.0 && now <= 0.0)
      crossings.push_back(report.time_s - world.model.settings.time_step_s * now / (now - before));
    before = now;
    most = crossings.size() >= 5 ? std::max(most, now) : 0.0;
    remainder = std::max(remainder, std::abs(report.energy.remainder));
  });
  ASSERT_EQ(crossings.size(), 6U);
  RecordProperty("period_over_closed_form",
                 std::to_string((crossings.back() - crossings.front()) / 5.0 / period));
  RecordProperty("sixth_amplitude", std::to_string(most / (offset * (bowl - r) / bowl)));
  EXPECT_NEAR((crossings.back() - crossings.front()) / 5.0, period, 0.002 * period);
  const double start = offset * (bowl - r) / bowl;  // of the centre
  EXPECT_GT(most, 0.9 * start);                     // it keeps rolling
  EXPECT_LT(most, 1.02 * start);                    // and does not gain
  EXPECT_LT(std::abs(world.state.bodies.position[ball][1]), 1e-6);
  EXPECT_LT(remainder, 1e-14);
}

TEST(ImplicitExperiments, DumbbellsInAPipeInterlockAndRodsFall) {
  // Side by side, the end of one at the waist of the other, in a pipe too narrow for two ends beside each
  // other: without any friction the lower one hangs from the upper, also at a hundred times its weight. A rod
  // without a waist, as thick as the ends, falls out.
  PairLaw law;
  law.friction = 0.0;
  const double size = 0.1, end = 0.427, waist = 0.296;  // radii of the function
  for (const bool hooks : {true, false}) {
    World world(law, 5e-4);
    world.model.settings.solver.tolerance = 1e-6;
    const double bore = 0.5 * (end + waist + 2.0 * end) + 0.03;
    world.model.boundaries.push_back(
        {"pipe", world.material, Tube{Vec3(0, 0, -2), Vec3(0, 0, 2), bore * size, 0.02}});
    const double apart = 0.5 * (end + waist) + 0.015;
    const Quat upright(Eigen::AngleAxisd(0.5 * std::numbers::pi, Vec3::UnitY()));
    const Vec3 upper(-apart * size, 0, 0), lower(apart * size, 0, -0.58 * size);
    BodyIndex hanging;
    if (hooks) {
      const Form dumbbell = make_form(world, test::dumbbell());
      hold(world, add(world, dumbbell, size, {upper, upright}));
      hanging = add(world, dumbbell, size, {lower, upright});
    } else {
      const Vec3 axes = size * Vec3(1.0, 0.5 * (end + waist), 0.5 * (end + waist));
      hold(world, world.add(axes, {upper, upright}));
      hanging = world.add(axes, {lower, upright});
    }
    world.run(0.5);
    const double fallen = lower[2] - world.state.bodies.position[hanging][2];
    if (!hooks) {
      EXPECT_GT(fallen, 1.5 * size);
      continue;
    }
    EXPECT_LT(fallen, 0.15 * size);  // as far as the ends have room
    double overlap = 0.0;
    world.model.settings.gravity *= 100.0;
    world.run(1.0, [&](const StepReport& r) { overlap = std::max(overlap, r.penetration_max); });
    EXPECT_LT(lower[2] - world.state.bodies.position[hanging][2], 0.15 * size);
    RecordProperty("room_m", std::to_string(lower[2] - world.state.bodies.position[hanging][2]));
    RecordProperty("overlap", std::to_string(overlap));
    EXPECT_LT(overlap, 0.02);
    const double weight = 100.0 * g * world.state.bodies.mass[hanging] * world.model.settings.time_step_s;
    EXPECT_NEAR(-world.result.parts[0].impulse[2], weight,
                0.01 * weight);  // all of it hangs on the upper one
  }
}

}  // namespace
}  // namespace scree
