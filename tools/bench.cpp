#include "tools/bench.h"

#include <algorithm>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <spdlog/spdlog.h>

#include "engine/core/parallel.h"
#include "io/files/text_file.h"
#include "io/scene/read_scene.h"
#include "tools/bench/compare.h"
#include "tools/bench/measure.h"
#include "tools/bench/rank_runs.h"
#include "tools/bench/scenes.h"
#include "tools/bench/show.h"
#include "tools/command_line.h"
#include "tools/exit_codes.h"
#include "tools/output_files.h"

namespace scree {

namespace {

struct BenchOptions {
  std::vector<std::string> scenes;
  std::vector<int> threads, ranks;
  std::string launcher = "mpirun --oversubscribe --bind-to none -n";
  std::vector<std::int64_t> sizes;
  std::vector<std::string> solvers, settings;
  std::vector<double> residuals{1e-2, 1e-3, 1e-4};
  BenchPlan plan;
  std::optional<double> from_s, until_s;
  int copies = 1;         // of a prepared bed along x and along y
  double settle_s = 1.0;  // simulated, after they were placed side by side
  std::filesystem::path json, csv, plot;
  std::vector<std::filesystem::path> compared;
  double least_change = default_least_change;
  bool weak = false, cold = false, no_residuals = false, list = false, quick = false, quiet = false;
  bool overwrite = false;
  bool whole_run = false;            // of each scene; those of --list have their own setting
  bool residuals_are_given = false;  // given by the user, instead of the default ones
};

/// Values of --quick: a check whether everything works, not a measurement.
constexpr std::int64_t quick_bodies = 60;
constexpr double quick_from_s = 0.6;  // beginning of timed steps, and end of whole runs
constexpr int quick_repeats = 3, quick_steps = 5;

/// Bodies do not sleep unless the command requests it; then the name of the measurement contains it too.
void settle_sleep(const BenchOptions& options, const std::vector<io::Override>& overrides, io::Scene& scene) {
  SleepSettings& sleep = scene.model.settings.sleep;
  if (!sleep.is_on()) return;
  const auto named = [](const io::Override& o) { return o.first == "sleep.speed"; };
  if (std::none_of(overrides.begin(), overrides.end(), named)) {
    spdlog::warn("{}: sleep is switched off; --set sleep.speed={:g} measures with sleep", scene.name,
                 sleep.speed_m_s);
    sleep = {};
    return;
  }
  for (const std::string& name : options.solvers) {
    if (may_sleep(solver_kind(name))) continue;
    Fault fault;
    fault.key_path = "--solver";
    fault.value = name;
    fault.problem = "does not work with sleep.speed > 0";
    fault.suggestion = "choose gauss_seidel or nsgs";
    throw InputError({fault});
  }
  scene.name += "_with_sleep";
}

io::Scene load(const BenchOptions& options, const BenchTarget& target, std::optional<std::int64_t> size) {
  std::vector<io::Override> overrides;
  for (const std::string& setting : options.settings) overrides.push_back(io::parse_override(setting));
  if (size) overrides.emplace_back("count", std::to_string(*size));
  io::Scene scene = io::read_scene(target.file, overrides);
  settle_sleep(options, overrides, scene);
  return scene;
}

std::vector<SolverKind> solvers_of(const BenchOptions& options, const io::Scene& scene) {
  if (options.solvers.empty()) return {scene.model.settings.solver.kind};
  std::vector<SolverKind> kinds;
  for (const std::string& name : options.solvers) kinds.push_back(solver_kind(name));
  return kinds;
}

/// Whole runs are measured if the command requests it, and by default if it does not name a time at which to
/// begin.
bool is_whole_run(const BenchOptions& options, const BenchTarget& target) {
  return options.whole_run || (target.whole_run && !options.from_s && options.copies == 1);
}

/// All ways to step one state: each solver on these threads with the scene's settings and, except in weak
/// scaling, on the first of them to each residual; a whole run only to residuals that the command names.
std::vector<BenchVariant> variants(const BenchOptions& options, const io::Scene& scene,
                                   const std::vector<int>& threads, bool whole_run) {
  const bool to_residuals =
      !options.weak && !options.no_residuals && (!whole_run || options.residuals_are_given);
  std::vector<BenchVariant> all;
  for (const SolverKind solver : solvers_of(options, scene)) {
    for (const int t : threads) all.push_back({t, solver, 0.0, false, whole_run});
    if (!to_residuals || solver == SolverKind::one_pass) continue;
    for (const double residual : options.residuals) {
      all.push_back({threads.front(), solver, residual, false, whole_run});
      if (options.cold) all.push_back({threads.front(), solver, residual, true, whole_run});
    }
  }
  return all;
}

/// Simulated time at which timing begins.
double start_of_timing(const BenchOptions& options, const io::Scene& scene, bool whole_run) {
  if (whole_run) return 0.0;
  return options.from_s.value_or(options.quick ? quick_from_s : scene.end_time_s);
}

/// Prepares one state with the largest number of threads, and times all variants from it.
void measure_state(const BenchOptions& options, const BenchTarget& target, std::optional<std::int64_t> size,
                   const std::vector<int>& threads, BenchReport& report) {
  set_thread_count(*std::max_element(options.threads.begin(), options.threads.end()));
  io::Scene scene = load(options, target, size);
  if (!options.quiet) show(fmt::format("\n{}, {} bodies\n", scene.name, scene.initial.bodies.size()));
  const bool whole_run = is_whole_run(options, target);
  if (whole_run && options.quick) scene.end_time_s = std::min(scene.end_time_s, quick_from_s);
  const double until = start_of_timing(options, scene, whole_run);
  const auto progress = Progress::detect(options.quiet);
  PreparedScene prepared = prepare_bench(std::move(scene), until, progress);
  if (options.copies > 1)
    prepared = tile_bench(std::move(prepared), options.copies, options.settle_s, progress);
  if (!options.quiet) show(preparation_text(prepared.preparation));
  if (target.comes_to_rest && !whole_run && !options.from_s && !options.quick &&
      !prepared.preparation.at_rest)
    spdlog::warn(
        "{}: the bed is not at rest yet; use --from with a later time, or, after --tile, a longer --settle",
        prepared.scene.name);
  report.preparations.push_back(prepared.preparation);
  const auto ways = variants(options, prepared.scene, threads, whole_run);
  const std::vector<BenchCase> cases = measure(prepared, ways, options.plan, progress);
  if (!options.quiet && !options.weak) show("\n" + cases_text(cases));
  report.cases.insert(report.cases.end(), cases.begin(), cases.end());
}

void measure_scene(const BenchOptions& options, const BenchTarget& target, BenchReport& report) {
  std::vector<std::optional<std::int64_t>> sizes(options.sizes.begin(), options.sizes.end());
  if (sizes.empty())
    sizes.push_back(options.quick && target.is_listed ? std::optional(quick_bodies) : std::nullopt);
  for (const auto& size : sizes) {
    if (!options.weak) {
      measure_state(options, target, size, options.threads, report);
      continue;
    }
    const std::size_t first = report.cases.size();
    const std::int64_t each = size.value_or(1000);
    for (const int t : options.threads) measure_state(options, target, each * t, {t}, report);
    const std::vector<BenchCase> cases(report.cases.begin() + static_cast<std::ptrdiff_t>(first),
                                       report.cases.end());
    if (!options.quiet) show("\n" + cases_text(cases));
  }
}

void write_files(const BenchOptions& options, const BenchReport& report) {
  if (!options.json.empty()) io::write_whole_file(options.json, to_json(report));
  if (!options.csv.empty()) io::write_whole_file(options.csv, to_csv(report));
  if (options.plot.empty()) return;
  const std::vector<io::Panel> panels = bench_panels(report, options.weak);
  if (panels.empty())
    spdlog::warn(
        "{} was not drawn, because there is only one thread count and one size, no residual and no whole run",
        options.plot.string());
  else
    io::write_plot(options.plot, report.machine.cpu, panels);
}

BenchOptions with_defaults(BenchOptions options) {
  if (options.threads.empty()) {
    set_thread_count(0);
    options.threads = {1};
    if (thread_count() > 1 && options.ranks.empty()) options.threads.push_back(thread_count());
  }
  if (options.scenes.empty()) {
    for (const BenchScene& scene : bench_scenes()) options.scenes.emplace_back(scene.name);
  }
  return options;
}

int compare_files(const BenchOptions& options) {
  const Comparison comparison = compare(read_bench_json(options.compared[0]),
                                        read_bench_json(options.compared[1]), options.least_change);
  if (comparison.cases.empty()) {
    throw CLI::ValidationError(
        "--compare",
        fmt::format("{} and {} have no measurement in common; measure the same scenes, sizes and threads",
                    options.compared[0].string(), options.compared[1].string()));
  }
  show(to_text(comparison));
  return comparison.slower() ? exit_slower : exit_ok;
}

/// Whole runs by several processes.
int bench_ranks(const BenchOptions& options, BenchReport& report) {
  std::vector<RankCase> all;
  std::vector<std::optional<std::int64_t>> sizes(options.sizes.begin(), options.sizes.end());
  if (sizes.empty()) sizes.push_back(options.weak ? std::optional<std::int64_t>(1000) : std::nullopt);
  for (const std::string& name : options.scenes) {
    const BenchTarget target = find_bench_scene(name);
    for (const auto& size : sizes) {
      const RankPlan plan{target.file,
                          options.ranks,
                          options.threads,
                          options.quick && !size ? std::optional(quick_bodies) : size,
                          options.weak,
                          options.settings,
                          options.quick && !options.until_s ? std::optional(quick_from_s) : options.until_s,
                          options.launcher,
                          options.plan.repeats};
      const std::vector<RankCase> cases = run_by_ranks(
          plan, options.quiet ? [](const std::string&) {} : [](const std::string& line) { show(line); });
      if (!options.quiet) show("\n" + cases[0].scene + "\n" + to_text(cases, options.weak));
      all.insert(all.end(), cases.begin(), cases.end());
    }
  }
  if (!options.json.empty()) io::write_whole_file(options.json, to_json(all, report));
  if (!options.csv.empty()) io::write_whole_file(options.csv, to_csv(all));
  const std::vector<std::string> faults = hash_faults(all);
  for (const std::string& fault : faults) spdlog::error("{}", fault);
  return faults.empty() ? exit_ok : exit_not_reproducible;
}

int bench(const BenchOptions& asked) {
  const OutputRule rule{{asked.scenes.begin(), asked.scenes.end()}, asked.overwrite};
  for (const std::filesystem::path& output : {asked.json, asked.csv, asked.plot})
    expect_writable(output, rule);
  if (asked.list) {
    show(bench_scenes_text());
    return exit_ok;
  }
  if (!asked.compared.empty()) return compare_files(asked);
  const BenchOptions options = with_defaults(asked);
  std::vector<BenchTarget>
      targets;  // all of them before the first is measured: so errors are reported at once
  for (const std::string& scene : options.scenes) targets.push_back(find_bench_scene(scene));
  BenchReport report;
  report.machine = this_machine();
  report.build = this_build();
  report.started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  if (!options.quiet) show(setting_text(report));
  if (!options.ranks.empty()) return bench_ranks(options, report);
  for (const BenchTarget& target : targets) measure_scene(options, target, report);
  report.peak_resident_bytes = peak_resident_bytes();
  write_files(options, report);
  const std::vector<std::string> faults = hash_faults(report);
  for (const std::string& fault : faults) spdlog::error("{}", fault);
  return faults.empty() ? exit_ok : exit_not_reproducible;
}

/// Values of --quick apply if no others were given.
void be_quick(const CLI::App& command, BenchOptions& options) {
  if (!options.quick) return;
  const auto given = [&](const char* name) { return command.get_option(name)->count() > 0; };
  if (!given("--steps")) options.plan.steps = quick_steps;
  if (!given("--repeats")) options.plan.repeats = quick_repeats;
  if (!given("--residuals")) options.residuals = {1e-2};
}

std::string check_plot(const std::string& path) {
  return io::is_plot_file(path) ? std::string() : "'" + path + "' must end in .svg, .png or .pdf";
}

void add_what(CLI::App& command, BenchOptions& o) {
  command.add_option("scenes", o.scenes, "Benchmarks of --list, or scene files (default: all of --list)")
      ->type_name("NAME|SCENE.toml");
  command.add_flag("--list", o.list, "List all benchmarks");
  command.add_option("--size", o.sizes, "Numbers of bodies: values of the scene's parameter `count`")
      ->delimiter(',')
      ->check(whole_number_in({.low = 1.0, .high = 2e9}))
      ->type_name("N,...");
  command.add_option("--threads", o.threads, "Numbers of threads (default: 1 and all of the machine)")
      ->delimiter(',')
      ->check(whole_number_in({.low = 1.0, .high = 4096.0}))
      ->type_name("T,...");
  command.add_flag(
      "--whole-run", o.whole_run,
      "Time each scene from start to end; some benchmarks of --list are always timed in this way");
  command.add_flag("--weak", o.weak,
                   "Weak scaling: number of bodies proportional to the number of threads, or of ranks");
  CLI::Option* const ranks = command
                                 .add_option("--ranks", o.ranks,
                                             "Numbers of processes: time whole runs with each of these "
                                             "numbers; the launcher starts the processes (docs/cluster.md)")
                                 ->delimiter(',')
                                 ->check(whole_number_in({.low = 1.0, .high = 1e6}))
                                 ->type_name("R,...");
  command
      .add_option(
          "--launcher", o.launcher,
          "With --ranks: command that starts processes; their number follows it (default: mpirun, with "
          "more processes than cores if necessary)")
      ->needs(ranks)
      ->type_name("COMMAND");
  command
      .add_option("--until", o.until_s, "With --ranks: end of the runs, s (default: the scene's end_time)")
      ->needs(ranks)
      ->check(number_in(positive));
  command
      .add_option("--from", o.from_s,
                  "Simulated time to which the scene is first run; the timed steps follow, s (default: the "
                  "scene's end_time)")
      ->check(number_in(not_negative))
      ->excludes("--whole-run");
  command
      .add_option("--tile", o.copies,
                  "Place K x K copies of the prepared bed side by side, which makes large beds quickly")
      ->check(whole_number_in({.low = 1.0, .high = 1e4}))
      ->excludes("--whole-run")
      ->type_name("K");
  command.add_option("--settle", o.settle_s, "Simulated time in which tiles settle, s")
      ->check(number_in(not_negative))
      ->capture_default_str();
  command.add_option("--set", o.settings, "Setting of the scenes to override; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  std::vector<std::string> names;
  for (const SolverKind kind : solver_kinds) names.emplace_back(to_string(kind));
  command.add_option("--solver", o.solvers, "Solvers (default: that of the scene)")
      ->delimiter(',')
      ->check(one_of(names))
      ->type_name("SOLVER,...");
}

void add_how(CLI::App& command, BenchOptions& o) {
  command.add_option("--steps", o.plan.steps, "Number of timed steps per repeat")
      ->check(whole_number_in({.low = 1.0, .high = 1e6}))
      ->capture_default_str();
  command.add_option("--repeats", o.plan.repeats, "Number of repeats; quartiles are meaningful from five on")
      ->check(whole_number_in({.low = 1.0, .high = 1e4}))
      ->capture_default_str();
  command.add_option("--patience", o.plan.patience_s, "Time after which a case is not repeated any more, s")
      ->check(number_in(not_negative))
      ->capture_default_str();
  command
      .add_option(
          "--residuals", o.residuals,
          "Relative residuals: measure the time until a solver reaches each of them; whole runs have no "
          "default: they are measured to residuals only if this option is given")
      ->delimiter(',')
      ->check(number_in(positive))
      ->type_name("R,...")
      ->capture_default_str();
  command.add_flag("--no-residuals", o.no_residuals, "Do not measure times to residuals");
  command.add_flag("--cold", o.cold, "Also measure times to residuals without the impulses of the last step");
  command.add_flag("--quick", o.quick, "Use few bodies and steps, to check that it works");
  command.add_flag("-q,--quiet", o.quiet, "Print only warnings and errors");
}

void add_files(CLI::App& command, BenchOptions& o) {
  command.add_option("--json", o.json, "File for all results as JSON")->type_name("FILE");
  command.add_option("--csv", o.csv, "File for a table as CSV")->type_name("FILE");
  command
      .add_option("--plot", o.plot, "File for plots of scaling, stages, times to residuals and whole runs")
      ->type_name("FILE.svg|png|pdf")
      ->check(check_plot);
  add_overwrite(command, o.overwrite);
  command.add_option("--compare", o.compared, "Only compare two files of --json")
      ->expected(2)
      ->type_name("BEFORE.json AFTER.json");
  command
      .add_option("--least-change", o.least_change, "Smallest relative change of time that --compare reports")
      ->check(number_in(not_negative))
      ->capture_default_str();
}

}  // namespace

void add_bench(CLI::App& app, std::function<int()>& action) {
  const auto options = std::make_shared<BenchOptions>();
  CLI::App* command = app.add_subcommand(
      "bench",
      "Measure the computing time of steps or whole runs of fixed scenes, or compare two such measurements");
  add_what(*command, *options);
  add_how(*command, *options);
  add_files(*command, *options);
  command->callback([options, command, &action] {
    be_quick(*command, *options);
    options->residuals_are_given = command->get_option("--residuals")->count() > 0;
    action = [options] { return bench(*options); };
  });
}

}  // namespace scree
