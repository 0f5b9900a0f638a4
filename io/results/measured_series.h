// Results of measurements: their tables, and measurements.json.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/measurements/measurement.h"
#include "io/results/series_statistics.h"

namespace scree::io {

/// The rows of one measurement.
struct MeasuredSeries {
  std::string name, measure;  // "discharge", "flow"
  std::vector<MeasuredColumn> columns;
  std::vector<std::string> headlines;       // names of the columns for a line; empty: the first ones
  std::vector<double> time_s;               // [row] end of the row's time
  std::vector<std::vector<double>> values;  // [column][row]
  std::optional<MeasuredTable> table;

  void add(double time, const std::vector<double>& row);
};

/// A series without rows.
MeasuredSeries series_of(const Measuring& measuring);

/// "time_s,mass_flow_kg_s,..." and a row, without line ends.
std::string series_header(const std::vector<MeasuredColumn>& columns);
std::string series_row(double time, const std::vector<double>& row);

/// Reads the rows from the table of a run. Throws ReadError.
void read_series(const std::filesystem::path& file, MeasuredSeries& series);
/// Throws WriteError.
void write_series(const std::filesystem::path& file, const MeasuredSeries& series);
void write_measured_table(const std::filesystem::path& file, const MeasuredTable& table);

/// measurements.json, see docs/file_formats.md; `source`: "run" or "frames".
std::string measurements_json(const std::string& scene, const std::string& source,
                              const std::vector<MeasuredSeries>& all);

/// A table for users: a line for each quantity with a value, with mean, error, least, median, 99th percentile
/// and largest.
std::string measurements_text(const std::vector<MeasuredSeries>& all);

/// The headlines of each, or its first columns, one line per measurement.
std::string measurements_lines(const std::vector<MeasuredSeries>& all);

}  // namespace scree::io
