// Tables with a row for every step and part of a scene: what was done to it, or by it.
#pragma once

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "engine/simulation/diagnostics.h"
#include "io/results/row_file.h"

namespace scree::io {

/// What a row says of a load; `over` is one over the length of the step, 1/s.
template <class Load>
struct LoadColumn {
  const char* name;
  double (*value)(const Load& load, double over);
};

inline double inverse_step(double time_step_s) { return time_step_s > 0.0 ? 1.0 / time_step_s : 0.0; }

/// `step, time_s`, the part's name, and the columns. Members throw WriteError.
template <class Load>
class LoadTable {
 public:
  /// `part`: the heading of the parts' names; `at`: 0, or where to go on, as of RowFile.
  LoadTable(const std::filesystem::path& path, const char* part, const auto& parts,
            std::span<const LoadColumn<Load>> columns, std::int64_t at)
      : columns_(columns), rows_(path, header(std::string(",") + part, columns), at) {
    for (const auto& named : parts) names_.push_back(',' + csv_field(named.name));
  }
  /// Of the one part that there is, without a name.
  LoadTable(const std::filesystem::path& path, std::span<const LoadColumn<Load>> columns, std::int64_t at)
      : columns_(columns), rows_(path, header("", columns), at) {}

  void append(const StepReport& report, std::span<const Load> loads) {
    const double over = inverse_step(report.time_step_s);
    auto out = std::back_inserter(rows_.pending());
    for (std::size_t k = 0; k < loads.size(); ++k) {
      fmt::format_to(out, "{},{}{}", report.step, report.time_s, names_.empty() ? "" : names_[k]);
      for (const auto& column : columns_) fmt::format_to(out, ",{}", column.value(loads[k], over));
      rows_.pending() += '\n';
    }
    rows_.end_row();
  }
  std::int64_t sync() { return rows_.sync(); }
  void close() { rows_.close(); }

 private:
  static std::string header(const std::string& part, std::span<const LoadColumn<Load>> columns) {
    std::string text = "step,time_s" + part;
    for (const auto& column : columns) text += std::string(",") + column.name;
    return text;
  }

  std::vector<std::string> names_;  // as CSV has them
  std::span<const LoadColumn<Load>> columns_;
  RowFile rows_;
};

template <class Load>
std::vector<std::string> column_names(std::span<const LoadColumn<Load>> columns) {
  std::vector<std::string> names;
  for (const auto& column : columns) names.emplace_back(column.name);
  return names;
}

/// The column of this name, or null.
template <class Load>
const LoadColumn<Load>* find_column(std::span<const LoadColumn<Load>> columns, const std::string& name) {
  const auto found = std::ranges::find_if(columns, [&](const auto& c) { return name == c.name; });
  return found == columns.end() ? nullptr : &*found;
}

}  // namespace scree::io
