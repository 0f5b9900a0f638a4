// Ranks in one process: threads that each have a part of a contact problem, with messages in shared memory.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>

#include "engine/solver/problem/rank_share.h"
#include "engine/solver/solver.h"
#include "engine/solver/sweeps/cone.h"
#include "tests/support/emulated_team.h"

namespace scree::test {

/// A rank's part of a problem.
struct RankPart {
  ContactProblem problem;
  RankShare share;
  std::vector<std::uint8_t> is_own;  // [body] 1: of the rank
  std::size_t own_contacts = 0;      // the others belong to other ranks
};

/// Turns of the contacts between subdomains, -1 for all others.
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

/// own: [body] 1: of the rank.
inline std::vector<std::uint8_t> cone_of_bodies(std::span<const InterfaceContact> contacts,
                                                const std::vector<std::uint8_t>& own) {
  std::vector<std::uint32_t> scratch;
  return cone_of(
      contacts, [&](std::int32_t body) { return own[body] != 0; }, scratch);
}

/// The part of a rank that owns these subdomains, [subdomain] 1; the problem has subdomains, and only rows of
/// contacts.
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
  const std::vector<std::uint8_t> in_cone = cone_of_bodies(between, owned);
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
    // a fixed body that is no body of the state exists for its contact alone
    part.is_own.push_back(owned[i] != 0 || static_cast<std::int32_t>(i) >= end ? 1 : 0);
    q.free_velocity.push_back(p.free_velocity[i]);
    q.response.push_back(p.response[i]);
  }
  for (const std::int32_t first : p.first_body)
    q.first_body.push_back(static_cast<std::int32_t>(
        std::lower_bound(part.share.body.begin(), part.share.body.end(), first) - part.share.body.begin()));
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
    q.contact_block.push_back(static_cast<std::int32_t>(
        std::lower_bound(part.share.contact.begin(), part.share.contact.end(), first) -
        part.share.contact.begin()));
  return part;
}

/// Messages in memory. Data that have been sent are invalidated: reading them later gives NaN.
class EmulatedRanks {
 public:
  EmulatedRanks(std::vector<RankPart> parts, std::size_t bodies)
      : part(std::move(parts)), links_(part.size()), team_(part.size()), rows_(bodies), velocities_(bodies) {
    for (std::size_t r = 0; r < part.size(); ++r) {
      links_[r].ranks = this;
      links_[r].rank = r;
      part[r].share.ghosts = &links_[r];
      part[r].share.ranks = &team_.rank(r);
      part[r].problem.share = &part[r].share;
    }
  }

  /// Calls f(rank) on all ranks in parallel.
  void run(const std::function<void(std::size_t)>& f) const { team_.run(f); }

  std::vector<RankPart> part;
  std::int64_t exchanges_of_rows = 0;  // per rank

 private:
  struct Link : GhostLink {
    EmulatedRanks* ranks = nullptr;
    std::size_t rank = 0;

    void exchange(std::span<Lanes> rows) override {
      if (rank == 0) ++ranks->exchanges_of_rows;
      const RankPart& own = ranks->part[rank];
      for (std::size_t i = 0; i < rows.size(); ++i)
        if (own.is_own[i] != 0) ranks->rows_[own.share.body[i]] = rows[i];
      ranks->team_.together().wait();
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (own.is_own[i] != 0) continue;
        for (const int k : {0, 1, 2, 4, 5, 6}) rows[i].at[k] = ranks->rows_[own.share.body[i]].at[k];
      }
      ranks->team_.together().wait();
      for (std::size_t i = 0; i < rows.size(); ++i)
        if (own.is_own[i] != 0) std::ranges::fill(ranks->rows_[own.share.body[i]].at, NAN);
    }
    void exchange(std::span<BodyVelocity> rows) override {
      const RankPart& own = ranks->part[rank];
      for (std::size_t i = 0; i < rows.size(); ++i)
        if (own.is_own[i] != 0) ranks->velocities_[own.share.body[i]] = rows[i];
      ranks->team_.together().wait();
      for (std::size_t i = 0; i < rows.size(); ++i)
        if (own.is_own[i] == 0) rows[i] = ranks->velocities_[own.share.body[i]];
      ranks->team_.together().wait();
    }
  };

  std::vector<Link> links_;
  EmulatedTeam team_;
  std::vector<Lanes> rows_;               // [body of the whole problem]
  std::vector<BodyVelocity> velocities_;  // likewise
};

}  // namespace scree::test
