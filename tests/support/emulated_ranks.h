// Ranks in one process: threads that each have a part of a contact problem, and memory for their messages.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "engine/core/parallel.h"
#include "engine/solver/problem/rank_share.h"
#include "engine/solver/solver.h"
#include "engine/solver/sweeps/cone.h"

namespace scree::test {

/// What a rank has of a problem.
struct RankPart {
  ContactProblem problem;
  RankShare share;
  std::vector<std::uint8_t> is_own;  // [body] of the rank
  std::size_t own_contacts = 0;      // the others are at home elsewhere
};

/// Turns of the contacts between subdomains, -1 of all others.
inline std::vector<std::int64_t> turns_of(const ContactProblem& p, const Batches& b) {
  std::vector<std::int64_t> turn(p.contacts(), -1);
  for (const BatchPhase& phase : b.phases()) {
    std::int64_t serial = 0;
    for (std::size_t k = batch_size * phase.begin; k < batch_size * phase.end; ++k)
      if (b.lane[k] >= 0)
        turn[b.lane[k]] = static_cast<std::int64_t>(phase.colour) + (phase.serial ? serial++ : 0);
  }
  return turn;
}

/// The part of a rank that owns these subdomains, [subdomain] 1; the problem has cuts, and rows of contacts
/// alone.
inline RankPart part_of(const ContactProblem& p, const Batches& b, const std::vector<std::uint8_t>& own) {
  RankPart part;
  const std::int32_t end = p.first_body.back();
  std::vector<std::uint8_t> owned(p.bodies(), 0);
  for (std::size_t k = 0; k < own.size(); ++k)
    std::fill(owned.begin() + p.first_body[k], owned.begin() + p.first_body[k + 1], own[k]);
  const std::vector<std::int64_t> turn = turns_of(p, b);
  std::vector<InterfaceContact> between;
  std::vector<std::int32_t> index;
  for (std::size_t c = 0; c < p.contacts(); ++c) {
    if (turn[c] < 0) continue;
    between.push_back({p.edge[c], static_cast<std::uint32_t>(turn[c])});
    index.push_back(static_cast<std::int32_t>(c));
  }
  const std::vector<std::uint8_t> in_cone = cone_of(between, owned);
  std::vector<std::uint8_t> has_contact(p.contacts(), 0), has_body = owned;
  for (std::size_t k = 0; k < between.size(); ++k) has_contact[index[k]] = in_cone[k];
  for (std::size_t c = 0; c < p.contacts(); ++c) {
    const bool is_home = owned[p.a(c)] != 0;
    if (turn[c] < 0) has_contact[c] = is_home ? 1 : 0;
    if (has_contact[c] != 0) has_body[p.a(c)] = has_body[p.b(c)] = 1;
    part.own_contacts += is_home ? 1 : 0;
  }
  std::vector<std::int32_t> local(p.bodies(), -1);
  ContactProblem& q = part.problem;
  for (std::size_t i = 0; i < p.bodies(); ++i) {
    if (has_body[i] == 0) continue;
    local[i] = static_cast<std::int32_t>(part.share.body.size());
    part.share.body.push_back(static_cast<std::int32_t>(i));
    // what nothing moves and is no body of the state is there for its contact alone
    part.is_own.push_back(owned[i] != 0 || static_cast<std::int32_t>(i) >= end ? 1 : 0);
    q.free_velocity.push_back(p.free_velocity[i]);
    q.response.push_back(p.response[i]);
  }
  for (const std::int32_t first : p.first_body)
    q.first_body.push_back(static_cast<std::int32_t>(std::ranges::lower_bound(part.share.body, first) -
                                                     part.share.body.begin()));
  q.velocity_scale = p.velocity_scale;
  q.gravity_speed = p.gravity_speed;
  q.time_step_s = p.time_step_s;
  std::size_t row = 0;
  for (std::size_t c = 0; c < p.contacts(); ++c) {
    const std::size_t first_row = row;
    while (row < p.contact_rows && p.rows[row].contact == static_cast<std::int32_t>(c)) ++row;
    if (has_contact[c] == 0) continue;
    const Edge edge{local[p.edge[c].a], local[p.edge[c].b]};
    for (std::size_t r = first_row; r < row; ++r) {
      q.rows.push_back(p.rows[r]);
      q.rows.back().edge = edge;
      q.rows.back().contact = static_cast<std::int32_t>(part.share.contact.size());
    }
    part.share.contact.push_back(static_cast<std::int32_t>(c));
    part.share.colour.push_back(turn[c] < 0 ? 0 : b.colour[c]);
    q.edge.push_back(edge);
    q.contact.push_back(p.contact[c]);
    q.approach.push_back(p.approach[c]);
    q.start_impulse.push_back(p.start_impulse[c]);
  }
  q.contact_rows = q.rows.size();
  part.share.own = own;
  part.share.contacts = static_cast<std::int64_t>(p.contacts());
  part.share.own_body = part.is_own;
  for (const std::int32_t first : p.contact_block)
    q.contact_block.push_back(static_cast<std::int32_t>(std::ranges::lower_bound(part.share.contact, first) -
                                                        part.share.contact.begin()));
  return part;
}

/// Where all ranks wait for each other, asleep: there are more of them than processors.
class Meeting {
 public:
  explicit Meeting(std::size_t ranks) : ranks_(ranks) {}
  void wait() {
    std::unique_lock lock(mutex_);
    const std::size_t round = round_;
    if (++here_ == ranks_) {
      here_ = 0;
      ++round_;
      all_.notify_all();
    } else {
      all_.wait(lock, [&] { return round_ != round; });
    }
  }

 private:
  std::size_t ranks_, here_ = 0, round_ = 0;
  std::mutex mutex_;
  std::condition_variable all_;
};

/// Messages by memory. What has been sent is gone afterwards: whoever reads it later reads no numbers.
class EmulatedRanks {
 public:
  EmulatedRanks(std::vector<RankPart> parts, std::size_t bodies)
      : part(std::move(parts)),
        links_(part.size()),
        together_(part.size()),
        rows_(bodies),
        velocities_(bodies) {
    gathered_.resize(part.size());
    for (std::size_t r = 0; r < part.size(); ++r) {
      links_[r].ranks = this;
      links_[r].rank = r;
      part[r].share.link = &links_[r];
      part[r].problem.share = &part[r].share;
    }
  }

  /// Calls f(rank) on all ranks at once.
  void run(const std::function<void(std::size_t)>& f) {
    std::vector<std::jthread> threads;
    for (std::size_t r = 0; r < part.size(); ++r) threads.emplace_back([&f, r] { f(r); });
  }

  std::vector<RankPart> part;
  std::int64_t exchanges_of_rows = 0;  // per rank

 private:
  struct Link : RankLink {
    EmulatedRanks* ranks = nullptr;
    std::size_t rank = 0;

    void sum(std::span<ExactSum> sums) override {
      ranks->reduce(sums, ranks->sums_, [](ExactSum& a, const ExactSum& b) { a += b; });
    }
    void total(std::span<std::int64_t> counts) override {
      ranks->reduce(counts, ranks->counts_, [](std::int64_t& a, std::int64_t b) { a += b; });
    }
    void most(std::span<double> numbers) override {
      ranks->reduce(numbers, ranks->numbers_, [](double& a, double b) { a = std::max(a, b); });
    }
    std::vector<std::byte> gather(std::span<const std::byte> own) override {
      std::vector<std::vector<std::byte>>& all = ranks->gathered_;
      all[rank].assign(own.begin(), own.end());
      ranks->together_.wait();
      std::vector<std::byte> whole;
      for (const std::vector<std::byte>& of : all) whole.insert(whole.end(), of.begin(), of.end());
      ranks->together_.wait();
      return whole;
    }
    void exchange(std::span<Lanes> rows) override {
      if (rank == 0) ++ranks->exchanges_of_rows;
      const RankPart& own = ranks->part[rank];
      for (std::size_t i = 0; i < rows.size(); ++i)
        if (own.is_own[i] != 0) ranks->rows_[own.share.body[i]] = rows[i];
      ranks->together_.wait();
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (own.is_own[i] != 0) continue;
        for (const int k : {0, 1, 2, 4, 5, 6}) rows[i].at[k] = ranks->rows_[own.share.body[i]].at[k];
      }
      ranks->together_.wait();
      for (std::size_t i = 0; i < rows.size(); ++i)
        if (own.is_own[i] != 0) std::ranges::fill(ranks->rows_[own.share.body[i]].at, NAN);
    }
    void exchange(std::span<BodyVelocity> rows) override {
      const RankPart& own = ranks->part[rank];
      for (std::size_t i = 0; i < rows.size(); ++i)
        if (own.is_own[i] != 0) ranks->velocities_[own.share.body[i]] = rows[i];
      ranks->together_.wait();
      for (std::size_t i = 0; i < rows.size(); ++i)
        if (own.is_own[i] == 0) rows[i] = ranks->velocities_[own.share.body[i]];
      ranks->together_.wait();
    }
  };

  template <class T, class Merge>
  void reduce(std::span<T> own, std::vector<T>& all, Merge&& merge) {
    {
      const std::scoped_lock lock(mutex_);  // whoever comes first begins: no order is kept
      if (arrived_++ == 0) {
        all.assign(own.begin(), own.end());
      } else {
        for (std::size_t k = 0; k < own.size(); ++k) merge(all[k], own[k]);
      }
    }
    together_.wait();
    std::ranges::copy(all, own.begin());
    arrived_ = 0;
    together_.wait();
  }

  std::vector<Link> links_;
  Meeting together_;
  std::mutex mutex_;
  std::atomic<int> arrived_{0};
  std::vector<std::vector<std::byte>> gathered_;  // [rank]
  std::vector<ExactSum> sums_;
  std::vector<std::int64_t> counts_;
  std::vector<double> numbers_;
  std::vector<Lanes> rows_;               // [body of the whole problem]
  std::vector<BodyVelocity> velocities_;  // likewise
};

}  // namespace scree::test
