// Motion with breaks: where they are found, their cost, and many breaks in a short time.
#include "tests/support/piecewise.h"

#include <Eigen/Core>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace scree {
namespace {

using State = Eigen::Vector2d;  // height and velocity, or angle and rate

/// Time of the k-th impact, k from 1, of a ball that falls from rest at height 1 and bounces with e on the
/// floor.
double bounce_time(int k, double e, double g = 9.81) {
  const double first = std::sqrt(2.0 / g);
  return first + 2.0 * first * e * (1.0 - std::pow(e, k - 1)) / (1.0 - e);
}

auto falling(double g = 9.81) {
  return [g](double, const State& y) { return State(y[1], -g); };
}
EventFunction<State> floor_with(double e) {
  return {[](double, const State& y) { return y[0]; }, Crossing::falling, false,
          [e](double, const State& y) { return State(0.0, -e * y[1]); }};
}

template <class Motion>
std::vector<Break<State>> all_breaks(Motion& motion, double h, int steps, int* most_calls = nullptr) {
  std::vector<Break<State>> all;
  for (int i = 0; i < steps; ++i) {
    const PiecewiseStep<State> report = motion.step(h);
    if (most_calls != nullptr) *most_calls = std::max(*most_calls, report.calls);
    all.insert(all.end(), report.breaks.begin(), report.breaks.end());
  }
  return all;
}

// The first ten bounces, to 1e-10 s: free fall is a polynomial, which both forms follow exactly.
TEST(Piecewise, BouncesOfFreeFallAreExact) {
  for (const BreakForm form : {BreakForm::bounded, BreakForm::polished}) {
    PiecewiseMotion motion(falling(), {floor_with(0.8)}, form, 0.0, State(1.0, 0.0));
    const auto breaks = all_breaks(motion, 0.01, 390);
    ASSERT_GE(breaks.size(), 10u);
    for (int k = 1; k <= 10; ++k) EXPECT_NEAR(breaks[k - 1].time, bounce_time(k, 0.8), 1e-11) << k;
  }
}

// A bounded step calls f at most six times without a break, and no more often with a predicted break: always
// less than 1.5 times the five calls of a smooth step.
TEST(Piecewise, StepWithAnEventCostsLikeASmoothStep) {
  int most = 0;
  PiecewiseMotion motion(falling(), {floor_with(0.8)}, BreakForm::bounded, 0.0, State(1.0, 0.0));
  const auto breaks = all_breaks(motion, 0.01, 390, &most);
  EXPECT_GE(breaks.size(), 10u);
  EXPECT_LE(most, 7);
  PiecewiseMotion first(falling(), {floor_with(0.8)}, BreakForm::bounded, 0.0, State(1.0, 0.0));
  for (int i = 0; i < 45; ++i) first.step(0.01);
  const PiecewiseStep<State> broken = first.step(0.01);
  ASSERT_EQ(broken.breaks.size(), 1u);
  EXPECT_EQ(broken.calls, 4);
}

/// Largest error of the first four passages of y = cos(t) through 1/2, with and without polish, in steps of
/// h; the jump changes nothing.
std::pair<double, double> throughput_errors(double h) {
  const auto f = [](double, const State& y) { return State(y[1], -y[0]); };
  const EventFunction<State> half{[](double, const State& y) { return y[0] - 0.5; }};
  PiecewiseMotion rough(f, {half}, BreakForm::bounded, 0.0, State(1.0, 0.0));
  PiecewiseMotion fine(f, {half}, BreakForm::polished, 0.0, State(1.0, 0.0));
  const int steps = static_cast<int>(std::round(12.0 / h));
  const auto a = all_breaks(rough, h, steps), b = all_breaks(fine, h, steps);
  const double third = std::numbers::pi / 3.0;
  const double exact[] = {third, 5.0 * third, 7.0 * third, 11.0 * third};
  EXPECT_EQ(a.size(), 4u);
  EXPECT_EQ(b.size(), 4u);
  std::pair<double, double> error{0.0, 0.0};
  for (std::size_t i = 0; i < 4 && i < a.size() && i < b.size(); ++i) {
    error.first = std::max(error.first, std::abs(a[i].time - exact[i]));
    error.second = std::max(error.second, std::abs(b[i].time - exact[i]));
  }
  return error;
}

// The published scheme's error decreases with the third order of its segments, that of the polished one with
// the fourth.
TEST(Piecewise, EventTimesConvergeAtTheExpectedOrders) {
  const auto [rough1, fine1] = throughput_errors(0.1);
  const auto [rough2, fine2] = throughput_errors(0.025);
  EXPECT_LT(rough1, 2e-3);
  EXPECT_GT(std::log2(rough1 / rough2) / 2.0, 2.6);
  EXPECT_LT(fine1, 1e-5);
  EXPECT_GT(std::log2(fine1 / fine2) / 2.0, 3.7);
  EXPECT_LT(throughput_errors(0.001).second, 1e-12);
}

// Directions, several functions in one step in their order, one that ends the motion.
TEST(Piecewise, HandlesEventsInOrderOfTime) {
  const auto f = [](double, const State&) { return State(1.0, 0.0); };
  const auto at = [](double place, Crossing crossing, bool terminal) {
    return EventFunction<State>{[place](double, const State& y) { return y[0] - place; }, crossing, terminal};
  };
  PiecewiseMotion motion(f,
                         {at(0.9, Crossing::both, true), at(0.5, Crossing::rising, false),
                          at(0.2, Crossing::rising, false), at(0.3, Crossing::falling, false)},
                         BreakForm::polished, 0.0, State(0.0, 0.0));
  const PiecewiseStep<State> report = motion.step(2.0);
  ASSERT_EQ(report.breaks.size(), 3u);
  EXPECT_EQ(report.breaks[0].event, 2u);
  EXPECT_NEAR(report.breaks[0].time, 0.2, 1e-14);
  EXPECT_EQ(report.breaks[1].event, 1u);
  EXPECT_NEAR(report.breaks[1].time, 0.5, 1e-14);
  EXPECT_EQ(report.breaks[2].event, 0u);
  EXPECT_TRUE(report.ended);
  EXPECT_NEAR(motion.time(), 0.9, 1e-14);
}

// Accumulating bounces end the motion near Zeno's point; the motion does not continue without end. In real
// time, bounces that do not fit into a step are counted.
TEST(Piecewise, DetectsAccumulatingEvents) {
  PiecewiseMotion motion(falling(), {floor_with(0.5)}, BreakForm::polished, 0.0, State(1.0, 0.0));
  bool piled_up = false;
  for (int i = 0; i < 400 && !piled_up; ++i) piled_up = motion.step(0.01).piled_up;
  EXPECT_TRUE(piled_up);
  EXPECT_NEAR(motion.time(), 3.0 * std::sqrt(2.0 / 9.81), 1e-6);

  PiecewiseMotion bounded(falling(), {floor_with(0.5)}, BreakForm::bounded, 0.0, State(1.0, 0.0));
  int overruns = 0, most = 0;
  for (int i = 0; i < 400; ++i) {
    const auto report = bounded.step(0.01);
    overruns += report.overruns;
    most = std::max(most, report.calls);
  }
  EXPECT_GT(overruns, 0);
  EXPECT_LE(most, 7);
}

// A chain of eight masses between walls, whose mode k swings with 2 sin(k pi/18): the third mode, with a mass
// that passes its middle at known times, to fourth order in polished steps.
TEST(Piecewise, AChainOfSpringsSwingsInItsModes) {
  constexpr int masses = 8, mode = 3;
  using Chain = Eigen::Matrix<double, 2 * masses, 1>;
  const auto f = [](double, const Chain& y) {
    Chain slope;
    for (int i = 0; i < masses; ++i) {
      const double left = i > 0 ? y[i - 1] : 0.0, right = i + 1 < masses ? y[i + 1] : 0.0;
      slope[i] = y[masses + i];
      slope[masses + i] = left - 2.0 * y[i] + right;
    }
    return slope;
  };
  const double angle = mode * std::numbers::pi / (masses + 1), omega = 2.0 * std::sin(0.5 * angle);
  Chain shape = Chain::Zero();
  for (int i = 0; i < masses; ++i) shape[i] = std::sin(angle * (i + 1));
  const auto worst = [&](double h) {
    const EventFunction<Chain> middle{[](double, const Chain& y) { return y[0]; }};
    PiecewiseMotion motion(f, {middle}, BreakForm::polished, 0.0, shape);
    double error = 0.0;
    int passed = 0;
    while (motion.time() < 30.0)
      for (const Break<Chain>& b : motion.step(h).breaks)
        error = std::max(error, std::abs(b.time - (passed++ + 0.5) * std::numbers::pi / omega));
    EXPECT_EQ(passed, 10);
    const double swing = std::cos(omega * motion.time());
    return std::max(error, (motion.state().head<masses>() - swing * shape.head<masses>()).norm());
  };
  const double coarse = worst(0.1), fine = worst(0.025);
  EXPECT_LT(coarse, 1e-4);
  EXPECT_GT(std::log2(coarse / fine) / 2.0, 3.8);
}

}  // namespace
}  // namespace scree
