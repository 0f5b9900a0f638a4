// Runge-Kutta formulas: order conditions, observed orders, the published table of the improved Euler formula.
#include <Eigen/Core>
#include <cmath>
#include <gtest/gtest.h>
#include <tuple>

#include "engine/modules/integration/brent.h"
#include "engine/modules/integration/hermite.h"
#include "engine/modules/integration/runge_kutta.h"

namespace scree {
namespace {

/// The largest failure of the conditions of order q at theta (Butcher's trees of q nodes): sum b_i(theta)
/// phi_i = theta^q / gamma.
template <std::size_t S>
double failure_of_order(const RungeKutta<S>& m, int q, double theta) {
  using V = Eigen::Matrix<double, static_cast<int>(S), 1>;
  Eigen::Matrix<double, static_cast<int>(S), static_cast<int>(S)> a;
  V c, b;
  for (std::size_t i = 0; i < S; ++i) {
    c(i) = m.node[i];
    b(i) = m.weight(i, theta);
    for (std::size_t j = 0; j < S; ++j) a(i, j) = m.stage[i][j];
  }
  const V one = V::Ones();
  const auto off = [&](const V& phi, double gamma) {
    return std::abs(b.dot(phi) - std::pow(theta, q) / gamma);
  };
  const V c2 = c.cwiseProduct(c), c3 = c2.cwiseProduct(c);
  switch (q) {
    case 1:
      return off(one, 1.0);
    case 2:
      return off(c, 2.0);
    case 3:
      return std::max(off(c2, 3.0), off(a * c, 6.0));
    case 4:
      return std::max(
          {off(c3, 4.0), off(c.cwiseProduct(a * c), 8.0), off(a * c2, 12.0), off(a * (a * c), 24.0)});
    default:
      return NAN;
  }
}

template <class Check>
void for_each_formula(Check&& check) {
  std::apply([&](const auto&... formula) { (check(formula), ...); },
             std::tie(explicit_euler, heun, midpoint, ralston, classical, continuous5, continuous6));
}

// The conditions hold to rounding up to the stated order, at the end and between, and the next ones fail.
TEST(RungeKutta, OrderConditionsHoldUpToTheStatedOrderOnly) {
  for_each_formula([](const auto& m) {
    SCOPED_TRACE(m.name);
    for (int q = 1; q <= m.order; ++q) EXPECT_LT(failure_of_order(m, q, 1.0), 1e-14) << q;
    if (m.order < 4) {
      EXPECT_GT(failure_of_order(m, m.order + 1, 1.0), 1e-3);
    }
    for (const double theta : {0.1, 0.37, 0.5, 0.83, 0.999}) {
      for (int q = 1; q <= m.order_between; ++q) EXPECT_LT(failure_of_order(m, q, theta), 1e-14) << q;
    }
    if (m.order_between < 4) {
      EXPECT_GT(failure_of_order(m, m.order_between + 1, 0.5), 1e-3);
    }
  });
}

// Nodes are row sums, and a formula in real time uses only earlier values.
TEST(RungeKutta, StagesUseOnlyEarlierStages) {
  for_each_formula([](const auto& m) {
    SCOPED_TRACE(m.name);
    bool in_time = true;
    for (std::size_t i = 0; i < m.stages; ++i) {
      double sum = 0.0;
      for (std::size_t j = 0; j < m.stages; ++j) {
        sum += m.stage[i][j];
        if (j >= i) {
          EXPECT_EQ(m.stage[i][j], 0.0);
        }
      }
      EXPECT_NEAR(sum, m.node[i], 1e-15);
      in_time = in_time && m.node[i] <= static_cast<double>(i) / m.stages + 1e-15;
    }
    EXPECT_EQ(m.real_time, in_time);
  });
}

// y' = x - y + 1, y(0) = 1: the published table of the improved Euler formula for h = 0.1, digit by digit.
// Its errors are differences of values with six decimals.
TEST(RungeKutta, ImprovedEulerMatchesThePublishedTable) {
  const double printed[] = {163, 294, 400, 482, 545};  // 1e-6
  const auto f = [](double x, double y) { return x - y + 1.0; };
  double y = 1.0, fourth = 1.0;
  for (int i = 0; i < 5; ++i) {
    const double x = 0.1 * i, exact = x + 0.1 + std::exp(-x - 0.1);
    y = take_step(heun, f, x, y, 0.1).end();
    fourth = take_step(classical, f, x, fourth, 0.1).end();
    EXPECT_EQ(std::round(y * 1e6) - std::round(exact * 1e6), printed[i]);
    EXPECT_LT(std::abs(fourth - exact), 1e-6);
  }
  EXPECT_EQ(std::round(y * 1e6), 1107076);
}

/// A driven pendulum: x'' = -sin(x) + cos(2 t) / 2 - x' / 10. It is nonlinear and depends on time.
Eigen::Vector2d driven_pendulum(double t, const Eigen::Vector2d& y) {
  return {y[1], -std::sin(y[0]) + 0.5 * std::cos(2.0 * t) - 0.1 * y[1]};
}

template <std::size_t S>
Eigen::Vector2d swing(const RungeKutta<S>& m, double end, int steps) {
  Eigen::Vector2d y(1.2, 0.3);
  const double h = end / steps;
  for (int i = 0; i < steps; ++i) y = take_step(m, driven_pendulum, i * h, y, h).end();
  return y;
}

// Halving the step divides the error by 2^order; within one step by 2^(order between + 1).
TEST(RungeKutta, ErrorsConvergeAtTheStatedOrders) {
  const Eigen::Vector2d exact = swing(continuous6, 2.0, 20000);
  for_each_formula([&](const auto& m) {
    SCOPED_TRACE(m.name);
    const double coarse = (swing(m, 2.0, 100) - exact).norm(), fine = (swing(m, 2.0, 200) - exact).norm();
    EXPECT_NEAR(std::log2(coarse / fine), m.order, 0.15);

    double between[2];
    for (int i = 0; i < 2; ++i) {
      const double h = i == 0 ? 0.1 : 0.05, theta = 0.4;
      const auto step = take_step(m, driven_pendulum, 0.0, Eigen::Vector2d(1.2, 0.3), h);
      between[i] = (step.at(theta) - swing(continuous6, theta * h, 200)).norm();
    }
    EXPECT_NEAR(std::log2(between[0] / between[1]), m.order_between + 1, 0.4);
  });
}

// The dense output starts at the beginning with the first slope, and ends at the end.
TEST(RungeKutta, DenseOutputMeetsBothEnds) {
  for_each_formula([](const auto& m) {
    SCOPED_TRACE(m.name);
    const auto step = take_step(m, driven_pendulum, 0.0, Eigen::Vector2d(1.2, 0.3), 0.1);
    EXPECT_EQ(step.at(0.0), step.begin);
    EXPECT_EQ(step.at(1.0), step.end());
    EXPECT_LT(((step.at(1e-6) - step.begin) / 1e-7 - step.slope[0]).norm(), 1e-4);  // second order in theta
  });
}

// Roots of easy, flat, steep and discontinuous functions to the tolerance, in few calls.
TEST(Brent, FindsWhereTheSignChanges) {
  struct Case {
    double (*f)(double);
    double a, b, root;
    int calls;  // at most; bisection to 1e-15 needs 50
  };
  const Case cases[] = {
      {[](double x) { return x - 0.3; }, 0.0, 1.0, 0.3, 6},
      {[](double x) { return std::cos(x) - x; }, 0.0, 1.0, 0.7390851332151607, 10},
      {[](double x) { return std::exp(20.0 * x) - 2.0; }, 0.0, 1.0, std::log(2.0) / 20.0, 20},
      {[](double x) { return x * x * x * x * x - 1e-10; }, -1.0, 1.0, 1e-2, 60},
      {[](double x) { return x < 0.123 ? -1.0 : 3.0; }, 1.0, 0.0, 0.123, 70},
      {[](double x) { return std::atan(1e6 * (x - 0.7)); }, 0.0, 1.0, 0.7, 60},
  };
  for (const Case& c : cases) {
    int calls = 0;
    const auto counted = [&](double x) {
      ++calls;
      return c.f(x);
    };
    EXPECT_NEAR(brent_root(counted, c.a, c.b, 1e-15), c.root, 2e-15);
    EXPECT_LE(calls, c.calls) << c.root;
  }
  EXPECT_EQ(brent_root([](double x) { return x; }, 0.0, 1.0, 1e-15), 0.0);
}

// A cubic is reproduced; the error of another function's root decreases at least with the fourth power of the
// step.
TEST(Hermite, InterpolatesCubicsExactlyAndRootsToFourthOrder) {
  const auto cubic = [](double x) { return 0.2 - x * (1.0 + x * (0.5 - 0.25 * x)); };
  const Hermite exact{cubic(0.0), -1.0, cubic(1.0), -1.0 - 1.0 + 0.75};
  for (const double x : {0.0, 0.21, 0.5, 0.9, 1.0}) EXPECT_NEAR(exact.at(x), cubic(x), 1e-15);
  EXPECT_NEAR(cubic(exact.crossing()), 0.0, 1e-15);

  const auto error = [](double h) {  // for the zero of exp(x) - 2 at log 2, a third into the step
    const double t = std::log(2.0) - h / 3.0;
    const Hermite curve{std::exp(t) - 2.0, h * std::exp(t), std::exp(t + h) - 2.0, h * std::exp(t + h)};
    return std::abs(t + h * curve.crossing() - std::log(2.0));
  };
  EXPECT_NEAR(std::log2(error(0.2) / error(0.1)), 4.0, 0.2);
  EXPECT_LT(error(0.1), 2.0 * std::pow(0.1, 4) / 384.0);
}

}  // namespace
}  // namespace scree
