#include "io/files/hdf5_file.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "io/files/hdf5_process.h"

namespace scree::io::hdf5 {

namespace {

/// Puts the name of the requested object before the error text.
template <class F>
auto named(const Place& place, F&& f) try {
  return f();
} catch (const Error& error) {
  throw Error(place.name() + ": " + error.what());
}

bool holds(const Content& content, Content::Values wanted) {
  return content.values == wanted ||
         (wanted == Content::Values::numbers && content.values == Content::Values::whole_numbers);
}

Content::Values wanted_of(Element element) {
  return element == Element::int32 || element == Element::int64 ? Content::Values::whole_numbers
                                                                : Content::Values::numbers;
}

std::uint64_t values_in(const Content& content) {
  std::uint64_t n = 1;
  for (const std::uint64_t d : content.dims) {
    if (__builtin_mul_overflow(n, d, &n)) throw Error("states more values than are possible");
  }
  return n;
}

std::span<std::byte> room_of(std::vector<double>& values, std::uint64_t bytes) {
  const std::span<std::byte> room = std::as_writable_bytes(std::span(values));
  if (room.size() != bytes) throw Error("has another size than it states");
  return room;
}

}  // namespace

File::File(const std::filesystem::path& path) : source_(content_by_process(path)) { source_->look({""}); }

bool File::has(const std::string& path) const {
  return named({path}, [&] { return source_->look({path}).kind != Content::Kind::nothing; });
}

bool File::has_attribute(const std::string& path, const std::string& name) const {
  return named({path, name}, [&] { return source_->look({path, name}).kind != Content::Kind::nothing; });
}

Content File::array(const Place& place) const {
  Content content = source_->look(place);
  if (content.kind == Content::Kind::nothing) throw Error("is missing");
  if (content.kind != Content::Kind::array) throw Error("must be an array");
  return content;
}

std::string File::text_attribute(const std::string& path, const std::string& name) const {
  const Place place{path, name};
  return named(place, [&] {
    const Content content = array(place);
    if (!holds(content, Content::Values::texts) || values_in(content) != 1) throw Error("must be one text");
    const std::vector<std::string> texts = source_->texts(place);
    if (texts.size() != 1) throw Error("must be one text");
    return texts.front();
  });
}

std::vector<double> File::numbers_attribute(const std::string& path, const std::string& name,
                                            std::size_t n) const {
  const Place place{path, name};
  return named(place, [&] {
    const Content content = array(place);
    if (!holds(content, Content::Values::numbers)) throw Error("must be a number");
    if (values_in(content) != n)
      throw Error(fmt::format("must be {} number{}, not {}", n, n == 1 ? "" : "s", values_in(content)));
    std::vector<double> values(n);
    source_->read(place, {std::vector<std::uint64_t>(content.dims.size(), 0), content.dims}, Element::float64,
                  [&](std::uint64_t bytes) { return room_of(values, bytes); });
    if (!std::ranges::all_of(values, [](double v) { return std::isfinite(v); }))
      throw Error("must be finite");
    return values;
  });
}

double File::number_attribute(const std::string& path, const std::string& name) const {
  return numbers_attribute(path, name, 1)[0];
}

Vec3 File::vector_attribute(const std::string& path, const std::string& name) const {
  return Vec3(numbers_attribute(path, name, 3).data());
}

std::vector<std::uint64_t> File::dimensions(const std::string& path) const {
  return named({path}, [&] { return array({path}).dims; });
}

std::uint64_t File::rows(const std::string& path) const {
  return named({path}, [&] {
    const std::vector<std::uint64_t> dims = array({path}).dims;
    if (dims.empty()) throw Error("must have rows, but is a single value");
    return dims[0];
  });
}

std::vector<std::string> File::texts(const std::string& path) const {
  const Place place{path};
  return named(place, [&] {
    const Content content = array(place);
    if (!holds(content, Content::Values::texts)) throw Error("must have texts");
    std::vector<std::string> texts = source_->texts(place);
    if (texts.size() != values_in(content)) throw Error("has fewer texts than it states");
    return texts;
  });
}

void File::read_rows(const std::string& path, std::uint64_t first, std::uint64_t n, Element element,
                     std::uint64_t width, const Room& room) const {
  named({path}, [&] {
    const Content content = array({path});
    if (!holds(content, wanted_of(element)))
      throw Error(wanted_of(element) == Content::Values::whole_numbers ? "must have whole numbers"
                                                                       : "must have numbers");
    Box box{std::vector<std::uint64_t>(content.dims.size(), 0), content.dims};
    if (content.dims.empty()) throw Error("must have rows, but is a single value");
    if (first > content.dims[0] || n > content.dims[0] - first)
      throw Error(
          fmt::format("has {} rows, but rows {} to {} are needed", content.dims[0], first, first + n));
    std::uint64_t in_row = 1;
    for (std::size_t k = 1; k < box.count.size(); ++k) {
      if (__builtin_mul_overflow(in_row, box.count[k], &in_row))
        throw Error("states more values than are possible");
    }
    if (in_row != width) throw Error(fmt::format("must have {} numbers per row, not {}", width, in_row));
    if (n == 0) {
      room(0);
      return;
    }
    box.start[0] = first;
    box.count[0] = n;
    source_->read({path}, box, element, [&](std::uint64_t bytes) {
      const std::span<std::byte> into = room(n);
      if (into.size() != bytes) throw Error("has another size than it states");
      return into;
    });
  });
}

}  // namespace scree::io::hdf5
