#pragma once

#include <stdexcept>

namespace scree {

/// Error for bodies that are all in one place, or move so far in a step that each may meet thousands of
/// others. The broad phase throws it before it allocates memory for all pairs of all bodies.
class CrowdedBoxes : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace scree
