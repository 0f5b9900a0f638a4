#include "tools/bench/prepare.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

#include "engine/core/errors.h"
#include "engine/core/parallel.h"

namespace scree {

namespace {

[[noreturn]] void refuse(const io::Scene& scene, const std::string& problem) {
  Fault fault;
  fault.where.file = scene.file.string();
  fault.problem = problem;
  throw InputError({fault});
}

/// Advances to a simulated time and updates the preparation's figures.
void run_until(PreparedScene& p, double until_s, Progress::Style style) {
  Progress progress(style, p.state.time_s, until_s);
  struct Showing : RunObserver {
    explicit Showing(Progress& shown) : progress(shown) {}
    void after_step(const StepResult& result, const State&) override { progress.update(result.report); }
    Progress& progress;
  } showing(progress);
  const auto start = std::chrono::steady_clock::now();
  const RunPlan plan = plan_without_events(p.scene);
  Run run(p.scene.model, plan, p.state);
  run.observe(showing);
  if (run.until(until_s) == RunStop::failed) refuse_broken(p.scene, run);
  progress.finish();
  Preparation& made = p.preparation;
  made.scene = p.scene.name;
  made.bodies = static_cast<std::int64_t>(p.state.bodies.size());
  made.steps = p.state.step;
  made.simulated_s = p.state.time_s;
  made.wall_s += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  made.threads = thread_count();
  const double lifting = lifting_energy(p.scene.model, p.state.bodies);
  made.kinetic_energy_relative = lifting > 0.0 ? kinetic_energy(p.state.bodies) / lifting : 0.0;
  made.at_rest = p.state.step > 0 && made.kinetic_energy_relative <= rest_energy;
  made.state_hash = state_hash(p.state.bodies);
}

/// The two walls across an axis, seen from the space between: normals along and against it.
struct WallPair {
  Plane *low = nullptr, *high = nullptr;
  double width(int axis) const { return high->point[axis] - low->point[axis]; }
};

WallPair find_walls(const io::Scene& scene, Boundaries& boundaries, int axis) {
  WallPair walls;
  bool twice = false;
  for (Boundary& boundary : boundaries) {
    auto* plane = std::get_if<Plane>(&boundary.surface);
    if (plane == nullptr)
      refuse(scene, "cannot be placed side by side: it has boundaries that are not planes");
    if (plane->normal.cwiseAbs() != Vec3::Unit(axis)) continue;
    Plane*& place = plane->normal[axis] > 0.0 ? walls.low : walls.high;
    twice = twice || place != nullptr;
    place = plane;
  }
  if (twice || !walls.low || !walls.high || walls.width(axis) <= 0.0)
    refuse(scene,
           "cannot be placed side by side: it is not between one pair of walls along x and one along y");
  return walls;
}

/// Reflections across x, y or both. Shapes must be their own mirror images, as ellipsoids are.
struct Mirrors {
  bool x = false, y = false;
  Vec3 signs() const { return {x ? -1.0 : 1.0, y ? -1.0 : 1.0, 1.0}; }
  Vec3 of(const Vec3& v) const { return signs().cwiseProduct(v); }
  /// Mirror image of an axis of rotation: it keeps its direction across the mirror and reverses along it.
  Vec3 of_axial(const Vec3& w) const { return (x == y ? 1.0 : -1.0) * of(w); }
  /// M R M.
  Quat of(const Quat& q) const {
    const Vec3 v = of_axial(q.vec());
    return Quat(q.w(), v.x(), v.y(), v.z());
  }
};

}  // namespace

RunPlan plan_without_events(const io::Scene& scene) {
  RunPlan plan = run_plan(scene);
  plan.events.clear();
  return plan;
}

void refuse_broken(const io::Scene& scene, const Run& run) {
  refuse(scene, "cannot be measured: " + run.failure_text());
}

double lifting_energy(const Model& model, const Bodies& bodies) {
  double sum = 0.0;
  for (std::size_t i = 0; i < bodies.size(); ++i)
    sum += bodies.mass[i] * model.shapes.smallest_length(bodies.shape[i]);
  return sum * model.settings.gravity.norm();
}

PreparedScene prepare_bench(io::Scene scene, double until_s, Progress::Style progress) {
  PreparedScene p{std::move(scene), {}, {}};
  p.state = std::move(p.scene.initial);
  run_until(p, until_s, progress);
  return p;
}

PreparedScene tile_bench(PreparedScene bed, int copies, double settle_s, Progress::Style progress) {
  Model& model = bed.scene.model;
  const WallPair x = find_walls(bed.scene, model.boundaries, 0),
                 y = find_walls(bed.scene, model.boundaries, 1);
  const double width_x = x.width(0), width_y = y.width(1);
  x.high->point.x() += (copies - 1) * width_x;
  y.high->point.y() += (copies - 1) * width_y;
  const Bodies one = std::move(bed.state.bodies);
  State& state = bed.state;
  State fresh;  // no memory of former contacts
  fresh.step = state.step;
  fresh.time_s = state.time_s;
  state = std::move(fresh);
  for (int j = 0; j < copies; ++j) {
    for (int i = 0; i < copies; ++i) {
      const Mirrors mirrors{i % 2 == 1, j % 2 == 1};
      const Vec3 low(x.low->point.x(), y.low->point.y(), 0.0);
      const Vec3 corner = low + Vec3((i + mirrors.x) * width_x, (j + mirrors.y) * width_y, 0.0);
      for (std::size_t k = 0; k < one.size(); ++k) {
        const Pose pose{corner + mirrors.of(one.position[k] - low), mirrors.of(one.orientation[k])};
        const Twist twist{mirrors.of(one.linear_velocity[k]), mirrors.of_axial(one.angular_velocity[k])};
        add_body(state.bodies, model.shapes, model.materials, {one.shape[k], one.material[k], pose, twist});
      }
    }
  }
  bed.scene.name += fmt::format("_{0}x{0}", copies);
  run_until(bed, bed.state.time_s + settle_s, progress);
  return bed;
}

}  // namespace scree
