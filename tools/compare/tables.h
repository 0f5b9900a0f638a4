// The first difference of the tables of two runs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace scree {

/// A difference of two rows. `stage`: the stage of a step to which the column belongs; empty in other tables.
struct DifferentCell {
  std::string column, stage, a, b;
};

struct TableComparison {
  enum class Outcome { same, different, in_neither, in_a_only, in_b_only };
  Outcome outcome = Outcome::same;
  std::int64_t rows_a = 0, rows_b = 0;
  std::int64_t same_rows = 0;             // from the first one on
  std::vector<std::string> in_one_table;  // columns that the other table does not have
  std::vector<std::string> place;    // of the first different row: "step 12", "t = 0.024 s", "boundary floor"
  std::optional<std::int64_t> step;  // of this row
  std::vector<DifferentCell> cells;  // in the order of the stages; empty if one table ends earlier
};

/// Compares row by row, without wall times. With a tolerance, numbers may differ by that share of the largest
/// number of their unit in either table so far, numbers without a unit by that share of themselves,
/// and hashes are not compared. Throws ReadError.
TableComparison compare_tables(const std::filesystem::path& a, const std::filesystem::path& b,
                               double tolerance);

}  // namespace scree
