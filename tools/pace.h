// Pace of a run in real time.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace scree {

/// Waits after each step until wall time has reached the run's time. A step is late (an overrun) if it takes
/// longer to compute and record than it lasts. Delays are made up for when there is time.
class Pace {
 public:
  /// `factor`: simulated seconds per second of wall time; not above 0: the run is not paced.
  explicit Pace(double factor) : factor_(factor) {}

  bool is_on() const { return factor_ > 0.0; }
  /// Call it once before the first step.
  void start(double time_s);
  /// Call it after each step, with the new simulated time.
  void after_step(double time_s);
  /// "real time: ..." for all steps; empty if there were none.
  std::string text() const;

 private:
  using Clock = std::chrono::steady_clock;
  double factor_;
  Clock::time_point begin_, step_begin_;
  double begin_s_ = 0.0, last_s_ = 0.0;
  std::vector<float> step_times_;  // s
  std::size_t overruns_ = 0;
  double latest_s_ = 0.0;  // largest delay of the run
};

}  // namespace scree
