#include <cmath>

#include "engine/solver/solver.h"

namespace scree {

namespace {

CompactContact compact(const ContactProblem& p, std::size_t c) {
  const Mat3& w = p.delassus[c];
  CompactContact k;
  k.n = p.frame[c].row(0).transpose();
  k.t1 = p.frame[c].row(1).transpose();
  k.arm_a = p.arm_a[c];
  k.arm_b = p.arm_b[c];
  k.a = p.body_a[c];
  k.b = p.body_b[c];
  k.friction = p.friction[c];
  k.offset = p.offset[c];
  k.w_nn = w(0, 0);
  k.w_nt1 = w(0, 1);
  k.w_nt2 = w(0, 2);
  k.w_tt11 = w(1, 1);
  k.w_tt12 = w(1, 2);
  k.w_tt22 = w(2, 2);
  const double mean = 0.5 * (w(1, 1) + w(2, 2)), half = 0.5 * (w(1, 1) - w(2, 2));
  k.slide_step = 1.0 / (mean + std::hypot(half, w(1, 2)));
  k.impulse = Vec3::Zero();
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
    w.bodies[i] = {p.free_velocity[i].linear,
                   p.free_velocity[i].angular,
                   p.inverse_mass[i],
                   m(0, 0),
                   m(0, 1),
                   m(0, 2),
                   m(1, 1),
                   m(1, 2),
                   m(2, 2)};
  });
}

}  // namespace scree
