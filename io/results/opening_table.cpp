#include "io/results/opening_table.h"

#include <fmt/format.h>
#include <iterator>

#include "io/results/summary.h"

namespace scree::io {

OpeningTable::OpeningTable(const std::filesystem::path& path, std::int64_t at)
    : rows_(path, "step,time_s,opening,bodies,mass_kg,steps_without_room", at) {}

void OpeningTable::append(const Model& model, const State& state) {
  auto out = std::back_inserter(rows_.pending());
  for (const OpeningTotal& o : opening_totals(model, state))
    fmt::format_to(out, "{},{},{},{},{},{}\n", state.step, state.time_s, csv_field(o.name),
                   o.throughput.bodies, o.throughput.mass, o.throughput.waited);
  rows_.end_row();
}

}  // namespace scree::io
