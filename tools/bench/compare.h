// What changed between two benchmarks.
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
  double shown_in_s = 1e-3;  // the unit it is shown in
};

/// One measurement that both files hold.
struct CaseComparison {
  BenchKey key;
  Change step;                       // wall time of a step; of a whole run, all of it
  Change cpu;                        // processor time of the same
  std::vector<Change> stages;        // wall times of the four; of a whole run, also of its steps
  std::vector<std::string> physics;  // what differs in what was computed; empty if the state hashes agree

  /// -1 faster, 1 slower, 0 within the noise. By wall time; on one thread, if that tells nothing, by
  /// processor time, which others on the machine disturb less.
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

/// Smallest relative change that counts, however quiet the machine: what comes of another layout of the same
/// code.
inline constexpr double default_least_change = 0.03;

/// Times by difference(); physics as it stands. Figures of physics are listed where they differ by more than
/// `physics_tolerance`, if the state hashes differ at all.
inline constexpr double physics_tolerance = 0.01;
Comparison compare(const BenchReport& a, const BenchReport& b, double least_change);

/// A table for people and one line of conclusion.
std::string to_text(const Comparison& comparison);

}  // namespace scree
