// From contacts to the solver's problem, and back to what the next step can use.
#pragma once

#include "engine/simulation/model.h"
#include "engine/simulation/workspace.h"

namespace scree {

/// Fills the contact problem of a (sub)step of size h from bodies (velocities before gravity acts) and
/// contacts.
///   free velocity  v_hat = v + h g                                                                   (A1)
///   offset         gap / h for open contacts, plus h/2 times the second derivative of the gap: with (S3) the
///   gap is
///                  not negative at the next detection, to second order                                (A2)
///                  e u_n- where bodies meet faster than the restitution threshold: Newton's law u_n+ >= -e
///                  u_n-  (A3); energetic impacts are not the solution's business
void assemble(const Model& model, const Bodies& bodies, const Contacts& contacts, const ContactMemory& memory,
              double h, ContactProblem& problem);

/// From a body's centre to where a contact acts, m, world axes. Between bodies both sides use the midpoint,
/// for angular momentum; a wall takes any, so the body's own surface point serves.
SCREE_INLINE Vector4 arm_to(const Contacts& contacts, std::size_t c, const Vec3& centre, bool fixed) {
  const Vector4 to_midpoint = to_vector4(contacts.point[c]) - to_vector4(centre);
  return fixed ? to_midpoint + 0.5 * contacts.gap[c] * to_vector4(contacts.normal[c]) : to_midpoint;
}

/// Carries contacts along to the next substep, to first order: the point moves with the mean of both
/// surfaces, the gap changes by the normal velocity, the normal stays.
void advance_contacts(const ContactProblem& problem, const ContactSolution& solution,
                      const std::vector<DoubledMotion>& motion, double h, Contacts& contacts);

/// Remembers the directions of pairs that detection has found; takes them out of its workspace.
void remember_pairs(DetectionWorkspace& workspace, ContactMemory& memory);

/// Remembers impulses for the warm start of the next step. Of an impulse that stopped an impact only the rest
/// is kept: the part m_eff |u_n-| belongs to the past and would throw the bodies apart.
void remember(const ContactProblem& problem, const ContactSolution& solution, const Workspace& workspace,
              ContactMemory& memory);

}  // namespace scree
