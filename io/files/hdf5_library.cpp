#include "io/files/hdf5_library.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>

#include "io/files/hdf5_objects.h"
#include "io/files/input_file.h"
#include "io/files/journaled_file.h"
#include "io/files/machine_room.h"

namespace scree::io::hdf5 {

namespace {

constexpr std::uint64_t expansion = 1032;       // best ratio of deflate (zlib, "Technical Details")
constexpr std::uint64_t slack = 16u << 20;      // bytes that any file may claim: fill values need no space
constexpr std::uint64_t most_texts = 1u << 20;  // in an array
constexpr std::size_t most_text_bytes_together = 64u << 20;
constexpr std::size_t longest_number = 16;  // bytes: long double

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) throw Error("it states more values than are possible");
  return result;
}

std::uint64_t product(const std::vector<std::uint64_t>& counts) {
  std::uint64_t result = 1;
  for (const std::uint64_t n : counts) result = product(result, n);
  return result;
}

/// Storage of an array's values in the file.
struct Storage {
  std::uint64_t stored = 0;  // bytes of the values that were written
  std::uint64_t chunk = 0;   // bytes of an unpacked chunk; 0 without chunks
  bool deflated = false;
};

/// An array that was opened and examined.
struct Array {
  Handle object, type;
  Content content;
  Storage storage;
  bool is_attribute = false;
};

const char* filter_name(H5Z_filter_t filter) {
  switch (filter) {
    case H5Z_FILTER_SZIP:
      return "szip";
    case H5Z_FILTER_NBIT:
      return "nbit";
    case H5Z_FILTER_SCALEOFFSET:
      return "scaleoffset";
    default:
      return "of another program";
  }
}

void check_filters(hid_t properties, Storage& storage) {
  for (const H5Z_filter_t filter : filters_of(properties)) {
    if (filter == H5Z_FILTER_SHUFFLE || filter == H5Z_FILTER_FLETCHER32) continue;
    if (filter != H5Z_FILTER_DEFLATE)
      throw Error(
          fmt::format("is compressed by the filter {} ({}), which is not supported; use shuffle, deflate and "
                      "fletcher32: `h5repack -f GZIP=1` converts the file",
                      static_cast<int>(filter), filter_name(filter)));
    if (storage.deflated) throw Error("is compressed twice by deflate");
    storage.deflated = true;
  }
}

Content::Values values_of(hid_t type) {
  const H5T_class_t kind = H5Tget_class(type);
  if (kind == H5T_STRING) return Content::Values::texts;
  if (H5Tget_size(type) > longest_number) return Content::Values::others;
  if (kind == H5T_INTEGER) return Content::Values::whole_numbers;
  return kind == H5T_FLOAT ? Content::Values::numbers : Content::Values::others;
}

std::vector<std::uint64_t> extents(hid_t space) {
  const H5S_class_t kind = H5Sget_simple_extent_type(space);
  if (kind == H5S_NULL) return {0};
  const int rank = H5Sget_simple_extent_ndims(space);
  if ((kind != H5S_SCALAR && kind != H5S_SIMPLE) || rank < 0) throw Error("has no shape");
  if (static_cast<std::size_t>(rank) > most_dimensions) throw Error("has too many dimensions");
  std::vector<hsize_t> dims(static_cast<std::size_t>(rank));
  check(H5Sget_simple_extent_dims(space, dims.data(), nullptr), "shape");
  return {dims.begin(), dims.end()};
}

hid_t memory_type(Element element) {
  switch (element) {
    case Element::float32:
      return H5T_NATIVE_FLOAT;
    case Element::float64:
      return H5T_NATIVE_DOUBLE;
    case Element::int32:
      return H5T_NATIVE_INT32;
    case Element::int64:
      return H5T_NATIVE_INT64;
  }
  return H5I_INVALID_HID;
}

class Library final : public ContentSource {
 public:
  explicit Library(const std::filesystem::path& path) {
    print_no_errors();
    if (const std::string problem = file_problem(path); !problem.empty()) throw Error(problem);
    file_bytes_ = std::filesystem::file_size(path);
    try {
      file_ = read_journaled_file(path);
    } catch (const Error&) {  // the error text of HDF5 would be less helpful
      throw Error("is not an HDF5 file, or is damaged");
    }
  }

  Content look(const Place& place) override {
    const Array* const array = find(place);
    if (array != nullptr) return array->content;
    return {groups_.contains(place) ? Content::Kind::group : Content::Kind::nothing, {}, {}};
  }

  void read(const Place& place, const Box& box, Element element, const Room& room) override {
    const Array& array = must_find(place);
    const std::uint64_t values = check_box(array, box), bytes = product(values, size_of(element));
    if (values > 0) check_room(array);
    const std::span<std::byte> into = room(bytes);
    if (values == 0) return;
    const hid_t type = memory_type(element);
    if (array.is_attribute) {
      if (values != product(array.content.dims)) throw Error("can be read only as a whole");
      check(H5Aread(array.object.get(), type, into.data()), "reading");
      return;
    }
    const Handle space(H5Dget_space(array.object.get()), H5Sclose, "reading");
    if (extents(space.get()) != array.content.dims) throw Error("has another shape than before");
    Handle memory(H5Screate(H5S_SCALAR), H5Sclose, "reading");
    if (!box.count.empty()) {
      const std::vector<hsize_t> start(box.start.begin(), box.start.end()),
          count(box.count.begin(), box.count.end());
      check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr),
            "reading");
      memory = Handle(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), H5Sclose,
                      "reading");
    }
    check(H5Dread(array.object.get(), type, memory.get(), space.get(), H5P_DEFAULT, into.data()), "reading");
  }

  std::vector<std::string> texts(const Place& place) override {
    const Array& array = must_find(place);
    if (array.content.values != Content::Values::texts) throw Error("must have texts");
    const std::uint64_t n = product(array.content.dims);
    if (n == 0) return {};
    if (n > most_texts) throw Error(fmt::format("states {} texts", n));
    check_room(array);
    return H5Tis_variable_str(array.type.get()) > 0 ? texts_of_any_length(array, n)
                                                    : texts_of_one_length(array, n);
  }

 private:
  const Array& must_find(const Place& place) {
    const Array* const array = find(place);
    if (array == nullptr) throw Error("there is no such array");
    return *array;
  }

  /// Arrays stay open, so that each is examined once.
  const Array* find(const Place& place) {
    if (const auto known = arrays_.find(place); known != arrays_.end()) return &known->second;
    if (!place.path.empty() && !is_linked(place.path)) return nullptr;
    const char* const path = place.path.empty() ? "/" : place.path.c_str();
    const Handle object(H5Oopen(file_.get(), path, H5P_DEFAULT), H5Oclose, "opening");
    const H5I_type_t kind = H5Iget_type(object.get());
    if (!place.attribute.empty()) {
      const htri_t exists = H5Aexists(object.get(), place.attribute.c_str());
      check(exists, "looking for it");
      if (exists == 0) return nullptr;
      return keep(place, attribute(object.get(), place.attribute));
    }
    if (kind == H5I_GROUP) groups_[place] = true;
    if (kind != H5I_DATASET) return nullptr;
    return keep(place, dataset(path));
  }

  const Array* keep(const Place& place, Array array) {
    return &arrays_.emplace(place, std::move(array)).first->second;
  }

  /// Does each name of the path have a link, one after the other?
  bool is_linked(const std::string& path) const {
    for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
      const std::string part = path.substr(0, end);
      const htri_t exists = H5Lexists(file_.get(), part.c_str(), H5P_DEFAULT);
      check(exists, "looking for it");
      if (exists == 0) return false;
      H5L_info_t link;
      check(H5Lget_info(file_.get(), part.c_str(), &link, H5P_DEFAULT), "looking for it");
      if (link.type != H5L_TYPE_HARD && link.type != H5L_TYPE_SOFT)
        throw Error("is a link to another file, which is not supported");
      const htri_t leads = H5Oexists_by_name(file_.get(), part.c_str(), H5P_DEFAULT);
      check(leads, "following its link");
      if (leads == 0) return false;
      if (end == std::string::npos) return true;
    }
  }

  Array attribute(hid_t object, const std::string& name) const {
    Array found;
    found.is_attribute = true;
    found.object = Handle(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose, "opening");
    found.type = Handle(H5Aget_type(found.object.get()), H5Tclose, "type");
    const Handle space(H5Aget_space(found.object.get()), H5Sclose, "shape");
    found.content = {Content::Kind::array, values_of(found.type.get()), extents(space.get())};
    found.storage.stored = H5Aget_storage_size(found.object.get());
    return found;
  }

  Array dataset(const char* path) const {
    Array found;
    found.object = Handle(H5Dopen2(file_.get(), path, H5P_DEFAULT), H5Dclose, "opening");
    const hid_t d = found.object.get();
    const Handle properties(H5Dget_create_plist(d), H5Pclose, "layout");
    const H5D_layout_t layout = H5Pget_layout(properties.get());
    if (layout == H5D_VIRTUAL) throw Error("is composed of other files, which is not supported");
    if (layout != H5D_COMPACT && layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED)
      throw Error("has an unknown layout");
    if (H5Pget_external_count(properties.get()) != 0)
      throw Error("has its values in another file, which is not supported");
    check_filters(properties.get(), found.storage);
    found.type = Handle(H5Dget_type(d), H5Tclose, "type");
    const Handle space(H5Dget_space(d), H5Sclose, "shape");
    found.content = {Content::Kind::array, values_of(found.type.get()), extents(space.get())};
    if (layout == H5D_CHUNKED) {
      hsize_t sides[H5S_MAX_RANK];
      const int rank = H5Pget_chunk(properties.get(), H5S_MAX_RANK, sides);
      if (rank != static_cast<int>(found.content.dims.size())) throw Error("has chunks of another shape");
      found.storage.chunk = H5Tget_size(found.type.get());
      for (int k = 0; k < rank; ++k) found.storage.chunk = product(found.storage.chunk, sides[k]);
    }
    found.storage.stored = std::min<std::uint64_t>(H5Dget_storage_size(d), file_bytes_);
    return found;
  }

  std::uint64_t check_box(const Array& array, const Box& box) const {
    const std::vector<std::uint64_t>& dims = array.content.dims;
    if (array.content.values != Content::Values::numbers &&
        array.content.values != Content::Values::whole_numbers)
      throw Error("must have numbers");
    if (box.start.size() != dims.size() || box.count.size() != dims.size())
      throw Error(fmt::format("must have {} dimensions, not {}", box.count.size(), dims.size()));
    for (std::size_t k = 0; k < dims.size(); ++k) {
      if (box.start[k] > dims[k] || box.count[k] > dims[k] - box.start[k])
        throw Error("has fewer rows than requested");
    }
    return product(box.count);
  }

  /// Can the file contain the claimed size? Values that were never written are read as fill values and need
  /// no space.
  void check_room(const Array& array) const {
    const Storage& s = array.storage;
    const std::uint64_t claimed = product(product(array.content.dims), H5Tget_size(array.type.get())),
                        held = s.deflated ? product(s.stored, expansion) : s.stored;
    if (claimed > held + slack)
      throw Error(fmt::format("states {}, but the file has only {} of it",
                              bytes_text(static_cast<double>(claimed)),
                              bytes_text(static_cast<double>(s.stored))));
    if (s.chunk > most_answer_bytes(file_bytes_))
      throw Error(fmt::format("has chunks of {}, more than the file can contain",
                              bytes_text(static_cast<double>(s.chunk))));
  }

  void read_whole(const Array& array, hid_t type, void* into) const {
    check(array.is_attribute ? H5Aread(array.object.get(), type, into)
                             : H5Dread(array.object.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, into),
          "reading");
  }

  /// Texts padded with zeros or blanks.
  std::vector<std::string> texts_of_one_length(const Array& array, std::uint64_t n) const {
    const std::size_t length = H5Tget_size(array.type.get());
    if (product(n, length + 1) > most_text_bytes_together) throw Error("has texts which are too long");
    const Handle type(H5Tcopy(array.type.get()), H5Tclose, "type");
    check(H5Tset_size(type.get(), length + 1), "type");
    check(H5Tset_strpad(type.get(), H5T_STR_NULLTERM), "type");
    std::vector<char> characters(n * (length + 1) + 1, '\0');
    read_whole(array, type.get(), characters.data());
    std::vector<std::string> texts;
    for (std::size_t k = 0; k < n; ++k) {
      const std::string_view text(characters.data() + k * (length + 1), length + 1);
      texts.emplace_back(text.substr(0, text.find('\0')));
    }
    return texts;
  }

  std::vector<std::string> texts_of_any_length(const Array& array, std::uint64_t n) const {
    const Handle type = text_type(H5Tget_cset(array.type.get()));
    std::vector<char*> pointers(n, nullptr);
    read_whole(array, type.get(), pointers.data());
    std::vector<std::string> texts;
    std::size_t together = 0;
    for (char* const pointer : pointers) {
      texts.emplace_back(pointer != nullptr ? pointer : "");
      H5free_memory(pointer);
      if ((together += texts.back().size()) > most_text_bytes_together)
        throw Error("has texts which are too long");
    }
    return texts;
  }

  std::uint64_t file_bytes_ = 0;
  Handle file_;
  std::map<Place, Array> arrays_;
  std::map<Place, bool> groups_;
};

}  // namespace

void stay_within_file() {
  H5PLset_loading_state(0);
  H5Lunregister(H5L_TYPE_EXTERNAL);
}

std::unique_ptr<ContentSource> library_content(const std::filesystem::path& path) {
  return std::make_unique<Library>(path);
}

std::uint64_t most_answer_bytes(std::uint64_t file_bytes) {
  const double held =
      static_cast<double>(file_bytes) * static_cast<double>(expansion) + static_cast<double>(slack);
  return static_cast<std::uint64_t>(std::min({held, 0.5 * memory_bytes(), 1e15}));
}

}  // namespace scree::io::hdf5
