// Contacts: where bodies touch, or may touch within a step. One table from detection to the next step.
#pragma once

#include <span>

#include "engine/core/types.h"
#include "engine/geometry/implicit/implicit_contacts.h"

namespace scree {

/// The partner of a body: another body's slot, or a boundary as a negative number. In the order of partners
/// (which is that of unsigned numbers) boundaries come after bodies: few sweeps end better with what nothing
/// moves.
inline constexpr std::int32_t first_boundary = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t boundary_partner(std::size_t boundary) {
  return first_boundary + static_cast<std::int32_t>(boundary);
}
constexpr bool is_boundary(std::int32_t partner) { return partner < 0; }
constexpr std::size_t boundary_of(std::int32_t partner) {
  return static_cast<std::size_t>(partner - first_boundary);
}
constexpr std::uint32_t partner_order(std::int32_t partner) { return static_cast<std::uint32_t>(partner); }

/// Body a, its partner b (a body of a higher slot, or a boundary) and which of the contacts of the two it is.
struct ContactKey {
  std::int32_t a = 0, b = 0;
  std::uint32_t feature = 0;
  bool operator==(const ContactKey&) const = default;
  constexpr auto operator<=>(const ContactKey& o) const {
    if (a != o.a) return a <=> o.a;
    if (b != o.b) return partner_order(b) <=> partner_order(o.b);
    return feature <=> o.feature;
  }
};

/// One contact. Detection writes it; the impulses are where the solution begins, and after the step what
/// came out: in single precision, for balances are of the solution's. Two cache lines (docs/decisions/0017).
struct Contact {
  ContactKey key;
  /// What part of the impulses the next (sub)step begins with: what stopped an impact is left out, for it
  /// belongs to the past and would throw the bodies apart.
  float lasting = 1.0f;
  Vec3 normal;                    // unit, world, from b to a
  Vec3 arm_a, arm_b;              // m, world axes: from the centres of a and b to where the contact acts
  double gap = 0.0;               // m, negative where surfaces overlap
  float gap_acceleration = 0.0f;  // m/s^2, of the gap while both bodies move on as they do
  float length = 0.0f;            // m, what overlaps are compared with: the smaller of the smallest lengths
  Vec3f impulse = Vec3f::Zero();  // N s, world, on body a, in the last (sub)step
  Vec3f torque_impulse = Vec3f::Zero();  // N m s, world, on body a: of torsional and rolling friction

  bool is_active() const { return !impulse.isZero(0.0f); }
};
static_assert(sizeof(Contact) == 128);

/// The contacts of a step, ordered by key.
struct Contacts {
  std::vector<Contact> list;
  std::vector<std::int32_t> row;  // [body + 1]: contacts with this body as a start here; empty: not indexed

  std::size_t size() const { return list.size(); }
  const Contact& operator[](std::size_t c) const { return list[c]; }
  /// The contact of a key, or null.
  const Contact* find(const ContactKey& key) const;
  /// Fills `row` for so many bodies.
  void index(std::size_t bodies);
};

/// Turns a contact round where its key has changed sides: b's slot has become the lower one.
void swap_sides(Contact& contact);

/// A direction that last proved a pair apart or along which it touched; where the next search begins. A pair
/// may have any number of them.
struct CachedNormal {
  std::int32_t b;         // partner
  std::uint32_t feature;  // of the contact that it belongs to
  Vec3 normal;            // unit, from b to a
};

/// The seeds of all candidate pairs, ordered by a, then b, then feature.
struct NormalCache {
  std::vector<CachedNormal> list;
  std::vector<std::int32_t> row;  // [body + 1]: seeds of pairs with this body as a start here
  std::uint64_t stamp = 0;        // of the detection that made them; 0: something else has touched them since

  std::span<const CachedNormal> of_pair(std::int32_t a, std::int32_t b) const;
};

/// What the search of a pair of which one is no ellipsoid keeps from step to step.
struct CachedPair {
  std::int32_t a, b;  // as in ContactKey
  PairMemory memory;
};
void swap_sides(PairMemory& memory);

}  // namespace scree
