// Tests whose numbers are larger where SCREE_LONG_TESTS is set.
#pragma once

#include <cstdlib>

namespace scree::test {

/// `full` if the environment has SCREE_LONG_TESTS, otherwise `usual`.
inline int repeats(int usual, int full) { return std::getenv("SCREE_LONG_TESTS") != nullptr ? full : usual; }

}  // namespace scree::test
