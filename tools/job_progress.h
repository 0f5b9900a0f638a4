// Progress of work that consists of equal items: images, files.
#pragma once

#include <chrono>
#include <string>

#include "tools/progress.h"

namespace scree {

/// Shows on stdout the number of finished items and the remaining time: a bar on a terminal, otherwise
/// a line at intervals.
class JobProgress {
 public:
  JobProgress(Progress::Style style, std::string item, std::size_t items);
  void done(std::size_t items);
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  Progress::Style style_;
  std::string item_;
  std::size_t items_, done_ = 0;
  Clock::time_point began_ = Clock::now(), drawn_ = began_;
};

}  // namespace scree
