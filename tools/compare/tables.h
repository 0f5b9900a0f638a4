// Two tables of two runs: where they first differ.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace scree {

/// What two rows say differently. `stage`: of a step, that the column belongs to; empty in other tables.
struct DifferentCell {
  std::string column, stage, a, b;
};

struct TableComparison {
  enum class Outcome { same, different, in_neither, in_a_only, in_b_only };
  Outcome outcome = Outcome::same;
  std::int64_t rows_a = 0, rows_b = 0;
  std::int64_t same_rows = 0;             // from the first one on
  std::vector<std::string> in_one_table;  // columns that the other table does not have
  std::vector<std::string> place;         // "step 12", "t = 0.024 s", "boundary floor", of the first row
  std::optional<std::int64_t> step;       // that differs
  std::vector<DifferentCell> cells;       // in the order of the stages; none if one table just ends
};

/// Row by row. Wall times are left out. With a tolerance numbers may differ by that much of the largest
/// number of their unit that either table has had so far, numbers without a unit by that much of themselves,
/// and hashes are left out. Throws ReadError.
TableComparison compare_tables(const std::filesystem::path& a, const std::filesystem::path& b,
                               double tolerance);

}  // namespace scree
