// The report of a step: counts, accuracy, energy and momentum balances, times.
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
/// is `remainder`, which is rounding error if the ledger is closed.
struct EnergyLedger {
  double kinetic = 0.0, potential = 0.0;
  double dissipated_by_friction = 0.0, dissipated_by_impact = 0.0, dissipated_by_sleep = 0.0;
  double position_correction = 0.0, boundary_work = 0.0, force_work = 0.0, joint_work = 0.0;
  double spring_work = 0.0, elastic = 0.0;
  double exchanged = 0.0, remainder = 0.0;
};

/// An entry of the ledger, with its name in tables.
struct LedgerEntry {
  const char* name;
  double EnergyLedger::*value;
  bool is_flow;  // else a value after the step
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
/// Adds the flows of a step, and copies the values after it.
void add_step(EnergyLedger& sum, const EnergyLedger& step);

/// Bodies inserted and removed at the beginning of a step.
struct InsertionReport {
  std::int64_t entered = 0, left = 0;          // bodies
  double mass_entered = 0.0, mass_left = 0.0;  // kg
  Vec3 linear_momentum = Vec3::Zero();         // kg m/s, inserted minus removed; plus changes by reflection
  Vec3 angular_momentum = Vec3::Zero();        // kg m^2/s about the origin
  BodyId astray = -1;                          // first body that left a domain that ends the run; -1: none
};

/// Coarseness of a step: each value is the largest, with the body or boundary that has it. Lengths are over
/// the smallest length of nearby bodies.
struct Coarseness {
  // Travel of a moving wall's surface along its normal: if it exceeds a body's thickness, the body may pass.
  double wall_travel = 0.0;
  std::int32_t travelling = -1;  // boundary
  // Deviation of a wall's path from the uniform motion between its poses at the start and the end of the
  // step. Bodies feel only the uniform motion.
  double wall_detour = 0.0;
  std::int32_t detouring = -1;  // boundary
  double turn_rad = 0.0;        // rotation of a non-round body with an impulse in a contact
  BodyId turning = -1;
};

struct StepReport {
  std::int64_t step = 0;     // number of this step, from 1
  double time_s = 0.0;       // simulated time after it
  double time_step_s = 0.0;  // its length
  // counts
  std::int64_t bodies = 0, bodies_in_collision = 0;                // bodies with at least one active contact
  std::int64_t candidates = 0, contacts = 0, active_contacts = 0;  // active: with an impulse
  std::int64_t asleep = 0, woken = 0;  // bodies asleep after the step; bodies that woke in it
  std::int64_t bonds = 0, bonds_formed = 0, bonds_broken = 0;  // after the step; in it
  double bond_use = 0.0;  // largest use of a limit of any bond after the step, 1 where it breaks
  // Piecewise steps: impacts; bodies in flight after the step; bodies that came to rest or took off in it.
  std::int64_t impacts = 0, ballistic = 0, laid_down = 0, risen = 0;
  bool overran = false;                    // too many impacts: the step was made by contacts
  std::int64_t narrow_phase_failures = 0;  // contact searches that hit their iteration limit
  // solver
  SolveStatus status = SolveStatus::converged;
  int sweeps = 0;
  int halvings = 0;  // number of times that an interval was repeated as two halves
  double residual_rms_m_s = 0.0, residual_max_m_s = 0.0;  // natural map over active contacts
  double given_rms_m_s = 0.0;  // compliance velocity of contacts, (P5), rms over those with an impulse
  double velocity_scale_m_s =
      0.0;  // reference of the tolerance: |gravity| * time step plus required changes (A4)
  double residual_over_goal = 0.0;     // rms over tolerance * velocity scale: above 1 the goal was missed
  double residual_rms_relative = 0.0;  // rms over |gravity| * time step (0 without gravity)
  double residual_of_scale() const {   // rms over the velocity scale: solved if it is within the tolerance
    return velocity_scale_m_s > 0.0 ? residual_rms_m_s / velocity_scale_m_s : 0.0;
  }
  // overlap of touching contacts, over the smaller of the two bodies' smallest lengths
  std::int64_t touching = 0;
  double penetration_max = 0.0, penetration_mean = 0.0;
  Touch deepest;  // contact with penetration_max; of equal ones the first in the order of contacts
  double compression_max = 0.0;  // penetration_max of elastic contacts, which are not counted above
  Touch compressed;              // contact with compression_max
  // balances
  EnergyLedger energy;
  double energy_injected_J =
      0.0;  // growth of kinetic + potential energy in this step beyond the boundaries' work, 0 if less
  // Energy that restitution would have given back in contacts that closed only within the step because of
  // the bounce of others: they are in the same solution and only stop.
  double unreturned_J = 0.0;
  Coarseness coarseness;
  Vec3 linear_momentum = Vec3::Zero();           // kg m/s
  Vec3 angular_momentum = Vec3::Zero();          // kg m^2/s about the origin
  Vec3 boundary_impulse = Vec3::Zero();          // N s, from boundaries to bodies in this step
  Vec3 boundary_angular_impulse = Vec3::Zero();  // N m s, about the origin
  // Impulses that sleep took from the bodies in this step: momenta of bodies that fell asleep, and impulses
  // on sleeping bodies.
  Vec3 sleep_impulse = Vec3::Zero();          // N s
  Vec3 sleep_angular_impulse = Vec3::Zero();  // N m s, about the origin
  InsertionReport insertion;
  double momentum_error_relative =
      0.0;  // momentum gained by bodies beyond the impulses of boundaries and gravity, over sum |impulse|
  double angular_momentum_error_relative = 0.0;
  // References of these errors: sums of |impulse| and of moments, and a millionth of the bodies' momenta.
  double impulse_size_N_s = 0.0, angular_impulse_size_N_m_s = 0.0;
  double momentum_size_kg_m_s = 0.0;  // sum |m v| of moving bodies after the step
  StageTimes time;
};

/// A periodic cell after a step. Stresses are positive in compression; component ij is the force along i that
/// is transmitted along j. Impulses of contacts are means over the (sub)step.
struct CellReport {
  Mat3 lattice = Mat3::Identity();  // m, columns
  Mat3 strain = Mat3::Zero();       // F - 1
  double volume = 0.0;              // m^3
  double solid_fraction = 0.0;      // overlaps count twice
  // From contacts and bonds; from motion.
  Mat3 contact_stress = Mat3::Zero(), kinetic_stress = Mat3::Zero();  // Pa
  Mat3 fabric = Mat3::Zero();   // mean of n n^T over contacts with an impulse
  double temperature = 0.0;     // m^2/s^2, a third of the mean square velocity relative to the flow, by mass
  double contact_number = 0.0;  // contacts with an impulse per body
  Vec3 held_rate = Vec3::Zero();  // 1/s, strain rate along axes with held stress
  bool is_too_narrow = false;     // may bodies touch two images of another body, or themselves?
};

/// State of a part after a step, and its impulses and works: along its axis, or about it. Momentum and energy
/// close: the part's gain is the sum of the three impulses minus that of damping, and of the works minus the
/// work of its boundaries on bodies. For a free part, travel, rate and forces are magnitudes: the distance of
/// its centre from the start, its speed, and the impulse of weight and bodies.
struct PartLoad : BoundaryLoad {
  double travel = 0.0, rate = 0.0;  // m and m/s, or rad and rad/s
  double kinetic_energy = 0.0;      // J
  double force_impulse = 0.0;       // of forces except damping, N s or N m s, in this step
  double contact_impulse = 0.0;     // from bodies
  double stop_impulse = 0.0;
  double force_work = 0.0, damping_work = 0.0, stop_work = 0.0;  // done on the part, J
};

/// The reason why a step failed, or why no further step can follow.
struct StepFailure {
  enum class Kind : std::uint8_t {
    none,
    crowded,      // too many pairs are near each other: the state is not usable
    actuator,     // the equations of a model have no solution: the state is not usable
    not_finite,   // a number, or its square in single precision, overflowed
    left_domain,  // a body has left a domain that ends the run
    narrow_cell,  // bodies may touch two images of another, or themselves
    objection     // from an observer of the run (engine/run/run.h)
  };
  Kind kind = Kind::none;
  std::string text;  // as a sentence, without step and time
  explicit operator bool() const { return kind != Kind::none; }
  /// Was the step completed?
  bool step_is_done() const { return kind != Kind::crowded && kind != Kind::actuator; }
};

/// All results of a step, except for the state itself.
struct StepResult {
  StepReport report;
  StepFailure failure{};
  std::vector<BoundaryLoad> boundaries{};  // [boundary], in this step
  std::vector<PartLoad> parts{};           // [part]
  std::vector<JointLoad> joints{};         // [joint]
  MachineReport machine{};
  CellReport cell{};                          // of a periodic cell
  Mat3 contact_moment = Mat3::Zero();         // N m s, with it: sum of impulse times branch vector
  std::vector<BondEvent> bonds{};             // bonds that formed or broke, in that order
  std::vector<Impact> impacts{};              // of piecewise steps, ordered by time
  std::optional<std::uint64_t> state_hash{};  // after the step, if the state is a rank's part (Run)
  std::vector<SurfaceTouch> touches{};        // of walls with wall cells, in this step
};

}  // namespace scree
