// Tables of observables, with a row per step and part of a scene.
#pragma once

#include <string>
#include <vector>

#include "engine/simulation/observables.h"
#include "io/results/row_file.h"

namespace scree::io {

/// All observables of a kind (docs/observables.md): `step,time_s`, the part's name if it has one, and a
/// column for each. Members throw WriteError.
class ObservableTable {
 public:
  /// `at`: 0, or the position at which to continue, see RowFile.
  ObservableTable(const std::filesystem::path& path, ObservedKind kind, const Model& model,
                  std::int64_t at = 0);
  void append(const Observed& now);
  std::int64_t sync() { return rows_.sync(); }
  void close() { rows_.close(); }

 private:
  ObservedKind kind_;
  std::vector<std::string> names_;  // [part] as CSV fields
  RowFile rows_;
};

/// models.csv: inputs and outputs of declarative models at the end of each step. Members throw WriteError.
class ModelTable {
 public:
  ModelTable(const std::filesystem::path& path, const std::vector<Actuator>& models, std::int64_t at = 0);
  void append(const Observed& now);
  std::int64_t sync() { return rows_.sync(); }
  void close() { rows_.close(); }

 private:
  RowFile rows_;
};

}  // namespace scree::io
