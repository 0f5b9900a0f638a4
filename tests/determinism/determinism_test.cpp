// The same bits on every number of threads, for every solver and its settings.
#include <gtest/gtest.h>

#include "engine/core/parallel.h"
#include "tests/support/world.h"

namespace scree {
namespace {

using test::World;

/// Tested settings, and the number of compared steps.
struct Case {
  const char* name;
  void (*choose)(Settings& settings);
  int steps = 30;
  double restitution = 0.2, rolling_friction_m = 1e-3;
  int least_sweeps = 1;  // at least one step must reach it, so that all of the solver runs
};

const Case cases[] = {
    {"gauss_seidel", [](Settings& s) { s.solver.max_sweeps = 10; }, 80},
    {"per_body_adaptive_step",
     [](Settings& s) {
       s.adaptive_step = true;
       s.time_step_s = 0.01;
     },
     80},
    {"per_body_substeps",
     [](Settings& s) {
       s.solver.max_sweeps = 10;
       s.substeps = 2;
     },
     40},
    {"per_body_biased_substeps",
     [](Settings& s) {
       s.solver.position_correction = PositionCorrection::biased;
       s.substeps = 5;
     },
     20},
    {"per_body_sampled_cone",
     [](Settings& s) {
       s.solver.friction_cone = FrictionCone::sampled;
       s.solver.max_sweeps = 10;
     }},
    {"nsgs",
     [](Settings& s) {
       s.solver.kind = SolverKind::nsgs;
       s.solver.max_sweeps = 10;
     }},
    {"admm",
     [](Settings& s) {
       s.solver.kind = SolverKind::admm;
       s.solver.max_sweeps = 20;
     },
     20},
    // Newton steps treat the residual after 100 iterations, if no contact resists torques.
    {.name = "admm_with_newton_steps",
     .choose =
         [](Settings& s) {
           s.solver.kind = SolverKind::admm;
           s.solver.max_sweeps = 105;
           s.solver.tolerance = 1e-12;
         },
     .steps = 2,
     .rolling_friction_m = 0.0,
     .least_sweeps = 101},
    {"one_pass", [](Settings& s) { s.solver.kind = SolverKind::one_pass; }, 10},
    {.name = "energetic_impacts",
     .choose =
         [](Settings& s) {
           s.restitution_law = RestitutionLaw::energetic;
           s.solver.max_sweeps = 10;
         },
     .steps = 8,
     .restitution = 0.7},
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class Threads : public ::testing::TestWithParam<Case> {};

TEST_P(Threads, SameHashOnAnyNumberOfThreads) {
  // From a falling heap, in which grains rest on the floor, collide and fly: some steps on every number of
  // threads.
  const Case& chosen = GetParam();
  PairLaw law;
  law.restitution = chosen.restitution;
  law.rolling_friction_m = chosen.rolling_friction_m;
  World start = test::loose_heap(11, 6, law, 2e-3);
  start.model.settings.solver.max_sweeps = 10;
  start.model.settings.solver.tolerance = 1e-3;
  set_thread_count(1);
  start.run(0.36);
  chosen.choose(start.model.settings);

  int sweeps = 0;
  double impacts_J = 0.0;
  std::int64_t contacts = 0;
  const auto hash_on = [&](int threads) {
    set_thread_count(threads);
    State state = start.state;
    Workspace workspace;
    StepResult result;
    for (int k = 0; k < chosen.steps; ++k) {
      const StepReport& report = step(start.model, state, workspace, result);
      sweeps = std::max(sweeps, report.sweeps);
      contacts = std::max(contacts, report.contacts);
      impacts_J += report.energy.dissipated_by_impact;
    }
    return state_hash(state.bodies);
  };
  const std::uint64_t one = hash_on(1);
  for (const int threads : {2, 3, 4, 8}) EXPECT_EQ(hash_on(threads), one) << threads << " threads";
  EXPECT_NE(one, state_hash(start.state.bodies));
  EXPECT_GE(sweeps, chosen.least_sweeps);
  EXPECT_GT(contacts, 512);  // at least two blocks of contacts
  EXPECT_NE(impacts_J, 0.0);
  set_thread_count(0);
}

INSTANTIATE_TEST_SUITE_P(Settings, Threads, ::testing::ValuesIn(cases),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace scree
