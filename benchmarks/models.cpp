// Declarative models (docs/models.md):
//
//   models times MODEL.mo SECONDS STEP         time of a run for every way of tearing, compiled and
//   interpreted
//
// models curves MODEL.mo SECONDS STEP NAME PLOT   a variable with and without tearing, and the difference
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <string_view>

#include "engine/modules/equations/simulation.h"
#include "io/plots/plot.h"

namespace scree {
namespace {

using equations::FlatModel;
using equations::RunOptions;
using equations::Simulation;
using equations::Tearing;

FlatModel model_of(const char* path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return equations::compile_model({path, text.str()});
}

struct Way {
  Tearing tearing;
  const char* name;
};
constexpr Way ways[] = {{Tearing::marked, "marked"},
                        {Tearing::heuristic, "heuristic"},
                        {Tearing::none, "blocks untorn"},
                        {Tearing::whole, "all at once"}};
constexpr int repeats = 15;

std::string blocks_of(const equations::StepSystem& system) {
  std::string text;
  for (const equations::TornBlock& block : system.torn)
    if (!block.tears.empty())
      text += fmt::format("{}{}->{}", text.empty() ? "" : ", ", block.size(), block.tears.size());
  return text;
}

/// Largest difference of any unknown from the first run, over the larger of 1 and its size, over all steps.
double difference(const FlatModel& model, const RunOptions& first, const RunOptions& other, double seconds) {
  Simulation a(model, first), b(model, other);
  double largest = 0.0;
  while (a.time() < seconds - 0.5 * first.step) {
    a.advance();
    b.advance();
    for (const int v : a.system().inlined.unknowns)
      largest = std::max(largest, std::abs(a.value(v) - b.value(v)) / std::max(1.0, std::abs(a.value(v))));
  }
  return largest;
}

int time_all(const char* path, double seconds, double step) {
  const FlatModel model = model_of(path);
  const RunOptions reference{.step = step};
  fmt::print("{}: {} s in steps of {} s, implicit Euler, median of {} runs\n", model.name, seconds, step,
             repeats);
  fmt::print("{:<14} {:<24} {:>11} {:>10} {:>12} {:>12} {:>12}\n", "tearing", "blocks", "code", "run, ms",
             "a step, us", "x real time", "difference");
  for (const Way& way : ways) {
    for (const bool compiled : {true, false}) {
      const RunOptions options{.step = step, .tearing = way.tearing, .compiled = compiled};
      std::vector<double> times;
      std::string blocks;
      for (int k = 0; k < repeats; ++k) {
        Simulation run(model, options);
        const auto begin = std::chrono::steady_clock::now();
        run.run_until(seconds);
        times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
        blocks = blocks_of(run.system());
      }
      std::ranges::sort(times);
      const double median = times[repeats / 2];
      fmt::print("{:<14} {:<24} {:>11} {:>10.2f} {:>12.3f} {:>12.0f} {:>12.1e}\n", way.name, blocks,
                 compiled ? "compiled" : "interpreted", 1e3 * median, 1e6 * median * step / seconds,
                 seconds / median, difference(model, reference, options, seconds));
    }
  }
  return 0;
}

int draw_curves(const char* path, double seconds, double step, const std::string& name, const char* plot) {
  const FlatModel model = model_of(path);
  Simulation torn(model, {.step = step}), whole(model, {.step = step, .tearing = Tearing::whole});
  io::Curve a{name + ", torn", {}, {}, io::Line::nested},
      b{name + ", all unknowns at once", {}, {}, io::Line::nested};
  io::Curve apart{"difference", {}, {}, io::Line::plain};
  while (torn.time() < seconds - 0.5 * step) {
    torn.advance();
    whole.advance();
    const double x = torn.value(name), y = whole.value(name);
    for (auto [curve, value] : {std::pair(&a, x), std::pair(&b, y), std::pair(&apart, x - y)}) {
      curve->x.push_back(torn.time());
      curve->y.push_back(value);
    }
  }
  const std::string unit = model[model.find(name)].unit;
  io::write_plot(plot, model.name,
                 {{.title = name, .x_label = "time, s", .y_label = unit, .curves = {a, b}},
                  {.title = "torn less untorn", .x_label = "time, s", .y_label = unit, .curves = {apart}}});
  return 0;
}

}  // namespace
}  // namespace scree

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  try {
    if (what == "times" && argc == 5) return scree::time_all(argv[2], std::atof(argv[3]), std::atof(argv[4]));
    if (what == "curves" && argc == 7)
      return scree::draw_curves(argv[2], std::atof(argv[3]), std::atof(argv[4]), argv[5], argv[6]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 3;
  }
  fmt::print(stderr, "usage: models times MODEL.mo SECONDS STEP | curves MODEL.mo SECONDS STEP NAME PLOT\n");
  return 2;
}
