// Text files whose every failure is reported with its reason, and bytes as text.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace scree::io {

/// A text file open for writing from its start, or from a place on: what comes after it is cut off. All
/// members throw WriteError with the system's reason.
class TextFile {
 public:
  explicit TextFile(const std::filesystem::path& path);
  /// `at`: bytes; the file must have as many.
  TextFile(std::filesystem::path path, std::int64_t at);
  /// A new file in place of what has that name: a symbolic link is replaced, not followed.
  static TextFile make_new(const std::filesystem::path& path);

  void write(std::string_view text);
  /// Hands everything written so far to the operating system, so that it survives the end of this process.
  void flush();
  /// Bytes from the file's start to where the next text goes.
  std::int64_t position() const { return position_; }
  /// Flushes, and puts all on disk.
  void sync();
  /// Flushes and closes; needed because a destructor cannot report a full disk.
  void close();

 private:
  TextFile(std::filesystem::path path, std::FILE* file);
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::filesystem::path path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::int64_t position_ = 0;
};

/// Writes `text` beside `path` and renames it over `path`: a reader sees the old file or the new one, never a
/// part. What is no file, such as /dev/stdout, is written to as it is.
void write_whole_file(const std::filesystem::path& path, std::string_view text);

/// Makes a folder and those above it, where they are not there. Throws WriteError.
void make_folder(const std::filesystem::path& folder);

/// Renames a file that is whole, and puts its name on disk. Throws WriteError.
void give_name(const std::filesystem::path& temporary, const std::filesystem::path& path);

/// The name that write_whole_file() writes to before it renames.
std::filesystem::path temporary_name(const std::filesystem::path& path);

/// CRC-32 of bytes, and of those of a file from a place on: 0 if it cannot be read; eight hexadecimal digits.
std::uint32_t crc32_of(std::string_view bytes);
std::uint32_t crc32_of_file(const std::filesystem::path& path, std::size_t from = 0);
std::string crc32_text(std::uint32_t crc);

/// Puts a file's bytes on disk. Throws WriteError.
void sync_file(const std::filesystem::path& path);
/// Puts the names in a folder on disk, as far as its file system does that.
void sync_folder(const std::filesystem::path& folder);

/// Bytes as text (RFC 4648).
std::string base64(std::span<const std::uint8_t> bytes);

}  // namespace scree::io
