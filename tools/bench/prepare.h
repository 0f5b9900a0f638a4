// The states from which steps are timed.
#pragma once

#include "io/scene/scene.h"
#include "tools/bench/bench_report.h"
#include "tools/progress.h"

namespace scree {

/// A scene and its state for timing.
struct PreparedScene {
  io::Scene scene;
  State state;
  Preparation preparation;
};

/// Advances the scene to a simulated time, with the present number of threads. Throws InputError if numbers
/// are no longer finite.
PreparedScene prepare_bench(io::Scene scene, double until_s, Progress::Style progress);

/// Places copies x copies of a prepared bed side by side along x and y, at the positions of the walls between
/// them, each second one as a mirror image, and settles the whole for a simulated time. Bodies that leaned on
/// a wall then lean on their images, which push back as the wall did, except for friction. So large beds come
/// to rest in a sixth of the steps. "_<copies>x<copies>" is appended to the scene's name. Throws InputError
/// if the bed is not between one pair of walls along x and one along y.
PreparedScene tile_bench(PreparedScene bed, int copies, double settle_s, Progress::Style progress);

/// Sum over bodies of weight times smallest length, J: the reference for energies.
double lifting_energy(const Model& model, const Bodies& bodies);

/// Kinetic energy at which a bed counts as at rest, over lifting_energy().
inline constexpr double rest_energy = 5e-6;

/// The plan of a run of the scene, without its events.
RunPlan plan_without_events(const io::Scene& scene);
/// Throws the failure of a run as an InputError.
[[noreturn]] void refuse_broken(const io::Scene& scene, const Run& run);

}  // namespace scree
