// An HDF5 file that a problem is read from. What is wrong is told with the file and the name of what is read.
#pragma once

#include <cmath>
#include <filesystem>

#include "io/files/hdf5_objects.h"

namespace scree::io {

/// Throws InputError: `key` of the file `problem`.
[[noreturn]] void fail(const std::string& path, const std::string& key, const std::string& problem);

/// Its functions throw InputError if something is missing, of another shape or not finite.
class Source {
 public:
  explicit Source(const std::filesystem::path& path);

  const std::string& path() const { return path_; }
  bool has_attribute(const std::string& name) const;
  /// A dataset or group by its whole path, "/a/b".
  bool has(const std::string& name) const;

  /// Attributes of the root.
  double number(const std::string& name) const;
  std::string text(const std::string& name) const;

  /// A dataset that is one text.
  std::string text_dataset(const std::string& name) const;
  /// Values of a dataset [rows, ...] with `width` numbers a row.
  template <class T>
  std::vector<T> rows(const std::string& name, hsize_t width) const;

 private:
  /// HDF5's own words would say less to whoever reads this: `problem` is what is told.
  template <class F>
  void attempt(const std::string& key, const char* problem, F&& read) const try {
    read();
  } catch (const hdf5::Error&) {
    fail(path_, key, problem);
  }
  template <class F>
  void read_attribute(const std::string& name, const char* problem, F&& read) const;
  /// Opens a dataset and gives the number of its values.
  hdf5::Handle open(const std::string& name, hsize_t width, hsize_t& values) const;

  std::string path_;
  hdf5::Handle file_;
};

template <class T>
std::vector<T> Source::rows(const std::string& name, hsize_t width) const {
  hsize_t count = 0;
  const hdf5::Handle dataset = open(name, width, count);
  std::vector<T> values(count);
  if (values.empty()) return values;
  attempt(name, "cannot be read as numbers", [&] {
    const std::vector<hsize_t> dims = hdf5::dimensions(dataset);
    hdf5::read_box(dataset, hdf5::native_type<T>(), {std::vector<hsize_t>(dims.size(), 0), dims},
                   values.data());
  });
  for (const T value : values) {
    if (!std::isfinite(static_cast<double>(value))) fail(path_, name, "must hold finite numbers");
  }
  return values;
}

}  // namespace scree::io
