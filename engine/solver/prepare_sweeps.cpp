#include "engine/solver/solver.h"

namespace scree {

namespace {

CompactContact compact(const ContactProblem& p, std::size_t c) {
  const Mat3& w = p.delassus[c];
  CompactContact k;
  k.n = to_vector4(p.frame[c].row(0).transpose());
  k.t1 = to_vector4(p.frame[c].row(1).transpose());
  k.arm_a = to_vector4(p.arm_a[c]);
  k.arm_b = to_vector4(p.arm_b[c]);
  k.impulse[0] = k.impulse[1] = k.impulse[2] = 0.0;
  k.offset = p.offset[c];
  k.local = local_contact(w, p.friction[c]);
  k.rho = 3.0 / w.trace();
  k.tangent_ratio = p.frame[c].row(2).norm();
  k.a = p.body_a[c];
  k.b = p.body_b[c];
  return k;
}

}  // namespace

void prepare_sweeps(const ContactProblem& p, SolverWorkspace& w) {
  colour_visits(p, w.colouring);
  w.contacts.resize(p.contacts());
  w.torque.resize(p.has_torques ? p.contacts() : 0);
  w.target.resize(p.contacts());
  w.visit_change.resize(w.colouring.visits());
  w.bodies.resize(p.bodies());
  for_each_index(p.contacts(), grain_medium, [&](std::size_t k) {
    w.contacts[k] = compact(p, static_cast<std::size_t>(w.colouring.contact[k]));
  });
  for_each_index(p.bodies(), grain_light, [&](std::size_t i) {
    const Mat3& m = p.inverse_inertia[i];
    w.bodies[i] = {to_vector4(p.free_velocity[i].linear),
                   to_vector4(p.free_velocity[i].angular),
                   to_vector4(m.col(0)),
                   to_vector4(m.col(1)),
                   to_vector4(m.col(2)),
                   p.inverse_mass[i]};
  });
}

}  // namespace scree
