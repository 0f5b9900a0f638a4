// steps.csv: one row per step.
#pragma once

#include <string>
#include <vector>

#include "engine/simulation/observables.h"
#include "io/results/row_file.h"

namespace scree::io {

/// Appends a row for each step. Members throw WriteError.
class StepTable {
 public:
  /// `at`: 0, or the position at which to continue, see RowFile.
  explicit StepTable(const std::filesystem::path& path, std::int64_t at = 0);

  /// The row of a step, with the hash of the resulting state; it stays open until end_row().
  void append(const Observed& now, std::uint64_t state_hash);
  /// Replaces the hash in the open row, after events at the end of the step have changed the state.
  void amend(std::uint64_t state_hash);
  void end_row() { rows_.end_row(); }
  void flush() { rows_.flush(); }
  std::int64_t sync() { return rows_.sync(); }
  void close() { rows_.close(); }

 private:
  RowFile rows_;
};

/// The names of the columns, comma-separated: observables of the run, the solver's status and the hash.
std::string step_table_header();

}  // namespace scree::io
