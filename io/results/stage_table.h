// Times of the four stages at a dozen moments of a run, as a table for people.
#pragma once

#include <string>
#include <vector>

#include "engine/simulation/diagnostics.h"

namespace scree::io {

/// Gathers one row at each of `moments` evenly spaced simulated times.
class StageTable {
 public:
  static constexpr int moments = 12;

  StageTable(double start_time_s, double end_time_s) : start_(start_time_s), end_(end_time_s) {}

  void add(const StepReport& report);
  /// Header, one row a moment: simulated time, bodies in collision and contacts at that moment, mean times of
  /// the stages over the steps since the moment before, ms a step.
  std::string text() const;

 private:
  struct Row {
    double time_s;
    std::int64_t bodies_in_collision, contacts;
    StageTimes mean;  // s
  };
  double start_, end_;
  std::vector<Row> rows_;
  StageTimes sum_;          // since the last row, s
  std::int64_t steps_ = 0;  // since the last row
};

}  // namespace scree::io
