// A table that grows while a run goes on.
#pragma once

#include <chrono>
#include <string>

#include "io/files/text_file.h"

namespace scree::io {

/// A name as a field of a row: in quotes where it would not be one otherwise.
std::string csv_field(const std::string& name);

/// Rows reach the operating system about once a second and whole, so that a table can be watched while it
/// grows. Members throw WriteError.
class RowFile {
 public:
  /// A new one, or one that goes on after so many bytes (position()).
  RowFile(const std::filesystem::path& path, const std::string& header, std::int64_t at = 0);

  /// Where the next row's text, with its line end, is appended before end_row().
  std::string& pending() { return pending_; }
  void end_row();
  void flush();
  /// Puts all rows on disk; bytes that the file has then.
  std::int64_t sync();
  void close();

 private:
  TextFile file_;
  std::string pending_;
  std::chrono::steady_clock::time_point last_flush_;
};

}  // namespace scree::io
