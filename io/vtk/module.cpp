// The module itself: the only file of the program that includes VTK's headers.
#include "io/vtk/module.h"

#include <array>
#include <cctype>
#include <charconv>
#include <sstream>
#include <vtkAppendPolyData.h>
#include <vtkBase64OutputStream.h>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkCompositeDataIterator.h>
#include <vtkCompositeDataSet.h>
#include <vtkFillHolesFilter.h>
#include <vtkFloatArray.h>
#include <vtkGLTFReader.h>
#include <vtkGenericDataObjectReader.h>
#include <vtkGeometryFilter.h>
#include <vtkIdList.h>
#include <vtkImageData.h>
#include <vtkLogger.h>
#include <vtkNew.h>
#include <vtkObjectFactory.h>
#include <vtkOutputWindow.h>
#include <vtkPointData.h>
#include <vtkPolyData.h>
#include <vtkQuadricDecimation.h>
#include <vtkStringOutputWindow.h>
#include <vtkStructuredGrid.h>
#include <vtkTriangleFilter.h>
#include <vtkTypeInt32Array.h>
#include <vtkTypeInt64Array.h>
#include <vtkXMLDataElement.h>
#include <vtkXMLImageDataWriter.h>
#include <vtkXMLPolyDataReader.h>
#include <vtkXMLPolyDataWriter.h>
#include <vtkXMLStructuredGridWriter.h>
#include <vtkXMLUnstructuredGridReader.h>

#include "io/files/base64.h"

namespace scree::io {

namespace {

constexpr std::size_t block_size = std::size_t{1} << 20;  // bytes compressed together

/// Without copying the numbers.
template <class Array, class T>
vtkSmartPointer<Array> borrowed(const void* values, std::size_t count, int components) {
  auto array = vtkSmartPointer<Array>::New();
  array->SetNumberOfComponents(components);
  array->SetArray(const_cast<T*>(static_cast<const T*>(values)), static_cast<vtkIdType>(count), 1);
  return array;
}

vtkSmartPointer<vtkDataArray> array_of(const VtkArray& of) {
  vtkSmartPointer<vtkDataArray> array;
  switch (of.type()) {
    case VtkArray::Type::float32:
      array = borrowed<vtkFloatArray, float>(of.values(), of.count(), of.components());
      break;
    case VtkArray::Type::int32:
      array = borrowed<vtkTypeInt32Array, vtkTypeInt32>(of.values(), of.count(), of.components());
      break;
    case VtkArray::Type::int64:
      array = borrowed<vtkTypeInt64Array, vtkTypeInt64>(of.values(), of.count(), of.components());
      break;
  }
  array->SetName(of.name().c_str());
  return array;
}

vtkSmartPointer<vtkFloatArray> array_of(std::span<const Eigen::Vector3f> vectors) {
  static_assert(sizeof(Eigen::Vector3f) == 3 * sizeof(float));
  return borrowed<vtkFloatArray, float>(vectors.data(), 3 * vectors.size(), 3);
}

void add(vtkDataSetAttributes* to, const VtkArrays& arrays) {
  for (const VtkArray& array : arrays) to->AddArray(array_of(array));
}

vtkSmartPointer<vtkPoints> points_of(std::span<const Eigen::Vector3f> places) {
  auto points = vtkSmartPointer<vtkPoints>::New();
  points->SetData(array_of(places));
  return points;
}

/// VTK's own class passes base64 to the stream by four characters, this one as a whole: a fifth of the time
/// that a frame takes.
class Base64Stream : public vtkBase64OutputStream {
 public:
  static Base64Stream* New() { VTK_STANDARD_NEW_BODY(Base64Stream); }
  Base64Stream(const Base64Stream&) = delete;
  Base64Stream& operator=(const Base64Stream&) = delete;

  int Write(const void* data, std::size_t length) override {
    const auto* from = static_cast<const unsigned char*>(data);
    const unsigned char* const end = from + length;
    text_.resize(4 * (length / 3 + 1));
    char* to = text_.data();
    for (; BufferLength > 0 && from < end; ++from) {  // completes the group that was begun before
      if (BufferLength < 2) {
        Buffer[BufferLength++] = *from;
      } else {
        to = base64_group(Buffer[0], Buffer[1], *from, to);
        BufferLength = 0;
      }
    }
    for (; end - from >= 3; from += 3) to = base64_group(from[0], from[1], from[2], to);
    for (; from < end; ++from) Buffer[BufferLength++] = *from;
    Stream->write(text_.data(), to - text_.data());
    return Stream->good() ? 1 : 0;
  }

 protected:
  Base64Stream() = default;
  ~Base64Stream() override = default;

 private:
  std::string text_;
};

/// Writes to the stream above.
template <class Writer>
class Quick : public Writer {
 public:
  static Quick* New() { VTK_STANDARD_NEW_BODY(Quick); }
  Quick(const Quick&) = delete;
  Quick& operator=(const Quick&) = delete;

 protected:
  Quick() { this->SetDataStream(vtkNew<Base64Stream>()); }
  ~Quick() override = default;
};

/// Inline base64: readers fail on appended data (docs/paraview.md).
template <class Writer, class Data>
std::string written(Data* data) {
  vtkNew<Quick<Writer>> writer;
  writer->SetInputData(data);
  writer->SetDataModeToBinary();
  writer->SetByteOrderToLittleEndian();
  writer->SetHeaderTypeToUInt64();
  writer->SetCompressorTypeToLZ4();
  writer->SetBlockSize(block_size);
  writer->WriteToOutputStringOn();
  writer->Write();
  return writer->GetOutputString();
}

/// Collects VTK's error messages in a text instead of printing them, during its lifetime.
class Listener {
 public:
  Listener() : before_(vtkOutputWindow::GetInstance()), verbosity_(vtkLogger::GetCurrentVerbosityCutoff()) {
    vtkOutputWindow::SetInstance(window_);
    vtkLogger::SetStderrVerbosity(vtkLogger::VERBOSITY_OFF);
  }
  ~Listener() {
    vtkOutputWindow::SetInstance(before_);
    vtkLogger::SetStderrVerbosity(verbosity_);
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  /// In one line, without the place in VTK's sources.
  std::string heard() const {
    const std::string all = window_->GetOutput();
    std::size_t at = all.find("): ");
    at = at == std::string::npos ? 0 : at + 3;
    std::string text = all.substr(at, all.find('\n', at) - at);
    if (text.starts_with("* ")) {  // position in a JSON text; the message is in the next line
      const std::size_t next = at + text.size();
      text = text.substr(2) + ":" + all.substr(next + 2, all.find('\n', next + 1) - next - 2);
    }
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.pop_back();
    return text;
  }

 private:
  vtkSmartPointer<vtkOutputWindow> before_;
  vtkLogger::Verbosity verbosity_;
  vtkNew<vtkStringOutputWindow> window_;
};

vtkSmartPointer<vtkPolyData> poly_data_of(const TriangleMesh& mesh) {
  auto data = vtkSmartPointer<vtkPolyData>::New();
  vtkNew<vtkPoints> points;
  points->SetDataTypeToDouble();
  for (const Vec3& x : mesh.points) points->InsertNextPoint(x.data());
  vtkNew<vtkCellArray> cells;
  for (const auto& [a, b, c] : mesh.triangles) {
    const std::array<vtkIdType, 3> corners{a, b, c};
    cells->InsertNextCell(3, corners.data());
  }
  data->SetPoints(points);
  data->SetPolys(cells);
  return data;
}

/// Its triangles; all other cells are divided into triangles, or left out.
TriangleMesh mesh_of(vtkPolyData* data) {
  vtkNew<vtkTriangleFilter> cutter;
  cutter->SetInputData(data);
  cutter->PassVertsOff();
  cutter->PassLinesOff();
  cutter->Update();
  vtkPolyData* const cut = cutter->GetOutput();
  TriangleMesh mesh;
  for (vtkIdType k = 0; k < cut->GetNumberOfPoints(); ++k) mesh.points.emplace_back(cut->GetPoint(k));
  vtkNew<vtkIdList> corners;
  for (vtkIdType k = 0; k < cut->GetNumberOfCells(); ++k) {
    cut->GetCellPoints(k, corners);
    if (corners->GetNumberOfIds() != 3) continue;
    mesh.triangles.push_back({static_cast<std::int32_t>(corners->GetId(0)),
                              static_cast<std::int32_t>(corners->GetId(1)),
                              static_cast<std::int32_t>(corners->GetId(2))});
  }
  return mesh;
}

/// The surfaces of all data sets from a reader, as one.
vtkSmartPointer<vtkPolyData> surface_of(vtkDataObject* data) {
  vtkNew<vtkAppendPolyData> all;
  all->SetOutputPointsPrecision(vtkAlgorithm::DOUBLE_PRECISION);
  const auto add = [&](vtkDataObject* part) {
    if (auto* const surface = vtkPolyData::SafeDownCast(part)) {
      all->AddInputData(surface);
    } else if (auto* const cells = vtkDataSet::SafeDownCast(part)) {
      vtkNew<vtkGeometryFilter> skin;
      skin->SetInputData(cells);
      skin->Update();
      all->AddInputData(skin->GetOutput());
    }
  };
  if (auto* const parts = vtkCompositeDataSet::SafeDownCast(data)) {
    const auto walk = vtkSmartPointer<vtkCompositeDataIterator>::Take(parts->NewIterator());
    for (walk->InitTraversal(); !walk->IsDoneWithTraversal(); walk->GoToNextItem())
      add(walk->GetCurrentDataObject());
  } else {
    add(data);
  }
  if (all->GetNumberOfInputConnections(0) == 0) return vtkSmartPointer<vtkPolyData>::New();
  all->Update();
  return all->GetOutput();
}

template <class Reader>
vtkSmartPointer<vtkDataObject> read(const std::string& path) {
  vtkNew<Reader> reader;
  reader->SetFileName(path.c_str());
  reader->Update();
  return reader->GetOutputDataObject(0);
}

class Module final : public VtkModule {
 public:
  std::string write(const VtkPolyData& of) const override {
    vtkNew<vtkPolyData> data;
    data->SetPoints(points_of(of.points));
    vtkNew<vtkCellArray> cells;
    const auto list = [](std::span<const std::int32_t> values) {
      return borrowed<vtkTypeInt32Array, vtkTypeInt32>(values.data(), values.size(), 1);
    };
    cells->SetData(list(of.offsets).Get(), list(of.connectivity).Get());
    switch (of.kind) {
      case VtkPolyData::Kind::points:
        data->SetVerts(cells);
        break;
      case VtkPolyData::Kind::lines:
        data->SetLines(cells);
        break;
      case VtkPolyData::Kind::polygons:
        data->SetPolys(cells);
        break;
    }
    if (!of.normals.empty()) {
      const auto normals = array_of(of.normals);
      normals->SetName("Normals");
      data->GetPointData()->SetNormals(normals);
    }
    add(data->GetPointData(), of.point_data);
    add(data->GetCellData(), of.cell_data);
    return written<vtkXMLPolyDataWriter>(data.Get());
  }

  std::string write_image(const VtkGrid& grid, const VtkArrays& cell_data) const override {
    vtkNew<vtkImageData> data;
    data->SetDimensions(points_along(grid, 0), points_along(grid, 1), points_along(grid, 2));
    data->SetOrigin(grid.low.data());
    const Eigen::Vector3d spacing = grid.edges.diagonal();
    data->SetSpacing(spacing.data());
    add(data->GetCellData(), cell_data);
    return written<vtkXMLImageDataWriter>(data.Get());
  }

  std::string write_structured_grid(const VtkGrid& grid, const VtkArrays& cell_data) const override {
    std::vector<Eigen::Vector3f> corners;
    for (std::size_t k = 0; k <= grid.count[2]; ++k)
      for (std::size_t j = 0; j <= grid.count[1]; ++j)
        for (std::size_t i = 0; i <= grid.count[0]; ++i)
          corners.push_back(
              (grid.low + grid.edges * Eigen::Vector3d(static_cast<double>(i), static_cast<double>(j),
                                                       static_cast<double>(k)))
                  .cast<float>());
    vtkNew<vtkStructuredGrid> data;
    data->SetDimensions(points_along(grid, 0), points_along(grid, 1), points_along(grid, 2));
    data->SetPoints(points_of(corners));
    add(data->GetCellData(), cell_data);
    return written<vtkXMLStructuredGridWriter>(data.Get());
  }

  std::string write_mesh(const TriangleMesh& mesh, const VtkArrays& cell_data) const override {
    const vtkSmartPointer<vtkPolyData> data = poly_data_of(mesh);
    add(data->GetCellData(), cell_data);
    return written<vtkXMLPolyDataWriter>(data.Get());
  }

  /// As ParaView's own writer does, which VTK does not have.
  std::string write_collection(std::span<const std::pair<double, std::string>> files) const override {
    vtkNew<vtkXMLDataElement> root, collection;
    root->SetName("VTKFile");
    root->SetAttribute("type", "Collection");
    root->SetAttribute("version", "1.0");
    root->SetAttribute("byte_order", "LittleEndian");
    collection->SetName("Collection");
    root->AddNestedElement(collection);
    for (const auto& [time, file] : files) {
      vtkNew<vtkXMLDataElement> entry;
      entry->SetName("DataSet");
      // To the last digit: VTK's own format drops digits after the eleventh.
      std::array<char, 32> digits{};
      std::to_chars(digits.data(), digits.data() + digits.size() - 1, time);
      entry->SetAttribute("timestep", digits.data());
      entry->SetAttribute("group", "");
      entry->SetAttribute("part", "0");
      entry->SetAttribute("file", file.c_str());
      collection->AddNestedElement(entry);
    }
    std::ostringstream text;
    root->PrintXML(text, vtkIndent());
    return "<?xml version=\"1.0\"?>\n" + text.str();
  }

  TriangleMesh read_surface(const std::string& path, const std::string& ending,
                            std::string& problem) const override {
    const Listener listener;
    vtkSmartPointer<vtkDataObject> data;
    if (ending == ".vtp")
      data = read<vtkXMLPolyDataReader>(path);
    else if (ending == ".vtu")
      data = read<vtkXMLUnstructuredGridReader>(path);
    else if (ending == ".vtk")
      data = read<vtkGenericDataObjectReader>(path);
    else
      data = read<vtkGLTFReader>(path);
    problem = listener.heard();
    if (!problem.empty() || data == nullptr) return {};
    return mesh_of(surface_of(data));
  }

  TriangleMesh fill_holes(const TriangleMesh& mesh, double radius) const override {
    vtkNew<vtkFillHolesFilter> filler;
    filler->SetInputData(poly_data_of(mesh));
    filler->SetHoleSize(radius);
    filler->Update();
    return mesh_of(filler->GetOutput());
  }

  TriangleMesh decimate(const TriangleMesh& mesh, std::size_t triangles) const override {
    if (mesh.triangles.size() <= triangles) return mesh;
    vtkNew<vtkQuadricDecimation> decimation;
    decimation->SetInputData(poly_data_of(mesh));
    decimation->SetTargetReduction(1.0 - static_cast<double>(triangles) /
                                             static_cast<double>(mesh.triangles.size()));
    decimation->VolumePreservationOn();
    decimation->Update();
    return mesh_of(decimation->GetOutput());
  }

 private:
  static int points_along(const VtkGrid& grid, std::size_t axis) {
    return static_cast<int>(grid.count[axis]) + 1;
  }
};

}  // namespace

}  // namespace scree::io

extern "C" __attribute__((visibility("default"))) const scree::io::VtkModule* scree_vtk_module() {
  static const scree::io::Module module;
  return &module;
}
