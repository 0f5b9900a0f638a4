// All shipped scenes end in the same bits on every number of threads, some steps after a state in which
// grains collide.
#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>

#include "engine/core/parallel.h"
#include "engine/core/state_hash.h"
#include "engine/run/run.h"
#include "engine/simulation/step.h"
#include "io/scene/read_scene.h"
#include "tests/support/shipped_scenes.h"

namespace scree {
namespace {

namespace fs = std::filesystem;

class ShippedScene : public ::testing::TestWithParam<fs::path> {};

TEST_P(ShippedScene, OneHashOnAllThreadCounts) {
  const io::Scene scene = io::read_scene(GetParam());
  // Fewer steps with more bodies, or with more functions, whose contacts are dear.
  const std::size_t weight = scene.initial.bodies.size() * (scene.model.shapes.functions().empty() ? 1 : 20);
  const int measured = std::clamp(static_cast<int>(40'000 / std::max<std::size_t>(weight, 1)), 5, 50);
  Model model = scene.model;
  model.settings.sort_interval =
      std::min(model.settings.sort_interval, std::min(measured / 2, 20));  // so that some steps sort
  // Until most lattices have fallen onto their floors; few sweeps, because steps matter here.
  model.settings.solver.max_sweeps = std::min(model.settings.solver.max_sweeps, 10);
  State start = scene.initial;
  {
    set_thread_count(0);
    Workspace workspace;
    StepResult result;
    const int fall = weight > 60'000 ? 20 : weight > 20'000 ? 60 : weight > 4'000 ? 120 : 300;
    for (int k = 0; k < fall && start.time_s < scene.end_time_s; ++k) step(model, start, workspace, result);
  }
  const auto hash_on = [&](int threads) {
    set_thread_count(threads);
    State state = start;
    Workspace workspace;
    StepResult result;
    for (int k = 0; k < measured; ++k) step(model, state, workspace, result);
    return state_hash(state.bodies);
  };
  const std::uint64_t one = hash_on(1);
  for (const int threads : {2, 3, 4, 8}) {
    if (weight > 60'000 && threads != 3) continue;
    EXPECT_EQ(hash_on(threads), one) << threads << " threads";
  }
  set_thread_count(0);
}

// All features at once, with events: one hash on all numbers of threads and from a copy of the state halfway,
// and all balances close.
TEST(EverythingAtOnce, SameHashOnAnyThreadsAndLedgersClose) {
  const io::Scene scene =
      io::read_scene(fs::path(SCREE_SOURCE_DIR) / "tests" / "determinism" / "everything.toml");
  std::uint64_t expected = 0;
  for (const int threads : {1, 2, 3, 4, 8}) {
    set_thread_count(threads);
    State state = scene.initial;
    arm_events(scene.model, scene.events, state);
    Workspace workspace;
    StepResult result;
    std::size_t happened = 0;
    std::int64_t broken = 0;
    for (int k = 0; k < 500; ++k) {
      if (threads == 3 && k == 250) {
        const State copy = state;
        workspace = {};
        state = copy;
      }
      const StepReport& report = step(scene.model, state, workspace, result);
      happened += take_events(scene.model, scene.events, result, state).size();
      broken += report.bonds_broken;
      EXPECT_LT(std::abs(report.energy.remainder), 1e-11) << k;
      EXPECT_LT(report.momentum_error_relative * report.impulse_size_N_s, 1e-11) << k;
    }
    EXPECT_EQ(happened, 4u);
    EXPECT_GT(broken, 0);
    EXPECT_GT(state.left[0].bodies + state.left[1].bodies, 0);
    EXPECT_GT(state.entered[0].bodies, 30);
    if (threads == 1) expected = state_hash(state.bodies);
    EXPECT_EQ(state_hash(state.bodies), expected) << threads << " threads";
  }
  set_thread_count(0);
}

INSTANTIATE_TEST_SUITE_P(Scenes, ShippedScene, ::testing::ValuesIn(test::shipped_scenes()),
                         [](const auto& scene) {
                           std::string name = scene.param.stem().string();
                           std::replace_if(
                               name.begin(), name.end(),
                               [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
                           return name;
                         });

}  // namespace
}  // namespace scree
