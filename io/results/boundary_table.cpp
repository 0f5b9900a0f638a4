#include "io/results/boundary_table.h"

namespace scree::io {

namespace {

constexpr LoadColumn<BoundaryLoad> boundary_columns[] = {
    {"force_x_N", [](const BoundaryLoad& l, double over) { return over * l.impulse.x(); }},
    {"force_y_N", [](const BoundaryLoad& l, double over) { return over * l.impulse.y(); }},
    {"force_z_N", [](const BoundaryLoad& l, double over) { return over * l.impulse.z(); }},
    {"torque_x_N_m", [](const BoundaryLoad& l, double over) { return over * l.angular_impulse.x(); }},
    {"torque_y_N_m", [](const BoundaryLoad& l, double over) { return over * l.angular_impulse.y(); }},
    {"torque_z_N_m", [](const BoundaryLoad& l, double over) { return over * l.angular_impulse.z(); }},
    {"work_J", [](const BoundaryLoad& l, double) { return l.work; }},
    {"power_W", [](const BoundaryLoad& l, double over) { return over * l.work; }},
};
/// Not written: they follow from the columns.
constexpr LoadColumn<BoundaryLoad> sizes[] = {
    {"force_N", [](const BoundaryLoad& l, double over) { return over * l.impulse.norm(); }},
    {"torque_N_m", [](const BoundaryLoad& l, double over) { return over * l.angular_impulse.norm(); }},
};

}  // namespace

std::vector<std::string> boundary_quantities() {
  std::vector<std::string> names = column_names<BoundaryLoad>(boundary_columns);
  std::ranges::copy(column_names<BoundaryLoad>(sizes), std::back_inserter(names));
  return names;
}

double boundary_quantity(const std::string& name, const BoundaryLoad& load, double time_step_s) {
  const LoadColumn<BoundaryLoad>* found = find_column<BoundaryLoad>(boundary_columns, name);
  if (found == nullptr) found = find_column<BoundaryLoad>(sizes, name);
  return found->value(load, inverse_step(time_step_s));
}

BoundaryTable::BoundaryTable(const std::filesystem::path& path, const Boundaries& boundaries, std::int64_t at)
    : LoadTable(path, "boundary", boundaries, boundary_columns, at) {}

BoundaryTable::BoundaryTable(const std::filesystem::path& path,
                             const std::vector<KinematicGroup>& kinematic_groups, std::int64_t at)
    : LoadTable(path, "bodies", kinematic_groups, boundary_columns, at) {}

}  // namespace scree::io
