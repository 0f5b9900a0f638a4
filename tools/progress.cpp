#include "tools/progress.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <vector>

namespace scree {

namespace {

constexpr int default_columns = 80;
constexpr int shortest_bar = 8, longest_bar = 30;
// Time constant of the displayed speed, s: long enough to avoid flicker, short enough to follow a growing
// pile.
constexpr double speed_memory_s = 3.0;

int terminal_columns() {
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return default_columns;
}

/// Digits after the decimal point that distinguish a thousandth of the run.
int time_digits(const ProgressNow& now) {
  const double span = now.end_s - now.start_s;
  return span > 0.0 ? std::clamp(static_cast<int>(std::ceil(3.0 - std::log10(span))), 0, 9) : 3;
}

/// "1.2e-03" but "12.3" where no exponent is needed.
std::string short_number(double x) {
  if (x != 0.0 && (std::abs(x) < 1e-2 || std::abs(x) >= 1e4)) return fmt::format("{:.1e}", x);
  return fmt::format("{:.3g}", x);
}

/// The numbers, the most important ones first.
std::vector<std::string> pieces(const ProgressNow& now) {
  const StepReport& r = now.report;
  const int digits = time_digits(now);
  std::vector<std::string> list;
  if (now.remaining_s >= 0.0) list.push_back(fmt::format("{} left", duration_text(now.remaining_s)));
  list.push_back(fmt::format("t {:.{}f} / {:.{}f} s", now.time_s, digits, now.end_s, digits));
  list.push_back(fmt::format("{} steps/s", short_number(now.steps_per_s)));
  list.push_back(fmt::format("{} contacts", r.contacts));
  list.push_back(fmt::format("residual {:.1e}", r.residual_rms_relative));
  if (r.compression_max > 0.0)
    list.push_back(fmt::format("compression {:.2f} %", 100.0 * r.compression_max));
  else
    list.push_back(fmt::format("overlap {:.2f} %", 100.0 * r.penetration_max));
  return list;
}

}  // namespace

void show(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

std::string plural(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

double ProgressNow::fraction() const {
  return end_s > start_s ? std::clamp((time_s - start_s) / (end_s - start_s), 0.0, 1.0) : 1.0;
}

std::string duration_text(double seconds) {
  if (!(seconds < 1e9)) return "?";
  const auto s = static_cast<std::int64_t>(std::ceil(seconds));
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{}:{:02}", s / 60, s % 60);
  return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

std::string progress_bar(const ProgressNow& now, int columns) {
  const int room = std::max(0, columns - 1);
  std::string line = fmt::format("{:3.0f} %", std::floor(100.0 * now.fraction()));
  std::string numbers;
  const int head = static_cast<int>(line.size());
  for (const std::string& piece : pieces(now)) {
    const std::string longer = numbers + "  " + piece;
    if (head + static_cast<int>(longer.size()) > room) break;
    numbers = longer;
  }
  // The bar gets the remaining space: " [####----]".
  const int bar = std::min(longest_bar, room - head - static_cast<int>(numbers.size()) - 3);
  if (bar >= shortest_bar) {
    const auto full = static_cast<std::size_t>(std::lround(now.fraction() * bar));
    line += " [" + std::string(full, '#') + std::string(static_cast<std::size_t>(bar) - full, '-') + "]";
  }
  line += numbers;
  return line.substr(0, static_cast<std::size_t>(room));
}

std::string progress_line(const ProgressNow& now) {
  std::string line = fmt::format("{:3.0f} %  step {}", std::floor(100.0 * now.fraction()), now.report.step);
  for (const std::string& piece : pieces(now)) line += "  " + piece;
  return line;
}

Progress::Style Progress::detect(bool quiet) {
  if (quiet) return Style::none;
  const char* const terminal = std::getenv("TERM");
  const bool moves_cursor = isatty(STDOUT_FILENO) != 0 && terminal && std::strcmp(terminal, "dumb") != 0;
  return moves_cursor ? Style::bar : Style::lines;
}

std::chrono::milliseconds Progress::interval(Style style) {
  return std::chrono::milliseconds(style == Style::bar ? 200 : 5000);
}

Progress::Progress(Style style, double start_s, double end_s)
    : style_(style), start_s_(start_s), end_s_(end_s), rate_simulated_s_(start_s) {}

void Progress::update(const StepReport& report) {
  if (style_ == Style::none) return;
  const auto time = Clock::now();
  const bool first = drawn_step_ < 0;
  if (first) rate_step_ = first_step_ = report.step - 1;
  now_.report = report;
  if (!first && time - drawn_ < interval(style_)) return;

  const double wall = std::chrono::duration<double>(time - rate_time_).count();
  if (wall > 0.0) {
    const double speed = (report.time_s - rate_simulated_s_) / wall;
    const double keep = speed_ > 0.0 ? std::exp(-wall / speed_memory_s) : 0.0;
    speed_ = keep * speed_ + (1.0 - keep) * speed;
    now_.steps_per_s = static_cast<double>(report.step - rate_step_) / wall;
  }
  rate_time_ = time;
  rate_step_ = report.step;
  rate_simulated_s_ = report.time_s;
  drawn_ = time;
  draw();
}

void Progress::draw() {
  now_.start_s = start_s_;
  now_.end_s = end_s_;
  now_.time_s = now_.report.time_s;
  // Before the first measurement, and at the end, there is nothing to predict.
  const double ahead_s = end_s_ - now_.time_s;
  now_.remaining_s = speed_ > 0.0 && now_.fraction() < 1.0 ? ahead_s / speed_ : -1.0;
  drawn_step_ = now_.report.step;
  if (style_ == Style::bar) {
    // Back to the line's start; erases the part that the new text does not cover.
    show(fmt::format("\r{}\x1b[K", progress_bar(now_, terminal_columns())));
  } else {
    show(progress_line(now_) + "\n");
  }
}

void Progress::finish() {
  if (style_ == Style::none || now_.report.step == 0) return;
  if (drawn_step_ != now_.report.step) {
    const double wall = std::chrono::duration<double>(Clock::now() - began_).count();
    now_.steps_per_s = wall > 0.0 ? static_cast<double>(now_.report.step - first_step_) / wall : 0.0;
    draw();
  }
  if (style_ == Style::bar) show("\n");
}

void Progress::note(const std::string& line) {
  if (style_ == Style::none) return;
  clear();
  show(line + "\n");
}

void Progress::clear() {
  if (style_ == Style::bar) show("\r\x1b[K");
}

}  // namespace scree
