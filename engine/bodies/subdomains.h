// Subdomains: ranges of bodies for sweeps and sums.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace scree {

/// Subdomain k has bodies [first[k], first[k + 1]). The cut is made when bodies are sorted by place, from the
/// state alone, and stays until the next sorting. So results depend on the cut, never on the threads. Bodies
/// that are inserted meanwhile form subdomains of their own at the end.
struct Subdomains {
  std::vector<std::int32_t> first;  // [subdomain + 1]; empty: not cut yet
  std::int32_t cut_bodies = 0;      // number of bodies when the cut was made
  /// [block + 1] first body of each block that loops share out; no block is in two subdomains. Follows from
  /// `first`, see index().
  std::vector<std::int32_t> block;

  /// For the bodies of a rank (engine/core/ranks.h): the number of its own subdomains, which come first.
  /// Those after them are of ghosts and have no blocks. -1: all are its own.
  std::int32_t own = -1;

  std::size_t size() const { return first.empty() ? 0 : first.size() - 1; }
  std::size_t own_size() const { return own < 0 ? size() : static_cast<std::size_t>(own); }
  std::int32_t own_bodies() const { return first.empty() ? 0 : first[own_size()]; }
  /// Do they cover exactly this number of bodies?
  bool cover(std::size_t bodies) const {
    return !first.empty() && first.back() == static_cast<std::int32_t>(bodies);
  }
  /// Have enough bodies been inserted since the cut to justify sorting again?
  bool are_outgrown(std::size_t bodies) const;
  /// Fills `block`.
  void index();
};

/// The weight of a body with this number of contacts, for ranges of equal weight.
std::int64_t cut_weight(std::int32_t contacts);
/// Cuts bodies in the order of their slots into ranges of about equal weight; [body] number of contacts. If
/// places along the space-filling curve are given, [body], cuts are made where the curve leaves large cells,
/// so that subdomains are compact.
Subdomains cut(std::span<const std::int32_t> contacts_of, std::span<const std::uint64_t> place_of = {});
/// Appends subdomains for the bodies inserted since.
void cut_newcomers(std::size_t bodies, Subdomains& subdomains);

/// [block + 1] first row of each block of the rows of own bodies, as cut_rows(); `row_of` must belong to
/// the table.
void cut_own_rows(const Subdomains& subdomains, std::span<const std::int32_t> row_of,
                  std::vector<std::int32_t>& block);
/// [block + 1] first row of each block of a table whose rows belong to bodies: [row_of[i], row_of[i + 1]) to
/// body i. No block is in two subdomains. If subdomains do not cover the bodies, or `row_of` does not belong
/// to the table, blocks are of equal size.
void cut_rows(const Subdomains& subdomains, std::span<const std::int32_t> row_of, std::size_t rows,
              std::vector<std::int32_t>& block);

}  // namespace scree
