#include "io/results/joint_table.h"

namespace scree::io {

namespace {

constexpr LoadColumn<JointLoad> joint_columns[] = {
    {"coordinate", [](const JointLoad& l, double) { return l.coordinate; }},
    {"rate", [](const JointLoad& l, double) { return l.rate; }},
    {"force_x_N", [](const JointLoad& l, double over) { return over * l.impulse[0]; }},
    {"force_y_N", [](const JointLoad& l, double over) { return over * l.impulse[1]; }},
    {"force_z_N", [](const JointLoad& l, double over) { return over * l.impulse[2]; }},
    {"torque_x_N_m", [](const JointLoad& l, double over) { return over * l.angular_impulse[0]; }},
    {"torque_y_N_m", [](const JointLoad& l, double over) { return over * l.angular_impulse[1]; }},
    {"torque_z_N_m", [](const JointLoad& l, double over) { return over * l.angular_impulse[2]; }},
    {"motor_force", [](const JointLoad& l, double over) { return over * l.motor_impulse; }},
    {"spring_force", [](const JointLoad& l, double over) { return over * l.spring_impulse; }},
    {"friction_force", [](const JointLoad& l, double over) { return over * l.friction_impulse; }},
    {"stop_force", [](const JointLoad& l, double over) { return over * l.stop_impulse; }},
    {"motor_work_J", [](const JointLoad& l, double) { return l.motor_work; }},
    {"spring_work_J", [](const JointLoad& l, double) { return l.spring_work; }},
    {"friction_work_J", [](const JointLoad& l, double) { return l.friction_work; }},
    {"stop_work_J", [](const JointLoad& l, double) { return l.stop_work; }},
    {"hold_work_J", [](const JointLoad& l, double) { return l.hold_work; }},
    {"error", [](const JointLoad& l, double) { return l.error; }},
    {"redundant_rows", [](const JointLoad& l, double) { return double(l.redundant); }},
};

using Machine = MachineReport;
constexpr LoadColumn<Machine> machine_columns[] = {
    {"kinetic_energy_J", [](const Machine& m, double) { return m.kinetic; }},
    {"potential_energy_J", [](const Machine& m, double) { return m.potential; }},
    {"elastic_energy_J", [](const Machine& m, double) { return m.elastic; }},
    {"contact_work_J", [](const Machine& m, double) { return m.contact_work; }},
    {"motor_work_J", [](const Machine& m, double) { return m.motor_work; }},
    {"spring_work_J", [](const Machine& m, double) { return m.spring_work; }},
    {"friction_work_J", [](const Machine& m, double) { return m.friction_work; }},
    {"stop_work_J", [](const Machine& m, double) { return m.stop_work; }},
    {"hold_work_J", [](const Machine& m, double) { return m.hold_work; }},
    {"joint_work_on_parts_J", [](const Machine& m, double) { return m.work_on_parts; }},
    {"gravity_work_J", [](const Machine& m, double) { return m.force_work; }},
    {"correction_J", [](const Machine& m, double) { return m.correction; }},
    {"remainder_J", [](const Machine& m, double) { return m.remainder; }},
};

}  // namespace

std::vector<std::string> joint_quantities() { return column_names<JointLoad>(joint_columns); }

double joint_quantity(const std::string& name, const JointLoad& load, double time_step_s) {
  return find_column<JointLoad>(joint_columns, name)->value(load, inverse_step(time_step_s));
}

JointTable::JointTable(const std::filesystem::path& path, const std::vector<MachineJoint>& joints,
                       std::int64_t at)
    : LoadTable(path, "joint", joints, joint_columns, at) {}

MachineTable::MachineTable(const std::filesystem::path& path, std::int64_t at)
    : LoadTable(path, machine_columns, at) {}

}  // namespace scree::io
