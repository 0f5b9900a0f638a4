// FCLib's local form, in the layout of its fclib_write_local() and fclib_write_solution(), W in compressed
// rows.
#include <fmt/format.h>

#include "io/files/hdf5_objects.h"
#include "io/problems/problem_parts.h"

namespace scree::io {

namespace {

/// The scalar rows of W.
struct CompressedRows {
  std::vector<std::int32_t> begin{0}, column;
  std::vector<double> value;
};

CompressedRows compressed_rows(const DelassusProblem& p) {
  CompressedRows rows;
  for (std::size_t c = 0; c < p.contacts(); ++c) {
    for (int i = 0; i < 3; ++i) {
      for (auto k = static_cast<std::size_t>(p.row[c]); k < static_cast<std::size_t>(p.row[c + 1]); ++k) {
        for (int j = 0; j < 3; ++j) {
          rows.column.push_back(3 * p.column[k] + j);
          rows.value.push_back(p.block[k](i, j));
        }
      }
      rows.begin.push_back(static_cast<std::int32_t>(rows.column.size()));
    }
  }
  return rows;
}

std::vector<double> stacked(const std::vector<Vec3>& v) {
  std::vector<double> values;
  for (const Vec3& x : v) values.insert(values.end(), x.begin(), x.end());
  return values;
}

/// In the style of FCLib's datasets: no attributes, no chunks.
void write_dataset(const hdf5::Handle& group, const std::string& name, hid_t type, const hdf5::Handle& space,
                   const void* data) {
  const hdf5::Handle dataset(
      H5Dcreate2(group.get(), name.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Dclose, name);
  hdf5::check(H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), name);
}

template <class T>
void write_values(const hdf5::Handle& group, const std::string& name, const std::vector<T>& values) {
  const hsize_t size = values.size();
  const hdf5::Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose, name);
  write_dataset(group, name, hdf5::native_type<T>(), space, values.data());
}

void write_number(const hdf5::Handle& group, const std::string& name, std::size_t value) {
  write_values(group, name, std::vector{static_cast<std::int32_t>(value)});
}

/// Writes a text of fixed length, which FCLib reads.
void write_text(const hdf5::Handle& group, const std::string& name, const std::string& text) {
  const hdf5::Handle type(H5Tcopy(H5T_C_S1), H5Tclose, name), space(H5Screate(H5S_SCALAR), H5Sclose, name);
  hdf5::check(H5Tset_size(type.get(), text.size() + 1), name);
  write_dataset(group, name, type.get(), space, text.c_str());
}

void write_matrix(const hdf5::Handle& local, const DelassusProblem& p) {
  const CompressedRows w = compressed_rows(p);
  const hdf5::Handle group = hdf5::create_group(local.get(), "W");
  write_number(group, "nzmax", w.value.size());
  write_number(group, "m", 3 * p.contacts());
  write_number(group, "n", 3 * p.contacts());
  write_values(group, "nz", std::vector<std::int32_t>{-2});
  write_values(group, "p", w.begin);
  write_values(group, "i", w.column);
  write_values(group, "x", w.value);
}

void write_file(const std::filesystem::path& path, const DelassusProblem& p, const DelassusSolution& solution,
                const std::string& title) {
  hdf5::Handle file = hdf5::create_file(path.string());
  {
    const hdf5::Handle local = hdf5::create_group(file.get(), "fclib_local");
    write_number(local, "spacedim", 3);
    write_matrix(local, p);
    const hdf5::Handle vectors = hdf5::create_group(local.get(), "vectors");
    write_values(vectors, "q", stacked(p.q));
    write_values(vectors, "mu", p.friction);
    const hdf5::Handle info = hdf5::create_group(local.get(), "info");
    write_text(info, "title", title);
    write_text(info, "description", "written by Scree: impulses in N s, velocities in m/s");
    write_text(info, "math_info", "");
    const hdf5::Handle known = hdf5::create_group(file.get(), "solution");
    write_values(known, "u", stacked(solution.velocity));
    write_values(known, "r", stacked(solution.impulse));
  }
  file.close("closing " + path.string());
}

}  // namespace

void write_fclib_problem(const std::filesystem::path& path, const DelassusProblem& problem,
                         const DelassusSolution& solution, const std::string& title) {
  write_whole(path, [&](const std::filesystem::path& part) { write_file(part, problem, solution, title); });
}

}  // namespace scree::io
