#include "io/report/packed.h"

#include <stdexcept>
#include <zlib.h>

#include "io/files/base64.h"

namespace scree::io {

namespace {

template <class T>
std::vector<T> differences(const std::vector<T>& values, std::size_t row) {
  std::vector<T> result(values);
  for (std::size_t i = row; i < values.size(); ++i) result[i] = static_cast<T>(values[i] - values[i - row]);
  return result;
}

}  // namespace

std::vector<std::uint8_t> deflated(std::span<const std::uint8_t> bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::vector<std::uint8_t> result(size);
  const int status =
      compress2(result.data(), &size, bytes.data(), static_cast<uLong>(bytes.size()), Z_DEFAULT_COMPRESSION);
  if (status != Z_OK) throw std::runtime_error("zlib: " + std::to_string(status));
  result.resize(size);
  return result;
}

std::string packed_frames(const std::vector<std::uint16_t>& values, std::size_t row) {
  const std::vector<std::uint16_t> change = differences(values, row);
  std::vector<std::uint8_t> bytes(2 * change.size());
  for (std::size_t i = 0; i < change.size(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(change[i] & 255u);
    bytes[change.size() + i] = static_cast<std::uint8_t>(change[i] >> 8);
  }
  return base64(deflated(bytes));
}

std::string packed_frames(const std::vector<std::uint8_t>& values, std::size_t row) {
  return base64(deflated(differences(values, row)));
}

std::string packed(std::span<const float> values) {
  return base64(deflated({reinterpret_cast<const std::uint8_t*>(values.data()), values.size_bytes()}));
}

}  // namespace scree::io
