#include "tools/pace.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <thread>

namespace scree {

void Pace::start(double time_s) {
  begin_ = step_begin_ = Clock::now();
  begin_s_ = last_s_ = time_s;
}

void Pace::after_step(double time_s) {
  if (!is_on()) return;
  const auto seconds = [](auto duration) { return std::chrono::duration<double>(duration).count(); };
  const auto now = Clock::now();
  const double took = seconds(now - step_begin_), lasts = (time_s - last_s_) / factor_;
  step_times_.push_back(static_cast<float>(took));
  if (took > lasts) ++overruns_;
  last_s_ = time_s;
  const double due = (time_s - begin_s_) / factor_;
  latest_s_ = std::max(latest_s_, seconds(now - begin_) - due);
  std::this_thread::sleep_until(
      begin_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(due)));
  step_begin_ = Clock::now();
}

std::string Pace::text() const {
  if (step_times_.empty()) return "";
  std::vector<float> sorted = step_times_;
  std::sort(sorted.begin(), sorted.end());
  const auto count = static_cast<double>(sorted.size());
  const double wall = std::chrono::duration<double>(step_begin_ - begin_).count(),
               mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / count;
  const auto at = static_cast<std::size_t>(std::min(count - 1.0, std::ceil(0.999 * count) - 1.0));
  return fmt::format(
      "real time: {:.4f} s simulated per second ({:g} requested), at worst {:.3f} ms behind\n"
      "  a step takes {:.3f} ms on average, {:.3f} ms or less in 99.9 %, {:.3f} ms at worst; {} of {} were "
      "slower than real time\n",
      (last_s_ - begin_s_) / wall, factor_, 1e3 * latest_s_, 1e3 * mean, 1e3 * sorted[at],
      1e3 * sorted.back(), overruns_, sorted.size());
}

}  // namespace scree
