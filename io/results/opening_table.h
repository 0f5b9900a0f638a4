// openings.csv: one row a step and inlet or outlet.
#pragma once

#include "engine/simulation/model.h"
#include "io/results/row_file.h"

namespace scree::io {

/// What has passed each opening since the start.
class OpeningTable {
 public:
  explicit OpeningTable(const std::filesystem::path& path);

  void append(const Model& model, const State& state);
  void close() { rows_.close(); }

 private:
  RowFile rows_;
};

}  // namespace scree::io
