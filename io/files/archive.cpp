#include "io/files/archive.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>

#include "io/files/file_errors.h"
#include "io/files/hdf5_objects.h"
#include "io/files/text_file.h"

namespace scree::io {

using namespace hdf5;

namespace {

constexpr std::size_t user_block = 512;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using CFile = std::unique_ptr<std::FILE, CloseFile>;

/// The required beginning of the file, with its data after it.
std::string head_text(const ArchiveKind& kind, const std::filesystem::path& path) {
  return fmt::format("{}\nversion {}\nbytes {}\ncrc32 {}\n", kind.name, kind.version,
                     std::filesystem::file_size(path) - user_block,
                     crc32_text(crc32_of_file(path, user_block)));
}

hid_t native(Archive::Number number) {
  switch (number) {
    case Archive::Number::f32:
      return H5T_NATIVE_FLOAT;
    case Archive::Number::f64:
      return H5T_NATIVE_DOUBLE;
    case Archive::Number::i32:
      return H5T_NATIVE_INT32;
    case Archive::Number::i64:
      return H5T_NATIVE_INT64;
    case Archive::Number::u8:
      return H5T_NATIVE_UINT8;
    case Archive::Number::u32:
      return H5T_NATIVE_UINT32;
    case Archive::Number::u64:
      return H5T_NATIVE_UINT64;
  }
  return H5I_INVALID_HID;
}

/// HDF5 type of one field; in memory and, without padding, in the file.
Handle field_type(const Archive::Field& field) {
  if (field.columns == 0) return Handle(H5Tcopy(native(field.number)), H5Tclose, field.name);
  const hsize_t columns = field.columns;
  return Handle(H5Tarray_create2(native(field.number), 1, &columns), H5Tclose, field.name);
}

Handle record_type(const std::vector<Archive::Field>& fields, std::size_t size) {
  if (fields.size() == 1 && fields[0].name.empty()) return field_type(fields[0]);
  Handle type(H5Tcreate(H5T_COMPOUND, size), H5Tclose, "table");
  for (const Archive::Field& f : fields)
    check(H5Tinsert(type.get(), f.name.c_str(), f.offset, field_type(f).get()), f.name);
  return type;
}

/// Can values of one type in a file be converted to the other in memory without loss?
bool fits(hid_t stored, hid_t wanted) {
  const H5T_class_t kind = H5Tget_class(stored);
  if (kind != H5Tget_class(wanted)) return false;
  if (kind != H5T_COMPOUND) return H5Tequal(stored, wanted) > 0;
  const int members = H5Tget_nmembers(wanted);
  if (H5Tget_nmembers(stored) != members) return false;
  for (int k = 0; k < members; ++k) {
    char* const name = H5Tget_member_name(wanted, static_cast<unsigned>(k));
    const int there = H5Tget_member_index(stored, name);
    H5free_memory(name);
    if (there < 0) return false;
    const Handle a(H5Tget_member_type(stored, static_cast<unsigned>(there)), H5Tclose, "table"),
        b(H5Tget_member_type(wanted, static_cast<unsigned>(k)), H5Tclose, "table");
    if (H5Tequal(a.get(), b.get()) <= 0) return false;
  }
  return true;
}

}  // namespace

struct Archive::Parts {
  std::filesystem::path path;
  ArchiveKind kind;
  bool reads = false;
  bool finished = false;
  Handle file, links;  // links: creates the groups in the path of a name

  std::filesystem::path written_to() const { return reads ? path : temporary_name(path); }
  [[noreturn]] void fail(const std::string& reason) const {
    if (reads) throw ReadError(fmt::format("cannot read {}: {}", path.string(), reason));
    throw WriteError(fmt::format("cannot write {}: {}", path.string(), reason));
  }
  template <class F>
  auto guarded(F&& act) const {
    print_no_errors();
    try {
      return act();
    } catch (const Error& error) {
      fail(error.what());
    }
  }
};

Archive::Archive(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Archive::Archive(Archive&&) noexcept = default;

Archive::~Archive() {
  if (!parts_ || parts_->reads || parts_->finished) return;
  parts_->file = Handle();
  std::error_code ignored;
  std::filesystem::remove(parts_->written_to(), ignored);
}

bool Archive::reads() const { return parts_->reads; }

void Archive::wrong(const std::string& name, const std::string& problem) const {
  parts_->fail(prefix_ + name + " " + problem);
}

Archive Archive::to_write(const std::filesystem::path& path, const ArchiveKind& kind) {
  auto parts = std::make_unique<Parts>(Parts{path, kind, false, false, {}, {}});
  parts->guarded([&] {
    require_memory();
    std::error_code ignored;
    std::filesystem::remove(parts->written_to(), ignored);
    const Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose, "file properties");
    check(H5Pset_userblock(creation.get(), user_block), "file properties");
    parts->file = Handle(H5Fcreate(parts->written_to().c_str(), H5F_ACC_EXCL, creation.get(), H5P_DEFAULT),
                         H5Fclose, "creation");
    parts->links = Handle(H5Pcreate(H5P_LINK_CREATE), H5Pclose, "links");
    check(H5Pset_create_intermediate_group(parts->links.get(), 1), "links");
  });
  return Archive(std::move(parts));
}

Archive Archive::to_read(const std::filesystem::path& path, const ArchiveKind& kind) {
  auto parts = std::make_unique<Parts>(Parts{path, kind, true, false, {}, {}});
  const CFile file(std::fopen(path.c_str(), "rb"));
  if (!file) parts->fail(std::strerror(errno));
  std::string head(user_block, '\0');
  head.resize(std::fread(head.data(), 1, head.size(), file.get()));
  head = head.c_str();
  if (!head.starts_with(kind.name + "\nversion ")) parts->fail("it is not a " + kind.name);
  const int version = std::atoi(head.c_str() + kind.name.size() + std::strlen("\nversion "));
  if (version != kind.version)
    parts->fail(fmt::format("it has format version {}, but this program reads {}", version, kind.version));
  if (std::filesystem::file_size(path) < user_block || head != head_text(kind, path))
    parts->fail("its checksum is wrong: it is damaged");
  parts->guarded([&] { parts->file = open_file(path.string()); });
  return Archive(std::move(parts));
}

void Archive::write_records(const std::string& name, const Table& table, const void* data, std::size_t rows) {
  parts_->guarded([&] {
    const Handle type = record_type(table.fields, table.size);
    const Handle stored(H5Tcopy(type.get()), H5Tclose, name);
    if (H5Tget_class(stored.get()) == H5T_COMPOUND) check(H5Tpack(stored.get()), name);
    const hsize_t n = rows;
    const Handle space(H5Screate_simple(1, &n, nullptr), H5Sclose, name);
    const Handle dataset(H5Dcreate2(parts_->file.get(), (prefix_ + name).c_str(), stored.get(), space.get(),
                                    parts_->links.get(), H5P_DEFAULT, H5P_DEFAULT),
                         H5Dclose, name);
    if (rows > 0) check(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, data), name);
  });
}

std::size_t Archive::rows_of(const std::string& name) {
  return parts_->guarded([&] {
    const Handle dataset = open_dataset(parts_->file.get(), prefix_ + name);
    const std::vector<hsize_t> dims = dimensions(dataset);
    const Handle type(H5Dget_type(dataset.get()), H5Tclose, name);
    const hsize_t stored = H5Dget_storage_size(dataset.get()), size = H5Tget_size(type.get());
    if (dims.size() != 1 || size == 0 || dims[0] > stored / size)
      throw Error(prefix_ + name + ": is not a list");
    return static_cast<std::size_t>(dims[0]);
  });
}

void Archive::read_records(const std::string& name, const Table& table, void* into, std::size_t rows) {
  parts_->guarded([&] {
    const Handle dataset = open_dataset(parts_->file.get(), prefix_ + name);
    const Handle stored(H5Dget_type(dataset.get()), H5Tclose, name);
    const Handle type = record_type(table.fields, table.size);
    if (!fits(stored.get(), type.get()) || dimensions(dataset) != std::vector<hsize_t>{rows})
      throw Error(prefix_ + name + ": has another type");
    if (rows > 0) check(H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, into), name);
  });
}

void Archive::text(const std::string& name, std::string& value) {
  std::vector<std::uint8_t> bytes(value.begin(), value.end());
  (*this)(name, bytes);
  value.assign(bytes.begin(), bytes.end());
}

void Archive::finish() {
  const std::filesystem::path temporary = parts_->written_to();
  parts_->guarded([&] { parts_->file.close("closing"); });
  const auto require = [&](bool done) {
    if (!done) parts_->fail(std::strerror(errno));
  };
  {
    const CFile file(std::fopen(temporary.c_str(), "r+b"));
    require(file != nullptr);
    std::string head;
    try {
      head = head_text(parts_->kind, temporary);
    } catch (const ReadError& error) {
      parts_->fail(error.what());
    }
    head.resize(user_block, '\0');
    require(std::fseek(file.get(), 0, SEEK_SET) == 0 &&
            std::fwrite(head.data(), 1, head.size(), file.get()) == head.size() &&
            std::fflush(file.get()) == 0 && fsync(fileno(file.get())) == 0);
  }
  give_name(temporary, parts_->path);
  parts_->finished = true;
}

}  // namespace scree::io
