// steps.csv: one row a step.
#pragma once

#include <string>
#include <vector>

#include "engine/simulation/observables.h"
#include "io/results/row_file.h"

namespace scree::io {

/// Appends a row for every step. Members throw WriteError.
class StepTable {
 public:
  /// `at`: 0, or where to go on, as of RowFile.
  explicit StepTable(const std::filesystem::path& path, std::int64_t at = 0);

  /// The row of a step, with the hash of the state that it left; it stays open until end_row().
  void append(const Observed& now, std::uint64_t state_hash);
  /// Puts another hash into the row that is open: what happened at the end of its step has changed the state.
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
