#include "io/results/bond_table.h"

#include <fmt/format.h>
#include <iterator>

namespace scree::io {

BondTable::BondTable(const std::filesystem::path& path, const std::vector<BondLaw>& laws, std::int64_t at)
    : rows_(path,
            "step,time_s,bonds,what,body_a,body_b,x_m,y_m,z_m,tension_N,shear_N,bending_N_m,torsion_N_m,"
            "tensile_stress_Pa,shear_stress_Pa,energy_J",
            at) {
  for (const BondLaw& law : laws) names_.push_back(csv_field(law.name));
}

void BondTable::append(const StepReport& report, std::span<const BondEvent> events) {
  auto out = std::back_inserter(rows_.pending());
  for (const BondEvent& e : events) {
    const char* const what = e.formed ? "formed" : bond_failures[static_cast<std::size_t>(e.use.by)];
    const BondLoad& l = e.load;
    fmt::format_to(out, "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", report.step, report.time_s,
                   names_[e.law], what, e.a, e.b, e.point.x(), e.point.y(), e.point.z(), l.tension, l.shear,
                   l.bending, l.torsion, l.tensile_stress, l.shear_stress, e.energy);
  }
  rows_.end_row();
}

}  // namespace scree::io
