#include "tests/support/golden_file.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/line_difference.h"

namespace mxc::test::golden_file_test {
namespace {

TEST(LineDifference, ShowsWhatIsGoneAndWhatIsNew) {
  EXPECT_EQ(LineDifference("a\nb\nc\n", "a\nB\nc\n"), "-b\n+B\n");
  EXPECT_EQ(LineDifference("a\nb\nc\n", "a\nc\n"), "-b\n");
  EXPECT_EQ(LineDifference("a\nb\n", "a\nx\ny\nb\n"), " a\n+x\n+y\n");
  EXPECT_EQ(LineDifference("a\n", "x\na\n"), "+x\n");
  EXPECT_EQ(LineDifference("a\n", "a\n"), "");
  EXPECT_EQ(LineDifference("", "a\nb\n"), "+a\n+b\n");
}

TEST(LineDifference, SaysWhichOfSeveralEqualLines) {
  EXPECT_EQ(LineDifference("a\nx\nb\nx\n", "a\nx\nb\n"), " b\n-x\n");
  EXPECT_EQ(LineDifference("x\nx\nx\n", "x\nx\ny\nx\n"), " x\n x\n+y\n");
}

// Every text of up to four lines of three kinds, from every other.
TEST(LineDifference, LeadsFromEveryTextToEveryOther) {
  std::vector<std::string> texts = {""};
  for (std::size_t i = 0; texts.size() < 1 + 3 + 9 + 27 + 81; ++i) {
    for (const char* line : {"\n", "a\n", "-\n"}) texts.push_back(texts[i] + line);
  }
  for (const std::string& from : texts) {
    for (const std::string& to : texts) ASSERT_EQ(WithDifference(from, LineDifference(from, to)), to) << from;
  }
}

TEST(LineDifference, IsOfOneTextOnly) {
  EXPECT_EQ(WithDifference("a\nb\n", "-c\n"), std::nullopt);
  EXPECT_EQ(WithDifference("a\nb\n", " c\n+d\n"), std::nullopt);
  EXPECT_EQ(WithDifference("a\nb\n", "-b\n-a\n"), std::nullopt);
}

TEST(GoldenFile, BackendsWithTheSameDifferencesShareThem) {
  const std::string text =
      "one, three: like nothing\n"
      " a\n"
      "+b\n"
      "\n"
      "two:\n"
      "+refused\n"
      "\n"
      "four: like other\n";
  const std::vector<GoldenPlan> plans = ReadGoldenPlans(text);
  ASSERT_EQ(plans.size(), 4U);
  EXPECT_EQ(plans[1].backend, "three");
  EXPECT_EQ(plans[1].like, "nothing");
  EXPECT_EQ(plans[1].difference, " a\n+b\n");
  EXPECT_EQ(plans[2].like, "");
  EXPECT_EQ(plans[3].difference, "");
  EXPECT_EQ(WriteGoldenPlans(plans), text);
}

}  // namespace
}  // namespace mxc::test::golden_file_test
