// A table that grows during a run.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "io/files/text_file.h"

namespace scree::io {

/// A name as a field of a row: in quotes if it needs them.
std::string csv_field(const std::string& name);

/// Length of a table at one time, bytes, and the CRC-32 of this part.
struct TableChecksum {
  std::int64_t bytes = 0;
  std::uint32_t crc32 = 0;
};
/// The content of tables.crc32 for the tables of its folder, by name, the shortest first. An incomplete line
/// is left out.
std::map<std::string, std::vector<TableChecksum>> table_checksums(const std::filesystem::path& file);
/// One line of it.
std::string table_checksum_line(const std::string& table, const TableChecksum& sum);
/// The file with the checksums of a table, in the same folder.
std::filesystem::path table_checksums_name(const std::filesystem::path& table);

/// Complete rows reach the operating system about once a second, so that a table can be watched while it
/// grows. Before that, tables.crc32 gets the checksum of the table with these rows. So a checksum covers each
/// row of a table, however the program ends. Members throw WriteError.
class RowFile {
 public:
  /// Creates a table, or continues one after this number of bytes (position()). Throws WriteError if these
  /// are not the bytes that were written.
  RowFile(const std::filesystem::path& path, const std::string& header, std::int64_t at = 0);

  /// The text to which the next row, with its line end, is appended before end_row().
  std::string& pending() { return pending_; }
  /// To be called after a row, or after all rows of a step.
  void end_row();
  void flush();
  /// Puts all rows on disk; returns the length of the file, bytes.
  std::int64_t sync();
  void close();

 private:
  std::filesystem::path path_;
  std::uint32_t crc32_ = 0;  // of the written text
  TextFile file_;
  std::string pending_;
  std::chrono::steady_clock::time_point last_flush_;
};

}  // namespace scree::io
