// Text files that report each failure with its reason.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

namespace scree::io {

/// A text file open for writing from its start, or from a position on: then the rest is cut off. All
/// members throw WriteError with the system's reason.
class TextFile {
 public:
  explicit TextFile(const std::filesystem::path& path);
  /// `at`: bytes; the file must have at least this length.
  TextFile(std::filesystem::path path, std::int64_t at);
  /// Creates a file and replaces an existing one of that name: a symbolic link is replaced, not followed.
  static TextFile make_new(const std::filesystem::path& path);

  void write(std::string_view text);
  /// Passes all text to the operating system, so that it survives the end of this process.
  void flush();
  /// Position of the next text, bytes from the file's start.
  std::int64_t position() const { return position_; }
  /// Flushes, and puts everything on disk.
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

/// Writes `text` beside `path` and renames it to `path`: a reader sees the old file or the new one, never a
/// part. If `path` is not a regular file, such as /dev/stdout, it is written directly.
void write_whole_file(const std::filesystem::path& path, std::string_view text);

/// Appends a text to a file in one write, so that simultaneous appends do not mix. Creates the file if
/// it does not exist. Throws WriteError.
void append_text(const std::filesystem::path& path, std::string_view text);

/// Creates a folder and its parents if they do not exist. Throws WriteError.
void make_folder(const std::filesystem::path& folder);

/// Throws WriteError.
void rename_file(const std::filesystem::path& from, const std::filesystem::path& to);
/// Renames a complete file, and puts its name on disk. Throws WriteError.
void give_name(const std::filesystem::path& temporary, const std::filesystem::path& path);

/// The temporary name that write_whole_file() uses before it renames.
std::filesystem::path temporary_name(const std::filesystem::path& path);

/// CRC-32 of bytes, optionally continued from the value `before`; and of `most` bytes of a file from a
/// position on. Throws ReadError if it cannot be read.
std::uint32_t crc32_of(std::string_view bytes, std::uint32_t before = 0);
std::uint32_t crc32_of_file(const std::filesystem::path& path, std::size_t from = 0,
                            std::size_t most = std::numeric_limits<std::size_t>::max());
/// Eight hexadecimal digits.
std::string crc32_text(std::uint32_t crc);

/// Puts a file's bytes on disk. Throws WriteError.
void sync_file(const std::filesystem::path& path);
/// Puts the names in a folder on disk, if its file system supports that.
void sync_folder(const std::filesystem::path& folder);

}  // namespace scree::io
