// HDF5 objects that close themselves and calls that throw, for writing. Included by .cpp files of io only.
// Files from other sources are read through hdf5_file.h.
#pragma once

#include <hdf5.h>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/types.h"
#include "io/files/hdf5_error.h"
#include "io/files/piece.h"

namespace scree::io::hdf5 {

/// Owns an HDF5 identifier.
class Handle {
 public:
  using Closer = herr_t (*)(hid_t);
  Handle() = default;
  /// Throws Error if `id` shows that the call that made it failed; `what` names the action.
  Handle(hid_t id, Closer closer, std::string_view what);
  Handle(Handle&& other) noexcept : id_(other.id_), closer_(other.closer_) { other.id_ = H5I_INVALID_HID; }
  Handle& operator=(Handle&& other) noexcept;
  ~Handle() { reset(); }

  hid_t get() const { return id_; }
  /// Closes, and throws Error if that fails: the last bytes are written when a file is closed.
  void close(std::string_view what);

 private:
  void reset() noexcept;
  hid_t id_ = H5I_INVALID_HID;
  Closer closer_ = nullptr;
};

/// Suppresses HDF5's own output of errors that check() reports, for the calling thread.
void print_no_errors();

/// Throws Error "<what>: <HDF5's reason>" if `status` is negative.
void check(herr_t status, std::string_view what);

Handle create_file(const std::string& path);
/// To be called before files are opened or much is written: without memory for its caches HDF5
/// crashes, or never releases its lock. Throws Error if less memory is free than it may use plus `bytes`.
void require_memory(std::size_t bytes = 0);
Handle create_group(hid_t location, const std::string& name);
/// The existing group, or a new one.
Handle group_for(hid_t location, const std::string& name);
/// For reading, also while another program writes it: without a lock.
Handle open_file(const std::string& path);
Handle open_dataset(hid_t location, const std::string& path);
bool has_link(hid_t location, const std::string& path);
/// Strings of any length.
Handle text_type(H5T_cset_t characters = H5T_CSET_UTF8);

/// The memory type of a T.
template <class T>
hid_t native_type();
template <>
inline hid_t native_type<float>() {
  return H5T_NATIVE_FLOAT;
}
template <>
inline hid_t native_type<double>() {
  return H5T_NATIVE_DOUBLE;
}
template <>
inline hid_t native_type<std::int32_t>() {
  return H5T_NATIVE_INT32;
}
template <>
inline hid_t native_type<std::uint32_t>() {
  return H5T_NATIVE_UINT32;
}
template <>
inline hid_t native_type<std::int64_t>() {
  return H5T_NATIVE_INT64;
}

void write_attribute(hid_t object, const std::string& name, const std::string& text);
void write_attribute(hid_t object, const std::string& name, double value);
void write_attribute(hid_t object, const std::string& name, std::int64_t value);
void write_attribute(hid_t object, const std::string& name, const Vec3& value);

/// Name of a dataset, and its attributes `unit` ("1" if dimensionless) and `description`.
struct Label {
  std::string name;
  std::string unit;
  std::string description;
};

/// A variable-length UTF-8 string, or a list of them.
void write_text(hid_t location, const Label& label, const std::string& text);
void write_texts(hid_t location, const Label& label, const std::vector<std::string>& texts);

/// A dataset of fixed shape `dims`; `data` holds their product in C order.
void write_array(hid_t location, const Label& label, hid_t type, const std::vector<hsize_t>& dims,
                 const void* data);

/// [n] or, with `columns`, [n, columns]; the values are tightly packed at `data`.
template <class T>
void write_rows(hid_t location, const Label& label, const T* data, std::size_t n, hsize_t columns = 0) {
  std::vector<hsize_t> dims{n};
  if (columns > 0) dims.push_back(columns);
  write_array(location, label, native_type<T>(), dims, data);
}
inline void write_rows(hid_t location, const Label& label, const std::vector<Vec3>& data) {
  write_rows(location, label, data.empty() ? nullptr : data[0].data(), data.size(), 3);
}

/// The filters of a dataset with these creation properties, in the order in which they are applied.
std::vector<H5Z_filter_t> filters_of(hid_t properties);
/// The present dimensions.
std::vector<hsize_t> dimensions(const Handle& dataset);

/// All values of a list of numbers that this program wrote.
template <class T>
std::vector<T> read_rows(hid_t location, const std::string& path, hid_t type) {
  const Handle dataset = open_dataset(location, path);
  const std::vector<hsize_t> dims = dimensions(dataset);
  if (dims.size() != 1) throw Error(path + ": must be a list");
  std::vector<T> rows(dims[0]);
  if (!rows.empty()) check(H5Dread(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows.data()), path);
  return rows;
}

class Growing;

/// Rows for several datasets, which exist as long as it does. Before they are written, their chunks may be
/// packed by another thread or process.
class RowBatch {
 public:
  /// If it does not wait, rows are written as they are appended.
  explicit RowBatch(bool waits = true) : waits_(waits) {}
  /// The chunks that are compressed.
  std::vector<Piece*> pieces();
  /// Packs chunks that are not packed yet, and writes all rows, after the batches that were filled before.
  void write();

 private:
  friend class Growing;
  /// Rows of one dataset.
  struct Rows {
    const Growing* to;
    std::vector<hsize_t> dims;   // of the dataset with them
    hsize_t first;               // row
    std::vector<Piece> chunks;   // compressed: from the first row's on
    std::vector<std::byte> raw;  // otherwise
  };
  bool waits_;
  std::vector<Rows> all_;
};

/// A dataset [rows, ...] that grows along its first dimension. Its chunks have checksums.
class Growing {
 public:
  /// Layout of rows in the file. Compression is shuffle and deflate level 1.
  struct Layout {
    std::vector<hsize_t> row;  // dimensions of one row; empty for a scalar
    hsize_t rows_per_chunk = 1;
    bool compressed = true;
  };
  Growing() = default;
  /// Creates the dataset, or opens the existing one.
  Growing(hid_t location, const Label& label, hid_t type, const Layout& layout);

  hsize_t rows() const { return dims_[0]; }
  /// Appends `rows` rows that are tightly packed at `data`.
  void append(const void* data, hsize_t rows);
  /// The same when the batch is written. Does not call HDF5 if the batch waits.
  void append(const void* data, hsize_t rows, RowBatch& batch);
  /// Removes all rows after this number of rows. Throws Error if there are fewer.
  void cut(hsize_t rows);

 private:
  friend class RowBatch;
  std::vector<Piece> chunks_with(std::span<const std::byte> rows);
  void write(RowBatch::Rows& rows) const;
  void read_begun_chunk();
  /// Rows of the dataset, as a selection in the file.
  Handle rows_in_file(hsize_t first, const std::vector<hsize_t>& count) const;
  std::size_t bytes_of(const std::vector<hsize_t>& dims) const;

  std::string name_;
  hid_t type_ = H5I_INVALID_HID;
  std::size_t element_ = 0;    // size of a number, bytes
  std::vector<hsize_t> dims_;  // with all appended rows
  Handle dataset_;
  std::vector<hsize_t> chunk_;    // dimensions of chunks if they are compressed, else empty
  std::vector<std::byte> begun_;  // compressed: rows of the last chunk, if it is not full
};

}  // namespace scree::io::hdf5
