#include "tests/fuzz/hostile_file.h"

#include <algorithm>
#include <array>
#include <hdf5.h>
#include <stdexcept>
#include <vector>

#include "io/files/hdf5_library.h"

namespace scree::test {

namespace {

constexpr std::array names{"a", "b", "c", "d", "g/a", "g/b"};
constexpr std::size_t most_objects = 6;
constexpr hsize_t most_written = 4096;  // values

class Writer {
 public:
  Writer(const std::string& path, std::span<const std::uint8_t> bytes) : rest_(bytes) {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    file_ = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(H5Gcreate2(file_, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  }
  ~Writer() { H5Fclose(file_); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void write() {
    for (std::size_t k = 0; k < most_objects && !rest_.empty(); ++k) {
      const char* const name = names[k];
      switch (next() % 8) {
        case 0:
          H5Lcreate_external("/dev/zero", "/x", file_, name, H5P_DEFAULT, H5P_DEFAULT);
          break;
        case 1:
          H5Lcreate_soft(names[next() % names.size()], file_, name, H5P_DEFAULT, H5P_DEFAULT);
          break;
        case 2: {
          const hid_t named = type();
          H5Tcommit2(file_, name, named, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
          H5Tclose(named);
          break;
        }
        case 3:
          attribute();
          break;
        default:
          dataset(name);
      }
    }
  }

 private:
  std::uint8_t next() {
    if (rest_.empty()) return 0;
    const std::uint8_t byte = rest_.front();
    rest_ = rest_.subspan(1);
    return byte;
  }

  hid_t type() {
    constexpr hsize_t three[] = {3};
    hid_t made = H5I_INVALID_HID;
    switch (const std::uint8_t choice = next(); choice % 12) {
      case 0:
        return H5Tcopy(H5T_IEEE_F64BE);
      case 1:
        return H5Tcopy(H5T_STD_I64LE);
      case 2:
        made = H5Tcopy(H5T_NATIVE_INT32);
        H5Tset_size(made, std::size_t{1} + next() % 40);
        return made;
      case 3:
        made = H5Tcopy(H5T_C_S1);
        H5Tset_size(made, next() % 2 == 0 ? H5T_VARIABLE : std::size_t{1} + next());
        H5Tset_cset(made, next() % 2 == 0 ? H5T_CSET_ASCII : H5T_CSET_UTF8);
        return made;
      case 4:
        made = H5Tcreate(H5T_COMPOUND, 16);
        H5Tinsert(made, "x", 0, H5T_NATIVE_DOUBLE);
        H5Tinsert(made, "y", 8, H5T_NATIVE_DOUBLE);
        return made;
      case 5:
        return H5Tvlen_create(H5T_NATIVE_DOUBLE);
      case 6:
        return H5Tarray_create2(H5T_NATIVE_DOUBLE, 1, three);
      case 7: {
        made = H5Tenum_create(H5T_NATIVE_INT8);
        const std::int8_t one = 1;
        H5Tenum_insert(made, "one", &one);
        return made;
      }
      case 8:
        return H5Tcreate(H5T_OPAQUE, 7);
      case 9:
        return H5Tcopy(H5T_STD_REF_OBJ);
      case 10:
        made = H5Tcopy(H5T_NATIVE_UINT64);
        H5Tset_precision(made, std::size_t{1} + next() % 64);
        return made;
      default:
        return H5Tcopy(H5T_NATIVE_FLOAT);
    }
  }

  hid_t space(std::vector<hsize_t>& dims, bool growing) {
    if (next() % 16 == 0) return H5Screate(H5S_NULL);
    const std::size_t rank = next() % 10;
    constexpr std::array<hsize_t, 8> sides{0, 1, 2, 3, 4, 17, 1u << 20, hsize_t{1} << 33};
    for (std::size_t k = 0; k < rank; ++k) dims.push_back(sides[next() % sides.size()]);
    const std::vector<hsize_t> most(rank, H5S_UNLIMITED);
    return rank == 0 ? H5Screate(H5S_SCALAR)
                     : H5Screate_simple(static_cast<int>(rank), dims.data(), growing ? most.data() : nullptr);
  }

  void attribute() {
    const hid_t object = H5Oopen(file_, names[next() % names.size()], H5P_DEFAULT);
    if (object < 0) return;
    std::vector<hsize_t> dims;
    const hid_t of = type(), shape = space(dims, false),
                made = H5Acreate2(object, "x", of, shape, H5P_DEFAULT, H5P_DEFAULT);
    if (made >= 0) H5Aclose(made);
    H5Sclose(shape);
    H5Tclose(of);
    H5Oclose(object);
  }

  void dataset(const char* name) {
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE), of = type();
    std::vector<hsize_t> dims;
    const std::uint8_t layout = next() % 6;
    const hid_t shape = space(dims, layout >= 2);
    if (layout == 0) H5Pset_layout(properties, H5D_COMPACT);
    if (layout == 1 && next() % 4 == 0) H5Pset_external(properties, "/dev/zero", 0, H5F_UNLIMITED);
    if (layout >= 2) {
      std::vector<hsize_t> chunk;
      for (std::size_t k = 0; k < dims.size(); ++k) chunk.push_back(1 + next() % 32);
      if (!chunk.empty()) H5Pset_chunk(properties, static_cast<int>(chunk.size()), chunk.data());
      const std::uint8_t filters = next();
      if (filters & 1u) H5Pset_shuffle(properties);
      if (filters & 2u) H5Pset_deflate(properties, 1);
      if (filters & 4u) H5Pset_fletcher32(properties);
      if ((filters & 24u) == 24u) H5Pset_scaleoffset(properties, H5Z_SO_INT, 2);
      if ((filters & 96u) == 96u) H5Pset_nbit(properties);
    }
    const hid_t made = H5Dcreate2(file_, name, of, shape, H5P_DEFAULT, properties, H5P_DEFAULT);
    if (made >= 0) {
      // HDF5 1.10.8 corrupts memory when it packs some types by its own filters, which are refused here.
      if (H5Pget_filter_by_id2(properties, H5Z_FILTER_NBIT, nullptr, nullptr, nullptr, 0, nullptr, nullptr) <
              0 &&
          H5Pget_filter_by_id2(properties, H5Z_FILTER_SCALEOFFSET, nullptr, nullptr, nullptr, 0, nullptr,
                               nullptr) < 0)
        write_values(made, of, shape);
      H5Dclose(made);
    }
    H5Sclose(shape);
    H5Tclose(of);
    H5Pclose(properties);
  }

  void write_values(hid_t made, hid_t of, hid_t shape) {
    const hssize_t n = H5Sget_simple_extent_npoints(shape);
    if (n <= 0 || n > static_cast<hssize_t>(most_written) || next() % 4 == 0) return;
    if (H5Tget_class(of) == H5T_STRING && H5Tis_variable_str(of) > 0) {
      const std::string text(next(), 't');
      const std::vector<const char*> texts(static_cast<std::size_t>(n), text.c_str());
      H5Dwrite(made, of, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts.data());
    } else if (H5Tdetect_class(of, H5T_VLEN) <= 0 && H5Tdetect_class(of, H5T_REFERENCE) <= 0) {
      const std::vector<std::uint8_t> values(static_cast<std::size_t>(n) * H5Tget_size(of), next());
      H5Dwrite(made, of, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    }
  }

  std::span<const std::uint8_t> rest_;
  hid_t file_;
};

using namespace io::hdf5;

template <class F>
void told(F&& ask) try {
  ask();
} catch (const Error&) {
}

void read(ContentSource& source, const Place& place, const Content& content, Element element) {
  std::vector<std::uint64_t> start(content.dims.size(), 0), count = content.dims;
  for (const bool first_row : {false, true}) {
    if (first_row && !count.empty()) count[0] = std::min<std::uint64_t>(count[0], 1);
    told([&] {
      std::vector<std::byte> room;
      source.read(place, {start, count}, element, [&](std::uint64_t bytes) {
        constexpr std::uint64_t most = 1u << 30;
        if (bytes > most) throw std::logic_error("takes more memory than so small a file can hold");
        room.resize(bytes);
        return std::span(room);
      });
    });
  }
}

}  // namespace

void write_hostile_file(const std::string& path, std::span<const std::uint8_t> bytes) {
  Writer(path, bytes).write();
}

void read_all_of(const std::string& path) {
  const auto source = library_content(path);
  std::vector<std::string> objects(names.begin(), names.end());
  objects.insert(objects.end(), {"", "g", "nothing", "g/nothing", "/a"});
  for (const std::string& name : objects) {
    for (const char* const attribute : {"", "x"}) {
      const Place place{name, attribute};
      told([&] {
        const Content content = source->look(place);
        if (content.dims.size() > most_dimensions) throw std::logic_error("has too many dimensions");
        for (const Element e : {Element::float32, Element::float64, Element::int32, Element::int64})
          read(*source, place, content, e);
        told([&] { (void)source->texts(place); });
      });
    }
  }
}

}  // namespace scree::test
