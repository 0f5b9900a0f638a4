#include "engine/solver/colouring.h"

#include <algorithm>
#include <array>

#include "engine/core/ordering.h"

namespace scree {

namespace {

constexpr int parallel_colours = 63;  // colour 63 is the serial rest

/// Contacts a visit. At least some 5 microseconds of a sweep, worth handing to another thread, and few enough
/// that heaps of a thousand bodies have visits for two. Scenes that do not fit into a cache gain from larger
/// ones, which share fewer bodies; 512 visits are enough for many threads.
std::size_t visit_size(std::size_t contacts) { return std::clamp<std::size_t>(contacts / 512, 96, 1024); }

/// Every visit_size()-th contact begins a visit, moved on to the next body_a.
void cut(const ContactProblem& p, std::vector<std::int32_t>& row) {
  const std::size_t n = p.contacts(), size = visit_size(n);
  row.assign(1, 0);
  for (std::size_t at = size; at < n; at += size) {
    std::size_t next = std::max(at, static_cast<std::size_t>(row.back()));
    while (next < n && p.body_a[next] == p.body_a[next - 1]) ++next;
    if (next < n && next > static_cast<std::size_t>(row.back()))
      row.push_back(static_cast<std::int32_t>(next));
  }
  if (n > 0) row.push_back(static_cast<std::int32_t>(n));
}

/// The allowed colour with the fewest contacts, or a new one, or the serial rest.
int choose_colour(std::uint64_t forbidden, const std::array<std::size_t, parallel_colours + 1>& load,
                  int& used) {
  int best = -1;
  for (int colour = 0; colour < used; ++colour) {
    const auto k = static_cast<std::size_t>(colour);
    if ((forbidden >> colour & 1u) == 0 && (best < 0 || load[k] < load[static_cast<std::size_t>(best)]))
      best = colour;
  }
  if (best >= 0) return best;
  return used < parallel_colours ? used++ : parallel_colours;
}

}  // namespace

void colour_visits(const ContactProblem& p, Colouring& k) {
  cut(p, k.contact_row);
  const std::size_t visits = k.contact_row.size() - 1;
  k.taken.assign(p.bodies(), 0);
  k.colour_of.resize(visits);
  std::array<std::size_t, parallel_colours + 1> load{};
  int used = 0;
  std::vector<std::int32_t>& row = k.colour_row;
  row.assign(parallel_colours + 2, 0);
  for (std::size_t v = 0; v < visits; ++v) {
    const auto begin = static_cast<std::size_t>(k.contact_row[v]),
               end = static_cast<std::size_t>(k.contact_row[v + 1]);
    std::uint64_t forbidden = 0;
    for (std::size_t c = begin; c < end; ++c) {
      forbidden |= k.taken[static_cast<std::size_t>(p.body_a[c])];
      if (p.body_b[c] != fixed_partner) forbidden |= k.taken[static_cast<std::size_t>(p.body_b[c])];
    }
    const int colour = choose_colour(forbidden, load, used);
    if (colour < parallel_colours) {
      const std::uint64_t bit = std::uint64_t{1} << colour;
      for (std::size_t c = begin; c < end; ++c) {
        k.taken[static_cast<std::size_t>(p.body_a[c])] |= bit;
        if (p.body_b[c] != fixed_partner) k.taken[static_cast<std::size_t>(p.body_b[c])] |= bit;
      }
    }
    load[static_cast<std::size_t>(colour)] += end - begin;
    k.colour_of[v] = colour;
    ++row[static_cast<std::size_t>(colour)];
  }
  k.last_colour_is_serial = row[parallel_colours] > 0;
  exclusive_scan(row);
  k.visit.resize(visits);
  for (std::size_t v = 0; v < visits; ++v)
    k.visit[static_cast<std::size_t>(row[static_cast<std::size_t>(k.colour_of[v])]++)] =
        static_cast<std::int32_t>(v);
  // The cursors have moved each row to where the next begins.
  std::shift_right(row.begin(), row.end(), 1);
  row[0] = 0;
  while (row.size() > 1 && row[row.size() - 2] == row.back()) row.pop_back();  // empty colours at the end
}

}  // namespace scree
