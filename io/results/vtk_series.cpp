#include "io/results/vtk_series.h"

#include <fmt/format.h>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkFloatArray.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkSmartPointer.h>
#include <vtkTypeInt32Array.h>
#include <vtkTypeInt64Array.h>

#include "io/results/body_fields.h"
#include "io/results/text_file.h"
#include "io/results/vtk_collection.h"
#include "io/results/vtk_write.h"
#include "io/results/write_error.h"

namespace scree::io {

namespace {

/// A VTK array that looks at `data` without owning it: it must not outlive the frame.
template <class Array, class T>
vtkSmartPointer<Array> borrow(const char* name, int components, const T* data, std::size_t tuples) {
  auto array = vtkSmartPointer<Array>::New();
  array->SetName(name);
  array->SetNumberOfComponents(components);
  // VTK has no read-only arrays; nothing writes to this one.
  auto* values =
      const_cast<typename Array::ValueType*>(reinterpret_cast<const typename Array::ValueType*>(data));
  array->SetArray(values, static_cast<vtkIdType>(tuples) * components, 1);
  return array;
}

vtkSmartPointer<vtkFloatArray> borrow_vectors(const char* name, const std::vector<Vec3f>& values) {
  return borrow<vtkFloatArray>(name, 3, values.data(), values.size());
}

vtkSmartPointer<vtkFloatArray> lengths(const char* name, const std::vector<Vec3f>& values) {
  auto array = vtkSmartPointer<vtkFloatArray>::New();
  array->SetName(name);
  array->SetNumberOfTuples(static_cast<vtkIdType>(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i)
    array->SetValue(static_cast<vtkIdType>(i), values[i].norm());
  return array;
}

/// One cell that holds all points: a fraction of the size of a cell a point.
vtkSmartPointer<vtkPolyData> cloud(const std::vector<Vec3f>& positions) {
  const auto n = static_cast<vtkIdType>(positions.size());
  vtkNew<vtkPoints> points;
  points->SetData(borrow_vectors("position", positions));
  vtkNew<vtkCellArray> vertices;
  vertices->Use32BitStorage();
  if (n > 0) {
    vertices->InsertNextCell(static_cast<int>(n));
    for (vtkIdType i = 0; i < n; ++i) vertices->InsertCellPoint(i);
  }
  auto data = vtkSmartPointer<vtkPolyData>::New();
  data->SetPoints(points);
  data->SetVerts(vertices);
  return data;
}

}  // namespace

struct VtkSeries::Parts {
  RunFolder folder;
  bool with_contacts;
  std::vector<std::string> field_names;
  // Constants, repeated in every frame: ParaView reads each file alone.
  std::shared_ptr<const BodyConstants> constants;
  std::vector<Vec3f> radii;  // [body], m
  std::int64_t frames = 0;
  std::vector<std::pair<double, std::string>> body_files, contact_files;
};

VtkSeries::VtkSeries(const RunFolder& folder, const Scene& scene)
    : parts_(std::make_unique<Parts>(
          Parts{folder, scene.output.contacts, scene.output.fields, nullptr, {}, 0, {}, {}})) {
  std::error_code error;
  std::filesystem::create_directories(folder.vtk(), error);
  if (error) throw WriteError(fmt::format("cannot write {}: {}", folder.vtk().string(), error.message()));
}

VtkSeries::~VtkSeries() = default;
VtkSeries::VtkSeries(VtkSeries&&) noexcept = default;

void VtkSeries::append(const Frame& frame) {
  Parts& p = *parts_;
  const std::size_t n = frame.position.size();
  if (p.constants != frame.constants) {
    p.constants = frame.constants;
    p.radii.clear();
    Shapes shapes;
    for (const ShapeDescription& shape : p.constants->shape)
      p.radii.push_back(enclosing_ellipsoid(shapes, shapes.add(shape)).semi_axes.cast<float>());
  }
  const auto bodies = cloud(frame.position);
  vtkPointData* data = bodies->GetPointData();
  data->AddArray(borrow<vtkFloatArray>("orientation", 4, frame.orientation.data(), n));
  data->AddArray(borrow_vectors("radii", p.radii));
  data->AddArray(borrow_vectors("velocity", frame.velocity));
  data->AddArray(borrow_vectors("angular_velocity", frame.angular_velocity));
  data->AddArray(lengths("speed", frame.velocity));
  data->AddArray(borrow<vtkTypeInt64Array>("id", 1, p.constants->id.data(), n));
  data->AddArray(borrow<vtkTypeInt32Array>("material", 1, p.constants->material.data(), n));
  data->AddArray(borrow<vtkTypeInt32Array>("contacts", 1, frame.contacts_of_body.data(), n));
  for (std::size_t f = 0; f < p.field_names.size(); ++f) {
    data->AddArray(borrow<vtkFloatArray>(p.field_names[f].c_str(), 1, frame.fields[f].data(), n));
  }
  const std::string file = RunFolder::vtk_frame("bodies", p.frames);
  write_vtk(p.folder.path / file, bodies);
  p.body_files.emplace_back(frame.time_s, file);
  write_series(p.folder.bodies_series(), p.body_files);

  if (p.with_contacts && frame.has_contacts) {
    const FrameContacts& c = frame.contacts;
    const std::size_t m = c.point.size();
    const auto ids = [&](const std::vector<std::int32_t>& places) {
      std::vector<std::int32_t> id;
      for (const std::int32_t i : places)
        id.push_back(i >= 0 ? static_cast<std::int32_t>(p.constants->id[static_cast<std::size_t>(i)]) : -1);
      return id;
    };
    const std::vector<std::int32_t> id_a = ids(c.body_a), id_b = ids(c.body_b);
    const auto contacts = cloud(c.point);
    vtkPointData* values = contacts->GetPointData();
    values->AddArray(borrow_vectors("normal", c.normal));
    values->AddArray(borrow_vectors("impulse", c.impulse));
    values->AddArray(lengths("impulse_magnitude", c.impulse));
    values->AddArray(borrow<vtkFloatArray>("gap", 1, c.gap.data(), m));
    values->AddArray(borrow<vtkTypeInt32Array>("body_a", 1, id_a.data(), m));
    values->AddArray(borrow<vtkTypeInt32Array>("body_b", 1, id_b.data(), m));
    values->AddArray(borrow<vtkTypeInt32Array>("boundary", 1, c.boundary.data(), m));
    const std::string contact_file = RunFolder::vtk_frame("contacts", p.frames);
    write_vtk(p.folder.path / contact_file, contacts);
    p.contact_files.emplace_back(frame.time_s, contact_file);
    write_series(p.folder.contacts_series(), p.contact_files);
  }
  ++p.frames;
}

void write_walls(const std::filesystem::path& path, const WallMesh& mesh) {
  std::vector<Vec3f> positions, normals;
  for (const Vec3& x : mesh.point) positions.push_back(x.cast<float>());
  for (const Vec3& n : mesh.normal) normals.push_back(n.cast<float>());
  vtkNew<vtkPoints> points;
  points->SetData(borrow_vectors("position", positions));
  vtkNew<vtkCellArray> polygons;
  for (const std::vector<std::int32_t>& corners : mesh.polygon) {
    polygons->InsertNextCell(static_cast<int>(corners.size()));
    for (const std::int32_t corner : corners) polygons->InsertCellPoint(corner);
  }
  vtkNew<vtkPolyData> data;
  data->SetPoints(points);
  data->SetPolys(polygons);
  data->GetPointData()->SetNormals(borrow_vectors("Normals", normals));
  data->GetCellData()->AddArray(
      borrow<vtkTypeInt32Array>("boundary", 1, mesh.boundary.data(), mesh.boundary.size()));
  // By way of another name: the walls of a run that goes on are replaced at its end.
  const std::filesystem::path temporary = temporary_name(path);
  write_vtk(temporary, data);
  std::error_code error;
  std::filesystem::rename(temporary, path, error);
  if (error) throw WriteError(fmt::format("cannot write {}: {}", path.string(), error.message()));
}

}  // namespace scree::io
