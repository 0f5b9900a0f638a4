// Checks that results have the same bits on any number of threads, and from a copy of a state.
#pragma once

#include <gtest/gtest.h>

#include "engine/core/parallel.h"
#include "tests/support/world.h"

namespace scree::test {

/// Runs the same world on 1, 2, 3, 4 and 8 threads; on 3 it continues halfway from only a copy of its
/// state. `bits`: the data of a world that must be the same at the end.
template <class Make, class Bits>
void expect_same_bits(Make&& make, double halfway_s, double until_s, Bits&& bits) {
  decltype(bits(make())) expected{};
  for (const int threads : {1, 2, 3, 4, 8}) {
    set_thread_count(threads);
    World world = make();
    world.run(halfway_s);
    if (threads == 3) {
      const State copy = world.state;
      world.workspace = {};
      world.state = copy;
    }
    world.run(until_s);
    if (threads == 1) expected = bits(world);
    EXPECT_EQ(bits(world), expected) << threads;
  }
  set_thread_count(0);
}

/// The same for the state hash of all bodies.
template <class Make>
void expect_same_bits(Make&& make, double halfway_s, double until_s) {
  expect_same_bits(make, halfway_s, until_s,
                   [](const World& world) { return state_hash(world.state.bodies); });
}

}  // namespace scree::test
