#include "engine/simulation/ranks/rank_halo.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace scree {

namespace {

// Enlargement of the requested boxes, over their largest half extent.
constexpr double skin = 0.4;

// Number of bodies per box in the exchange of positions between ranks.
constexpr std::size_t bodies_a_box = 64;

BoundingBox around(std::span<const BoundingBox> boxes) {
  Vec3 low = Vec3::Constant(infinity), high = Vec3::Constant(-infinity);
  for (const BoundingBox& b : boxes) {
    low = low.cwiseMin(b.centre - b.half);
    high = high.cwiseMax(b.centre + b.half);
  }
  return {0.5 * (low + high), 0.5 * (high - low)};
}

/// A box that is not finite is within any other: it touches nothing.
bool is_within(const BoundingBox& box, const BoundingBox& of) {
  const Vec3 out = (box.centre - of.centre).cwiseAbs() + box.half - of.half;
  return !(out[0] > 0.0) && !(out[1] > 0.0) && !(out[2] > 0.0);
}

/// Largest movement of images since the cell's lattice has changed, m.
double image_way(const PlacedCell& cell, const Mat3& lattice) {
  double way = 0.0;
  for (int k = 0; k < 3; ++k)
    if (cell.periodic[k]) way += (cell.lattice.col(k) - lattice.col(k)).norm();
  return way;
}

}  // namespace

void RankHalo::begin(const WholeCut& cut, std::vector<std::int32_t> numbers) {
  lists_ = {};
  std::vector<Bytes> to(static_cast<std::size_t>(ranks_.count()));
  for (std::size_t r = 0; r < to.size(); ++r) {
    const auto from = std::ranges::lower_bound(numbers, cut.first_body(static_cast<int>(r))),
               end = std::ranges::lower_bound(numbers, cut.first_body(static_cast<int>(r) + 1));
    lists_.first_of_rank.push_back(static_cast<std::size_t>(from - numbers.begin()));
    for (auto n = from; n != end; ++n) scree::append(*n - cut.first_body(static_cast<int>(r)), to[r]);
  }
  lists_.first_of_rank.push_back(numbers.size());
  for (const Bytes& from : ranks_.exchange(std::move(to))) append_all(from, lists_.own_for.emplace_back());
  lists_.number = std::move(numbers);
  is_made_ = false;
}

void RankHalo::attach(const WholeCut& cut, const PlacedCell& cell, State& state) {
  cut_ = &cut;
  cell_ = &cell;
  state_ = &state;
  own_ = state.bodies.size();
  if (is_made_) append();
}

void RankHalo::append() {
  records_.resize(lists_.size());
  follow_owners(
      ranks_, lists_, scratch_, [&](std::size_t i) { return record_of(state_->bodies, i); }, records_.data());
  append_ghosts(records_, state_->bodies);
  const std::int32_t first = cut_->first_body(ranks_.rank());
  ghosts_before_ =
      static_cast<std::size_t>(std::ranges::lower_bound(lists_.number, first) - lists_.number.begin());
}

void RankHalo::detach() {
  drop_ghosts(own_, state_->bodies);
  cut_ = nullptr;
  state_ = nullptr;
}

std::vector<std::int32_t> RankHalo::slots_without(std::span<const std::int32_t> gone) const {
  std::vector<std::int32_t> slots;
  std::int32_t next = 0;
  for (const std::int32_t number : lists_.number)
    slots.push_back(std::ranges::binary_search(gone, number) ? -1 : next++);
  return slots;
}

void RankHalo::remove(std::span<const std::int32_t> gone, std::span<const std::int32_t> own_gone) {
  // Remaining numbers, minus the number of removed ones before them.
  const auto leave = [](std::vector<std::int32_t>& numbers, std::span<const std::int32_t> without) {
    std::vector<std::int32_t> left;
    for (const std::int32_t n : numbers) {
      const auto found = std::ranges::lower_bound(without, n);
      if (found == without.end() || *found != n)
        left.push_back(n - static_cast<std::int32_t>(found - without.begin()));
    }
    numbers = std::move(left);
  };
  const std::vector<std::int32_t> slots = slots_without(gone);
  for (std::size_t& first : lists_.first_of_rank)
    first -= static_cast<std::size_t>(
        std::count(slots.begin(), slots.begin() + static_cast<std::ptrdiff_t>(first), -1));
  leave(lists_.number, gone);
  for (std::vector<std::int32_t>& list : lists_.own_for) leave(list, own_gone);
  std::vector<BoundingBox> wide;
  for (std::size_t i = 0; i < wide_.size(); ++i)
    if (!std::ranges::binary_search(own_gone, static_cast<std::int32_t>(i))) wide.push_back(wide_[i]);
  wide_ = std::move(wide);
}

void RankHalo::follow(std::span<double> numbers) {
  if (!is_made_) return;
  follow_owners(
      ranks_, lists_, numbers_, [&](std::size_t i) { return numbers[i]; }, numbers.data() + own_);
}

bool RankHalo::covers(std::span<const BoundingBox> boxes) {
  bool left = !is_made_ || wide_.size() != own_ || image_way(*cell_, lattice_) > shift_;
  for (std::size_t i = 0; !left && i < own_; ++i) left = !is_within(boxes[i], wide_[i]);
  if (!any(&ranks_, left)) return true;
  renew(boxes.first(own_));
  return false;
}

void RankHalo::renew(std::span<const BoundingBox> boxes) {
  wide_.assign(boxes.begin(), boxes.end());
  double smallest = infinity;
  for (BoundingBox& b : wide_) {
    const double half = b.half.maxCoeff();
    smallest = std::min(smallest, half);
    b.half += Vec3::Constant(skin * half);
  }
  lattice_ = cell_->lattice;
  shift_ = cell_->is_periodic() ? skin * least(&ranks_, smallest) : 0.0;
  std::vector<BoundingBox> looked_for = wide_;
  for (BoundingBox& b : looked_for) b.half += Vec3::Constant(0.5 * shift_);

  std::vector<BoundingBox> own, all;
  for (std::size_t k = 0; k < own_; k += bodies_a_box)
    own.push_back(around(std::span(looked_for).subspan(k, std::min(bodies_a_box, own_ - k))));
  std::vector<std::size_t> first_byte;
  append_all(ranks_.gather(std::as_bytes(std::span(own)), &first_byte), all);

  const auto ranks = static_cast<std::size_t>(ranks_.count());
  lists_.own_for.assign(ranks, {});
  for (std::size_t r = 0; r < ranks; ++r) {
    if (static_cast<int>(r) == ranks_.rank()) continue;
    const std::span<const BoundingBox> theirs = std::span(all).subspan(
        first_byte[r] / sizeof(BoundingBox), (first_byte[r + 1] - first_byte[r]) / sizeof(BoundingBox));
    const BoundingBox we = around(own);
    std::vector<BoundingBox> near;
    for (const BoundingBox& b : theirs)
      cell_->visit_images(b.centre, we.centre, we.half + b.half, [&](const Vec3& shift) {
        near.push_back({b.centre + shift, b.half});
        return true;
      });
    if (near.empty()) continue;
    const BoundingBox they = around(near);
    for (std::size_t k = 0; k < own.size(); ++k) {
      if (!overlap(own[k], they)) continue;
      std::vector<BoundingBox> of_box;
      for (const BoundingBox& b : near)
        if (overlap(b, own[k])) of_box.push_back(b);
      for (std::size_t i = k * bodies_a_box; !of_box.empty() && i < std::min(own_, (k + 1) * bodies_a_box);
           ++i)
        if (std::ranges::any_of(of_box, [&](const BoundingBox& b) { return overlap(b, looked_for[i]); }))
          lists_.own_for[r].push_back(static_cast<std::int32_t>(i));
    }
  }
  std::vector<Bytes> to(ranks);
  const std::int32_t first = cut_->first_body(ranks_.rank());
  for (std::size_t r = 0; r < ranks; ++r)
    for (const std::int32_t i : lists_.own_for[r]) scree::append(first + i, to[r]);
  const std::vector<Bytes> from = ranks_.exchange(std::move(to));
  const std::vector<std::int32_t> before = std::move(lists_.number);
  lists_.number.clear();
  lists_.first_of_rank.assign(1, 0);
  for (const Bytes& of_rank : from) {
    append_all(of_rank, lists_.number);
    lists_.first_of_rank.push_back(lists_.number.size());
  }
  drop_ghosts(own_, state_->bodies);
  is_made_ = true;
  append();
  renumber_partners(before);
}

void RankHalo::renumber_partners(const std::vector<std::int32_t>& before) {
  const auto own = static_cast<std::int32_t>(own_);
  constexpr std::int32_t gone = std::numeric_limits<std::int32_t>::max();
  std::vector<std::int32_t> now(before.size());  // [former ghost] its slot, or none
  for (std::size_t k = 0; k < before.size(); ++k) {
    const std::int32_t ghost = lists_.find(before[k]);
    now[k] = ghost < 0 ? gone : own + ghost;
  }
  const auto renumber = [&](std::int32_t& b) {  // false: it has been removed
    if (is_boundary(b) || b < own) return true;
    b = now[b - own];
    return b != gone;
  };
  bool any_gone = false;
  for (Contact& c : state_->contacts.list) {
    if (renumber(c.key.b)) continue;
    c.key.a = -1;
    any_gone = true;
  }
  if (any_gone) {
    std::erase_if(state_->contacts.list, [](const Contact& c) { return c.key.a < 0; });
    state_->contacts.index(own_);
  }
  // Distances of pairs are stored by the index of their normals, which does not change if none is removed.
  NormalCache& normals = state_->cached_normals;
  any_gone = false;
  for (CachedNormal& n : normals.list) {
    if (renumber(n.b)) continue;
    n.b = gone;
    any_gone = true;
  }
  if (any_gone) {
    std::vector<CachedNormal> kept;
    kept.reserve(normals.list.size());
    for (std::size_t i = 0; i + 1 < normals.row.size(); ++i) {
      const auto begin = static_cast<std::size_t>(normals.row[i]),
                 end = static_cast<std::size_t>(normals.row[i + 1]);
      if (i > 0) normals.row[i] = static_cast<std::int32_t>(kept.size());
      for (std::size_t k = begin; k < end; ++k)
        if (normals.list[k].b != gone) kept.push_back(normals.list[k]);
    }
    if (!normals.row.empty()) normals.row.back() = static_cast<std::int32_t>(kept.size());
    normals.list.swap(kept);
    normals.stamp = 0;
  }
  std::erase_if(state_->cached, [&](CachedPair& p) { return !renumber(p.b); });
  // Elastic contacts with stored energy overlap, or have just parted within the reach of boxes: their ghosts
  // stay.
  std::erase_if(state_->springs, [&](SpringMemory& s) { return !renumber(s.key.b); });
  // Bodies that touch at rest hardly move, so their boxes with the skin still overlap.
  for (Contact& c : state_->sleepers.contacts)
    if (!renumber(c.key.b)) throw std::logic_error("a sleeping body has a neighbour that is no ghost");
}

}  // namespace scree
