// Comparison of two benchmarks.
#pragma once

#include <string>
#include <vector>

#include "tools/bench/bench_report.h"
#include "tools/bench/statistics.h"

namespace scree {

/// A quantity of one measurement in both files.
struct Change {
  std::string quantity;     // "step", "detection", ...
  double a = 0.0, b = 0.0;  // medians, s
  Difference difference;
  double shown_in_s = 1e-3;  // unit for display
};

/// A measurement that is in both files.
struct CaseComparison {
  BenchKey key;
  Change step;                       // wall time per step; for a whole run its total
  Change cpu;                        // processor time of the same
  std::vector<Change> stages;        // wall times of the four; for a whole run also of its steps
  std::vector<std::string> physics;  // differences of the results; empty if the state hashes agree

  /// -1 faster, 1 slower, 0 within the noise. By wall time; on one thread, if that is not conclusive, by
  /// processor time, which other processes disturb less.
  int verdict() const;
};

struct Comparison {
  std::vector<std::string> setting;  // differences of machine, compiler, flags: they forbid conclusions
  std::string commits;               // "a -> b"
  std::vector<CaseComparison> cases;
  std::vector<BenchKey> only_a, only_b;
  bool slower() const;
  bool faster() const;
};

/// Smallest relative change that counts, on any machine: a different layout of the same code has this
/// effect.
inline constexpr double default_least_change = 0.03;

/// Compares times by difference(), and results directly. Results are listed if they differ by more than
/// `physics_tolerance`, provided that the state hashes differ.
inline constexpr double physics_tolerance = 0.01;
Comparison compare(const BenchReport& a, const BenchReport& b, double least_change);

/// A table for users and one line of conclusion.
std::string to_text(const Comparison& comparison);

}  // namespace scree
