#include <algorithm>
#include <cmath>
#include <numeric>

#include "io/report/plots.h"
#include "io/results/verdict.h"

namespace scree::io {

namespace {

/// How the steps that share a point of a diagram become one number.
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

/// The flows of energy: all columns in J but the energies themselves.
std::vector<Line> flows(const StepRows& rows) {
  std::vector<Line> lines;
  for (const std::string& name : rows.names()) {
    if (!name.ends_with("_J") || name == "kinetic_energy_J" || name == "potential_energy_J") continue;
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
    plot.over_time = true;
    plot.x_label = "time, s";
    plot.x = time_;
    for (const Line& line : lines) {
      const std::vector<double>* values = rows_.column(line.column);
      if (!values) continue;
      std::vector<double> sums = *values;
      if (summed) std::partial_sum(values->begin(), values->end(), sums.begin());
      plot.series.push_back({line.name, thin_(sums, reduce, line.factor)});
    }
    if (!plot.series.empty() && !plot.x.empty()) plots_.push_back(std::move(plot));
  }

  std::vector<Plot> take() { return std::move(plots_); }

 private:
  const StepRows& rows_;
  Thinner thin_;
  std::vector<double> time_;
  std::vector<Plot> plots_;
};

/// Above which the verdict is amber, and red.
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

}  // namespace

std::vector<Plot> step_plots(const StepRows& rows, std::size_t points) {
  StepPlots plots(rows, points);
  plots.add(titled("Energy", "J"), {{"kinetic_energy_J", "kinetic"}, {"potential_energy_J", "potential"}},
            Reduce::last);
  plots.add(titled("Energy ledger", "J, since the start", "What each term has taken or given in all."),
            flows(rows), Reduce::last, true);
  plots.add(titled("Contacts", "number"),
            {{"contacts", "found"},
             {"active_contacts", "with an impulse"},
             {"touching", "touching"},
             {"bodies_in_collision", "bodies with an impulse"}},
            Reduce::last);
  Plot overlap = titled("Overlap", "% of the smallest semi-axis", "Largest of the steps that share a point.");
  overlap.logarithmic = true;
  overlap.limits = verdict_lines(overlap_limit, 100.0);
  plots.add(overlap, {{"penetration_max", "largest", 100.0}, {"penetration_mean", "mean", 100.0}},
            Reduce::most);
  Plot residual = titled("Residual", "of gravity x time step",
                         "Error of the contact problem, root of the mean square; "
                         "largest of the steps that share a point.");
  residual.logarithmic = true;
  plots.add(residual, {{"residual_rms_relative", "residual"}}, Reduce::most);
  if (varies(rows.column("time_step_s")))
    plots.add(titled("Time step", "ms"), {{"time_step_s", "adaptive", 1e3}}, Reduce::mean);
  plots.add(titled("Solver sweeps", "a step"), {{"sweeps", "sweeps"}}, Reduce::mean);
  Plot balance =
      titled("Momentum balance", "relative error", "What contacts between bodies gained or lost in all.");
  balance.logarithmic = true;
  balance.limits = verdict_lines(momentum_limit, 1.0);
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

}  // namespace scree::io
