#include "io/results/cell_table.h"

namespace scree::io {

namespace {

using Cell = CellReport;
constexpr LoadColumn<Cell> cell_columns[] = {
    {"volume_m3", [](const Cell& c, double) { return c.volume; }},
    {"solid_fraction", [](const Cell& c, double) { return c.solid_fraction; }},
    {"contact_number", [](const Cell& c, double) { return c.contact_number; }},
    {"temperature_m2_s2", [](const Cell& c, double) { return c.temperature; }},
    {"pressure_Pa",
     [](const Cell& c, double) { return (c.contact_stress + c.kinetic_stress).trace() / 3.0; }},
    {"stress_xx_Pa", [](const Cell& c, double) { return c.contact_stress(0, 0); }},
    {"stress_xy_Pa", [](const Cell& c, double) { return c.contact_stress(0, 1); }},
    {"stress_xz_Pa", [](const Cell& c, double) { return c.contact_stress(0, 2); }},
    {"stress_yx_Pa", [](const Cell& c, double) { return c.contact_stress(1, 0); }},
    {"stress_yy_Pa", [](const Cell& c, double) { return c.contact_stress(1, 1); }},
    {"stress_yz_Pa", [](const Cell& c, double) { return c.contact_stress(1, 2); }},
    {"stress_zx_Pa", [](const Cell& c, double) { return c.contact_stress(2, 0); }},
    {"stress_zy_Pa", [](const Cell& c, double) { return c.contact_stress(2, 1); }},
    {"stress_zz_Pa", [](const Cell& c, double) { return c.contact_stress(2, 2); }},
    {"kinetic_stress_xx_Pa", [](const Cell& c, double) { return c.kinetic_stress(0, 0); }},
    {"kinetic_stress_xy_Pa", [](const Cell& c, double) { return c.kinetic_stress(0, 1); }},
    {"kinetic_stress_xz_Pa", [](const Cell& c, double) { return c.kinetic_stress(0, 2); }},
    {"kinetic_stress_yx_Pa", [](const Cell& c, double) { return c.kinetic_stress(1, 0); }},
    {"kinetic_stress_yy_Pa", [](const Cell& c, double) { return c.kinetic_stress(1, 1); }},
    {"kinetic_stress_yz_Pa", [](const Cell& c, double) { return c.kinetic_stress(1, 2); }},
    {"kinetic_stress_zx_Pa", [](const Cell& c, double) { return c.kinetic_stress(2, 0); }},
    {"kinetic_stress_zy_Pa", [](const Cell& c, double) { return c.kinetic_stress(2, 1); }},
    {"kinetic_stress_zz_Pa", [](const Cell& c, double) { return c.kinetic_stress(2, 2); }},
    {"fabric_xx", [](const Cell& c, double) { return c.fabric(0, 0); }},
    {"fabric_xy", [](const Cell& c, double) { return c.fabric(0, 1); }},
    {"fabric_xz", [](const Cell& c, double) { return c.fabric(0, 2); }},
    {"fabric_yy", [](const Cell& c, double) { return c.fabric(1, 1); }},
    {"fabric_yz", [](const Cell& c, double) { return c.fabric(1, 2); }},
    {"fabric_zz", [](const Cell& c, double) { return c.fabric(2, 2); }},
    {"strain_xx", [](const Cell& c, double) { return c.strain(0, 0); }},
    {"strain_xy", [](const Cell& c, double) { return c.strain(0, 1); }},
    {"strain_xz", [](const Cell& c, double) { return c.strain(0, 2); }},
    {"strain_yx", [](const Cell& c, double) { return c.strain(1, 0); }},
    {"strain_yy", [](const Cell& c, double) { return c.strain(1, 1); }},
    {"strain_yz", [](const Cell& c, double) { return c.strain(1, 2); }},
    {"strain_zx", [](const Cell& c, double) { return c.strain(2, 0); }},
    {"strain_zy", [](const Cell& c, double) { return c.strain(2, 1); }},
    {"strain_zz", [](const Cell& c, double) { return c.strain(2, 2); }},
    {"held_rate_xx_1_s", [](const Cell& c, double) { return c.held_rate[0]; }},
    {"held_rate_yy_1_s", [](const Cell& c, double) { return c.held_rate[1]; }},
    {"held_rate_zz_1_s", [](const Cell& c, double) { return c.held_rate[2]; }},
    {"lattice_a_x_m", [](const Cell& c, double) { return c.lattice(0, 0); }},
    {"lattice_a_y_m", [](const Cell& c, double) { return c.lattice(1, 0); }},
    {"lattice_a_z_m", [](const Cell& c, double) { return c.lattice(2, 0); }},
    {"lattice_b_x_m", [](const Cell& c, double) { return c.lattice(0, 1); }},
    {"lattice_b_y_m", [](const Cell& c, double) { return c.lattice(1, 1); }},
    {"lattice_b_z_m", [](const Cell& c, double) { return c.lattice(2, 1); }},
    {"lattice_c_x_m", [](const Cell& c, double) { return c.lattice(0, 2); }},
    {"lattice_c_y_m", [](const Cell& c, double) { return c.lattice(1, 2); }},
    {"lattice_c_z_m", [](const Cell& c, double) { return c.lattice(2, 2); }},
};

}  // namespace

std::vector<std::string> cell_quantities() { return column_names<Cell>(cell_columns); }

double cell_quantity(const std::string& name, const CellReport& cell) {
  return find_column<Cell>(cell_columns, name)->value(cell, 0.0);
}

CellTable::CellTable(const std::filesystem::path& path, std::int64_t at)
    : LoadTable(path, cell_columns, at) {}

}  // namespace scree::io
