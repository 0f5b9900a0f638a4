// A run by several ranks: each has a range of all bodies, and gives the same results as a single process.
//
// Between steps a rank's state contains only its own bodies, in global order. Partners in contacts and caches
// that are not its own are ghosts of the halo (rank_halo.h), which exist while contacts are searched for.
// During the solution the ghosts of the interface exist instead (rank_interface.h). All other parts of a
// state are the same on all ranks, and so is the report of a step. Bonds name their bodies by global numbers,
// except during the solution, when these are slots. A rank's state refers to the ghosts of its halo
// (Sleepers::ghosts), so the decomposition must outlive it.
#pragma once

#include "engine/simulation/model.h"
#include "engine/simulation/ranks/rank_halo.h"
#include "engine/simulation/ranks/rank_interface.h"
#include "engine/simulation/ranks/whole_cut.h"

namespace scree {

class Decomposition {
 public:
  /// Takes the rank's part of a state that all ranks have in full.
  Decomposition(const Model& model, Ranks& ranks, State& state);

  /// As arrange() for the whole state: sorts bodies and moves them to other ranks, when that is due.
  void arrange(const Model& model, State& state);
  /// The whole state on rank 0; on other ranks a state without bodies, whose bonds name those of the whole.
  /// All ranks must call it.
  State collect(State& state);

  /// Removes bodies with these ids, on all ranks.
  void remove(std::span<const BodyId> ids, State& state);
  /// Inserts a body after all others: on the last rank that has any.
  void insert(const Model& model, const NewBody& body, State& state);

  Halo* attach_halo(const PlacedCell& cell, State& state) {
    halo_.attach(cut_, cell, state);
    return &halo_;
  }
  void detach_halo() { halo_.detach(); }
  std::size_t own_bodies() const { return halo_.own_bodies(); }
  /// While the halo is attached: the slot of the body with this global number, or -1; and the number of a
  /// slot.
  std::int32_t slot_in_halo(std::int32_t number) const;
  std::int32_t number_in_halo(std::int32_t slot) const;
  /// To be called when bonds have formed.
  void expect_bonds() { interface_.forget(); }

  void enter_problem(const Model& model, State& state, std::vector<Vec3>& accelerations) {
    interface_.enter(model, cut_, halo_, state, accelerations);
  }
  /// Does nothing if no problem has been entered.
  void leave_problem(State& state) {
    if (interface_.is_entered()) interface_.leave(state);
  }
  const RankShare& share() const { return interface_.share(); }
  std::span<const std::int32_t> shared_bodies() const { return interface_.shared_bodies(); }
  const SpringMemory* spring_memory(std::size_t contact) const { return interface_.spring_memory(contact); }
  ContactKey outer_key(const Contacts& contacts, std::size_t contact) const {
    return interface_.outer_key(contacts, contact);
  }
  void number_others(const ContactProblem& problem) { interface_.number_others(problem); }

 private:
  /// The global number of a slot, where ghosts of the halo follow this number of own bodies.
  std::int32_t number_of(std::int32_t slot, std::int32_t own) const;
  /// Rank 0 sends each rank its part of the whole; `state` becomes this part.
  void share_out(State whole, State& state);
  /// The state becomes the rank's part of the whole, with the present cut.
  void take(std::span<const std::byte> part, State& state);
  /// [rank] time in which ranks have been busy since the last sort, s; 0 where it is not measured.
  std::vector<double> busy_since_sort();
  /// On rank 0, with the present cut: speeds by the work of ranks and the time that they needed for it.
  void measure_speeds(const State& whole, const std::vector<double>& busy);
  /// To be called after all ranks have cut their own bodies anew.
  void agree(State& state);

  Ranks& ranks_;
  WholeCut cut_;
  // [rank] work per time, relative; on rank 0. A rank that does other work too, as writing results, is slower
  // and gets less to do. Only which rank owns a subdomain depends on it.
  std::vector<double> speed_;
  std::optional<double> busy_at_sort_s_;         // Ranks::busy_s() at the last sort
  std::int32_t cut_bodies_ = 0, newcomers_ = 0;  // of the whole: number at the last cut; number not yet cut
  RankHalo halo_;
  RankInterface interface_;
};

}  // namespace scree
