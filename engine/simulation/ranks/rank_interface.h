// The interface of a rank: contacts between subdomains, coloured by all ranks, and the
// cone of contacts at the interface that its bodies depend on.
#pragma once

#include "engine/simulation/model.h"
#include "engine/simulation/ranks/ghosts.h"
#include "engine/simulation/ranks/rank_halo.h"
#include "engine/simulation/ranks/whole_cut.h"
#include "engine/solver/problem/contact_problem.h"
#include "engine/solver/sweeps/cone.h"

namespace scree {

/// During a solution the contacts of the cone and the bodies that they need are stored after a rank's
/// own. All ranks know all contacts between subdomains (8 bytes each, sent when they change). So all ranks
/// find the same colours, and each finds its own cone.
class RankInterface : public GhostLink {
 public:
  explicit RankInterface(Ranks& ranks);

  /// Appends contacts and ghosts to the state. `accelerations`: [own body], or empty; those of ghosts are
  /// appended.
  void enter(const Model& model, const WholeCut& cut, const RankHalo& halo, State& state,
             std::vector<Vec3>& accelerations);
  /// Keeps only the own ones, with the results of the solution.
  void leave(State& state);
  bool is_entered() const { return is_entered_; }
  /// To be called when the global cut has changed, or bonds have formed.
  void forget() { is_known_ = are_held_known_ = false; }

  const RankShare& share() const { return share_; }
  /// Own bodies that are ghosts of other ranks, and ghosts.
  std::span<const std::int32_t> shared_bodies() const { return shared_; }
  /// The memory of an elastic contact of the problem, or null.
  const SpringMemory* spring_memory(std::size_t contact) const {
    return has_spring_memory_[contact] != 0 ? &spring_memory_[contact] : nullptr;
  }
  /// The key of an own contact before enter() and after leave().
  ContactKey outer_key(const Contacts& contacts, std::size_t contact) const;
  /// Numbers the bodies of the problem that are not in the state: those that stand for a boundary in a
  /// contact, parts that forces move, and what holds these.
  void number_others(const ContactProblem& problem);

  void exchange(std::span<Lanes> rows) override;
  void exchange(std::span<BodyVelocity> rows) override;

 private:
  void number_driven(const Model& model);
  void list_edges(const Model& model, const WholeCut& cut, const RankHalo& halo, const State& state);
  void find_part_homes(const WholeCut& cut);
  void find_held(const Model& model, const State& state);
  void colour(const WholeCut& cut);
  void choose_cone(const WholeCut& cut);
  void append_ghost_bodies(const Model& model, const WholeCut& cut, State& state,
                           std::vector<Vec3>& accelerations);
  void find_spring_memories(const State& state);
  /// The slot of one of its own bodies, or of a ghost.
  std::int32_t local(std::int32_t number) const;
  void append_cone(State& state);
  void number(const State& state);
  std::size_t row_of_part(std::size_t driven) const {
    return own_bodies_ + ghosts_.size() + static_cast<std::size_t>(fixed_) + driven;
  }
  /// Sets the rows of parts that only one subdomain touches to those of its rank.
  template <class T>
  void follow_part_owners(std::span<T> rows);

  Ranks& ranks_;
  RankShare share_;
  bool is_entered_ = false, is_known_ = false;  // are the edges of all ranks, and their results, known?
  std::size_t own_bodies_ = 0, own_contacts_ = 0, own_subdomains_ = 0;
  std::int32_t first_body_ = 0, whole_bodies_ = 0;   // global: first own body; number of all bodies
  std::int64_t contacts_before_ = 0, contacts_ = 0;  // of lower ranks; of all
  // Contacts with boundaries that no force moves: of lower ranks; own; of all.
  std::int64_t fixed_before_ = 0, fixed_ = 0, all_fixed_ = 0;
  std::vector<std::int32_t> subdomain_of_;  // [own body]

  // Contacts between subdomains, packed into 64 bits each.
  struct Listed {
    std::vector<std::uint64_t> edges;
    std::vector<std::int32_t> contacts;
    std::int64_t fixed = 0;
    std::vector<std::uint8_t> touches;  // [driven part]
  };
  std::vector<Listed> listed_;  // [own subdomain]

  // Parts that forces move are bodies of the problem. All ranks solve the contacts of one that several
  // subdomains touch, which are at the interface; one that a single subdomain touches has an owner.
  static constexpr std::int32_t no_home = -1, many_homes = -2;
  std::vector<std::int32_t> driven_of_;   // [boundary] number of its part among the driven ones, or -1
  std::vector<std::int32_t> part_home_;   // [driven part] global number of the only subdomain that touches it
  std::vector<std::int32_t> part_owner_;  // [driven part] the rank of that, or -1
  std::vector<std::uint64_t> edges_, last_edges_, all_edges_;  // own; of the last solution; of all ranks
  std::vector<std::int32_t> edge_contact_;                     // [own edge]
  std::vector<std::size_t> first_of_rank_;                     // [rank + 1] first edge in all_edges_
  std::vector<std::uint8_t> colour_of_;                        // [edge of all]
  std::vector<std::uint32_t> turn_of_;                         // likewise, see InterfaceContact
  std::vector<std::uint64_t> taken_, hashes_;                  // [global body] its colours; [subdomain]
  std::vector<std::int32_t> by_hash_;
  std::vector<InterfaceContact> between_;
  std::vector<std::uint32_t> needed_;  // [global body], see cone_of()

  // Global numbers of bodies that all ranks have, ascending; also of some that bonds held until they broke.
  std::vector<std::int32_t> held_;
  bool are_held_known_ = false;

  GhostLists ghosts_;
  std::vector<std::int32_t> wanted_;         // indices in all_edges_: edges of the cone owned by other ranks
  std::vector<std::size_t> wanted_of_rank_;  // [rank + 1]
  std::vector<std::vector<std::int32_t>> contacts_for_;         // [rank] own edges in its cone
  std::vector<std::pair<std::int32_t, std::int32_t>> renamed_;  // own contact, its partner in the halo
  std::vector<std::int32_t> shared_;

  struct ConeContact {
    Contact contact;
    std::int32_t number;  // in the whole problem
  };
  struct Row {
    float at[6];
  };
  std::vector<ConeContact> cone_, cone_out_;
  std::vector<std::uint8_t> has_spring_memory_,
      has_out_;  // [contact], own and of the cone; if some are elastic
  std::vector<SpringMemory> spring_memory_, memory_out_;  // likewise
  std::vector<BodyRecord> records_, records_out_;
  std::vector<Row> rows_, rows_out_;
  std::vector<BodyVelocity> velocities_out_;
};

}  // namespace scree
