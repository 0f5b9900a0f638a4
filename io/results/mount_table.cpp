#include "io/results/mount_table.h"

namespace scree::io {

namespace {

using Load = MountLoad;
constexpr LoadColumn<Load> columns[] = {
    {"travel", [](const Load& l, double) { return l.travel; }},
    {"rate", [](const Load& l, double) { return l.rate; }},
    {"force", [](const Load& l, double over) { return over * l.impulse; }},
    {"contact_force", [](const Load& l, double over) { return over * l.contact_impulse; }},
    {"stop_force", [](const Load& l, double over) { return over * l.stop_impulse; }},
    {"force_work_J", [](const Load& l, double) { return l.force_work; }},
    {"damping_work_J", [](const Load& l, double) { return l.damping_work; }},
    {"stop_work_J", [](const Load& l, double) { return l.stop_work; }},
    {"kinetic_energy_J", [](const Load& l, double) { return l.kinetic_energy; }},
};

}  // namespace

std::vector<std::string> mount_quantities() { return column_names<Load>(columns); }

double mount_quantity(const std::string& name, const MountLoad& load, double time_step_s) {
  return find_column<Load>(columns, name)->value(load, inverse_step(time_step_s));
}

MountTable::MountTable(const std::filesystem::path& path, const std::vector<Mount>& mounts, std::int64_t at)
    : LoadTable(path, "mount", mounts, columns, at) {}

}  // namespace scree::io
