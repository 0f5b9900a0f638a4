// Contacts: where bodies touch, or may touch within a step, and what one step hands to the next.
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
  std::vector<Vec3> point;               // m, world, midway between the surfaces
  std::vector<Vec3> normal;              // unit, from b to a
  std::vector<double> gap;               // m, negative where they overlap
  std::vector<double> gap_acceleration;  // m/s^2, of the gap while both bodies move on as they do

  std::size_t size() const { return key.size(); }
  void resize(std::size_t n);
};

struct RememberedTorque {
  ContactKey key;
  Vec3 impulse;  // N m s, world axes, on body a
};

/// What the last step hands to the next.
struct ContactMemory {
  // Impulses for a warm start. [contact], in the order of their keys; world axes, on body a.
  std::vector<ContactKey> key;
  std::vector<Vec3> normal;               // unit, from b to a
  std::vector<Vec3> impulse;              // N s
  std::vector<RememberedTorque> torques;  // of the contacts that resist torques, ordered by key
  std::vector<std::int32_t> contact_row;  // [body + 1]: contacts with a = body start here

  // Directions that last proved two bodies apart, or along which they touch. [candidate pair], ordered by a,
  // then b.
  std::vector<std::int32_t> pair_b;
  std::vector<Vec3> pair_normal;       // unit, from b to a
  std::vector<std::int32_t> pair_row;  // [body + 1]: pairs with a = body start here
};

/// Position of a contact in the memory, or -1.
std::int64_t find_contact(const ContactMemory& memory, const ContactKey& key);

/// The last torque impulse of a contact, N m s, world axes: zero where there is none.
Vec3 find_torque(const ContactMemory& memory, const ContactKey& key);

/// The last direction of a pair, or null.
const Vec3* find_pair_normal(const ContactMemory& memory, std::int32_t a, std::int32_t b);

}  // namespace scree
