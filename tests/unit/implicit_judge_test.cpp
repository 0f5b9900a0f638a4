// The fast search for contacts compared with the certified one, at full size. SCREE_JUDGE_PAIRS sets the
// number of pairs.
#include <cstdlib>

#include "tests/support/implicit_pairs.h"

namespace scree {
namespace {

TEST(ImplicitContacts, AgreeWithTheCertifiedSearch) {
  const char* given = std::getenv("SCREE_JUDGE_PAIRS");
  const test::Judgement j =
      test::judge(test::made_library(), given != nullptr ? std::atoi(given) : 100000, 11);
  std::printf("%s\n", j.text().c_str());
  EXPECT_EQ(j.missed, 0);
  EXPECT_LE(j.missed_deep, j.certified / 5000);
  EXPECT_LT(j.point_error, 1e-6);
  EXPECT_LT(j.normal_error, 1e-6);
}

}  // namespace
}  // namespace scree
