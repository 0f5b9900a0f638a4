#include "io/results/vtk_image.h"

#include "io/files/vtk_file.h"

namespace scree::io {

namespace {

/// [cell][k], the numbers value(cell, k).
template <std::size_t n, class Value>
std::vector<std::array<float, n>> rows(const Grid& grid, Value&& value) {
  std::vector<std::array<float, n>> rows(grid.size());
  for (std::size_t c = 0; c < rows.size(); ++c) {
    for (std::size_t k = 0; k < n; ++k) rows[c][k] = static_cast<float>(value(c, static_cast<int>(k)));
  }
  return rows;
}

}  // namespace

void write_fields(const std::filesystem::path& path, const Grid& grid, const CoarseFields& fields) {
  const auto numbers = [&](const std::vector<double>& v) {
    return rows<1>(grid, [&](std::size_t c, int) { return v[c]; });
  };
  const auto matrices = [&](const std::vector<Mat3>& v) {
    return rows<9>(grid, [&](std::size_t c, int k) { return v[c](k / 3, k % 3); });
  };
  const auto density = numbers(fields.density), solid_fraction = numbers(fields.solid_fraction),
             temperature = numbers(fields.temperature);
  const auto velocity = rows<3>(grid, [&](std::size_t c, int k) { return fields.velocity[c][k]; });
  const auto kinetic = matrices(fields.kinetic_stress), contact = matrices(fields.contact_stress);
  const auto pressure = rows<1>(grid, [&](std::size_t c, int) {
    return (fields.kinetic_stress[c].trace() + fields.contact_stress[c].trace()) / 3.0;
  });
  const VtkArrays arrays{{"density", density},        {"solid_fraction", solid_fraction},
                         {"velocity", velocity},      {"granular_temperature", temperature},
                         {"kinetic_stress", kinetic}, {"contact_stress", contact},
                         {"pressure", pressure}};
  const VtkGrid cells{grid.low, grid.edges, grid.count};
  if (path.extension() == ".vts")
    write_vtk_structured_grid(path, cells, arrays);
  else
    write_vtk_image(path, cells, arrays);
}

}  // namespace scree::io
