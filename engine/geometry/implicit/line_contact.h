// Line contacts: two surfaces stay close to each other along a line, straight (rods side by side) or closed
// (a tablet in a round dent).
//
// (F2) does not fix a place along such a line, so Newton leaves it or ends anywhere on it. A point of the
// line is stationary across it alone: with e the direction in which the distance bends most,
//   e.(n_a + n_b) = 0,   x_b - x_a = phi n_a,                                                          (F5)
// and it keeps its place along the line on the first surface. A few such points, far apart, hold the line as
// the ends hold a flat patch.
#pragma once

#include <algorithm>
#include <vector>

#include "engine/geometry/implicit/flat_contact.h"

namespace scree {

inline constexpr std::uint32_t line_point = 8;  // ends of the features of these points
inline bool is_line_point(std::uint32_t feature) { return (feature & 15u) == line_point; }

inline constexpr std::size_t points_of_line = 4;
// More flat contacts of a pair than this are points of lines.
inline constexpr std::ptrdiff_t most_flat_contacts = 8;
// Largest slope of the distance along a line. Above it the surfaces part, and Newton finds the contact.
inline constexpr double most_slope = 0.05;
inline constexpr int line_iterations = 12;

/// Does the distance with these second derivatives change along a line, or over a flat patch, by no more than
/// most_slope? slope: two components in the same tangents.
inline bool is_along_line(const Plane2& bend, Two slope, double weakest) {
  const Axes2 axes = axes_of(bend);
  const double along = std::abs(axes.along.x * slope.y - axes.along.y * slope.x);
  return std::abs(axes.smaller) <= weakest && (axes.larger > weakest ? along : norm(slope)) <= most_slope;
}

/// (F5) from two points, within `radius` of the first one (m).
CriticalPair newton_across(const PairView& p, Three a, Three b, double radius);

/// A contact of any kind, in the axes of the first body.
struct FlatView {
  Three at, n;  // m
  Plane2 bend;  // of the distance, in tangents(n)
  double phi;   // m
};
inline FlatView flat_view(const CriticalPair& t) {
  return {t.a, t.n, {t.bend_a.xx + t.bend_b.xx, t.bend_a.xy + t.bend_b.xy, t.bend_a.yy + t.bend_b.yy}, t.phi};
}

/// Is a point of a line next to a contact, or where the ends of its flat patch are?
bool is_held_by(const FlatView& contact, Three point, double size);

/// A point that could hold a line, and its gap, m.
struct LineCandidate {
  Three at;
  double phi;
};

/// The numbers of the candidates that hold the lines: at most points_of_line, far from each other and from
/// `held`. The first `kept` have held them before. None is farther from touch than the nearest one by more
/// than the gap at the ends of a flat patch; `least`: the gap of the nearest flat contact, m.
std::vector<std::size_t> spread_over_line(std::span<const LineCandidate> candidates, std::size_t kept,
                                          std::span<const Three> held, double least, double size);

/// Adds points of line contacts to the contacts that were found, each with a touch and a feature. Of the
/// candidates in `line` the first `kept` have held lines before.
template <class Found>
void take_lines(double size, std::size_t kept, std::vector<Found>& line, std::vector<Found>& contacts) {
  const auto is_flat = [&](const Found& f) {
    return axes_of(flat_view(f.touch).bend).smaller < weakest_bend(size);
  };
  if (std::ranges::count_if(contacts, is_flat) > most_flat_contacts) {
    for (const Found& f : contacts) {
      if (is_flat(f)) line.push_back({f.touch, (f.feature & ~15u) | line_point});
    }
    std::erase_if(contacts, is_flat);
  }
  if (line.empty()) return;
  std::vector<LineCandidate> candidates;
  std::vector<std::size_t> of_candidate;
  std::size_t first = 0;
  for (std::size_t k = 0; k < line.size(); ++k) {
    const FlatView at = flat_view(line[k].touch);
    const auto holds = [&](const Found& f) { return is_held_by(flat_view(f.touch), at.at, size); };
    if (std::ranges::any_of(contacts, holds)) continue;
    candidates.push_back({at.at, at.phi});
    of_candidate.push_back(k);
    if (k < kept) ++first;
  }
  std::vector<Three> held;
  double least = infinity;
  for (const Found& f : contacts) {
    if (!is_flat(f)) continue;
    held.push_back(flat_view(f.touch).at);
    least = std::min(least, f.touch.phi);
  }
  for (const std::size_t c : spread_over_line(candidates, first, held, least, size)) {
    Found f = line[of_candidate[c]];
    const auto is_taken = [&](const Found& o) { return o.feature == f.feature; };
    while (std::ranges::any_of(contacts, is_taken)) f.feature += 1u << 4;
    contacts.push_back(f);
  }
}

}  // namespace scree
