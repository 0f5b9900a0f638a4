// The progress display of a run.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "engine/simulation/diagnostics.h"

namespace scree {

/// Data of the display at one moment of a run.
struct ProgressNow {
  double time_s = 0.0, start_s = 0.0, end_s = 1.0;  // simulated
  double remaining_s = 0.0;                         // wall time; negative: unknown
  double steps_per_s = 0.0;                         // wall time
  StepReport report;

  double fraction() const;
};

/// A bar and as many numbers as fit into `columns`, the most important ones first; never longer than
/// `columns` - 1 characters, so that no terminal wraps it.
std::string progress_bar(const ProgressNow& now, int columns);
/// The same without a bar, for logs.
std::string progress_line(const ProgressNow& now);
/// Prints to stdout at once. Failures are ignored: a run continues when its output is no longer read.
void show(std::string_view text);
/// "1 thread", "2 threads"
std::string plural(std::int64_t count, std::string_view noun);
/// "1:23:45", "4:05" or "12 s"
std::string duration_text(double seconds);

/// Shows progress on stdout: a bar that is redrawn in place on a terminal, otherwise a line at intervals.
class Progress {
 public:
  enum class Style { none, bar, lines };
  /// The style for this stdout: a bar on a terminal that can move its cursor, else lines.
  static Style detect(bool quiet);
  /// Shortest time between two drawings.
  static std::chrono::milliseconds interval(Style style);

  Progress(Style style, double start_s, double end_s);

  /// To be called after each step; draws only at intervals.
  void update(const StepReport& report);
  /// Draws the last state and ends the line.
  void finish();
  /// Prints a separate line above the display.
  void note(const std::string& line);
  /// Removes the bar so that other text can be printed.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  void draw();

  Style style_;
  double start_s_, end_s_;
  ProgressNow now_;
  Clock::time_point began_ = Clock::now(), drawn_{}, rate_time_ = began_;
  std::int64_t rate_step_ = 0, first_step_ = 0;
  double rate_simulated_s_, speed_ = 0.0;  // speed: simulated seconds per wall second, smoothed
  std::int64_t drawn_step_ = -1;
};

}  // namespace scree
