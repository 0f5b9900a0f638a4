// Explicit Runge-Kutta formulas for any state, with dense output: y' = f(t, y) over one step
// (docs/integration.md derives the coefficients).
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace scree {

/// An explicit formula of S stages: slopes k_i = f(t + c_i h, y + h sum_(j<i) a_ij k_j), and within the step
/// y(t + theta h) = y + h sum_i b_i(theta) k_i, 0 <= theta <= 1.
template <std::size_t S>
struct RungeKutta {
  static constexpr std::size_t stages = S;
  std::string_view name;
  int order;          // of the end of a step: its error is O(h^(order + 1))
  int order_between;  // of the dense output: its error is O(h^(order_between + 1)) at any theta
  /// Stages are spread evenly, and none is later in the step than the share of stages done before it:
  /// c_i <= (i - 1)/S. If a step takes as long to compute as it lasts, each input is known when it is needed.
  bool real_time;
  std::array<double, S> node;                  // c_i
  std::array<std::array<double, S>, S> stage;  // a_ij
  std::array<std::array<double, 4>, S> dense;  // [i][d]: b_i(theta) = sum_d dense[i][d] theta^(d + 1)

  constexpr double weight(std::size_t i, double theta) const {
    const auto& b = dense[i];
    return theta * (b[0] + theta * (b[1] + theta * (b[2] + theta * b[3])));
  }
  constexpr double rate(std::size_t i, double theta) const {  // d weight / d theta
    const auto& b = dense[i];
    return b[0] + theta * (2.0 * b[1] + theta * (3.0 * b[2] + theta * 4.0 * b[3]));
  }
};

/// A completed step: its beginning and its slopes, which define the state everywhere within it.
/// `Y` is a number or a vector of fixed or dynamic size: y += h * k must be defined.
template <std::size_t S, class Y>
struct SmoothStep {
  const RungeKutta<S>* formula;
  double time, length;
  Y begin;
  std::array<Y, S> slope;

  Y at(double theta) const {
    Y y = begin;
    for (std::size_t i = 0; i < S; ++i) y += (length * formula->weight(i, theta)) * slope[i];
    return y;
  }
  Y end() const { return at(1.0); }
  /// d at(theta) / d time
  Y slope_at(double theta) const {
    Y slope_there = formula->rate(0, theta) * slope[0];
    for (std::size_t i = 1; i < S; ++i) slope_there += formula->rate(i, theta) * slope[i];
    return slope_there;
  }
};

/// One step of length h from y at time t. f(t, y) is called once per stage, in the order of the nodes, except
/// for the first stage if its slope is known already.
template <std::size_t S, class Y, class F>
SmoothStep<S, Y> take_step(const RungeKutta<S>& formula, F&& f, double t, const Y& y, double h,
                           const Y* first_slope = nullptr) {
  SmoothStep<S, Y> step{&formula, t, h, y, {}};
  if (first_slope != nullptr) step.slope[0] = *first_slope;
  for (std::size_t i = first_slope == nullptr ? 0 : 1; i < S; ++i) {
    Y at = y;
    for (std::size_t j = 0; j < i; ++j)
      if (formula.stage[i][j] != 0.0) at += (h * formula.stage[i][j]) * step.slope[j];
    step.slope[i] = f(t + formula.node[i] * h, static_cast<const Y&>(at));
  }
  return step;
}

// The tables have the layout of docs/integration.md.
// clang-format off

inline constexpr RungeKutta<1> explicit_euler{
    "explicit Euler", 1, 1, true, {0.0},
    {{{0.0}}},
    {{{1.0, 0.0, 0.0, 0.0}}}};

/// The improved Euler formula (Heun 1900).
inline constexpr RungeKutta<2> heun{
    "Heun", 2, 2, false, {0.0, 1.0},
    {{{0.0, 0.0}, {1.0, 0.0}}},
    {{{1.0, -1.0 / 2, 0.0, 0.0}, {0.0, 1.0 / 2, 0.0, 0.0}}}};

/// The improved polygon formula: two stages, second order, in real time.
inline constexpr RungeKutta<2> midpoint{
    "midpoint", 2, 2, true, {0.0, 1.0 / 2},
    {{{0.0, 0.0}, {1.0 / 2, 0.0}}},
    {{{1.0, -1.0, 0.0, 0.0}, {0.0, 1.0, 0.0, 0.0}}}};

/// The formula of two stages with the least error of third order (Ralston 1962).
inline constexpr RungeKutta<2> ralston{
    "Ralston", 2, 2, false, {0.0, 2.0 / 3},
    {{{0.0, 0.0}, {2.0 / 3, 0.0}}},
    {{{1.0, -3.0 / 4, 0.0, 0.0}, {0.0, 3.0 / 4, 0.0, 0.0}}}};

/// Kutta's formula of 1901; its dense output is the only one of third order on these stages.
inline constexpr RungeKutta<4> classical{
    "classical Runge-Kutta", 4, 3, false, {0.0, 1.0 / 2, 1.0 / 2, 1.0},
    {{{0.0, 0.0, 0.0, 0.0},
      {1.0 / 2, 0.0, 0.0, 0.0},
      {0.0, 1.0 / 2, 0.0, 0.0},
      {0.0, 0.0, 1.0, 0.0}}},
    {{{1.0, -3.0 / 2, 2.0 / 3, 0.0},
      {0.0, 1.0, -2.0 / 3, 0.0},
      {0.0, 1.0, -2.0 / 3, 0.0},
      {0.0, -1.0 / 2, 2.0 / 3, 0.0}}}};

/// Five stages in real time: order 4 at the end of a step, 3 within.
inline constexpr RungeKutta<5> continuous5{
    "real-time continuous, five stages", 4, 3, true, {0.0, 1.0 / 5, 2.0 / 5, 3.0 / 5, 4.0 / 5},
    {{{0.0, 0.0, 0.0, 0.0, 0.0},
      {1.0 / 5, 0.0, 0.0, 0.0, 0.0},
      {0.0, 2.0 / 5, 0.0, 0.0, 0.0},
      {1.0 / 5, -1.0 / 10, 1.0 / 2, 0.0, 0.0},
      {68.0 / 165, -32.0 / 55, 8.0 / 11, 8.0 / 33, 0.0}}},
    {{{1.0, -65.0 / 24, 25.0 / 8, -125.0 / 96},
      {0.0, 0.0, 0.0, 0.0},
      {0.0, 15.0 / 2, -175.0 / 12, 125.0 / 16},
      {0.0, -20.0 / 3, 50.0 / 3, -125.0 / 12},
      {0.0, 15.0 / 8, -125.0 / 24, 125.0 / 32}}}};

/// Six stages in real time: order 4 everywhere in the step.
inline constexpr RungeKutta<6> continuous6{
    "real-time continuous, six stages", 4, 4, true, {0.0, 1.0 / 6, 1.0 / 3, 1.0 / 2, 2.0 / 3, 5.0 / 6},
    {{{0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
      {1.0 / 6, 0.0, 0.0, 0.0, 0.0, 0.0},
      {0.0, 1.0 / 3, 0.0, 0.0, 0.0, 0.0},
      {1.0 / 8, 0.0, 3.0 / 8, 0.0, 0.0, 0.0},
      {43.0 / 96, -37.0 / 48, 83.0 / 96, 1.0 / 8, 0.0, 0.0},
      {7.0 / 96, -5.0 / 48, 103.0 / 96, -7.0 / 8, 2.0 / 3, 0.0}}},
    {{{1.0, -853.0 / 250, 582.0 / 125, -54.0 / 25},
      {0.0, 0.0, 0.0, 0.0},
      {0.0, 531.0 / 50, -564.0 / 25, 63.0 / 5},
      {0.0, -281.0 / 25, 678.0 / 25, -81.0 / 5},
      {0.0, 117.0 / 25, -246.0 / 25, 27.0 / 5},
      {0.0, -81.0 / 125, 78.0 / 125, 9.0 / 25}}}};

// clang-format on

}  // namespace scree
