#include "io/files/text_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <vector>
#include <zlib.h>

#include "io/files/file_errors.h"

namespace scree::io {

namespace {

[[noreturn]] void fail(const std::filesystem::path& path, int error) {
  throw WriteError("cannot write " + path.string() + ": " + std::strerror(error));
}

}  // namespace

void rename_file(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) fail(to, errno);
}

TextFile::TextFile(std::filesystem::path path, std::FILE* file) : path_(std::move(path)), file_(file) {
  if (!file_) fail(path_, errno);
}

TextFile::TextFile(std::filesystem::path path, std::int64_t at)
    : path_(std::move(path)), file_(std::fopen(path_.c_str(), "r+b")), position_(at) {
  if (!file_ || std::fseek(file_.get(), 0, SEEK_END) != 0) fail(path_, errno);
  if (std::ftell(file_.get()) < at)
    throw WriteError("cannot continue " + path_.string() + ": it is shorter than before");
  if (ftruncate(fileno(file_.get()), at) != 0 || std::fseek(file_.get(), at, SEEK_SET) != 0)
    fail(path_, errno);
}

TextFile::TextFile(const std::filesystem::path& path) : TextFile(path, std::fopen(path.c_str(), "wb")) {}

TextFile TextFile::make_new(const std::filesystem::path& path) {
  if (unlink(path.c_str()) != 0 && errno != ENOENT) fail(path, errno);
  return {path, std::fopen(path.c_str(), "wbx")};  // x: O_EXCL, which does not follow links
}

void TextFile::write(std::string_view text) {
  position_ += static_cast<std::int64_t>(text.size());
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) fail(path_, errno);
}

void TextFile::flush() {
  if (std::fflush(file_.get()) != 0) fail(path_, errno);
}

void TextFile::sync() {
  flush();
  if (fsync(fileno(file_.get())) != 0) fail(path_, errno);
}

void TextFile::close() {
  if (file_ && std::fclose(file_.release()) != 0) fail(path_, errno);
}

std::filesystem::path temporary_name(const std::filesystem::path& path) { return path.string() + ".tmp"; }

void write_whole_file(const std::filesystem::path& path, std::string_view text) {
  std::error_code error;
  const auto there = std::filesystem::status(path, error);
  if (std::filesystem::exists(there) && !std::filesystem::is_regular_file(there) &&
      !std::filesystem::is_directory(there)) {
    TextFile file(path);
    file.write(text);
    return file.close();
  }
  const std::filesystem::path temporary = temporary_name(path);
  try {
    TextFile file = TextFile::make_new(temporary);
    file.write(text);
    file.close();
  } catch (const WriteError&) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw;
  }
  rename_file(temporary, path);
}

void append_text(const std::filesystem::path& path, std::string_view text) {
  const int file = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) fail(path, errno);
  ssize_t written = 0;
  while ((written = write(file, text.data(), text.size())) < 0 && errno == EINTR) {
  }
  const int error = written < 0 ? errno : ENOSPC;  // only a part of a line: the disk is full
  close(file);
  if (written != static_cast<ssize_t>(text.size())) fail(path, error);
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) fail(folder, error.value());
}

void give_name(const std::filesystem::path& temporary, const std::filesystem::path& path) {
  rename_file(temporary, path);
  sync_folder(path.parent_path());
}

std::uint32_t crc32_of(std::string_view bytes, std::uint32_t before) {
  return static_cast<std::uint32_t>(
      crc32_z(before, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

std::string crc32_text(std::uint32_t crc) { return fmt::format("{:08x}", crc); }

std::uint32_t crc32_of_file(const std::filesystem::path& path, std::size_t from, std::size_t most) {
  const auto unread = [&] { throw ReadError("cannot read " + path.string() + ": " + std::strerror(errno)); };
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rb"));
  if (!file || std::fseek(file.get(), static_cast<long>(from), SEEK_SET) != 0) unread();
  std::uint32_t crc = 0;
  std::vector<unsigned char> block(1 << 20);
  while (most > 0) {
    const std::size_t n = std::fread(block.data(), 1, std::min(block.size(), most), file.get());
    if (n == 0) break;
    crc = static_cast<std::uint32_t>(crc32_z(crc, block.data(), n));
    most -= n;
  }
  if (std::ferror(file.get()) != 0) unread();
  return crc;
}

void sync_file(const std::filesystem::path& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool done = descriptor >= 0 && fsync(descriptor) == 0;
  const int error = errno;
  if (descriptor >= 0) close(descriptor);
  if (!done) fail(path, error);
}

void sync_folder(const std::filesystem::path& folder) {
  const int descriptor = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

}  // namespace scree::io
