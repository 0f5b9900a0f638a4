#include "tools/model.h"

#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <spdlog/spdlog.h>
#include <sstream>

#include "engine/modules/equations/simulation.h"
#include "io/files/input_file.h"
#include "io/files/text_file.h"
#include "io/plots/plot.h"
#include "tools/command_line.h"
#include "tools/exit_codes.h"
#include "tools/model/structure_view.h"
#include "tools/output_files.h"
#include "tools/progress.h"

namespace scree {

namespace {

namespace fs = std::filesystem;
using equations::FlatModel;
using equations::Formula;
using equations::RunOptions;
using equations::Simulation;
using equations::Tearing;

struct ModelOptions {
  fs::path file, output;
  std::string main, method = "implicit_euler", tearing = "marked", code = "compiled", structure;
  std::vector<std::string> plots;
  double stop_time = 1.0, step = 1e-3;
  bool shows_structure = false, quiet = false, overwrite = false;
};

/// "r2,r7=angles.png"
struct Plot {
  std::vector<std::string> names;
  fs::path picture;
};

Plot plot_of(const std::string& text) {
  const auto equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0)
    throw CLI::ValidationError("--plot", fmt::format("'{}' is not of the form NAME[,NAME...]=PICTURE", text));
  Plot plot{{}, text.substr(equals + 1)};
  std::istringstream names(text.substr(0, equals));
  for (std::string name; std::getline(names, name, ',');) plot.names.push_back(name);
  if (!io::is_plot_file(plot.picture))
    throw CLI::ValidationError(
        "--plot", fmt::format("'{}' has an ending that cannot be drawn (allowed .svg, .png, .pdf)",
                              plot.picture.string()));
  return plot;
}

equations::SourceText read_source(const fs::path& file) {
  std::string problem;
  std::optional<std::string> text = io::read_bytes(file, problem, io::most_text_bytes);
  if (!text) throw InputError({{{file.string(), 0, 0}, {}, "cannot be read: " + problem, {}, {}, {}, {}}});
  return {file.string(), std::move(*text)};
}

/// Names of variables in the source, in its order, without derivatives.
std::vector<int> columns_of(const FlatModel& model) {
  std::vector<int> all;
  for (std::size_t k = 0; k < model.symbols.size(); ++k) {
    const auto& s = model.symbols[k];
    if (s.kind == equations::Symbol::Kind::variable && s.integral < 0) all.push_back(static_cast<int>(k));
  }
  return all;
}

/// The recorded values of a run.
class Record {
 public:
  Record(const ModelOptions& options, const FlatModel& model, const std::vector<Plot>& plots)
      : columns_(columns_of(model)) {
    for (const Plot& plot : plots) {
      std::vector<int> found;
      for (const std::string& name : plot.names) {
        const int k = model.find(name);
        if (k < 0) {
          std::vector<std::string> known;
          for (const int c : columns_) known.push_back(model[c].name);
          throw CLI::ValidationError("--plot",
                                     not_among(fmt::format("there is no variable '{}'", name), name, known));
        }
        found.push_back(k);
      }
      plotted_.push_back(found);
      curves_.emplace_back();
      for (const std::string& name : plot.names) curves_.back().push_back({name, {}, {}, io::Line::plain});
    }
    if (options.output.empty()) return;
    table_.emplace(options.output);
    std::string head = "time";
    for (const int k : columns_) head += fmt::format(",{}", model[k].name);
    table_->write(head + '\n');
  }

  void take(const Simulation& run) {
    for (std::size_t p = 0; p < plotted_.size(); ++p) {
      for (std::size_t k = 0; k < plotted_[p].size(); ++k) {
        curves_[p][k].x.push_back(run.time());
        curves_[p][k].y.push_back(run.value(plotted_[p][k]));
      }
    }
    if (!table_) return;
    std::string line = fmt::format("{}", run.time());
    for (const int k : columns_) line += fmt::format(",{}", run.value(k));
    table_->write(line + '\n');
  }

  void finish(const FlatModel& model, const std::vector<Plot>& plots) {
    if (table_) table_->close();
    for (std::size_t p = 0; p < plots.size(); ++p) {
      const std::string unit = model[plotted_[p][0]].unit;
      io::Panel panel{.title = "", .x_label = "time, s", .y_label = unit, .curves = curves_[p]};
      io::write_plot(plots[p].picture, model.name, {panel});
    }
  }

 private:
  std::vector<int> columns_;
  std::vector<std::vector<int>> plotted_;  // [plot][curve]
  std::vector<std::vector<io::Curve>> curves_;
  std::optional<io::TextFile> table_;
};

RunOptions run_options(const ModelOptions& options) {
  RunOptions made;
  made.step = options.step;
  made.formula = options.method == "bdf2" ? Formula::bdf2 : Formula::implicit_euler;
  made.tearing = options.tearing == "marked"      ? Tearing::marked
                 : options.tearing == "heuristic" ? Tearing::heuristic
                 : options.tearing == "none"      ? Tearing::none
                                                  : Tearing::whole;
  made.compiled = options.code == "compiled";
  return made;
}

int tell_structure(const ModelOptions& options, const Simulation& run) {
  show(structure_text(run.model(), run.system()));
  if (options.structure.empty()) return exit_ok;
#ifdef SCREE_RENDER
  draw_structure(structure_view(run.model(), run.system()), run.model().name, options.structure);
  return exit_ok;
#else
  spdlog::error("this program was built without pictures: configure with -DSCREE_RENDER=ON");
  return exit_left_out;
#endif
}

std::string blocks_text(const equations::StepSystem& system) {
  std::string from, to;
  for (const equations::TornBlock& block : system.torn) {
    if (block.tears.empty()) continue;
    from += fmt::format("{}{}", from.empty() ? "" : ", ", block.size());
    to += fmt::format("{}{}", to.empty() ? "" : ", ", block.tears.size());
  }
  return from.empty() ? "none: assignments give all unknowns" : from + " unknowns -> " + to;
}

std::string summary(const ModelOptions& options, const Simulation& run, double wall) {
  const equations::RunCounts& counts = run.counts();
  const auto line = [](const char* name, const std::string& what) {
    return fmt::format("  {:<12}{}\n", name, what);
  };
  std::string text = fmt::format("{}: {} s\n", run.model().name, run.time());
  text += line("steps", fmt::format("{} of {} s, {}", counts.steps, options.step, options.method));
  text += line("blocks", blocks_text(run.system()));
  text += line("iterations", fmt::format("{} of Newton's method, {:.3g} per step", counts.iterations,
                                         static_cast<double>(counts.iterations) /
                                             static_cast<double>(std::max(1L, counts.steps))));
  if (counts.events > 0) {
    text += line("events", fmt::format("{}, the first at {:.12g} s", counts.events, run.event_times()[0]));
  }
  if (counts.state_choices > 1)
    text += line("states", fmt::format("chosen again {} times", counts.state_choices - 1));
  if (counts.free_starts > 0)
    text +=
        line("start", fmt::format("{} values were not determined: the values nearest to `start` were used",
                                  counts.free_starts));
  if (counts.untorn_steps > 0)
    text += line("untorn", fmt::format("{} steps did not converge with tearing", counts.untorn_steps));
  if (counts.halved_steps > 0)
    text += line("halved", fmt::format("{} steps did not converge and were halved", counts.halved_steps));
  const bool compiled = run.system().compiled != nullptr;
  text += line("code", compiled ? fmt::format("compiled in {:.2f} s", run.compile_seconds()) : "interpreted");
  return text +
         line("speed",
              fmt::format("{:.3g} us per step, {:.4g} times real time (without compilation and output)",
                          1e6 * wall / static_cast<double>(std::max(1L, counts.steps)), run.time() / wall));
}

int model(const ModelOptions& options) {
  std::vector<Plot> plots;
  for (const std::string& text : options.plots) plots.push_back(plot_of(text));
  const OutputRule rule{{options.file}, options.overwrite};
  expect_writable(options.output, rule);
  expect_writable(options.structure, rule);
  for (const Plot& plot : plots) expect_writable(plot.picture, rule);
  try {
    RunOptions how = run_options(options);
    if (options.shows_structure) how.compiled = false;
    Simulation run(equations::compile_model(read_source(options.file), options.main), how);
    if (options.shows_structure) return tell_structure(options, run);
    if (how.compiled && !run.why_interpreted().empty())
      spdlog::warn("{}: the code is interpreted", run.why_interpreted());
    Record record(options, run.model(), plots);
    const auto compiling = run.compile_seconds();
    std::chrono::steady_clock::duration spent{};
    record.take(run);
    while (run.time() < options.stop_time - 1e-6 * options.step) {
      const auto begin = std::chrono::steady_clock::now();
      run.advance();
      spent += std::chrono::steady_clock::now() - begin;
      record.take(run);
    }
    const double wall = std::chrono::duration<double>(spent).count() - (run.compile_seconds() - compiling);
    record.finish(run.model(), plots);
    if (!options.quiet) show(summary(options, run, wall));
  } catch (const equations::NumericalFailure& failure) {
    spdlog::error("{}: {}", options.file.string(), failure.what());
    return exit_numerical_failure;
  }
  return exit_ok;
}

CLI::Validator picture_ending() {
  return {[](std::string& path) {
            return path.empty() || fs::path(path).extension() == ".png"
                       ? std::string()
                       : fmt::format("'{}' has an ending that cannot be written (allowed .png)", path);
          },
          ""};
}

}  // namespace

void add_model(CLI::App& app, std::function<int()>& action) {
  const auto options = std::make_shared<ModelOptions>();
  CLI::App* command =
      app.add_subcommand("model", "Simulate a model given by equations (a subset of Modelica)");
  command->add_option("file", options->file, "Model file, in the subset of Modelica of docs/models.md")
      ->required()
      ->type_name("MODEL.mo");
  command->add_option("--main", options->main, "Model of the file (default: the last one)")
      ->type_name("NAME");
  command->add_option("--stop-time", options->stop_time, "End time, s")
      ->check(number_in(positive))
      ->capture_default_str();
  command->add_option("--step", options->step, "Time step, s")
      ->check(number_in(positive))
      ->capture_default_str();
  command->add_option("--method", options->method, "Integration formula")
      ->check(one_of({"implicit_euler", "bdf2"}))
      ->capture_default_str();
  command
      ->add_option(
          "--tearing", options->tearing,
          "Which unknowns are iterated where equations must be solved together: those that the model marks, "
          "those that a heuristic finds, all unknowns of each such block, or all unknowns of all blocks at "
          "once")
      ->check(one_of({"marked", "heuristic", "none", "whole"}))
      ->capture_default_str();
  command
      ->add_option("--code", options->code,
                   "Evaluation of the steps; `compiled` needs a C++ compiler ($CXX, or c++)")
      ->check(one_of({"compiled", "interpreted"}))
      ->capture_default_str();
  command->add_option("-o,--output", options->output, "File for a table of all variables at all steps")
      ->type_name("TABLE.csv");
  command->add_option("--plot", options->plots, "Variables to plot over time; may be repeated")
      ->type_name("NAME[,NAME...]=PICTURE");
  command
      ->add_option_function<std::string>(
          "--structure",
          [options](const std::string& picture) {
            options->shows_structure = true;
            options->structure = picture;
          },
          "Do not run; print the equations, their blocks, and the unknowns that are iterated (tearing); with "
          "FILE.png, also draw them")
      ->expected(0, 1)
      ->default_str("")
      ->check(picture_ending())
      ->type_name("FILE.png");
  command->add_flag("-q,--quiet", options->quiet, "Print only problems");
  add_overwrite(*command, options->overwrite);
  command->callback([options, &action] { action = [options] { return model(*options); }; });
}

}  // namespace scree
