// What measurements came to: their tables, and measurements.json.
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
  std::vector<double> time_s;               // [row] of its end
  std::vector<std::vector<double>> values;  // [column][row]
  std::optional<MeasuredTable> table;

  void add(double time, const std::vector<double>& row);
};

/// One without rows.
MeasuredSeries series_of(const Measuring& measuring);

/// "time_s,mass_flow_kg_s,..." and a row, without line ends.
std::string series_header(const std::vector<MeasuredColumn>& columns);
std::string series_row(double time, const std::vector<double>& row);

/// Takes the rows from the table that a run has written. Throws ReadError.
void read_series(const std::filesystem::path& file, MeasuredSeries& series);
/// Throws WriteError.
void write_series(const std::filesystem::path& file, const MeasuredSeries& series);
void write_measured_table(const std::filesystem::path& file, const MeasuredTable& table);

/// measurements.json, as docs/file_formats.md has it; `source`: "run" or "frames".
std::string measurements_json(const std::string& scene, const std::string& source,
                              const std::vector<MeasuredSeries>& all);

/// A table for people: a line for each quantity that has a value, with mean, error, least, median and
/// largest.
std::string measurements_text(const std::vector<MeasuredSeries>& all);

/// The first columns of each, a line a measurement.
std::string measurements_lines(const std::vector<MeasuredSeries>& all);

}  // namespace scree::io
