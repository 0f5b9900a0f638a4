#include "io/results/row_file.h"

#include <charconv>
#include <fmt/format.h>
#include <fstream>

#include "io/files/file_errors.h"

namespace scree::io {

namespace {

// Rows are written when this size or this time is reached, whichever comes first.
constexpr std::size_t flush_bytes = 1 << 16;
constexpr std::chrono::seconds flush_interval{1};

/// The checksum of a table that is continued. Throws WriteError if its first bytes are not those that were
/// written.
std::uint32_t checksum_at(const std::filesystem::path& path, std::int64_t at) {
  if (at <= 0) return 0;
  const std::uint32_t now = crc32_of_file(path, 0, static_cast<std::size_t>(at));
  const auto known = table_checksums(table_checksums_name(path));
  if (const auto sums = known.find(path.filename().string()); sums != known.end())
    for (const TableChecksum& sum : sums->second)
      if (sum.bytes == at && sum.crc32 != now)
        throw WriteError(
            fmt::format("cannot continue {}: its rows have changed since they were written; `scree verify` "
                        "reports details",
                        path.string()));
  return now;
}

}  // namespace

std::filesystem::path table_checksums_name(const std::filesystem::path& table) {
  return table.parent_path() / "tables.crc32";
}

std::string table_checksum_line(const std::string& table, const TableChecksum& sum) {
  return fmt::format("{} {} {}\n", table, sum.bytes, crc32_text(sum.crc32));
}

std::map<std::string, std::vector<TableChecksum>> table_checksums(const std::filesystem::path& file) {
  std::map<std::string, std::vector<TableChecksum>> found;
  std::ifstream stream(file, std::ios::binary);
  for (std::string line; std::getline(stream, line) && !stream.eof();) {
    const std::size_t first = line.find(' '), second = line.find(' ', first + 1);
    if (second == std::string::npos) continue;
    TableChecksum sum;
    const char* const begin = line.data();
    const char* const end = begin + line.size();
    if (std::from_chars(begin + first + 1, begin + second, sum.bytes).ptr != begin + second ||
        std::from_chars(begin + second + 1, end, sum.crc32, 16).ptr != end)
      continue;
    std::vector<TableChecksum>& sums = found[line.substr(0, first)];
    while (!sums.empty() && sums.back().bytes >= sum.bytes)
      sums.pop_back();  // the table was continued from there
    sums.push_back(sum);
  }
  return found;
}

std::string csv_field(const std::string& name) {
  if (name.find_first_of(",\"\n") == std::string::npos) return name;
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

RowFile::RowFile(const std::filesystem::path& path, const std::string& header, std::int64_t at)
    : path_(path),
      crc32_(checksum_at(path, at)),
      file_(at > 0 ? TextFile(path, at) : TextFile(path)),
      last_flush_(std::chrono::steady_clock::now()) {
  if (at == 0) pending_ = header + "\n";
  if (at > 0)
    append_text(table_checksums_name(path_), table_checksum_line(path_.filename().string(), {at, crc32_}));
  flush();
}

void RowFile::end_row() {
  if (pending_.size() >= flush_bytes || std::chrono::steady_clock::now() - last_flush_ >= flush_interval)
    flush();
}

void RowFile::flush() {
  if (!pending_.empty()) {
    crc32_ = crc32_of(pending_, crc32_);
    const TableChecksum sum{file_.position() + static_cast<std::int64_t>(pending_.size()), crc32_};
    append_text(table_checksums_name(path_), table_checksum_line(path_.filename().string(), sum));
  }
  file_.write(pending_);
  file_.flush();
  pending_.clear();
  last_flush_ = std::chrono::steady_clock::now();
}

std::int64_t RowFile::sync() {
  flush();
  file_.sync();
  return file_.position();
}

void RowFile::close() {
  flush();
  file_.close();
}

}  // namespace scree::io
