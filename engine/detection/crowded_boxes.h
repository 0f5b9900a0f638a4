#pragma once

#include <stdexcept>

namespace scree {

/// Of bodies that are all in one place, or go so far in a step that each may meet thousands of others. The
/// broad phase throws it before memory for all pairs of all bodies is asked for.
class CrowdedBoxes : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace scree
