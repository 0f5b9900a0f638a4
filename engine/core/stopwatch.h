// Times of parts of a program.
#pragma once

#include <chrono>

namespace scree {

/// Adds the time of its life to a sum, s.
class Stopwatch {
 public:
  explicit Stopwatch(double& sum_s) : sum_s_(sum_s) {}
  ~Stopwatch() { sum_s_ += std::chrono::duration<double>(Clock::now() - start_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  double& sum_s_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace scree
