#include "io/results/step_table.h"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>
#include <iterator>
#include <string_view>
#include <variant>

#include "engine/core/state_hash.h"

namespace scree::io {

namespace {

using Value = std::variant<std::int64_t, double, const char*>;

struct Column {
  const char* name;
  Value (*value)(const StepReport& report);
};

using Report = StepReport;
constexpr Column step_columns[] = {
    {"step", [](const Report& r) -> Value { return r.step; }},
    {"time_s", [](const Report& r) -> Value { return r.time_s; }},
    {"time_step_s", [](const Report& r) -> Value { return r.time_step_s; }},
    {"bodies", [](const Report& r) -> Value { return r.bodies; }},
    {"bodies_entered", [](const Report& r) -> Value { return r.insertion.entered; }},
    {"bodies_left", [](const Report& r) -> Value { return r.insertion.left; }},
    {"mass_entered_kg", [](const Report& r) -> Value { return r.insertion.mass_entered; }},
    {"mass_left_kg", [](const Report& r) -> Value { return r.insertion.mass_left; }},
    {"bodies_in_collision", [](const Report& r) -> Value { return r.bodies_in_collision; }},
    {"asleep", [](const Report& r) -> Value { return r.asleep; }},
    {"woken", [](const Report& r) -> Value { return r.woken; }},
    {"candidates", [](const Report& r) -> Value { return r.candidates; }},
    {"contacts", [](const Report& r) -> Value { return r.contacts; }},
    {"active_contacts", [](const Report& r) -> Value { return r.active_contacts; }},
    {"bonds", [](const Report& r) -> Value { return r.bonds; }},
    {"bonds_formed", [](const Report& r) -> Value { return r.bonds_formed; }},
    {"bonds_broken", [](const Report& r) -> Value { return r.bonds_broken; }},
    {"bond_use", [](const Report& r) -> Value { return r.bond_use; }},
    {"impacts", [](const Report& r) -> Value { return r.impacts; }},
    {"ballistic", [](const Report& r) -> Value { return r.ballistic; }},
    {"laid_down", [](const Report& r) -> Value { return r.laid_down; }},
    {"risen", [](const Report& r) -> Value { return r.risen; }},
    {"overran", [](const Report& r) -> Value { return std::int64_t{r.overran}; }},
    {"touching", [](const Report& r) -> Value { return r.touching; }},
    {"narrow_phase_failures", [](const Report& r) -> Value { return r.narrow_phase_failures; }},
    {"solver_status", [](const Report& r) -> Value { return to_string(r.status); }},
    {"sweeps", [](const Report& r) -> Value { return std::int64_t{r.sweeps}; }},
    {"halvings", [](const Report& r) -> Value { return std::int64_t{r.halvings}; }},
    {"residual_rms_m_s", [](const Report& r) -> Value { return r.residual_rms_m_s; }},
    {"residual_max_m_s", [](const Report& r) -> Value { return r.residual_max_m_s; }},
    {"residual_rms_relative", [](const Report& r) -> Value { return r.residual_rms_relative; }},
    {"velocity_scale_m_s", [](const Report& r) -> Value { return r.velocity_scale_m_s; }},
    {"penetration_max", [](const Report& r) -> Value { return r.penetration_max; }},
    {"penetration_mean", [](const Report& r) -> Value { return r.penetration_mean; }},
    {"kinetic_energy_J", [](const Report& r) -> Value { return r.energy.kinetic; }},
    {"potential_energy_J", [](const Report& r) -> Value { return r.energy.potential; }},
    {"dissipated_by_friction_J", [](const Report& r) -> Value { return r.energy.dissipated_by_friction; }},
    {"dissipated_by_impact_J", [](const Report& r) -> Value { return r.energy.dissipated_by_impact; }},
    {"dissipated_by_sleep_J", [](const Report& r) -> Value { return r.energy.dissipated_by_sleep; }},
    {"position_correction_J", [](const Report& r) -> Value { return r.energy.position_correction; }},
    {"boundary_work_J", [](const Report& r) -> Value { return r.energy.boundary_work; }},
    {"force_work_J", [](const Report& r) -> Value { return r.energy.force_work; }},
    {"joint_work_J", [](const Report& r) -> Value { return r.energy.joint_work; }},
    {"elastic_energy_J", [](const Report& r) -> Value { return r.energy.elastic; }},
    {"energy_exchanged_J", [](const Report& r) -> Value { return r.energy.exchanged; }},
    {"energy_remainder_J", [](const Report& r) -> Value { return r.energy.remainder; }},
    {"energy_injected_J", [](const Report& r) -> Value { return r.energy_injected_J; }},
    {"momentum_x_kg_m_s", [](const Report& r) -> Value { return r.linear_momentum.x(); }},
    {"momentum_y_kg_m_s", [](const Report& r) -> Value { return r.linear_momentum.y(); }},
    {"momentum_z_kg_m_s", [](const Report& r) -> Value { return r.linear_momentum.z(); }},
    {"angular_momentum_x_kg_m2_s", [](const Report& r) -> Value { return r.angular_momentum.x(); }},
    {"angular_momentum_y_kg_m2_s", [](const Report& r) -> Value { return r.angular_momentum.y(); }},
    {"angular_momentum_z_kg_m2_s", [](const Report& r) -> Value { return r.angular_momentum.z(); }},
    {"boundary_impulse_x_N_s", [](const Report& r) -> Value { return r.boundary_impulse.x(); }},
    {"boundary_impulse_y_N_s", [](const Report& r) -> Value { return r.boundary_impulse.y(); }},
    {"boundary_impulse_z_N_s", [](const Report& r) -> Value { return r.boundary_impulse.z(); }},
    {"boundary_angular_impulse_x_N_m_s",
     [](const Report& r) -> Value { return r.boundary_angular_impulse.x(); }},
    {"boundary_angular_impulse_y_N_m_s",
     [](const Report& r) -> Value { return r.boundary_angular_impulse.y(); }},
    {"boundary_angular_impulse_z_N_m_s",
     [](const Report& r) -> Value { return r.boundary_angular_impulse.z(); }},
    {"sleep_impulse_x_N_s", [](const Report& r) -> Value { return r.sleep_impulse.x(); }},
    {"sleep_impulse_y_N_s", [](const Report& r) -> Value { return r.sleep_impulse.y(); }},
    {"sleep_impulse_z_N_s", [](const Report& r) -> Value { return r.sleep_impulse.z(); }},
    {"sleep_angular_impulse_x_N_m_s", [](const Report& r) -> Value { return r.sleep_angular_impulse.x(); }},
    {"sleep_angular_impulse_y_N_m_s", [](const Report& r) -> Value { return r.sleep_angular_impulse.y(); }},
    {"sleep_angular_impulse_z_N_m_s", [](const Report& r) -> Value { return r.sleep_angular_impulse.z(); }},
    {"momentum_exchanged_x_kg_m_s", [](const Report& r) -> Value { return r.insertion.linear_momentum.x(); }},
    {"momentum_exchanged_y_kg_m_s", [](const Report& r) -> Value { return r.insertion.linear_momentum.y(); }},
    {"momentum_exchanged_z_kg_m_s", [](const Report& r) -> Value { return r.insertion.linear_momentum.z(); }},
    {"angular_momentum_exchanged_x_kg_m2_s",
     [](const Report& r) -> Value { return r.insertion.angular_momentum.x(); }},
    {"angular_momentum_exchanged_y_kg_m2_s",
     [](const Report& r) -> Value { return r.insertion.angular_momentum.y(); }},
    {"angular_momentum_exchanged_z_kg_m2_s",
     [](const Report& r) -> Value { return r.insertion.angular_momentum.z(); }},
    {"momentum_error_relative", [](const Report& r) -> Value { return r.momentum_error_relative; }},
    {"angular_momentum_error_relative",
     [](const Report& r) -> Value { return r.angular_momentum_error_relative; }},
    {"preparation_time_s", [](const Report& r) -> Value { return r.time.preparation; }},
    {"detection_time_s", [](const Report& r) -> Value { return r.time.detection; }},
    {"resolution_time_s", [](const Report& r) -> Value { return r.time.resolution; }},
    {"finish_time_s", [](const Report& r) -> Value { return r.time.finish; }},
};

/// Is it a number, and not a wall time?
bool is_quantity(const Column& column) {
  const std::string_view name = column.name;
  const bool is_word = std::holds_alternative<const char*>(column.value(Report{}));
  return !is_word && (name == "time_s" || !name.ends_with("_time_s"));
}

}  // namespace

std::vector<std::string> step_quantities() {
  std::vector<std::string> names;
  for (const Column& column : step_columns)
    if (is_quantity(column)) names.emplace_back(column.name);
  return names;
}

double step_quantity(const std::string& name, const StepReport& report) {
  const Column* found =
      std::ranges::find_if(step_columns, [&](const Column& column) { return name == column.name; });
  const Value value = found->value(report);
  if (const auto* count = std::get_if<std::int64_t>(&value)) return static_cast<double>(*count);
  return std::get<double>(value);
}

std::string step_table_header() {
  std::string header;
  for (const Column& column : step_columns) header += std::string(column.name) + ",";
  return header + "state_hash";
}

StepTable::StepTable(const std::filesystem::path& path, std::int64_t at)
    : rows_(path, step_table_header(), at) {}

void StepTable::append(const StepReport& report, std::uint64_t state_hash) {
  rows_.end_row();  // of the step before, where nobody did
  auto out = std::back_inserter(rows_.pending());
  for (const Column& column : step_columns) {
    // fmt writes the shortest text that reads back as the same double.
    std::visit([&](const auto& value) { fmt::format_to(out, "{},", value); }, column.value(report));
  }
  fmt::format_to(out, "{}\n", hash_text(state_hash));
}

void StepTable::amend(std::uint64_t state_hash) {
  const std::string hash = hash_text(state_hash) + "\n";
  std::string& row = rows_.pending();
  assert(row.size() > hash.size());
  row.replace(row.size() - hash.size(), hash.size(), hash);
}

}  // namespace scree::io
