#include <algorithm>

#include "engine/core/parallel.h"
#include "engine/simulation/assemble.h"

namespace scree {

void remember(const ContactProblem& p, const ContactSolution& s, Workspace& w, ContactMemory& memory) {
  const std::size_t n = w.contacts.size();
  memory.key = w.contacts.key;
  memory.normal = w.contacts.normal;
  memory.impulse.resize(n);
  memory.torque_impulse.resize(p.has_torques ? n : 0);
  // What detection does not need any more.
  memory.contact_row.swap(w.detection.contact_row);
  memory.pair_b.swap(w.detection.pairs.b);
  memory.pair_row.swap(w.detection.pairs.row);
  memory.pair_normal.swap(w.detection.pair_normal);
  for_each_index(n, grain_medium, [&](std::size_t c) {
    const double approach = std::max(0.0, -p.approach[c]);
    const double sudden = approach * w.solver.contacts[c].local.inverse_w_nn;
    const double p_n = s.impulse[c][0];
    const double keep = p_n > 0.0 ? std::max(0.0, p_n - sudden) / p_n : 0.0;
    memory.impulse[c] = keep * (p.frame[c].transpose() * s.impulse[c]);
    if (p.has_torques) memory.torque_impulse[c] = keep * (p.frame[c].transpose() * s.torque_impulse[c]);
  });
}

}  // namespace scree
