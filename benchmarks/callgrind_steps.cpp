// Steps of a scene for callgrind to count: callgrind_steps NAME|SCENE.toml COUNT FROM_S STEPS. Prints the
// work of the counted steps as JSON. benchmarks/callgrind.py runs this program and divides the counts.
#include <cstdlib>
#include <fmt/format.h>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_START_INSTRUMENTATION
#endif

#include "engine/core/parallel.h"
#include "engine/simulation/step.h"
#include "io/scene/read_scene.h"
#include "tools/bench/measure.h"
#include "tools/bench/scenes.h"

/// The counted steps: callgrind collects data only inside this function (--toggle-collect).
extern "C" __attribute__((noinline)) void counted_steps(const scree::Model& model, scree::State& state,
                                                        scree::Workspace& workspace, int steps,
                                                        std::vector<scree::StepReport>& reports) {
  scree::StepResult result;
  for (int k = 0; k < steps; ++k) reports.push_back(scree::step(model, state, workspace, result));
}

int main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print(stderr, "usage: callgrind_steps NAME|SCENE.toml COUNT FROM_S STEPS\n");
    return 2;
  }
  try {
    scree::set_thread_count(1);
    const auto scene = scree::io::read_scene(scree::find_bench_scene(argv[1]).file, {{"count", argv[2]}});
    scree::PreparedScene p = scree::prepare_bench(scene, std::atof(argv[3]), scree::Progress::Style::none);
    const int steps = std::atoi(argv[4]);
    scree::Workspace workspace;
    scree::StepResult result;
    std::vector<scree::StepReport> reports;
    reports.reserve(steps);
    CALLGRIND_START_INSTRUMENTATION;  // for --instr-atstart=no, which makes the program fast up to here
    for (int warm_up = 0; warm_up < 2; ++warm_up) {
      step(p.scene.model, p.state, workspace, result);
      if (result.failure) return 5;
    }
    counted_steps(p.scene.model, p.state, workspace, steps, reports);
    std::int64_t contacts = 0, candidates = 0, sweeps = 0, swept_contacts = 0;
    for (const scree::StepReport& report : reports) {
      contacts += report.contacts;
      candidates += report.candidates;
      sweeps += report.sweeps;
      swept_contacts += report.sweeps * report.contacts;
    }
    fmt::print(
        "{{\"bodies\": {}, \"steps\": {}, \"contacts\": {}, \"pairs\": {}, \"sweeps\": {}, "
        "\"swept_contacts\": {}, \"state_hash\": \"{:016x}\"}}\n",
        p.state.bodies.size(), steps, contacts, candidates, sweeps, swept_contacts,
        state_hash(p.state.bodies));
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 3;
  }
  return 0;
}
