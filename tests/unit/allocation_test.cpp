// A steady step allocates no memory, except for pair searches and local Newton steps: all other data are kept
// in the workspace.
#include <atomic>
#include <cstdlib>
#include <gtest/gtest.h>
#include <new>

#include "engine/core/parallel.h"
#include "tests/support/world.h"

namespace {
std::atomic<long> allocations{0};

void* counted(std::size_t size, std::size_t alignment) {
  ++allocations;
  void* p = alignment > alignof(std::max_align_t)
                ? std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment)
                : std::malloc(size);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
}  // namespace

void* operator new(std::size_t size) { return counted(size, 0); }
void* operator new[](std::size_t size) { return counted(size, 0); }
void* operator new(std::size_t size, std::align_val_t a) {
  return counted(size, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t size, std::align_val_t a) {
  return counted(size, static_cast<std::size_t>(a));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace scree {
namespace {

TEST(SteadyStep, AllocatesNothing) {
  set_thread_count(1);  // oneTBB allocates memory to distribute work
  PairLaw law;
  law.rolling_friction_m = 1e-3;
  test::World world = test::loose_heap(6, 7, law, 2e-3);  // more than one block of every kind
  world.model.settings.solver = SolverSettings{};
  const StepReport settled = world.run(1.0);
  ASSERT_GT(settled.contacts, 512);
  ASSERT_GT(allocations, 0);
  const auto place_of_boxes = [&] {  // changes when a new pair search is made
    Vec3 sum = Vec3::Zero();
    for (const BoundingBox& box : world.workspace.detection.pair_list.wide) sum += box.centre;
    return sum;
  };
  long without_search = 0, with_search = 0, searches = 0;
  int steady = 0;
  for (int k = 0; k < 40; ++k) {
    const Vec3 place = place_of_boxes();
    const long before = allocations;
    if (world.step().sweeps >= 64) continue;  // late contacts make this step unsteady
    ++steady;
    const bool searched = place_of_boxes() != place;
    searches += searched ? 1 : 0;
    (searched ? with_search : without_search) += allocations - before;
  }
  EXPECT_GT(steady, 15);
  // Contacts come and go even in a heap at rest: room for a few more may be allocated now and then. A new
  // vector in every step would count more than 30.
  EXPECT_LE(without_search, 5);
  // The heap still rolls. A search allocates memory and frees it.
  EXPECT_GT(searches, 0);
  EXPECT_LT(searches, 10);
  EXPECT_LE(with_search, 25 * searches);
  set_thread_count(0);
}

}  // namespace
}  // namespace scree
