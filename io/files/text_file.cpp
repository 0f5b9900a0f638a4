#include "io/files/text_file.h"

#include <cerrno>
#include <cstring>

#include "io/files/file_errors.h"

namespace scree::io {

namespace {

[[noreturn]] void fail(const std::filesystem::path& path, int error) {
  throw WriteError("cannot write " + path.string() + ": " + std::strerror(error));
}

}  // namespace

TextFile::TextFile(std::filesystem::path path)
    : path_(std::move(path)), file_(std::fopen(path_.c_str(), "wb")) {
  if (!file_) fail(path_, errno);
}

void TextFile::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) fail(path_, errno);
}

void TextFile::flush() {
  if (std::fflush(file_.get()) != 0) fail(path_, errno);
}

void TextFile::close() {
  if (file_ && std::fclose(file_.release()) != 0) fail(path_, errno);
}

std::filesystem::path temporary_name(const std::filesystem::path& path) { return path.string() + ".tmp"; }

void write_whole_file(const std::filesystem::path& path, std::string_view text) {
  const std::filesystem::path temporary = temporary_name(path);
  try {
    TextFile file(temporary);
    file.write(text);
    file.close();
  } catch (const WriteError&) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw;
  }
  std::error_code error;
  std::filesystem::rename(temporary, path, error);
  if (error) throw WriteError("cannot write " + path.string() + ": " + error.message());
}

std::string base64(std::span<const std::uint8_t> bytes) {
  constexpr char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text((bytes.size() + 2) / 3 * 4, '=');
  char* out = text.data();
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) group = group << 8 | (k < n ? bytes[i + k] : 0u);
    for (std::size_t k = 0; k <= n; ++k) out[k] = letters[group >> (18 - 6 * k) & 63u];
    out += 4;
  }
  return text;
}

}  // namespace scree::io
