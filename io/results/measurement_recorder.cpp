#include "io/results/measurement_recorder.h"

#include "io/files/file_errors.h"
#include "io/files/text_file.h"

namespace scree::io {

MeasurementTable::MeasurementTable(const std::filesystem::path& path, const Scene& scene,
                                   const MeasurementPlan& plan, std::int64_t at)
    : openings_(part_names(ObservedKind::opening, scene.model).size()),
      measuring_(plan, plan.interval_s > 0.0 ? plan.interval_s : scene.output.interval_s, time_slack(scene)),
      rows_(path, series_header(measuring_.measurement().columns()), at) {}

void MeasurementTable::append(const Observed& now) {
  const double time = now.state.time_s;
  if (!measuring_.wants(time)) return;
  MeasuredMoment moment{time, now.model.shapes, now.state.bodies};
  if (now.model.cell.is_periodic()) moment.cell = cell_at(now.model, now.state, time);
  std::vector<ContactForce> contacts;
  if (measuring_.wants_contacts(time)) {
    contacts = contact_forces(now.model, now.state);
    moment.contacts = contacts;
    moment.knows_contacts = true;
  }
  std::vector<Throughput> passed;
  for (std::size_t k = 0; k < openings_; ++k)
    passed.push_back(throughput(now.model, now.state, static_cast<std::int64_t>(k)));
  moment.passed = passed;
  moment.observed = &now;
  const std::optional<std::vector<double>> row = measuring_.see(moment);
  if (!row) return;
  rows_.pending() += series_row(time, *row) + '\n';
  rows_.end_row();
}

void MeasurementTable::visit(Archive& io) {
  std::vector<double> numbers = measuring_.memory();
  io(measuring_.plan().name, numbers);
  if (io.reads()) measuring_.remember(std::move(numbers));
}

std::vector<MeasuredSeries> write_measurements(const RunFolder& folder, const std::string& scene,
                                               const std::vector<std::shared_ptr<MeasurementTable>>& tables) {
  std::vector<MeasuredSeries> all;
  for (const auto& table : tables) {
    all.push_back(series_of(table->measuring()));
    try {
      read_series(folder.measured(all.back().name), all.back());
    } catch (const ReadError& error) {
      throw WriteError(error.what());
    }
    if (all.back().table) write_measured_table(folder.distribution(all.back().name), *all.back().table);
  }
  write_whole_file(folder.measurements(), measurements_json(scene, "run", all));
  return all;
}

}  // namespace scree::io
