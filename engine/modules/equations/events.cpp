// Events: the step ends at the first change of a condition, and formulas start again after it.
#include <algorithm>
#include <cmath>

#include "engine/modules/equations/simulation.h"

namespace scree::equations {

namespace {

constexpr double event_width = 1e-13;  // s, or of the time: final width of the interval around an event
constexpr long most_events_in_step = 1000;
constexpr int most_trials = 200;

}  // namespace

void Simulation::differences(std::vector<double>& out) {
  if (!out.empty()) relation_code_.run(value_, out);
}

std::vector<char> Simulation::relations_now() {
  differences(difference_);
  std::vector<char> now(difference_.size());
  for (std::size_t k = 0; k < now.size(); ++k)
    now[k] = model_.relations[k].strict ? difference_[k] > 0.0 : difference_[k] >= 0.0;
  return now;
}

void Simulation::hold(const std::vector<char>& relations) {
  held_ = relations;
  for (std::size_t k = 0; k < held_.size(); ++k) at(model_.relations[k].symbol) = held_[k] ? 1.0 : 0.0;
}

/// Shortens the step to just after the first change of a relation within it: by bisection, and by the secant
/// of the relation that seems to be first if that is faster. Ends with that step solved.
double Simulation::locate(double h) {
  double low = 0.0, high = h;
  std::vector<double> low_difference = difference_at_start_, high_difference = difference_;
  const double width = event_width * std::max(1.0, std::abs(time()));
  const auto changes_at = [&](double length) {
    const Outcome done = solve_step(length);
    if (!done.good) throw NumericalFailure(done.why);
    return relations_now() != held_;
  };
  bool halve = false;
  for (int trial = 0; trial < most_trials && high - low > width; ++trial) {
    double earliest = 1.0;
    for (std::size_t k = 0; k < held_.size(); ++k) {
      const double a = low_difference[k], b = high_difference[k];
      const bool now = model_.relations[k].strict ? b > 0.0 : b >= 0.0;
      if (now != static_cast<bool>(held_[k]) && a * b < 0.0) earliest = std::min(earliest, a / (a - b));
    }
    // The secant's point, moved behind the root by the allowed width, so that the other end comes near
    // too.
    double middle = low + earliest * (high - low) + (trial % 2 ? -0.5 : 0.5) * width;
    if (halve || earliest == 1.0) middle = 0.5 * (low + high);
    middle = std::clamp(middle, low + 0.25 * width, high - 0.25 * width);
    const double before = high - low;
    if (changes_at(middle)) {
      high = middle;
      high_difference = difference_;
    } else {
      low = middle;
      low_difference = difference_;
    }
    halve = high - low > 0.5 * before && !halve;
  }
  changes_at(high);
  return high;
}

void Simulation::jump(const std::vector<char>& before) {
  std::vector<double> old(value_.begin(),
                          value_.begin() + static_cast<std::ptrdiff_t>(model_.symbols.size()));
  const std::vector<double> now = old;
  for (std::size_t k = 0; k < before.size(); ++k) old[model_.relations[k].symbol] = before[k] ? 1.0 : 0.0;
  const std::vector<int>& states = system_->inlined.states;
  for (const Jump& one : model_.jumps) {
    if (scree::equations::evaluate(one.condition, now) <= 0.5 ||
        scree::equations::evaluate(one.condition, old) > 0.5)
      continue;
    for (const Jump::To& to : one.to) {
      if (std::ranges::find(states, to.variable) == states.end())
        throw NumericalFailure(model_[to.variable].name + " jumps, but is not a state: only states can jump");
      at(to.variable) = scree::equations::evaluate(to.value, now);
    }
  }
}

void Simulation::handle_event() {
  const std::vector<char> before = held_;
  hold(relations_now());
  jump(before);
  hold(relations_now());
  event_times_.push_back(time());
  ++counts_.events;
  if (++events_in_step_ > most_events_in_step)
    throw NumericalFailure("at " + std::to_string(time()) +
                           " s conditions switch back and forth without end");
  before_.clear();
  before_time_.clear();
  accept();
}

}  // namespace scree::equations
