// Declarative models in motion: against closed forms and references, torn against untorn, compiled against
// interpreted.
#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <numbers>

#include "tests/support/models.h"

namespace scree::equations {
namespace {

Simulation run_of(const SourceText& source, double until, RunOptions options) {
  Simulation run(compile_model(source), options);
  run.run_until(until);
  return run;
}

double end_of(const SourceText& source, const std::string& name, double until, RunOptions options) {
  options.compiled = false;
  return run_of(source, until, options).value(name);
}

/// Errors of two steps, one half of the other: the logarithm of their ratio is the order.
double order_of(const SourceText& source, const std::string& name, double until, double exact,
                Formula formula, double step) {
  const double coarse = std::abs(end_of(source, name, until, {.step = step, .formula = formula}) - exact);
  const double fine = std::abs(end_of(source, name, until, {.step = step / 2, .formula = formula}) - exact);
  return std::log2(coarse / fine);
}

const SourceText oscillator{"m.mo",
                            "model m Real x(start = 1, fixed = true); Real v(start = 0, fixed = true); "
                            "equation der(x) = v; der(v) = -4*x; end m;"};

TEST(ModelRun, FormulasHaveTheirOrders) {
  EXPECT_NEAR(order_of(oscillator, "x", 1.0, std::cos(2.0), Formula::implicit_euler, 1e-3), 1.0, 0.02);
  EXPECT_NEAR(order_of(oscillator, "x", 1.0, std::cos(2.0), Formula::bdf2, 1e-3), 2.0, 0.02);
}

/// One step of implicit Euler by hand: x1 = (x0 + h v0)/(1 + 4 h^2), v1 = v0 - 4 h x1.
TEST(ModelRun, ImplicitEulerStepsMatchTheFormula) {
  Simulation run(compile_model(oscillator), {.step = 0.1, .compiled = false});
  run.advance();
  EXPECT_NEAR(run.value("x"), 1.0 / 1.04, 1e-14);
  EXPECT_NEAR(run.value("v"), -0.4 / 1.04, 1e-14);
  run.advance();  // the next one continues from there
  EXPECT_NEAR(run.value("x"), (1.0 / 1.04 - 0.04 / 1.04) / 1.04, 1e-14);
}

TEST(ModelRun, TheBackwardFormulaIsExactForParabolas) {
  const SourceText fall{"m.mo", "model m Real x(start = 0, fixed = true); equation der(x) = 2*time; end m;"};
  // The first step is implicit Euler's, with an error of h^2; every other one is exact for its start.
  const double h = 0.1;
  Simulation run(compile_model(fall), {.step = h, .formula = Formula::bdf2, .compiled = false});
  run.advance();
  EXPECT_NEAR(run.value("x"), 2 * h * h, 1e-15);
  run.advance();
  EXPECT_NEAR(run.value("x"), (4 * 2 * h * h + 2 * h * 2 * 2 * h) / 3, 1e-15);
}

const SourceText pendulum = shipped("pendulum.mo");

/// The angle equation of the same pendulum, with its own steps.
TEST(ModelRun, ThePendulumInCartesianCoordinatesIsThatInItsAngle) {
  const SourceText angle{"a.mo",
                         "model a Real phi(start = 0, fixed = true); Real w(start = 0, fixed = true); "
                         "equation der(phi) = w; der(w) = -9.81*cos(phi); end a;"};
  const RunOptions fine{.step = 2.5e-4, .formula = Formula::bdf2, .compiled = false};
  const double reference = end_of(angle, "phi", 2.0, {.step = 2.5e-5, .formula = Formula::bdf2});
  const Simulation run = run_of(pendulum, 2.0, fine);
  EXPECT_NEAR(std::remainder(std::atan2(run.value("y"), run.value("x")) - reference, 2 * std::numbers::pi),
              0.0, 2e-5);
  EXPECT_NEAR(run.value("x") * run.value("x") + run.value("y") * run.value("y"), 1.0, 1e-12);
  EXPECT_NEAR(run.value("x") * run.value("vx") + run.value("y") * run.value("vy"), 0.0, 1e-11);
}

/// Thrown with enough speed it rotates fully: every quarter the other coordinate is the state.
TEST(ModelRun, StatesAreReselectedThroughFullRotations) {
  SourceText thrown = pendulum;
  const auto change = [&](const std::string& from, const std::string& to) {
    const auto at = thrown.text.find(from);
    ASSERT_NE(at, std::string::npos);
    thrown.text.replace(at, from.size(), to);
  };
  change("vy(start = 0,", "vy(start = -9,");
  Simulation run(compile_model(thrown), {.step = 1e-3, .formula = Formula::bdf2, .compiled = false});
  double turned = 0.0, last = std::atan2(run.value("y"), run.value("x"));
  const double energy = 40.5;
  while (run.time() < 3.0) {
    run.advance();
    const double now = std::atan2(run.value("y"), run.value("x"));
    turned += std::remainder(now - last, 2 * std::numbers::pi);
    last = now;
    const double vx = run.value("vx"), vy = run.value("vy");
    ASSERT_NEAR(0.5 * (vx * vx + vy * vy) + 9.81 * run.value("y"), energy, 0.05) << run.time();
    ASSERT_NEAR(std::hypot(run.value("x"), run.value("y")), 1.0, 1e-11);
  }
  EXPECT_LT(turned, -3 * 2 * std::numbers::pi) << "clockwise, more than three turns";
  EXPECT_GE(run.counts().state_choices, 12);
  EXPECT_LE(run.counts().state_choices, 20) << "not back and forth";
}

struct Angles {
  double upper, lower;
};

// As in mechanisms_test.cpp: from both angles' equations with an accuracy of 1e-13; angles from the vertical.
TEST(ModelRun, DoublePendulumOfSubmodelsConvergesAtSecondOrder) {
  const Angles reference[] = {{-0.6250876998063906, -1.034585085680012},
                              {-0.4829715342517544, -1.324048712302363},
                              {1.785795522077417, 1.118107461205155}};
  std::vector<double> error[2];
  for (int half = 0; half < 2; ++half) {
    Simulation run(compile_model(shipped("double_pendulum.mo")),
                   {.step = half ? 1e-4 : 2e-4, .formula = Formula::bdf2, .compiled = false});
    for (int second = 0; second < 3; ++second) {
      run.run_until(second + 1.0);
      const auto off = [&](const char* name, double then) {
        return std::abs(
            std::remainder(run.value(name) + 0.5 * std::numbers::pi - then, 2 * std::numbers::pi));
      };
      error[half].push_back(off("upper.phi", reference[second].upper));
      error[half].push_back(off("lower.phi", reference[second].lower));
    }
    EXPECT_EQ(run.counts().state_choices, 1) << "the angles are preferred, and serve everywhere";
  }
  for (std::size_t k = 0; k < error[0].size(); ++k) {
    EXPECT_LT(error[1][k], 2e-5) << k;
    EXPECT_NEAR(std::log2(error[0][k] / error[1][k]), 2.0, 0.15) << k;
  }
}

TEST(ModelRun, TornAndUntornAreTheSame) {
  for (const char* file : {"five_variables.mo", "excavator.mo", "circuit.mo", "pendulum.mo"}) {
    for (const Formula formula : {Formula::implicit_euler, Formula::bdf2}) {
      const RunOptions torn{.step = 1e-3, .formula = formula, .compiled = false};
      RunOptions other = torn;
      for (const Tearing way : {Tearing::heuristic, Tearing::none, Tearing::whole}) {
        other.tearing = way;
        Simulation b(compile_model(shipped(file)), other);
        Simulation a(compile_model(shipped(file)), torn);
        for (int k = 0; k < 10; ++k) {
          a.run_until(0.05 * (k + 1));
          b.run_until(0.05 * (k + 1));
          for (const int v : a.model().variables) {
            const double x = a.value(v), y = b.value(v);
            ASSERT_NEAR(x, y, 1e-9 * std::max(1.0, std::abs(x))) << file << ' ' << a.model()[v].name;
          }
        }
      }
    }
  }
}

TEST(ModelRun, CompiledAndInterpretedAreTheSame) {
  for (const char* file :
       {"five_variables.mo", "excavator.mo", "double_pendulum.mo", "circuit.mo", "spring_and_stop.mo"}) {
    const Simulation a = run_of(shipped(file), 0.5, {.compiled = true});
    if (!a.why_interpreted().empty()) GTEST_SKIP() << a.why_interpreted();
    ASSERT_NE(a.system().compiled, nullptr);
    const Simulation b = run_of(shipped(file), 0.5, {.compiled = false});
    ASSERT_EQ(b.system().compiled, nullptr);
    for (const int v : a.model().variables)
      EXPECT_NEAR(a.value(v), b.value(v), 1e-12 * std::max(1.0, std::abs(b.value(v))))
          << file << ' ' << a.model()[v].name;
  }
}

TEST(ModelRun, WithoutACompilerTheCodeIsInterpreted) {
  const char* before = std::getenv("CXX");
  const std::string kept = before ? before : "";
  setenv("CXX", "/there/is/no/compiler", 1);
  const Simulation run = run_of(oscillator, 0.1, {});
  if (before) {
    setenv("CXX", kept.c_str(), 1);
  } else {
    unsetenv("CXX");
  }
  EXPECT_NE(run.why_interpreted().find("no compiler"), std::string::npos) << run.why_interpreted();
  EXPECT_NEAR(run.time(), 0.1, 1e-12);
}

TEST(ModelRun, EventTimesAreLocatedPrecisely) {
  const SourceText clock{"m.mo",
                         "model m Real x(start = 0, fixed = true); Real y; equation der(x) = 1; "
                         "y = if x > 0.123456789012 then 2 else 1; end m;"};
  const Simulation run = run_of(clock, 1.0, {.step = 0.01, .compiled = false});
  ASSERT_EQ(run.event_times().size(), 1u);
  EXPECT_NEAR(run.event_times()[0], 0.123456789012, 1e-11);
  EXPECT_EQ(run.value("y"), 2.0);
  EXPECT_EQ(run.time(), 1.0);
}

/// Off the stop half a period takes pi / sqrt(4), on it pi / sqrt(100): both with the formula's order.
TEST(ModelRun, SpringWithStopSwitchesAtContact) {
  const double touch = std::numbers::pi / 4, leave = touch + std::numbers::pi / 10;
  const Simulation run =
      run_of(shipped("spring_and_stop.mo"), 2.0, {.step = 1e-4, .formula = Formula::bdf2, .compiled = false});
  ASSERT_GE(run.event_times().size(), 2u);
  EXPECT_NEAR(run.event_times()[0], touch, 1e-7);
  EXPECT_NEAR(run.event_times()[1], leave, 1e-6);
}

/// Times between bounces decrease by e: the k-th ends at t0 (1 + 2 (e + ... + e^(k-1))).
TEST(ModelRun, ABallBouncesAtItsTimes) {
  const Simulation run =
      run_of(shipped("bouncing_ball.mo"), 2.5, {.step = 1e-4, .formula = Formula::bdf2, .compiled = false});
  const double first = std::sqrt(2 / 9.81);
  double expected = first, part = 1.0;
  std::size_t bounce = 0;
  for (const double t : run.event_times()) {  // falling below zero, and, by rounding, coming back above it
    if (bounce > 0 && t < expected - 0.1) continue;
    EXPECT_NEAR(t, expected, 2e-6) << bounce;
    part *= 0.8;
    expected += 2 * first * part;
    ++bounce;
  }
  EXPECT_GE(bounce, 4u);
}

TEST(ModelRun, CircuitMeetsKirchhoffAndOhm) {
  const Simulation run = run_of(shipped("circuit.mo"), 0.0137, {.step = 1e-4, .compiled = false});
  const auto v = [&](const char* name) { return run.value(name); };
  EXPECT_NEAR(v("r1.p.i") - v("r2.p.i") - v("bridge.p.i"), 0.0, 1e-12);
  EXPECT_NEAR(v("lamp.p.i") + v("bridge.p.i") - v("r4.p.i"), 0.0, 1e-12);
  EXPECT_NEAR(v("r2.p.i") + v("r4.p.i"), v("c.p.i"), 1e-12);
  EXPECT_NEAR(v("lamp.p.v") - v("lamp.n.v"), 15 * (1 + 2 * v("lamp.p.i") * v("lamp.p.i")) * v("lamp.p.i"),
              1e-10);
  EXPECT_NEAR(v("source.p.v"), 10 * std::sin(100 * std::numbers::pi * run.time()), 1e-10);
  EXPECT_GT(std::abs(v("bridge.p.i")), 1e-3) << "a bridge out of balance";
}

TEST(ModelRun, LinearBlocksTakeOneIteration) {
  const SourceText ladder{"m.mo",
                          "model m Real a(start = 1, fixed = true); Real b; Real c; equation "
                          "der(a) = b - a; 3*b + c = a; b - 2*c = a + sin(time); end m;"};
  const Simulation run = run_of(ladder, 1.0, {.step = 1e-2, .compiled = false});
  EXPECT_EQ(run.counts().iterations, run.counts().steps);
  EXPECT_NEAR(3 * run.value("b") + run.value("c"), run.value("a"), 1e-14);
}

std::string failure_of(const std::string& text, double until) {
  try {
    run_of({"m.mo", text}, until, {.step = 1e-2, .compiled = false});
  } catch (const NumericalFailure& failure) {
    return failure.what();
  }
  return {};
}

TEST(ModelRun, FailuresNameBlockVariablesAndTime) {
  // x^2 = 1 - t has no solution after 1 s.
  const std::string ended =
      failure_of("model m Real x(start = 1); Real y; equation x^2 + 0*y = 1 - time; y = x + 1; end m;", 2.0);
  EXPECT_NE(ended.find('x'), std::string::npos) << ended;
  EXPECT_NE(ended.find("x^2"), std::string::npos) << ended;
  EXPECT_NE(ended.find("at 1"), std::string::npos) << ended;
  const std::string parallel = failure_of(
      "model m Real a(start = 1); Real b(start = 1); equation a*sin(b) + a = 1 + time; sin(b)*a + a = 2 + "
      "3*time; end m;",
      1.0);
  EXPECT_NE(parallel.find("a*sin(b) + a = 1 + time"), std::string::npos) << parallel;
  const std::string contradiction = failure_of(
      "model m Real x(start = 2, fixed = true); Real y(start = 0, fixed = true); equation x^2 + y^2 = 1; "
      "der(x) = y; end m;",
      1.0);
  EXPECT_NE(contradiction.find("no consistent starting values"), std::string::npos) << contradiction;
  EXPECT_NE(contradiction.find("x^2 + y^2 = 1"), std::string::npos) << contradiction;
}

TEST(ModelRun, UnknownOnBothSidesIsSolved) {
  const auto at_end = [](const char* equation) {
    return end_of(
        {"m.mo", std::string("model m Real x; Real y; equation y = time; ") + equation + "; end m;"}, "x",
        0.01, {});
  };
  EXPECT_NEAR(at_end("x = cos(x)"), 0.7390851332151607,
              1e-12);  // at the intersection, by the iteration x <- cos x
  EXPECT_NEAR(at_end("x = 2*x + 3"), -3.0, 1e-12);
}

TEST(ModelRun, ModelOfConstantsRuns) {
  EXPECT_EQ(end_of({"m.mo", "model m Real x; equation x = 7; end m;"}, "x", 0.01, {}), 7.0);
}

TEST(ModelRun, HighPowersAreNotMultipliedOut) {
  const char* text =
      "model m Real x; Real y(start = 2, fixed = true); equation der(y) = 0*x; x = (0.5*y)^1e12; end m;";
  EXPECT_EQ(end_of({"m.mo", text}, "x", 0.01, {}), 1.0);
}

TEST(ModelRun, FreeStartValuesAreProjectedToTheNearestSolution) {
  const SourceText circle{
      "m.mo", "model m Real x(start = 3); Real y(start = 4); equation x^2 + y^2 = 1; der(x) = 0*y; end m;"};
  const Simulation run(compile_model(circle), {.compiled = false});
  EXPECT_NEAR(run.value("x"), 0.6, 1e-9);
  EXPECT_NEAR(run.value("y"), 0.8, 1e-9);
  EXPECT_EQ(run.counts().free_starts, 1);
}

/// Loops of the excavator close: pins of rods, rocker and link are at the bodies' own pins.
TEST(ModelRun, ExcavatorsLoopsAreClosed) {
  Simulation run(compile_model(shipped("excavator.mo")), {.step = 1e-2, .compiled = false});
  const auto v = [&](const char* name) { return run.value(name); };
  while (run.time() < 10.0) {
    run.advance();
    const double bx = 2.45 * std::cos(v("r7")) - 0.35 * std::sin(v("r7")),
                 by = 2.45 * std::sin(v("r7")) + 0.35 * std::cos(v("r7"));
    ASSERT_NEAR(0.55 + v("r4") * std::cos(v("r1")), bx, 1e-12);
    ASSERT_NEAR(-0.6 + v("r4") * std::sin(v("r1")), by, 1e-12);
    const double cx = 0.65 * std::cos(v("r9")), cy = 0.65 * std::sin(v("r9"));
    ASSERT_NEAR(-2.0 + v("r10") * std::cos(v("r3")), cx, 1e-12);
    ASSERT_NEAR(0.35 + v("r10") * std::sin(v("r3")), cy, 1e-12);
    const double link = v("r9") + v("r13");
    ASSERT_NEAR(cx + 0.6 * std::cos(link), 0.42 + 0.45 * std::cos(v("r15") + 2.1), 1e-11);
    ASSERT_NEAR(cy + 0.6 * std::sin(link), -0.05 + 0.45 * std::sin(v("r15") + 2.1), 1e-11);
  }
}

/// Rates of the excavator's pistons, from the levers, are those of their lengths; force times rate equals the
/// power of gravity.
TEST(ModelRun, ExcavatorForcesBalanceGravityPower) {
  Simulation run(compile_model(shipped("excavator.mo")),
                 {.step = 1e-3, .formula = Formula::bdf2, .compiled = false});
  const auto v = [&](const char* name) { return run.value(name); };
  const auto height = [&] {
    const double r7 = v("r7"), stick = r7 + v("r12"), bucket = stick + v("r15");
    const double elbow = 5.7 * std::sin(r7), wrist = elbow + 2.9 * std::sin(stick);
    return 9.81 * (1900 * (2.6 * std::sin(r7) + 0.45 * std::cos(r7)) +
                   1050 * (elbow + 0.9 * std::sin(stick) + 0.1 * std::cos(stick)) +
                   850 * (wrist + 0.65 * std::sin(bucket) - 0.1 * std::cos(bucket)));
  };
  run.run_until(3.0);
  const double potential = height(), r4 = v("r4"), r5 = v("r5"), r10 = v("r10");
  run.advance();
  const double work =
      v("force4") * (v("r4") - r4) + v("force5") * (v("r5") - r5) + v("force10") * (v("r10") - r10);
  EXPECT_NEAR(work, height() - potential, 2e-3 * std::abs(work));
  EXPECT_GT(std::abs(work), 1.0);
}

}  // namespace
}  // namespace scree::equations
