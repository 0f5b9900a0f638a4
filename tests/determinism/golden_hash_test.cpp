// Golden hashes: the final bits of two runs, kept from commit to commit. The test detects a change that
// should not change any result but does.
//
// Golden hashes are valid for one preset and one class of machines: the preset `release`, built by g++ 12 on
// Debian 12 for x86-64, on a processor with AVX2 and FMA (the C library selects its sine and power by these).
// Elsewhere the tests are skipped and print the reason; the tests with tolerances are valid everywhere.
//
// To change a hash on purpose: run this test, copy the printed hash over the constant below, and state in the
// commit message why the numbers had to change. The tests with tolerances must still pass, and the thread
// counts must agree (determinism_test).
#include <cstdlib>
#include <gtest/gtest.h>

#include "engine/core/parallel.h"
#include "engine/core/state_hash.h"
#include "io/scene/read_scene.h"
#include "tests/support/world.h"

namespace scree {
namespace {

constexpr const char* golden_heap = "909a84d2b057c513";
constexpr const char* golden_inclined_tube = "caf4df497de94f13";

/// The reason why hashes of this build on this machine differ; empty if they do not.
std::string other_bits() {
#if !defined(NDEBUG) || !defined(__OPTIMIZE__)
  return "not the preset `release`";
#elif !defined(__x86_64__)
  return "not x86-64";
#elif !defined(__GNUC__) || defined(__clang__) || __GNUC__ != 12
  return "not g++ 12";
#elif !defined(__GLIBC__) || __GLIBC__ != 2 || __GLIBC_MINOR__ != 36
  return "not the C library of Debian 12";
#elif defined(SCREE_ONE_TARGET)
  return "built for sanitizers";
#else
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
    return "a processor without AVX2 and FMA";
  return "";
#endif
}

class GoldenHash : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = other_bits(); !reason.empty()) GTEST_SKIP() << reason;
  }
  static void expect_hash(const Bodies& bodies, const char* golden) {
    EXPECT_EQ(hash_text(state_hash(bodies)), golden)
        << "If the numbers had to change, the first hash is the new golden one: see the top of this file.";
  }
};

// Ellipsoids fall into a box, with bounce and torques at all contacts: 300 steps.
TEST_F(GoldenHash, Heap) {
  PairLaw law;
  law.restitution = 0.2;
  law.rolling_friction_m = 1e-3;
  test::World world = test::loose_heap(6, 6, law, 2e-3);
  world.model.settings.solver = SolverSettings{};  // the defaults for users
  world.run(0.6);
  expect_hash(world.state.bodies, golden_heap);
}

// A shipped scene, from its file: a tube, sorting, defaults of scene files. 600 steps of 200 bodies.
TEST_F(GoldenHash, InclinedTube) {
  const io::Scene scene =
      io::read_scene(SCREE_SOURCE_DIR "/scenes/inclined_tube/inclined_tube.toml", {{"count", "200"}});
  State state = scene.initial;
  Workspace workspace;
  StepResult result;
  for (int k = 0; k < 600; ++k) step(scene.model, state, workspace, result);
  expect_hash(state.bodies, golden_inclined_tube);
}

}  // namespace
}  // namespace scree
