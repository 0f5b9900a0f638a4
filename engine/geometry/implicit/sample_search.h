// The fast search for the contacts of two functionally defined bodies: Newton from those samples of each
// surface next to which the slope of the distance from the other body may vanish.
//
// At a contact the distance from the other body has a local minimum over a body's surface (or, for overlaps,
// is deepest). At a sample with the normal n and the bend A, and with m, B and d of the other body's level
// set there, the slope is the part of m in the tangent plane, and it vanishes at about (A + B)^-1 times the
// slope. A sample is a start if that distance may be no more than the one to the next sample, axis by axis of
// A + B, whose error is allowed for. Samples of both bodies are used, so that fine details of either are
// found. There is no proof; tests compare it with the certified search
// (ImplicitContacts.AgreeWithTheCertifiedSearch).
#pragma once

#include <span>

#include "engine/geometry/implicit/pair_search.h"

namespace scree {

/// A critical pair that counts as a contact wherever it is.
struct Followed {
  CriticalPair touch;
  std::uint32_t feature;
};

/// Result of a search: all contacts within reach and slack.
struct Search {
  std::vector<Followed> followed;
  std::vector<CriticalPair> seen;  // critical pairs of all kinds
  std::vector<Followed> line;      // points that could hold a line contact, with features of such points
  std::vector<KnownContact> known;
  bool settled = true;  // no place at which contacts may appear or vanish
};

/// Two parallel planes: all of a is below high_a along n, all of b above low_b.
struct Between {
  Three n;               // unit, a's axes
  double high_a, low_b;  // m, from the centre of a
  double gap() const { return low_b - high_a; }
};

/// The planes farthest apart, by a compass search from the line of centres. It ends when they prove a gap of
/// more than `margin`.
Between planes_between(const PairView& p, double margin);

/// Known contacts keep their features. `planes`: any two parallel planes; the farther apart, the less work.
void search_all(const PairView& p, const SearchReach& reach, const Between& planes,
                std::span<const ImplicitStart> known, Search& search, ContactCounts* counts);

}  // namespace scree
