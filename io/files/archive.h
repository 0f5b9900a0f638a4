// Archives: named numbers in one file, written and read by the same functions.
#pragma once

#include <array>
#include <concepts>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/core/types.h"

namespace scree::io {

/// Kind and version of an archive, for users and for programs of other versions.
struct ArchiveKind {
  std::string name;  // "scree checkpoint"
  int version = 1;
};

/// An HDF5 file with a checksum of the whole file in a text of 512 bytes at its start (its user block). It
/// gets its name only when it is complete and on disk.
///
/// A type that is stored has one function void f(Archive& io) with io("name", member) for each member. It
/// writes or reads, depending on the archive. Members are numbers, flags, enumerations, texts,
/// vectors, optional ones, and lists of those; and lists of structs for which there is a function
/// fields(S& s, F&& f) that calls f("name", member) for each member that is a number or a vector: they become
/// tables. Members throw WriteError or ReadError.
class Archive {
 public:
  static Archive to_write(const std::filesystem::path& path, const ArchiveKind& kind);
  /// Reads the whole file once, for its checksum.
  static Archive to_read(const std::filesystem::path& path, const ArchiveKind& kind);
  ~Archive();
  Archive(Archive&&) noexcept;

  bool reads() const;

  template <class T>
  void operator()(const std::string& name, T& value);

  /// Within `members` names are "name/...".
  template <class F>
  void group(const std::string& name, F&& members) {
    const std::string before = prefix_;
    prefix_ += name + "/";
    members();
    prefix_ = before;
  }

  /// To be called when all data are written: syncs, and gives the file its name.
  void finish();

  /// The type of a number, and its position in a record.
  enum class Number : std::uint8_t { f32, f64, i32, i64, u8, u32, u64 };
  struct Field {
    std::string name;  // empty: the record consists of this field
    Number number;
    std::size_t columns;  // numbers in a row; 0: one, without its own dimension
    std::size_t offset;   // bytes
  };

 private:
  struct Parts;
  explicit Archive(std::unique_ptr<Parts> parts);

  struct Table {
    std::vector<Field> fields;
    std::size_t size;  // bytes per record
  };
  void write_records(const std::string& name, const Table& table, const void* data, std::size_t rows);
  std::size_t rows_of(const std::string& name);
  void read_records(const std::string& name, const Table& table, void* into, std::size_t rows);
  void text(const std::string& name, std::string& value);
  [[noreturn]] void wrong(const std::string& name, const std::string& problem) const;

  template <class T>
  static Table table_of();
  template <class T>
  static Field field_of(std::string name, std::size_t offset);
  template <class T>
  void records(const std::string& name, T* data, std::size_t rows);

  std::unique_ptr<Parts> parts_;
  std::string prefix_;
};

namespace archive {

template <class T>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

template <class T>
concept Tag = requires(T t) {
  requires std::same_as<decltype(t.value), std::int32_t>;
}
&&sizeof(T) == 4;

/// Number and type of the numbers in a value of this type.
template <class T>
struct Shape {
  using Number = T;
  static constexpr std::size_t columns = 0;
};
template <class T, int n>
struct Shape<Eigen::Matrix<T, n, 1>> {
  using Number = T;
  static constexpr std::size_t columns = n;
};
template <>
struct Shape<Mat3> {  // column by column
  using Number = double;
  static constexpr std::size_t columns = 9;
};
template <class T>
struct Shape<Eigen::Quaternion<T>> {  // in Eigen's order: x y z w
  using Number = T;
  static constexpr std::size_t columns = 4;
};
template <class T>
requires std::is_enum_v<T>
struct Shape<T> {
  using Number = std::underlying_type_t<T>;
  static constexpr std::size_t columns = 0;
};
template <Tag T>
struct Shape<T> {
  using Number = std::int32_t;
  static constexpr std::size_t columns = 0;
};

template <class T>
concept Plain = std::is_arithmetic_v<typename Shape<T>::Number>;

template <class T>
constexpr Archive::Number number() {
  if constexpr (std::is_same_v<T, float>) return Archive::Number::f32;
  if constexpr (std::is_same_v<T, double>) return Archive::Number::f64;
  if constexpr (std::is_same_v<T, std::int32_t>) return Archive::Number::i32;
  if constexpr (std::is_same_v<T, std::int64_t>) return Archive::Number::i64;
  if constexpr (std::is_same_v<T, std::uint8_t> || std::is_same_v<T, bool>) return Archive::Number::u8;
  if constexpr (std::is_same_v<T, std::uint32_t>) return Archive::Number::u32;
  if constexpr (std::is_same_v<T, std::uint64_t>) return Archive::Number::u64;
}

}  // namespace archive

template <class T>
Archive::Field Archive::field_of(std::string name, std::size_t offset) {
  using S = archive::Shape<T>;
  static_assert(sizeof(T) == sizeof(typename S::Number) * std::max<std::size_t>(S::columns, 1));
  return {std::move(name), archive::number<typename S::Number>(), S::columns, offset};
}

template <class T>
Archive::Table Archive::table_of() {
  Table table{{}, sizeof(T)};
  if constexpr (archive::Plain<T>) {
    table.fields.push_back(field_of<T>("", 0));
  } else {
    T record{};
    fields(record, [&]<class M>(const char* name, M& member) {
      const auto offset = reinterpret_cast<const char*>(&member) - reinterpret_cast<const char*>(&record);
      table.fields.push_back(field_of<M>(name, static_cast<std::size_t>(offset)));
    });
  }
  return table;
}

template <class T>
void Archive::records(const std::string& name, T* data, std::size_t rows) {
  const Table table = table_of<T>();
  if (reads())
    read_records(name, table, data, rows);
  else
    write_records(name, table, data, rows);
}

template <class T>
void Archive::operator()(const std::string& name, T& value) {
  if constexpr (std::is_enum_v<T>) {
    auto number = static_cast<std::int64_t>(value);
    (*this)(name, number);
    value = static_cast<T>(number);
  } else if constexpr (std::is_same_v<T, std::string>) {
    text(name, value);
  } else if constexpr (archive::is_optional<T>) {
    bool there = value.has_value();
    (*this)(name + "_given", there);
    if (there && !value) value.emplace();
    if (there) (*this)(name, *value);
    if (!there) value.reset();
  } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
    std::size_t n = value.size();
    (*this)(name + "_count", n);
    if (reads()) value.resize(std::min<std::size_t>(n, 1'000'000));
    for (std::size_t k = 0; k < value.size(); ++k) text(name + "_" + std::to_string(k), value[k]);
  } else if constexpr (archive::is_list<T>) {
    if (reads()) value.resize(rows_of(name));
    records(name, value.data(), value.size());
  } else {
    if (reads() && rows_of(name) != 1) wrong(name, "is not a single value");
    records(name, &value, 1);
  }
}

}  // namespace scree::io
