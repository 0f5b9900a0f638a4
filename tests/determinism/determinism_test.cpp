// The same bits on every number of threads.
#include <gtest/gtest.h>

#include "engine/core/parallel.h"
#include "tests/support/world.h"

namespace scree {
namespace {

using test::World;

std::uint64_t hash_after_fall(int threads, SolverKind kind, int substeps) {
  set_thread_count(threads);
  PairLaw law;
  law.restitution = 0.2;
  law.rolling_friction_m = 1e-3;
  // one_pass costs a hundred times more in a heap that it lets collapse: a smaller one.
  World world =
      kind == SolverKind::one_pass ? test::loose_heap(6, 4, law, 2e-3) : test::loose_heap(10, 8, law, 2e-3);
  world.model.settings.solver.kind = kind;
  world.model.settings.solver.max_sweeps = 10;
  world.model.settings.solver.tolerance = 1e-3;
  world.model.settings.substeps = substeps;
  world.run(kind == SolverKind::one_pass ? 0.3 : 0.5);
  return state_hash(world.state.bodies);
}

class Threads : public ::testing::TestWithParam<std::pair<SolverKind, int>> {};

TEST_P(Threads, OneHash) {
  const auto [kind, substeps] = GetParam();
  const std::uint64_t one = hash_after_fall(1, kind, substeps);
  for (const int threads : {2, 3, 4, 8}) EXPECT_EQ(hash_after_fall(threads, kind, substeps), one) << threads;
}

INSTANTIATE_TEST_SUITE_P(Settings, Threads,
                         ::testing::Values(std::pair{SolverKind::per_body, 1},
                                           std::pair{SolverKind::per_body, 2},
                                           std::pair{SolverKind::one_pass, 1}));

}  // namespace
}  // namespace scree
