// The interface of reading HDF5 files, without HDF5's own types.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "io/files/hdf5_error.h"

namespace scree::io::hdf5 {

/// A dataset or group, or an attribute of it.
struct Place {
  std::string path;            // "frames/time", from the root
  std::string attribute = {};  // of the object at `path`; empty for the object itself

  std::string name() const {
    return attribute.empty() ? path : path.empty() ? attribute : path + '.' + attribute;
  }
  auto operator<=>(const Place&) const = default;
};

/// The content of a place.
struct Content {
  enum class Kind : std::uint8_t { nothing, group, array };
  enum class Values : std::uint8_t { others, whole_numbers, numbers, texts };
  Kind kind = Kind::nothing;
  Values values = Values::others;
  std::vector<std::uint64_t> dims;  // empty for a single value
};
inline constexpr std::size_t most_dimensions = 8;

/// Types for reading numbers.
enum class Element : std::uint8_t { float32, float64, int32, int64 };
constexpr std::size_t size_of(Element e) { return e == Element::float32 || e == Element::int32 ? 4 : 8; }

/// A part of an array, in index order; with the array's number of dimensions.
struct Box {
  std::vector<std::uint64_t> start, count;
};

/// Reads one file. All members throw Error; their results fit the request, whatever the file contains.
class ContentSource {
 public:
  virtual ~ContentSource() = default;
  virtual Content look(const Place& place) = 0;
  /// Reads the numbers of a box of an array. `room` is called with the number of bytes once it is known that
  /// the file contains them.
  using Room = std::function<std::span<std::byte>(std::uint64_t bytes)>;
  virtual void read(const Place& place, const Box& box, Element element, const Room& room) = 0;
  /// All texts of an array.
  virtual std::vector<std::string> texts(const Place& place) = 0;
};

}  // namespace scree::io::hdf5
