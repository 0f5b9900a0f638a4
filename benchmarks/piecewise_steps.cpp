// Cost and accuracy of piecewise steps (docs/piecewise.md), each on one thread. Tables go to standard output.
// A PLOT is .svg, .png or .pdf.
//
// piecewise_steps orders PLOT    error of impact times over the step, and the cost, beside contacts
//
// piecewise_steps density PLOT   gases: impacts per second over density, beside contacts at equal accuracy
//
//   piecewise_steps break          bounded steps, smooth and with a break, for callgrind to count
#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <fmt/format.h>
#include <numbers>
#include <string_view>

#include "engine/core/parallel.h"
#include "tests/support/piecewise.h"
#include "engine/simulation/step.h"
#include "io/plots/plot.h"
#include "io/scene/read_scene.h"

#ifndef SCREE_SCENES
#error "the folder of the scenes"
#endif

namespace scree {
namespace {

using YZ = Eigen::Vector2d;  // height and velocity, m, m/s

double cpu_s() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// A ball falls one metre in air, which slows it by drag * v, and bounces. ---------------------------------
constexpr double gravity = 9.81, drag = 0.5, restitution = 0.8, radius = 0.01, drop = 1.0;
constexpr double end_s = 2.1;

/// The times of its impacts until end_s, from the closed form.
std::vector<double> exact_impacts() {
  std::vector<double> times;
  double t = 0.0, z = drop, v = 0.0;
  const double settling = gravity / drag;
  for (;;) {
    const auto height = [&](double s) {
      return z + (v + settling) * -std::expm1(-drag * s) / drag - settling * s;
    };
    double low = v > 0.0 ? std::log1p(v / settling) / drag : 0.0, high = low + 0.1;
    while (height(high) > 0.0) high += 0.1;
    const double fall = brent_root(height, low, high, 1e-16);
    if (t + fall > end_s) return times;
    t += fall;
    times.push_back(t);
    v = -restitution * ((v + settling) * std::exp(-drag * fall) - settling);
    z = 0.0;
  }
}

struct Try {
  double error = infinity;  // s, the largest error of all impact times
  double cost_s = 0.0;      // processor time per simulated second
};

/// Repeats a run until it has taken long enough for timing.
template <class Run>
Try timed(const std::vector<double>& exact, Run&& run) {
  Try result;
  const double begin = cpu_s();
  int runs = 0;
  do {
    const std::vector<double> times = run();
    ++runs;
    result.error = times.size() >= exact.size() ? 0.0 : infinity;
    for (std::size_t k = 0; k < std::min(exact.size(), times.size()); ++k)
      result.error = std::max(result.error, std::abs(times[k] - exact[k]));
  } while (cpu_s() - begin < 0.2);
  result.cost_s = (cpu_s() - begin) / runs / end_s;
  return result;
}

std::vector<double> by_formulas(double h, BreakForm form) {
  const auto fall = [](double, const YZ& y) { return YZ(y[1], -gravity - drag * y[1]); };
  const EventFunction<YZ> floor{[](double, const YZ& y) { return y[0]; }, Crossing::falling, false,
                                [](double, const YZ& y) { return YZ(0.0, -restitution * y[1]); }};
  PiecewiseMotion motion(fall, {floor}, form, 0.0, YZ(drop, 0.0));
  std::vector<double> times;
  for (long k = 0; k < std::lround(end_s / h); ++k)
    for (const Break<YZ>& b : motion.step(h).breaks) times.push_back(b.time);
  return times;
}

std::vector<double> by_engine(double h, Stepping stepping) {
  Model model;
  State state;
  const MaterialIndex glass = model.materials.add("glass", 2500.0);
  model.materials.set_law(glass, glass, {.friction = 0.0, .restitution = restitution});
  model.settings.time_step_s = h;
  model.settings.stepping = stepping;
  model.settings.gravity = Vec3(0.0, 0.0, -gravity);
  model.settings.restitution_threshold_m_s = 1e-4;
  model.forces.fields.push_back({[](const Vec3&, const Vec3& v, double) { return Vec3(-drag * v); }, true});
  model.boundaries.push_back({"floor", glass, Plane{Vec3::Zero(), Vec3::UnitZ()}});
  add_body(state.bodies, model.shapes, model.materials,
           {model.shapes.add(Ellipsoid{Vec3::Constant(radius)}),
            glass,
            {Vec3(0.0, 0.0, drop + radius), Quat::Identity()},
            {}});
  Workspace workspace;
  StepResult result;
  std::vector<double> times;
  double last = 0.0;  // velocity
  for (long k = 0; k < std::lround(end_s / h); ++k) {
    step(model, state, workspace, result);
    for (const Impact& impact : result.impacts) times.push_back(impact.time_s);
    const double v = state.bodies.linear_velocity[0].z();
    if (stepping == Stepping::contacts && last < 0.0 && v > last && result.report.active_contacts > 0)
      times.push_back(state.time_s - 0.5 * h);
    last = v;
  }
  return times;
}

int orders(const std::filesystem::path& plot) {
  const std::vector<double> exact = exact_impacts();
  fmt::print("{} impacts until {} s\n", exact.size(), end_s);
  io::Panel over_step{
      "error over the step", "step, s", "largest error of an instant, s", io::Axis::logarithmic,
      io::Axis::logarithmic, {}};
  io::Panel over_cost{"error over the cost",
                      "processor time of a simulated second, s",
                      "largest error of an instant, s",
                      io::Axis::logarithmic,
                      io::Axis::logarithmic,
                      {}};
  const auto add = [&](const char* name, auto&& run) {
    io::Curve by_step{name, {}, {}}, by_cost{name, {}, {}};
    for (const double h : {0.1, 0.03, 0.01, 0.003, 0.001, 0.0003, 0.0001}) {
      const Try t = timed(exact, [&] { return run(h); });
      fmt::print("{:34} h {:7g}: error {:9.2e} s, {:9.2e} s a second\n", name, h, t.error, t.cost_s);
      if (!std::isfinite(t.error)) continue;
      by_step.x.push_back(h);
      by_cost.x.push_back(t.cost_s);
      by_step.y.push_back(std::max(t.error, 1e-16));
      by_cost.y.push_back(std::max(t.error, 1e-16));
    }
    over_step.curves.push_back(by_step);
    over_cost.curves.push_back(by_cost);
  };
  add("formulas, bounded", [](double h) { return by_formulas(h, BreakForm::bounded); });
  add("formulas, polished", [](double h) { return by_formulas(h, BreakForm::polished); });
  add("engine, piecewise", [](double h) { return by_engine(h, Stepping::piecewise); });
  add("engine, contacts", [](double h) { return by_engine(h, Stepping::contacts); });
  io::write_plot(plot, "A ball that falls in air and bounces: instants of its impacts",
                 {over_step, over_cost});
  return 0;
}

// Gases.
// -----------------------------------------------------------------------------------------------------
struct GasRun {
  double compressibility = 0.0;          // P V/(N k T), by the virial of impulses
  double expected = 0.0, impacts = 0.0;  // by the theory of spheres; counted, or the expected number
  double cost_s = 0.0;                   // processor time
};

/// scenes/piecewise/gas.toml, after some impacts of each body that are not counted. `rate`: impacts per
/// second of one body.
GasRun run_gas(const std::string& solid_fraction, const Vec3& axes, const std::string& stepping, double h,
               double rate, double impacts_a_body) {
  const io::Scene scene = io::read_scene(std::filesystem::path(SCREE_SCENES) / "piecewise/gas.toml",
                                         {{"solid_fraction", solid_fraction},
                                          {"a", fmt::format("{}", axes[0])},
                                          {"b", fmt::format("{}", axes[1])},
                                          {"c", fmt::format("{}", axes[2])},
                                          {"stepping", stepping},
                                          {"time_step", fmt::format("{}", h)}});
  State state = scene.initial;
  Workspace workspace;
  StepResult result;
  const Bodies& b = state.bodies;
  const auto until = [&](double impacts, auto&& look) {
    const double end = state.time_s + impacts / rate;
    while (state.time_s < end) {
      const double before = state.time_s;
      step(scene.model, state, workspace, result);
      look(state.time_s - before);
    }
  };
  until(5.0, [](double) {});
  GasRun run;
  double virial = 0.0, heat_time = 0.0;
  const double begin_s = state.time_s, begin = cpu_s();
  until(impacts_a_body, [&](double passed) {
    run.impacts += static_cast<double>(result.impacts.size());
    for (const Impact& i : result.impacts)
      if (!is_boundary(i.b))
        virial += i.collision_impulse.impulse.dot(i.collision_impulse.arm_b - i.collision_impulse.arm_a);
    for (const Contact& c : state.contacts.list) virial += c.impulse.cast<double>().dot(c.arm_b - c.arm_a);
    double squares = 0.0;
    for (std::size_t i = 0; i < b.size(); ++i) squares += b.mass[i] * b.linear_velocity[i].squaredNorm();
    heat_time += squares / 3.0 * passed;
  });
  run.cost_s = cpu_s() - begin;
  run.compressibility = 1.0 + virial / 3.0 / heat_time;
  run.expected = 0.5 * static_cast<double>(b.size()) * rate * (state.time_s - begin_s);
  if (run.impacts == 0.0) run.impacts = run.expected;
  return run;
}

/// Impacts per second of one body by Enskog's theory, contact value by Carnahan and Starling; size: radius.
double enskog_rate(double f, double size) {
  const double d = 2.0 * size, chi = (1.0 - 0.5 * f) / std::pow(1.0 - f, 3),
               density = f / (std::numbers::pi / 6.0 * d * d * d);
  return 4.0 * density * d * d * chi * std::sqrt(std::numbers::pi);
}
double carnahan_starling(double f) { return (1.0 + f + f * f - f * f * f) / std::pow(1.0 - f, 3); }

/// The impacts' part of the pressure grows in proportion to the step of contacts. The slope of longer steps
/// therefore gives the step for a given error.
int density(const std::filesystem::path& plot) {
  const Vec3 spheres = Vec3::Constant(0.01), ellipsoids(0.0125, 0.01, 0.008);
  constexpr double passing = 0.02 / std::numbers::sqrt2;  // s, in which relative velocities pass a diameter
  struct Error {
    double size, impacts_a_body;
  };
  constexpr Error errors[] = {{0.1, 20.0}, {0.01, 10.0}, {0.001, 2.0}};
  io::Panel panel{"on one core",         "solid fraction",      "impacts a second",
                  io::Axis::logarithmic, io::Axis::logarithmic, {}};
  panel.curves = {{"spheres, piecewise", {}, {}},
                  {"spheres, contacts to 10 %", {}, {}},
                  {"spheres, contacts to 1 %", {}, {}},
                  {"spheres, contacts to 0.1 %", {}, {}},
                  {"ellipsoids, piecewise", {}, {}, io::Line::dashed},
                  {"ellipsoids, contacts to 1 %", {}, {}, io::Line::dashed}};
  const auto note = [&](std::size_t curve, double f, const GasRun& run) {
    fmt::print("{:5} {}: {:8.0f} impacts/s\n", f, panel.curves[curve].label, run.impacts / run.cost_s);
    panel.curves[curve].x.push_back(f);
    panel.curves[curve].y.push_back(run.impacts / run.cost_s);
    std::fflush(stdout);
  };
  for (const char* text : {"0.01", "0.03", "0.1", "0.2", "0.3", "0.4"}) {
    const double f = std::stod(text), rate = enskog_rate(f, 0.01), z = carnahan_starling(f);
    const auto error = [&](const GasRun& run) { return (run.compressibility - 1.0) / (z - 1.0) - 1.0; };
    const GasRun exact = run_gas(text, spheres, "piecewise", 1.0 / rate, rate, 40.0);
    fmt::print("{:5} piecewise: (Z - 1)/(Z_CS - 1) - 1 = {:7.4f}\n", f, error(exact));
    note(0, f, exact);
    double squares = 0.0, products = 0.0;
    for (const double part : {0.08, 0.04, 0.02}) {
      const double h = part * passing, e = error(run_gas(text, spheres, "contacts", h, rate, 40.0));
      fmt::print("{:5} contacts, h = {:.2e} s: (Z - 1)/(Z_CS - 1) - 1 = {:7.4f}\n", f, h, e);
      squares += h * h;
      products += h * e;
    }
    const double step_of_one = std::abs(squares / products);  // s, step at which all of the pressure is wrong
    for (std::size_t k = 0; k < std::size(errors); ++k)
      note(1 + k, f,
           run_gas(text, spheres, "contacts", errors[k].size * step_of_one, rate, errors[k].impacts_a_body));
    if (f > 0.25) continue;  // ellipsoids have no room on this lattice
    const GasRun turning = run_gas(text, ellipsoids, "piecewise", 1.0 / rate, rate, 10.0);
    note(4, f, turning);
    GasRun by_contacts = run_gas(text, ellipsoids, "contacts", 0.01 * step_of_one, rate, 2.0);
    by_contacts.impacts *= turning.impacts / turning.expected;
    note(5, f, by_contacts);
  }
  io::write_plot(plot, "Gases of 1,000 hard bodies, from impact to impact and by contacts", {panel});
  return 0;
}

// Bounded steps. ------------------------------------------------------------------------------------------
using Y6 = Eigen::Matrix<double, 6, 1>;  // position and velocity

/// A ball in air, with drag proportional to the square of the velocity.
Y6 flight(double, const Y6& y) {
  const Vec3 v = y.tail<3>();
  Y6 slope;
  slope << v, Vec3(0.0, 0.0, -gravity) - drag * v.norm() * v;
  return slope;
}
using BallMotion = PiecewiseMotion<Y6, Y6 (*)(double, const Y6&)>;

BallMotion ball() {
  const auto wall = [](int axis, double at, double side) {
    return EventFunction<Y6>{[axis, at, side](double, const Y6& y) { return side * (y[axis] - at); },
                             Crossing::falling, false,
                             [axis](double, const Y6& y) {
                               Y6 after = y;
                               after[axis + 3] *= -1.0;
                               return after;
                             }};
  };
  Y6 start;
  start << 0.0, 0.0, 1.0, 4.0, 1.0, 0.0;
  return {
      flight, {wall(0, -2.0, 1.0), wall(0, 5.0, -1.0), wall(2, 0.0, 1.0)}, BreakForm::bounded, 0.0, start};
}

}  // namespace

/// The function whose work callgrind counts (--toggle-collect).
__attribute__((noinline)) PiecewiseStep<Y6> counted_smooth(BallMotion& motion) { return motion.step(0.005); }
__attribute__((noinline)) PiecewiseStep<Y6> counted_broken(BallMotion& motion) { return motion.step(0.005); }

namespace {

/// A copy first takes every step, which shows the kind of the step.
int breaks() {
  BallMotion motion = ball();
  int smooth = 0, broken = 0, calls_smooth = 0, calls_broken = 0;
  for (int k = 0; k < 2000; ++k) {
    BallMotion trial = motion;
    const bool breaks = !trial.step(0.005).breaks.empty();
    const PiecewiseStep<Y6> step = breaks ? counted_broken(motion) : counted_smooth(motion);
    ++(breaks ? broken : smooth);
    (breaks ? calls_broken : calls_smooth) += step.calls;
  }
  fmt::print("{{\"smooth\": {}, \"broken\": {}, \"calls_smooth\": {}, \"calls_broken\": {}}}\n", smooth,
             broken, calls_smooth, calls_broken);
  return 0;
}

}  // namespace
}  // namespace scree

int main(int argc, char** argv) {
  scree::set_thread_count(1);
  const std::string_view what = argc > 1 ? argv[1] : "";
  try {
    if (what == "break" && argc == 2) return scree::breaks();
    if (what == "orders" && argc == 3) return scree::orders(argv[2]);
    if (what == "density" && argc == 3) return scree::density(argv[2]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 3;
  }
  fmt::print(stderr, "usage: piecewise_steps orders PLOT | density PLOT | break\n");
  return 2;
}
