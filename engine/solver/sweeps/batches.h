// Batches: contacts in the form for wide sweeps, sixteen that change no body in common, in single precision.
//
// Velocities are changes y since a start that is known in double precision, with the linear part in m/s and
// the spin as z, dw = L z, where L L^T = I^-1. Then a contact reads and changes its bodies with one set of
// scaled arms,
//   du = d.(y_a - y_b) + A z_a + B z_b,   A = L_a^T (arm_a x d), B = -L_b^T (arm_b x d),   d = n, t1, t2
//   y += p d / m,  z += A^T p
// and no inertia is read. A sliding body has d itself instead of arm_b x d, and z for its speed. Single
// precision is enough for changes: their errors are a small part of the start. Masses, inertias and
// impulses are in a suitable unit of mass, so that their squares are within range even for grains of a
// nanometre.
#pragma once

#include <array>
#include <span>

#include "engine/core/fetch.h"
#include "engine/solver/problem/contact_problem.h"

namespace scree {

inline constexpr std::size_t batch_size = 16;
inline constexpr std::size_t batch_grain = 32;  // batches that a thread takes at a time

/// A number for each contact of a batch. Kernels process all at once, or one half after the other.
struct alignas(64) BatchLanes {
  float at[batch_size] = {};
};

/// Contacts side by side, one per lane. An empty lane has zero inverse masses and no effect; empty lanes
/// come last.
struct alignas(64) ContactBatch {
  BatchLanes n[3], t1[3], t2[3];  // the frame, t2 with the tangent ratio
  BatchLanes arm_a[9], arm_b[9];  // A, B: three numbers for each of n, t1, t2
  BatchLanes velocity[3];         // m/s, u at the start, offset included
  // LocalContact, with factors that turn a change of impulse into one of the bodies' velocity: W_nn, and the
  // largest of W_tt
  BatchLanes w_nn, inverse_w_nn, w_t1n, w_t2n, i_tt11, i_tt12, i_tt22, slide_step, w_tt, friction;
  BatchLanes impulse[3], last[3];              // mass_unit m/s; before the last sweep, for momentum
  std::uint32_t a[batch_size], b[batch_size];  // offset of their bodies' rows in bytes
};
/// Offset of the row of a body.
constexpr std::uint32_t row_bytes(std::size_t body) {
  return static_cast<std::uint32_t>(body * sizeof(Lanes));
}

/// Compliance of the contacts of a batch along n, t1, t2, 1/mass_unit.
struct alignas(64) GivingLanes {
  BatchLanes along[3];
};

/// Torsional and rolling resistance of the contacts of a batch, about n, and about t1 and t2.
struct alignas(64) SpinBatch {
  BatchLanes turn_a[9], turn_b[9];                              // L_a^T d, -L_b^T d
  BatchLanes velocity[3];                                       // rad/s, at the start
  BatchLanes inverse_w_nn, i_tt11, i_tt12, i_tt22, slide_step;  // mass_unit m^2
  BatchLanes w_nn, w_tt;                                        // 1/(mass_unit m^2)
  BatchLanes torsion, rolling;                                  // m, largest moment over the normal impulse
  BatchLanes impulse[3], last[3];                               // mass_unit m^2/s
};

/// A row between bodies that need not touch, in the same coordinates.
struct FreeRow {
  std::int32_t a, b;  // rows of the bodies
  float linear[3], turn_a[3], turn_b[3];
  float velocity;  // at the start, bias included
  float compliance, inverse_w, length;
  float low, high, impulse, last;
};

/// Batches [begin, end), one after the other.
struct BatchRange {
  std::size_t begin, end;
};
/// Batches of the contacts among bodies [first_body, end_body), and with bodies that only they touch.
struct Subdomain : BatchRange {
  std::size_t first_body, end_body;
};
/// Batches [begin, end) of the interface of one colour, whose contacts change no body in common, in any
/// order.
struct BatchPhase : BatchRange {
  std::size_t colour;
  bool serial;                      // except for contacts of bodies with too many for another colour
  std::vector<BatchRange> of_home;  // [subdomain] its batches
  BatchRange home(std::size_t subdomain) const { return of_home[subdomain]; }
};

/// Most contacts are in subdomains: those among one range of bodies, or with partners that no other
/// subdomain has. Subdomains change no body in common; contacts between them, at the interface, come after
/// all of them, colour by colour. Those of one colour change no body in common, and are ordered by their
/// home, the subdomain of body a. So the results of a subdomain and its interface do not depend on threads.
struct Batches {
  double mass_unit = 1.0;  // kg; a power of 4: dividing by it, or by its root, is exact
  std::vector<ContactBatch> contact;
  std::vector<std::int32_t> lane;       // [batch_size * batch + lane] contact, or -1
  std::vector<SpinBatch> spin;          // [batch that resists]
  std::vector<std::int32_t> spin_of;    // [batch] into `spin`, or -1; empty without resistance
  std::vector<GivingLanes> compliance;  // [batch]; empty if contacts are rigid
  std::vector<std::uint8_t> idle;       // [batch] carried no impulse in the last two updates
  std::vector<FreeRow> row;             // [row that belongs to no contact]
  std::vector<Subdomain> subdomain;
  std::vector<BatchPhase> interface;  // [colour], and some that are kept for later use: see phases()
  std::size_t colours = 0;
  std::vector<std::size_t> partner;  // movable bodies outside of subdomains
  std::vector<Lanes> change,
      last;  // [body, and one for each empty lane] v, 1/m, z, 0; before the last sweep

  std::vector<BatchLanes> target,
      push;  // [batch] position correction: target speeds, m/s; impulses, mass_unit m/s

  bool use_sixteen_lanes = true;  // if the machine has them: the same bits in both cases

  /// The resistance to torques in a batch, or null.
  SpinBatch* resistance(std::size_t batch) {
    return spin_of.empty() || spin_of[batch] < 0 ? nullptr : &spin[spin_of[batch]];
  }
  const SpinBatch* resistance(std::size_t batch) const {
    return const_cast<Batches*>(this)->resistance(batch);
  }

  std::size_t bodies = 0;                // of the last problem laid out
  std::vector<std::int32_t> first_body;  // likewise
  bool is_share = false;                 // was it a rank's part?
  std::vector<std::int32_t> by_place;    // of that part, see RankShare

  /// Phases of the interface, one after the other.
  std::span<const BatchPhase> phases() const { return {interface.data(), colours}; }

  /// Do kernels prefetch the next batch? Processors do not predict it in time, because a batch is too short.
  /// For data within the caches prefetching would cost a tenth of a sweep.
  bool are_large() const { return contact.size() * sizeof(ContactBatch) > own_cache_bytes; }

  // scratch
  struct Group {  // contacts that are coloured together: a subdomain's own, or those of its
                  // interface
    std::size_t first_contact, contacts;  // in `order`
    std::size_t idle_contact;             // first contact without an impulse
    std::size_t first_batch, first_empty;
    std::array<std::size_t, 64> count;  // [colour]
  };
  std::vector<Lanes> factor;         // [body] L by rows (l00, l10, l11, l20, l21, l22), 1/m, does it slide?
  std::vector<std::uint64_t> taken;  // [body] colours that change it
  std::vector<std::int32_t> subdomain_of;  // [body], or none or several, see batch_layout.cpp
  std::vector<std::size_t> first_contact;  // [subdomain + 1] first contact with its body a there
  std::vector<std::uint8_t> kind, colour;  // [contact]
  std::vector<std::int32_t> order;         // contacts in the order of colouring
  std::vector<Group> group;                // of subdomains, then of their interfaces
  // [subdomain] see list_neighbours() and rank_homes() in batch_layout.cpp
  std::vector<std::vector<std::int32_t>> neighbour;
  std::vector<std::int32_t> level;
  std::vector<std::int32_t> first_row;  // [contact] its first row, or -1; empty without resistance
};

/// Colours contacts and fills the batches. Iterations start at these velocities, and at the impulses of the
/// problem if `warm`.
void make_batches(const ContactProblem& problem, bool warm, const std::vector<BodyVelocity>& velocity,
                  Batches& batches);

/// Iterations start from the impulses of a solution.
void set_start(const ContactProblem& problem, const ContactSolution& solution, Batches& batches);

/// Makes these velocities, which belong to the batches' impulses, the start of the changes; `last` does
/// not change.
void set_velocities(const ContactProblem& problem, const std::vector<BodyVelocity>& velocity,
                    Batches& batches);

/// Copies impulses of batches in double precision, N s; adds those on bodies to `got`, N s and N m s.
void take_impulses(const ContactProblem& problem, const Batches& batches, BatchRange range,
                   ContactSolution& solution, BodyVelocity* got);
/// The same for rows that belong to no contact.
void take_row_impulses(const ContactProblem& problem, const Batches& batches, ContactSolution& solution);

}  // namespace scree
