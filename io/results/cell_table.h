// cell.csv: one row a step, of a periodic cell.
#pragma once

#include "io/results/load_table.h"

namespace scree::io {

/// Form, stress, fabric and granular temperature of the cell.
class CellTable : public LoadTable<CellReport> {
 public:
  /// `at`: 0, or where to go on, as of RowFile.
  explicit CellTable(const std::filesystem::path& path, std::int64_t at = 0);
};

/// The columns of numbers.
std::vector<std::string> cell_quantities();
/// One of these. Precondition: there is one of this name.
double cell_quantity(const std::string& name, const CellReport& cell);

}  // namespace scree::io
