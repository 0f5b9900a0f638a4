#include "io/results/drive_table.h"

#include <fmt/format.h>
#include <iterator>

namespace scree::io {

namespace {

std::string header(const std::vector<Drive>& drives) {
  std::string text = "step,time_s";
  for (const Drive& drive : drives) {
    for (const DriveInput& input : drive.inputs) text += ',' + csv_field(drive.name + '.' + input.variable);
    for (const std::string& output : drive.outputs) text += ',' + csv_field(drive.name + '.' + output);
  }
  return text;
}

}  // namespace

DriveTable::DriveTable(const std::filesystem::path& path, const std::vector<Drive>& drives, std::int64_t at)
    : rows_(path, header(drives), at) {}

void DriveTable::append(const StepReport& report, const std::vector<DriveState>& drives) {
  auto out = std::back_inserter(rows_.pending());
  fmt::format_to(out, "{},{}", report.step, report.time_s);
  for (const DriveState& drive : drives)
    for (const auto* list : {&drive.inputs, &drive.outputs})
      for (const double x : *list) fmt::format_to(out, ",{}", x);
  rows_.pending() += '\n';
  rows_.end_row();
}

}  // namespace scree::io
