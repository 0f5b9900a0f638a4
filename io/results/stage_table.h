// Times of the four stages at about a dozen moments of a run, as a table for users.
#pragma once

#include <string>
#include <vector>

#include "engine/simulation/diagnostics.h"
#include "io/files/archive.h"

namespace scree::io {

/// Stores one row at each of `moments` evenly spaced simulated times.
class StageTable {
 public:
  static constexpr int moments = 12;

  StageTable(double start_time_s, double end_time_s) : start_(start_time_s), end_(end_time_s) {}

  void add(const StepReport& report);
  /// Writes or reads all of it.
  void visit(Archive& io);
  /// Header, then one row per moment: simulated time, bodies in collision and contacts at that moment, mean
  /// times of the stages over the steps since the moment before, ms per step.
  std::string text() const;

 private:
  struct Row {
    double time_s = 0.0;
    std::int64_t bodies_in_collision = 0, contacts = 0;
    StageTimes mean = {};  // s

    template <class F>
    friend void fields(Row& row, F&& f) {
      f("time_s", row.time_s);
      f("bodies_in_collision", row.bodies_in_collision);
      f("contacts", row.contacts);
      f("preparation", row.mean.preparation);
      f("detection", row.mean.detection);
      f("resolution", row.mean.resolution);
      f("finish", row.mean.finish);
    }
  };
  double start_, end_;
  std::vector<Row> rows_;
  StageTimes sum_;          // since the last row, s
  std::int64_t steps_ = 0;  // since the last row
};

}  // namespace scree::io
