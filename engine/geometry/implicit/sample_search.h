// The fast search for the contacts of two functionally defined bodies: from the samples of each surface next
// to which the slope of the distance from the other body may vanish, Newton.
//
// At a contact the distance from the other body has a local minimum over a body's surface (deepest, where
// they overlap). At a sample with the normal n and the bend A, and with m, B and d of the other body's level
// set there, the slope is the part of m in the tangent plane, and it vanishes about (A + B)^-1 times as far
// away. A sample is a start where that may be no farther than the next sample, axis by axis of A + B, whose
// error is allowed for. Both bodies' samples are gone through, so that what is fine on either side is seen.
// No proof: the certified search judges it (ImplicitContacts.AgreeWithTheCertifiedSearch).
#pragma once

#include <span>

#include "engine/geometry/implicit/pair_search.h"

namespace scree {

/// A critical pair that counts as a contact wherever it is.
struct Followed {
  CriticalPair touch;
  std::uint32_t feature;
};

/// What a search found: all contacts within reach and slack.
struct Search {
  std::vector<Followed> followed;
  std::vector<CriticalPair> seen;  // critical pairs of every kind
  std::vector<KnownContact> known;
  bool settled = true;  // nothing where contacts may appear or vanish
};

/// Two parallel planes: all of a is below high_a along n, all of b above low_b.
struct Between {
  Three n;               // unit, a's axes
  double high_a, low_b;  // m, from the centre of a
  double gap() const { return low_b - high_a; }
};

/// The planes farthest apart that a compass search from the line of centres finds until they prove a gap of
/// more than `margin`.
Between planes_between(const PairView& p, double margin);

/// Known contacts keep their features. `planes`: any two, the farther apart the less work.
void search_all(const PairView& p, const SearchReach& reach, const Between& planes,
                std::span<const ImplicitStart> known, Search& search, ContactCounts* counts);

}  // namespace scree
