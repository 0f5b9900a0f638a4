// openings.csv: one row a step and inlet or outlet.
#pragma once

#include "engine/simulation/model.h"
#include "io/results/row_file.h"

namespace scree::io {

/// What has passed each opening since the start.
class OpeningTable {
 public:
  /// `at`: 0, or where to go on, as of RowFile.
  explicit OpeningTable(const std::filesystem::path& path, std::int64_t at = 0);

  void append(const Model& model, const State& state);
  std::int64_t sync() { return rows_.sync(); }
  void close() { rows_.close(); }

 private:
  RowFile rows_;
};

}  // namespace scree::io
