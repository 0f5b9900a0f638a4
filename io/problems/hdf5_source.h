// An HDF5 file of a problem. Errors name the file and the dataset.
#pragma once

#include <cmath>
#include <filesystem>
#include <fmt/format.h>

#include "io/files/hdf5_file.h"

namespace scree::io {

/// Upper limit for all numbers of a problem, in their units: solvers store some in single precision.
inline constexpr double largest_number = 1e30;

/// Throws InputError for `key` of the file: `problem`.
[[noreturn]] void fail(const std::string& path, const std::string& key, const std::string& problem);

/// Its members throw InputError if data are missing, have another shape or are not finite.
class Source {
 public:
  explicit Source(const std::filesystem::path& path);
  /// Reads from another source.
  Source(hdf5::File file, std::string path) : path_(std::move(path)), file_(std::move(file)) {}

  const std::string& path() const { return path_; }
  bool has_attribute(const std::string& name) const;
  /// A dataset or group by its full path, "/a/b".
  bool has(const std::string& name) const;

  /// Attributes of the root.
  double number(const std::string& name) const;
  std::string text(const std::string& name) const;

  /// Number of values of a dataset.
  std::uint64_t values(const std::string& name) const;
  /// A dataset that is one text.
  std::string text_dataset(const std::string& name) const;
  /// Values of a dataset [rows, ...] with `width` numbers per row.
  template <class T>
  std::vector<T> rows(const std::string& name, std::uint64_t width) const;

 private:
  /// Converts an HDF5 error into a fault of `key`.
  template <class F>
  auto attempt(const std::string& key, F&& read) const try {
    return read();
  } catch (const hdf5::Error& error) {
    const std::string problem = error.what(), name = key + ": ";
    fail(path_, key, problem.starts_with(name) ? problem.substr(name.size()) : problem);
  }

  std::string path_;
  hdf5::File file_;
};

template <class T>
std::vector<T> Source::rows(const std::string& name, std::uint64_t width) const {
  const std::vector<T> values =
      attempt(name, [&] { return file_.read_wide<T>(name, 0, file_.rows(name), width); });
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!(std::abs(static_cast<double>(values[k])) <= largest_number))
      fail(path_, name, fmt::format("must have finite numbers, but row {} has {}", k / width, values[k]));
  }
  return values;
}

}  // namespace scree::io
