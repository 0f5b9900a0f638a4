#include "engine/simulation/ranks/decomposition.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/simulation/ranks/state_part.h"
#include "engine/simulation/subsystems/population.h"

namespace scree {

namespace {

// Ranks that are slower than this get a share as if they were not. Relative to all ranks together.
constexpr double least_speed = 0.05;

/// [rank + 1] first subdomain, for weights of ranks in about the ratio of their speeds.
std::vector<std::int32_t> cut_by_rank(const State& whole, const std::vector<double>& speed) {
  const std::vector<std::int32_t>& first = whole.bodies.subdomains.first;
  const std::vector<std::int64_t> weight = subdomain_weights(whole);  // before each, and total
  std::vector<std::int32_t> first_of_rank(1, 0);
  const double all = std::accumulate(speed.begin(), speed.end(), 0.0);
  double before = 0.0;
  for (std::size_t r = 1; r < speed.size(); ++r) {
    before += speed[r - 1];
    const double aim = static_cast<double>(weight.back()) * (before / all);
    const auto beyond = std::ranges::lower_bound(weight, static_cast<std::int64_t>(std::ceil(aim)));
    auto k = static_cast<std::int32_t>(beyond - weight.begin());
    if (k > 0 && aim - static_cast<double>(weight[k - 1]) < static_cast<double>(weight[k]) - aim) --k;
    first_of_rank.push_back(std::max(first_of_rank.back(), k));
  }
  first_of_rank.push_back(static_cast<std::int32_t>(first.size()) - 1);
  return first_of_rank;
}

/// The subdomains of a rank, counted from its first body.
Subdomains subdomains_of(const WholeCut& cut, int rank, std::int32_t cut_bodies) {
  Subdomains own;
  const std::int32_t first = cut.first_body(rank);
  for (std::int32_t k = cut.first_of_rank[rank]; k <= cut.first_of_rank[rank + 1]; ++k)
    own.first.push_back(cut.first[k] - first);
  own.cut_bodies = std::clamp(cut_bodies - first, 0, own.first.back());
  own.index();
  return own;
}

}  // namespace

Decomposition::Decomposition(const Model& model, Ranks& ranks, State& state)
    : ranks_(ranks),
      speed_(static_cast<std::size_t>(ranks.count()), 1.0),
      busy_at_sort_s_(ranks.busy_s()),
      halo_(ranks),
      interface_(ranks) {
  if (state.bodies.subdomains.first.empty()) scree::arrange(model, state);
  cut_newcomers(state.bodies.size(), state.bodies.subdomains);
  if (state.contacts.row.empty()) state.contacts.index(state.bodies.size());
  std::vector<std::int32_t>& first = state.bodies.subdomains.first;
  first.erase(std::ranges::unique(first).begin(), first.end());
  cut_ = {state.bodies.subdomains.first, cut_by_rank(state, speed_)};
  const int rank = ranks.rank();
  const Bytes part = write_part(state, cut_.first_body(rank), cut_.first_body(rank + 1),
                                [](std::int32_t slot) { return slot; });
  cut_bodies_ = state.bodies.subdomains.cut_bodies;
  take(part, state);
}

void Decomposition::take(std::span<const std::byte> part, State& state) {
  const int rank = ranks_.rank();
  State own = without_bodies(state);
  append_part(part, own);
  own.bodies.subdomains = subdomains_of(cut_, rank, cut_bodies_);
  own.bodies.ranks = &ranks_;
  newcomers_ = 0;
  halo_.begin(cut_, number_from(cut_.first_body(rank), own));
  interface_.forget();
  own.sleepers.ghosts = &halo_.lists();
  if (own.sleepers.sums.bodies > 0) hold_sleepers(own.bodies, own.sleepers);
  state = std::move(own);
}

void Decomposition::agree(State& state) {
  std::vector<std::int32_t>& first = state.bodies.subdomains.first;
  first.erase(std::ranges::unique(first).begin(), first.end());  // removes those without bodies
  state.bodies.subdomains.index();
  cut_ = agree_on_cut(ranks_, state.bodies.subdomains);
  cut_bodies_ = static_cast<std::int32_t>(total(&ranks_, state.bodies.subdomains.cut_bodies));
  newcomers_ = 0;
  interface_.forget();
}

void Decomposition::remove(std::span<const BodyId> ids, State& state) {
  const SlotsById slots(state.bodies);
  std::vector<BodyId> own;
  std::vector<std::int32_t> own_gone, gone;
  for (const BodyId id : ids) {
    const std::int32_t slot = slots.find(id);
    if (slot < 0) continue;
    own.push_back(id);
    own_gone.push_back(slot);
  }
  std::ranges::sort(own_gone);
  for (const std::int32_t slot : own_gone) gone.push_back(cut_.first_body(ranks_.rank()) + slot);
  gone = of_all(&ranks_, gone);
  if (state.contacts.row.size() != state.bodies.size() + 1) state.contacts.index(state.bodies.size());
  const bool any_asleep = state.sleepers.sums.bodies > 0;
  std::vector<Bond> bonds = std::move(state.bonds);  // these have global numbers
  state.bonds.clear();
  scree::remove(state, own, halo_.slots_without(gone));
  std::erase_if(bonds, [&](Bond& bond) {
    for (std::int32_t* const body : {&bond.a, &bond.b}) {
      const auto before = std::ranges::lower_bound(gone, *body);
      if (before != gone.end() && *before == *body) return true;
      *body -= static_cast<std::int32_t>(before - gone.begin());
    }
    return false;
  });
  state.bonds = std::move(bonds);
  halo_.remove(gone, own_gone);
  agree(state);
  if (any_asleep) hold_sleepers(state.bodies, state.sleepers);
}

std::int32_t Decomposition::slot_in_halo(std::int32_t number) const {
  const std::int32_t first = cut_.first_body(ranks_.rank());
  const auto own = static_cast<std::int32_t>(halo_.own_bodies());
  if (number >= first && number < first + own) return number - first;
  const std::int32_t ghost = halo_.find(number);
  return ghost < 0 ? -1 : own + ghost;
}

std::int32_t Decomposition::number_in_halo(std::int32_t slot) const {
  return number_of(slot, static_cast<std::int32_t>(halo_.own_bodies()));
}

std::int32_t Decomposition::number_of(std::int32_t slot, std::int32_t own) const {
  return slot < own ? cut_.first_body(ranks_.rank()) + slot
                    : halo_.number(static_cast<std::size_t>(slot - own));
}

void Decomposition::insert(const Model& model, const NewBody& body, State& state) {
  ++newcomers_;
  int last = ranks_.count() - 1;  // the last one with bodies; the first if none has any
  while (last > 0 && cut_.first_of_rank[last] == cut_.first_of_rank[last + 1]) --last;
  if (ranks_.rank() == last)
    scree::insert(model, state, body);
  else
    ++state.bodies.next_id;
}

State Decomposition::collect(State& state) {
  const auto own = static_cast<std::int32_t>(state.bodies.size());
  if (state.contacts.row.empty()) state.contacts.index(state.bodies.size());
  std::vector<Bytes> to(static_cast<std::size_t>(ranks_.count()));
  to[0] = write_part(state, 0, own, [&](std::int32_t slot) { return number_of(slot, own); });
  const std::vector<Bytes> parts = ranks_.exchange(std::move(to));
  State whole = without_bodies(state);
  if (ranks_.rank() != 0) return whole;
  for (const Bytes& part : parts) append_part(part, whole);
  whole.bodies.subdomains.first = cut_.first;
  whole.bodies.subdomains.cut_bodies = cut_bodies_;
  whole.bodies.subdomains.index();
  if (whole.sleepers.sums.bodies > 0) hold_sleepers(whole.bodies, whole.sleepers);
  return whole;
}

void Decomposition::share_out(State whole, State& state) {
  const auto ranks = static_cast<std::size_t>(ranks_.count());
  std::vector<Bytes> to(ranks);
  if (ranks_.rank() == 0) {
    const Subdomains& subdomains = whole.bodies.subdomains;
    if (whole.contacts.row.empty()) whole.contacts.index(whole.bodies.size());
    const WholeCut cut{subdomains.first, cut_by_rank(whole, speed_)};
    for (std::size_t r = 0; r < ranks; ++r) {
      append_list(std::span(cut.first), to[r]);
      append_list(std::span(cut.first_of_rank), to[r]);
      append(subdomains.cut_bodies, to[r]);
      append_list(std::span<const Bond>(whole.bonds), to[r]);
      const Bytes part =
          write_part(whole, cut.first_body(static_cast<int>(r)), cut.first_body(static_cast<int>(r) + 1),
                     [](std::int32_t slot) { return slot; });
      to[r].insert(to[r].end(), part.begin(), part.end());
    }
  }
  const std::vector<Bytes> from = ranks_.exchange(std::move(to));
  BytesReader reader(from[0]);
  cut_ = {};
  reader.take_list(cut_.first);
  reader.take_list(cut_.first_of_rank);
  cut_bodies_ = reader.take<std::int32_t>();
  state.bonds.clear();
  reader.take_list(state.bonds);
  take(reader.rest(), state);
}

std::vector<double> Decomposition::busy_since_sort() {
  const std::optional<double> now = ranks_.busy_s();
  const double busy = now && busy_at_sort_s_ ? *now - *busy_at_sort_s_ : 0.0;
  busy_at_sort_s_ = now;
  return of_all(&ranks_, std::vector<double>{busy});
}

void Decomposition::measure_speeds(const State& whole, const std::vector<double>& busy) {
  const std::vector<std::int64_t> before = subdomain_weights(whole);
  std::vector<double> weight;
  for (std::size_t r = 0; r < busy.size(); ++r)
    weight.push_back(static_cast<double>(before[cut_.first_of_rank[r + 1]] - before[cut_.first_of_rank[r]]));
  const double time = std::accumulate(busy.begin(), busy.end(), 0.0);
  if (time <= 0.0 || before.back() == 0) return;
  const double mean = static_cast<double>(before.back()) / time;
  for (std::size_t r = 0; r < busy.size(); ++r) {
    // One that had nothing to do gets a chance again.
    const bool has_worked = weight[r] > 0.0 && busy[r] > 0.0;
    const double now = has_worked ? weight[r] / busy[r] / mean : 1.0;
    speed_[r] = std::max(least_speed, 0.5 * (speed_[r] + now));
  }
}

void Decomposition::arrange(const Model& model, State& state) {
  const int interval = model.settings.sort_interval;
  Subdomains whole_cut;
  whole_cut.cut_bodies = cut_bodies_;
  const bool outgrown = whole_cut.are_outgrown(static_cast<std::size_t>(cut_.bodies() + newcomers_));
  const bool is_due = state.step > 0 && interval > 0 && (state.step % interval == 0 || outgrown);
  if (newcomers_ > 0) {
    cut_newcomers(state.bodies.size(), state.bodies.subdomains);
    agree(state);
  }
  if (!is_due) return;  // before the first step the constructor has sorted
  const std::vector<double> busy = busy_since_sort();
  State whole = collect(state);
  if (ranks_.rank() == 0) {
    measure_speeds(whole, busy);
    scree::arrange(model, whole);
  }
  share_out(std::move(whole), state);
}

}  // namespace scree
