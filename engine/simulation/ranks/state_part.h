// A state in parts: bodies of a range, with the contacts and caches of which they are body a.
#pragma once

#include <functional>

#include "engine/core/bytes.h"
#include "engine/core/ranks.h"
#include "engine/simulation/model.h"

namespace scree {

/// Bodies [begin, end) as bytes; `number`: global number of a slot. Contacts must be indexed.
Bytes write_part(const State& state, std::int32_t begin, std::int32_t end,
                 const std::function<std::int32_t(std::int32_t)>& number);
/// Appends it to a state, whose present bodies come before it in global order; partners keep global numbers.
void append_part(std::span<const std::byte> part, State& state);
/// The bodies of all ranks, one rank after the other; `before`: number of those of lower ranks. Data that
/// runs by ranks do not use are left out. Null: `own` are all bodies.
Bodies bodies_of_all(Ranks* ranks, Bodies own, std::size_t& before);
/// The state without bodies, contacts and caches; the sums over sleeping bodies stay, which all ranks know.
State without_bodies(const State& state);
/// Converts global numbers of partners to slots: bodies [first, first + bodies of the state) are its own,
/// others are ghosts after them, ordered by their numbers, which are returned.
std::vector<std::int32_t> number_from(std::int32_t first, State& state);

}  // namespace scree
