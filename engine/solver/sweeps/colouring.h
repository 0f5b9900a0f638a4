// Colouring: which contacts may be updated at the same time.
#pragma once

#include <span>

#include "engine/solver/problem/contact_problem.h"

namespace scree {

/// An update processes a run of consecutive edges, one after the other: the contacts of some neighbouring
/// bodies, with all contacts of one body a in the same run, or rows between bodies that need not touch.
/// Updates of one colour change no body in common, so they give the same bits in any order and on any thread.
/// If near bodies have near numbers, updates are compact in space, and there are few
/// colours with many updates each.
struct Colouring {
  std::vector<std::int32_t> edge_row;    // [update + 1]: first edge of each update
  std::vector<std::int32_t> update;      // [update], ordered by colour
  std::vector<std::int32_t> colour_row;  // [colour + 1]: into `update`
  bool last_colour_is_serial =
      false;  // its updates may conflict, since more colours were needed than there are bits

  std::size_t colours() const { return colour_row.empty() ? 0 : colour_row.size() - 1; }
  std::size_t updates() const { return update.size(); }

  // scratch
  std::vector<std::uint64_t> taken;     // [body] colours that change it
  std::vector<std::int32_t> colour_of;  // [update]
};

/// Divides edges into updates, and colours these greedily, each with the allowed colour that has the fewest
/// edges so far. Edges: those of contacts, then those of rows without a contact. One bit per colour; cost
/// linear in edges.
void colour_blocks(std::span<const Edge> contacts, std::span<const Row> rows, std::size_t bodies,
                   Colouring& colouring);

}  // namespace scree
