// A run by several ranks: each has a range of the whole's bodies, and steps as if it had them all.
//
// Between steps a rank's state has its own bodies alone, which stand in it as they stand in the whole;
// partners in contacts and caches that are not its own are ghosts of the halo (rank_halo.h), which are there
// while contacts are found. While they are solved the interface's ghosts stand there (rank_interface.h). All
// else of a state is the same on all ranks, and so is all that a step reports.
#pragma once

#include "engine/simulation/model.h"
#include "engine/simulation/ranks/rank_halo.h"
#include "engine/simulation/ranks/rank_interface.h"
#include "engine/simulation/ranks/whole_cut.h"

namespace scree {

class Decomposition {
 public:
  /// Takes the rank's part of a state that all ranks have whole.
  Decomposition(const Model& model, Ranks& ranks, State& state);

  /// As arrange() does for the whole: bodies are sorted, and go to other ranks, where that is due.
  void arrange(const Model& model, State& state);
  /// The whole on rank 0, elsewhere a state without bodies. All ranks call it.
  State collect(State& state);

  /// Bodies of these ids go, on all ranks.
  void remove(std::span<const BodyId> ids, State& state);
  /// A body comes, behind all others: to the last rank that has any.
  void insert(const Model& model, const NewBody& body, State& state);

  Halo* attach_halo(const PlacedCell& cell, State& state) {
    halo_.attach(cut_, cell, state);
    return &halo_;
  }
  void detach_halo() { halo_.detach(); }

  void enter_problem(const Model& model, State& state, std::vector<Vec3>& accelerations) {
    interface_.enter(model, cut_, halo_, state, accelerations);
  }
  /// Nothing where none has been entered.
  void leave_problem(State& state) {
    if (interface_.is_entered()) interface_.leave(state);
  }
  const RankShare& share() const { return interface_.share(); }
  std::span<const std::int32_t> shared_bodies() const { return interface_.shared_bodies(); }
  void number_fixed(const ContactProblem& problem) { interface_.number_fixed(problem); }

 private:
  /// Rank 0 gives each rank its part of the whole; `state` becomes that.
  void share_out(State whole, State& state);
  /// The state becomes the rank's part of the whole, by the cut there is.
  void take(std::span<const std::byte> part, State& state);
  /// All ranks have cut their own bodies anew.
  void agree(State& state);

  Ranks& ranks_;
  WholeCut cut_;
  std::int32_t cut_bodies_ = 0, newcomers_ = 0;  // of the whole: that were there when it was cut; not yet cut
  RankHalo halo_;
  RankInterface interface_;
};

}  // namespace scree
