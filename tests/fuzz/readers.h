// Readers of files, each as a function of bytes that throws no exception for any bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace scree::test {

struct Reader {
  std::string_view name;  // of its folder in corpus/
  void (*read)(std::span<const std::uint8_t> bytes);
};

std::span<const Reader> readers();

}  // namespace scree::test
