// bonds.csv: one row per bond that formed or broke.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/simulation/diagnostics.h"
#include "io/results/row_file.h"

namespace scree::io {

class BondTable {
 public:
  /// `at`: 0, or the position at which to continue, see RowFile.
  BondTable(const std::filesystem::path& path, const std::vector<BondLaw>& laws, std::int64_t at = 0);

  void append(const StepReport& report, std::span<const BondEvent> events);
  std::int64_t sync() { return rows_.sync(); }
  void close() { rows_.close(); }

 private:
  std::vector<std::string> names_;  // as CSV fields
  RowFile rows_;
};

}  // namespace scree::io
