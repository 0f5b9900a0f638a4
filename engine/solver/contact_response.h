// How the bodies of a contact answer its impulses.
#pragma once

#include "engine/solver/contact_problem.h"

namespace scree {

/// J M^-1 J^T of one contact but for the masses: rows arm x (n, t1, t2), as lanes that are still to be
/// summed.
struct InertiaSpread {
  Vector4 nn{}, n1{}, n2{}, t11{}, t12{}, t22{};

  SCREE_INLINE void add(const BodyResponse& body, Vector4 arm, Vector4 n, Vector4 t1, Vector4 t2) {
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

SCREE_INLINE double sum_of_lanes(Vector4 v) { return v[0] + v[1] + v[2]; }

/// Fills what sweeps need of the Delassus block, from all else that is in the law: `local` and `rho`.
SCREE_INLINE void respond(const ContactGeometry& g, const BodyResponse* bodies, ContactLaw& law) {
  const Vector4 t2 = second_tangent(g, law.tangent_ratio);
  InertiaSpread w;
  double inverse_mass = bodies[law.a].inverse_mass;
  w.add(bodies[law.a], g.arm_a, g.n, g.t1, t2);
  if (law.b != fixed_partner) {
    inverse_mass += bodies[law.b].inverse_mass;
    w.add(bodies[law.b], g.arm_b, g.n, g.t1, t2);
  }
  const double nn = inverse_mass + sum_of_lanes(w.nn), t11 = inverse_mass + sum_of_lanes(w.t11),
               t22 = law.tangent_ratio * law.tangent_ratio * inverse_mass + sum_of_lanes(w.t22);
  law.local = local_contact(
      DelassusEntries{nn, sum_of_lanes(w.n1), sum_of_lanes(w.n2), t11, sum_of_lanes(w.t12), t22},
      law.local.friction);
  law.rho = 3.0 / (nn + t11 + t22);
}

}  // namespace scree
