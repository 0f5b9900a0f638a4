// Display of a benchmark: tables and plots.
#pragma once

#include <string>
#include <vector>

#include "io/plots/plot.h"
#include "tools/bench/bench_report.h"

namespace scree {

/// Processor, caches, memory, compiler, commit; with a note if the machine was busy before the benchmark.
std::string setting_text(const BenchReport& report);
/// The preparation and its time.
std::string preparation_text(const Preparation& preparation);
/// Times, stages, accuracy and memory of the measurements that start from one state or, in weak scaling,
/// belong together: all of them whole runs, or none.
std::string cases_text(const std::vector<BenchCase>& cases);

/// Panels for which the measurements have points: speed-up and stages over threads, time per body over the
/// number of bodies, time over residual; for whole runs step time, residual and kinetic energy over simulated
/// time.
std::vector<io::Panel> bench_panels(const BenchReport& report, bool weak);

}  // namespace scree
