#include "tools/plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <set>

#include "io/files/csv_file.h"
#include "io/files/file_errors.h"
#include "io/plots/plot.h"
#include "io/results/column_label.h"
#include "io/results/step_rows.h"
#include "io/scene/faults.h"
#include "tools/command_line.h"
#include "tools/exit_codes.h"
#include "tools/output_files.h"
#include "tools/recorded_run.h"

namespace scree {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_points = 2000;  // of a curve; above it the means of equal parts are drawn

struct PlotOptions {
  std::vector<std::string> arguments;
  fs::path output;
  std::string x, log, title;
  std::optional<double> from, until;
  double average = 0.0;
  bool list = false, overwrite = false, quiet = false;
};

/// A column of a table of a run, to be plotted.
struct Source {
  std::string name;  // as users write it: "discharge.mass_flow_kg_s", "boundaries.floor.force_z_N"
  fs::path file;     // relative to the run's folder
  std::string column, part_column, part;
  std::string x;  // the column for the x axis
};

/// All sources of a run. Names: measurement and column; table of parts, part and column; or a column of
/// steps.csv.
std::vector<Source> sources_of(const io::RunFolder& run) {
  std::vector<Source> all;
  std::vector<fs::path> files = run.tables();
  std::error_code error;
  for (fs::directory_iterator entry(run.path, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().filename().string().starts_with("distribution_")) files.push_back(entry->path());
  for (const fs::path& file : files) {
    const std::string stem = file.stem().string();
    if (!fs::exists(file) || stem == "events" || stem == "impacts" || stem == "bonds") continue;
    const std::vector<io::CsvLine> lines = io::read_csv_lines(file);
    if (lines.empty()) continue;
    std::vector<std::string> columns;
    for (const io::CsvField& field : io::split_csv(lines[0].text, ',')) columns.emplace_back(field.text);
    const bool is_list = stem.starts_with("distribution_"), is_measured = stem.starts_with("measured_");
    const std::string before = is_list || is_measured ? stem.substr(stem.find('_') + 1) + '.'
                               : stem == "steps"      ? ""
                                                      : stem + '.';
    const std::string x = is_list ? columns.front() : "time_s";
    std::string part_column;
    for (const char* key : {"boundary", "part", "joint", "opening"})
      if (!is_measured && std::ranges::find(columns, key) != columns.end()) part_column = key;
    std::vector<std::string> parts{""};
    if (!part_column.empty()) {
      const auto at = static_cast<std::size_t>(std::ranges::find(columns, part_column) - columns.begin());
      std::set<std::string> known;
      parts.clear();
      for (std::size_t n = 1; n < lines.size(); ++n) {
        const std::vector<io::CsvField> fields = io::split_csv(lines[n].text, ',');
        if (at >= fields.size()) continue;
        if (!known.insert(std::string(fields[at].text)).second) break;  // the next step's
        parts.emplace_back(fields[at].text);
      }
    }
    for (const std::string& part : parts)
      for (const std::string& column : columns)
        if (column != x && column != "step" && column != "time_s" && column != part_column)
          all.push_back({before + (part.empty() ? "" : part + '.') + column, file.filename(), column,
                         part_column, part, x});
  }
  return all;
}

const Source& find_source(const std::vector<Source>& all, const std::string& name) {
  const auto found = std::ranges::find(all, name, &Source::name);
  if (found != all.end()) return *found;
  if (name == "time_s")
    throw CLI::ValidationError("MEASURE", "time_s is the axis of all columns over time: leave it out");
  std::vector<std::string> names;
  for (const Source& s : all) names.push_back(s.name);
  const std::string near = io::did_you_mean(name, names);
  throw CLI::ValidationError(
      "MEASURE", fmt::format("there is no '{}' in the run's tables{}{}; `scree plot RUN --list` lists all",
                             name, near.empty() ? "" : "; ", near));
}

struct Points {
  std::vector<double> x, y;
};

Points points_of(const io::RunFolder& run, const Source& source) {
  const fs::path file = run.path / source.file;
  const io::StepRows rows =
      source.part.empty() ? io::StepRows(file) : io::StepRows(file, source.part_column, source.part);
  const std::vector<double>*x = rows.column(source.x), *y = rows.column(source.column);
  if (x == nullptr || y == nullptr) return {};
  return {*x, *y};
}

/// y at the places x, interpolated linearly; NaN outside.
std::vector<double> at_places(const Points& curve, const std::vector<double>& x) {
  std::vector<double> y;
  for (const double at : x) {
    const auto after = std::ranges::lower_bound(curve.x, at);
    const auto k = static_cast<std::size_t>(after - curve.x.begin());
    if (after != curve.x.end() && *after == at)
      y.push_back(curve.y[k]);
    else if (after == curve.x.begin() || after == curve.x.end())
      y.push_back(std::nan(""));
    else
      y.push_back(curve.y[k - 1] +
                  (curve.y[k] - curve.y[k - 1]) * (at - curve.x[k - 1]) / (curve.x[k] - curve.x[k - 1]));
  }
  return y;
}

/// Points whose parts of the same width in `time` have the same mean; times in rising order.
Points averaged(const Points& curve, const std::vector<double>& time, double width) {
  std::map<std::int64_t, std::array<double, 3>> parts;
  for (std::size_t k = 0; k < curve.x.size(); ++k) {
    auto& [count, x, y] = parts[static_cast<std::int64_t>(std::floor(time[k] / width))];
    count += 1.0;
    x += curve.x[k];
    y += curve.y[k];
  }
  Points means;
  for (const auto& [part, sums] : parts) {
    means.x.push_back(sums[1] / sums[0]);
    means.y.push_back(sums[2] / sums[0]);
  }
  return means;
}

/// The points to draw: within the requested times, with means if requested or if there are too
/// many points; over another column if one is given.
Points drawn(const io::RunFolder& run, const std::vector<Source>& all, const Source& source,
             const PlotOptions& options) {
  if (source.x != "time_s")
    for (const auto& [name, is_given] :
         {std::pair{"--x", !options.x.empty()}, std::pair{"--from", options.from.has_value()},
          std::pair{"--until", options.until.has_value()}, std::pair{"--average", options.average > 0.0}})
      if (is_given)
        throw CLI::ValidationError(
            name,
            fmt::format("cannot be used with '{}', which is over {}, not over time", source.name, source.x));
  const Points recorded = points_of(run, source);
  const std::vector<double> x =
      options.x.empty() ? recorded.x : at_places(points_of(run, find_source(all, options.x)), recorded.x);
  Points curve;  // where both are known
  std::vector<double> time;
  for (std::size_t k = 0; k < recorded.x.size(); ++k) {
    if (recorded.x[k] < options.from.value_or(-infinity) ||
        recorded.x[k] > options.until.value_or(infinity) || !std::isfinite(recorded.x[k]) ||
        !std::isfinite(recorded.y[k]) || !std::isfinite(x[k]))
      continue;
    curve.x.push_back(x[k]);
    curve.y.push_back(recorded.y[k]);
    time.push_back(recorded.x[k]);
  }
  double width = options.average;
  if (width == 0.0 && time.size() > most_points)
    width = (time.back() - time.front()) / static_cast<double>(most_points);
  return width > 0.0 ? averaged(curve, time, width) : curve;
}

/// Separates the runs and the measures of a command line: folders are runs.
void sort_arguments(const PlotOptions& options, std::vector<io::RunFolder>& runs,
                    std::vector<std::string>& names) {
  for (const std::string& argument : options.arguments) {
    if (fs::exists(argument) || argument.find('/') != std::string::npos)
      runs.push_back(find_run(argument));
    else
      names.push_back(argument);
  }
  if (runs.empty())
    throw CLI::ValidationError("RUN",
                               fmt::format("none of these is a folder of a run: {}", fmt::join(names, ", ")));
}

/// The default curves: the first column of each measurement; else general columns of the run.
std::vector<std::string> usual_names(const std::vector<Source>& all) {
  std::vector<std::string> names;
  fs::path last;
  for (const Source& s : all)
    if (s.file.string().starts_with("measured_") && s.file != last) {
      last = s.file;
      names.push_back(s.name);
    }
  if (names.empty()) names = {"kinetic_energy_J", "contacts", "penetration_max", "residual_over_goal"};
  return names;
}

int plot(const PlotOptions& options) {
  std::vector<io::RunFolder> runs;
  std::vector<std::string> names;
  sort_arguments(options, runs, names);
  std::vector<std::vector<Source>> sources;
  for (const io::RunFolder& run : runs) {
    sources.push_back(sources_of(run));
    if (sources.back().empty())
      throw io::ReadError(fmt::format("{}: no run in it: it has no tables", run.path.string()));
  }
  if (options.list) {
    for (const Source& s : sources[0]) show(s.name + "\n");
    return exit_ok;
  }
  const fs::path path = options.output.empty() ? runs[0].path / "plot.svg" : options.output;
  expect_writable(path, {io::own_files(runs[0]), options.overwrite});
  if (names.empty()) names = usual_names(sources[0]);
  const std::vector<std::string> of_runs = names_of(runs);
  bool is_empty = true;
  std::vector<io::Panel> panels;
  std::vector<std::pair<std::string, std::string>> kinds;  // [panel] unit and quantity
  for (const std::string& name : names) {
    const Source& first = find_source(sources[0], name);
    const io::ColumnLabel label = io::label_of(first.column);
    const std::string x = options.x.empty() ? first.x : options.x;
    const io::ColumnLabel x_label = io::label_of(options.x.empty() ? x : find_source(sources[0], x).column);
    const std::pair kind{label.unit.empty() ? name : label.unit, x};
    const auto known = std::ranges::find(kinds, kind);
    io::Panel* panel =
        known == kinds.end() ? nullptr : &panels[static_cast<std::size_t>(known - kinds.begin())];
    if (panel == nullptr) {
      kinds.push_back(kind);
      panel = &panels.emplace_back();
      panel->title = name;
      panel->x_label = x_label.text();
      panel->y_label = label.text();
      if (options.log.find('x') != std::string::npos) panel->x_axis = io::Axis::logarithmic;
      if (options.log.find('y') != std::string::npos) panel->y_axis = io::Axis::logarithmic;
    } else {
      panel->title += ", " + name;
      panel->y_label = label.unit;
    }
    for (std::size_t r = 0; r < runs.size(); ++r) {
      Points curve = drawn(runs[r], sources[r], find_source(sources[r], name), options);
      is_empty = is_empty && curve.x.empty();
      panel->curves.push_back({runs.size() > 1 ? of_runs[r] + ": " + name : name, std::move(curve.x),
                               std::move(curve.y), io::Line::plain});
    }
  }
  if (is_empty && (options.from || options.until))
    throw CLI::ValidationError(options.from ? "--from" : "--until", "the run has no values in these times");
  for (io::Panel& panel : panels)
    if (panel.curves.size() == 1) panel.curves[0].label.clear();  // it is in the title
  std::string title = options.title;
  if (title.empty()) title = fmt::format("{}", fmt::join(of_runs, ", "));
  io::write_plot(path, title, panels);
  if (!options.quiet) show(path.string() + "\n");
  return exit_ok;
}

}  // namespace

void add_plot(CLI::App& app, std::function<int()>& action) {
  const auto options = std::make_shared<PlotOptions>();
  CLI::App* command = app.add_subcommand("plot", "Plot columns of tables, of one run or several");
  command
      ->add_option(
          "arguments", options->arguments,
          "Folders of runs, and columns of their tables: kinetic_energy_J (of steps.csv), "
          "boundaries.floor.force_z_N, discharge.mass_flow_kg_s (of a measurement); default: columns of the "
          "first run's measurements")
      ->type_name("FOLDER|COLUMN")
      ->required();
  command
      ->add_option("-o,--output", options->output,
                   "File of the picture (default: plot.svg in the first run's folder)")
      ->type_name("FILE")
      ->check(ending_in({".svg", ".png", ".pdf"}));
  command->add_option("--x", options->x, "Column of the x axis, instead of time")->type_name("COLUMN");
  command->add_option("--from", options->from, "Earliest time, s")->check(number_in(any_number));
  command->add_option("--until", options->until, "Latest time, s")->check(number_in(any_number));
  command->add_option("--average", options->average, "Length of intervals over which means are plotted, s")
      ->check(number_in({.low = 1e-9, .high = 1e9}));
  command->add_option("--log", options->log, "Logarithmic axes")->check(one_of({"x", "y", "xy"}));
  command->add_option("--title", options->title, "Title (default: the names of the runs)");
  command->add_flag("--list", options->list, "Only list the names of all columns that can be plotted");
  add_overwrite(*command, options->overwrite);
  command->add_flag("-q,--quiet", options->quiet, "Print only warnings and errors");
  command->callback([options, &action] { action = [options] { return plot(*options); }; });
}

}  // namespace scree
