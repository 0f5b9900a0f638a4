// Meshes read by VTK.
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <vtkNew.h>
#include <vtkPoints.h>
#include <vtkTetra.h>
#include <vtkUnstructuredGrid.h>
#include <vtkXMLUnstructuredGridWriter.h>

#include "engine/geometry/mesh_repair.h"
#include "io/files/base64.h"
#include "io/files/file_errors.h"
#include "io/files/mesh_file.h"
#include "io/files/text_file.h"
#include "tests/results/fixtures.h"

namespace scree::test {

namespace {

/// Corners are not single-precision numbers.
TriangleMesh tetrahedron() {
  return {{{0.1, 0.2, 0.3}, {1000.0001, 0.2, 0.3}, {0.1, 1.2, 0.3}, {0.1, 0.2, 7.1}},
          {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}};
}

std::string message_of(const std::filesystem::path& file) {
  std::vector<std::string> odd;
  try {
    (void)io::read_mesh(file, odd);
  } catch (const io::ReadError& error) {
    return error.what();
  }
  return "";
}

/// The same triangles, for any start of the lists.
void expect_same(const TriangleMesh& found, const TriangleMesh& given) {
  ASSERT_EQ(found.triangles.size(), given.triangles.size());
  for (std::size_t t = 0; t < given.triangles.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_EQ(found.points[found.triangles[t][k]], given.points[given.triangles[t][k]]);
}

}  // namespace

TEST(VtkMesh, AVtpKeepsDoublePrecision) {
  const TemporaryFolder folder;
  io::write_mesh(folder.path() / "m.vtp", tetrahedron());
  std::vector<std::string> odd;
  expect_same(io::read_mesh(folder.path() / "m.vtp", odd), tetrahedron());
  std::filesystem::copy(folder.path() / "m.vtp", folder.path() / "M.VTP");
  expect_same(io::read_mesh(folder.path() / "M.VTP", odd), tetrahedron());
  EXPECT_TRUE(odd.empty());
}

TEST(VtkMesh, CellsBecomeTheirSurface) {
  const TemporaryFolder folder;
  vtkNew<vtkUnstructuredGrid> grid;
  vtkNew<vtkPoints> points;
  points->SetDataTypeToDouble();
  for (const Vec3& x : tetrahedron().points) points->InsertNextPoint(x.data());
  points->InsertNextPoint(-1000.0, -1.0, 0.5);
  grid->SetPoints(points);
  grid->Allocate(2);
  for (const std::array<vtkIdType, 4>& cell : {std::array<vtkIdType, 4>{0, 1, 2, 3}, {0, 2, 4, 3}})
    grid->InsertNextCell(VTK_TETRA, 4, cell.data());
  vtkNew<vtkXMLUnstructuredGridWriter> writer;
  const std::filesystem::path file = folder.path() / "m.vtu";
  writer->SetFileName(file.c_str());
  writer->SetInputData(grid);
  writer->SetDataModeToBinary();
  writer->Write();
  std::vector<std::string> odd;
  const TriangleMesh mesh = io::read_mesh(file, odd);
  EXPECT_EQ(mesh.triangles.size(), 6u);  // the common face is inside
  EXPECT_TRUE(diagnose(mesh, 1e-9).is_closed());
}

TEST(VtkMesh, GltfIsRead) {
  const TemporaryFolder folder;
  // One triangle: three positions of three floats, three indices of two bytes.
  std::array<float, 9> position{0, 0, 0, 1, 0, 0, 0, 2, 0};
  std::array<std::uint16_t, 3> index{0, 1, 2};
  std::vector<std::uint8_t> bytes(sizeof position + sizeof index);
  std::memcpy(bytes.data(), position.data(), sizeof position);
  std::memcpy(bytes.data() + sizeof position, index.data(), sizeof index);
  std::ofstream(folder.path() / "m.gltf")
      << R"({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
  "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
  "buffers": [{"byteLength": 42, "uri": "data:application/octet-stream;base64,)"
      << io::base64(bytes) << R"("}],
  "bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 36, "target": 34962},
                  {"buffer": 0, "byteOffset": 36, "byteLength": 6, "target": 34963}],
  "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 2, 0]},
                {"bufferView": 1, "componentType": 5123, "count": 3, "type": "SCALAR"}]})";
  std::vector<std::string> odd;
  const TriangleMesh mesh = io::read_mesh(folder.path() / "m.gltf", odd);
  expect_same(mesh, {{{0, 0, 0}, {1, 0, 0}, {0, 2, 0}}, {{0, 1, 2}}});
}

TEST(VtkMesh, DamageIsReportedInOneLine) {
  const TemporaryFolder folder;
  io::write_mesh(folder.path() / "m.vtp", tetrahedron());
  std::string text;
  {
    std::ifstream stream(folder.path() / "m.vtp");
    text.assign(std::istreambuf_iterator<char>(stream), {});
  }
  std::ofstream(folder.path() / "cut.vtp") << text.substr(0, text.size() / 2);
  std::ofstream(folder.path() / "none.vtp") << "no XML at all";
  std::ofstream(folder.path() / "none.gltf") << "{]";
  std::ofstream(folder.path() / "none.vtk") << "no VTK at all";
  std::ofstream(folder.path() / "empty.vtu") << "";
  for (const char* name : {"cut.vtp", "none.vtp", "none.gltf", "none.vtk", "empty.vtu"}) {
    const std::string message = message_of(folder.path() / name);
    EXPECT_NE(message.find(name), std::string::npos) << name << ": " << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_LT(message.size(), 300u) << message;
  }
  EXPECT_NE(message_of(folder.path() / "absent.vtp"), "");
}

}  // namespace scree::test
