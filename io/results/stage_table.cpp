#include "io/results/stage_table.h"

#include <fmt/format.h>

namespace scree::io {

void StageTable::add(const StepReport& report) {
  sum_ += report.time;
  ++steps_;
  const double done = end_ > start_ ? (report.time_s - start_) / (end_ - start_) : 1.0;
  // Moments are at steps, whose times have rounding of many additions.
  constexpr double rounding = 1e-9;
  if (done * moments + rounding < static_cast<double>(rows_.size()) + 1.0) return;
  const double n = static_cast<double>(steps_);
  const StageTimes mean{sum_.preparation / n, sum_.detection / n, sum_.resolution / n, sum_.finish / n};
  rows_.push_back({report.time_s, report.bodies_in_collision, report.contacts, mean});
  sum_ = {};
  steps_ = 0;
}

void StageTable::visit(Archive& io) {
  io("rows", rows_);
  io("preparation", sum_.preparation);
  io("detection", sum_.detection);
  io("resolution", sum_.resolution);
  io("finish", sum_.finish);
  io("steps", steps_);
}

std::string StageTable::text() const {
  std::string text = fmt::format("{:>10}  {:>10}  {:>10}  {:>12}  {:>10}  {:>10}  {:>8}\n", "", "bodies in",
                                 "", "preparation", "detection", "resolution", "finish");
  text += fmt::format("{:>10}  {:>10}  {:>10}  {:>12}  {:>10}  {:>10}  {:>8}\n", "time, s", "collision",
                      "contacts", "ms", "ms", "ms", "ms");
  constexpr double ms = 1e3;
  for (const Row& row : rows_) {
    text += fmt::format("{:>10.4f}  {:>10}  {:>10}  {:>12.4g}  {:>10.4g}  {:>10.4g}  {:>8.4g}\n", row.time_s,
                        row.bodies_in_collision, row.contacts, row.mean.preparation * ms,
                        row.mean.detection * ms, row.mean.resolution * ms, row.mean.finish * ms);
  }
  return text;
}

}  // namespace scree::io
