#include "engine/simulation/ranks/rank_interface.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

#include "engine/core/ordering.h"
#include "engine/core/parallel.h"
#include "engine/simulation/assemble.h"
#include "engine/simulation/subsystems/contact_springs.h"
#include "engine/simulation/subsystems/population.h"
#include "engine/solver/sweeps/cone.h"
#include "engine/solver/sweeps/interface_order.h"

namespace scree {

namespace {

// An edge in 64 bits: global bodies, and the kind of the contact, which is its order in colouring.
constexpr int kind_bits = 2, body_bits = 31;
std::uint64_t packed(std::int32_t a, std::int32_t b, std::uint8_t kind) {
  return static_cast<std::uint64_t>(a) << (body_bits + kind_bits) |
         static_cast<std::uint64_t>(b) << kind_bits | kind;
}
std::int32_t a_of(std::uint64_t edge) { return static_cast<std::int32_t>(edge >> (body_bits + kind_bits)); }
std::int32_t b_of(std::uint64_t edge) {
  return static_cast<std::int32_t>(edge >> kind_bits & ((std::uint64_t{1} << body_bits) - 1));
}
std::uint8_t kind_of(std::uint64_t edge) { return edge & ((1u << kind_bits) - 1); }

}  // namespace

RankInterface::RankInterface(Ranks& ranks) : ranks_(ranks) {
  share_.ranks = &ranks;
  share_.ghosts = this;
}

void RankInterface::number_driven(const Model& model) {
  std::vector<std::int32_t> number(model.parts.size(), -1);  // [part]
  std::int32_t driven = 0;
  for (std::size_t m = 0; m < model.parts.size(); ++m)
    if (model.parts[m].is_driven()) number[m] = driven++;
  part_home_.assign(static_cast<std::size_t>(driven), no_home);
  part_owner_.assign(static_cast<std::size_t>(driven), -1);
  driven_of_.clear();
  for (const Boundary& boundary : model.boundaries)
    driven_of_.push_back(boundary.part < 0 ? -1 : number[boundary.part]);
}

void RankInterface::list_edges(const Model& model, const WholeCut& cut, const RankHalo& halo,
                               const State& state) {
  const Bodies& bodies = state.bodies;
  const Subdomains& subdomains = bodies.subdomains;
  const std::int32_t first = cut.first_body(ranks_.rank());
  const auto own = static_cast<std::int32_t>(bodies.size());
  subdomain_of_.resize(bodies.size());
  for_each_index(subdomains.size(), 1, [&](std::size_t k) {
    std::fill(subdomain_of_.begin() + subdomains.first[k], subdomain_of_.begin() + subdomains.first[k + 1],
              static_cast<std::int32_t>(k));
  });
  if (listed_.size() < subdomains.size()) listed_.resize(subdomains.size());
  for_each_index(subdomains.size(), 1, [&](std::size_t k) {
    Listed& of = listed_[k];
    of.edges.clear();
    of.contacts.clear();
    of.fixed = 0;
    of.touches.assign(part_home_.size(), 0);
    for (std::int32_t c = state.contacts.row[subdomains.first[k]],
                      end = state.contacts.row[subdomains.first[k + 1]];
         c < end; ++c) {
      const Contact& contact = state.contacts.list[c];
      const auto [a, b, feature] = contact.key;
      const auto add = [&](std::int32_t number_of_b, const PairLaw& law) {
        of.edges.push_back(packed(first + a, number_of_b,
                                  contact_kind(start_along_normal(contact) > 0.0f, resisting_rows(law) > 0)));
        of.contacts.push_back(c);
      };
      if (is_boundary(b)) {
        const std::int32_t driven = driven_of_[boundary_of(b)];
        if (driven < 0) {
          ++of.fixed;
        } else {
          of.touches[driven] = 1;
          add(cut.bodies() + driven, law_of(model, bodies, contact.key));
        }
        continue;
      }
      const bool is_ghost = b >= own;
      if (!is_ghost && subdomain_of_[b] == static_cast<std::int32_t>(k)) continue;
      const auto ghost = static_cast<std::size_t>(b - own);
      add(is_ghost ? halo.number(ghost) : first + b,
          model.materials.law(bodies.material[a], is_ghost ? halo.material(ghost) : bodies.material[b]));
    }
  });
  find_part_homes(cut);
  edges_.clear();
  edge_contact_.clear();
  fixed_ = 0;
  for (std::size_t k = 0; k < subdomains.size(); ++k) {
    const Listed& of = listed_[k];
    for (std::size_t e = 0; e < of.edges.size(); ++e) {
      const std::int32_t part = b_of(of.edges[e]) - cut.bodies();
      if (part >= 0 && part_home_[part] != many_homes) continue;  // no other subdomain touches it
      edges_.push_back(of.edges[e]);
      edge_contact_.push_back(of.contacts[e]);
    }
    fixed_ += of.fixed;
  }
}

void RankInterface::find_part_homes(const WholeCut& cut) {
  if (part_home_.empty()) return;
  const auto join = [](std::int32_t& home, std::int32_t other) {
    if (other != no_home && home != other) home = home == no_home ? other : many_homes;
  };
  const std::int32_t first = cut.first_of_rank[ranks_.rank()];
  std::vector<std::int32_t> own(part_home_.size(), no_home);
  for (std::size_t k = 0; k < own_subdomains_; ++k)
    for (std::size_t m = 0; m < own.size(); ++m)
      if (listed_[k].touches[m] != 0) join(own[m], first + static_cast<std::int32_t>(k));
  const std::vector<std::int32_t> all = of_all(&ranks_, own);
  for (std::size_t k = 0; k < all.size(); ++k) join(part_home_[k % own.size()], all[k]);
  for (std::size_t m = 0; m < own.size(); ++m)
    if (part_home_[m] >= 0)
      part_owner_[m] = static_cast<std::int32_t>(std::ranges::upper_bound(cut.first_of_rank, part_home_[m]) -
                                                 cut.first_of_rank.begin()) -
                       1;
}

/// Bodies that joints and bonds hold: every rank computes the rows of these. In a cell that holds stresses
/// the energy bound of impacts treats all bodies as one cluster, for which body 0 stands.
void RankInterface::find_held(const Model& model, const State& state) {
  held_.clear();
  if (model.cell.holds_stress() && whole_bodies_ > 0) held_.push_back(0);
  for (const Bond& bond : state.bonds) held_.insert(held_.end(), {bond.a, bond.b});
  if (std::ranges::any_of(model.joints, &MachineJoint::holds_body)) {
    const SlotsById slots(state.bodies);
    std::vector<std::int32_t> own;
    for (const MachineJoint& joint : model.joints)
      for (const JointPartner* const partner : {&joint.a, &joint.b})
        if (partner->kind == JointPartner::Kind::body)
          if (const std::int32_t slot = slots.find(partner->index); slot >= 0)
            own.push_back(first_body_ + slot);
    for (const std::int32_t body : of_all(&ranks_, own)) held_.push_back(body);
  }
  std::ranges::sort(held_);
  held_.erase(std::ranges::unique(held_).begin(), held_.end());
  are_held_known_ = true;
}

/// Colours as in a single process: subdomains in the order of their hash, with the first colour that neither
/// body has; contacts with an impulse before the others.
void RankInterface::colour(const WholeCut& cut) {
  const std::size_t edges = all_edges_.size(), subdomains = cut.subdomains();
  // By home and kind, as in order_contacts().
  std::vector<std::int32_t> first(subdomains + 1, 0), order(edges);
  for (std::size_t e = 0, home = 0; e < edges; ++e) {  // homes are ascending
    while (a_of(all_edges_[e]) >= cut.first[home + 1]) ++home;
    ++first[home];
  }
  exclusive_scan(first);
  for (std::size_t home = 0; home < subdomains; ++home) {
    const auto begin = order.begin() + first[home], end = order.begin() + first[home + 1];
    std::iota(begin, end, first[home]);
    std::stable_sort(begin, end, [&](std::int32_t x, std::int32_t y) {
      return kind_of(all_edges_[x]) < kind_of(all_edges_[y]);
    });
  }
  taken_.resize(static_cast<std::size_t>(cut.bodies()) + part_home_.size());
  for (const std::uint64_t edge : all_edges_) taken_[a_of(edge)] = taken_[b_of(edge)] = 0;
  colour_of_.resize(edges);
  order_by_hash(subdomains, hashes_, by_hash_);
  for (const bool idle : {false, true}) {
    for (const std::int32_t home : by_hash_) {
      for (std::int32_t k = first[home]; k < first[home + 1]; ++k) {
        const std::uint64_t edge = all_edges_[order[k]];
        if (is_idle(kind_of(edge)) != idle) continue;
        std::uint64_t &of_a = taken_[a_of(edge)], &of_b = taken_[b_of(edge)];
        const int colour = std::min(parallel_colours, std::countr_one(of_a | of_b));
        if (colour < parallel_colours) {
          of_a |= std::uint64_t{1} << colour;
          of_b |= std::uint64_t{1} << colour;
        }
        colour_of_[order[k]] = static_cast<std::uint8_t>(colour);
      }
    }
  }
  // One by one, after the colours are used up, in the order of homes.
  turn_of_.resize(edges);
  std::uint32_t serial = 0;
  for (const std::int32_t e : order)
    turn_of_[e] = colour_of_[e] + (colour_of_[e] == parallel_colours ? serial++ : 0);
}

void RankInterface::choose_cone(const WholeCut& cut) {
  const int rank = ranks_.rank();
  const std::int32_t first = cut.first_body(rank), end = cut.first_body(rank + 1), parts = cut.bodies();
  between_.resize(all_edges_.size());
  for (std::size_t e = 0; e < all_edges_.size(); ++e)
    between_[e] = {{a_of(all_edges_[e]), b_of(all_edges_[e])}, turn_of_[e]};
  const auto is_needed = [&](std::int32_t body) {
    return (body >= first && body < end) || body >= parts || std::ranges::binary_search(held_, body);
  };
  const std::vector<std::uint8_t> visited = cone_of(between_, is_needed, needed_);
  wanted_.clear();
  wanted_of_rank_.assign(1, 0);
  std::vector<std::int32_t> bodies;
  const auto add_ghost = [&](std::int32_t body) {
    if (body < parts && (body < first || body >= end)) bodies.push_back(body);
  };
  for (const std::int32_t body : held_) add_ghost(body);
  for (int r = 0; r < ranks_.count(); ++r) {
    for (std::size_t e = first_of_rank_[r]; e < first_of_rank_[r + 1]; ++e) {
      if (visited[e] == 0 && r != rank) continue;
      if (r != rank) wanted_.push_back(static_cast<std::int32_t>(e));
      add_ghost(a_of(all_edges_[e]));
      add_ghost(b_of(all_edges_[e]));
    }
    wanted_of_rank_.push_back(wanted_.size());
  }
  std::ranges::sort(bodies);
  bodies.erase(std::ranges::unique(bodies).begin(), bodies.end());
  ghosts_.number = std::move(bodies);
  // Requests of this rank to each other one, and theirs to it.
  std::vector<Bytes> to(static_cast<std::size_t>(ranks_.count()));
  ghosts_.first_of_rank.assign(1, 0);
  for (int r = 0; r < ranks_.count(); ++r) {
    const auto end_of_rank =
        std::ranges::lower_bound(ghosts_.number, cut.first_body(r + 1)) - ghosts_.number.begin();
    ghosts_.first_of_rank.push_back(static_cast<std::size_t>(end_of_rank));
    std::vector<std::int32_t> of_rank;  // its edges, counted from its own first one
    for (std::size_t k = wanted_of_rank_[r]; k < wanted_of_rank_[r + 1]; ++k)
      of_rank.push_back(wanted_[k] - static_cast<std::int32_t>(first_of_rank_[r]));
    const std::span<const std::int32_t> ghosts =
        std::span(ghosts_.number)
            .subspan(ghosts_.first_of_rank[r], ghosts_.first_of_rank[r + 1] - ghosts_.first_of_rank[r]);
    if (of_rank.empty() && ghosts.empty()) continue;
    append_list(std::span<const std::int32_t>(of_rank), to[r]);
    append_list(ghosts, to[r]);
  }
  const std::vector<Bytes> from = ranks_.exchange(std::move(to));
  contacts_for_.assign(from.size(), {});
  ghosts_.own_for.assign(from.size(), {});
  for (std::size_t r = 0; r < from.size(); ++r) {
    if (from[r].empty()) continue;
    BytesReader reader(from[r]);
    reader.take_list(contacts_for_[r]);
    reader.take_list(ghosts_.own_for[r]);
    for (std::int32_t& body : ghosts_.own_for[r]) body -= first;
  }
}

void RankInterface::append_ghost_bodies(const Model& model, const WholeCut& cut, State& state,
                                        std::vector<Vec3>& accelerations) {
  Bodies& bodies = state.bodies;
  Subdomains& subdomains = bodies.subdomains;
  records_.resize(ghosts_.size());
  follow_owners(
      ranks_, ghosts_, records_out_, [&](std::size_t i) { return record_of(bodies, i, accelerations); },
      records_.data());
  append_ghosts(records_, bodies);
  if (model.forces.act()) {  // also on a rank without bodies, and if a step is solved again
    accelerations.resize(own_bodies_);
    for (const BodyRecord& r : records_) accelerations.push_back(r.acceleration);
  }

  subdomains.own = static_cast<std::int32_t>(own_subdomains_);
  share_.own.assign(own_subdomains_, 1);
  std::vector<std::int32_t> before;  // subdomains of ghosts before its own ones in global order
  share_.by_place.clear();
  const std::int32_t first_own = cut.first_of_rank[ranks_.rank()];
  std::int32_t last = -1;
  for (std::size_t k = 0; k < ghosts_.size(); ++k) {
    const std::int32_t home = cut.subdomain_of(ghosts_.number[k]);
    if (home != last) {
      if (last >= 0) subdomains.first.push_back(static_cast<std::int32_t>(own_bodies_ + k));
      if (home < first_own) before.push_back(static_cast<std::int32_t>(share_.own.size()));
      share_.own.push_back(0);
    }
    last = home;
  }
  if (ghosts_.size() > 0) subdomains.first.push_back(static_cast<std::int32_t>(bodies.size()));
  if (share_.own.empty()) share_.own.push_back(1);  // sweeps need at least one
  share_.by_place = before;
  for (std::size_t k = 0; k < own_subdomains_; ++k) share_.by_place.push_back(static_cast<std::int32_t>(k));
  for (std::size_t k = own_subdomains_ + before.size(); k < share_.own.size(); ++k)
    share_.by_place.push_back(static_cast<std::int32_t>(k));
}

void RankInterface::find_spring_memories(const State& state) {
  has_spring_memory_.assign(own_contacts_ + wanted_.size(), 0);
  spring_memory_.resize(own_contacts_ + wanted_.size());
  SpringMemories memories(state.springs, {});
  for (std::size_t c = 0; c < own_contacts_; ++c) {
    const SpringMemory* const memory = memories.find(state.contacts[c].key);
    if (memory == nullptr) continue;
    has_spring_memory_[c] = 1;
    spring_memory_[c] = *memory;
  }
  send_lists(
      ranks_, contacts_for_, wanted_of_rank_, has_out_,
      [&](std::size_t e) { return has_spring_memory_[edge_contact_[e]]; },
      has_spring_memory_.data() + own_contacts_);
  send_lists(
      ranks_, contacts_for_, wanted_of_rank_, memory_out_,
      [&](std::size_t e) { return spring_memory_[edge_contact_[e]]; }, spring_memory_.data() + own_contacts_);
}

ContactKey RankInterface::outer_key(const Contacts& contacts, std::size_t contact) const {
  ContactKey key = contacts[contact].key;
  if (is_boundary(key.b) || key.b < static_cast<std::int32_t>(own_bodies_)) return key;
  key.b = std::ranges::lower_bound(renamed_, static_cast<std::int32_t>(contact), {},
                                   &std::pair<std::int32_t, std::int32_t>::first)
              ->second;
  return key;
}

std::int32_t RankInterface::local(std::int32_t number) const {
  const std::int32_t ghost = ghosts_.find(number);
  assert(ghost >= 0 ||
         (number >= first_body_ && number < first_body_ + static_cast<std::int32_t>(own_bodies_)));
  return ghost < 0 ? number - first_body_ : static_cast<std::int32_t>(own_bodies_) + ghost;
}

void RankInterface::append_cone(State& state) {
  std::vector<Contact>& contacts = state.contacts.list;
  cone_.resize(wanted_.size());
  send_lists(
      ranks_, contacts_for_, wanted_of_rank_, cone_out_,
      [&](std::size_t e) {
        const std::int32_t c = edge_contact_[e];
        return ConeContact{contacts[c], static_cast<std::int32_t>(contacts_before_ + c)};
      },
      cone_.data());
  renamed_.clear();
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    Contact& contact = contacts[edge_contact_[e]];
    if (contact.key.b < static_cast<std::int32_t>(own_bodies_)) continue;
    renamed_.emplace_back(edge_contact_[e], contact.key.b);
    contact.key.b = local(b_of(edges_[e]));
  }
  for (std::size_t k = 0; k < wanted_.size(); ++k) {
    Contact& contact = contacts.emplace_back(cone_[k].contact);
    contact.key.a = local(a_of(all_edges_[wanted_[k]]));
    if (!is_boundary(contact.key.b)) contact.key.b = local(b_of(all_edges_[wanted_[k]]));
  }
  std::vector<std::int32_t>& row = state.contacts.row;
  row.resize(state.bodies.size() + 1);
  std::fill(row.begin() + static_cast<std::ptrdiff_t>(own_bodies_) + 1, row.end(), 0);
  for (std::size_t c = own_contacts_; c < contacts.size(); ++c) ++row[contacts[c].key.a + 1];
  for (std::size_t i = own_bodies_; i + 1 < row.size(); ++i) row[i + 1] += row[i];
}

/// Numbers in the whole problem, and colours.
void RankInterface::number(const State& state) {
  share_.contacts = contacts_;
  share_.body.clear();
  for (std::size_t i = 0; i < own_bodies_; ++i)
    share_.body.push_back(first_body_ + static_cast<std::int32_t>(i));
  for (const std::int32_t number : ghosts_.number) share_.body.push_back(number);
  share_.own_body.assign(state.bodies.size(), 0);
  std::fill_n(share_.own_body.begin(), own_bodies_, 1);
  share_.contact.clear();
  for (std::size_t c = 0; c < own_contacts_; ++c)
    share_.contact.push_back(static_cast<std::int32_t>(contacts_before_ + static_cast<std::int64_t>(c)));
  for (const ConeContact& c : cone_) share_.contact.push_back(c.number);
  share_.colour.assign(state.contacts.size(), 0);
  const std::size_t first_edge = first_of_rank_[ranks_.rank()];
  for (std::size_t e = 0; e < edges_.size(); ++e)
    share_.colour[edge_contact_[e]] = colour_of_[first_edge + e];
  for (std::size_t k = 0; k < wanted_.size(); ++k) share_.colour[own_contacts_ + k] = colour_of_[wanted_[k]];
  shared_.clear();
  for (const std::vector<std::int32_t>& list : ghosts_.own_for)
    shared_.insert(shared_.end(), list.begin(), list.end());
  std::ranges::sort(shared_);
  shared_.erase(std::ranges::unique(shared_).begin(), shared_.end());
  for (std::size_t i = own_bodies_; i < state.bodies.size(); ++i)
    shared_.push_back(static_cast<std::int32_t>(i));
}

void RankInterface::number_others(const ContactProblem& p) {
  const std::size_t in_state = own_bodies_ + ghosts_.size();
  for (std::size_t i = share_.own_body.size(); i < p.bodies(); ++i) {
    const auto k = static_cast<std::int64_t>(i - in_state);
    const std::int64_t before = k < fixed_ ? fixed_before_ : all_fixed_ - fixed_;
    share_.body.push_back(static_cast<std::int32_t>(whole_bodies_ + before + k));
    share_.own_body.push_back(1);
  }
  for (std::size_t m = 0; m < part_home_.size(); ++m)
    shared_.push_back(static_cast<std::int32_t>(row_of_part(m)));
}

void RankInterface::enter(const Model& model, const WholeCut& cut, const RankHalo& halo, State& state,
                          std::vector<Vec3>& accelerations) {
  own_bodies_ = state.bodies.size();
  own_contacts_ = state.contacts.size();
  own_subdomains_ = state.bodies.subdomains.size();
  first_body_ = cut.first_body(ranks_.rank());
  whole_bodies_ = cut.bodies();
  if (state.contacts.row.size() != own_bodies_ + 1) state.contacts.index(own_bodies_);
  last_edges_.swap(edges_);
  number_driven(model);
  list_edges(model, cut, halo, state);
  struct Told {
    std::int64_t contacts, fixed, changed;
  };
  const Told own{static_cast<std::int64_t>(own_contacts_), fixed_,
                 is_known_ && edges_ == last_edges_ ? 0 : 1};
  const std::vector<Told> told = of_all(&ranks_, std::vector{own});
  contacts_ = contacts_before_ = fixed_before_ = all_fixed_ = 0;
  bool changed = false;
  for (int r = 0; r < ranks_.count(); ++r) {
    if (r == ranks_.rank()) contacts_before_ = contacts_;
    if (r < ranks_.rank()) fixed_before_ += told[r].fixed;
    contacts_ += told[r].contacts;
    all_fixed_ += told[r].fixed;
    changed = changed || told[r].changed != 0;
  }
  if (constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
      contacts_ > most || whole_bodies_ + all_fixed_ + std::ssize(model.parts) > most)
    throw std::runtime_error("runs by ranks can have 2147483647 contacts at most; this one has " +
                             std::to_string(contacts_));
  if (changed) {
    std::vector<std::size_t> first_byte;
    const Bytes all = ranks_.gather(std::as_bytes(std::span(edges_)), &first_byte);
    all_edges_.clear();
    append_all(all, all_edges_);
    first_of_rank_.clear();
    for (const std::size_t byte : first_byte) first_of_rank_.push_back(byte / sizeof(std::uint64_t));
    if (!are_held_known_) find_held(model, state);
    colour(cut);
    choose_cone(cut);
  }
  is_known_ = true;
  append_ghost_bodies(model, cut, state, accelerations);
  if (model.materials.are_elastic()) find_spring_memories(state);
  append_cone(state);
  number(state);
  for (Bond& bond : state.bonds) {
    bond.a = local(bond.a);
    bond.b = local(bond.b);
  }
  is_entered_ = true;
}

void RankInterface::leave(State& state) {
  for (const auto& [contact, partner] : renamed_) state.contacts.list[contact].key.b = partner;
  for (Bond& bond : state.bonds) {
    bond.a = share_.body[bond.a];
    bond.b = share_.body[bond.b];
  }
  state.contacts.list.resize(own_contacts_);
  state.contacts.row.resize(own_bodies_ + 1);
  drop_ghosts(own_bodies_, state.bodies);
  state.bodies.subdomains.first.resize(own_subdomains_ + 1);
  state.bodies.subdomains.own = -1;
  is_entered_ = false;
}

template <class T>
void RankInterface::follow_part_owners(std::span<T> rows) {
  std::vector<std::size_t> owned;  // driven parts, by owner
  for (std::size_t m = 0; m < part_owner_.size(); ++m)
    if (part_owner_[m] >= 0) owned.push_back(m);
  if (owned.empty()) return;
  std::ranges::stable_sort(owned, {}, [&](std::size_t m) { return part_owner_[m]; });
  std::vector<T> values;  // one message from each owner to each other rank
  for (const std::size_t m : owned) values.push_back(rows[row_of_part(m)]);
  std::vector<Ranks::Outgoing> out;
  std::vector<Ranks::Incoming> in;
  for (std::size_t begin = 0, end = 0; begin < owned.size(); begin = end) {
    const std::int32_t owner = part_owner_[owned[begin]];
    while (end < owned.size() && part_owner_[owned[end]] == owner) ++end;
    const std::span<T> of_owner = std::span(values).subspan(begin, end - begin);
    if (owner != ranks_.rank())
      in.push_back({owner, std::as_writable_bytes(of_owner)});
    else
      for (int r = 0; r < ranks_.count(); ++r)
        if (r != owner) out.push_back({r, std::as_bytes(of_owner)});
  }
  ranks_.swap(out, in);
  for (std::size_t k = 0; k < owned.size(); ++k) rows[row_of_part(owned[k])] = values[k];
}

void RankInterface::exchange(std::span<Lanes> rows) {
  // Numbers 0 to 2 and 4 to 6.
  constexpr std::size_t half = 3 * sizeof(float), second = 4;
  rows_.resize(ghosts_.size());
  follow_owners(
      ranks_, ghosts_, rows_out_,
      [&](std::size_t i) {
        Row row;
        std::memcpy(&row.at[0], &rows[i].at[0], half);
        std::memcpy(&row.at[3], &rows[i].at[second], half);
        return row;
      },
      rows_.data());
  for (std::size_t g = 0; g < ghosts_.size(); ++g) {
    Lanes& row = rows[own_bodies_ + g];
    std::memcpy(&row.at[0], &rows_[g].at[0], half);
    std::memcpy(&row.at[second], &rows_[g].at[3], half);
  }
  follow_part_owners(rows);
}

void RankInterface::exchange(std::span<BodyVelocity> rows) {
  follow_owners(
      ranks_, ghosts_, velocities_out_, [&](std::size_t i) { return rows[i]; }, rows.data() + own_bodies_);
  follow_part_owners(rows);
}

}  // namespace scree
