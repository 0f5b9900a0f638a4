// Writes the results of a small made-up run into the folder named on the command line; with a second argument
// those of a run in which bodies come and go.
#include "io/results/run_recorder.h"
#include "tests/results/fixtures.h"

int main(int argc, char** argv) {
  if (argc == 3) scree::test::record_coming_and_going(argv[1]);
  if (argc != 2) return argc == 3 ? 0 : 2;
  const scree::io::Scene scene = scree::test::example_scene(50);
  scree::io::RunRecorder recorder(scene, {argv[1], false});
  scree::test::ExampleStep step{scene.initial, {}};
  for (int k = 1; k <= 50; ++k) {
    step = scree::test::example_step(scene, k);
    recorder.after_step(step.result, step.state);
  }
  recorder.finish(scree::io::RunStatus::finished, step.state);
}
