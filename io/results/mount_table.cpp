#include "io/results/mount_table.h"

namespace scree::io {

namespace {

constexpr LoadColumn<MountLoad> mount_columns[] = {
    {"travel", [](const MountLoad& l, double) { return l.travel; }},
    {"rate", [](const MountLoad& l, double) { return l.rate; }},
    {"force", [](const MountLoad& l, double over) { return over * l.impulse; }},
    {"contact_force", [](const MountLoad& l, double over) { return over * l.contact_impulse; }},
    {"stop_force", [](const MountLoad& l, double over) { return over * l.stop_impulse; }},
    {"force_work_J", [](const MountLoad& l, double) { return l.force_work; }},
    {"damping_work_J", [](const MountLoad& l, double) { return l.damping_work; }},
    {"stop_work_J", [](const MountLoad& l, double) { return l.stop_work; }},
    {"kinetic_energy_J", [](const MountLoad& l, double) { return l.kinetic_energy; }},
};

}  // namespace

std::vector<std::string> mount_quantities() { return column_names<MountLoad>(mount_columns); }

double mount_quantity(const std::string& name, const MountLoad& load, double time_step_s) {
  return find_column<MountLoad>(mount_columns, name)->value(load, inverse_step(time_step_s));
}

MountTable::MountTable(const std::filesystem::path& path, const std::vector<Mount>& mounts, std::int64_t at)
    : LoadTable(path, "mount", mounts, mount_columns, at) {}

}  // namespace scree::io
