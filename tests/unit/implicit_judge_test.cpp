// The fast search for contacts compared with the certified one, on more pairs with SCREE_LONG_TESTS.
#include <cstdlib>

#include "tests/support/implicit_pairs.h"
#include "tests/support/long_tests.h"

namespace scree {
namespace {

TEST(ImplicitContacts, AgreeWithTheCertifiedSearch) {
  const test::Judgement j = test::judge(test::made_library(), test::repeats(10000, 100000), 11);
  std::printf("%s\n", j.text().c_str());
  EXPECT_EQ(j.missed, 0);
  EXPECT_LE(j.missed_deep, j.certified / 5000);
  EXPECT_LT(j.point_error, 1e-6);
  EXPECT_LT(j.normal_error, 1e-6);
}

}  // namespace
}  // namespace scree
