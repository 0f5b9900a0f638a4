// The states that steps are timed from.
#pragma once

#include "io/scene/scene.h"
#include "tools/bench/bench_report.h"
#include "tools/progress.h"

namespace scree {

/// A scene and the state to time it from.
struct PreparedScene {
  io::Scene scene;
  State state;
  Preparation preparation;
};

/// Steps the scene to a simulated time, on the threads set at the time. Throws InputError if numbers stop
/// being finite.
PreparedScene prepare_bench(io::Scene scene, double until_s, Progress::Style progress);

/// Lays copies x copies of a prepared bed side by side along x and y, where the walls between them were,
/// every other one as its mirror image, and lets the whole settle for a simulated time. Bodies that leant on
/// a wall then lean on their images, which push back as the wall did, but for friction. Large beds come to
/// rest so in a sixth of the steps. The scene gets "_<copies>x<copies>" behind its name. Throws InputError if
/// the bed does not lie between one pair of walls along x and one along y.
PreparedScene tile_bench(PreparedScene bed, int copies, double settle_s, Progress::Style progress);

/// Every body's weight times its smallest length, J: the measure of energies that count.
double lifting_energy(const Model& model, const Bodies& bodies);

/// Kinetic energy at which a bed counts as at rest, over lifting_energy().
inline constexpr double rest_energy = 5e-6;

/// As a run of the scene, but for its events.
RunPlan plan_without_events(const io::Scene& scene);
/// Throws what a run that failed has to say as an InputError.
[[noreturn]] void refuse_broken(const io::Scene& scene, const Run& run);

}  // namespace scree
