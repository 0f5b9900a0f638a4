#include "io/scene/body_table.h"

#include <cmath>
#include <fmt/format.h>

#include "io/files/file_errors.h"
#include "io/files/hdf5_file.h"
#include "io/files/input_file.h"
#include "io/results/trajectory_reader.h"
#include "io/scene/table_values.h"
#include "io/scene/validate.h"

namespace scree::io {

namespace {

std::vector<Vec3> to_vectors(const std::vector<double>& values) {
  std::vector<Vec3> vectors(values.size() / 3);
  for (std::size_t i = 0; i < vectors.size(); ++i)
    vectors[i] = Vec3(values[3 * i], values[3 * i + 1], values[3 * i + 2]);
  return vectors;
}

void judge_row(const TableValues& table, std::size_t group, std::size_t row, ValueFaults& faults) {
  const std::vector<double>& values = table.values[group];
  if (values.empty()) return;
  const std::size_t width = column_groups[group].width;
  double norm2 = 0.0;
  for (std::size_t column = 0; column < width; ++column) {
    const double x = values[row * width + column];
    norm2 += x * x;
    const bool positive = (group != semi_axes_group && group != radius_group) || x > 0.0;
    if (std::isfinite(x) && positive) continue;
    Fault fault = table.fault_at(group, row, column);
    fault.problem = std::isfinite(x) ? "is out of range" : "must be a finite number";
    if (!positive) fault.allowed = "> 0";
    faults.add(fault);
  }
  if (group != orientation_group || !std::isfinite(norm2)) return;
  if (std::abs(std::sqrt(norm2) - 1.0) <= quaternion_norm_tolerance) return;
  Fault fault = table.fault_at(group, row, 0);
  fault.key_path = table.lines.empty() ? fmt::format("orientation[{}]", row) : "qw, qx, qy, qz";
  fault.problem = fmt::format("is not a unit quaternion: its norm is {:.6g}", std::sqrt(norm2));
  fault.value.clear();
  fault.allowed = fmt::format("norm 1 within {}", quaternion_norm_tolerance);
  faults.add(fault);
}

/// The group "frames" distinguishes a trajectory from other HDF5 files.
bool is_trajectory(const std::filesystem::path& file) try {
  const std::string ending = file.extension().string();
  return (ending == ".h5" || ending == ".hdf5") && hdf5::File(file).has("frames");
} catch (const hdf5::Error&) {
  return false;
}

/// The last frame of a run.
BodyTable trajectory_table(const std::filesystem::path& file, const std::string& shown, TableFaults& faults) {
  BodyTable table;
  Fault fault;
  fault.where.file = shown;
  try {
    const TrajectoryReader reader(file);
    if (reader.frames() == 0) {
      fault.problem = "has no frame yet";
      faults.faults.push_back(fault);
      return {};
    }
    const RecordedRun& run = reader.run();
    const Bodies bodies = reader.bodies(reader.frames() - 1);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      if (description(run.model.shapes, bodies.shape[i]).kind != ShapeKind::ellipsoid) {
        fault.problem = "has bodies of [[shapes]], which a table cannot contain";
        fault.suggestion = "to start with the bodies of another run, add --restart-from FOLDER";
        faults.faults.push_back(fault);
        return {};
      }
      table.position.push_back(run.origin + bodies.position[i]);
      table.orientation.push_back(bodies.orientation[i]);
      table.velocity.push_back(bodies.linear_velocity[i]);
      table.angular_velocity.push_back(bodies.angular_velocity[i]);
      table.semi_axes.push_back(enclosing_ellipsoid(run.model.shapes, bodies.shape[i]).semi_axes);
      table.material.push_back(run.model.materials.name(bodies.material[i]));
    }
    if (table.size() > 0) return table;
    fault.problem = "has no bodies in its last frame";
  } catch (const ReadError& error) {
    fault.problem = error.what();
  }
  faults.faults.push_back(fault);
  return {};
}

}  // namespace

ValueFaults::~ValueFaults() {
  if (count_ <= max_faults_of_a_table) return;
  Fault rest = faults_.back();  // keeps the location, so that it is listed after the others
  rest.key_path.clear();
  rest.value.clear();
  rest.unit.clear();
  rest.allowed.clear();
  rest.problem = fmt::format("and {} more faulty values in this table", count_ - max_faults_of_a_table);
  faults_.push_back(rest);
}

void ValueFaults::add(const Fault& fault) {
  if (++count_ <= max_faults_of_a_table) faults_.push_back(fault);
}

std::string table_problem(const std::filesystem::path& file) {
  std::error_code error;
  return std::filesystem::is_regular_file(file, error)
             ? ""
             : "does not exist; the path is relative to the folder of the scene";
}

BodyTable read_body_table(const std::filesystem::path& file, const std::string& shown, TableFaults& faults) {
  if (is_trajectory(file)) return trajectory_table(file, shown, faults);
  const std::string ending = file.extension().string();
  if (ending == ".csv") return judged_table(read_csv(file, shown, faults), shown, faults);
  if (ending == ".h5" || ending == ".hdf5")
    return judged_table(read_hdf5(file, shown, faults), shown, faults);
  Fault fault;
  fault.where.file = shown;
  if (const std::optional<std::string> text = read_bytes(file, fault.problem, most_text_bytes))
    return judged_table(read_particles(*text, shown, faults), shown, faults);
  faults.faults.push_back(std::move(fault));
  return {};
}

BodyTable judged_table(const TableValues& values, const std::string& shown, TableFaults& faults) {
  const std::size_t before = faults.faults.size();
  {
    ValueFaults value_faults(faults.faults);
    for (std::size_t row = 0; row < values.rows; ++row) {
      for (std::size_t group = 0; group < column_groups.size(); ++group) {
        judge_row(values, group, row, value_faults);
      }
    }
  }
  if (!values.values[semi_axes_group].empty() && !values.values[radius_group].empty()) {
    Fault both;
    both.where.file = shown;
    both.problem = "has both semi-axes (a, b, c) and a radius; remove one of them";
    faults.faults.push_back(both);
  }
  if (values.rows == 0 || faults.faults.size() > before) return {};
  BodyTable table;
  table.position = to_vectors(values.values[position_group]);
  table.semi_axes = to_vectors(values.values[semi_axes_group]);
  table.velocity = to_vectors(values.values[velocity_group]);
  table.angular_velocity = to_vectors(values.values[angular_group]);
  const std::vector<double>& q = values.values[orientation_group];
  table.orientation.resize(values.rows, Quat::Identity());
  for (std::size_t i = 0; i < q.size() / 4; ++i) {
    table.orientation[i] = Quat(q[4 * i], q[4 * i + 1], q[4 * i + 2], q[4 * i + 3]).normalized();
  }
  for (const double r : values.values[radius_group]) table.semi_axes.push_back(Vec3::Constant(r));
  table.material = values.material;
  table.lines = values.lines;
  table.may_ignore_materials = values.may_ignore_materials;
  return table;
}

}  // namespace scree::io
