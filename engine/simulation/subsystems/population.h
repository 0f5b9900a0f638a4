// Insertion, removal and sorting of bodies: the only code that changes slots.
#pragma once

#include <span>

#include "engine/simulation/model.h"

namespace scree {

/// Adds a body; returns its id, which no other body of the state has had or will have.
BodyId insert(const Model& model, State& state, const NewBody& body);

/// Removes bodies and all stored data about them. Sleeping bodies that they held wake. Ids without a body
/// are ignored. Cost linear in bodies and contacts. `ghost_slot`: of a rank's part, [ghost] its new number,
/// counted from the first ghost, -1: it is removed too; then the caller must call
/// hold_sleepers() when ghosts are numbered anew.
void remove(State& state, std::span<const BodyId> ids, std::span<const std::int32_t> ghost_slot = {});

/// Sorts bodies so that near bodies have near slots: along a Z-curve, which is cut into subdomains
/// (engine/bodies/subdomains.h); within a subdomain larger sizes come first (by factors of two). Then the
/// data of the next step are near in memory, and block updates of contacts are compact in space
/// (engine/solver/sweeps/colouring.h). Ids stay with their bodies; the memory of contacts is renumbered.
/// In a periodic cell the images in the cell count. Depends on the state alone. Cost linear in
/// bodies and contacts.
void sort(const Shapes& shapes, State& state, const PlacedCell& cell = {});

/// [subdomain + 1] sum of the weights of all bodies before it, see cut_weight().
std::vector<std::int64_t> subdomain_weights(const State& state);

/// Called at the beginning of a step: sorts bodies if it is due, or extends subdomains to inserted bodies.
void arrange(const Model& model, State& state);

/// Slots of bodies by their ids.
class SlotsById {
 public:
  explicit SlotsById(const Bodies& bodies);
  /// -1 if there is no such body.
  std::int32_t find(BodyId id) const;

 private:
  std::vector<std::pair<BodyId, std::int32_t>> slots_;  // ascending
};

}  // namespace scree
