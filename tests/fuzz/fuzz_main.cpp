// One reader under libFuzzer, selected by SCREE_FUZZ_READER.
#include <algorithm>

#include "tests/fuzz/readers.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const scree::test::Reader& reader =
      *std::ranges::find(scree::test::readers(), SCREE_FUZZ_READER, &scree::test::Reader::name);
  reader.read({data, size});
  return 0;
}
