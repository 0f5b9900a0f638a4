#include "io/results/boundary_table.h"

#include <fmt/format.h>
#include <iterator>

namespace scree::io {

BoundaryTable::BoundaryTable(const std::filesystem::path& path, const Boundaries& boundaries)
    : rows_(
          path,
          "step,time_s,boundary,force_x_N,force_y_N,force_z_N,torque_x_N_m,torque_y_N_m,torque_z_N_m,work_J,"
          "power_W") {
  for (const Boundary& b : boundaries) names_.push_back(csv_field(b.name));
}

void BoundaryTable::append(const StepReport& report, std::span<const BoundaryLoad> loads) {
  const double over = report.time_step_s > 0.0 ? 1.0 / report.time_step_s : 0.0;
  auto out = std::back_inserter(rows_.pending());
  for (std::size_t k = 0; k < loads.size(); ++k) {
    const Vec3 force = over * loads[k].impulse, torque = over * loads[k].angular_impulse;
    fmt::format_to(out, "{},{},{},{},{},{},{},{},{},{},{}\n", report.step, report.time_s, names_[k],
                   force.x(), force.y(), force.z(), torque.x(), torque.y(), torque.z(), loads[k].work,
                   over * loads[k].work);
  }
  rows_.end_row();
}

}  // namespace scree::io
