#include "tools/job_progress.h"

#include <fmt/format.h>

namespace scree {

namespace {

constexpr std::size_t bar_width = 30;

}  // namespace

JobProgress::JobProgress(Progress::Style style, std::string item, std::size_t items)
    : style_(style), item_(std::move(item)), items_(items) {}

void JobProgress::done(std::size_t items) {
  done_ = items;
  const auto now = Clock::now();
  if (style_ == Progress::Style::none || items_ == 0 ||
      (now - drawn_ < Progress::interval(style_) && done_ < items_))
    return;
  drawn_ = now;
  const double elapsed = std::chrono::duration<double>(now - began_).count();
  const double each = done_ > 0 ? elapsed / static_cast<double>(done_) : 0.0;
  const std::string rest =
      done_ < items_ ? duration_text(each * static_cast<double>(items_ - done_)) + " left" : "done";
  const std::string numbers = fmt::format("{} {} / {}  {:.3g} s each  {}", item_, done_, items_, each, rest);
  const std::size_t full = bar_width * done_ / items_;
  if (style_ == Progress::Style::bar) {
    show(fmt::format("\r[{}{}] {}\x1b[K", std::string(full, '#'), std::string(bar_width - full, '-'),
                     numbers));
  } else {
    show(numbers + "\n");
  }
}

void JobProgress::finish() {
  if (style_ == Progress::Style::bar && done_ > 0) show("\n");
}

}  // namespace scree
