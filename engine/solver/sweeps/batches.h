// Contacts as wide sweeps want them: eight at a time that change no body in common, in single precision.
//
// Velocities are changes y since a start that is known in double precision, with the linear part in m/s and
// the spin as z, dw = L z, where L L^T = I^-1. Then a contact reads and turns its bodies with one set of
// scaled arms,
//   du = d.(y_a - y_b) + A z_a + B z_b,   A = L_a^T (arm_a x d), B = -L_b^T (arm_b x d),   d = n, t1, t2
//   y += p d / m,  z += A^T p
// and no inertia is read. What slides has d itself in place of arm_b x d, and z for how fast it goes. Single
// precision is enough for changes: what is left of them is a small part of the start. Masses, inertias and
// impulses are in a unit of mass of their own, so that squares of those of a nanometre's grains are numbers
// too.
#pragma once

#include "engine/solver/problem/contact_problem.h"

namespace scree {

inline constexpr std::size_t batch_size = 8;

/// Contacts side by side, one a lane. An empty lane has no inverse masses and nothing happens in it.
struct alignas(64) ContactBatch {
  Lanes n[3], t1[3], t2[3];  // the frame, t2 with the tangent ratio
  Lanes arm_a[9], arm_b[9];  // A, B: three numbers for each of n, t1, t2
  Lanes velocity[3];         // m/s, u at the start, offset included
  // LocalContact, with what turns a change of impulse into one of velocity: W_nn, and the largest of W_tt
  Lanes w_nn, inverse_w_nn, w_t1n, w_t2n, i_tt11, i_tt12, i_tt22, slide_step, w_tt, friction;
  Lanes impulse[3], last[3];  // mass_unit m/s; before the last sweep, for momentum
  std::int32_t a[8], b[8];    // rows of the bodies
};

/// Torsional and rolling resistance of the contacts of a batch: the same about n, and about t1 and t2.
struct alignas(64) SpinBatch {
  Lanes turn_a[9], turn_b[9];                              // L_a^T d, -L_b^T d
  Lanes velocity[3];                                       // rad/s, at the start
  Lanes inverse_w_nn, i_tt11, i_tt12, i_tt22, slide_step;  // mass_unit m^2
  Lanes w_nn, w_tt;                                        // 1/(mass_unit m^2)
  Lanes torsion, rolling;                                  // m, largest moment over the normal impulse
  Lanes impulse[3], last[3];                               // mass_unit m^2/s
};

/// A row between bodies that need not touch, in the same coordinates.
struct FreeRow {
  std::int32_t a, b;  // rows of the bodies
  float linear[3], turn_a[3], turn_b[3];
  float velocity;  // at the start, bias included
  float compliance, inverse_w, length;
  float low, high, impulse, last;
};

/// Batches [begin, end) whose contacts change no body in common, in any order.
struct BatchPhase {
  std::size_t begin, end;
  bool serial;  // but for these, of bodies with too many contacts for another colour
};

struct Batches {
  double mass_unit = 1.0;  // kg; a power of 4: no digit is lost to it, nor to its root
  std::vector<ContactBatch> contact;
  std::vector<std::int32_t> lane;     // [8 * batch + lane] which contact, or -1
  std::vector<SpinBatch> spin;        // [batch that resists]
  std::vector<std::int32_t> spin_of;  // [batch] into `spin`, or -1; empty where nothing resists
  std::vector<std::uint8_t> idle;     // [batch] carried no impulse in the last two visits
  std::vector<FreeRow> row;           // [row that belongs to no contact]
  std::vector<BatchPhase> phase;
  std::vector<Lanes> change,
      last;  // [body, and one for every empty lane] v, 1/m, z, 0; before the last sweep

  std::vector<Lanes> target,
      push;  // [batch] position correction: speeds asked for, m/s; impulses, mass_unit m/s

  /// What resists torques in a batch, or null.
  SpinBatch* resistance(std::size_t batch) {
    return spin_of.empty() || spin_of[batch] < 0 ? nullptr : &spin[static_cast<std::size_t>(spin_of[batch])];
  }
  const SpinBatch* resistance(std::size_t batch) const {
    return const_cast<Batches*>(this)->resistance(batch);
  }

  std::size_t bodies = 0;  // of the problem that was laid out last

  // scratch
  std::vector<Lanes> factor;         // [body] L by rows (l00, l10, l11, l20, l21, l22), 1/m, does it slide?
  std::vector<std::uint64_t> taken;  // [body] colours that change it
  std::vector<std::uint8_t> kind, colour;  // [contact]
  std::vector<std::int32_t> order;         // contacts of a window, as they are coloured
  std::vector<std::int32_t> first_row;     // [contact] its first row, or -1; empty where nothing resists
};

/// Colours contacts and fills the batches: all but velocities at the start and impulses.
void make_batches(const ContactProblem& problem, Batches& batches);

/// Impulses where iterations begin: those of the problem, or none; or those of a solution.
void set_start(const ContactProblem& problem, bool warm, Batches& batches);
void set_start(const ContactProblem& problem, const ContactSolution& solution, Batches& batches);

/// Makes these velocities the start of the changes, which are the velocities of the batches' impulses; `last`
/// stays where it was.
void set_velocities(const ContactProblem& problem, const std::vector<BodyVelocity>& velocity,
                    Batches& batches);

/// Impulses in double precision, N s.
void take_impulses(const ContactProblem& problem, const Batches& batches, ContactSolution& solution);

}  // namespace scree
