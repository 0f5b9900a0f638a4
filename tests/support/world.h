// A small world for tests: one material, helpers to place bodies, run steps and add up reports.
#pragma once

#include <cmath>
#include <functional>

#include "engine/core/random.h"
#include "engine/simulation/step.h"

namespace scree::test {

/// Adds a part that moves a boundary in this way.
inline Part& give_motion(Model& model, std::size_t boundary, PrescribedMotion motion) {
  Boundary& moved = model.boundaries[boundary];
  moved.part = static_cast<std::int32_t>(model.parts.size());
  Part part;
  part.name = moved.name;
  part.motion = std::move(motion);
  part.centre = moved.centre;
  model.parts.push_back(std::move(part));
  return model.parts.back();
}
/// A boundary that a motion moves, without a model.
struct MovingBoundary {
  Boundary boundary;
  PrescribedMotion motion{};
  PlacedBoundary at(double time_s, double step_s = 0.0) const {
    BoundaryPose pose;
    pose.motion = &motion;
    return place(boundary, pose, time_s, step_s);
  }
};

struct World {
  Model model;
  State state;
  Workspace workspace;
  StepResult result;  // of the last step
  MaterialIndex material;

  explicit World(const PairLaw& law = {}, double time_step_s = 1e-3) {
    material = model.materials.add("grain", 2500.0);
    model.materials.set_law(material, material, law);
    model.settings.time_step_s = time_step_s;
    model.settings.sort_interval = 0;  // tests refer to bodies by their slots
    model.settings.solver.tolerance = 1e-9;
    model.settings.solver.max_sweeps = 1000;
  }

  BodyIndex add(const Vec3& semi_axes, const Pose& pose, const Twist& twist = {}) {
    const ShapeIndex shape = model.shapes.add(Ellipsoid{semi_axes});
    return add_body(state.bodies, model.shapes, model.materials, {shape, material, pose, twist});
  }
  BodyIndex add_sphere(double radius, const Vec3& position, const Twist& twist = {}) {
    return add(Vec3::Constant(radius), {position, Quat::Identity()}, twist);
  }
  void add_floor() { model.boundaries.push_back({"floor", material, Plane{Vec3::Zero(), Vec3::UnitZ()}}); }

  const StepReport& step() { return scree::step(model, state, workspace, result); }

  /// Runs until a simulated time; calls `look` after each step.
  StepReport run(
      double until_s, const std::function<void(const StepReport&)>& look = [](const StepReport&) {}) {
    StepReport report;
    const auto steps = static_cast<long>(std::llround(until_s / model.settings.time_step_s));
    while (state.step < steps) {
      report = step();
      look(report);
    }
    return report;
  }
};

/// An open box with jittered, randomly rotated ellipsoids above its floor, before they fall.
inline World loose_heap(int per_side, int layers, const PairLaw& law, double time_step_s,
                        std::uint64_t seed = 1) {
  World world(law, time_step_s);
  const Vec3 axes(0.10, 0.075, 0.05);
  const double spacing = 0.22, side = per_side * spacing;
  world.model.boundaries = box_walls("box", world.material, Vec3(0, 0, 0), Vec3(side, side, 1e3), {"+z"});
  const ShapeIndex shape = world.model.shapes.add(Ellipsoid{axes});
  Random random(seed);
  for (int z = 0; z < layers; ++z) {
    for (int y = 0; y < per_side; ++y) {
      for (int x = 0; x < per_side; ++x) {
        const Vec3 jitter(random.uniform(-0.01, 0.01), random.uniform(-0.01, 0.01),
                          random.uniform(-0.01, 0.01));
        const Vec3 cell(x + 0.5, y + 0.5, z + 0.5);
        add_body(world.state.bodies, world.model.shapes, world.model.materials,
                 {shape, world.material, {spacing * cell + jitter, random.rotation()}, {}});
      }
    }
  }
  return world;
}

}  // namespace scree::test
