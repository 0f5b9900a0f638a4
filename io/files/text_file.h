// Text files whose every failure is reported with its reason, and bytes as text.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <limits>
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

/// Appends a text to a file, whole and at once: two who do so at the same time do not mix. Makes the file if
/// it is not there. Throws WriteError.
void append_text(const std::filesystem::path& path, std::string_view text);

/// Makes a folder and those above it, where they are not there. Throws WriteError.
void make_folder(const std::filesystem::path& folder);

/// Throws WriteError.
void rename_file(const std::filesystem::path& from, const std::filesystem::path& to);
/// Renames a file that is whole, and puts its name on disk. Throws WriteError.
void give_name(const std::filesystem::path& temporary, const std::filesystem::path& path);

/// The name that write_whole_file() writes to before it renames.
std::filesystem::path temporary_name(const std::filesystem::path& path);

/// CRC-32 of bytes, after others of this one; and of `most` bytes of a file from a place on. Throws ReadError
/// if it cannot be read.
std::uint32_t crc32_of(std::string_view bytes, std::uint32_t before = 0);
std::uint32_t crc32_of_file(const std::filesystem::path& path, std::size_t from = 0,
                            std::size_t most = std::numeric_limits<std::size_t>::max());
/// Eight hexadecimal digits.
std::string crc32_text(std::uint32_t crc);

/// Puts a file's bytes on disk. Throws WriteError.
void sync_file(const std::filesystem::path& path);
/// Puts the names in a folder on disk, as far as its file system does that.
void sync_folder(const std::filesystem::path& folder);

/// Bytes as text (RFC 4648).
std::string base64(std::span<const std::uint8_t> bytes);

}  // namespace scree::io
