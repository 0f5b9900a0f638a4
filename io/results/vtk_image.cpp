#include "io/results/vtk_image.h"

#include <vtkCellData.h>
#include <vtkFloatArray.h>
#include <vtkImageData.h>
#include <vtkNew.h>

#include "io/results/vtk_write.h"

namespace scree::io {

namespace {

/// [cell] the numbers that `values(cell)`, an Eigen matrix or a number, holds, in their order.
template <class F>
void add_array(vtkImageData* image, const char* name, int components, F&& value) {
  vtkNew<vtkFloatArray> array;
  array->SetName(name);
  array->SetNumberOfComponents(components);
  array->SetNumberOfTuples(image->GetNumberOfCells());
  for (vtkIdType c = 0; c < image->GetNumberOfCells(); ++c) {
    for (int k = 0; k < components; ++k) {
      array->SetComponent(c, k, static_cast<float>(value(static_cast<std::size_t>(c), k)));
    }
  }
  image->GetCellData()->AddArray(array);
}

}  // namespace

void write_fields(const std::filesystem::path& path, const Grid& grid, const CoarseFields& fields) {
  vtkNew<vtkImageData> image;
  image->SetOrigin(grid.low.data());
  image->SetSpacing(grid.cell, grid.cell, grid.cell);
  image->SetDimensions(static_cast<int>(grid.count[0]) + 1, static_cast<int>(grid.count[1]) + 1,
                       static_cast<int>(grid.count[2]) + 1);
  add_array(image, "density", 1, [&](std::size_t c, int) { return fields.density[c]; });
  add_array(image, "solid_fraction", 1, [&](std::size_t c, int) { return fields.solid_fraction[c]; });
  add_array(image, "velocity", 3, [&](std::size_t c, int k) { return fields.velocity[c][k]; });
  add_array(image, "granular_temperature", 1, [&](std::size_t c, int) { return fields.temperature[c]; });
  add_array(image, "kinetic_stress", 9,
            [&](std::size_t c, int k) { return fields.kinetic_stress[c](k / 3, k % 3); });
  add_array(image, "contact_stress", 9,
            [&](std::size_t c, int k) { return fields.contact_stress[c](k / 3, k % 3); });
  add_array(image, "pressure", 1, [&](std::size_t c, int) {
    return (fields.kinetic_stress[c].trace() + fields.contact_stress[c].trace()) / 3.0;
  });
  write_vtk(path, image);
}

}  // namespace scree::io
