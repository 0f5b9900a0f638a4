// Reading an HDF5 file: kind, shape and columns are checked before a value is read.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "engine/core/types.h"
#include "io/files/hdf5_content.h"

namespace scree::io::hdf5 {

/// The type of the numbers in a T, which are tightly packed: a number, or an array or a vector.
template <class T>
struct Packed {
  using Number = typename T::value_type;
};
template <>
struct Packed<float> {
  using Number = float;
};
template <>
struct Packed<double> {
  using Number = double;
};
template <>
struct Packed<std::int32_t> {
  using Number = std::int32_t;
};
template <>
struct Packed<std::int64_t> {
  using Number = std::int64_t;
};

template <class Number>
constexpr Element element_of() {
  if constexpr (std::is_same_v<Number, float>) return Element::float32;
  if constexpr (std::is_same_v<Number, double>) return Element::float64;
  if constexpr (std::is_same_v<Number, std::int32_t>) return Element::int32;
  if constexpr (std::is_same_v<Number, std::int64_t>) return Element::int64;
}

/// All members throw Error "<place>: <problem>". Results have exactly the requested size, and integers are
/// read only from integers.
class File {
 public:
  /// No file.
  File() = default;
  /// Reads in a separate process, also while another program writes the file.
  explicit File(const std::filesystem::path& path);
  /// Reads from another source.
  explicit File(std::unique_ptr<ContentSource> source) : source_(std::move(source)) {}

  explicit operator bool() const { return source_ != nullptr; }

  bool has(const std::string& path) const;
  bool has_attribute(const std::string& path, const std::string& name) const;
  std::string text_attribute(const std::string& path, const std::string& name) const;
  double number_attribute(const std::string& path, const std::string& name) const;  // finite
  Vec3 vector_attribute(const std::string& path, const std::string& name) const;    // finite

  /// Dimensions of an array that must exist.
  std::vector<std::uint64_t> dimensions(const std::string& path) const;
  /// Number of rows of an array with at least one dimension.
  std::uint64_t rows(const std::string& path) const;
  std::vector<std::string> texts(const std::string& path) const;

  /// Rows [first, first + n) of an array [rows, ...] whose rows have the numbers of a T.
  template <class T>
  std::vector<T> read(const std::string& path, std::uint64_t first, std::uint64_t n) const {
    std::vector<T> values;
    read_rows(path, first, n, element_of<typename Packed<T>::Number>(), numbers_in<T>, room(values));
    return values;
  }
  template <class T>
  std::vector<T> read(const std::string& path) const {
    return read<T>(path, 0, rows(path));
  }
  /// The same for rows with `width` numbers each, one after the other.
  template <class Number>
  std::vector<Number> read_wide(const std::string& path, std::uint64_t first, std::uint64_t n,
                                std::uint64_t width) const {
    std::vector<Number> values;
    read_rows(path, first, n, element_of<Number>(), width, [&](std::uint64_t rows) {
      values.resize(rows * width);
      return std::as_writable_bytes(std::span(values));
    });
    return values;
  }

 private:
  using Room = std::function<std::span<std::byte>(std::uint64_t rows)>;

  template <class T>
  static constexpr std::uint64_t numbers_in = sizeof(T) / sizeof(typename Packed<T>::Number);
  template <class T>
  static Room room(std::vector<T>& values) {
    return [&values](std::uint64_t rows) {
      values.resize(rows);
      return std::as_writable_bytes(std::span(values));
    };
  }

  Content array(const Place& place) const;
  void read_rows(const std::string& path, std::uint64_t first, std::uint64_t n, Element element,
                 std::uint64_t width, const Room& room) const;
  std::vector<double> numbers_attribute(const std::string& path, const std::string& name,
                                        std::size_t n) const;

  std::unique_ptr<ContentSource> source_;
};

}  // namespace scree::io::hdf5
