#include <cmath>
#include <gtest/gtest.h>
#include <vtkDataArray.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPolyData.h>
#include <vtkXMLDataElement.h>
#include <vtkXMLPolyDataReader.h>
#include <vtkXMLUtilities.h>

#include "io/files/vtk_file.h"
#include "io/results/vtk_series.h"
#include "tests/results/fixtures.h"
#include "tests/support/implicit_shapes.h"

namespace scree::test {

namespace {

/// The folder of example_scene() after `frames` frames.
void write_series(const std::filesystem::path& path, const io::Scene& scene, int frames) {
  io::VtkSeries series(io::RunFolder{path}, scene, {});
  for (int k = 0; k < frames; ++k) {
    const ExampleStep step = example_step(scene, k + 1);
    series.append(io::make_frame(scene.model, step.state, scene.output.fields, true));
  }
  series.publish();
}

double value(vtkPolyData* data, const char* name, std::size_t i, int component) {
  vtkDataArray* array = data->GetPointData()->GetArray(name);
  return array ? array->GetComponent(static_cast<vtkIdType>(i), component) : std::nan("");
}

}  // namespace

TEST(VtkSeries, ReadsBackWithTheLayoutThatGlyphsNeed) {
  const TemporaryFolder folder;
  io::Scene scene = example_scene(7);
  scene.output.fields = {"kinetic_energy"};
  write_series(folder.path(), scene, 2);
  vtkNew<vtkXMLPolyDataReader> reader;
  reader->SetFileName((folder.path() / "vtk/bodies_000001.vtp").c_str());
  reader->Update();
  vtkPolyData* data = reader->GetOutput();
  ASSERT_EQ(data->GetNumberOfPoints(), 7);
  EXPECT_EQ(data->GetNumberOfVerts(), 1);
  const ExampleStep step = example_step(scene, 2);
  for (std::size_t i = 0; i < 7; ++i) {
    const Quat& q = step.state.bodies.orientation[i];
    EXPECT_EQ(value(data, "orientation", i, 0), static_cast<float>(q.w()));
    EXPECT_EQ(value(data, "orientation", i, 1), static_cast<float>(q.x()));
    EXPECT_EQ(value(data, "orientation", i, 3), static_cast<float>(q.z()));
    EXPECT_EQ(value(data, "radii", i, 0), 0.03f);
    EXPECT_EQ(value(data, "radii", i, 2), 0.01f);
    EXPECT_EQ(data->GetPoint(static_cast<vtkIdType>(i))[2],
              static_cast<float>(step.state.bodies.position[i].z()));
    EXPECT_NEAR(value(data, "speed", i, 0), 1.0, 1e-6);  // example_scene() gives unit velocities
    EXPECT_EQ(value(data, "id", i, 0), static_cast<double>(i));
    EXPECT_EQ(value(data, "material", i, 0), 0.0);
  }
  EXPECT_EQ(data->GetPointData()->GetArray("orientation")->GetDataType(), VTK_FLOAT);
  for (const char* name : {"velocity", "angular_velocity", "contacts", "kinetic_energy"}) {
    EXPECT_TRUE(data->GetPointData()->HasArray(name)) << name;
  }
}

TEST(VtkSeries, BodiesOfFunctionsHaveTheirMeshes) {
  const TemporaryFolder folder;
  io::Scene scene = example_scene(3);
  Model& model = scene.model;
  ShapeFindings findings;
  const PerturbedQuadric function = dumbbell();
  const auto shape = std::make_shared<ImplicitShape>(make_implicit_shape(function, {}, findings).value());
  const SizedFunction sized{model.shapes.add_function({"dumbbell", function, shape}), 0.05};
  add_body(scene.initial.bodies, model.shapes, model.materials,
           {model.shapes.add(sized), MaterialIndex(0), {}, {}});
  write_series(folder.path(), scene, 1);
  vtkNew<vtkXMLPolyDataReader> reader, mesh_reader;
  reader->SetFileName((folder.path() / "vtk/bodies_000000.vtp").c_str());
  reader->Update();
  vtkPolyData* data = reader->GetOutput();
  for (const auto& [body, glyph, longest, shortest] :
       {std::tuple(2, 0.0, 0.03f, 0.01f), std::tuple(3, 1.0, 0.05f, 0.05f)}) {
    const auto i = static_cast<std::size_t>(body);
    EXPECT_EQ(value(data, "shape", i, 0), glyph);
    EXPECT_EQ(value(data, "scale", i, 0), longest);
    EXPECT_EQ(value(data, "scale", i, 2), shortest);
  }
  mesh_reader->SetFileName((folder.path() / "vtk/shape_000000.vtp").c_str());
  mesh_reader->Update();
  vtkPolyData* mesh = mesh_reader->GetOutput();
  EXPECT_EQ(mesh->GetNumberOfPolys(), 2000);
  for (vtkIdType k = 0; k < mesh->GetNumberOfPoints(); ++k) {
    const Vec3 x(mesh->GetPoint(k));
    ASSERT_NEAR(scree::value(shape->function, x), 0.0, 1e-5);  // single precision
    const Vec3 normal(mesh->GetPointData()->GetNormals()->GetTuple(k));
    ASSERT_GT(normal.dot(outward(*shape, x)), 1.0 - 1e-6);
  }
  EXPECT_LT(std::filesystem::file_size(folder.path() / "vtk/shape_000000.vtp"), 80000u);
}

TEST(VtkFile, ManyPointsReadBack) {
  const TemporaryFolder folder;
  for (const int n : {1 << 18, 200000}) {  // blocks of 1 MiB: all full, and with an incomplete last one
    std::vector<Eigen::Vector3f> points;
    for (int i = 0; i < n; ++i) points.emplace_back(i, std::sin(static_cast<float>(i)), -i);
    io::write_vtk(folder.path() / "many.vtp", io::vtk_points(points, {{"place", points}}));
    vtkNew<vtkXMLPolyDataReader> reader;
    reader->SetFileName((folder.path() / "many.vtp").c_str());
    reader->Update();
    vtkPolyData* data = reader->GetOutput();
    ASSERT_EQ(data->GetNumberOfPoints(), n);
    for (int i = 0; i < n; i += 777) {
      const auto at = static_cast<std::size_t>(i);
      EXPECT_EQ(data->GetPoint(i)[1], points[at].y());
      EXPECT_EQ(value(data, "place", at, 2), points[at].z());
    }
  }
}

TEST(VtkSeries, ContactsReadBack) {
  const TemporaryFolder folder;
  const io::Scene scene = example_scene(4);
  write_series(folder.path(), scene, 1);
  vtkNew<vtkXMLPolyDataReader> reader;
  reader->SetFileName((folder.path() / "vtk/contacts_000000.vtp").c_str());
  reader->Update();
  vtkPolyData* data = reader->GetOutput();
  ASSERT_EQ(data->GetNumberOfPoints(), 3);
  EXPECT_EQ(value(data, "impulse", 2, 2), 2.3f);
  EXPECT_EQ(value(data, "boundary", 0, 0), 0.0);
  EXPECT_EQ(value(data, "body_b", 0, 0), -1.0);
  EXPECT_NEAR(value(data, "impulse_magnitude", 2, 0), std::sqrt(0.01 + 0.04 + 2.3 * 2.3), 1e-6);
}

TEST(VtkSeries, TheIndexListsCompleteFilesWithTheirTimes) {
  const TemporaryFolder folder;
  const io::Scene scene = example_scene(3);
  write_series(folder.path(), scene, 3);
  for (const char* kind : {"bodies", "contacts"}) {
    vtkSmartPointer<vtkXMLDataElement> root = vtkSmartPointer<vtkXMLDataElement>::Take(
        vtkXMLUtilities::ReadElementFromFile((folder.path() / (std::string(kind) + ".pvd")).c_str()));
    ASSERT_TRUE(root);
    EXPECT_STREQ(root->GetAttribute("type"), "Collection");
    vtkXMLDataElement* list = root->FindNestedElementWithName("Collection");
    ASSERT_TRUE(list);
    ASSERT_EQ(list->GetNumberOfNestedElements(), 3);
    for (int k = 0; k < 3; ++k) {
      vtkXMLDataElement* entry = list->GetNestedElement(k);
      double time = -1.0;
      EXPECT_TRUE(entry->GetScalarAttribute("timestep", time));
      EXPECT_NEAR(time, 1e-3 * (k + 1), 1e-15);
      EXPECT_TRUE(std::filesystem::exists(folder.path() / entry->GetAttribute("file")));
    }
  }
}

TEST(VtkSeries, WritesASceneWithoutBodies) {
  const TemporaryFolder folder;
  const io::Scene scene = example_scene(0);
  write_series(folder.path(), scene, 1);
  vtkNew<vtkXMLPolyDataReader> reader;
  reader->SetFileName((folder.path() / "vtk/bodies_000000.vtp").c_str());
  reader->Update();
  EXPECT_EQ(reader->GetOutput()->GetNumberOfPoints(), 0);
}

TEST(VtkSeries, WallsReadBack) {
  const TemporaryFolder folder;
  const io::Scene scene = example_scene(3);
  const io::WallMesh mesh =
      io::wall_mesh(scene.model.boundaries,
                    io::scene_region(scene.initial.bodies, scene.model.shapes, scene.model.boundaries));
  io::write_vtk(folder.path() / "walls.vtp", io::walls_piece(mesh));
  vtkNew<vtkXMLPolyDataReader> reader;
  reader->SetFileName((folder.path() / "walls.vtp").c_str());
  reader->Update();
  EXPECT_EQ(reader->GetOutput()->GetNumberOfPolys(), static_cast<vtkIdType>(mesh.polygon.size()));
  EXPECT_EQ(reader->GetOutput()->GetNumberOfPoints(), static_cast<vtkIdType>(mesh.point.size()));
}

}  // namespace scree::test
