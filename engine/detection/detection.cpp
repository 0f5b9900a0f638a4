#include "engine/detection/detection.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>
#include <ranges>

#include "engine/core/parallel.h"
#include "engine/detection/block_contacts.h"
#include "engine/detection/crowded_boxes.h"
#include "engine/detection/travel_bounds.h"

namespace scree {

namespace {

// Enlargement of boxes: pairs are searched again when a body has left its box. It is the travel of the
// fastest body in this number of steps, within these bounds, over the smallest length.
constexpr double searched_for = 3.0, least_skin = 0.1, most_skin = 0.5;

// If at most this share of the blocks has new list entries, as in a bed with a few moving grains, these free
// their lists at once.
constexpr double few_blocks = 0.25;

// Number of detections, in any workspace.
std::atomic<std::uint64_t> stamps = 0;

/// Moves the updated rows of blocks within a list, either all that move down or all that move up, window by
/// window: all threads copy the rows of a window out, then back. The order of blocks is such that no row is
/// overwritten before it is moved.
template <class T, class Blocks>
void move_renewed(Blocks&& blocks, DetectionWorkspace::Place DetectionWorkspace::Found::*place, bool down,
                  DetectionWorkspace::Window& window, std::vector<T>& list) {
  constexpr std::size_t most = std::size_t{1} << 22;  // bytes: fits into a cache
  window.bytes.resize(std::max(window.bytes.size(), std::min(most, list.size() * sizeof(T))));
  T* const held = reinterpret_cast<T*>(window.bytes.data());
  std::size_t items = 0;
  const auto move = [&] {
    const auto copy = [&window, &list, held](bool out) {
      for_each_index(window.moves.size(), 1, [&window, &list, held, out](std::size_t k) {
        const DetectionWorkspace::Move& m = window.moves[k];
        if (out)
          copy_plain(list.data() + m.from, m.count, held + m.held);
        else
          copy_plain(held + m.held, m.count, list.data() + m.to);
      });
    };
    copy(true);
    copy(false);
    window.moves.clear();
    items = 0;
  };
  const std::size_t room = window.bytes.size() / sizeof(T);
  for (const DetectionWorkspace::Found& block : blocks) {
    const auto& [stands, goes_to, count] = block.*place;
    if (block.renewed == 0 || (down ? goes_to >= stands : goes_to <= stands)) continue;
    // For more than a window, in an order that does not overwrite.
    for (std::size_t done = 0; done < count;) {
      if (items == room) move();
      const std::size_t n = std::min(count - done, room - items), first = down ? done : count - done - n;
      window.moves.push_back({stands + first, goes_to + first, n, items});
      items += n;
      done += n;
    }
  }
  if (items > 0) move();
}

/// Combines the lists of the blocks in their order, which is the order of keys; updated rows are moved from
/// their place in the list.
template <class T>
void join(std::span<DetectionWorkspace::Found> found, std::vector<T> DetectionWorkspace::Found::*listed,
          DetectionWorkspace::Place DetectionWorkspace::Found::*place, DetectionWorkspace::Window& window,
          std::vector<T>& list) {
  std::size_t total = 0;
  for (DetectionWorkspace::Found& block : found) {
    (block.*place).goes_to = total;
    total += (block.*place).count;
  }
  if (total > list.size()) resize_with_room(list, total);
  // Downwards from the first on, then upwards from the last on.
  move_renewed(found, place, true, window, list);
  move_renewed(found | std::views::reverse, place, false, window, list);
  list.resize(total);
  for_each_index(found.size(), 1, [&](std::size_t k) {
    const DetectionWorkspace::Found& block = found[k];
    if (block.renewed == 0)
      copy_plain((block.*listed).data(), (block.*place).count, list.data() + (block.*place).goes_to);
  });
}

/// Combines the lists of all blocks to those of the step.
void merge(DetectionWorkspace& w, std::size_t blocks, const DetectionMemory& memory) {
  auto& [contacts, cached_normals, cached] = memory;
  const std::span found(w.found.data(), blocks);
  using Found = DetectionWorkspace::Found;
  const auto listed = std::ranges::count_if(found, [](const Found& block) { return block.renewed == 0; });
  if (listed > 0) {
    join(found, &Found::contacts, &Found::of_contacts, w.window, contacts.list);
    join(found, &Found::cached_normals, &Found::of_cached_normals, w.window, cached_normals.list);
    join(found, &Found::apart, &Found::of_cached_normals, w.window, w.apart);
    exclusive_scan(w.contact_row);
    exclusive_scan(w.cached_normal_row);
    contacts.row.swap(w.contact_row);
    cached_normals.row.swap(w.cached_normal_row);
    if (static_cast<double>(listed) < few_blocks * static_cast<double>(blocks)) {
      for (Found& block : found)
        if (block.renewed == 0) give_back_lists(block);
    }
  }
  cached_normals.stamp = w.stamp = ++stamps;
  cached.clear();
  for (Found& block : found) std::ranges::move(block.cached, std::back_inserter(cached));
}

/// Only their owners know how far ghosts are pushed.
void follow_reach(Halo& halo, DetectionWorkspace& w) {
  w.pushed.resize(w.reach.size());
  for (std::size_t i = 0; i < w.reach.size(); ++i) w.pushed[i] = w.reach[i].pushed;
  halo.follow(w.pushed);
  for (std::size_t i = halo.own_bodies(); i < w.reach.size(); ++i) w.reach[i].pushed = w.pushed[i];
}

/// For a rank, the pairs whose contacts it finds.
std::int64_t count_pairs(const DetectionInput& in, const CandidatePairs& pairs) {
  if (in.halo == nullptr) return static_cast<std::int64_t>(pairs.size());
  const auto first_ghost = static_cast<std::int32_t>(in.halo->own_bodies()),
             first_after = static_cast<std::int32_t>(in.halo->first_after());
  return std::ranges::count_if(pairs.b, [&](std::int32_t b) { return b < first_ghost || b >= first_after; });
}

}  // namespace

DetectionReport find_contacts(const DetectionInput& in, DetectionWorkspace& w,
                              const DetectionMemory& memory) {
  const PlacedShapes placed{in.shapes, in.bodies,      w.ellipsoids, w.implicits,
                            w.members, w.first_member, w.boundaries, in.time_step_s};
  TravelBounds farthest;
  const auto find_own_pairs = [&] {
    update_candidate_pairs(
        w.boxes,
        [&](std::size_t i) {
          const double smallest = w.reach[i].smallest_length;
          return std::clamp(searched_for * farthest.most, least_skin * smallest, most_skin * smallest);
        },
        w.pair_list, w.pairs, w.unmoved.empty() ? in.bodies.asleep : w.unmoved, in.cell);
  };
  const auto find_pairs = [&] {
    if (in.halo == nullptr) return find_own_pairs();
    std::optional<CrowdedBoxes> crowded;  // then all ranks stop
    try {
      find_own_pairs();
    } catch (const CrowdedBoxes& here) {
      crowded = here;
    }
    if (in.halo->is_anywhere(crowded.has_value()))
      throw crowded.value_or(CrowdedBoxes("too many bodies are in one place"));
  };
  farthest = place_bodies(in, placed, w);
  if (in.halo != nullptr && !in.halo->covers(w.boxes)) farthest = place_ghosts(in, placed, w);
  for (;;) {
    find_pairs();
    if (in.halo != nullptr || farthest.least < farthest.most) {  // else no body can be pushed further
      spread_reach(w);
      if (in.halo != nullptr) follow_reach(*in.halo, w);
      const bool are_wider = widen_boxes(w);
      if (in.halo == nullptr ? are_wider : in.halo->is_anywhere(are_wider)) find_pairs();
    }
    if (in.halo == nullptr || in.halo->covers(w.boxes)) break;
    farthest = place_bodies(in, placed, w);  // bodies pushed out of reach now have a halo
    w.stamp = 0;
  }
  place_boundaries(in, w);
  w.filter.clear();
  if (in.fill_filter) in.fill_filter(w.filter);

  const std::size_t n = in.halo == nullptr ? in.bodies.size() : in.halo->own_bodies();
  w.contact_row.resize(n + 1);
  w.cached_normal_row.resize(n + 1);
  w.contact_row[n] = w.cached_normal_row[n] = 0;
  resize_with_room(w.apart, memory.cached_normals.list.size());
  const std::size_t blocks = block_count(n, grain_heavy);
  if (w.found.size() < blocks) w.found.resize(blocks);
  const bool repeats = in.cell.is_periodic(),
             is_known_apart = !repeats && w.stamp != 0 && memory.cached_normals.stamp == w.stamp;
  const Making making{in, placed, w, memory, repeats, is_known_apart};
  for_blocks(n, grain_heavy, [&](const Block& block) { collide_block(making, block, w); });
  merge(w, blocks, memory);

  DetectionReport report;
  report.candidates = count_pairs(in, w.pairs);
  for (std::size_t k = 0; k < blocks; ++k) {
    report.known_apart += w.found[k].known_apart;
    report.failures += w.found[k].failures;
  }
  return report;
}

}  // namespace scree
