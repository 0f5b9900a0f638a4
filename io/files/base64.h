// Bytes as text (RFC 4648).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace scree::io {

/// The digits of three bytes. Returns the place after them.
inline char* base64_group(unsigned a, unsigned b, unsigned c, char* to) {
  constexpr const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned bits = a << 16 | b << 8 | c;
  for (const int shift : {18, 12, 6, 0}) *to++ = digits[bits >> shift & 63u];
  return to;
}

/// The whole text, filled up to a multiple of four characters.
inline std::string base64(std::span<const std::uint8_t> bytes) {
  std::string text((bytes.size() + 2) / 3 * 4, '=');
  char* to = text.data();
  for (; bytes.size() >= 3; bytes = bytes.subspan(3)) to = base64_group(bytes[0], bytes[1], bytes[2], to);
  if (bytes.empty()) return text;
  base64_group(bytes[0], bytes.size() > 1 ? bytes[1] : 0u, 0u, to);
  for (std::size_t k = bytes.size() + 1; k < 4; ++k) to[k] = '=';
  return text;
}

}  // namespace scree::io
