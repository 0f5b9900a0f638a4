// events.csv: one row per event.
#pragma once

#include <vector>

#include "engine/run/events.h"
#include "io/results/row_file.h"

namespace scree::io {

/// Members throw WriteError.
class EventTable {
 public:
  /// `at`: 0, or the position at which to continue, see RowFile.
  EventTable(const std::filesystem::path& path, const std::vector<Event>& events, std::int64_t at = 0);
  void append(const Happening& happening);
  std::int64_t sync() { return rows_.sync(); }
  void close() { rows_.close(); }

 private:
  const std::vector<Event>& events_;
  RowFile rows_;
};

}  // namespace scree::io
