// How bodies are cut into ranges: what sweeps, sums and, one day, processes work on as a whole.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace scree {

/// Subdomain k has bodies [first[k], first[k + 1]). The cut is made where bodies are sorted by place, from
/// the state alone, and stays until they are again; so results depend on it, never on who does the work.
/// Bodies that come meanwhile make subdomains of their own behind.
struct Subdomains {
  std::vector<std::int32_t> first;  // [subdomain + 1]; empty: nobody has cut yet
  std::int32_t cut_bodies = 0;      // that were there when the cut was made
  /// [block + 1] bodies where blocks begin that loops share out; no block is in two subdomains. Follows from
  /// `first`, see index().
  std::vector<std::int32_t> block;

  /// Of a rank's bodies (engine/core/ranks.h): how many subdomains, the first, are its own; those behind are
  /// of ghosts, and have no blocks. -1: all are.
  std::int32_t own = -1;

  std::size_t size() const { return first.empty() ? 0 : first.size() - 1; }
  std::size_t own_size() const { return own < 0 ? size() : static_cast<std::size_t>(own); }
  std::int32_t own_bodies() const { return first.empty() ? 0 : first[own_size()]; }
  /// Do they cover exactly so many bodies?
  bool cover(std::size_t bodies) const {
    return !first.empty() && first.back() == static_cast<std::int32_t>(bodies);
  }
  /// Has so many come since they were cut that sorting anew is worth it?
  bool are_outgrown(std::size_t bodies) const;
  /// Fills `block`.
  void index();
};

/// What a body with so many contacts weighs where ranges are to be as heavy as others.
std::int64_t cut_weight(std::int32_t contacts);
/// Cuts bodies in the order of their slots into ranges of about the same weight; [body] a number of contacts.
/// Where there are places along the curve, [body], cuts go to where it leaves large cells, so that subdomains
/// are compact.
Subdomains cut(std::span<const std::int32_t> contacts_of, std::span<const std::uint64_t> place_of = {});
/// Appends those that have come since.
void cut_newcomers(std::size_t bodies, Subdomains& subdomains);

/// [block + 1] rows where blocks begin of those that belong to own bodies, likewise; `row_of` has to belong
/// to the table.
void cut_own_rows(const Subdomains& subdomains, std::span<const std::int32_t> row_of,
                  std::vector<std::int32_t>& block);
/// [block + 1] rows where blocks begin, of a table whose rows belong to bodies: [row_of[i], row_of[i + 1]) to
/// body i. No block is in two subdomains. Even ones where subdomains do not cover the bodies, or `row_of`
/// does not belong to the table.
void cut_rows(const Subdomains& subdomains, std::span<const std::int32_t> row_of, std::size_t rows,
              std::vector<std::int32_t>& block);

}  // namespace scree
