#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>
#include <optional>
#include <utility>

#include "engine/simulation/observables.h"
#include "io/files/csv_file.h"
#include "io/report/plots.h"
#include "io/results/column_label.h"
#include "io/results/verdict.h"

namespace scree::io {

namespace {

/// Reduction of the steps at a point of a diagram to one number.
enum class Reduce { last, mean, most };

/// A line of a diagram: `column` of the table times `factor`.
struct Line {
  std::string column, name;
  double factor = 1.0;
};

class Thinner {
 public:
  Thinner(std::size_t rows, std::size_t points) : rows_(rows), points_(std::min(rows, points)) {}

  std::vector<double> operator()(const std::vector<double>& values, Reduce reduce,
                                 double factor = 1.0) const {
    std::vector<double> result;
    for (std::size_t p = 0; p < points_; ++p) {
      const auto first = values.begin() + static_cast<std::ptrdiff_t>(p * rows_ / points_);
      const auto end = values.begin() + static_cast<std::ptrdiff_t>((p + 1) * rows_ / points_);
      const double value = reduce == Reduce::last ? *(end - 1)
                           : reduce == Reduce::most
                               ? *std::max_element(first, end)
                               : std::accumulate(first, end, 0.0) / static_cast<double>(end - first);
      result.push_back(factor * value);
    }
    return result;
  }

 private:
  std::size_t rows_, points_;
};

std::string spaced(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

/// The flows of energy: all columns in J except the energies themselves.
std::vector<Line> flows(const StepRows& rows) {
  std::vector<Line> lines;
  for (const std::string& name : rows.names()) {
    if (!name.ends_with("_J") || name.ends_with("_energy_J")) continue;  // energies themselves
    std::string shown = spaced(name.substr(0, name.size() - 2));
    lines.push_back({name, shown});
  }
  return lines;
}

class StepPlots {
 public:
  StepPlots(const StepRows& rows, std::size_t points) : rows_(rows), thin_(rows.rows(), points) {
    if (const auto* time = rows.column("time_s")) time_ = thin_(*time, Reduce::last);
  }

  void add(Plot plot, const std::vector<Line>& lines, Reduce reduce, bool summed = false) {
    begin(plot);
    for (const Line& line : lines) {
      const std::vector<double>* values = rows_.column(line.column);
      if (!values) continue;
      std::vector<double> sums = *values;
      if (summed) std::partial_sum(values->begin(), values->end(), sums.begin());
      plot.series.push_back({line.name, thin_(sums, reduce, line.factor)});
    }
    if (!plot.series.empty() && !plot.x.empty()) plots_.push_back(std::move(plot));
  }

  /// Common data of all diagrams over the steps.
  void begin(Plot& plot) const {
    plot.over_time = true;
    plot.x_label = "time, s";
    plot.x = time_;
  }
  /// Points of a line: means of the steps at one point.
  std::vector<double> means(const std::vector<double>& values) const { return thin_(values, Reduce::mean); }

  std::vector<Plot> take() { return std::move(plots_); }

 private:
  const StepRows& rows_;
  Thinner thin_;
  std::vector<double> time_;
  std::vector<Plot> plots_;
};

/// Limits above which the verdict is amber, and red.
std::vector<Limit> verdict_lines(const VerdictLimit& limit, double factor) {
  return {{"amber above", factor * limit.amber, "#d99a00"}, {"red above", factor * limit.red, "#c0392b"}};
}

bool varies(const std::vector<double>* values) {
  return values && !values->empty() &&
         *std::max_element(values->begin(), values->end()) >
             *std::min_element(values->begin(), values->end());
}

Plot titled(const std::string& title, const std::string& y_label, const std::string& note = "") {
  Plot plot;
  plot.title = title;
  plot.y_label = y_label;
  plot.note = note;
  return plot;
}

constexpr std::size_t most_parts = 12;  // largest number of distinguishable lines of a diagram

/// A table with a row per step and part.
class PartTables {
 public:
  PartTables(const std::filesystem::path& file, const std::string& column, std::vector<std::string> names,
             std::size_t points)
      : names_(std::move(names)), points_(points) {
    std::error_code error;
    if (!std::filesystem::exists(file, error)) names_.clear();
    if (names_.size() > most_parts) names_.resize(most_parts);
    for (const std::string& name : names_) rows_.emplace_back(file, column, name);
  }

  /// Adds a line for each part whose values are not always 0.
  void add(Plot plot, const std::string& column, std::vector<Plot>& plots) const {
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      const std::vector<double>* const values = rows_[k].column(column);
      if (values == nullptr || std::ranges::all_of(*values, [](double x) { return !(std::abs(x) > 0.0); }))
        continue;
      const StepPlots part(rows_[k], points_);
      part.begin(plot);
      plot.series.push_back({names_[k], part.means(*values)});
    }
    if (!plot.series.empty() && !plot.x.empty()) plots.push_back(std::move(plot));
  }

 private:
  std::vector<std::string> names_;
  std::size_t points_;
  std::vector<StepRows> rows_;
};

/// The distinct texts in a column of a table, in the order of their first rows.
std::vector<std::string> parts_of(const std::filesystem::path& file, std::size_t column) {
  std::ifstream in(file);
  std::vector<std::string> names;
  std::string line, first_step;
  std::getline(in, line);
  while (std::getline(in, line)) {
    const std::vector<CsvField> fields = split_csv(line, ',');
    if (column >= fields.size()) break;
    if (first_step.empty()) first_step = fields[0].text;
    if (fields[0].text != first_step) break;
    names.push_back(csv_text(fields[column].text));
  }
  return names;
}

/// A diagram of a quantity of all parts of a kind, over the steps.
struct PartDiagram {
  ObservedKind kind;
  const char* quantity;
  const char* title;
  const char* of_what = "";  // beside the unit
};
constexpr PartDiagram part_diagrams[] = {
    {ObservedKind::boundary, "force_N", "Force on boundaries"},
    {ObservedKind::boundary, "torque_N_m", "Torque on boundaries"},
    {ObservedKind::boundary, "power_W", "Power of boundaries", "done on the bodies"},
    {ObservedKind::part, "force_N", "Force on parts"},
    {ObservedKind::part, "torque_N_m", "Torque on parts"},
    {ObservedKind::part, "power_W", "Power of parts", "done on the bodies"},
    {ObservedKind::part, "travel", "Travel of parts"},
    {ObservedKind::part, "contact_force", "Force of bodies along or about the axes of parts"},
    {ObservedKind::joint, "coordinate", "Joints", "of their coordinates"},
    {ObservedKind::joint, "motor_force", "Forces of motors"},
    {ObservedKind::joint, "force_N", "Reactions of joints", "on b"},
    {ObservedKind::opening, "mass_kg", "Mass through inlets and outlets", "since the start"},
};

constexpr const char* mean_note = "Mean of the steps that share a point.";

void add_part_diagrams(const RunFolder& folder, std::size_t points, std::vector<Plot>& plots) {
  std::optional<PartTables> table;  // of the kind before
  const char* read = nullptr;
  for (const PartDiagram& diagram : part_diagrams) {
    const ObservedKindWords& words = words_of(diagram.kind);
    if (read != words.table) {
      const std::filesystem::path file = folder.table(words.table);
      table.emplace(file, words.key, parts_of(file, 2), points);
      read = words.table;
    }
    const Observable& quantity = *find_observable(diagram.kind, diagram.quantity);
    std::string unit = quantity.unit;
    if (const std::size_t bar = unit.find('|'); bar != std::string::npos) unit.replace(bar, 1, " or ");
    if (*diagram.of_what != '\0') unit += std::string(", ") + diagram.of_what;
    table->add(titled(diagram.title, unit, quantity.over == OverSteps::mean ? mean_note : ""),
               diagram.quantity, plots);
  }
}

/// The first quantities of each measurement, a diagram for each: "mass_flow_kg_s" of all classes of bodies.
void add_measurements(const RunFolder& folder, std::size_t points, std::vector<Plot>& plots) {
  constexpr std::size_t most_quantities = 3;
  for (const std::filesystem::path& file : folder.tables()) {
    const std::string stem = file.stem().string(), before = "measured_";
    if (!stem.starts_with(before)) continue;
    const StepRows rows(file);
    StepPlots of_rows(rows, points);
    std::vector<std::pair<std::string, std::vector<Line>>> quantities;
    for (const std::string& name : rows.names()) {
      if (name == "time_s") continue;
      const std::string quantity = name.substr(0, name.find('.'));
      if (quantities.empty() || quantities.back().first != quantity) quantities.push_back({quantity, {}});
      if (quantities.back().second.size() < most_parts)
        quantities.back().second.push_back({name, label_of(name).quantity});
    }
    for (std::size_t k = 0; k < std::min(quantities.size(), most_quantities); ++k) {
      const ColumnLabel label = label_of(quantities[k].first);
      of_rows.add(titled(stem.substr(before.size()) + ": " + label.quantity, label.unit, mean_note),
                  quantities[k].second, Reduce::mean);
    }
    for (Plot& plot : of_rows.take()) plots.push_back(std::move(plot));
  }
}

}  // namespace

std::vector<Plot> load_plots(const RunFolder& folder, std::size_t points) {
  std::vector<Plot> plots;
  add_measurements(folder, points, plots);
  add_part_diagrams(folder, points, plots);
  const StepRows models(folder.table("models"));
  StepPlots of_models(models, points);
  std::size_t shown = 0;
  for (const std::string& name : models.names())
    if (name != "step" && name != "time_s" && shown++ < most_parts)
      of_models.add(titled("Model: " + name, "in the model's unit", mean_note), {Line{name, name}},
                    Reduce::mean);
  for (Plot& plot : of_models.take()) plots.push_back(std::move(plot));
  const StepRows cell(folder.table("cell"));
  StepPlots of_cell(cell, points);
  of_cell.add(titled("Stress of the cell", "Pa, of contacts and bonds; pressed is positive", mean_note),
              {{"stress_xx_Pa", "xx"},
               {"stress_yy_Pa", "yy"},
               {"stress_zz_Pa", "zz"},
               {"stress_xy_Pa", "xy"},
               {"stress_xz_Pa", "xz"},
               {"stress_yz_Pa", "yz"}},
              Reduce::mean);
  of_cell.add(titled("Solid fraction of the cell", "1"), {{"solid_fraction", "solid fraction"}},
              Reduce::last);
  for (Plot& plot : of_cell.take()) plots.push_back(std::move(plot));
  return plots;
}

std::vector<Plot> step_plots(const StepRows& rows, std::size_t points) {
  StepPlots plots(rows, points);
  std::vector<Line> energies{{"kinetic_energy_J", "kinetic"}, {"potential_energy_J", "potential"}};
  if (varies(rows.column("elastic_energy_J")))
    energies.push_back({"elastic_energy_J", "elastic, in bonds and contacts"});
  plots.add(titled("Energy", "J"), energies, Reduce::last);
  plots.add(titled("Energy ledger", "J, since the start", "What each term has taken or given in all."),
            flows(rows), Reduce::last, true);
  plots.add(titled("Contacts", "number"),
            {{"contacts", "found"},
             {"active_contacts", "with an impulse"},
             {"touching", "touching"},
             {"bodies_in_collision", "bodies with an impulse"}},
            Reduce::last);
  if (varies(rows.column("bonds"))) plots.add(titled("Bonds", "number"), {{"bonds", "bonds"}}, Reduce::last);
  Plot overlap = titled("Overlap", "% of the smallest semi-axis", "Largest of the steps that share a point.");
  overlap.logarithmic = true;
  overlap.limits = verdict_lines(overlap_limit, 100.0);
  std::vector<Line> overlaps{{"penetration_max", "largest", 100.0}, {"penetration_mean", "mean", 100.0}};
  if (varies(rows.column("compression_max")))
    overlaps.push_back({"compression_max", "elastic compression", 100.0});
  plots.add(overlap, overlaps, Reduce::most);
  Plot residual = titled("Residual", "of gravity x time step",
                         "Error of the contact problem, root of the mean square; "
                         "largest of the steps that share a point.");
  residual.logarithmic = true;
  plots.add(residual, {{"residual_rms_relative", "residual"}}, Reduce::most);
  if (varies(rows.column("time_step_s")))
    plots.add(titled("Time step", "ms"), {{"time_step_s", "adaptive", 1e3}}, Reduce::mean);
  plots.add(titled("Solver sweeps", "a step"), {{"sweeps", "sweeps"}}, Reduce::mean);
  // Without the verdict's lines: those are for the run, in which each step is weighted by its impulses.
  Plot balance =
      titled("Momentum balance", "relative error",
             "What contacts between bodies gained or lost in all, of a step's impulses. Weak "
             "contacts have large errors of rounding; the verdict weighs steps by their impulses.");
  balance.logarithmic = true;
  plots.add(balance, {{"momentum_error_relative", "linear"}, {"angular_momentum_error_relative", "angular"}},
            Reduce::most);
  plots.add(titled("Time of the stages", "ms a step"),
            {{"preparation_time_s", "preparation", 1e3},
             {"detection_time_s", "detection", 1e3},
             {"resolution_time_s", "resolution", 1e3},
             {"finish_time_s", "finish", 1e3}},
            Reduce::mean);
  return plots.take();
}

Plot any_column(const StepRows& rows, std::size_t points) {
  Plot plot = titled("Any column of steps.csv", "");
  const StepPlots common(rows, points);
  common.begin(plot);
  for (const std::string& name : rows.names()) {
    if (name == "time_s" || name == "step" || !varies(rows.column(name))) continue;
    plot.series.push_back({label_of(name).text(), common.means(*rows.column(name))});
  }
  return plot;
}

}  // namespace scree::io
