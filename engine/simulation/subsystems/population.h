// Bodies that come, go and change their places in memory: the only place where slots change.
#pragma once

#include <span>

#include "engine/simulation/model.h"

namespace scree {

/// Adds a body; returns its id, which no other body of the state has had or will have.
BodyId insert(const Model& model, State& state, const NewBody& body);

/// Takes bodies out, and all that is remembered of them. Sleepers that they held wake. Ids that no body has
/// are passed over. Cost linear in bodies and contacts. `ghost_slot`: of a rank's part, [ghost] where that
/// will be, counted from the first, -1: it goes too.
void remove(State& state, std::span<const BodyId> ids, std::span<const std::int32_t> ghost_slot = {});

/// Puts bodies that are close into slots that are close: along a Z-curve, which is cut into subdomains
/// (engine/bodies/subdomains.h); within a subdomain larger sizes come first (by factors of two). What the
/// next step uses is near in memory then, and visits of contacts are compact in space
/// (engine/solver/sweeps/colouring.h). Ids stay with their bodies; the memory of contacts is renumbered
/// along. In a periodic cell the images in it are what is close. Depends on the state alone. Cost linear in
/// bodies and contacts.
void sort(const Shapes& shapes, State& state, const PlacedCell& cell = {});

/// [subdomain + 1] what all before it weigh, see cut_weight().
std::vector<std::int64_t> subdomain_weights(const State& state);

/// What a step begins with: sorts bodies where it is time, or has subdomains cover those that have come.
void arrange(const Model& model, State& state);

/// Slots of bodies by their ids.
class SlotsById {
 public:
  explicit SlotsById(const Bodies& bodies);
  /// -1 if there is no such body.
  std::int32_t find(BodyId id) const;

 private:
  std::vector<std::pair<BodyId, std::int32_t>> slots_;  // rising
};

}  // namespace scree
