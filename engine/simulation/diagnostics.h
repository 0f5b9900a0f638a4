// What every step reports: counts, accuracy, energy and momentum balances, times.
#pragma once

#include "engine/modules/flight/impact.h"
#include "engine/simulation/model.h"
#include "engine/solver/problem/solve_report.h"

namespace scree {

/// Wall time of the four groups of stages, s.
struct StageTimes {
  double preparation = 0.0;  // drift, free velocities, inertia
  double detection = 0.0;    // candidate pairs, contacts
  double resolution = 0.0;   // assembly, solver, position correction
  double finish = 0.0;       // drift, carry-over, diagnostics
  double total() const { return preparation + detection + resolution + finish; }
  StageTimes& operator+=(const StageTimes& o);
};

/// Energies in J. The flows are those of this step; their sum with the change of kinetic and potential energy
/// is `remainder`, which is rounding as long as the ledger is closed.
struct EnergyLedger {
  double kinetic = 0.0, potential = 0.0;
  double dissipated_by_friction = 0.0, dissipated_by_impact = 0.0, dissipated_by_sleep = 0.0;
  double position_correction = 0.0, boundary_work = 0.0, force_work = 0.0, joint_work = 0.0;
  double spring_work = 0.0, elastic = 0.0;
  double exchanged = 0.0, remainder = 0.0;
};

/// An entry of the ledger, as tables call it.
struct LedgerEntry {
  const char* name;
  double EnergyLedger::*value;
  bool is_flow;  // or what there is after the step
  const char* description;
};
inline constexpr LedgerEntry ledger_entries[] = {
    {"kinetic_energy_J", &EnergyLedger::kinetic, false, "Kinetic energy of the bodies after the step."},
    {"potential_energy_J", &EnergyLedger::potential, false,
     "Potential energy of the bodies, zero at the origin."},
    {"dissipated_by_friction_J", &EnergyLedger::dissipated_by_friction, true,
     "Energy that friction removes if positive."},
    {"dissipated_by_impact_J", &EnergyLedger::dissipated_by_impact, true,
     "Energy that impacts remove if positive."},
    {"dissipated_by_sleep_J", &EnergyLedger::dissipated_by_sleep, true,
     "Kinetic energy of bodies that fell asleep."},
    {"position_correction_J", &EnergyLedger::position_correction, true,
     "Potential energy added by moving overlapping bodies apart."},
    {"boundary_work_J", &EnergyLedger::boundary_work, true, "Work done on the bodies by moving walls."},
    {"force_work_J", &EnergyLedger::force_work, true,
     "Work done on the bodies by fields, fluid, cohesion, forces of a program, and changes of gravity."},
    {"joint_work_J", &EnergyLedger::joint_work, true,
     "Work done on the bodies by bonds and joints. Negative work is stored in springs or dissipated."},
    {"spring_work_J", &EnergyLedger::spring_work, true,
     "Work done on the bodies by elastic contacts, from the energy stored in them."},
    {"elastic_energy_J", &EnergyLedger::elastic, false,
     "Energy in the springs of bonds and of elastic contacts, after the step."},
    {"energy_exchanged_J", &EnergyLedger::exchanged, true,
     "Kinetic and potential energy of bodies that entered, minus that of bodies that left."},
    {"energy_remainder_J", &EnergyLedger::remainder, true,
     "Remainder of the energy balance: rounding errors."},
};
/// Adds the flows of a step, and takes what there is after it.
void add_step(EnergyLedger& sum, const EnergyLedger& step);

/// Who touches: ids of bodies, or of a boundary its number in the model. Nobody where all are -1.
struct Touch {
  BodyId a = -1, b = -1;
  std::int32_t boundary = -1;
  bool operator==(const Touch&) const = default;
};

/// What came in and left at the beginning of a step.
struct InsertionReport {
  std::int64_t entered = 0, left = 0;          // bodies
  double mass_entered = 0.0, mass_left = 0.0;  // kg
  Vec3 linear_momentum = Vec3::Zero();         // kg m/s, brought less taken; and what reflected bodies got
  Vec3 angular_momentum = Vec3::Zero();        // kg m^2/s about the origin
  BodyId astray = -1;                          // the first who left a domain that ends the run; -1: nobody
};

/// How coarse a step is for what moves in it: each the largest, and whose it is. Lengths are over the
/// smallest length of the bodies that are near.
struct Coarseness {
  // How far a moving wall's surface goes along its normal: more than a body is thick may go through it.
  double wall_travel = 0.0;
  std::int32_t travelling = -1;  // boundary
  // How far a wall's way leaves the even motion from the step's start to its end, which is all that bodies
  // feel.
  double wall_detour = 0.0;
  std::int32_t detouring = -1;  // boundary
  double turn_rad = 0.0;        // of a body that is not round, in a contact that carries an impulse
  BodyId turning = -1;
};

struct StepReport {
  std::int64_t step = 0;     // number of the step that was done, from 1
  double time_s = 0.0;       // simulated time after it
  double time_step_s = 0.0;  // its length
  // counts
  std::int64_t bodies = 0, bodies_in_collision = 0;                // bodies with at least one active contact
  std::int64_t candidates = 0, contacts = 0, active_contacts = 0;  // active: carries an impulse
  std::int64_t asleep = 0, woken = 0;  // bodies asleep after the step; bodies that woke in it
  std::int64_t bonds = 0, bonds_formed = 0, bonds_broken = 0;  // after the step; in it
  double bond_use = 0.0;  // the most that a limit of any bond is used after the step, 1 where it breaks
  // piecewise steps: impacts at their instants; who flies after the step, who lay down in it, and who rose
  std::int64_t impacts = 0, ballistic = 0, laid_down = 0, risen = 0;
  bool overran = false;                    // it had too many impacts, and was made by contacts
  std::int64_t narrow_phase_failures = 0;  // contact searches that hit their iteration limit
  // solver
  SolveStatus status = SolveStatus::converged;
  int sweeps = 0;
  int halvings = 0;  // how often an interval was taken back and done as two halves
  double residual_rms_m_s = 0.0, residual_max_m_s = 0.0;  // natural map over active contacts
  double given_rms_m_s = 0.0;  // by how much contacts gave, (P5), rms over those that carry an impulse
  double velocity_scale_m_s =
      0.0;  // what the tolerance is a part of: |gravity| * time step and what had to change (A4)
  double residual_over_goal = 0.0;     // rms over tolerance * velocity scale: above 1 the goal was missed
  double residual_rms_relative = 0.0;  // rms over |gravity| * time step (0 without gravity)
  double residual_of_scale() const {   // rms over the velocity scale: solved where it is within the tolerance
    return velocity_scale_m_s > 0.0 ? residual_rms_m_s / velocity_scale_m_s : 0.0;
  }
  // overlap of contacts that touch, over the smaller of the two bodies' smallest lengths
  std::int64_t touching = 0;
  double penetration_max = 0.0, penetration_mean = 0.0;
  double compression_max = 0.0;  // the same of elastic contacts, which are not among the above
  Touch deepest;  // who overlap by penetration_max; of equals the first in the order of contacts
  // balances
  EnergyLedger energy;
  double energy_injected_J =
      0.0;  // growth of kinetic + potential energy in this step beyond what boundaries gave, 0 if less
  // Energy that restitution would have given back where contacts closed only within the step, struck by the
  // bounce of others: they share that step's solution, and only stop.
  double unreturned_J = 0.0;
  Coarseness coarseness;
  Vec3 linear_momentum = Vec3::Zero();           // kg m/s
  Vec3 angular_momentum = Vec3::Zero();          // kg m^2/s about the origin
  Vec3 boundary_impulse = Vec3::Zero();          // N s, what boundaries gave the bodies in this step
  Vec3 boundary_angular_impulse = Vec3::Zero();  // N m s, about the origin
  // What sleep took from the bodies in this step: momenta of those who fell asleep, and what moved no
  // sleeper.
  Vec3 sleep_impulse = Vec3::Zero();          // N s
  Vec3 sleep_angular_impulse = Vec3::Zero();  // N m s, about the origin
  InsertionReport insertion;
  double momentum_error_relative =
      0.0;  // what bodies gained beyond the boundaries' and gravity's impulses, over sum |impulse|
  double angular_momentum_error_relative = 0.0;
  // What they are compared with: sums |impulse| and of moments, and a millionth of the bodies' momenta.
  double impulse_size_N_s = 0.0, angular_impulse_size_N_m_s = 0.0;
  double momentum_size_kg_m_s = 0.0;  // sum |m v|, of bodies that move, after the step
  StageTimes time;
};

/// A periodic cell after a step. Stresses are positive in compression, component ij of the force along i that
/// is handed on along j; impulses of contacts are means over the (sub)step.
struct CellReport {
  Mat3 lattice = Mat3::Identity();  // m, columns
  Mat3 strain = Mat3::Zero();       // F - 1
  double volume = 0.0;              // m^3
  double solid_fraction = 0.0;      // overlaps counted twice
  // Of contacts and bonds; of motion.
  Mat3 contact_stress = Mat3::Zero(), kinetic_stress = Mat3::Zero();  // Pa
  Mat3 fabric = Mat3::Zero();   // mean of n n^T over contacts that carry an impulse
  double temperature = 0.0;     // m^2/s^2, a third of the mean square of velocities against the flow, by mass
  double contact_number = 0.0;  // contacts that carry an impulse, a body
  Vec3 held_rate = Vec3::Zero();  // 1/s, of stretching along axes whose stress is held
  bool is_too_narrow = false;     // may bodies touch two images of another, or themselves?
};

/// Where a part is after a step, and what moved it: along its axis, or about it. Momentum and energy close:
/// what the part gained is the sum of the three impulses less damping's, and of the works less what its
/// boundaries did on the bodies. Of a free part travel, rate and forces are sizes: how far its centre is
/// from where it was, its speed, and the weight's and the bodies' impulse.
struct PartLoad : BoundaryLoad {
  double travel = 0.0, rate = 0.0;  // m and m/s, or rad and rad/s
  double kinetic_energy = 0.0;      // J
  double force_impulse = 0.0;       // of forces but damping, N s or N m s, in this step
  double contact_impulse = 0.0;     // of bodies
  double stop_impulse = 0.0;
  double force_work = 0.0, damping_work = 0.0, stop_work = 0.0;  // done on the part, J
};

/// Why a step could not be done, or why no other can follow it.
struct StepFailure {
  enum class Kind : std::uint8_t {
    none,
    crowded,      // too many pairs are near each other: the state is of no use
    actuator,     // the equations of a model have no solution: likewise
    not_finite,   // numbers overflowed, or their squares would in single precision
    left_domain,  // a body has left a domain that ends the run
    narrow_cell,  // bodies may touch two images of another, or themselves
    objection     // of who observes the run (engine/run/run.h)
  };
  Kind kind = Kind::none;
  std::string text;  // in words, without when
  explicit operator bool() const { return kind != Kind::none; }
  /// Was the step done to its end?
  bool step_is_done() const { return kind != Kind::crowded && kind != Kind::actuator; }
};

/// All that a step tells; what it leaves for the next one is in the state.
struct StepResult {
  StepReport report;
  StepFailure failure{};
  std::vector<BoundaryLoad> boundaries{};  // [boundary], in this step
  std::vector<PartLoad> parts{};           // [part]
  std::vector<JointLoad> joints{};         // [joint]
  MachineReport machine{};
  CellReport cell{};                    // of a periodic one
  std::vector<BondEvent> bonds{};       // that formed or broke, in that order
  std::vector<Impact> impacts{};        // of piecewise steps, in the order of time
  std::optional<std::uint64_t> state_hash{};  // after the step, where the state is a rank's part (Run)
  std::vector<SurfaceTouch> touches{};        // of walls whose loads are summed up place by place, in this step
};

}  // namespace scree
