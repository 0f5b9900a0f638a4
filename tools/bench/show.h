// A benchmark as people see it: tables and plots.
#pragma once

#include <string>
#include <vector>

#include "io/plots/plot.h"
#include "tools/bench/bench_report.h"

namespace scree {

/// Processor, caches, memory, compiler, commit; says so if the machine was busy before the benchmark began.
std::string setting_text(const BenchReport& report);
/// What was prepared and how long it took.
std::string preparation_text(const Preparation& preparation);
/// Times, stages, accuracy and memory of the measurements that start from one state or, scaled weakly, belong
/// together: all of them whole runs, or none.
std::string cases_text(const std::vector<BenchCase>& cases);

/// Speed-up and stages over threads, time a body over the number of bodies, time over residual; of whole runs
/// step time, residual and kinetic energy over simulated time: the panels that the measurements have points
/// for.
std::vector<io::Panel> bench_panels(const BenchReport& report, bool weak);

}  // namespace scree
