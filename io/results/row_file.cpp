#include "io/results/row_file.h"

namespace scree::io {

namespace {

// Rows are handed on when this much has gathered or this much time has passed, whichever comes first.
constexpr std::size_t flush_bytes = 1 << 16;
constexpr std::chrono::seconds flush_interval{1};

}  // namespace

std::string csv_field(const std::string& name) {
  if (name.find_first_of(",\"\n") == std::string::npos) return name;
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

RowFile::RowFile(const std::filesystem::path& path, const std::string& header, std::int64_t at)
    : file_(at > 0 ? TextFile(path, at) : TextFile(path)), last_flush_(std::chrono::steady_clock::now()) {
  if (at == 0) pending_ = header + "\n";
  flush();
}

void RowFile::end_row() {
  if (pending_.size() >= flush_bytes || std::chrono::steady_clock::now() - last_flush_ >= flush_interval)
    flush();
}

void RowFile::flush() {
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
