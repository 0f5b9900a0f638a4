// impacts.csv: one row an impact of piecewise steps, at its instant.
#pragma once

#include <span>

#include "engine/simulation/diagnostics.h"
#include "io/results/row_file.h"

namespace scree::io {

class ImpactTable {
 public:
  /// `at`: 0, or where to go on, as of RowFile.
  ImpactTable(const std::filesystem::path& path, const Boundaries& boundaries, std::int64_t at = 0);

  void append(const StepReport& report, const Bodies& bodies, std::span<const Impact> impacts);
  std::int64_t sync() { return rows_.sync(); }
  void close() { rows_.close(); }

 private:
  std::vector<std::string> names_;  // [boundary], as CSV has them
  RowFile rows_;
};

}  // namespace scree::io
