#include "tools/run.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <optional>
#include <spdlog/spdlog.h>

#include "engine/core/parallel.h"
#include "engine/run/run.h"
#include "io/files/file_errors.h"
#include "io/files/input_file.h"
#include "io/files/vtk_file.h"
#include "io/problems/problem_file.h"
#include "io/results/run_recorder.h"
#include "io/scene/carried_bodies.h"
#include "io/scene/read_scene.h"
#include "io/scene/resume.h"
#include "tools/check.h"
#include "tools/command_line.h"
#include "tools/exit_codes.h"
#include "tools/interrupt.h"
#include "tools/output_files.h"
#include "tools/pace.h"
#include "tools/progress.h"
#include "tools/ranks.h"
#include "tools/report.h"
#include "tools/watch_process.h"

namespace scree {

namespace {

constexpr io::Range step_numbers{.low = 1.0, .high = 9e15};

struct RunOptions {
  std::filesystem::path scene, folder;
  std::filesystem::path resume;        // folder of a run to continue; empty: a new one begins
  std::filesystem::path restart_from;  // folder of a run whose bodies are the initial ones; empty: none
  std::optional<double> restart_time_s;
  int threads = 0;  // 0: all of the machine's
  std::optional<double> until_s;
  std::vector<std::string> settings;   // "key=value"
  std::filesystem::path dump_problem;  // file for a contact problem; empty: none
  std::int64_t dump_step = 0;          // its step; 0: the first that does not converge
  std::string strict;                  // the grade from which on a verdict fails the run; empty: none
  double memory_limit = infinity;      // bytes
  bool overwrite = false, force = false, quiet = false, stage_table = false, details = false;
  bool view = false, open = false;
  double realtime = 0.0;  // simulated seconds per second; 0: as fast as possible
};

std::vector<std::pair<std::string, std::string>> overrides(const std::vector<std::string>& settings) {
  std::vector<std::pair<std::string, std::string>> list;
  for (const std::string& setting : settings) {
    const auto equals = setting.find('=');
    list.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
  }
  return list;
}

io::Scene load(const RunOptions& options) {
  io::Scene scene = io::read_scene(
      options.scene, overrides(options.settings), bodies_with_room(!options.force, options.memory_limit),
      options.restart_from.empty() ? io::CarriedBodies{}
                                   : io::carried_bodies(options.restart_from, options.restart_time_s));
  set_end_time(scene, options.until_s);
  for (const Fault& warning : scene.warnings) spdlog::warn("{}", to_string(warning));
  return scene;
}

void announce(const io::Scene& scene, const State& state) {
  const Settings& settings = scene.model.settings;
  show(fmt::format("{}: {} bodies, {} boundaries, {:g} s in {}steps of {}{:g} s, {}\n", scene.name,
                   state.bodies.size(), scene.model.boundaries.size(), scene.end_time_s,
                   settings.adaptive_step ? "adaptive " : "", settings.adaptive_step ? "at most " : "",
                   settings.time_step_s, plural(thread_count(), "thread")));
  show(meshes_text(scene));
  if (state.step > 0) show(fmt::format("continues after step {}, t = {:g} s\n", state.step, state.time_s));
}

/// How to continue a run that has stopped.
std::string way_on(const io::RunFolder& folder) {
  const std::vector<std::filesystem::path> checkpoints = io::checkpoints(folder);
  if (checkpoints.empty()) return "there is no checkpoint from which it could continue";
  return fmt::format("`scree run --resume {}` continues from {}", folder.path.string(),
                     checkpoints.front().filename().string());
}

/// Stores the contact problem of one step: the requested one or the first that did not converge.
class ProblemDump : public RunObserver {
 public:
  ProblemDump(const RunOptions& options, const io::Scene& scene, const Run& run)
      : path_(options.dump_problem), step_(options.dump_step), scene_(scene.name), run_(run) {}

  bool wants_bodies(const State&) override { return false; }
  void after_step(const StepResult& result, const State&) override {
    const StepReport& report = result.report;
    if (path_.empty() || done_) return;
    if (step_ > 0 ? report.step != step_ : report.status == SolveStatus::converged) return;
    io::write_problem(path_, {run_.workspace().problem,
                              fmt::format("{}, step {}, t = {:g} s", scene_, report.step, report.time_s)});
    done_ = true;
  }
  /// Prints a message if there was no such step.
  void finish() const {
    if (path_.empty() || done_) return;
    spdlog::warn("{} was not written: {}", path_.string(),
                 step_ > 0 ? fmt::format("the run did not reach step {}", step_)
                           : std::string("every step converged; --dump-step selects a step"));
  }

 private:
  std::filesystem::path path_;
  std::int64_t step_;
  std::string scene_;
  const Run& run_;
  bool done_ = false;
};

/// The check for interrupts, which any rank may receive, and the time of the steps.
class Stoppable : public RunObserver {
 public:
  bool may_go_on() override { return !interrupt_requested(); }
  bool wants_bodies(const State&) override { return false; }
  void after_step(const StepResult& result, const State&) override { time_ += result.report.time; }
  const StageTimes& time() const { return time_; }

 private:
  StageTimes time_;
};

/// The display of a run in progress.
class Onlooker : public Stoppable {
 public:
  Onlooker(const io::Scene& scene, Progress& progress, Pace& pace)
      : scene_(scene), progress_(progress), pace_(pace) {}
  void after_step(const StepResult& result, const State& state) override {
    Stoppable::after_step(result, state);
    progress_.update(result.report);
  }
  void after_events(std::span<const Happening> happenings, const StepResult&, const State&) override {
    for (const Happening& h : happenings)
      progress_.note(fmt::format("t = {:g} s: {}", h.time_s, event_text(scene_.events[h.event], h.value)));
  }
  void before_next(const State& state) override { pace_.after_step(state.time_s); }

 private:
  const io::Scene& scene_;
  Progress& progress_;
  Pace& pace_;
};

io::RunStatus status_of(RunStop stop) {
  switch (stop) {
    case RunStop::interrupted:
      return io::RunStatus::interrupted;
    case RunStop::failed:
      return io::RunStatus::failed;
    case RunStop::none:
    case RunStop::end_time:
    case RunStop::event:
      break;
  }
  return io::RunStatus::finished;
}

int exit_code(io::RunStatus status) {
  switch (status) {
    case io::RunStatus::finished:
      return exit_ok;
    case io::RunStatus::interrupted:
      return exit_interrupted;
    case io::RunStatus::failed:
      return exit_numerical_failure;
  }
  return exit_internal_error;
}

/// On stdout; if output is off, findings that are not green are printed as warnings.
void show_verdict(const io::Verdict& verdict, bool quiet) {
  if (!quiet) {
    show("\n" + verdict_text(verdict, takes_colours(stdout)));
  } else if (verdict.grade != io::Grade::green) {
    fmt::print(stderr, "{}", verdict_text(verdict, takes_colours(stderr)));
  }
}

/// If requested, the verdict decides on the status of a run that came to its end.
int exit_code(const io::Summary& summary, const std::string& strict) {
  if (summary.status != io::RunStatus::finished || strict.empty()) return exit_code(summary.status);
  const io::Grade worst = strict == "amber" ? io::Grade::amber : io::Grade::red;
  return summary.verdict.grade >= worst ? exit_not_trusted : exit_ok;
}

/// A run that is about to begin, or to continue.
struct Prepared {
  io::Scene scene;
  State state;
  std::filesystem::path folder;
  std::unique_ptr<io::Archive> checkpoint;  // the one from which it continues
  bool is_over = false;                     // all steps are done: it was interrupted before its summary
  bool has_nothing_to_do = false;           // it has a summary too
  bool replaces = false;                    // replaces a run that was interrupted before it had a checkpoint
};

Prepared begin(const RunOptions& options) {
  Prepared p{load(options), {}, {}, nullptr, false, false, false};
  p.state = p.scene.initial;
  arm_events(p.scene.model, p.scene.events, p.state);
  p.folder = options.folder.empty() ? default_folder(p.scene) : options.folder;
  return p;
}

/// Does a table have more than its heading?
bool has_rows(const std::filesystem::path& table) {
  std::ifstream stream(table);
  std::string line;
  return std::getline(stream, line) && std::getline(stream, line);
}

/// With a scene and --resume a script can use the same command each time: the run begins if there is none
/// yet.
bool is_to_begin(const RunOptions& options) {
  if (options.scene.empty()) return false;
  const io::RunFolder folder{options.resume};
  if (!io::checkpoints(folder).empty()) return false;
  std::error_code ignored;
  const std::vector<std::filesystem::path> files = io::own_files(folder);
  const bool has_steps = std::filesystem::exists(folder.summary(), ignored) ||
                         (std::filesystem::exists(folder.steps(), ignored) && has_rows(folder.steps()));
  if (!has_steps) return true;  // interrupted before its first checkpoint, it has nothing yet
  throw io::ReadError(
      fmt::format("cannot continue from {}: it holds results, but no checkpoint; -o with --overwrite "
                  "starts again",
                  options.resume.string()));
}

/// Checks that the scene given with --resume is that of the run.
void expect_same_scene(const RunOptions& options, const io::Scene& recorded) {
  if (options.scene.empty()) return;
  std::string problem;
  const std::optional<std::string> text = io::read_bytes(options.scene, problem, io::most_text_bytes);
  if (!text) throw io::ReadError(fmt::format("cannot read {}: {}", options.scene.string(), problem));
  if (*text == recorded.text && overrides(options.settings) == recorded.overrides) return;
  throw io::ReadError(
      fmt::format("the run in {} was started with another {}; omit the scene to continue that run, or "
                  "start this one in another folder; with --restart-from {} it begins with those bodies",
                  options.resume.string(), *text == recorded.text ? "--set" : options.scene.string(),
                  options.resume.string()));
}

Prepared go_on(const RunOptions& options) {
  if (options.scene.empty() && io::checkpoints({options.resume}).empty())
    throw io::ReadError(
        fmt::format("cannot continue from {}: {}; `scree run SCENE.toml --resume {}` starts the run there",
                    options.resume.string(),
                    std::filesystem::is_directory(options.resume) ? "there is no checkpoint in it"
                                                                  : "there is no such folder",
                    options.resume.string()));
  io::Resumed resumed = io::resume(options.resume);
  expect_same_scene(options, resumed.scene);
  set_end_time(resumed.scene, options.until_s);
  for (const std::string& warning : resumed.warnings) spdlog::warn("{}", warning);
  const bool summed_up = std::filesystem::exists(io::RunFolder{options.resume}.summary());
  const bool further =
      options.until_s && resumed.scene.end_time_s > resumed.state.time_s + io::time_slack(resumed.scene);
  const double time_s = resumed.state.time_s;
  Prepared p{std::move(resumed.scene),
             std::move(resumed.state),
             options.resume,
             std::make_unique<io::Archive>(std::move(resumed.archive)),
             resumed.head.finished && !further,
             false};
  p.has_nothing_to_do = p.is_over && summed_up;
  if (p.has_nothing_to_do)
    spdlog::info("the run in {} has reached its end, t = {:g} s; --until continues it",
                 options.resume.string(), time_s);
  return p;
}

Prepared prepare(const RunOptions& options) {
  if (options.resume.empty()) return begin(options);
  if (!is_to_begin(options)) return go_on(options);
  RunOptions anew = options;
  anew.folder = options.resume;
  Prepared p = begin(anew);
  p.replaces = true;
  return p;
}

/// True if there is room, or if the user wants to try anyway.
bool has_room(const Prepared& p, const RunOptions& options) {
  Forecast expected = forecast(p.scene);
  if (p.scene.end_time_s > 0.0) {  // existing files need no new space
    const double left = std::clamp(1.0 - p.state.time_s / p.scene.end_time_s, 0.0, 1.0);
    expected.output_bytes *= left;
    expected.table_bytes *= left;
  }
  const std::string problem = room_problem(expected, p.folder, options.memory_limit);
  if (problem.empty()) return true;
  if (options.force)
    spdlog::warn("{}", problem);
  else
    spdlog::error("{}; --force runs it nevertheless", problem);
  return options.force;
}

/// The run on ranks other than the first: their part of each step.
int follow(Prepared& p, Ranks& ranks) {
  catch_interrupts();
  const RunPlan plan = run_plan(p.scene);
  Run run(p.scene.model, plan, p.state);
  count_messages();
  run.share(ranks);
  p.scene.initial.bodies = {};  // only rank 0 uses it
  Stoppable stoppable;
  run.observe(stoppable);
  io::FramePacker packer;
  run.observe(packer);
  const RunStop stop = p.is_over ? RunStop::end_time : run.until(p.scene.end_time_s);
  if (stop != RunStop::failed || run.failure().step_is_done()) {
    static_cast<void>(rank_uses(ranks, stoppable.time(), p.state.bodies.size()));
    static_cast<void>(run.collect());
  }
  agree_on_end();
  return exit_ok;
}

int run(const RunOptions& options) {
  Ranks* const ranks = join_ranks();
  const bool is_first = ranks == nullptr || ranks->rank() == 0;
  const io::VtkLoading loading;
  const int threads_by_itself = threads_of_rank();
  set_thread_count(options.threads > 0 ? options.threads : threads_by_itself);
  Prepared p = prepare(options);
  const io::Scene& scene = p.scene;
  if (ranks != nullptr) {
    expect_same_start(*ranks, p.state);
    expect_by_ranks(scene, options.dump_problem);
  }
  if (any(ranks, p.has_nothing_to_do)) {
    agree_on_end();
    return exit_ok;
  }
  if (any(ranks, is_first && !has_room(p, options))) {
    agree_on_end();
    return exit_does_not_fit;
  }
  if (!is_first) return follow(p, *ranks);
  expect_problem_file(options.dump_problem, p.folder, {{scene.file}, options.overwrite});
  io::RunRecorder recorder = p.checkpoint
                                 ? io::RunRecorder(scene, p.folder, p.state, *p.checkpoint)
                                 : io::RunRecorder(scene, {p.folder, options.overwrite || p.replaces});
  if (scene.output.vtk && !io::vtk_problem().empty())
    spdlog::warn(
        "no files for ParaView are written, because {0}; `scree export {1} --to vtk` can write them later, "
        "and `scree export {1} --to vtkhdf` without VTK, for ParaView 5.12 and later",
        io::vtk_problem(), shell_word(p.folder.string()));
  const bool is_new = !p.checkpoint;
  p.checkpoint.reset();
  catch_interrupts();
  if (!options.quiet) announce(scene, p.state);
  std::optional<WatchProcess> page;
  if (options.view) page.emplace(p.folder, options.open);

  State& state = p.state;
  const RunPlan plan = run_plan(scene);
  Run run(scene.model, plan, state);
  Progress progress(Progress::detect(options.quiet), state.time_s, scene.end_time_s);
  ProblemDump dump(options, scene, run);
  Pace pace(options.realtime);
  Onlooker onlooker(scene, progress, pace);
  run.observe(recorder);
  run.observe(dump);
  run.observe(onlooker);
  // The reason for an early end is reported, and results are saved if possible; failures in this are not
  // reported again.
  const auto stopped = [&](const std::string& why, io::RunStatus status, bool good) {
    progress.clear();
    try {
      recorder.finish(status, run.seen(), good && (ranks == nullptr || run.seen().bodies.size() > 0));
    } catch (const std::exception&) {
    }
    spdlog::error("{}; {}", why, way_on(recorder.folder()));
  };
  try {
    if (is_new) recorder.begin(state);
    count_messages();
    if (ranks != nullptr) run.share(*ranks);
    pace.start(state.time_s);
    const RunStop stop = p.is_over ? RunStop::end_time : run.until(scene.end_time_s);
    if (stop == RunStop::failed && !run.failure().step_is_done()) {
      agree_on_end();
      stopped(run.failure_text(), io::RunStatus::failed, false);
      return exit_numerical_failure;
    }
    if (stop == RunStop::failed) {
      progress.clear();
      spdlog::error("{}", run.failure_text());
    }
    progress.finish();
    dump.finish();
    State whole;
    if (ranks != nullptr) {
      recorder.shared_by(rank_uses(*ranks, onlooker.time(), state.bodies.size()));
      whole = run.collect();
    }
    agree_on_end();
    const io::Summary summary = recorder.finish(status_of(stop), ranks == nullptr ? state : whole, true,
                                                [&](const std::string& line) {
                                                  if (!options.quiet) show(line + "\n");
                                                });
    if (!options.quiet) {
      show(headline_text(summary));
      show_verdict(summary.verdict, false);
      show(report_text(summary, options.details));
      if (!recorder.measured().empty()) show("\n" + io::measurements_lines(recorder.measured()));
      if (pace.is_on()) show("\n" + pace.text());
      if (options.stage_table || scene.output.stage_table) show("\n" + recorder.stage_table().text());
    }
    if (summary.status != io::RunStatus::finished) spdlog::info("{}", way_on(recorder.folder()));
    if (options.quiet)
      show_verdict(summary.verdict, true);
    else
      show(next_text(recorder.folder(), scene.output));
    return exit_code(summary, options.strict);
  } catch (const io::OutOfRoom& error) {
    stopped(fmt::format("{}: the run stops at t = {:g} s", error.what(), state.time_s),
            io::RunStatus::interrupted, true);
    return exit_cannot_write;
  } catch (const io::WriteError& error) {
    stopped(error.what(), io::RunStatus::failed, true);
    return exit_cannot_write;
  } catch (const std::exception&) {
    stopped(fmt::format("the run stops in step {} at t = {:g} s", state.step + 1, state.time_s),
            io::RunStatus::failed, false);
    throw;
  }
}

/// Checks only the command line's syntax; values are checked when the scene is read.
std::string check_setting(const std::string& text) {
  const auto equals = text.find('=');
  return equals == std::string::npos || equals == 0 ? "'" + text + "' is not of the form key=value" : "";
}

/// Options for observing the run.
void add_watching(CLI::App& command, RunOptions& options) {
  CLI::Option* const view = command.add_flag(
      "--view", options.view, "Serve the run's page on this machine during the run, as `scree watch` does");
  command.add_flag("--open", options.open, "Open that page in the default browser (xdg-open)")->needs(view);
  command
      .add_option("--realtime", options.realtime,
                  "Run in real time: FACTOR seconds of simulated time per second of wall-clock time "
                  "(default: 1); the summary contains the reached factor, the longest steps and the number "
                  "of steps slower than real time")
      ->expected(0, 1)
      ->default_str("1")
      ->type_name("FACTOR")
      ->check(number_in(positive));
}

}  // namespace

void add_run(CLI::App& app, std::function<int()>& action) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "Run a scene and write its results");
  command->add_option("scene", options->scene, "Scene file")->type_name("SCENE.toml");
  CLI::Option* const output = command
                                  ->add_option("-o,--output", options->folder,
                                               "Folder for the results (default: results/<scene name>)")
                                  ->type_name("FOLDER");
  CLI::Option* const resume =
      command
          ->add_option("--resume", options->resume,
                       "Folder of a run to continue from its last checkpoint, with the same results as "
                       "without interruption; with a scene: if the folder contains no run, start it there")
          ->type_name("FOLDER")
          ->excludes(output);
  CLI::Option* const restart =
      command
          ->add_option(
              "--restart-from", options->restart_from,
              "Folder of a run whose bodies, from its last checkpoint, are added to those of the scene; "
              "they keep ids and velocities, and get materials and shapes by name from the scene")
          ->type_name("FOLDER")
          ->excludes(resume);
  command
      ->add_option("--time", options->restart_time_s,
                   "For --restart-from: use the frame nearest to this simulated time, s; frames are in "
                   "single precision")
      ->needs(restart);
  add_threads(*command, options->threads);
  command->add_option("--until", options->until_s, "Simulated end time, s; overrides the scene")
      ->check(number_in(not_negative));
  command->add_option("--set", options->settings, "Setting of the scene to override; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->check(CLI::Validator(check_setting, ""));
  command
      ->add_option("--dump-problem", options->dump_problem,
                   "File for the contact problem of the first step that does not converge, for `scree solve`")
      ->type_name("FILE.h5");
  command
      ->add_option("--dump-step", options->dump_step,
                   "Number of the step whose contact problem --dump-problem stores, instead of the first "
                   "that does not converge")
      ->check(whole_number_in(step_numbers))
      ->type_name("STEP");
  command
      ->add_flag("--overwrite", options->overwrite,
                 "Replace existing results in the folder, and the file of --dump-problem")
      ->excludes(resume);
  command->add_flag("--force", options->force, "Run even if memory or disk are expected to be too small");
  add_memory_limit(*command, options->memory_limit);
  add_watching(*command, *options);
  command->add_flag("--details", options->details,
                    "At the end also print the computing times of the stages of a step and all terms of the "
                    "energy balance");
  command->add_flag(
      "--stage-table", options->stage_table,
      "At the end, print a table of the computing times of the stages of a step, at about twelve "
      "moments of the run");
  command
      ->add_flag("--strict{red}", options->strict,
                 "Exit with status 12 if the verdict is red; --strict=amber: also if it is amber")
      ->check(one_of({"red", "amber"}));
  command->add_flag("-q,--quiet", options->quiet,
                    "Print only warnings, errors, and a verdict that is not green");
  command->callback([options, &action] {
    if (options->scene.empty() && !options->settings.empty())
      throw CLI::ValidationError(
          "--set",
          "needs a scene; a run that is continued keeps its settings: `scree run SCENE.toml "
          "--restart-from FOLDER` begins another run with its bodies");
    if (options->scene.empty() && options->resume.empty())
      throw CLI::RequiredError("a scene file, or --resume with the folder of a run,");
    action = [options] { return run(*options); };
  });
}

}  // namespace scree
