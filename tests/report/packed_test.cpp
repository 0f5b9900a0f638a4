#include "io/report/packed.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include "engine/core/random.h"
#include "io/files/base64.h"

namespace scree::test {

namespace {

std::vector<std::uint8_t> from_base64(const std::string& text) {
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<std::uint8_t> bytes;
  std::uint32_t group = 0;
  int bits = 0;
  for (const char c : text) {
    if (c == '=') break;
    group = group << 6 | static_cast<std::uint32_t>(letters.find(c));
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push_back(static_cast<std::uint8_t>(group >> bits & 255u));
  }
  return bytes;
}

std::vector<std::uint8_t> inflated(const std::vector<std::uint8_t>& packed, std::size_t size) {
  std::vector<std::uint8_t> bytes(size);
  uLongf length = static_cast<uLongf>(size);
  EXPECT_EQ(uncompress(bytes.data(), &length, packed.data(), static_cast<uLong>(packed.size())), Z_OK);
  EXPECT_EQ(length, size);
  return bytes;
}

}  // namespace

TEST(Packed, Base64IsThatOfRfc4648) {
  const auto of = [](std::string_view text) {
    return io::base64({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  };
  EXPECT_EQ(of(""), "");
  EXPECT_EQ(of("f"), "Zg==");
  EXPECT_EQ(of("fo"), "Zm8=");
  EXPECT_EQ(of("foob"), "Zm9vYg==");
  EXPECT_EQ(of("foobar"), "Zm9vYmFy");
}

TEST(Packed, FramesRoundTrip) {
  Random random(2);
  constexpr std::size_t row = 7, frames = 5;
  std::vector<std::uint16_t> values;
  for (std::size_t i = 0; i < row * frames; ++i) {
    values.push_back(static_cast<std::uint16_t>(random.uniform(0.0, 65535.0)));
  }
  const auto bytes = inflated(from_base64(io::packed_frames(values, row)), 2 * values.size());
  std::vector<std::uint16_t> read;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto change = static_cast<std::uint16_t>(bytes[i] | bytes[values.size() + i] << 8);
    read.push_back(static_cast<std::uint16_t>(change + (i >= row ? read[i - row] : 0)));
  }
  EXPECT_EQ(read, values);
}

TEST(Packed, ConstantValuesCompressWell) {
  std::vector<std::uint16_t> values(100 * 3000, 12345);
  EXPECT_LT(io::packed_frames(values, 3000).size(), 2000u);
}

}  // namespace scree::test
