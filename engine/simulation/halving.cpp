#include "engine/simulation/halving.h"

#include <algorithm>

#include "engine/core/parallel.h"
#include "engine/simulation/ranks/decomposition.h"
#include "engine/simulation/subsystems/sleep.h"

namespace scree {

namespace {

// Limit of the deviation from the predicted rotation, over the contacts' length.
constexpr double most_unforeseen = 0.005;
// Limit of the travel beyond the foreseen one, over the body's smallest length.
constexpr double most_beyond_reach = 0.05;

}  // namespace

bool turns_too_far(const Model& model, const State& state, double t, const Workspace& w) {
  const auto unforeseen = [&](std::size_t i) {  // m
    const ShapeIndex shape = state.bodies.shape[i];
    const double excess = model.shapes.bounding_radius(shape) - model.shapes.smallest_length(shape);
    const Vec3 &before = w.before[i].angular, after = to_vec3(w.solution.velocity[i].angular);
    return 0.5 * t * t * excess * (after - before).norm() * (after + before).norm();
  };
  struct Extremes {
    double farthest = 0.0, shortest = infinity;  // over bodies: deviation, and smallest length
  };
  const Extremes of_bodies = reduce_blocks(
      state.bodies.size(), grain_medium, Extremes{},
      [&](const Block& block) {
        Extremes e;
        for (std::size_t i = block.begin; i < block.end; ++i) {
          e.farthest = std::max(e.farthest, unforeseen(i));
          e.shortest = std::min(e.shortest, model.shapes.smallest_length(state.bodies.shape[i]));
        }
        return e;
      },
      [](const Extremes& a, const Extremes& b) -> Extremes {
        return {std::max(a.farthest, b.farthest), std::min(a.shortest, b.shortest)};
      });
  Ranks* const ranks = state.bodies.ranks;
  if (2.0 * most(ranks, of_bodies.farthest) <= most_unforeseen * least(ranks, of_bodies.shortest))
    return false;
  const std::vector<Contact>& contacts = state.contacts.list;
  const bool here = reduce_blocks(
      contacts.size(), grain_medium, false,
      [&](const Block& block) {
        for (std::size_t c = block.begin; c < block.end; ++c) {
          if (!(w.solution.impulse[c][0] > 0.0)) continue;
          const ContactKey& key = contacts[c].key;
          const double both = unforeseen(static_cast<std::size_t>(key.a)) +
                              (is_boundary(key.b) ? 0.0 : unforeseen(static_cast<std::size_t>(key.b)));
          if (both > most_unforeseen * double{contacts[c].length}) return true;
        }
        return false;
      },
      [](bool a, bool b) { return a || b; });
  return any(ranks, here);
}

bool is_shot_away(const Model& model, const State& state, double t, const Workspace& w) {
  const PlacedCell& cell = w.cell;
  const bool flows = cell.flows();
  // Ghosts, which follow own bodies, are judged by their owners.
  const std::size_t own = w.decomposition ? w.decomposition->own_bodies() : state.bodies.size();
  const bool here = reduce_blocks(
      own, grain_medium, false,
      [&](const Block& block) {
        for (std::size_t i = block.begin; i < block.end; ++i) {
          const double radius = model.shapes.bounding_radius(state.bodies.shape[i]);
          Vec3 v = to_vec3(w.solution.velocity[i].linear);
          double speed = radius * to_vec3(w.solution.velocity[i].angular).norm();
          if (flows) {  // as in the detection
            v -= cell.flow(state.bodies.position[i]);
            speed += cell.rate.norm() * radius;
          }
          const DetectionWorkspace::Reach& reach = w.detection.reach[i];
          if (t * (v.norm() + speed) > reach.pushed + most_beyond_reach * reach.smallest_length) return true;
        }
        return false;
      },
      [](bool a, bool b) { return a || b; });
  return any(state.bodies.ranks, here);
}

void scale_impulses(double factor, State& state) {
  std::vector<Contact>& contacts = state.contacts.list;
  for_each_index(contacts.size(), grain_medium, [&](std::size_t c) {
    contacts[c].impulse *= static_cast<float>(factor);
    contacts[c].torque_impulse *= static_cast<float>(factor);
  });
  for (JointState& joint : state.joints) joint.impulse *= factor;
  for (Bond& bond : state.bonds) {
    bond.impulse *= factor;
    bond.moment_impulse *= factor;
  }
  scale_held(factor, state.bodies, state.sleepers);
}

}  // namespace scree
