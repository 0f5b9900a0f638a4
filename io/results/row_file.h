// A table that grows while a run goes on.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "io/files/text_file.h"

namespace scree::io {

/// A name as a field of a row: in quotes where it would not be one otherwise.
std::string csv_field(const std::string& name);

/// How long a table was at a moment, bytes, and the CRC-32 of all of them.
struct TableChecksum {
  std::int64_t bytes = 0;
  std::uint32_t crc32 = 0;
};
/// What tables.crc32 says of the tables of its folder, by name, the shortest first. A line that is not whole
/// is left out.
std::map<std::string, std::vector<TableChecksum>> table_checksums(const std::filesystem::path& file);
/// One line of it.
std::string table_checksum_line(const std::string& table, const TableChecksum& sum);
/// Where the checksums of a table are: beside it.
std::filesystem::path table_checksums_name(const std::filesystem::path& table);

/// Rows reach the operating system about once a second and whole, so that a table can be watched while it
/// grows. Before they do, tables.crc32 gets the checksum that the table will have with them: whatever ends
/// the program, every row that a table holds is covered by one. Members throw WriteError.
class RowFile {
 public:
  /// A new one, or one that goes on after so many bytes (position()). Throws WriteError if those are not the
  /// bytes that were written.
  RowFile(const std::filesystem::path& path, const std::string& header, std::int64_t at = 0);

  /// Where the next row's text, with its line end, is appended before end_row().
  std::string& pending() { return pending_; }
  /// After the row, or as many as belong to a step.
  void end_row();
  void flush();
  /// Puts all rows on disk; bytes that the file has then.
  std::int64_t sync();
  void close();

 private:
  std::filesystem::path path_;
  std::uint32_t crc32_ = 0;  // of what was handed on
  TextFile file_;
  std::string pending_;
  std::chrono::steady_clock::time_point last_flush_;
};

}  // namespace scree::io
