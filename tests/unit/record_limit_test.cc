// How many records a command can cause.
#include "gateway/rules/record_limit.h"

#include <gtest/gtest.h>

namespace mxc::egress::record_limit_test {
namespace {

using Fate = RecordLimit::Fate;

GatewayRecord Refused(const std::string& name, GatewayEvent event = GatewayEvent::kName) {
  return {.event = event, .verdict = RuleAction::kDeny, .name = name, .reason = "no rule allows it"};
}

TEST(RecordLimit, CountsWhatComesAgain) {
  RecordLimit limit;
  EXPECT_EQ(limit.Look(Refused("a.test"), 1), Fate::kWrite);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(limit.Look(Refused("a.test"), 1), Fate::kRepeat);
  GatewayRecord other = Refused("a.test");
  other.reason = "denied by a rule";
  EXPECT_EQ(limit.Look(other, 1), Fate::kWrite);
  const auto repeats = limit.TakeRepeats();
  ASSERT_EQ(repeats.size(), 1U);
  EXPECT_EQ(repeats[0].name, "a.test");
  EXPECT_EQ(repeats[0].lost, 4U);
  EXPECT_TRUE(limit.TakeRepeats().empty());
}

TEST(RecordLimit, AFloodOfOneKindHidesNoOther) {
  RecordLimit limit;
  std::size_t written = 0;
  for (int i = 0; i < 100000; ++i)
    written += limit.Look(Refused("n" + std::to_string(i)), 1) == Fate::kWrite ? 1U : 0U;
  EXPECT_EQ(written, RecordLimit::kMaxRefusals);
  EXPECT_EQ(limit.Look(Refused("a.test", GatewayEvent::kConnection), 1), Fate::kWrite);
  EXPECT_EQ(limit.Look({.verdict = RuleAction::kAllow, .name = "a.test"}, 1), Fate::kWrite);
  EXPECT_FALSE(limit.IsDayOver(RecordLimit::kDayMs));
  EXPECT_TRUE(limit.IsDayOver(RecordLimit::kDayMs + 1));
  (void)limit.TakeRepeats();
  EXPECT_EQ(limit.Look(Refused("n99999"), 1), Fate::kWrite);
}

TEST(RecordLimit, WhatIsLetThroughIsWrittenUpToARate) {
  RecordLimit limit;
  const GatewayRecord passed{.verdict = RuleAction::kAllow, .name = "a.test"};
  for (std::uint64_t i = 0; i < RecordLimit::kMaxAllowed; ++i) ASSERT_EQ(limit.Look(passed, 1), Fate::kWrite);
  EXPECT_EQ(limit.Look(passed, 500), Fate::kLeaveOut);
  EXPECT_EQ(limit.Look(passed, 2001), Fate::kWrite);
  EXPECT_EQ(limit.Look(passed, 2002), Fate::kWrite);
  EXPECT_EQ(limit.Look(passed, 2003), Fate::kLeaveOut);
}

}  // namespace
}  // namespace mxc::egress::record_limit_test
