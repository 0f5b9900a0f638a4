// Passes every file of corpus/<reader>/ to its reader, complete and without its end: findings of libFuzzer
// stay fixed. With a number, also that many random changes of these files, in any build: fuzz_replay CORPUS
// [CHANGES_PER_READER] [READER].
#include <cstdlib>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "tests/fuzz/readers.h"

namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes changed(Bytes bytes, std::mt19937_64& random) {
  for (auto changes = 1 + random() % 8; changes > 0; --changes) {
    const std::size_t at = bytes.empty() ? 0 : random() % bytes.size();
    const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    const auto kind = random() % 4;
    if (kind == 0 || bytes.empty())
      bytes.insert(place, static_cast<std::uint8_t>(random()));
    else if (kind == 1)
      bytes.erase(place);
    else
      *place = static_cast<std::uint8_t>(random());
  }
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  for (const scree::test::Reader& reader : scree::test::readers()) {
    if (argc > 3 && reader.name != argv[3]) continue;
    std::vector<Bytes> files;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(argv[1]) / reader.name)) {
      std::ifstream stream(entry.path(), std::ios::binary);
      const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), {}};
      files.emplace_back(bytes.begin(), bytes.end());
    }
    if (files.empty()) return 1;
    for (const Bytes& file : files) {
      for (const std::size_t size : {file.size(), file.size() / 2, std::size_t{0}})
        reader.read({file.data(), size});
    }
    std::mt19937_64 random(1);
    const long changes = argc > 2 ? std::atol(argv[2]) : 0;
    for (long k = 0; k < changes; ++k) reader.read(changed(files[random() % files.size()], random));
    fmt::print("{}: {} files, {} changes\n", reader.name, files.size(), changes);
  }
}
