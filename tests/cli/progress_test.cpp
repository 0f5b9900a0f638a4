#include "tools/progress.h"

#include <gtest/gtest.h>

namespace scree::test {

namespace {

ProgressNow halfway() {
  ProgressNow now;
  now.time_s = 1.0;
  now.end_s = 2.0;
  now.remaining_s = 83.0;
  now.steps_per_s = 812.0;
  now.report.step = 500;
  now.report.contacts = 3412;
  now.report.residual_rms_relative = 2.1e-3;
  now.report.penetration_max = 0.0042;
  return now;
}

}  // namespace

TEST(Progress, NeverReachesTheLastColumn) {
  for (int columns = 1; columns <= 300; ++columns) {
    EXPECT_LT(progress_bar(halfway(), columns).size(), static_cast<std::size_t>(columns)) << columns;
  }
  EXPECT_EQ(progress_bar(halfway(), 0), "");
}

TEST(Progress, KeepsTheMostImportantNumbersWhenNarrow) {
  EXPECT_EQ(progress_bar(halfway(), 20), " 50 %  1:23 left");
  EXPECT_NE(progress_bar(halfway(), 60).find("t 1.000 / 2.000 s"), std::string::npos);
  const std::string wide = progress_bar(halfway(), 160);
  for (const char* part : {"50 %", "[", "#", "1:23 left", "812 steps/s", "3412 contacts", "residual 2.1e-03",
                           "overlap 0.42 %"}) {
    EXPECT_NE(wide.find(part), std::string::npos) << part << " in " << wide;
  }
}

TEST(Progress, TheBarFillsWithTheRun) {
  ProgressNow now = halfway();
  const auto filled = [&] {
    const std::string line = progress_bar(now, 200);
    return std::count(line.begin(), line.end(), '#');
  };
  EXPECT_EQ(filled(), 15);
  now.time_s = 0.0;
  EXPECT_EQ(filled(), 0);
  now.time_s = 2.5;  // past the end by rounding or a changed end time
  EXPECT_EQ(filled(), 30);
}

TEST(Progress, Durations) {
  EXPECT_EQ(duration_text(0.2), "1 s");
  EXPECT_EQ(duration_text(59.0), "59 s");
  EXPECT_EQ(duration_text(245.0), "4:05");
  EXPECT_EQ(duration_text(3600.0 + 23 * 60 + 45), "1:23:45");
  EXPECT_EQ(duration_text(std::numeric_limits<double>::infinity()), "?");
}

}  // namespace scree::test
