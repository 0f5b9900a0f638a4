// Timing steps of a scene.
#pragma once

#include <span>
#include <string>

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

/// Every body's weight times its smallest length, J: the measure of energies that count.
double lifting_energy(const io::Scene& scene);

/// Kinetic energy at which a bed counts as at rest, over lifting_energy().
inline constexpr double rest_energy = 5e-6;

struct BenchPlan {
  int repeats = 5;
  int warm_up = 2;           // untimed steps at the start of every repeat: they make room in the workspace
  int steps = 50;            // timed
  int residual_steps = 10;   // timed, at most, where a residual is to be reached
  double patience_s = 60.0;  // no more repeats of a variant that has been timed for so long
};

/// One way to step a prepared scene.
struct BenchVariant {
  int threads = 1;
  SolverKind solver = SolverKind::per_body;
  double residual_target = 0.0;  // 0: tolerance and most sweeps of the scene
  bool cold = false;             // without warm start
};

/// Most sweeps where a residual is to be reached.
inline constexpr int residual_max_sweeps = 1000;

/// Times the variants, each at least once, from the same state, taking turns, so that what disturbs the
/// machine for a while disturbs all alike. Leaves the number of threads set to that of the last variant.
std::vector<BenchCase> measure(const PreparedScene& prepared, std::span<const BenchVariant> variants,
                               const BenchPlan& plan);

}  // namespace scree
