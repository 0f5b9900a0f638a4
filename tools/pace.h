// Runs in step with the clock on the wall.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace scree {

/// Waits after each step until the clock has come as far as the run; a step is late (an overrun) when it took
/// longer to compute and record than it lasts. What is late is caught up with, as far as there is time.
class Pace {
 public:
  /// `factor`: simulated seconds a second; not above 0: the run is not paced.
  explicit Pace(double factor) : factor_(factor) {}

  bool is_on() const { return factor_ > 0.0; }
  /// Once before the first step.
  void start(double time_s);
  /// After each, at the simulated time it has come to.
  void after_step(double time_s);
  /// "real time: ..." of all steps; empty if there were none.
  std::string text() const;

 private:
  using Clock = std::chrono::steady_clock;
  double factor_;
  Clock::time_point begin_, step_begin_;
  double begin_s_ = 0.0, last_s_ = 0.0;
  std::vector<float> step_times_;  // s
  std::size_t overruns_ = 0;
  double latest_s_ = 0.0;  // how far the run was behind the clock at worst
};

}  // namespace scree
