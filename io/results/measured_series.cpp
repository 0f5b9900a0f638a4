#include "io/results/measured_series.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "io/files/csv_file.h"
#include "io/files/file_errors.h"
#include "io/files/text_file.h"
#include "io/results/row_file.h"

namespace scree::io {

namespace {

using Json = nlohmann::ordered_json;

/// JSON has no NaN.
Json number(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

Json statistics_json(const std::string& unit, const SeriesStatistics& s) {
  return {{"unit", unit},
          {"mean", number(s.mean)},
          {"error", number(s.error)},
          {"deviation", number(s.deviation)},
          {"independent", number(s.independent)},
          {"drift", number(s.drift)},
          {"median", number(s.median)},
          {"least", number(s.least)},
          {"p01", number(s.p01)},
          {"p99", number(s.p99)},
          {"largest", number(s.largest)},
          {"last", number(s.last)}};
}

std::string joined_row(double first, const std::vector<double>& rest) {
  std::string text = fmt::format("{}", first);
  for (const double x : rest) text += fmt::format(",{}", x);
  return text;
}

/// "1.2345 +- 0.0012" with as many digits as the error justifies.
std::string with_error(double mean, double error) {
  if (!std::isfinite(mean)) return "-";
  if (!std::isfinite(error)) return fmt::format("{:.4g}", mean);
  constexpr double rounding = 1e-10;
  if (error <= rounding * std::abs(mean)) return fmt::format("{:.6g} ± 0", mean);
  const int digits = std::clamp(
      static_cast<int>(std::floor(std::log10(std::max(std::abs(mean), error)) - std::log10(error))) + 2, 1,
      12);
  return fmt::format("{:.{}g} ± {:.2g}", mean, digits, error);
}

/// Text for a series without a steady mean.
std::string drift_words(const SeriesStatistics& s) {
  if (s.is_steady()) return "";
  return fmt::format("  drifts by {:+.3g}", s.drift);
}

}  // namespace

void MeasuredSeries::add(double time, const std::vector<double>& row) {
  time_s.push_back(time);
  for (std::size_t k = 0; k < columns.size(); ++k) values[k].push_back(row[k]);
}

MeasuredSeries series_of(const Measuring& measuring) {
  MeasuredSeries series;
  series.name = measuring.plan().name;
  series.measure = to_string(measuring.plan().kind);
  series.columns = measuring.measurement().columns();
  series.headlines = measuring.measurement().headlines();
  series.values.resize(series.columns.size());
  series.table = measuring.measurement().table();
  return series;
}

std::string series_header(const std::vector<MeasuredColumn>& columns) {
  std::string text = "time_s";
  for (const MeasuredColumn& column : columns) text += ',' + csv_field(column.name);
  return text;
}

std::string series_row(double time, const std::vector<double>& row) { return joined_row(time, row); }

void read_series(const std::filesystem::path& file, MeasuredSeries& series) {
  const std::vector<CsvLine> lines = read_csv_lines(file);
  if (lines.empty()) throw ReadError(fmt::format("{} cannot be read", file.string()));
  for (std::size_t n = 1; n < lines.size(); ++n) {
    const std::vector<CsvField> fields = split_csv(lines[n].text, ',');
    if (fields.size() != series.columns.size() + 1) continue;  // incomplete
    std::vector<double> row;
    for (const CsvField& field : fields) row.push_back(csv_number(field.text));
    series.add(row[0], {row.begin() + 1, row.end()});
  }
}

void write_series(const std::filesystem::path& file, const MeasuredSeries& series) {
  std::string text = series_header(series.columns) + '\n';
  for (std::size_t n = 0; n < series.time_s.size(); ++n) {
    std::vector<double> row;
    for (const std::vector<double>& column : series.values) row.push_back(column[n]);
    text += series_row(series.time_s[n], row) + '\n';
  }
  write_whole_file(file, text);
}

void write_measured_table(const std::filesystem::path& file, const MeasuredTable& table) {
  std::string text;
  for (const MeasuredColumn& column : table.columns) {
    if (!text.empty()) text += ',';
    text += csv_field(column.name);
  }
  text += '\n';
  for (const std::vector<double>& row : table.rows)
    text += joined_row(row[0], {row.begin() + 1, row.end()}) + '\n';
  write_whole_file(file, text);
}

std::string measurements_json(const std::string& scene, const std::string& source,
                              const std::vector<MeasuredSeries>& all) {
  Json measurements = Json::object();
  for (const MeasuredSeries& series : all) {
    Json quantities = Json::object();
    for (std::size_t k = 0; k < series.columns.size(); ++k)
      quantities[series.columns[k].name] =
          statistics_json(series.columns[k].unit, series_statistics(series.values[k]));
    Json& one = measurements[series.name];
    one["measure"] = series.measure;
    one["from_s"] = series.time_s.empty() ? Json(nullptr) : number(series.time_s.front());
    one["to_s"] = series.time_s.empty() ? Json(nullptr) : number(series.time_s.back());
    one["samples"] = series.time_s.size();
    one["quantities"] = std::move(quantities);
  }
  const Json json{{"format", "scree measurements"},
                  {"format_version", 1},
                  {"scene", scene},
                  {"source", source},
                  {"measurements", std::move(measurements)}};
  return json.dump(2) + '\n';
}

namespace {

/// A column's value for users: its mean with error, or its last value.
std::string value_words(const MeasuredColumn& column, const SeriesStatistics& s) {
  return column.is_total ? fmt::format("{:.5g} in all", s.last) : with_error(s.mean, s.error);
}

/// The times at which nothing passed, before and after, which a mean of a flow hides.
std::string idle_words(const MeasuredSeries& series, std::size_t column) {
  constexpr std::size_t few = 2;  // rows
  const std::vector<double>& values = series.values[column];
  if (series.columns[column].is_total || !series.columns[column].name.starts_with("mass_flow")) return "";
  const auto passes = [](double x) { return x != 0.0; };
  const auto first = static_cast<std::size_t>(std::ranges::find_if(values, passes) - values.begin());
  if (first == values.size()) return "";
  std::size_t last = values.size();
  while (!passes(values[last - 1])) --last;
  std::string words;
  if (first >= few)
    words += fmt::format(" (nothing passed until t = {:g} s: give `from`)", series.time_s[first - 1]);
  if (last + few <= values.size())
    words += fmt::format(" (nothing passed after t = {:g} s: give `until`)", series.time_s[last - 1]);
  return words;
}

}  // namespace

std::string measurements_text(const std::vector<MeasuredSeries>& all) {
  std::string text;
  for (const MeasuredSeries& series : all) {
    if (series.time_s.empty()) {
      text += fmt::format("{} ({}): no rows\n", series.name, series.measure);
      continue;
    }
    text += fmt::format("{} ({}), {} rows to t = {:g} s\n", series.name, series.measure, series.time_s.size(),
                        series.time_s.back());
    text += fmt::format("  {:<34} {:>24} {:>11} {:>11} {:>11} {:>11}  {}\n", "", "mean ± error", "least",
                        "median", "99 %", "largest", "unit");
    for (std::size_t k = 0; k < series.columns.size(); ++k) {
      const SeriesStatistics s = series_statistics(series.values[k]);
      if (s.count == 0) continue;
      // The sign ± has two bytes.
      text +=
          fmt::format("  {:<34} {:>25} {:>11.4g} {:>11.4g} {:>11.4g} {:>11.4g}  {}\n", series.columns[k].name,
                      value_words(series.columns[k], s), s.least, s.median, s.p99, s.largest,
                      (series.columns[k].unit == "1" ? "" : series.columns[k].unit) +
                          (series.columns[k].is_total ? "" : drift_words(s)) + idle_words(series, k));
    }
  }
  return text;
}

std::string measurements_lines(const std::vector<MeasuredSeries>& all) {
  constexpr std::size_t most_columns = 3;
  std::string text = "measured (mean ± standard error; all columns: measurements.json):\n";
  for (const MeasuredSeries& series : all) {
    std::vector<std::string> shown;
    for (std::size_t k = 0; k < series.columns.size(); ++k) {
      const std::string& name = series.columns[k].name;
      const bool wanted = series.headlines.empty() ? shown.size() < most_columns
                                                   : std::ranges::count(series.headlines, name) > 0;
      if (!wanted) continue;
      const SeriesStatistics s = series_statistics(series.values[k]);
      if (s.count > 0)
        shown.push_back(fmt::format("{} {}{}{}", name, value_words(series.columns[k], s),
                                    s.is_steady() || series.columns[k].is_total ? "" : " (drifts)",
                                    idle_words(series, k)));
    }
    text += fmt::format("  {:<16} {}\n", series.name,
                        shown.empty() ? "nothing yet" : fmt::format("{}", fmt::join(shown, ", ")));
  }
  return text;
}

}  // namespace scree::io
