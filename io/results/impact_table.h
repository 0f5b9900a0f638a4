// impacts.csv: one row per impact of piecewise steps, at its exact time.
#pragma once

#include <span>
#include <unordered_map>

#include "engine/simulation/diagnostics.h"
#include "io/results/row_file.h"

namespace scree::io {

class ImpactTable {
 public:
  /// `at`: 0, or the position at which to continue, see RowFile.
  ImpactTable(const std::filesystem::path& path, const Boundaries& boundaries, std::int64_t at = 0);

  void append(const StepReport& report, const Bodies& bodies, std::span<const Impact> impacts);
  std::int64_t sync() { return rows_.sync(); }
  void close() { rows_.close(); }

 private:
  std::vector<std::string> names_;  // [boundary], as CSV fields
  RowFile rows_;
};

/// A body at the time of an impact.
struct RecordedImpact {
  double time_s = 0.0;
  Vec3 place = Vec3::Zero();  // m, of its centre
  Twist before, after;
};

/// impacts.csv, read back: the impacts of each body, ordered by time.
class RecordedImpacts {
 public:
  /// A missing file has no impacts. Throws ReadError if it cannot be read.
  explicit RecordedImpacts(const std::filesystem::path& path);
  /// Those later than one time and not later than another.
  std::span<const RecordedImpact> between(BodyId body, double after_s, double until_s) const;

 private:
  std::unordered_map<BodyId, std::vector<RecordedImpact>> of_;
};

}  // namespace scree::io
