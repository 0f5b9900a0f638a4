// The list of all observables.
#include "engine/simulation/observables.h"

#include <algorithm>
#include <limits>

#include "engine/simulation/motion.h"

namespace scree {

namespace {

using enum OverSteps;
using Form = ObservedForm;

// Member paths to values.

template <auto... path>
double report(const Observed& now, std::int64_t) {
  return static_cast<double>((now.result.report.*....*path));
}
template <int axis, auto... path>
double report_vector(const Observed& now, std::int64_t) {
  return (now.result.report.*....*path)[axis];
}
template <auto member>
double machine(const Observed& now, std::int64_t) {
  return now.result.machine.*member;
}
template <auto member, int... place>
double cell(const Observed& now, std::int64_t) {
  if constexpr (sizeof...(place) == 0)
    return now.result.cell.*member;
  else
    return (now.result.cell.*member)(place...);
}
template <auto list, auto member>
double of_part(const Observed& now, std::int64_t part) {
  return static_cast<double>((now.result.*list)[part].*member);
}
template <auto list, auto member, int axis>
double of_part(const Observed& now, std::int64_t part) {
  return ((now.result.*list)[part].*member)[axis];
}
template <auto member>
double of_surface(const Observed& now, std::int64_t boundary) {
  return now.result.boundaries[boundary].surface.*member;
}
double wear(const Observed& now, std::int64_t boundary) {
  return now.model.materials.wear(now.model.boundaries[boundary].material)
      .volume(now.result.boundaries[boundary].surface);
}
template <auto member>
double passed(const Observed& now, std::int64_t opening) {
  return static_cast<double>(throughput(now.model, now.state, opening).*member);
}
template <int axis>
double place(const Observed& now, std::int64_t number) {
  const PartState state = state_of(now.model.parts, now.state.parts, static_cast<std::size_t>(number));
  return centre_of(now.model.parts[number], state, now.result.report.time_s)[axis];
}
template <auto vector_of, int axis>
double of_body(const Observed& now, BodyId id) {
  const std::optional<BodyMotion> body = motion_of(now.state.bodies, id);
  return body ? vector_of(*body)[axis] : std::numeric_limits<double>::quiet_NaN();
}
const Vec3& position(const BodyMotion& body) { return body.position; }
const Vec3& velocity(const BodyMotion& body) { return body.twist.linear; }
const Vec3& spin(const BodyMotion& body) { return body.twist.angular; }

bool is_driven(const Model& model, std::int64_t k) { return model.parts[k].is_driven(); }
bool has_coordinate(const Model& model, std::int64_t k) { return model.joints[k].has_coordinate; }
bool has_motor(const Model& model, std::int64_t k) {
  return model.joints[k].motor.kind != JointMotor::Kind::none;
}
bool is_inlet(const Model& model, std::int64_t k) {
  return static_cast<std::size_t>(k) < model.inlets.size();
}

double missed_goal(const Observed& now, std::int64_t) {
  return now.result.report.status != SolveStatus::converged ? 1.0 : 0.0;
}

double pressure(const Observed& now, std::int64_t) {
  return (now.result.cell.contact_stress + now.result.cell.kinetic_stress).trace() / 3.0;
}

double count_bonds(const Observed& now, std::int64_t law) {
  return static_cast<double>(std::ranges::count(now.state.bonds, law, &Bond::law));
}
template <bool formed>
double count_bond_events(const Observed& now, std::int64_t law) {
  return static_cast<double>(std::ranges::count_if(
      now.result.bonds, [&](const BondEvent& e) { return e.law == law && e.formed == formed; }));
}

/// Calls f(i) for all bodies here, or those in a region; in a periodic cell those with an image in it.
template <class F>
void for_bodies(const Observed& now, F&& f) {
  const Bodies& bodies = now.state.bodies;
  const PlacedCell placed = now.cell != nullptr ? *now.cell : cell_at(now.model, now.state, now.state.time_s);
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (now.region == nullptr || holds_image(*now.region, placed, bodies.position[i])) f(i);
}

double largest_speed(const Observed& now, std::int64_t) {
  const Bodies& bodies = now.state.bodies;
  if (now.region == nullptr) return most(bodies.ranks, largest_surface_speed(now.model.shapes, bodies));
  double fastest = 0.0;
  for_bodies(now,
             [&](std::size_t i) { fastest = std::max(fastest, surface_speed(now.model.shapes, bodies, i)); });
  return most(bodies.ranks, fastest);
}

double share_at_rest(const Observed& now, std::int64_t) {
  std::int64_t still = 0, all = 0;
  for_bodies(now, [&](std::size_t i) {
    ++all;
    still += surface_speed(now.model.shapes, now.state.bodies, i) <= now.rest_speed_m_s ? 1 : 0;
  });
  Ranks* const ranks = now.state.bodies.ranks;
  all = total(ranks, all);
  still = total(ranks, still);
  return all > 0 ? static_cast<double>(still) / static_cast<double>(all) : 1.0;
}

double count_in_region(const Observed& now, std::int64_t) {
  std::int64_t count = 0;
  for_bodies(now, [&](std::size_t) { ++count; });
  return static_cast<double>(total(now.state.bodies.ranks, count));
}

double mass_in_region(const Observed& now, std::int64_t) {
  ExactSum mass;  // the same for bodies in any order
  for_bodies(now, [&](std::size_t i) { mass.add(now.state.bodies.mass[i]); });
  if (Ranks* const ranks = now.state.bodies.ranks; ranks != nullptr) ranks->sum({&mass, 1});
  return mass.value();
}

template <std::size_t entry>
constexpr Observable of_ledger() {
  constexpr const LedgerEntry& e = ledger_entries[entry];
  return {e.name, "J", e.is_flow ? sum : last, e.description, report<&StepReport::energy, e.value>};
}
static_assert(std::size(ledger_entries) == 13, "of_run has all entries of the ledger");

using Step = StepReport;
using Come = InsertionReport;
using Result = StepResult;
using Load = BoundaryLoad;
using Cell = CellReport;
using Machine = MachineReport;

// clang-format off
constexpr Observable of_run[] = {
    {"step", "1", last, "Number of the step, from 1.", report<&Step::step>, Form::clock},
    {"time_s", "s", last, "Simulated time at the end of the step.", report<&Step::time_s>, Form::clock},
    {"time_step_s", "s", last, "Length of the step.", report<&Step::time_step_s>},
    {"bodies", "1", last, "Number of bodies.", report<&Step::bodies>, Form::count},
    {"bodies_entered", "1", sum, "Bodies that entered through inlets at the beginning of the step.", report<&Step::insertion, &Come::entered>, Form::count},
    {"bodies_left", "1", sum, "Bodies that left through outlets or the domain at the beginning of the step.", report<&Step::insertion, &Come::left>, Form::count},
    {"mass_entered_kg", "kg", sum, "Mass that entered through inlets at the beginning of the step.", report<&Step::insertion, &Come::mass_entered>},
    {"mass_left_kg", "kg", sum, "Mass that left through outlets or the domain at the beginning of the step.", report<&Step::insertion, &Come::mass_left>},
    {"bodies_in_collision", "1", last, "Bodies with a contact that carries an impulse.", report<&Step::bodies_in_collision>, Form::count},
    {"asleep", "1", last, "Sleeping bodies.", report<&Step::asleep>, Form::count},
    {"woken", "1", sum, "Bodies that woke in the step.", report<&Step::woken>, Form::count},
    {"candidates", "1", last, "Pairs found by the broad phase, except pairs of sleeping bodies.", report<&Step::candidates>, Form::count},
    {"contacts", "1", last, "Contacts of the step.", report<&Step::contacts>, Form::count},
    {"active_contacts", "1", last, "Contacts that carry an impulse.", report<&Step::active_contacts>, Form::count},
    {"bonds", "1", last, "Number of bonds.", report<&Step::bonds>, Form::count},
    {"bonds_formed", "1", sum, "Bonds that formed in the step.", report<&Step::bonds_formed>, Form::count},
    {"bonds_broken", "1", sum, "Bonds that broke in the step.", report<&Step::bonds_broken>, Form::count},
    {"bond_use", "1", largest, "Largest load of a bond as a fraction of its limit; it breaks at 1.", report<&Step::bond_use>},
    {"impacts", "1", sum, "Piecewise steps: impacts at their exact times.", report<&Step::impacts>, Form::count},
    {"ballistic", "1", last, "Piecewise steps: bodies in free flight.", report<&Step::ballistic>, Form::count},
    {"laid_down", "1", sum, "Piecewise steps: bodies that came to rest on other bodies.", report<&Step::laid_down>, Form::count},
    {"risen", "1", sum, "Piecewise steps: bodies that returned to free flight.", report<&Step::risen>, Form::count},
    {"overran", "1", sum, "Piecewise steps: 1 if a step had more impacts than `most_impacts` and was solved by contacts.", report<&Step::overran>, Form::count},
    {"touching", "1", last, "Contacts that overlap or touch.", report<&Step::touching>, Form::count},
    {"narrow_phase_failures", "1", sum, "Contact searches that reached their limit of iterations.", report<&Step::narrow_phase_failures>, Form::count},
    {"sweeps", "1", sum, "Sweeps of the solver over all substeps.", report<&Step::sweeps>, Form::count},
    {"halvings", "1", sum, "Intervals that were taken back and repeated as two halves.", report<&Step::halvings>, Form::count},
    {"not_converged", "1", sum, "1 if the residual of a step missed its goal.", missed_goal, Form::count},
    {"residual_rms_m_s", "m/s", largest, "Residual of the contact problem: root mean square over active contacts; worst substep.", report<&Step::residual_rms_m_s>},
    {"residual_max_m_s", "m/s", largest, "Residual of the contact problem: largest of a contact; worst substep.", report<&Step::residual_max_m_s>},
    {"given_rms_m_s", "m/s", largest, "Velocity by which contacts gave way, (P5): root mean square over contacts that carry an impulse; worst substep. 0 if all are rigid.", report<&Step::given_rms_m_s>},
    {"residual_rms_relative", "1", largest, "`residual_rms_m_s` divided by gravity times the time step; 0 without gravity.", report<&Step::residual_rms_relative>},
    {"residual_over_goal", "1", largest, "`residual_rms_m_s` divided by tolerance times velocity scale; above 1 the goal was missed.", report<&Step::residual_over_goal>},
    {"velocity_scale_m_s", "m/s", last, "Velocity to which the tolerance is relative, (A4).", report<&Step::velocity_scale_m_s>},
    {"penetration_max", "1", largest, "Deepest overlap, divided by the smaller of the two bodies' smallest lengths.", report<&Step::penetration_max>},
    {"compression_max", "1", largest, "The same for elastic contacts (`youngs_modulus`, `stiffness`), which `penetration_max` does not include.", report<&Step::compression_max>},
    {"penetration_mean", "1", last, "Mean overlap of contacts that touch, relative as `penetration_max`.", report<&Step::penetration_mean>},
    of_ledger<0>(),
    of_ledger<1>(),
    of_ledger<2>(),
    of_ledger<3>(),
    of_ledger<4>(),
    of_ledger<5>(),
    of_ledger<6>(),
    of_ledger<7>(),
    of_ledger<8>(),
    of_ledger<9>(),
    of_ledger<10>(),
    of_ledger<11>(),
    of_ledger<12>(),
    {"energy_injected_J", "J", sum, "Increase of kinetic and potential energy beyond the energy from boundaries, forces and new bodies; 0 if it decreased.", report<&Step::energy_injected_J>},
    {"unreturned_J", "J", sum, "Energy that restitution would have returned in impacts caused by other impacts of the same step.", report<&Step::unreturned_J>},
    {"momentum_x_kg_m_s", "kg m/s", last, "Momentum of all bodies along x.", report_vector<0, &Step::linear_momentum>},
    {"momentum_y_kg_m_s", "kg m/s", last, "Momentum of all bodies along y.", report_vector<1, &Step::linear_momentum>},
    {"momentum_z_kg_m_s", "kg m/s", last, "Momentum of all bodies along z.", report_vector<2, &Step::linear_momentum>},
    {"angular_momentum_x_kg_m2_s", "kg m2/s", last, "Angular momentum of all bodies about the origin, along x.", report_vector<0, &Step::angular_momentum>},
    {"angular_momentum_y_kg_m2_s", "kg m2/s", last, "Angular momentum of all bodies about the origin, along y.", report_vector<1, &Step::angular_momentum>},
    {"angular_momentum_z_kg_m2_s", "kg m2/s", last, "Angular momentum of all bodies about the origin, along z.", report_vector<2, &Step::angular_momentum>},
    {"boundary_impulse_x_N_s", "N s", sum, "Impulse of boundaries on bodies, along x.", report_vector<0, &Step::boundary_impulse>},
    {"boundary_impulse_y_N_s", "N s", sum, "Impulse of boundaries on bodies, along y.", report_vector<1, &Step::boundary_impulse>},
    {"boundary_impulse_z_N_s", "N s", sum, "Impulse of boundaries on bodies, along z.", report_vector<2, &Step::boundary_impulse>},
    {"boundary_angular_impulse_x_N_m_s", "N m s", sum, "Angular impulse of boundaries on bodies about the origin, along x.", report_vector<0, &Step::boundary_angular_impulse>},
    {"boundary_angular_impulse_y_N_m_s", "N m s", sum, "Angular impulse of boundaries on bodies about the origin, along y.", report_vector<1, &Step::boundary_angular_impulse>},
    {"boundary_angular_impulse_z_N_m_s", "N m s", sum, "Angular impulse of boundaries on bodies about the origin, along z.", report_vector<2, &Step::boundary_angular_impulse>},
    {"sleep_impulse_x_N_s", "N s", sum, "Impulse that sleep gave to the bodies, along x.", report_vector<0, &Step::sleep_impulse>},
    {"sleep_impulse_y_N_s", "N s", sum, "Impulse that sleep gave to the bodies, along y.", report_vector<1, &Step::sleep_impulse>},
    {"sleep_impulse_z_N_s", "N s", sum, "Impulse that sleep gave to the bodies, along z.", report_vector<2, &Step::sleep_impulse>},
    {"sleep_angular_impulse_x_N_m_s", "N m s", sum, "Angular impulse that sleep gave to the bodies about the origin, along x.", report_vector<0, &Step::sleep_angular_impulse>},
    {"sleep_angular_impulse_y_N_m_s", "N m s", sum, "Angular impulse that sleep gave to the bodies about the origin, along y.", report_vector<1, &Step::sleep_angular_impulse>},
    {"sleep_angular_impulse_z_N_m_s", "N m s", sum, "Angular impulse that sleep gave to the bodies about the origin, along z.", report_vector<2, &Step::sleep_angular_impulse>},
    {"momentum_exchanged_x_kg_m_s", "kg m/s", sum, "Momentum of bodies that entered, minus that of bodies that left, plus that from a reflecting domain, along x.", report_vector<0, &Step::insertion, &Come::linear_momentum>},
    {"momentum_exchanged_y_kg_m_s", "kg m/s", sum, "Momentum of bodies that entered, minus that of bodies that left, plus that from a reflecting domain, along y.", report_vector<1, &Step::insertion, &Come::linear_momentum>},
    {"momentum_exchanged_z_kg_m_s", "kg m/s", sum, "Momentum of bodies that entered, minus that of bodies that left, plus that from a reflecting domain, along z.", report_vector<2, &Step::insertion, &Come::linear_momentum>},
    {"angular_momentum_exchanged_x_kg_m2_s", "kg m2/s", sum, "The same for angular momentum about the origin, along x.", report_vector<0, &Step::insertion, &Come::angular_momentum>},
    {"angular_momentum_exchanged_y_kg_m2_s", "kg m2/s", sum, "The same for angular momentum about the origin, along y.", report_vector<1, &Step::insertion, &Come::angular_momentum>},
    {"angular_momentum_exchanged_z_kg_m2_s", "kg m2/s", sum, "The same for angular momentum about the origin, along z.", report_vector<2, &Step::insertion, &Come::angular_momentum>},
    {"momentum_error_relative", "1", largest, "Momentum that bodies gained beyond the impulses of boundaries, sleep and gravity, divided by the sum of |impulse| plus a millionth of the sum of |m v|.", report<&Step::momentum_error_relative>},
    {"angular_momentum_error_relative", "1", largest, "The same for angular momentum.", report<&Step::angular_momentum_error_relative>},
    {"preparation_time_s", "s", sum, "Drift, free velocities, inertia.", report<&Step::time, &StageTimes::preparation>, Form::wall_time},
    {"detection_time_s", "s", sum, "Candidate pairs, contacts.", report<&Step::time, &StageTimes::detection>, Form::wall_time},
    {"resolution_time_s", "s", sum, "Assembly, solver, position correction.", report<&Step::time, &StageTimes::resolution>, Form::wall_time},
    {"finish_time_s", "s", sum, "Drift, carry-over, diagnostics.", report<&Step::time, &StageTimes::finish>, Form::wall_time},
};

constexpr Observable of_cell[] = {
    {"volume_m3", "m3", last, "Volume of the cell.", cell<&Cell::volume>},
    {"solid_fraction", "1", last, "Solid fraction; overlaps count twice.", cell<&Cell::solid_fraction>},
    {"contact_number", "1", last, "Coordination number: contacts per body that carry an impulse.", cell<&Cell::contact_number>},
    {"temperature_m2_s2", "m2/s2", last, "Granular temperature: a third of the mean square of velocities relative to the flow, weighted by mass.", cell<&Cell::temperature>},
    {"pressure_Pa", "Pa", last, "A third of the trace of the sum of contact stress and kinetic stress.", pressure},
    {"stress_xx_Pa", "Pa", last, "Stress of contacts and bonds, positive in compression: force along x across planes with normal x.", cell<&Cell::contact_stress, 0, 0>},
    {"stress_xy_Pa", "Pa", last, "Stress of contacts and bonds, positive in compression: force along x across planes with normal y.", cell<&Cell::contact_stress, 0, 1>},
    {"stress_xz_Pa", "Pa", last, "Stress of contacts and bonds, positive in compression: force along x across planes with normal z.", cell<&Cell::contact_stress, 0, 2>},
    {"stress_yx_Pa", "Pa", last, "Stress of contacts and bonds, positive in compression: force along y across planes with normal x.", cell<&Cell::contact_stress, 1, 0>},
    {"stress_yy_Pa", "Pa", last, "Stress of contacts and bonds, positive in compression: force along y across planes with normal y.", cell<&Cell::contact_stress, 1, 1>},
    {"stress_yz_Pa", "Pa", last, "Stress of contacts and bonds, positive in compression: force along y across planes with normal z.", cell<&Cell::contact_stress, 1, 2>},
    {"stress_zx_Pa", "Pa", last, "Stress of contacts and bonds, positive in compression: force along z across planes with normal x.", cell<&Cell::contact_stress, 2, 0>},
    {"stress_zy_Pa", "Pa", last, "Stress of contacts and bonds, positive in compression: force along z across planes with normal y.", cell<&Cell::contact_stress, 2, 1>},
    {"stress_zz_Pa", "Pa", last, "Stress of contacts and bonds, positive in compression: force along z across planes with normal z.", cell<&Cell::contact_stress, 2, 2>},
    {"kinetic_stress_xx_Pa", "Pa", last, "Stress of motion relative to the flow: force along x across planes with normal x.", cell<&Cell::kinetic_stress, 0, 0>},
    {"kinetic_stress_xy_Pa", "Pa", last, "Stress of motion relative to the flow: force along x across planes with normal y.", cell<&Cell::kinetic_stress, 0, 1>},
    {"kinetic_stress_xz_Pa", "Pa", last, "Stress of motion relative to the flow: force along x across planes with normal z.", cell<&Cell::kinetic_stress, 0, 2>},
    {"kinetic_stress_yx_Pa", "Pa", last, "Stress of motion relative to the flow: force along y across planes with normal x.", cell<&Cell::kinetic_stress, 1, 0>},
    {"kinetic_stress_yy_Pa", "Pa", last, "Stress of motion relative to the flow: force along y across planes with normal y.", cell<&Cell::kinetic_stress, 1, 1>},
    {"kinetic_stress_yz_Pa", "Pa", last, "Stress of motion relative to the flow: force along y across planes with normal z.", cell<&Cell::kinetic_stress, 1, 2>},
    {"kinetic_stress_zx_Pa", "Pa", last, "Stress of motion relative to the flow: force along z across planes with normal x.", cell<&Cell::kinetic_stress, 2, 0>},
    {"kinetic_stress_zy_Pa", "Pa", last, "Stress of motion relative to the flow: force along z across planes with normal y.", cell<&Cell::kinetic_stress, 2, 1>},
    {"kinetic_stress_zz_Pa", "Pa", last, "Stress of motion relative to the flow: force along z across planes with normal z.", cell<&Cell::kinetic_stress, 2, 2>},
    {"fabric_xx", "1", last, "Fabric: mean of n n^T over contacts that carry an impulse.", cell<&Cell::fabric, 0, 0>},
    {"fabric_xy", "1", last, "Fabric: mean of n n^T over contacts that carry an impulse.", cell<&Cell::fabric, 0, 1>},
    {"fabric_xz", "1", last, "Fabric: mean of n n^T over contacts that carry an impulse.", cell<&Cell::fabric, 0, 2>},
    {"fabric_yy", "1", last, "Fabric: mean of n n^T over contacts that carry an impulse.", cell<&Cell::fabric, 1, 1>},
    {"fabric_yz", "1", last, "Fabric: mean of n n^T over contacts that carry an impulse.", cell<&Cell::fabric, 1, 2>},
    {"fabric_zz", "1", last, "Fabric: mean of n n^T over contacts that carry an impulse.", cell<&Cell::fabric, 2, 2>},
    {"strain_xx", "1", last, "Deformation gradient minus the identity, F - 1.", cell<&Cell::strain, 0, 0>},
    {"strain_xy", "1", last, "Deformation gradient minus the identity, F - 1.", cell<&Cell::strain, 0, 1>},
    {"strain_xz", "1", last, "Deformation gradient minus the identity, F - 1.", cell<&Cell::strain, 0, 2>},
    {"strain_yx", "1", last, "Deformation gradient minus the identity, F - 1.", cell<&Cell::strain, 1, 0>},
    {"strain_yy", "1", last, "Deformation gradient minus the identity, F - 1.", cell<&Cell::strain, 1, 1>},
    {"strain_yz", "1", last, "Deformation gradient minus the identity, F - 1.", cell<&Cell::strain, 1, 2>},
    {"strain_zx", "1", last, "Deformation gradient minus the identity, F - 1.", cell<&Cell::strain, 2, 0>},
    {"strain_zy", "1", last, "Deformation gradient minus the identity, F - 1.", cell<&Cell::strain, 2, 1>},
    {"strain_zz", "1", last, "Deformation gradient minus the identity, F - 1.", cell<&Cell::strain, 2, 2>},
    {"held_rate_xx_1_s", "1/s", last, "Strain rate along an axis whose stress is held.", cell<&Cell::held_rate, 0, 0>},
    {"held_rate_yy_1_s", "1/s", last, "Strain rate along an axis whose stress is held.", cell<&Cell::held_rate, 1, 0>},
    {"held_rate_zz_1_s", "1/s", last, "Strain rate along an axis whose stress is held.", cell<&Cell::held_rate, 2, 0>},
    {"lattice_a_x_m", "m", last, "Component of a lattice vector.", cell<&Cell::lattice, 0, 0>},
    {"lattice_a_y_m", "m", last, "Component of a lattice vector.", cell<&Cell::lattice, 1, 0>},
    {"lattice_a_z_m", "m", last, "Component of a lattice vector.", cell<&Cell::lattice, 2, 0>},
    {"lattice_b_x_m", "m", last, "Component of a lattice vector.", cell<&Cell::lattice, 0, 1>},
    {"lattice_b_y_m", "m", last, "Component of a lattice vector.", cell<&Cell::lattice, 1, 1>},
    {"lattice_b_z_m", "m", last, "Component of a lattice vector.", cell<&Cell::lattice, 2, 1>},
    {"lattice_c_x_m", "m", last, "Component of a lattice vector.", cell<&Cell::lattice, 0, 2>},
    {"lattice_c_y_m", "m", last, "Component of a lattice vector.", cell<&Cell::lattice, 1, 2>},
    {"lattice_c_z_m", "m", last, "Component of a lattice vector.", cell<&Cell::lattice, 2, 2>},
};

constexpr Observable of_boundary[] = {
    {"force_x_N", "N", mean, "Force of bodies on the boundary along x.", of_part<&Result::boundaries, &Load::impulse, 0>},
    {"force_y_N", "N", mean, "Force of bodies on the boundary along y.", of_part<&Result::boundaries, &Load::impulse, 1>},
    {"force_z_N", "N", mean, "Force of bodies on the boundary along z.", of_part<&Result::boundaries, &Load::impulse, 2>},
    {"force_N", "N", mean, "Magnitude of the force.", nullptr, Form::size},
    {"torque_x_N_m", "N m", mean, "Torque of bodies about the boundary's centre, along x.", of_part<&Result::boundaries, &Load::angular_impulse, 0>},
    {"torque_y_N_m", "N m", mean, "Torque of bodies about the boundary's centre, along y.", of_part<&Result::boundaries, &Load::angular_impulse, 1>},
    {"torque_z_N_m", "N m", mean, "Torque of bodies about the boundary's centre, along z.", of_part<&Result::boundaries, &Load::angular_impulse, 2>},
    {"torque_N_m", "N m", mean, "Magnitude of the torque.", nullptr, Form::size},
    {"work_J", "J", sum, "Work done on the bodies.", of_part<&Result::boundaries, &Load::work>},
    {"power_W", "W", mean, "The same per time.", of_part<&Result::boundaries, &Load::work>},
    {"normal_force_N", "N", mean, "Sum of the magnitudes of the normal forces that press on it.", of_surface<&SurfaceLoad::pressing>},
    {"shear_force_N", "N", mean, "Sum of the magnitudes of the tangential forces on it.", of_surface<&SurfaceLoad::shearing>},
    {"friction_work_J", "J", sum, "Energy that friction dissipates on it.", of_surface<&SurfaceLoad::friction_work>},
    {"sliding_N_m", "N m", sum, "Normal forces times the sliding distances of bodies.", of_surface<&SurfaceLoad::sliding>},
    {"impacts", "1", sum, "Contacts that begin with an approach faster than `restitution_threshold`.", of_surface<&SurfaceLoad::impacts>, Form::count},
    {"impact_energy_J", "J", sum, "Kinetic energy of these impacts along the normal, as they begin.", of_surface<&SurfaceLoad::impact_energy>},
    {"wear_m3", "m3", sum, "Volume that its material loses (`wear_coefficient`, `impact_wear`).", wear},
};

constexpr Observable of_parts[] = {
    {"force_x_N", "N", mean, "Force of bodies on everything that the part carries, along x.", of_part<&Result::parts, &PartLoad::impulse, 0>},
    {"force_y_N", "N", mean, "Force of bodies on everything that the part carries, along y.", of_part<&Result::parts, &PartLoad::impulse, 1>},
    {"force_z_N", "N", mean, "Force of bodies on everything that the part carries, along z.", of_part<&Result::parts, &PartLoad::impulse, 2>},
    {"force_N", "N", mean, "Magnitude of the force.", nullptr, Form::size},
    {"torque_x_N_m", "N m", mean, "Torque of bodies about the part's centre, along x.", of_part<&Result::parts, &PartLoad::angular_impulse, 0>},
    {"torque_y_N_m", "N m", mean, "Torque of bodies about the part's centre, along y.", of_part<&Result::parts, &PartLoad::angular_impulse, 1>},
    {"torque_z_N_m", "N m", mean, "Torque of bodies about the part's centre, along z.", of_part<&Result::parts, &PartLoad::angular_impulse, 2>},
    {"torque_N_m", "N m", mean, "Magnitude of the torque.", nullptr, Form::size},
    {"work_J", "J", sum, "Work done on the bodies.", of_part<&Result::parts, &PartLoad::work>},
    {"power_W", "W", mean, "The same per time.", of_part<&Result::parts, &PartLoad::work>},
    {"position_x_m", "m", last, "Position of its centre; with all freedoms, of the centre of mass.", place<0>},
    {"position_y_m", "m", last, "Position of its centre; with all freedoms, of the centre of mass.", place<1>},
    {"position_z_m", "m", last, "Position of its centre; with all freedoms, of the centre of mass.", place<2>},
    {"travel", "m|rad", last, "Travel by forces since the start; with all freedoms, distance of its centre from its initial position.", of_part<&Result::parts, &PartLoad::travel>, Form::number, is_driven},
    {"rate", "m/s|rad/s", last, "Rate of the travel; with all freedoms, the speed.", of_part<&Result::parts, &PartLoad::rate>, Form::number, is_driven},
    {"applied_force", "N|N m", mean, "Applied forces except damping; with all freedoms, the magnitude of the weight.", of_part<&Result::parts, &PartLoad::force_impulse>, Form::number, is_driven},
    {"contact_force", "N|N m", mean, "Force of bodies along its direction, or torque about its axis; with all freedoms, the magnitude of their force.", of_part<&Result::parts, &PartLoad::contact_impulse>, Form::number, is_driven},
    {"stop_force", "N|N m", mean, "Force of its stops.", of_part<&Result::parts, &PartLoad::stop_impulse>, Form::number, is_driven},
    {"force_work_J", "J", sum, "Work done on the part by applied forces except damping.", of_part<&Result::parts, &PartLoad::force_work>, Form::number, is_driven},
    {"damping_work_J", "J", sum, "Work done on the part by damping.", of_part<&Result::parts, &PartLoad::damping_work>, Form::number, is_driven},
    {"stop_work_J", "J", sum, "Work done on the part by stops.", of_part<&Result::parts, &PartLoad::stop_work>, Form::number, is_driven},
    {"kinetic_energy_J", "J", last, "Kinetic energy of its motion by forces.", of_part<&Result::parts, &PartLoad::kinetic_energy>, Form::number, is_driven},
};

constexpr Observable of_joint[] = {
    {"coordinate", "m|rad", last, "Angle, travel or length minus its value at the start.", of_part<&Result::joints, &JointLoad::coordinate>, Form::number, has_coordinate},
    {"rate", "m/s|rad/s", last, "Rate of the coordinate.", of_part<&Result::joints, &JointLoad::rate>, Form::number, has_coordinate},
    {"force_x_N", "N", mean, "Force of the joint's constraints on b, along x.", of_part<&Result::joints, &JointLoad::impulse, 0>},
    {"force_y_N", "N", mean, "Force of the joint's constraints on b, along y.", of_part<&Result::joints, &JointLoad::impulse, 1>},
    {"force_z_N", "N", mean, "Force of the joint's constraints on b, along z.", of_part<&Result::joints, &JointLoad::impulse, 2>},
    {"force_N", "N", mean, "Magnitude of the force.", nullptr, Form::size},
    {"torque_x_N_m", "N m", mean, "Torque of the joint's constraints on b about its point on b, along x.", of_part<&Result::joints, &JointLoad::angular_impulse, 0>},
    {"torque_y_N_m", "N m", mean, "Torque of the joint's constraints on b about its point on b, along y.", of_part<&Result::joints, &JointLoad::angular_impulse, 1>},
    {"torque_z_N_m", "N m", mean, "Torque of the joint's constraints on b about its point on b, along z.", of_part<&Result::joints, &JointLoad::angular_impulse, 2>},
    {"torque_N_m", "N m", mean, "Magnitude of the torque.", nullptr, Form::size},
    {"motor_force", "N|N m", mean, "Force of the motor along the coordinate.", of_part<&Result::joints, &JointLoad::motor_impulse>, Form::number, has_motor},
    {"spring_force", "N|N m", mean, "Force of the spring.", of_part<&Result::joints, &JointLoad::spring_impulse>},
    {"friction_force", "N|N m", mean, "Force of friction.", of_part<&Result::joints, &JointLoad::friction_impulse>},
    {"stop_force", "N|N m", mean, "Force of the stops.", of_part<&Result::joints, &JointLoad::stop_impulse>},
    {"motor_work_J", "J", sum, "Work of the motor.", of_part<&Result::joints, &JointLoad::motor_work>, Form::number, has_motor},
    {"spring_work_J", "J", sum, "Work of the spring.", of_part<&Result::joints, &JointLoad::spring_work>},
    {"friction_work_J", "J", sum, "Work of friction.", of_part<&Result::joints, &JointLoad::friction_work>},
    {"stop_work_J", "J", sum, "Work of the stops.", of_part<&Result::joints, &JointLoad::stop_work>},
    {"hold_work_J", "J", sum, "Work of the joint's constraints.", of_part<&Result::joints, &JointLoad::hold_work>},
    {"error", "1", largest, "Largest violation of the joint's constraints, m or rad.", of_part<&Result::joints, &JointLoad::error>},
    {"redundant_rows", "1", last, "Constraints of the joint that follow from constraints of others.", of_part<&Result::joints, &JointLoad::redundant>, Form::count},
};

constexpr Observable of_machine[] = {
    {"kinetic_energy_J", "J", last, "Kinetic energy of parts with all freedoms.", machine<&Machine::kinetic>},
    {"potential_energy_J", "J", last, "Potential energy of parts with all freedoms.", machine<&Machine::potential>},
    {"elastic_energy_J", "J", last, "Elastic energy in springs of joints.", machine<&Machine::elastic>},
    {"contact_work_J", "J", sum, "Work of bodies on parts with all freedoms.", machine<&Machine::contact_work>},
    {"motor_work_J", "J", sum, "Work of motors.", machine<&Machine::motor_work>},
    {"spring_work_J", "J", sum, "Work of springs.", machine<&Machine::spring_work>},
    {"friction_work_J", "J", sum, "Work of friction.", machine<&Machine::friction_work>},
    {"stop_work_J", "J", sum, "Work of stops.", machine<&Machine::stop_work>},
    {"hold_work_J", "J", sum, "Work of constraints.", machine<&Machine::hold_work>},
    {"joint_work_on_parts_J", "J", sum, "Work of joints of all kinds on parts with all freedoms.", machine<&Machine::work_on_parts>},
    {"gravity_work_J", "J", sum, "Work on parts with all freedoms by changes of gravity.", machine<&Machine::force_work>},
    {"correction_J", "J", sum, "Work of the correction of overlaps.", machine<&Machine::correction>},
    {"remainder_J", "J", sum, "Remainder of the energy balance.", machine<&Machine::remainder>},
};

constexpr Observable of_opening[] = {
    {"bodies", "1", last, "Number of bodies that passed since the start.", passed<&Throughput::bodies>, Form::count},
    {"mass_kg", "kg", last, "Mass that passed since the start.", passed<&Throughput::mass>},
    {"steps_without_room", "1", last, "Number of steps since the start in which an inlet found no room.", passed<&Throughput::waited>, Form::count, is_inlet},
};

constexpr Observable of_bonds[] = {
    {"bonds", "1", last, "Number of bonds of this kind.", count_bonds, Form::count},
    {"bonds_formed", "1", sum, "Bonds that formed in the step.", count_bond_events<true>, Form::count},
    {"bonds_broken", "1", sum, "Bonds that broke in the step.", count_bond_events<false>, Form::count},
};

constexpr Observable of_one_body[] = {
    {"position_x_m", "m", last, "Position of the centre of mass along x.", of_body<position, 0>},
    {"position_y_m", "m", last, "Position of the centre of mass along y.", of_body<position, 1>},
    {"position_z_m", "m", last, "Position of the centre of mass along z.", of_body<position, 2>},
    {"velocity_x_m_s", "m/s", last, "Velocity of the centre of mass along x.", of_body<velocity, 0>},
    {"velocity_y_m_s", "m/s", last, "Velocity of the centre of mass along y.", of_body<velocity, 1>},
    {"velocity_z_m_s", "m/s", last, "Velocity of the centre of mass along z.", of_body<velocity, 2>},
    {"speed_m_s", "m/s", last, "Magnitude of the velocity.", nullptr, Form::size},
    {"angular_velocity_x_rad_s", "rad/s", last, "Angular velocity in world axes, along x.", of_body<spin, 0>},
    {"angular_velocity_y_rad_s", "rad/s", last, "Angular velocity in world axes, along y.", of_body<spin, 1>},
    {"angular_velocity_z_rad_s", "rad/s", last, "Angular velocity in world axes, along z.", of_body<spin, 2>},
};

constexpr Observable of_region[] = {
    {"largest_speed_m_s", "m/s", last, "Largest speed of any point of a body.", largest_speed},
    {"share_at_rest", "1", last, "Fraction of the bodies whose surface is not faster than `rest_speed`.", share_at_rest},
    {"bodies_in_region", "1", last, "Number of bodies whose centre is inside.", count_in_region, Form::count},
    {"mass_in_region_kg", "kg", last, "Mass of bodies whose centre is inside.", mass_in_region},
};
// clang-format on

}  // namespace

std::optional<BodyMotion> motion_of(const Bodies& bodies, BodyId id) {
  std::vector<BodyMotion> found;
  const auto at = std::ranges::find(bodies.id, id);
  if (at != bodies.id.end()) {
    const auto i = static_cast<std::size_t>(at - bodies.id.begin());
    found.push_back({bodies.position[i], {bodies.linear_velocity[i], bodies.angular_velocity[i]}});
  }
  found = of_all(bodies.ranks, found);
  return found.empty() ? std::nullopt : std::optional(found.front());
}

std::span<const Observable> observables(ObservedKind kind) {
  switch (kind) {
    case ObservedKind::run:
      return of_run;
    case ObservedKind::cell:
      return of_cell;
    case ObservedKind::boundary:
      return of_boundary;
    case ObservedKind::part:
      return of_parts;
    case ObservedKind::joint:
      return of_joint;
    case ObservedKind::machine:
      return of_machine;
    case ObservedKind::opening:
      return of_opening;
    case ObservedKind::bonds:
      return of_bonds;
    case ObservedKind::body:
      return of_one_body;
    case ObservedKind::region:
      return of_region;
  }
  return {};
}

}  // namespace scree
