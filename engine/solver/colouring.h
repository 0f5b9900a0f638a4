// Which bodies may be visited at the same time.
#pragma once

#include "engine/solver/contact_problem.h"

namespace scree {

/// Every contact belongs to one visit, that of the one of its two bodies that has more contacts (then the
/// lower number). A visit changes the velocity of its body and of the partners in its contacts; visits of one
/// colour change no body in common, so they run in any order and on any thread with the same bits. Visits are
/// ordered by colour, then body.
struct Colouring {
  std::vector<std::int32_t> body;         // [visit]
  std::vector<std::int32_t> contact_row;  // [visit + 1]: into `contact`
  std::vector<std::int32_t> contact;      // [contact in the order of visits], indices into the problem
  std::vector<std::int32_t> colour_row;   // [colour + 1]: into `body`
  bool last_colour_is_serial =
      false;  // its visits may conflict: more colours were needed than there are bits

  std::size_t colours() const { return colour_row.empty() ? 0 : colour_row.size() - 1; }
  std::size_t visits() const { return body.size(); }

  // scratch
  std::vector<std::uint64_t> taken;  // [body] colours that change it
  std::vector<std::int32_t> owned_row, owned, colour_of;
};

/// Greedy in the order of body numbers, with one bit a colour. Linear in contacts.
void colour_visits(const ContactProblem& problem, Colouring& colouring);

}  // namespace scree
