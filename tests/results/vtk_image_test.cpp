#include "io/results/vtk_image.h"

#include <gtest/gtest.h>
#include <vtkCellData.h>
#include <vtkDataArray.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkXMLImageDataReader.h>

#include "io/results/recorded_fields.h"
#include "tests/results/fixtures.h"

namespace scree::test {

TEST(VtkImage, FieldsReadBackWhereTheyBelong) {
  const TemporaryFolder folder;
  const Grid grid{{-1.0, 2.0, 0.5}, 0.25 * Mat3::Identity(), {2, 3, 4}};
  CoarseFields fields;
  for (std::size_t c = 0; c < grid.size(); ++c) {
    const auto x = static_cast<double>(c);
    fields.density.push_back(100.0 + x);
    fields.solid_fraction.push_back(0.01 * x);
    fields.velocity.emplace_back(x, 2.0, 3.0);
    fields.temperature.push_back(0.5 * x);
    fields.kinetic_stress.push_back(x * Mat3::Identity());
    Mat3 stress;
    stress << x, 1, 2, 3, 4, 5, 6, 7, 8;
    fields.contact_stress.push_back(stress);
  }
  io::write_fields(folder.path() / "f.vti", grid, fields);
  vtkNew<vtkXMLImageDataReader> reader;
  reader->SetFileName((folder.path() / "f.vti").c_str());
  reader->Update();
  vtkImageData* image = reader->GetOutput();
  ASSERT_EQ(image->GetNumberOfCells(), 24);
  // Cell (1, 2, 3) is number 1 + 2 (2 + 3 * 3); its centre is half a cell beyond its corner.
  double point[3] = {-1.0 + 1.5 * 0.25, 2.0 + 2.5 * 0.25, 0.5 + 3.5 * 0.25}, at[3];
  int cell[3];
  EXPECT_EQ(image->ComputeStructuredCoordinates(point, cell, at), 1);
  EXPECT_EQ(image->ComputeCellId(cell), 23);
  const auto value = [&](const char* name, int component) {
    return image->GetCellData()->GetArray(name)->GetComponent(23, component);
  };
  EXPECT_EQ(value("density", 0), 123.0);
  EXPECT_NEAR(value("solid_fraction", 0), 0.23, 1e-7);
  EXPECT_EQ(value("velocity", 0), 23.0);
  EXPECT_EQ(value("granular_temperature", 0), 11.5);
  EXPECT_EQ(value("kinetic_stress", 4), 23.0);
  EXPECT_EQ(value("contact_stress", 1), 1.0);  // xy
  EXPECT_EQ(value("contact_stress", 3), 3.0);  // yx
  EXPECT_NEAR(value("pressure", 0), (3 * 23.0 + 23.0 + 4.0 + 8.0) / 3.0, 1e-5);
}

TEST(VtkImage, ContactImpulsesAreConvertedToForces) {
  const io::Scene scene = example_scene(4);
  const ExampleStep step = example_step(scene, 1);
  const io::Frame frame = io::make_frame(scene.model, step.state, {}, true);
  const auto forces = io::contact_forces(frame.contacts, 1e-3);
  ASSERT_EQ(forces.size(), 2u);  // one of the three contacts carries no force
  EXPECT_NEAR((forces[1].force - Vec3(100.0, 200.0, 2300.0)).norm(), 0.0, 1e-3);
  EXPECT_EQ(forces[0].b, -1);
  EXPECT_EQ(forces[1].b, 3);
}

}  // namespace scree::test
