// steps.csv: one row a step.
#pragma once

#include <chrono>
#include <string>

#include "engine/simulation/diagnostics.h"
#include "io/files/text_file.h"

namespace scree::io {

/// Appends a row for every step. Rows reach the operating system about once a second and whole, so that a
/// table can be watched while it grows. Members throw WriteError.
class StepTable {
 public:
  explicit StepTable(const std::filesystem::path& path);

  void append(const StepReport& report, std::uint64_t state_hash);
  void flush();
  void close();

 private:
  TextFile file_;
  std::string pending_;
  std::chrono::steady_clock::time_point last_flush_;
};

/// The names of the columns, comma-separated.
std::string step_table_header();

}  // namespace scree::io
