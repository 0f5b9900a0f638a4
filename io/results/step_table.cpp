#include "io/results/step_table.h"

#include <cassert>
#include <fmt/format.h>
#include <iterator>

#include "engine/core/state_hash.h"

namespace scree::io {

std::string step_table_header() {
  std::string header;
  for (const Observable& quantity : observables(ObservedKind::run))
    header += std::string(quantity.name) + ',';
  return header + "solver_status,state_hash";
}

StepTable::StepTable(const std::filesystem::path& path, std::int64_t at)
    : rows_(path, step_table_header(), at) {}

void StepTable::append(const Observed& now, std::uint64_t state_hash) {
  rows_.end_row();  // of the step before, if it was not ended
  auto out = std::back_inserter(rows_.pending());
  // fmt writes the shortest text that reads back as the same double.
  for (const Observable& quantity : observables(ObservedKind::run))
    fmt::format_to(out, "{},", value(quantity, now, 0));
  fmt::format_to(out, "{},{}\n", to_string(now.result.report.status), hash_text(state_hash));
}

void StepTable::amend(std::uint64_t state_hash) {
  const std::string hash = hash_text(state_hash) + "\n";
  std::string& row = rows_.pending();
  assert(row.size() > hash.size());
  row.replace(row.size() - hash.size(), hash.size(), hash);
}

}  // namespace scree::io
