// A state in parts: bodies of a range, with the contacts and caches of which they are body a.
#pragma once

#include <functional>

#include "engine/core/bytes.h"
#include "engine/core/ranks.h"
#include "engine/simulation/model.h"

namespace scree {

/// Bodies [begin, end) as bytes; `number`: of a slot in the whole. Contacts have to be indexed.
Bytes write_part(const State& state, std::int32_t begin, std::int32_t end,
                 const std::function<std::int32_t(std::int32_t)>& number);
/// Appends it to a state, whose parts so far come before it in the whole; partners keep these numbers.
void append_part(std::span<const std::byte> part, State& state);
/// The bodies of all ranks, one rank after the other; `before`: those of lower ranks. What runs by ranks do
/// without is left out. Null: they are the bodies.
Bodies bodies_of_all(Ranks* ranks, Bodies own, std::size_t& before);
/// A state without bodies, contacts and caches, else the same.
State without_bodies(const State& state);
/// Numbers of partners in the whole become slots: bodies [first, first + bodies of the state) its own, others
/// ghosts behind them, in the order of their numbers, which are returned.
std::vector<std::int32_t> number_from(std::int32_t first, State& state);

}  // namespace scree
