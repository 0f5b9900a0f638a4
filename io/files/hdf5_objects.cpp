#include "io/files/hdf5_objects.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <new>
#include <numeric>
#include <utility>

namespace scree::io::hdf5 {

namespace {

/// H5Ewalk2 visits the innermost failure first when it walks upward: keeps that one, and the system's reason
/// if any.
herr_t keep_innermost(unsigned n, const H5E_error2_t* error, void* text) {
  if (n == 0 && error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
  return 0;
}

std::string last_error() {
  std::string text;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_innermost, &text);
  const std::string marker = "error message = '";
  if (const auto begin = text.find(marker); begin != std::string::npos) {
    const auto start = begin + marker.size();
    text = text.substr(start, text.find('\'', start) - start);
  }
  return text.empty() ? "HDF5 gives no reason" : text;
}

Handle data_space(const std::vector<hsize_t>& dims) {
  const hid_t id = dims.empty() ? H5Screate(H5S_SCALAR)
                                : H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr);
  return Handle(id, H5Sclose, "data space");
}

void put_attribute(hid_t object, const std::string& name, hid_t type, const std::vector<hsize_t>& dims,
                   const void* data) {
  if (H5Aexists(object, name.c_str()) > 0) check(H5Adelete(object, name.c_str()), name);
  const Handle space = data_space(dims);
  const Handle attribute(H5Acreate2(object, name.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose, name);
  check(H5Awrite(attribute.get(), type, data), name);
}

/// Datasets store no modification times: the same run gives the same bytes.
Handle creation_properties() {
  Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "dataset properties");
  check(H5Pset_obj_track_times(properties.get(), false), "dataset properties");
  return properties;
}

Handle create_dataset(hid_t location, const Label& label, hid_t type, hid_t space, hid_t properties) {
  Handle dataset(H5Dcreate2(location, label.name.c_str(), type, space, H5P_DEFAULT, properties, H5P_DEFAULT),
                 H5Dclose, label.name);
  if (!label.unit.empty()) write_attribute(dataset.get(), "unit", label.unit);
  write_attribute(dataset.get(), "description", label.description);
  return dataset;
}

/// Dimensions of the chunks of a dataset if append() can pack them: they have the filters of compressed ones.
/// Empty: they have not.
std::vector<hsize_t> packed_chunks(const Handle& dataset) {
  const Handle properties(H5Dget_create_plist(dataset.get()), H5Pclose, "dataset properties");
  if (filters_of(properties.get()) !=
      std::vector<H5Z_filter_t>{H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE, H5Z_FILTER_FLETCHER32})
    return {};
  std::vector<hsize_t> chunk(dimensions(dataset).size());
  check(H5Pget_chunk(properties.get(), static_cast<int>(chunk.size()), chunk.data()), "dataset properties");
  return chunk;
}

}  // namespace

void print_no_errors() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

void check(herr_t status, std::string_view what) {
  if (status < 0) throw Error(std::string(what) + ": " + last_error());
}

Handle::Handle(hid_t id, Closer closer, std::string_view what) : id_(id), closer_(closer) {
  check(id < 0 ? -1 : 0, what);
}

Handle& Handle::operator=(Handle&& other) noexcept {
  if (this != &other) {
    reset();
    std::swap(id_, other.id_);
    closer_ = other.closer_;
  }
  return *this;
}

void Handle::close(std::string_view what) {
  if (id_ < 0) return;
  const herr_t status = closer_(id_);
  id_ = H5I_INVALID_HID;
  check(status, what);
}

void Handle::reset() noexcept {
  if (id_ >= 0) closer_(id_);
  id_ = H5I_INVALID_HID;
}

void require_memory(std::size_t bytes) {
  constexpr std::size_t most_of_a_file = 8 << 20;
  const std::unique_ptr<char[]> trial(new (std::nothrow) char[most_of_a_file + bytes]);
  if (!trial) throw Error("there is not enough memory");
}

Handle create_file(const std::string& path) {
  require_memory();
  return Handle(H5Fcreate(path.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT), H5Fclose, "creation");
}

Handle create_group(hid_t location, const std::string& name) {
  return Handle(H5Gcreate2(location, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose, name);
}

Handle group_for(hid_t location, const std::string& name) {
  if (!has_link(location, name)) return create_group(location, name);
  return Handle(H5Gopen2(location, name.c_str(), H5P_DEFAULT), H5Gclose, name);
}

Handle open_file(const std::string& path) {
  require_memory();
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "file access properties");
  check(H5Pset_file_locking(access.get(), false, true), "file access properties");
  return Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose, "opening");
}

Handle open_dataset(hid_t location, const std::string& path) {
  return Handle(H5Dopen2(location, path.c_str(), H5P_DEFAULT), H5Dclose, path);
}

bool has_link(hid_t location, const std::string& path) {
  return H5Lexists(location, path.c_str(), H5P_DEFAULT) > 0;
}

Handle text_type(H5T_cset_t characters) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "string type");
  check(H5Tset_size(type.get(), H5T_VARIABLE), "string type");
  check(H5Tset_cset(type.get(), characters), "string type");
  return type;
}

void write_attribute(hid_t object, const std::string& name, const std::string& text) {
  const char* const pointer = text.c_str();
  put_attribute(object, name, text_type().get(), {}, &pointer);
}

void write_attribute(hid_t object, const std::string& name, double value) {
  put_attribute(object, name, H5T_NATIVE_DOUBLE, {}, &value);
}

void write_attribute(hid_t object, const std::string& name, std::int64_t value) {
  put_attribute(object, name, H5T_NATIVE_INT64, {}, &value);
}

void write_attribute(hid_t object, const std::string& name, const Vec3& value) {
  put_attribute(object, name, H5T_NATIVE_DOUBLE, {3}, value.data());
}

void write_text(hid_t location, const Label& label, const std::string& text) {
  const char* const pointer = text.c_str();
  const Handle type = text_type();
  const Handle dataset =
      create_dataset(location, label, type.get(), data_space({}).get(), creation_properties().get());
  check(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, &pointer), label.name);
}

void write_texts(hid_t location, const Label& label, const std::vector<std::string>& texts) {
  std::vector<const char*> pointers;
  pointers.reserve(texts.size());
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  write_array(location, label, text_type().get(), {texts.size()}, pointers.data());
}

void write_array(hid_t location, const Label& label, hid_t type, const std::vector<hsize_t>& dims,
                 const void* data) {
  const Handle space = data_space(dims);
  const Handle dataset = create_dataset(location, label, type, space.get(), creation_properties().get());
  const bool empty = std::find(dims.begin(), dims.end(), 0u) != dims.end();
  if (!empty) check(H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), label.name);
}

std::vector<hsize_t> dimensions(const Handle& dataset) {
  const Handle space(H5Dget_space(dataset.get()), H5Sclose, "dimensions");
  std::vector<hsize_t> dims(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space.get()))));
  check(H5Sget_simple_extent_dims(space.get(), dims.data(), nullptr), "dimensions");
  return dims;
}

std::vector<H5Z_filter_t> filters_of(hid_t properties) {
  const int n = H5Pget_nfilters(properties);
  check(n, "filters");
  std::vector<H5Z_filter_t> filters;
  for (int k = 0; k < n; ++k) {
    unsigned flags = 0, config = 0;
    std::size_t values = 0;
    filters.push_back(
        H5Pget_filter2(properties, static_cast<unsigned>(k), &flags, &values, nullptr, 0, nullptr, &config));
  }
  return filters;
}

Growing::Growing(hid_t location, const Label& label, hid_t type, const Layout& layout)
    : name_(label.name), type_(type), element_(H5Tget_size(type)), dims_(layout.row) {
  dims_.insert(dims_.begin(), 0);
  if (has_link(location, name_)) {
    dataset_ = open_dataset(location, name_);
    const std::vector<hsize_t> there = dimensions(dataset_);
    if (there.size() != dims_.size() || !std::equal(there.begin() + 1, there.end(), dims_.begin() + 1))
      throw Error(name_ + ": has other dimensions than the new data");
    dims_ = there;
    chunk_ = packed_chunks(dataset_);
    read_begun_chunk();
    return;
  }
  std::vector<hsize_t> most = dims_, chunk = dims_;
  most[0] = H5S_UNLIMITED;
  chunk[0] = layout.rows_per_chunk;
  for (hsize_t& c : chunk) c = std::max<hsize_t>(c, 1);  // without bodies: chunks must not be empty
  if (layout.compressed) chunk_ = chunk;
  const int rank = static_cast<int>(dims_.size());
  const Handle space(H5Screate_simple(rank, dims_.data(), most.data()), H5Sclose, name_);
  const Handle properties = creation_properties();
  check(H5Pset_chunk(properties.get(), rank, chunk.data()), name_);
  if (layout.compressed) {
    check(H5Pset_shuffle(properties.get()), name_);
    check(H5Pset_deflate(properties.get(), 1), name_);
  }
  check(H5Pset_fletcher32(properties.get()), name_);
  dataset_ = create_dataset(location, label, type, space.get(), properties.get());
}

void Growing::cut(hsize_t rows) {
  if (rows > dims_[0]) throw Error(name_ + ": has fewer rows than before");
  if (rows == dims_[0]) return;
  dims_[0] = rows;
  check(H5Dset_extent(dataset_.get(), dims_.data()), name_);
  read_begun_chunk();
}

Handle Growing::rows_in_file(hsize_t first, const std::vector<hsize_t>& count) const {
  Handle space(H5Dget_space(dataset_.get()), H5Sclose, name_);
  std::vector<hsize_t> start(dims_.size(), 0);
  start[0] = first;
  check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr),
        name_);
  return space;
}

std::size_t Growing::bytes_of(const std::vector<hsize_t>& dims) const {
  return std::accumulate(dims.begin(), dims.end(), element_, std::multiplies<std::size_t>());
}

void Growing::read_begun_chunk() {
  begun_.clear();
  if (chunk_.empty() || dims_[0] % chunk_[0] == 0) return;
  std::vector<hsize_t> count = dims_;
  count[0] = dims_[0] % chunk_[0];
  begun_.resize(bytes_of(count));
  if (begun_.empty()) return;
  const Handle file_space = rows_in_file(dims_[0] - count[0], count), memory_space = data_space(count);
  check(H5Dread(dataset_.get(), type_, memory_space.get(), file_space.get(), H5P_DEFAULT, begun_.data()),
        name_);
}

/// The chunks that these new rows begin or continue; the last one is filled up with zeros, and comes again
/// with the next rows.
std::vector<Piece> Growing::chunks_with(std::span<const std::byte> rows) {
  const std::size_t size = bytes_of(chunk_);
  std::vector<Piece> chunks;
  while (!rows.empty()) {
    const std::size_t n = std::min(rows.size(), size - begun_.size());
    begun_.insert(begun_.end(), rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(n));
    rows = rows.subspan(n);
    Piece& chunk = chunks.emplace_back();
    chunk.element = static_cast<std::uint32_t>(element_);
    if (begun_.size() == size)
      chunk.bytes = std::exchange(begun_, {});
    else
      chunk.bytes = begun_;
    chunk.bytes.resize(size);
  }
  return chunks;
}

void Growing::append(const void* data, hsize_t rows, RowBatch& batch) {
  if (rows == 0) return;
  RowBatch::Rows& added = batch.all_.emplace_back();
  added.to = this;
  added.first = dims_[0];
  dims_[0] += rows;
  added.dims = dims_;
  std::vector<hsize_t> count = dims_;
  count[0] = rows;
  const std::span<const std::byte> bytes(static_cast<const std::byte*>(data), bytes_of(count));
  if (chunk_.empty())
    added.raw.assign(bytes.begin(), bytes.end());
  else
    added.chunks = chunks_with(bytes);
  if (!batch.waits_) batch.write();
}

void Growing::append(const void* data, hsize_t rows) {
  RowBatch batch(false);
  append(data, rows, batch);
}

void Growing::write(RowBatch::Rows& rows) const {
  check(H5Dset_extent(dataset_.get(), rows.dims.data()), name_);
  if (chunk_.empty()) {
    std::vector<hsize_t> count = rows.dims;
    count[0] -= rows.first;
    if (rows.raw.empty()) return;
    const Handle file_space = rows_in_file(rows.first, count), memory_space = data_space(count);
    check(H5Dwrite(dataset_.get(), type_, memory_space.get(), file_space.get(), H5P_DEFAULT, rows.raw.data()),
          name_);
    return;
  }
  std::vector<hsize_t> offset(rows.dims.size(), 0);
  offset[0] = rows.first / chunk_[0] * chunk_[0];
  for (Piece& chunk : rows.chunks) {
    pack(chunk);
    check(
        H5Dwrite_chunk(dataset_.get(), H5P_DEFAULT, 0, offset.data(), chunk.bytes.size(), chunk.bytes.data()),
        name_);
    offset[0] += chunk_[0];
  }
}

std::vector<Piece*> RowBatch::pieces() {
  std::vector<Piece*> pieces;
  for (Rows& rows : all_)
    for (Piece& chunk : rows.chunks) pieces.push_back(&chunk);
  return pieces;
}

void RowBatch::write() {
  for (Rows& rows : all_) {
    rows.to->write(rows);
    rows.chunks.clear();
  }
  all_.clear();
}

}  // namespace scree::io::hdf5
