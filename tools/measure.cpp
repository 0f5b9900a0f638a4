#include "tools/measure.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <set>
#include <spdlog/spdlog.h>
#include <unordered_map>

#include "engine/measurements/moment.h"
#include "io/files/csv_file.h"
#include "io/files/file_errors.h"
#include "io/files/input_file.h"
#include "io/files/text_file.h"
#include "io/results/measured_series.h"
#include "io/results/recorded_fields.h"
#include "io/results/step_rows.h"
#include "io/scene/read_scene.h"
#include "io/scene/resume.h"
#include "tools/command_line.h"
#include "tools/exit_codes.h"
#include "tools/job_progress.h"
#include "tools/recorded_run.h"

namespace scree {

namespace {

namespace fs = std::filesystem;

struct MeasureOptions {
  fs::path folder, with, output;
  FrameChoice frames;
  bool json = false, overwrite = false, quiet = false;
};

/// The distinct texts of a column of a table, in their order.
std::vector<std::string> texts_of(const fs::path& table, const std::string& column) {
  std::vector<std::string> found;
  std::set<std::string> known;
  std::optional<std::size_t> at;
  for (const io::CsvLine& line : io::read_csv_lines(table)) {
    const std::vector<io::CsvField> fields = io::split_csv(line.text, ',');
    if (!at) {
      const auto name = std::ranges::find(fields, column, &io::CsvField::text);
      if (name == fields.end()) return {};
      at = static_cast<std::size_t>(name - fields.begin());
    } else if (*at < fields.size() && known.insert(io::csv_text(fields[*at].text)).second) {
      found.push_back(io::csv_text(fields[*at].text));
    }
  }
  return found;
}

/// Throughput of openings, from openings.csv.
class PassedOpenings {
 public:
  PassedOpenings(const io::RunFolder& run, const std::vector<std::string>& names) {
    for (const std::string& name : names) rows_.emplace_back(run.table("openings"), "opening", name);
  }
  std::vector<Throughput> at(double time_s) const {
    std::vector<Throughput> passed;
    for (const io::StepRows& rows : rows_) {
      Throughput& t = passed.emplace_back();
      const std::vector<double>*times = rows.column("time_s"), *mass = rows.column("mass_kg"),
            *bodies = rows.column("bodies");
      if (times == nullptr || mass == nullptr || bodies == nullptr) continue;
      const auto after = std::ranges::upper_bound(*times, time_s + 1e-9 * std::abs(time_s));
      if (after == times->begin()) continue;
      const auto row = static_cast<std::size_t>(after - times->begin()) - 1;
      t.mass = (*mass)[row];
      t.bodies = static_cast<std::int64_t>((*bodies)[row]);
    }
    return passed;
  }

 private:
  std::vector<io::StepRows> rows_;
};

/// Quantities of each step, from the tables of the run: as the run itself would have measured them.
class TableQuantities {
 public:
  TableQuantities(const io::RunFolder& run, const MeasurementPlan& plan) : plan_(plan), steps_(run.steps()) {
    const ObservedKindWords& words = words_of(plan.observed);
    const fs::path table = run.table(plan.observed == ObservedKind::run ? "steps" : words.table);
    if (!fs::exists(table))
      throw io::ReadError(
          fmt::format("measurement '{}': the run has no {}", plan.name, table.filename().string()));
    if (plan.part_key.empty()) {
      rows_.emplace_back(table);
    } else {
      const std::vector<std::string> known = texts_of(table, plan.part_key);
      for (const std::size_t k : io::boundaries_named(known, plan.part))
        if (known[k] == plan.part || plan.observed == ObservedKind::boundary)
          rows_.emplace_back(table, plan.part_key, known[k]);
      if (rows_.empty())
        throw CLI::ValidationError(
            "measurement '" + plan.name + "'",
            not_among(fmt::format("there is no {} '{}'", plan.part_key, plan.part), plan.part, known));
    }
  }

  /// `first_s`: from then on there are steps. A measurement begins at the end of a step.
  void fill(double first_s, double end_s, double interval_s, bool is_adaptive,
            io::MeasuredSeries& series) const {
    const std::vector<double>& time = column(rows_[0], "time_s");
    const double slack_s = is_adaptive ? rounding * interval_s : slack(time, interval_s);
    double begin_s = first_s;
    if (plan_.from_s > first_s + slack_s) {
      const auto begin = std::ranges::lower_bound(time, plan_.from_s - slack_s);
      if (begin == time.end()) return;
      begin_s = *begin;
    }
    const std::vector<double>& steps = column(steps_, "time_step_s");
    if (steps.size() < time.size()) throw io::ReadError("steps.csv has fewer steps than the other tables");
    MeasurementClock clock(begin_s, interval_s, slack_s);
    std::vector<double> sums(plan_.quantities.size(), 0.0);
    double seen = 0.0, elapsed = 0.0;
    for (std::size_t n = 0; n < time.size(); ++n) {
      if (time[n] <= begin_s * (1.0 + 1e-12)) continue;
      if (time[n] - slack_s > end_s) break;
      for (std::size_t k = 0; k < sums.size(); ++k) {
        const Observable& q = *plan_.quantities[k];
        const double x = value_at(q, n) * (q.over == OverSteps::mean ? steps[n] : 1.0);
        sums[k] = seen == 0.0 ? x : merged(q.over, sums[k], x);
      }
      seen += 1.0;
      elapsed += steps[n];
      if (!clock.is_due(time[n])) continue;
      std::vector<double> row = sums;
      for (std::size_t k = 0; k < sums.size(); ++k)
        if (plan_.quantities[k]->over == OverSteps::mean) row[k] /= elapsed;
      series.add(time[n], row);
      clock.end_row(time[n]);
      seen = elapsed = 0.0;
    }
  }

 private:
  const std::vector<double>& column(const io::StepRows& rows, const std::string& name) const {
    const std::vector<double>* found = rows.column(name);
    if (found == nullptr)
      throw io::ReadError(fmt::format("measurement '{}': the table has no column '{}'", plan_.name, name));
    return *found;
  }
  /// For all its parts: the magnitude of a sum of vectors is not the sum of their magnitudes.
  double value_at(const Observable& quantity, std::size_t n) const {
    const auto sum = [&](const Observable& q) {
      double x = 0.0;
      for (const io::StepRows& rows : rows_) x += column(rows, q.name)[n];
      return x;
    };
    if (quantity.form != ObservedForm::size || rows_.size() == 1) return sum(quantity);
    const Observable* const of = &quantity;
    return std::sqrt(std::pow(sum(of[-1]), 2) + std::pow(sum(of[-2]), 2) + std::pow(sum(of[-3]), 2));
  }

  /// As for the run itself: half a step for steps of constant length; adaptive ones end where rows do.
  static double slack(const std::vector<double>& time, double interval_s) {
    double shortest = infinity, longest = 0.0;
    for (std::size_t n = 1; n < time.size(); ++n) {
      shortest = std::min(shortest, time[n] - time[n - 1]);
      longest = std::max(longest, time[n] - time[n - 1]);
    }
    return longest - shortest < rounding * longest ? 0.5 * longest : rounding * interval_s;
  }

  static constexpr double rounding = 1e-6;
  const MeasurementPlan& plan_;
  io::StepRows steps_;
  std::vector<io::StepRows> rows_;  // [part]
};

bool comes_from_tables(const MeasurementPlan& plan) {
  return plan.kind == MeasureKind::quantity && plan.observed != ObservedKind::region;
}

/// Removes measurements of quantities that no run records, with a warning.
void leave_out_unrecorded(std::vector<MeasurementPlan>& plans) {
  std::erase_if(plans, [](const MeasurementPlan& plan) {
    const ObservedKindWords& words = words_of(plan.observed);
    const bool is_recorded = !comes_from_tables(plan) || *words.table != '\0';
    if (!is_recorded)
      spdlog::warn(
          "measurement '{}' is left out: quantities of {} are not recorded; only a run can measure them",
          plan.name, words.noun);
    return !is_recorded;
  });
}

/// How far bodies move from frame to frame: measures that follow bodies know only the straight lines between.
class MotionBetweenFrames {
 public:
  void see(const Model& model, const State& state, const PlacedCell& cell) {
    const Bodies& bodies = state.bodies;
    std::unordered_map<BodyId, Vec3> now;
    std::vector<double> moved;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const auto [at, is_new] = now.emplace(bodies.id[i], bodies.position[i]);
      if (!is_new) continue;
      if (const auto before = last_.find(bodies.id[i]); before != last_.end())
        moved.push_back(way(cell, before->second, bodies.position[i]) /
                        diameter(model.shapes, bodies.shape[i]));
    }
    if (!moved.empty()) {
      const auto place =
          moved.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(moved.size() - 1));
      std::ranges::nth_element(moved, place);
      if (*place > largest_) {
        largest_ = *place;
        interval_s_ = state.time_s - time_s_;
      }
    }
    last_ = std::move(now);
    time_s_ = state.time_s;
  }
  /// Warns if these measurements of the run are coarse.
  void judge(const std::vector<std::string>& names) const {
    constexpr double far = 5.0;  // diameters
    if (names.empty() || largest_ <= far) return;
    spdlog::warn(
        "between two frames, {:.3g} s, a tenth of the grains move more than {:.2g} diameters: {} see only "
        "straight "
        "lines between frames, no grain that comes and leaves between two, and times to that interval; "
        "measure in "
        "the run, or record frames each {:.1g} s",
        interval_s_, largest_, fmt::join(names, ", "), interval_s_ * far / largest_);
  }

 private:
  static double way(const PlacedCell& cell, const Vec3& from, const Vec3& to) {
    const Vec3 straight = to - from;
    return (cell.is_periodic() ? Vec3(straight + cell.nearest_image(straight)) : straight).norm();
  }

  static constexpr double share = 0.9;
  std::unordered_map<BodyId, Vec3> last_;
  double time_s_ = 0.0, largest_ = 0.0, interval_s_ = 0.0;
};

/// The measurements that need bodies, frame by frame.
class FrameMeasurements {
 public:
  FrameMeasurements(const io::RunFolder& run, const io::TrajectoryReader& reader,
                    const std::vector<std::string>& openings)
      : reader_(reader), passed_(run, openings) {}

  /// Warns where frames are too far apart.
  void judge(const std::vector<Measuring>& all) const {
    std::vector<std::string> names;
    for (const Measuring& m : all)
      if (follows_bodies(m)) names.push_back('\'' + m.plan().name + '\'');
    motion_.judge(names);
  }

  void see(std::size_t k, std::vector<Measuring>& all, std::vector<io::MeasuredSeries>& series) {
    const io::RecordedRun& run = reader_.run();
    State state;
    state.time_s = reader_.time_s()[k];
    state.bodies = reader_.bodies(k);
    std::vector<ContactForce> contacts = io::contact_forces(reader_.contacts(k), run.impulse_time_s);
    for (Vec3& x : state.bodies.position) x += run.origin;
    for (ContactForce& c : contacts) c.point += run.origin;
    PlacedCell cell = reader_.cell(k);
    cell.centre += run.origin;
    const std::vector<Vec3f> shifts = reader_.image_shifts(k);  // measurements see bodies, not images
    for (std::size_t i = 0; i < shifts.size(); ++i) {
      const Vec3 shift = shifts[i].cast<double>();
      state.bodies.position[i] -= shift;
      state.bodies.linear_velocity[i] -= cell.image_velocity(shift);
    }
    if (std::ranges::any_of(all, follows_bodies)) motion_.see(run.model, state, cell);
    const std::vector<Throughput> passed = passed_.at(state.time_s);
    StepResult step;
    step.report.time_s = state.time_s;
    Observed observed{run.model, state, step};
    observed.cell = &cell;
    for (std::size_t m = 0; m < all.size(); ++m) {
      if (comes_from_tables(all[m].plan())) continue;
      const MeasuredMoment moment{state.time_s, run.model.shapes, state.bodies, cell, reader_.has_contacts(k),
                                  contacts,     passed,           &observed};
      if (const auto row = all[m].see(moment)) series[m].add(state.time_s, *row);
    }
  }

 private:
  /// Those which know openings only count what the run's tables have of each step.
  static bool follows_bodies(const Measuring& m) {
    return m.measurement().needs_every_step() && m.measurement().needs_bodies() &&
           !comes_from_tables(m.plan()) && m.plan().kind != MeasureKind::quantity;
  }

  const io::TrajectoryReader& reader_;
  PassedOpenings passed_;
  MotionBetweenFrames motion_;
};

/// The names of a run's parts, from its tables.
std::vector<std::string> names_in_tables(const io::RunFolder& run, ObservedKind kind) {
  const ObservedKindWords& words = words_of(kind);
  return *words.table == '\0' ? std::vector<std::string>{} : texts_of(run.table(words.table), words.key);
}

/// The measurements: from a file, or from the recorded scene.
std::vector<MeasurementPlan> plans_of(const MeasureOptions& options, const io::RunFolder& folder,
                                      const io::RecordedRun& run) {
  std::vector<io::Override> overrides;
  for (const std::string& o : run.overrides) overrides.push_back(io::parse_override(o));
  const io::RecordedWorld world{run.model, io::recorded_rest_speed(run.text, overrides, run.model.settings),
                                [&](ObservedKind kind) { return names_in_tables(folder, kind); },
                                io::recorded_flow(run.text, overrides)};
  const auto none = [&](const fs::path& file, const std::string& problem, const std::string& suggestion) {
    throw InputError({Fault{.where = {file.string(), 0, 0},
                            .key_path = "",
                            .problem = problem,
                            .value = "",
                            .unit = "",
                            .allowed = "",
                            .suggestion = suggestion}});
  };
  if (options.with.empty()) {
    // The files of mesh regions are beside the scene.
    const bool may_have_files = run.text.find("mesh") != std::string::npos;
    const fs::path scene = may_have_files ? io::scene_file_of(folder.path) : fs::path();
    std::vector<MeasurementPlan> plans = io::read_recorded_measurements(
        run.text, scene.empty() ? folder.path / "scene" : scene, overrides, world);
    if (plans.empty())
      none(folder.path, "its scene has no [[measurements]]", "give them by --with FILE.toml");
    return plans;
  }
  std::string problem;
  const std::optional<std::string> text = io::read_bytes(options.with, problem, io::most_text_bytes);
  if (!text) none(options.with, "cannot be opened: " + problem, "");
  std::vector<MeasurementPlan> plans = io::read_recorded_measurements(*text, options.with, {}, world);
  if (plans.empty()) none(options.with, "has no [[measurements]]", "docs/measuring.md has examples");
  return plans;
}

/// The files in the layout of a run, in a separate folder or that of the run.
void write_files(const fs::path& folder, const std::string& scene, const std::vector<io::MeasuredSeries>& all,
                 bool overwrite) {
  const io::RunFolder files{folder};
  if (fs::exists(files.measurements()) && !overwrite)
    throw io::WriteError(
        fmt::format("{} already exists; choose another folder (-o) or replace it (--overwrite)",
                    files.measurements().string()));
  io::make_folder(folder);
  for (const io::MeasuredSeries& series : all) {
    io::write_series(files.measured(series.name), series);
    if (series.table) io::write_measured_table(files.distribution(series.name), *series.table);
  }
  io::write_whole_file(files.measurements(), io::measurements_json(scene, "frames", all));
}

/// Which data the values are from; nothing if they are from the tables of the run.
std::string source_line(std::size_t frames, const io::RunFolder& run, bool same_measures) {
  if (frames == 0) return "";
  return fmt::format("from {} recorded frames{}\n", frames,
                     same_measures && fs::exists(run.measurements())
                         ? "; measurements.json has the values from all steps"
                         : "");
}

int measure(const MeasureOptions& options) {
  const io::RunFolder run = find_run(options.folder);
  const io::TrajectoryReader reader = open_trajectory(run);
  std::error_code not_there;
  if (fs::equivalent(options.output, run.path, not_there))
    throw CLI::ValidationError(
        "-o", "is the folder of the run, which has the measurements made during the run; choose another");
  const std::vector<std::string> openings = names_in_tables(run, ObservedKind::opening);
  std::vector<MeasurementPlan> plans = plans_of(options, run, reader.run());
  leave_out_unrecorded(plans);
  const std::vector<std::size_t> frames = chosen_frames(options.frames, reader);
  // With steps of one length a frame is that of the step which is nearest to its time.
  const Settings& settings = reader.run().model.settings;
  constexpr double rounding = 1e-6;
  const double interval = reader.run().frame_interval_s,
               slack = std::min(0.25 * interval,
                                settings.adaptive_step ? rounding * interval : settings.time_step_s);
  std::vector<Measuring> all;
  std::vector<io::MeasuredSeries> series;
  for (const MeasurementPlan& plan : plans) {
    MeasurementPlan window = plan;  // its ends are those of the run: half a step away from a frame's time
    window.from_s += 0.5 * slack;
    window.until_s -= 0.5 * slack;
    all.emplace_back(window, plan.interval_s > 0.0 ? plan.interval_s : interval, slack);
    series.push_back(io::series_of(all.back()));
  }
  JobProgress progress(Progress::detect(options.quiet || options.json), "frame", frames.size());
  const auto needs_contacts = [](const Measuring& m) { return m.measurement().needs_contacts(); };
  if (std::ranges::any_of(all, needs_contacts) &&
      std::ranges::none_of(frames, [&](std::size_t k) { return k > 0 && reader.has_contacts(k); }))
    spdlog::warn(
        "the frames have no contacts (output.contacts), so contact numbers and stresses are unknown");
  FrameMeasurements by_frames(run, reader, openings);
  const auto from_tables = [](const MeasurementPlan& plan) { return comes_from_tables(plan); };
  std::size_t done = 0;
  for (const std::size_t k : frames) {
    if (std::ranges::all_of(plans, from_tables)) break;
    by_frames.see(k, all, series);
    progress.done(++done);
  }
  progress.finish();
  by_frames.judge(all);
  const double first = reader.time_s()[frames.front()], last = reader.time_s()[frames.back()];
  for (std::size_t m = 0; m < plans.size(); ++m) {
    const MeasurementPlan& plan = plans[m];
    if (comes_from_tables(plan))
      TableQuantities(run, plan).fill(first, std::min(plan.until_s, last),
                                      plan.interval_s > 0.0 ? plan.interval_s : interval,
                                      reader.run().model.settings.adaptive_step, series[m]);
    series[m].table = all[m].measurement().table();
  }
  if (!options.output.empty()) write_files(options.output, reader.run().scene, series, options.overwrite);
  if (options.json)
    show(io::measurements_json(reader.run().scene, "frames", series));
  else if (!options.quiet)
    show(source_line(done, run, options.with.empty()) + io::measurements_text(series));
  return exit_ok;
}

}  // namespace

void add_measure(CLI::App& app, std::function<int()>& action) {
  const auto options = std::make_shared<MeasureOptions>();
  CLI::App* command = app.add_subcommand(
      "measure",
      "Measure a recorded run: flows, packing, stress, surfaces, mixing, with the errors of the means");
  add_run_folder(*command, options->folder);
  command
      ->add_option("--with", options->with,
                   "TOML file with [[measurements]] (default: those of the recorded scene)")
      ->type_name("FILE.toml");
  command
      ->add_option("-o,--output", options->output,
                   "Folder for tables and measurements.json (default: no files)")
      ->type_name("FOLDER");
  add_frame_choice(*command, options->frames, "all");
  command->add_flag("--json", options->json, "Print measurements.json instead of a table");
  add_overwrite(*command, options->overwrite);
  command->add_flag("-q,--quiet", options->quiet, "Print only warnings and errors");
  command->callback([options, &action] { action = [options] { return measure(*options); }; });
}

}  // namespace scree
