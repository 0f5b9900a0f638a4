// Contacts: where bodies touch, or may touch within a step.
#pragma once

#include "engine/core/types.h"

namespace scree {

/// A pair and one of its contacts. `b` numbers a body, or, from the number of bodies on, a boundary:
/// b = bodies + boundary. Always a < b. Ordered by a, then b, then feature.
struct ContactKey {
  std::int32_t a = 0, b = 0;
  std::uint32_t feature = 0;
  auto operator<=>(const ContactKey&) const = default;
};

/// All arrays are [contact], in the order of their keys.
struct Contacts {
  std::vector<ContactKey> key;
  std::vector<Vec3> point;     // m, world, midway between the surfaces
  std::vector<Vec3> normal;    // unit, from b to a
  std::vector<double> gap;     // m, negative where they overlap
  std::size_t size() const { return key.size(); }
  void clear();
};

/// What the last step knows that the next one can use. [contact] arrays in the order of their keys, and for candidate
/// pairs without a contact the direction that last proved them apart.
struct ContactMemory {
  std::vector<ContactKey> key;      // [contact]
  std::vector<Vec3> normal;         // [contact]
  std::vector<Vec3> impulse;        // [contact], N s, world axes, on body a
  std::vector<Vec3> torque_impulse; // [contact], N m s, world axes, on body a
};

}  // namespace scree
