// The kernels of a step by themselves, on the pairs and contacts of a heap that has just come to rest, on one
// thread. Items are pairs, contacts or bodies, as the name says. Compare items per second.
//   micro_benchmarks --benchmark_filter=gap --benchmark_repetitions=9
#include <benchmark/benchmark.h>

#include "engine/core/parallel.h"
#include "engine/core/random.h"
#include "engine/geometry/ellipsoid_ellipsoid.h"
#include "engine/geometry/ellipsoid_plane.h"
#include "engine/geometry/ellipsoid_tube.h"
#include "engine/geometry/implicit/implicit_contacts.h"
#include "engine/simulation/assemble.h"
#include "engine/simulation/motion.h"
#include "engine/simulation/step.h"
#include "io/scene/read_scene.h"
#include "tools/bench/measure.h"
#include "tools/bench/scenes.h"

namespace scree {
namespace {

constexpr const char* heap_count = "300";
constexpr double heap_time_s = 1.5;  // all bodies have landed, the last contacts still change

struct Pair {
  PlacedEllipsoid a, b;
  Twist of_a, of_b;
  Vec3 normal;  // of the contact, or the direction that proves a separation; from b to a
};

/// A heap after one more step: state, workspace, and all pairs of bodies whose boxes overlap.
struct Heap {
  Model model;
  State state;
  Workspace workspace;
  StepResult result;
  std::vector<Pair> pairs;
};

Twist twist(const Bodies& bodies, std::size_t i) {
  return {bodies.linear_velocity[i], bodies.angular_velocity[i]};
}

Heap make_heap() {
  const PreparedScene p =
      prepare_bench(io::read_scene(find_bench_scene("settled_bed").file, {{"count", heap_count}}),
                    heap_time_s, Progress::Style::none);
  Heap heap{p.scene.model, p.state, {}, {}, {}};
  for (int k = 0; k < 2; ++k) {
    if (step(heap.model, heap.state, heap.workspace, heap.result).status == SolveStatus::diverged)
      std::abort();
  }
  const DetectionWorkspace& found = heap.workspace.detection;
  for (std::size_t a = 0; a + 1 < found.pairs.row.size(); ++a) {
    for (auto k = static_cast<std::size_t>(found.pairs.row[a]);
         k < static_cast<std::size_t>(found.pairs.row[a + 1]); ++k) {
      const auto b = static_cast<std::size_t>(found.pairs.b[k]);
      heap.pairs.push_back(
          {found.ellipsoids[a], found.ellipsoids[b], twist(heap.state.bodies, a), twist(heap.state.bodies, b),
           heap.state.cached_normals.of_pair(static_cast<std::int32_t>(a), found.pairs.b[k])[0].normal});
    }
  }
  return heap;
}

Heap& heap() {
  static Heap made = make_heap();
  return made;
}

void count_items(benchmark::State& state, std::size_t items) {
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(items));
}

/// Calls f(pair) for all pairs of bodies.
template <class F>
void over_pairs(benchmark::State& state, F&& f) {
  const std::vector<Pair>& pairs = heap().pairs;
  for (auto _ : state) {
    for (const Pair& pair : pairs) benchmark::DoNotOptimize(f(pair));
  }
  count_items(state, pairs.size());
}

void pair_separation(benchmark::State& state) {
  over_pairs(state, [](const Pair& p) { return separation(p.a, p.b, -p.normal); });
}
BENCHMARK(pair_separation);

void pair_gap_warm(benchmark::State& state) {
  over_pairs(state, [](const Pair& p) { return gap(p.a, p.b, &p.normal).distance; });
}
BENCHMARK(pair_gap_warm);

void pair_gap_cold(benchmark::State& state) {
  over_pairs(state, [](const Pair& p) { return gap(p.a, p.b).distance; });
}
BENCHMARK(pair_gap_cold);

void pair_gap_acceleration(benchmark::State& state) {
  over_pairs(state, [](const Pair& p) { return gap_acceleration(p.a, p.b, p.normal, p.of_a, p.of_b); });
}
BENCHMARK(pair_gap_acceleration);

void plane_gap(benchmark::State& state) {
  const std::vector<PlacedEllipsoid>& placed = heap().workspace.detection.ellipsoids;
  const Plane floor{Vec3::Zero(), Vec3::UnitZ()};
  for (auto _ : state) {
    for (const PlacedEllipsoid& ellipsoid : placed) benchmark::DoNotOptimize(gap(ellipsoid, floor).distance);
  }
  count_items(state, placed.size());
}
BENCHMARK(plane_gap);

/// Ellipsoids against the bore, anywhere along the tube: contacts with the surface, and some with a rim.
void tube_gaps(benchmark::State& state) {
  constexpr int bodies = 256;
  constexpr double margin = 0.01;
  const Tube tube{Vec3::Zero(), Vec3(0.0, 0.0, 4.0), 0.8, 0.02};
  const Ellipsoid shape{Vec3(0.10, 0.075, 0.05)};
  Random random(1);
  std::vector<Pose> poses;
  for (int k = 0; k < bodies; ++k) {
    const double angle = random.uniform(0.0, 2.0 * std::numbers::pi), radius = random.uniform(0.70, 0.75);
    poses.push_back(
        {{radius * std::cos(angle), radius * std::sin(angle), random.uniform(0.0, 4.0)}, random.rotation()});
  }
  Gap found[max_tube_contacts];
  for (auto _ : state) {
    for (const Pose& pose : poses) benchmark::DoNotOptimize(gaps(shape, pose, tube, margin, found));
  }
  count_items(state, poses.size());
}
BENCHMARK(tube_gaps);

/// Pairs of pebbles (three dents, two bumps) next to each other; about half of them touch.
struct PebblePair {
  PlacedImplicit a, b;
  PairMemory memory;
};
std::vector<PebblePair> pebble_pairs() {
  constexpr int count = 128;
  static const ImplicitShape pebble = [] {
    ShapeFindings findings;
    const PerturbedQuadric f =
        perturbed({1.0, 0.8, 0.6}, {{ellipsoid_quadric({0.5, 0.5, 0.5}, {0.5, 0.5, 0.3}), -0.35},
                                    {ellipsoid_quadric({0.6, 0.5, 0.5}, {-0.6, 0.2, 0.4}), -0.25},
                                    {ellipsoid_quadric({0.5, 0.6, 0.4}, {0.1, -0.5, -0.4}), 0.4},
                                    {ellipsoid_quadric({0.4, 0.4, 0.4}, {-0.5, -0.5, 0.2}), 0.3},
                                    {ellipsoid_quadric({0.5, 0.4, 0.4}, {0.2, 0.3, -0.6}), -0.3}});
    return make_implicit_shape(f, {.support_cells = 1}, findings).value();
  }();
  Random random(1);
  std::vector<PebblePair> pairs;
  for (int k = 0; k < count; ++k) {
    PebblePair p{place(pebble, {Vec3::Zero(), random.rotation()}),
                 place(pebble, {Vec3::Zero(), random.rotation()}),
                 {}};
    const Vec3 d = random.direction(), in_a = p.a.rotation.transpose() * d,
               in_b = p.b.rotation.transpose() * -d;
    const double touch = in_a.dot(support(pebble, in_a)) + in_b.dot(support(pebble, in_b));
    p.b.position = (touch + random.uniform(-0.1, 0.02)) * d;
    pairs.push_back(p);
  }
  return pairs;
}

void pebble_contacts_new(benchmark::State& state) {
  const std::vector<PebblePair> pairs = pebble_pairs();
  std::vector<Gap> found;
  for (auto _ : state) {
    for (const PebblePair& p : pairs) {
      PairMemory memory;
      found.clear();
      contacts(p.a, p.b, 0.02, memory, found);
      benchmark::DoNotOptimize(found.data());
    }
  }
  count_items(state, pairs.size());
}
BENCHMARK(pebble_contacts_new);

/// From the narrow-phase cache, after a small motion of the bodies.
void pebble_contacts_remembered(benchmark::State& state) {
  std::vector<PebblePair> pairs = pebble_pairs();
  std::vector<Gap> found;
  for (PebblePair& p : pairs) contacts(p.a, p.b, 0.02, p.memory, found);
  double way = 1e-5;
  for (auto _ : state) {
    for (PebblePair& p : pairs) {
      p.b.position[0] += way;
      found.clear();
      contacts(p.a, p.b, 0.02, p.memory, found);
      benchmark::DoNotOptimize(found.data());
    }
    way = -way;
  }
  count_items(state, pairs.size());
}
BENCHMARK(pebble_contacts_remembered);

void broad_phase_bodies(benchmark::State& state) {
  const std::vector<BoundingBox>& boxes = heap().workspace.detection.boxes;
  CandidatePairs pairs;
  for (auto _ : state) {
    find_candidate_pairs(boxes, pairs);
    benchmark::DoNotOptimize(pairs.b.data());
  }
  count_items(state, boxes.size());
}
BENCHMARK(broad_phase_bodies);

/// Broad phase, certificates and contacts: all stages from bodies to contacts.
void detection_pairs(benchmark::State& state) {
  const Heap& h = heap();
  const double dt = h.model.settings.time_step_s;
  DetectionWorkspace workspace;
  Contacts contacts = h.state.contacts;
  NormalCache seeds = h.state.cached_normals;
  std::vector<CachedPair> cached;
  for (auto _ : state) {
    benchmark::DoNotOptimize(find_contacts(
        {h.model.shapes, h.state.bodies, h.model.boundaries, 0.0, dt, h.model.settings.gravity.norm() * dt},
        workspace, {contacts, seeds, cached}));
  }
  count_items(state, h.pairs.size());
}
BENCHMARK(detection_pairs);

void assemble_contacts(benchmark::State& state) {
  const Heap& h = heap();
  State state_of_heap = h.state;
  Workspace workspace;
  for (const Boundary& b : h.model.boundaries) workspace.detection.boundaries.push_back(place(b, {}, 0.0));
  for (auto _ : state) {
    assemble(h.model, state_of_heap, {h.model.settings.time_step_s, 0.0, h.model.settings.time_step_s},
             workspace);
    benchmark::DoNotOptimize(workspace.problem.contact.data());
  }
  count_items(state, h.state.contacts.size());
}
BENCHMARK(assemble_contacts);

void colouring_contacts(benchmark::State& state) {
  const ContactProblem& problem = heap().workspace.problem;
  Colouring colouring;
  for (auto _ : state) {
    colour_blocks(problem.edge, {}, problem.bodies(), colouring);
    benchmark::DoNotOptimize(colouring.update.data());
  }
  count_items(state, problem.contacts());
}
BENCHMARK(colouring_contacts);

void making_batches_contacts(benchmark::State& state) {
  const ContactProblem& problem = heap().workspace.problem;
  const std::vector<BodyVelocity> velocity(problem.bodies());
  Batches batches;
  for (auto _ : state) {
    make_batches(problem, true, velocity, batches);
    benchmark::DoNotOptimize(batches.contact.data());
  }
  count_items(state, problem.contacts());
}
BENCHMARK(making_batches_contacts);

/// A cold start with the given number of sweeps; items are contacts times sweeps. Costs that arise once per
/// solution (batches or colours, start, result, last residual) are divided among the sweeps. Compare few
/// sweeps with many to separate these costs from the cost of a sweep.
void sweep_contacts(benchmark::State& state, double tolerance) {
  ContactProblem problem = heap().workspace.problem;
  problem.complete();
  SolverSettings settings;
  settings.warm_start = false;
  settings.tolerance = tolerance;
  settings.max_sweeps = static_cast<int>(state.range(0));
  problem.velocity_scale = 0.0;  // a tolerance that no sweep reaches
  SolverWorkspace workspace;
  ContactSolution solution;
  std::int64_t sweeps = 0;
  for (auto _ : state) sweeps += solve(problem, settings, workspace, solution).sweeps;
  state.SetItemsProcessed(sweeps * static_cast<std::int64_t>(problem.contacts()));
}
void wide_sweep_contacts(benchmark::State& state) { sweep_contacts(state, 1e-3); }
void one_by_one_sweep_contacts(benchmark::State& state) { sweep_contacts(state, 0.0); }
BENCHMARK(wide_sweep_contacts)->Arg(4)->Arg(40);
BENCHMARK(one_by_one_sweep_contacts)->Arg(4)->Arg(40);

void residual_contacts(benchmark::State& state) {
  Workspace& w = heap().workspace;
  w.problem.complete();
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        residual(w.problem, w.solution.velocity, w.solution.impulse, w.solution.row_impulse).rms_m_s);
  }
  count_items(state, w.problem.contacts());
}
BENCHMARK(residual_contacts);

/// Alternately forth and back, so that bodies keep their places.
void drift_bodies(benchmark::State& state) {
  Bodies bodies = heap().state.bodies;
  double dt = heap().model.settings.time_step_s;
  for (auto _ : state) {
    drift(bodies, dt);
    dt = -dt;
    benchmark::DoNotOptimize(bodies.position.data());
  }
  count_items(state, bodies.size());
}
BENCHMARK(drift_bodies);

}  // namespace
}  // namespace scree

int main(int argc, char** argv) {
  scree::set_thread_count(1);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
