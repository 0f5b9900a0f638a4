// Hands every file of corpus/<reader>/ to its reader, and each again with its end cut off: what libFuzzer
// once found stays found.
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <iterator>
#include <vector>

#include "tests/fuzz/readers.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  for (const scree::test::Reader& reader : scree::test::readers()) {
    const std::filesystem::path folder = std::filesystem::path(argv[1]) / reader.name;
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      std::ifstream stream(entry.path(), std::ios::binary);
      const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), {}};
      const auto* const data = reinterpret_cast<const std::uint8_t*>(bytes.data());
      for (const std::size_t size : {bytes.size(), bytes.size() / 2, std::size_t{0}})
        reader.read({data, size});
      ++files;
    }
    fmt::print("{}: {} files\n", reader.name, files);
    if (files == 0) return 1;
  }
}
