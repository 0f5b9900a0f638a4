// Compressed numbers for a page.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace scree::io {

/// zlib's format (RFC 1950), which browsers unpack as "deflate".
std::vector<std::uint8_t> deflated(std::span<const std::uint8_t> bytes);

/// Frames of `row` 16-bit numbers each: each frame except the first as the difference to the one before
/// (modulo 2^16), all low bytes before all high bytes, deflated, base64.
std::string packed_frames(const std::vector<std::uint16_t>& values, std::size_t row);
/// Frames of `row` bytes each, in the same way.
std::string packed_frames(const std::vector<std::uint8_t>& values, std::size_t row);
/// Deflated, base64.
std::string packed(std::span<const float> values);

}  // namespace scree::io
