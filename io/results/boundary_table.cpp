#include "io/results/boundary_table.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace scree::io {

namespace {

/// What a row says of a load; `over` is one over the length of the step, 1/s.
struct Column {
  const char* name;
  double (*value)(const BoundaryLoad& load, double over);
};

using Load = BoundaryLoad;
constexpr Column columns[] = {
    {"force_x_N", [](const Load& l, double over) { return over * l.impulse.x(); }},
    {"force_y_N", [](const Load& l, double over) { return over * l.impulse.y(); }},
    {"force_z_N", [](const Load& l, double over) { return over * l.impulse.z(); }},
    {"torque_x_N_m", [](const Load& l, double over) { return over * l.angular_impulse.x(); }},
    {"torque_y_N_m", [](const Load& l, double over) { return over * l.angular_impulse.y(); }},
    {"torque_z_N_m", [](const Load& l, double over) { return over * l.angular_impulse.z(); }},
    {"work_J", [](const Load& l, double) { return l.work; }},
    {"power_W", [](const Load& l, double over) { return over * l.work; }},
};
/// Not written: they follow from the columns.
constexpr Column sizes[] = {
    {"force_N", [](const Load& l, double over) { return over * l.impulse.norm(); }},
    {"torque_N_m", [](const Load& l, double over) { return over * l.angular_impulse.norm(); }},
};

std::string header() {
  std::string text = "step,time_s,boundary";
  for (const Column& column : columns) text += std::string(",") + column.name;
  return text;
}

double inverse(double time_step_s) { return time_step_s > 0.0 ? 1.0 / time_step_s : 0.0; }

}  // namespace

std::vector<std::string> boundary_quantities() {
  std::vector<std::string> names;
  for (const Column& column : columns) names.emplace_back(column.name);
  for (const Column& column : sizes) names.emplace_back(column.name);
  return names;
}

double boundary_quantity(const std::string& name, const BoundaryLoad& load, double time_step_s) {
  const auto named = [&](const Column& column) { return name == column.name; };
  const Column* found = std::ranges::find_if(columns, named);
  if (found == std::end(columns)) found = std::ranges::find_if(sizes, named);
  return found->value(load, inverse(time_step_s));
}

BoundaryTable::BoundaryTable(const std::filesystem::path& path, const Boundaries& boundaries, std::int64_t at)
    : rows_(path, header(), at) {
  for (const Boundary& b : boundaries) names_.push_back(csv_field(b.name));
}

void BoundaryTable::append(const StepReport& report, std::span<const BoundaryLoad> loads) {
  const double over = inverse(report.time_step_s);
  auto out = std::back_inserter(rows_.pending());
  for (std::size_t k = 0; k < loads.size(); ++k) {
    fmt::format_to(out, "{},{},{}", report.step, report.time_s, names_[k]);
    for (const Column& column : columns) fmt::format_to(out, ",{}", column.value(loads[k], over));
    rows_.pending() += '\n';
  }
  rows_.end_row();
}

}  // namespace scree::io
