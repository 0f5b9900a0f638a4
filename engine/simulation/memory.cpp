#include <algorithm>

#include "engine/core/parallel.h"
#include "engine/simulation/assemble.h"

namespace scree {

namespace {

/// What is left of an impulse without what stopped an impact, over the whole.
SCREE_INLINE double kept_part(const ContactProblem& p, const ContactSolution& s, std::size_t c) {
  const double approach = std::max(0.0, -p.approach[c]);
  const double sudden = approach * p.law[c].local.inverse_w_nn;
  const double p_n = s.impulse[c][0];
  return p_n > 0.0 ? std::max(0.0, p_n - sudden) / p_n : 0.0;
}

SCREE_FOR_EACH_TARGET
void remember_block(const ContactProblem& p, const ContactSolution& s, const Contacts& contacts,
                    const Block& block, ContactMemory& memory) {
  for (std::size_t c = block.begin; c < block.end; ++c) {
    memory.key[c] = contacts.key[c];
    memory.normal[c] = contacts.normal[c];
    memory.impulse[c] = kept_part(p, s, c) * p.in_world(c, s.impulse[c]);
  }
}

}  // namespace

void remember_pairs(DetectionWorkspace& w, ContactMemory& memory) {
  memory.pair_b.swap(w.pairs.b);
  memory.pair_row.swap(w.pairs.row);
  memory.pair_normal.swap(w.pair_normal);
}

void remember(const ContactProblem& p, const ContactSolution& s, const Workspace& w, ContactMemory& memory) {
  const std::size_t n = w.contacts.size();
  memory.key.resize(n);
  memory.normal.resize(n);
  memory.impulse.resize(n);
  memory.torques.resize(p.torques.size());
  memory.contact_row = w.detection.contact_row;
  for_blocks(n, grain_medium, [&](const Block& block) { remember_block(p, s, w.contacts, block, memory); });
  for_each_index(p.torques.size(), grain_light, [&](std::size_t t) {
    const auto c = static_cast<std::size_t>(p.torques[t].contact);
    memory.torques[t] = {w.contacts.key[c], kept_part(p, s, c) * p.in_world(c, s.torque_impulse[t])};
  });
}

}  // namespace scree
