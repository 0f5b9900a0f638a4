#include "engine/solver/sweeps/colouring.h"

#include <algorithm>
#include <array>

#include "engine/core/ordering.h"

namespace scree {

namespace {

constexpr int parallel_colours = 63;  // colour 63 is the serial rest

/// Edges per update: at least about 5 microseconds of a sweep, worth passing to another thread, and few
/// enough that heaps of a thousand bodies have updates for two threads. Scenes larger than a cache gain from
/// larger updates, which share fewer bodies; 512 updates are enough for many threads.
std::size_t update_size(std::size_t edges) { return std::clamp<std::size_t>(edges / 512, 96, 1024); }

/// Each update_size()-th contact begins an update, moved on to the next body a; then the rows.
void cut(std::span<const Edge> contacts, std::size_t rows, std::vector<std::int32_t>& row) {
  const std::size_t n = contacts.size(), size = update_size(n), row_size = update_size(rows);
  row.assign(1, 0);
  const auto begin_update = [&](std::size_t at) {
    if (at > static_cast<std::size_t>(row.back())) row.push_back(static_cast<std::int32_t>(at));
  };
  for (std::size_t at = size; at < n; at += size) {
    std::size_t next = std::max(at, static_cast<std::size_t>(row.back()));
    while (next < n && contacts[next].a == contacts[next - 1].a) ++next;
    if (next < n) begin_update(next);
  }
  begin_update(n);
  for (std::size_t at = row_size; at < rows; at += row_size) begin_update(n + at);
  begin_update(n + rows);
}

/// The allowed colour with the fewest contacts, or a new one, or the serial rest.
int choose_colour(std::uint64_t forbidden, const std::array<std::size_t, parallel_colours + 1>& load,
                  int& used) {
  int best = -1;
  for (int colour = 0; colour < used; ++colour) {
    const auto k = static_cast<std::size_t>(colour);
    if ((forbidden >> colour & 1u) == 0 && (best < 0 || load[k] < load[best])) best = colour;
  }
  if (best >= 0) return best;
  return used < parallel_colours ? used++ : parallel_colours;
}

}  // namespace

void colour_blocks(std::span<const Edge> contacts, std::span<const Row> rows, std::size_t bodies,
                   Colouring& k) {
  cut(contacts, rows.size(), k.edge_row);
  const auto edge = [&](std::size_t e) {
    return e < contacts.size() ? contacts[e] : rows[e - contacts.size()].edge;
  };
  const std::size_t updates = k.edge_row.size() - 1;
  k.taken.assign(bodies, 0);
  k.colour_of.resize(updates);
  std::array<std::size_t, parallel_colours + 1> load{};
  int used = 0;
  std::vector<std::int32_t>& row = k.colour_row;
  row.assign(parallel_colours + 2, 0);
  for (std::size_t v = 0; v < updates; ++v) {
    const auto begin = static_cast<std::size_t>(k.edge_row[v]),
               end = static_cast<std::size_t>(k.edge_row[v + 1]);
    std::uint64_t forbidden = 0;
    for (std::size_t c = begin; c < end; ++c) {
      const Edge ends = edge(c);
      forbidden |= k.taken[ends.a] | k.taken[ends.b];
    }
    const int colour = choose_colour(forbidden, load, used);
    if (colour < parallel_colours) {
      const std::uint64_t bit = std::uint64_t{1} << colour;
      for (std::size_t c = begin; c < end; ++c) {
        const Edge ends = edge(c);
        k.taken[ends.a] |= bit;
        k.taken[ends.b] |= bit;
      }
    }
    load[colour] += end - begin;
    k.colour_of[v] = colour;
    ++row[colour];
  }
  k.last_colour_is_serial = row[parallel_colours] > 0;
  exclusive_scan(row);
  k.update.resize(updates);
  for (std::size_t v = 0; v < updates; ++v) k.update[row[k.colour_of[v]]++] = static_cast<std::int32_t>(v);
  // The cursors have moved each row to the beginning of the next one.
  std::shift_right(row.begin(), row.end(), 1);
  row[0] = 0;
  while (row.size() > 1 && row[row.size() - 2] == row.back()) row.pop_back();  // empty colours at the end
}

}  // namespace scree
