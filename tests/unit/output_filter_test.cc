// What is passed on of a command's output, whatever system it comes through.
#include "stdio/output_filter.h"

#include <gtest/gtest.h>

namespace mxc::output_filter_test {
namespace {

std::string Fed(OutputFilter& filter, const std::string& bytes) {
  std::string out;
  filter.Feed(bytes, out);
  return out;
}

TEST(OutputFilter, PassesEverythingOn) {
  OutputFilter filter;
  EXPECT_EQ(Fed(filter, std::string("a\0b\r\n", 5)), std::string("a\0b\r\n", 5));
  EXPECT_FALSE(filter.Truncated());
}

TEST(OutputFilter, CutsAndCountsWhatComesOut) {
  OutputFilter filter(4);
  EXPECT_EQ(Fed(filter, "abc"), "abc");
  EXPECT_FALSE(filter.Truncated());
  EXPECT_EQ(Fed(filter, "de"), "d");
  EXPECT_TRUE(filter.Truncated());
  EXPECT_EQ(Fed(filter, "f"), "");
  std::string out;
  filter.Append("ours", out);
  EXPECT_EQ(out, "");
}

TEST(OutputFilter, RedactsBeforeItCuts) {
  Plan plan{.launch = DirectLaunch{
                .command = {.environment = {{.name = "API_TOKEN", .value = Secret{"hush-hush-hush"}}}}}};
  plan.output = {.max_bytes = 14, .redact_secrets = true};
  OutputFilter filter = FilterFor(plan);
  std::string out = Fed(filter, "x hush-hu");
  EXPECT_EQ(out.find("hush"), std::string::npos);
  EXPECT_TRUE(filter.Holding());
  filter.Feed("sh-hush and more", out);
  filter.Finish(out);
  EXPECT_EQ(out, "x [REDACTED] a");
  EXPECT_TRUE(filter.Truncated());
}

TEST(OutputFilter, KeepsTheHeadForMessages) {
  OutputFilter filter;
  Fed(filter, std::string(1020, 'a'));
  Fed(filter, "bcdefg");
  EXPECT_EQ(filter.Head(), std::string(1020, 'a') + "bcde");
}

}  // namespace
}  // namespace mxc::output_filter_test
