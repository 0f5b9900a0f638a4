// From contacts to the solver's problem, and back.
#pragma once

#include "engine/simulation/model.h"
#include "engine/simulation/workspace.h"

namespace scree {

/// Length and middle of a (sub)step, s.
struct Interval {
  double h, middle;
  double to_next;  // from its middle to the middle of the next, when contacts are used next; h if that
                   // has the same length
};

/// Material of a body or a boundary.
inline MaterialIndex material_of(const Model& model, const Bodies& bodies, std::int32_t partner) {
  return is_boundary(partner) ? model.boundaries[boundary_of(partner)].material : bodies.material[partner];
}
/// The pair law of a contact.
inline const PairLaw& law_of(const Model& model, const Bodies& bodies, const ContactKey& key) {
  return model.materials.law(bodies.material[key.a], material_of(model, bodies, key.b));
}

/// Rows that torsional and rolling friction add to a contact of this law.
inline std::size_t resisting_rows(const PairLaw& law) {
  return Resistance{law.torsional_friction_m + law.torsional_friction_ratio,
                    law.rolling_friction_m + law.rolling_friction_ratio}
      .rows();
}

/// Where iterations begin with a contact's impulse along its normal, N s.
inline float start_along_normal(const Contact& contact) {
  return static_cast<float>(contact.normal.dot(contact.impulse.cast<double>()));
}

/// Fills the contact problem of a (sub)step, from bodies (velocities before gravity acts), contacts, bonds
/// and joints; t = interval.to_next.
///
/// - Free velocity: v + h g + h a, with g and a from apply_forces() (A1).
/// - Offset: for open contacts gap / t, plus h/2 times the second derivative of the gap. With (S3) the gap is
///   not negative at the next detection, to second order (A2). If bodies meet faster than the restitution
///   threshold: e u_n-, for Newton's law u_n+ >= -e u_n- (A3). Energetic impacts are not part of the
///   solution.
/// - Elastic contacts: their compliance, see contact_springs.h.
/// - Velocity scale: |g| h + 5 rms over contacts of max(0, -(u_n- + offset)) (A4): the velocity that contacts
///   must change in the step in addition to gravity. It is suitable at rest, where nothing must change, in
///   violent impacts, and without gravity.
void assemble(const Model& model, State& state, const Interval& interval, Workspace& workspace);

/// Moves contacts on to the next substep, to first order: the point moves with the mean of both
/// surfaces, the gap changes by the normal velocity, the normal stays. Impulses start with their lasting
/// share.
void advance_contacts(const Workspace& workspace, double h, Contacts& contacts);

}  // namespace scree
