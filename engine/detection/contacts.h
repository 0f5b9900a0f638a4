// Contacts: where bodies touch, or may touch within a step. One table from detection to the next step.
#pragma once

#include <span>

#include "engine/core/types.h"
#include "engine/geometry/implicit/implicit_contacts.h"

namespace scree {

/// The partner of a body: another body's slot, or a boundary as a negative number. Partners are ordered as
/// unsigned numbers, so that boundaries come after bodies: a few sweeps converge better if contacts with
/// fixed objects come last.
inline constexpr std::int32_t first_boundary = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t boundary_partner(std::size_t boundary) {
  return first_boundary + static_cast<std::int32_t>(boundary);
}
constexpr bool is_boundary(std::int32_t partner) { return partner < 0; }
constexpr std::size_t boundary_of(std::int32_t partner) {
  return static_cast<std::size_t>(partner - first_boundary);
}
constexpr std::uint32_t partner_order(std::int32_t partner) { return static_cast<std::uint32_t>(partner); }

/// Body a, its partner b (a body of a higher slot, or a boundary), and the number of the contact in this
/// pair.
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

/// Two bodies in contact by their ids, or a body and a boundary by its number in the model. All -1: none.
struct Touch {
  BodyId a = -1, b = -1;
  std::int32_t boundary = -1;
  bool operator==(const Touch&) const = default;
};

/// One contact. Detection writes it. The impulses are the initial values of the solution, and after the step
/// its result, in single precision (balances use the solution itself). Two cache lines (docs/decisions/0017).
struct Contact {
  ContactKey key;
  /// The share of the impulses with which the next (sub)step begins. The share that stopped an impact is left
  /// out: it belongs to the past and would push the bodies apart.
  float lasting = 1.0f;
  Vec3 normal;                           // unit, world, from b to a
  Vec3 arm_a, arm_b;                     // m, world axes: from the centres of a and b to the point of contact
  double gap = 0.0;                      // m, negative where surfaces overlap
  float gap_acceleration = 0.0f;         // m/s^2, of the gap at constant velocities of both bodies
  float length = 0.0f;                   // m, reference for overlaps: the smaller of both smallest lengths
  Vec3f impulse = Vec3f::Zero();         // N s, world, on body a, in the last (sub)step
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
  /// Fills `row` for this number of bodies.
  void index(std::size_t bodies);
};

/// Swaps the sides of a contact and its key, after b's slot has become the lower one.
void swap_sides(Contact& contact);

/// A normal that last separated a pair or along which it touched; the next search starts from it. A pair
/// may have any number of them.
struct CachedNormal {
  std::int32_t b;         // partner
  std::uint32_t feature;  // of the contact that it belongs to
  Vec3 normal;            // unit, from b to a
};

/// The cached normals of all candidate pairs, ordered by a, then b, then feature.
struct NormalCache {
  std::vector<CachedNormal> list;
  std::vector<std::int32_t> row;  // [body + 1]: normals of pairs with this body as a start here
  std::uint64_t stamp = 0;        // of the detection that made them; 0: changed by other code since

  std::span<const CachedNormal> of_pair(std::int32_t a, std::int32_t b) const;
};

/// State of the search for a pair with a function, kept from step to step.
struct CachedPair {
  std::int32_t a, b;  // as in ContactKey
  PairMemory memory;
};
void swap_sides(PairMemory& memory);

}  // namespace scree
