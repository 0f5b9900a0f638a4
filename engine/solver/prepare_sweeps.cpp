#include "engine/solver/solver.h"

namespace scree {

void prepare_sweeps(const ContactProblem& p, SolverWorkspace& w) {
  colour_visits(p, w.colouring);
  w.target.resize(p.contacts());
  w.normal_velocity.clear();
  w.visit_change.resize(w.colouring.visits());
  w.velocity.resize(p.bodies());
  for_each_index(p.bodies(), grain_light, [&](std::size_t i) {
    w.velocity[i] = {to_vector4(p.free_velocity[i].linear), to_vector4(p.free_velocity[i].angular)};
  });
}

}  // namespace scree
