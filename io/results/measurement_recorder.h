// The measurements of a scene during a run.
#pragma once

#include "io/files/archive.h"
#include "io/results/measured_series.h"
#include "io/results/row_file.h"
#include "io/results/run_folder.h"
#include "io/scene/scene.h"

namespace scree::io {

/// One measurement, with its table, which gets a row each time one ends. Members throw WriteError.
class MeasurementTable {
 public:
  /// `at`: 0, or the position at which to continue, see RowFile.
  MeasurementTable(const std::filesystem::path& path, const Scene& scene, const MeasurementPlan& plan,
                   std::int64_t at = 0);
  /// Does it need bodies at that time?
  bool wants_bodies(double time_s) const { return measuring_.wants_bodies(time_s); }
  void append(const Observed& now);
  std::int64_t sync() { return rows_.sync(); }
  void close() { rows_.close(); }
  /// Its state for a checkpoint.
  void visit(Archive& io);
  const Measuring& measuring() const { return measuring_; }

 private:
  std::size_t openings_;
  Measuring measuring_;
  RowFile rows_;
};

/// Writes measurements.json and distributions for closed tables. Throws WriteError.
std::vector<MeasuredSeries> write_measurements(const RunFolder& folder, const std::string& scene,
                                               const std::vector<std::shared_ptr<MeasurementTable>>& tables);

}  // namespace scree::io
