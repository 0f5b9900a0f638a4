// What is asked of an HDF5 file, and who answers. HDF5's own types do not come here.
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

/// What is at a place.
struct Content {
  enum class Kind : std::uint8_t { nothing, group, array };
  enum class Values : std::uint8_t { others, whole_numbers, numbers, texts };
  Kind kind = Kind::nothing;
  Values values = Values::others;
  std::vector<std::uint64_t> dims;  // empty of a single value
};
inline constexpr std::size_t most_dimensions = 8;

/// Types that numbers are read as.
enum class Element : std::uint8_t { float32, float64, int32, int64 };
constexpr std::size_t size_of(Element e) { return e == Element::float32 || e == Element::int32 ? 4 : 8; }

/// A part of an array, in its own order; of the array's rank.
struct Box {
  std::vector<std::uint64_t> start, count;
};

/// Answers for one file. All throw Error; what they answer fits the question, whatever the file holds.
class ContentSource {
 public:
  virtual ~ContentSource() = default;
  virtual Content look(const Place& place) = 0;
  /// Numbers of a box of an array. `room` is asked for that many bytes when it is known that the file holds
  /// them.
  using Room = std::function<std::span<std::byte>(std::uint64_t bytes)>;
  virtual void read(const Place& place, const Box& box, Element element, const Room& room) = 0;
  /// All texts of an array.
  virtual std::vector<std::string> texts(const Place& place) = 0;
};

}  // namespace scree::io::hdf5
