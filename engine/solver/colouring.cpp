#include "engine/solver/colouring.h"

#include <bit>

#include "engine/core/ordering.h"

namespace scree {

namespace {

constexpr int parallel_colours = 63;  // colour 63 is the serial rest

std::int32_t degree(const ContactProblem& p, std::int32_t body) {
  return p.body_row[static_cast<std::size_t>(body) + 1] - p.body_row[static_cast<std::size_t>(body)];
}

std::int32_t owner(const ContactProblem& p, std::size_t c) {
  const std::int32_t a = p.body_a[c], b = p.body_b[c];
  if (b == fixed_partner) return a;
  const std::int32_t da = degree(p, a), db = degree(p, b);
  return da != db ? (da > db ? a : b) : std::min(a, b);
}

void assign_owners(const ContactProblem& p, Colouring& k) {
  k.owned_row.assign(p.bodies() + 1, 0);
  for (std::size_t c = 0; c < p.contacts(); ++c) ++k.owned_row[static_cast<std::size_t>(owner(p, c)) + 1];
  for (std::size_t i = 0; i < p.bodies(); ++i) k.owned_row[i + 1] += k.owned_row[i];
  k.owned.resize(p.contacts());
  k.colour_of.assign(k.owned_row.begin(), k.owned_row.end() - 1);  // cursors, for a moment
  for (std::size_t c = 0; c < p.contacts(); ++c) {
    k.owned[static_cast<std::size_t>(k.colour_of[static_cast<std::size_t>(owner(p, c))]++)] =
        static_cast<std::int32_t>(c);
  }
}

}  // namespace

void colour_visits(const ContactProblem& p, Colouring& k) {
  assign_owners(p, k);
  const std::size_t n = p.bodies();
  k.taken.assign(n, 0);
  k.colour_of.assign(n, -1);
  std::vector<std::int32_t>& row = k.colour_row;
  row.assign(parallel_colours + 2, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const std::int32_t begin = k.owned_row[i], end = k.owned_row[i + 1];
    if (begin == end) continue;
    std::uint64_t forbidden = k.taken[i];
    const auto partner = [&](std::int32_t o) {
      const auto c = static_cast<std::size_t>(k.owned[static_cast<std::size_t>(o)]);
      return p.body_a[c] == static_cast<std::int32_t>(i) ? p.body_b[c] : p.body_a[c];
    };
    for (std::int32_t o = begin; o < end; ++o) {
      if (partner(o) != fixed_partner) forbidden |= k.taken[static_cast<std::size_t>(partner(o))];
    }
    const int colour = std::min(std::countr_one(forbidden), parallel_colours);
    if (colour < parallel_colours) {
      const std::uint64_t bit = std::uint64_t{1} << colour;
      k.taken[i] |= bit;
      for (std::int32_t o = begin; o < end; ++o) {
        if (partner(o) != fixed_partner) k.taken[static_cast<std::size_t>(partner(o))] |= bit;
      }
    }
    k.colour_of[i] = colour;
    ++row[static_cast<std::size_t>(colour)];
  }
  k.last_colour_is_serial = row[parallel_colours] > 0;
  const std::size_t visits = exclusive_scan(row);
  k.body.resize(visits);
  std::vector<std::int32_t>& cursor = k.contact_row;  // for a moment
  cursor.assign(row.begin(), row.end());
  for (std::size_t i = 0; i < n; ++i) {
    if (k.colour_of[i] < 0) continue;
    k.body[static_cast<std::size_t>(cursor[static_cast<std::size_t>(k.colour_of[i])]++)] =
        static_cast<std::int32_t>(i);
  }
  while (row.size() > 1 && row[row.size() - 2] == row.back()) row.pop_back();  // empty colours at the end

  k.contact_row.resize(visits + 1);
  k.contact.resize(p.contacts());
  std::int32_t next = 0;
  for (std::size_t v = 0; v < visits; ++v) {
    k.contact_row[v] = next;
    const auto body = static_cast<std::size_t>(k.body[v]);
    for (std::int32_t o = k.owned_row[body]; o < k.owned_row[body + 1]; ++o) {
      k.contact[static_cast<std::size_t>(next++)] = k.owned[static_cast<std::size_t>(o)];
    }
  }
  k.contact_row[visits] = next;
}

}  // namespace scree
