// Paths between frames: free fall, and one impact.
#include "io/render/between_frames.h"

#include <gtest/gtest.h>

#include "io/results/run_recorder.h"
#include "tests/results/fixtures.h"

namespace scree::io {
namespace {

const Vec3 g(0.0, 0.0, -9.81);

// A parabola is reproduced exactly, for any given gravity.
TEST(BetweenFrames, FreeFallIsExact) {
  const Vec3 x0(0.1, 0.2, 3.0), v0(1.0, -2.0, 4.0);
  const double h = 0.1;
  const auto at = [&](double t) { return Vec3(x0 + t * v0 + 0.5 * t * t * g); };
  for (const double part : {0.0, 0.3, 1.0})
    for (const Vec3& said : {g, Vec3(Vec3::Zero())})
      EXPECT_LT((between({x0, v0}, {at(h), v0 + h * g}, said, h, part) - at(part * h)).norm(), 1e-14);
}

// A bounce between two frames is at the intersection of both parabolas: its corner is not cut off.
TEST(BetweenFrames, OneImpactIsReconstructedExactly) {
  const double e = 0.8, before = 0.03, after = 0.05, h = before + after, v = -2.0;  // of the impact, at z = 0
  const Vec3 v0(1.5, 0.0, v + 9.81 * before), x0(0.0, 0.0, -before * v0.z() + 0.5 * 9.81 * before * before);
  const Vec3 up(1.5, 0.0, -e * v), corner(1.5 * before, 0.0, 0.0);
  const Vec3 x1 = corner + after * up + 0.5 * after * after * g, v1 = up + after * g;
  EXPECT_LT((between({x0, v0}, {x1, v1}, g, h, before / h) - corner).norm(), 1e-14);
  for (const double t : {0.01, 0.02})
    EXPECT_LT((between({x0, v0}, {x1, v1}, g, h, t / h) - (x0 + t * v0 + 0.5 * t * t * g)).norm(), 1e-14);
  for (const double t : {0.01, 0.04})
    EXPECT_LT(
        (between({x0, v0}, {x1, v1}, g, h, (before + t) / h) - (corner + t * up + 0.5 * t * t * g)).norm(),
        1e-14);
}

// A run of piecewise steps whose bodies collide several times between two frames, against the run itself at
// the end of every step: equal to the precision of frames. Without the impacts the difference is large.
TEST(BetweenFrames, RecordedImpactsMakeInterpolationExact) {
  Scene scene = test::example_scene(0);
  Model& model = scene.model;
  model.settings.stepping = Stepping::piecewise;
  model.settings.time_step_s = 0.005;
  model.settings.sort_interval = 0;
  model.materials = {};
  const MaterialIndex glass = model.materials.add("glass", 2500.0);
  model.materials.set_law(glass, glass, {.friction = 0.3, .restitution = 0.9});
  model.boundaries = box_walls("box, of glass", glass, Vec3::Zero(), Vec3::Constant(0.3), {});
  const ShapeIndex shape = model.shapes.add(Ellipsoid{{0.03, 0.02, 0.015}});
  Random random(5);
  for (int k = 0; k < 27; ++k) {
    const int column = k % 3, row = k / 3 % 3, layer = k / 9;
    add_body(scene.initial.bodies, model.shapes, model.materials,
             {shape,
              glass,
              {0.1 * Vec3(column + 0.5, row + 0.5, layer + 0.5), random.rotation()},
              {3.0 * random.direction(), 40.0 * random.direction()}});
  }
  scene.output.interval_s = 0.1;
  scene.output.impacts = true;
  scene.end_time_s = 0.3;

  const test::TemporaryFolder folder;
  std::vector<State> run;
  std::size_t impacts = 0;
  RunRecorder recorder(scene, {folder.path(), true});
  State state = scene.initial;
  Workspace workspace;
  StepResult result;
  while (state.time_s < scene.end_time_s * (1.0 - 1e-12)) {
    step(model, state, workspace, result);
    impacts += result.impacts.size();
    recorder.after_step(result, state);
    run.push_back(state);
  }
  recorder.finish(RunStatus::finished, state);
  ASSERT_GT(impacts, 150u);

  const TrajectoryReader reader(recorder.folder().trajectory());
  const auto worst_errors = [&](BetweenFrames between) {
    std::pair<double, double> worst{0.0, 0.0};
    for (const State& then : run) {
      const Bodies drawn = between.bodies(then.time_s);
      for (std::size_t i = 0; i < drawn.size(); ++i) {
        worst.first = std::max(worst.first, (drawn.position[i] - then.bodies.position[i]).norm());
        worst.second =
            std::max(worst.second, drawn.orientation[i].angularDistance(then.bodies.orientation[i]));
      }
    }
    return worst;
  };
  const auto [off, turned_off] = worst_errors(BetweenFrames(reader, recorder.folder().table("impacts")));
  EXPECT_LT(off, 1e-7);
  EXPECT_LT(turned_off, 1e-5);
  EXPECT_GT(worst_errors(BetweenFrames(reader)).first, 0.01);
}

}  // namespace
}  // namespace scree::io
