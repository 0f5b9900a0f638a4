#include "io/problems/hdf5_source.h"

#include <fmt/format.h>
#include <functional>
#include <numeric>

#include "engine/core/errors.h"

namespace scree::io {

void fail(const std::string& path, const std::string& key, const std::string& problem) {
  throw InputError({{{path, 0, 0}, key, problem, "", "", "", ""}});
}

Source::Source(const std::filesystem::path& path) : path_(path.string()) {
  hdf5::print_no_errors();
  attempt("file", "is not an HDF5 file, or is damaged", [&] { file_ = hdf5::open_file(path_); });
}

bool Source::has_attribute(const std::string& name) const { return H5Aexists(file_.get(), name.c_str()) > 0; }

bool Source::has(const std::string& name) const {
  // HDF5 asks for one link after the other.
  for (std::size_t end = name.find('/', 1);; end = name.find('/', end + 1)) {
    if (!hdf5::has_link(file_.get(), name.substr(0, end))) return false;
    if (end == std::string::npos) return true;
  }
}

template <class F>
void Source::read_attribute(const std::string& name, const char* problem, F&& read) const {
  if (!has_attribute(name)) fail(path_, name, "is missing: the file is not a contact problem of Scree");
  attempt(name, problem, read);
}

double Source::number(const std::string& name) const {
  double value = 0.0;
  read_attribute(name, "must be a number", [&] { value = hdf5::read_number_attribute(file_.get(), name); });
  return value;
}

std::string Source::text(const std::string& name) const {
  std::string value;
  read_attribute(name, "must be a text", [&] { value = hdf5::read_text_attribute(file_.get(), name); });
  return value;
}

std::string Source::text_dataset(const std::string& name) const {
  std::string value;
  attempt(name, "must be a text", [&] { value = hdf5::read_texts(file_.get(), name).at(0); });
  return value;
}

hdf5::Handle Source::open(const std::string& name, hsize_t width, hsize_t& values) const {
  if (!has(name)) fail(path_, name, "is missing");
  hdf5::Handle dataset;
  attempt(name, "must be an array", [&] { dataset = hdf5::open_dataset(file_.get(), name); });
  const std::vector<hsize_t> dims = hdf5::dimensions(dataset);
  if (dims.empty()) fail(path_, name, "must be an array");
  const hsize_t in_row = std::accumulate(dims.begin() + 1, dims.end(), hsize_t{1}, std::multiplies<>());
  if (in_row != width) fail(path_, name, fmt::format("must have {} numbers a row, not {}", width, in_row));
  values = dims[0] * width;
  return dataset;
}

}  // namespace scree::io
