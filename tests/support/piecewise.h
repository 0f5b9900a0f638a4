// Piecewise smooth motion: steps of constant length that are divided where an event function changes its
// sign (after Wu 2021; docs/integration.md).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "engine/modules/integration/brent.h"
#include "engine/modules/integration/hermite.h"
#include "engine/modules/integration/runge_kutta.h"

namespace scree {

enum class Crossing : std::uint8_t { rising, falling, both };

/// An event: a sign change of a quantity, at which the motion breaks.
template <class Y>
struct EventFunction {
  std::function<double(double time, const Y&)> value;
  Crossing crossing = Crossing::both;
  bool terminal = false;                              // does the motion end there?
  std::function<Y(double time, const Y&)> jump = {};  // the state after; empty: unchanged
};

/// `bounded`: at most one break per step is located, on the prediction of the last step, at the cubic's root,
/// and both segments use a two-stage formula. A step costs five calls of f, with a predicted break four, with
/// an unpredicted one seven; in the step after a break the prediction costs one more. Breaks
/// beyond the first are overruns: their jumps are late, at the end of the step. For real time. `polished`:
/// all breaks, in order, each at the root on the motion itself; segments use the five-stage formula.
enum class BreakForm : std::uint8_t { bounded, polished };

template <class Y>
struct Break {
  double time;
  std::size_t event;
  double rough_time;  // root of the cubic; `time` itself in the bounded form
  Y before, after;
};

template <class Y>
struct PiecewiseStep {
  std::vector<Break<Y>> breaks;  // ordered by time
  int calls = 0;                 // of f
  int overruns = 0;              // breaks that a bounded step could not treat
  bool ended = false;            // by a terminal event, at the time of the last break
  bool piled_up = false;  // breaks of one event follow at once, or most_breaks in a step: the motion ends
};

/// A motion y' = f(t, y), at `time` in the state `state`.
template <class Y, class F>
class PiecewiseMotion {
 public:
  static constexpr std::size_t most_breaks = 1000;  // in a step

  PiecewiseMotion(F f, std::vector<EventFunction<Y>> events, BreakForm form, double time, Y state)
      : time_(time),
        state_(std::move(state)),
        f_(std::move(f)),
        events_(std::move(events)),
        form_(form),
        side_(events_.size()) {
    look();
  }

  double time() const { return time_; }
  const Y& state() const { return state_; }

  PiecewiseStep<Y> step(double h) {
    PiecewiseStep<Y> report;
    const auto f = [&](double t, const Y& y) {
      ++report.calls;
      return f_(t, y);
    };
    const double end = time_ + h;
    if (form_ == BreakForm::bounded)
      bounded_step(f, h, report);
    else
      while (time_ < end && !report.ended && !report.piled_up) polished_segment(f, end, report);
    if (!report.ended && !report.piled_up) time_ = end;
    return report;
  }

 private:
  /// A sign change in a segment, theta of it.
  struct Found {
    double theta;
    std::size_t event;
  };
  static constexpr double difference = 1e-6;      // over the segment: for slopes of event functions
  static constexpr double root_accuracy = 1e-15;  // over the segment
  // Between two breaks of one event, over the step or the time: shorter intervals are rounding errors.
  static constexpr double least_interval = 1e-13;

  bool counts(std::size_t e, double after) const {
    if (side_[e] == 0.0 || after == 0.0 || (side_[e] < 0.0) == (after < 0.0)) return false;
    const Crossing c = events_[e].crossing;
    return c == Crossing::both || (c == Crossing::falling) == (after < 0.0);
  }

  /// d value / d time of a motion with this slope.
  double rate(std::size_t e, double t, const Y& y, const Y& slope, double h) const {
    const double d = difference * h;
    Y later = y, sooner = y;
    later += d * slope;
    sooner += -d * slope;
    return (events_[e].value(t + d, later) - events_[e].value(t - d, sooner)) / (2.0 * d);
  }

  /// A segment of time, the number of places at which events are checked, and the event at its very
  /// beginning.
  struct Search {
    double begin, length;
    int places = 1;
    std::optional<std::size_t> happened = {};
  };

  /// The first sign change of a motion between 0 and 1; y(theta), slope(theta).
  template <class At, class Slope>
  std::optional<Found> first_change(const Search& search, At&& at, Slope&& slope, const Y& begin_slope) {
    const auto& [t, h, places, happened] = search;
    std::optional<Found> first;
    value_low_ = side_;
    for (int k = 1; k <= places && !first; ++k) {
      const double low = static_cast<double>(k - 1) / places, high = static_cast<double>(k) / places;
      const Y y = at(high);
      for (std::size_t e = 0; e < events_.size(); ++e) {
        const double value = events_[e].value(t + high * h, y);
        const double value_low = std::exchange(value_low_[e], value);
        if (!counts(e, value)) continue;
        const bool leaves = k == 1 && happened == e;  // it begins at zero
        const double piece = (high - low) * h;
        const double rate_low = leaves   ? side_[e]
                                : k == 1 ? rate(e, t, state_, begin_slope, piece)
                                         : rate(e, t + low * h, at(low), slope(low), piece);
        const Hermite cubic{leaves ? 0.0 : value_low, piece * rate_low, value,
                            piece * rate(e, t + high * h, y, slope(high), piece)};
        const double theta = low + (high - low) * (leaves ? cubic.crossing_after_begin() : cubic.crossing());
        if (!first || theta < first->theta) first = Found{theta, e};
      }
    }
    return first;
  }

  /// Moves to the break, and beyond it.
  void pass(double t, double rough, std::size_t event, Y before, PiecewiseStep<Y>& report) {
    time_ = t;
    state_ = events_[event].jump ? events_[event].jump(t, before) : before;
    report.breaks.push_back({t, event, rough, std::move(before), state_});
    report.ended = events_[event].terminal;
    report.piled_up = report.breaks.size() >= most_breaks;
  }

  /// Determines the signs of the event functions.
  void look() {
    for (std::size_t e = 0; e < events_.size(); ++e) side_[e] = events_[e].value(time_, state_);
  }
  /// The same; for the event that has just happened the sign to which it moves.
  void look_after(std::size_t happened, double h, const Y& slope) {
    look();
    side_[happened] = rate(happened, time_, state_, slope, h);
  }

  template <class G>
  void bounded_step(G&& f, double h, PiecewiseStep<Y>& report) {
    const double begin = time_, end = begin + h;
    const Y y = state_, slope = f(begin, y);
    std::optional<Found> found;
    if (smooth_) {
      const double scale = h / smooth_->length;
      found = first_change(
          {begin, h}, [&](double theta) { return smooth_->at(1.0 + scale * theta); },
          [&](double theta) { return smooth_->slope_at(1.0 + scale * theta); }, slope);
    } else {
      const auto forecast = take_step(midpoint, f, begin, y, h, &slope);
      found = first_change(
          {begin, h}, [&](double theta) { return forecast.at(theta); },
          [&](double theta) { return forecast.slope_at(theta); }, slope);
    }
    Y before = y;
    if (found) {
      before = take_step(midpoint, f, begin, y, found->theta * h, &slope).end();
    } else {
      smooth_ = take_step(continuous5, f, begin, y, h, &slope);
      const auto at = [&](double theta) { return smooth_->at(theta); };
      found = first_change(
          {begin, h}, at, [&](double theta) { return smooth_->slope_at(theta); }, slope);
      if (!found) {
        state_ = smooth_->end();
        time_ = end;
        look();
        return;
      }
      before = at(found->theta);  // the prediction has missed it
    }
    smooth_.reset();
    const double t = begin + found->theta * h;
    pass(t, t, found->event, std::move(before), report);
    if (report.ended) return;
    const Y after = f(time_, state_);
    look_after(found->event, h, after);
    state_ = take_step(midpoint, f, time_, state_, end - t, &after).end();
    time_ = end;
    for (std::size_t e = 0; e < events_.size(); ++e) {
      double value = events_[e].value(end, state_);
      if (counts(e, value)) {  // another one: late
        ++report.overruns;
        pass(end, end, e, state_, report);
        if (report.ended) return;
        value = events_[e].value(end, state_);
      }
      side_[e] = value;
    }
  }

  template <class G>
  void polished_segment(G&& f, double end, PiecewiseStep<Y>& report) {
    constexpr int places = 4;
    const double begin = time_, h = end - begin;
    const Y y = state_, slope = f(begin, y);
    const std::optional<std::size_t> happened = std::exchange(happened_, std::nullopt);
    if (happened) look_after(*happened, h, slope);
    const auto whole = take_step(continuous5, f, begin, y, h, &slope);
    const std::optional<Found> found = first_change(
        {begin, h, places, happened}, [&](double theta) { return whole.at(theta); },
        [&](double theta) { return whole.slope_at(theta); }, slope);
    if (!found) {
      time_ = end;
      state_ = whole.end();
      look();
      return;
    }
    // The root on the motion itself: the end of a step that ends there.
    const auto state_at = [&](double theta) {
      return take_step(continuous5, f, begin, y, theta * h, &slope).end();
    };
    const EventFunction<Y>& event = events_[found->event];
    const auto value_at = [&](double theta) { return event.value(begin + theta * h, state_at(theta)); };
    const double side = side_[found->event];
    double theta = found->theta, low = theta, high = theta;
    for (double reach = 1e-6 * theta; low > 0.5 * theta && value_at(low) * side <= 0.0; reach *= 8.0)
      low -= reach;
    for (double reach = 1e-6 * theta; high < 1.0 && value_at(high) * side > 0.0; reach *= 8.0)
      high = std::min(1.0, high + reach);
    if (value_at(low) * side > 0.0 && value_at(high) * side <= 0.0)
      theta = brent_root(value_at, low, high, root_accuracy * theta);
    pass(begin + theta * h, begin + found->theta * h, found->event, state_at(theta), report);
    happened_ = found->event;
    if (happened == found->event && theta * h < least_interval * std::max(h, std::abs(begin)))
      report.piled_up = true;
  }

  double time_;
  Y state_;
  F f_;
  std::vector<EventFunction<Y>> events_;
  BreakForm form_;
  std::vector<double> side_;                // [event] its sign is the side of the state
  std::vector<double> value_low_;           // [event] at the last checked place
  std::optional<SmoothStep<5, Y>> smooth_;  // the last step, if there was no break in it
  std::optional<std::size_t> happened_;     // at exactly this time
};

}  // namespace scree
