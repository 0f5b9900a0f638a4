// A body with more contacts than sweeps have colours.
#pragma once

#include "tests/support/world.h"

namespace scree::test {

/// Adds a large sphere and 200 small ones on it that move towards its centre, and removes gravity.
inline void add_surrounded_sphere(World& world) {
  world.model.settings.gravity.setZero();
  world.add_sphere(1.0, Vec3::Zero());
  for (int i = 0; i < 200; ++i) {
    const double z = 1.0 - 2.0 * (i + 0.5) / 200, a = 2.399963 * i, s = std::sqrt(1 - z * z);
    const Vec3 d(s * std::cos(a), s * std::sin(a), z);
    world.add_sphere(0.05, 1.05 * d, {-0.1 * d, Vec3::Zero()});
  }
}

}  // namespace scree::test
