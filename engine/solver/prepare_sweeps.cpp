#include "engine/solver/compact.h"

namespace scree {

namespace {

/// Adds J M^-1 J^T of one body but for the mass: rows arm x (n, t1, t2), as lanes that are still to be
/// summed.
struct Spread {
  Vector4 nn{}, n1{}, n2{}, t11{}, t12{}, t22{};

  SCREE_INLINE void add(const CompactBody& body, Vector4 arm, Vector4 n, Vector4 t1, Vector4 t2) {
    const Vector4 cn = cross(arm, n), c1 = cross(arm, t1), c2 = cross(arm, t2);
    const Vector4 yn = inverse_inertia_times(body, cn), y1 = inverse_inertia_times(body, c1),
                  y2 = inverse_inertia_times(body, c2);
    nn += cn * yn;
    n1 += cn * y1;
    n2 += cn * y2;
    t11 += c1 * y1;
    t12 += c1 * y2;
    t22 += c2 * y2;
  }
};

SCREE_INLINE double sum(Vector4 v) { return v[0] + v[1] + v[2]; }

/// Contacts [begin, end) of the problem, with the Delassus block as far as sweeps need it.
SCREE_FOR_EACH_TARGET
void compact(const ContactProblem& p, std::size_t begin, std::size_t end, const CompactBody* bodies,
             CompactContact* contacts) {
  for (std::size_t c = begin; c < end; ++c) {
    const ContactGeometry& g = p.geometry[c];
    CompactContact& k = contacts[c];
    const Vec3& start = p.start_impulse[c];
    k.impulse[0] = std::max(start[0], 0.0);
    k.impulse[1] = start[1];
    k.impulse[2] = start[2];
    k.offset = p.offset[c];
    k.tangent_ratio = p.tangent_ratio[c];
    k.a = p.body_a[c];
    k.b = p.body_b[c];
    const Vector4 t2 = second_tangent(g, k.tangent_ratio);
    Spread w;
    double inverse_mass = bodies[k.a].inverse_mass;
    w.add(bodies[k.a], g.arm_a, g.n, g.t1, t2);
    if (k.b != fixed_partner) {
      inverse_mass += bodies[k.b].inverse_mass;
      w.add(bodies[k.b], g.arm_b, g.n, g.t1, t2);
    }
    const double nn = inverse_mass + sum(w.nn), t11 = inverse_mass + sum(w.t11),
                 t22 = k.tangent_ratio * k.tangent_ratio * inverse_mass + sum(w.t22);
    k.local = local_contact(DelassusEntries{nn, sum(w.n1), sum(w.n2), t11, sum(w.t12), t22}, p.friction[c]);
    k.rho = 3.0 / (nn + t11 + t22);
  }
}

}  // namespace

void prepare_sweeps(const ContactProblem& p, SolverWorkspace& w) {
  colour_visits(p, w.colouring);
  w.contacts.resize(p.contacts());
  w.torque.resize(p.has_torques ? p.contacts() : 0);
  w.target.resize(p.contacts());
  w.normal_velocity.clear();
  w.visit_change.resize(w.colouring.visits());
  w.bodies.resize(p.bodies());
  for_each_index(p.bodies(), grain_light, [&](std::size_t i) {
    const Mat3& m = p.inverse_inertia[i];
    w.bodies[i] = {to_vector4(p.free_velocity[i].linear),
                   to_vector4(p.free_velocity[i].angular),
                   to_vector4(m.col(0)),
                   to_vector4(m.col(1)),
                   to_vector4(m.col(2)),
                   p.inverse_mass[i]};
  });
  for_blocks(p.contacts(), grain_medium, [&](const Block& block) {
    compact(p, block.begin, block.end, w.bodies.data(), w.contacts.data());
  });
}

}  // namespace scree
