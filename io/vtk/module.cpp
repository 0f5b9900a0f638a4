// The module itself: the one file of the program that VTK's headers are read in.
#include "io/vtk/module.h"

#include <sstream>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkFloatArray.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPolyData.h>
#include <vtkStructuredGrid.h>
#include <vtkTypeInt32Array.h>
#include <vtkTypeInt64Array.h>
#include <vtkXMLDataElement.h>
#include <vtkXMLImageDataWriter.h>
#include <vtkXMLPolyDataWriter.h>
#include <vtkXMLStructuredGridWriter.h>

namespace scree::io {

namespace {

constexpr std::size_t block_size = std::size_t{1} << 20;  // bytes that are compressed together

/// The numbers stay where they are.
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

/// Inline base64: readers fail on what is appended (docs/paraview.md).
template <class Writer, class Data>
std::string written(Data* data) {
  vtkNew<Writer> writer;
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

  /// As ParaView's own writer does it, which VTK has not.
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
      entry->SetDoubleAttribute("timestep", time);
      entry->SetAttribute("group", "");
      entry->SetAttribute("part", "0");
      entry->SetAttribute("file", file.c_str());
      collection->AddNestedElement(entry);
    }
    std::ostringstream text;
    root->PrintXML(text, vtkIndent());
    return "<?xml version=\"1.0\"?>\n" + text.str();
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
