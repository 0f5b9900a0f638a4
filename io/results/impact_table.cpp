#include "io/results/impact_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <iterator>

#include "io/results/step_rows.h"

namespace scree::io {

namespace {

/// Columns of one of the two bodies, after its letter.
constexpr std::array body_columns{"x_m",
                                  "y_m",
                                  "z_m",
                                  "before_vx_m_s",
                                  "before_vy_m_s",
                                  "before_vz_m_s",
                                  "before_wx_rad_s",
                                  "before_wy_rad_s",
                                  "before_wz_rad_s",
                                  "after_vx_m_s",
                                  "after_vy_m_s",
                                  "after_vz_m_s",
                                  "after_wx_rad_s",
                                  "after_wy_rad_s",
                                  "after_wz_rad_s"};
constexpr const char* sides[] = {"a", "b"};

std::string header() {
  std::string names =
      "step,time_s,body_a,body_b,boundary,x_m,y_m,z_m,normal_x,normal_y,normal_z,approach_m_s,departure_m_s,"
      "impulse_x_N_s,impulse_y_N_s,impulse_z_N_s,friction_J,impact_J";
  for (const char* side : sides)
    for (const char* name : body_columns) names += fmt::format(",{}_{}", side, name);
  return names;
}

/// For one of the two: place of its centre, and its velocities before and after.
void append_body(std::string& row, const Vec3& centre, const Twist& before, const Twist& after) {
  auto out = std::back_inserter(row);
  for (const Vec3* v : {&centre, &before.linear, &before.angular, &after.linear, &after.angular})
    fmt::format_to(out, ",{},{},{}", v->x(), v->y(), v->z());
}

}  // namespace

ImpactTable::ImpactTable(const std::filesystem::path& path, const Boundaries& boundaries, std::int64_t at)
    : rows_(path, header(), at) {
  for (const Boundary& boundary : boundaries) names_.push_back(csv_field(boundary.name));
}

void ImpactTable::append(const StepReport& report, const Bodies& bodies, std::span<const Impact> impacts) {
  for (const Impact& impact : impacts) {
    const CollisionImpulse& s = impact.collision_impulse;
    const bool wall = is_boundary(impact.b);
    std::string& row = rows_.pending();
    auto out = std::back_inserter(row);
    const auto id = [&](std::int32_t slot) { return bodies.id[static_cast<std::size_t>(slot)]; };
    fmt::format_to(out, "{},{},{},{},{}", report.step, impact.time_s, id(impact.a),
                   wall ? std::string() : fmt::format("{}", id(impact.b)),
                   wall ? names_[boundary_of(impact.b)] : std::string());
    for (const Vec3* v : {&impact.point, &s.normal}) fmt::format_to(out, ",{},{},{}", v->x(), v->y(), v->z());
    fmt::format_to(out, ",{},{},{},{},{},{},{}", s.approach, s.departure, s.impulse.x(), s.impulse.y(),
                   s.impulse.z(), s.rubbed, s.bounced);
    append_body(row, impact.point - s.arm_a, impact.before_a, impact.after_a);
    if (wall)
      row.append(body_columns.size(), ',');
    else
      append_body(row, impact.point - impact.image - s.arm_b, impact.before_b, impact.after_b);
    row += '\n';
  }
  rows_.end_row();
}

RecordedImpacts::RecordedImpacts(const std::filesystem::path& path) {
  const StepRows rows(path);
  const std::vector<double>* time = rows.column("time_s");
  if (time == nullptr) return;
  for (const char* side : sides) {
    const std::vector<double>* id = rows.column(fmt::format("body_{}", side));
    if (id == nullptr) continue;  // only walls took part
    std::array<const std::vector<double>*, body_columns.size()> columns{};
    for (std::size_t k = 0; k < columns.size(); ++k)
      columns[k] = rows.column(fmt::format("{}_{}", side, body_columns[k]));
    if (std::ranges::find(columns, nullptr) != columns.end()) continue;
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      if (std::isnan((*id)[row])) continue;
      const auto vector = [&](std::size_t first) {
        return Vec3((*columns[first])[row], (*columns[first + 1])[row], (*columns[first + 2])[row]);
      };
      of_[static_cast<BodyId>((*id)[row])].push_back(
          {(*time)[row], vector(0), {vector(3), vector(6)}, {vector(9), vector(12)}});
    }
  }
  for (auto& [body, list] : of_) std::ranges::stable_sort(list, {}, &RecordedImpact::time_s);
}

std::span<const RecordedImpact> RecordedImpacts::between(BodyId body, double after_s, double until_s) const {
  const auto found = of_.find(body);
  if (found == of_.end()) return {};
  const auto first = std::ranges::upper_bound(found->second, after_s, {}, &RecordedImpact::time_s);
  return {first, std::ranges::upper_bound(found->second, until_s, {}, &RecordedImpact::time_s)};
}

}  // namespace scree::io
