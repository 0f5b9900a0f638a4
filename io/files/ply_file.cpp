#include "io/files/ply_file.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <sstream>

#include "io/files/mesh_file.h"
#include "io/files/polygon.h"

namespace scree::io {

namespace {

struct Property {
  std::string name, type;
  std::string count_type;  // of a list; empty otherwise
};

struct Element {
  std::string name;
  std::int64_t count = 0;
  std::vector<Property> properties;
};

struct Header {
  std::string format;
  std::vector<Element> elements;
  std::size_t end = 0;  // where the numbers begin
};

/// Each row must take bytes: without this the number of rows could be arbitrary.
std::optional<Header> checked(Header header, std::string& problem) {
  if (header.format != "ascii" && header.format != "binary_little_endian" &&
      header.format != "binary_big_endian")
    problem = fmt::format("its format '{}' is not known", header.format);
  for (const Element& element : header.elements) {
    if (element.count < 0 || element.properties.empty())
      problem = fmt::format("its element '{}' has no properties, or a negative number of rows", element.name);
  }
  return problem.empty() ? std::optional(std::move(header)) : std::nullopt;
}

std::optional<Header> read_header(const std::string& bytes, std::string& problem) {
  Header header;
  std::istringstream text(bytes);
  std::string line, word;
  if (!std::getline(text, line) || !line.starts_with("ply")) {
    problem = "it does not begin with ply";
    return {};
  }
  header.end = line.size() + 1;
  while (std::getline(text, line)) {
    header.end = std::min(header.end + line.size() + 1, bytes.size());  // the last line may have no line end
    std::istringstream words(line);
    words >> word;
    if (word == "end_header") return checked(std::move(header), problem);
    if (word == "format") words >> header.format;
    if (word == "element") {
      Element& element = header.elements.emplace_back();
      words >> element.name >> element.count;
    } else if (word == "property" && !header.elements.empty()) {
      Property& property = header.elements.back().properties.emplace_back();
      words >> property.type;
      if (property.type == "list") words >> property.count_type >> property.type;
      words >> property.name;
    }
    if (!words) break;
  }
  problem = "its header is damaged";
  return {};
}

/// The numbers after the header, one after the other.
class Numbers {
 public:
  Numbers(const std::string& bytes, const Header& header)
      : bytes_(bytes), at_(header.end), swapped_(header.format == "binary_big_endian") {
    if (header.format == "ascii") text_.emplace(bytes.substr(header.end));
  }

  /// None after the end, or for an unknown type.
  std::optional<double> next(const std::string& type) {
    if (text_) {
      double x = 0.0;
      return *text_ >> x ? std::optional(x) : std::nullopt;
    }
    if (type == "char" || type == "int8") return binary<std::int8_t>();
    if (type == "uchar" || type == "uint8") return binary<std::uint8_t>();
    if (type == "short" || type == "int16") return binary<std::int16_t>();
    if (type == "ushort" || type == "uint16") return binary<std::uint16_t>();
    if (type == "int" || type == "int32") return binary<std::int32_t>();
    if (type == "uint" || type == "uint32") return binary<std::uint32_t>();
    if (type == "float" || type == "float32") return binary<float>();
    if (type == "double" || type == "float64") return binary<double>();
    return {};
  }

 private:
  template <class T>
  std::optional<double> binary() {
    if (bytes_.size() - at_ < sizeof(T)) return {};
    char part[sizeof(T)];
    std::copy_n(bytes_.data() + at_, sizeof(T), part);
    if (swapped_) std::reverse(part, part + sizeof(T));
    at_ += sizeof(T);
    T x;
    std::memcpy(&x, part, sizeof(T));
    return static_cast<double>(x);
  }

  const std::string& bytes_;
  std::size_t at_;
  bool swapped_;
  std::optional<std::istringstream> text_;
};

static_assert(std::endian::native == std::endian::little, "numbers are swapped for the other order");

}  // namespace

std::optional<std::vector<Vec3>> ply_corners(const std::string& bytes, std::string& problem) {
  const std::optional<Header> header = read_header(bytes, problem);
  if (!header) return {};
  Numbers numbers(bytes, *header);
  std::vector<Vec3> points, corners;
  for (const Element& element : header->elements) {
    for (std::int64_t row = 0; row < element.count; ++row) {
      Vec3 point = Vec3::Constant(infinity);
      for (const Property& property : element.properties) {
        std::optional<double> count = 1.0;
        if (!property.count_type.empty()) count = numbers.next(property.count_type);
        std::vector<double> values;
        for (double k = 0.0; count && k < *count; k += 1.0) {
          const std::optional<double> value = numbers.next(property.type);
          if (!value)
            count = {};
          else
            values.push_back(*value);
        }
        if (!count) {
          problem = fmt::format("it ends within {} {} of {}", element.name, row + 1, element.count);
          return {};
        }
        if (element.name == "vertex" && property.count_type.empty() && property.name.size() == 1 &&
            property.name[0] >= 'x' && property.name[0] <= 'z')
          point[property.name[0] - 'x'] = values.front();
        if (element.name != "face" || !property.name.starts_with("vertex_ind")) continue;
        for (const double value : values) {
          if (value >= 0.0 && value < static_cast<double>(points.size())) continue;
          problem = fmt::format("face {} has vertex {}, but the number of vertices is {}", row + 1, value,
                                points.size());
          return {};
        }
        if (corners.size() / 3 + values.size() > most_triangles) {
          problem = fmt::format("it has more than {} triangles", most_triangles);
          return {};
        }
        std::vector<Vec3> face;
        for (const double value : values) face.push_back(points[static_cast<std::size_t>(value)]);
        append_triangles(face, corners);
      }
      if (element.name == "vertex") points.push_back(point);
    }
  }
  return corners;
}

}  // namespace scree::io
