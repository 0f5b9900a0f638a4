#include "tests/fuzz/memory_content.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <hdf5.h>
#include <limits>

#include "io/files/hdf5_library.h"

namespace scree::test {

using namespace io::hdf5;

namespace {

std::uint64_t values_in(const std::vector<std::uint64_t>& dims) {
  std::uint64_t n = 1;
  for (const std::uint64_t d : dims) {
    if (__builtin_mul_overflow(n, d, &n)) return std::numeric_limits<std::uint64_t>::max();
  }
  return n;
}

/// Names of all objects and of their attributes.
std::vector<Place> places_in(const std::string& path) {
  std::vector<Place> places{{""}};
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  H5Ovisit2(
      file, H5_INDEX_NAME, H5_ITER_INC,
      [](hid_t, const char* name, const H5O_info_t*, void* list) {
        static_cast<std::vector<Place>*>(list)->push_back({name[0] == '.' ? "" : name});
        return herr_t{0};
      },
      &places, H5O_INFO_BASIC);
  for (std::size_t k = 0, n = places.size(); k < n; ++k) {
    const std::string object = places[k].path.empty() ? "/" : places[k].path;
    std::vector<std::string> names;
    H5Aiterate_by_name(
        file, object.c_str(), H5_INDEX_NAME, H5_ITER_INC, nullptr,
        [](hid_t, const char* name, const H5A_info_t*, void* list) {
          static_cast<std::vector<std::string>*>(list)->emplace_back(name);
          return herr_t{0};
        },
        &names, H5P_DEFAULT);
    for (const std::string& name : names) {
      if (places[k].path.empty() || (name != "unit" && name != "description"))
        places.push_back({places[k].path, name});
    }
  }
  H5Fclose(file);
  return places;
}

/// Bytes in order; zeros after the end.
class Bytes {
 public:
  explicit Bytes(std::span<const std::uint8_t> bytes) : rest_(bytes) {}
  bool done() const { return rest_.empty(); }
  std::uint64_t take(std::size_t n) {
    std::uint64_t value = 0;
    for (std::size_t k = 0; k < n; ++k) {
      value |= static_cast<std::uint64_t>(rest_.empty() ? 0 : rest_.front()) << (8 * k);
      if (!rest_.empty()) rest_ = rest_.subspan(1);
    }
    return value;
  }

 private:
  std::span<const std::uint8_t> rest_;
};

/// Numbers that often cause errors.
double odd_number(Bytes& bytes) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  constexpr std::array odd{0.0,  -1.0,         1.0,           2.0,  -2.0, 0.5,  1e-300, 1e300,  -1e300,
                           inf,  -inf,         -0.0,          3.0,  1e9,  -1e9, 7.0,    100.0,  5e-324,
                           1e18, 2147483647.0, -2147483648.0, 1e-9, 1e9,  1e30, 4.0e9,  65536.0};
  const std::uint64_t choice = bytes.take(1);
  if (choice < odd.size()) return odd[choice];
  if (choice == 0xfe) return std::numeric_limits<double>::quiet_NaN();
  if (choice < 0x80) return static_cast<double>(choice) - 64.0;
  return std::bit_cast<double>(bytes.take(8));
}

std::uint64_t odd_size(Bytes& bytes, std::uint64_t now) {
  constexpr std::array<std::uint64_t, 8> odd{
      0, 1, 2, 3, 4, 7, std::uint64_t{1} << 31, std::uint64_t{1} << 62};
  const std::uint64_t choice = bytes.take(1);
  if (choice < odd.size()) return odd[choice];
  return choice < 0x80 ? now + 1 : now - std::min<std::uint64_t>(now, 1);
}

/// As many values as the shape has, if they fit into a small file.
void fill(MemoryArray& array) {
  constexpr std::uint64_t most = 1u << 14;
  const std::uint64_t n = values_in(array.content.dims);
  if (n > most) return;
  if (!array.texts.empty() || array.content.values == Content::Values::texts) array.texts.resize(n, "text");
  array.numbers.resize(n, 0.0);
}

template <class T>
T as(double x) {
  if constexpr (std::is_integral_v<T>) {  // HDF5 takes the nearest value
    if (std::isnan(x)) return 0;
    const double low = static_cast<double>(std::numeric_limits<T>::min()), high = -low;
    return x < low     ? std::numeric_limits<T>::min()
           : x >= high ? std::numeric_limits<T>::max()
                       : static_cast<T>(x);
  } else {
    if (std::abs(x) > static_cast<double>(std::numeric_limits<T>::max()))
      return std::copysign(std::numeric_limits<T>::infinity(), static_cast<T>(x > 0.0 ? 1 : -1));
    return static_cast<T>(x);
  }
}

template <class T>
void put(std::span<std::byte> room, std::size_t k, double x) {
  const T value = as<T>(x);
  std::memcpy(room.data() + k * sizeof(T), &value, sizeof(T));
}

}  // namespace

MemoryObjects objects_of(const std::string& path) {
  MemoryObjects objects;
  const auto library = library_content(path);
  for (const Place& place : places_in(path)) {
    MemoryArray array{library->look(place), {}, {}};
    const Content& c = array.content;
    if (c.values == Content::Values::texts) array.texts = library->texts(place);
    if (c.values == Content::Values::numbers || c.values == Content::Values::whole_numbers) {
      library->read(place, {std::vector<std::uint64_t>(c.dims.size(), 0), c.dims}, Element::float64,
                    [&](std::uint64_t bytes) {
                      array.numbers.resize(bytes / sizeof(double));
                      return std::as_writable_bytes(std::span(array.numbers));
                    });
    }
    objects[place] = std::move(array);
  }
  return objects;
}

void change(MemoryObjects& objects, std::span<const std::uint8_t> given) {
  constexpr int most_changes = 40;
  Bytes bytes(given);
  const auto any = [&] {
    return std::next(objects.begin(), static_cast<std::ptrdiff_t>(bytes.take(1) * objects.size() / 256));
  };
  for (int k = 0; k < most_changes && !bytes.done() && !objects.empty(); ++k) {
    const std::uint64_t what = bytes.take(1) % 10;
    const auto at = any();
    MemoryArray& array = at->second;
    std::vector<std::uint64_t>& dims = array.content.dims;
    if (what == 0) {
      objects.erase(at);
    } else if (what == 1) {
      array.content.values = static_cast<Content::Values>(bytes.take(1) % 4);
      fill(array);
    } else if (what == 2) {
      array.content.kind = static_cast<Content::Kind>(bytes.take(1) % 3);
    } else if (what == 3) {
      if (!dims.empty()) {
        std::uint64_t& side = dims[bytes.take(1) % dims.size()];
        side = odd_size(bytes, side);
        fill(array);
      }
    } else if (what == 4) {
      if (bytes.take(1) % 2 == 0 && dims.size() < most_dimensions) {
        dims.push_back(odd_size(bytes, 1));
      } else if (!dims.empty()) {
        dims.pop_back();
      }
      fill(array);
    } else if (what == 5) {
      MemoryArray other = any()->second;
      array = std::move(other);
    } else if (what == 6 && !array.texts.empty()) {
      std::string& text = array.texts[bytes.take(1) % array.texts.size()];
      text.assign(bytes.take(1) % 64, static_cast<char>(bytes.take(1)));
    } else if (!array.numbers.empty()) {
      array.numbers[bytes.take(2) % array.numbers.size()] = odd_number(bytes);
    }
  }
}

Content MemoryContent::look(const Place& place) {
  Place plain = place;
  if (plain.path.starts_with('/')) plain.path.erase(0, 1);
  const auto found = objects_.find(plain);
  return found == objects_.end() ? Content{} : found->second.content;
}

void MemoryContent::read(const Place& place, const Box& box, Element element, const Room& room) {
  Place plain = place;
  if (plain.path.starts_with('/')) plain.path.erase(0, 1);
  const MemoryArray& array = objects_.at(plain);
  const std::vector<std::uint64_t>& dims = array.content.dims;
  if (array.content.kind != Content::Kind::array || values_in(dims) != array.numbers.size())
    throw Error("claims more than there is");
  if (array.content.values != Content::Values::numbers &&
      array.content.values != Content::Values::whole_numbers)
    throw Error("must have numbers");
  if (box.start.size() != dims.size() || box.count.size() != dims.size()) throw Error("has another shape");
  for (std::size_t k = 0; k < dims.size(); ++k) {
    if (box.start[k] > dims[k] || box.count[k] > dims[k] - box.start[k]) throw Error("has fewer rows");
    if (k > 0 && box.count[k] != dims[k]) throw std::logic_error("rows are read whole");
  }
  const std::uint64_t n = values_in(box.count),
                      in_row = dims.empty() || dims[0] == 0 ? 0 : array.numbers.size() / dims[0],
                      first = dims.empty() ? 0 : box.start[0] * in_row;
  const std::span<std::byte> into = room(n * size_of(element));
  if (into.size() != n * size_of(element)) throw std::logic_error("room of another size than was asked for");
  for (std::uint64_t k = 0; k < n; ++k) {
    const double x = array.numbers[first + k];
    if (element == Element::float32) put<float>(into, k, x);
    if (element == Element::float64) put<double>(into, k, x);
    if (element == Element::int32) put<std::int32_t>(into, k, x);
    if (element == Element::int64) put<std::int64_t>(into, k, x);
  }
}

std::vector<std::string> MemoryContent::texts(const Place& place) {
  Place plain = place;
  if (plain.path.starts_with('/')) plain.path.erase(0, 1);
  const MemoryArray& array = objects_.at(plain);
  if (array.content.values != Content::Values::texts) throw Error("must have texts");
  if (values_in(array.content.dims) != array.texts.size()) throw Error("claims more than there is");
  return array.texts;
}

}  // namespace scree::test
