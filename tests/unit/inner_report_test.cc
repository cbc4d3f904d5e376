// What an mxc-exec elsewhere has written about its run.
#include "run/inner_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mxc {
namespace {

TEST(InnerReport, SaysHowTheCommandEnded) {
  const InnerReport report = ReadInnerReport(
      "{\"event\":\"backend\",\"backend\":\"namespaces\"}\n{\"event\":\"started\",\"pid\":7}\n"
      "{\"event\":\"outcome\",\"exitStatus\":137,\"exitCode\":137,\"signal\":9,\"timedOut\":false,"
      "\"interruptedBy\":null,\"limits\":{\"stdoutTruncated\":true,\"stderrTruncated\":false,"
      "\"reached\":[\"memory\",\"unknown\"]},\"durationMs\":42}\n");
  EXPECT_TRUE(report.started);
  ASSERT_TRUE(report.outcome);
  EXPECT_EQ(report.outcome->exit_code, 137);
  EXPECT_EQ(report.outcome->signal, 9);
  EXPECT_TRUE(report.outcome->stdout_truncated);
  EXPECT_FALSE(report.outcome->stderr_truncated);
  EXPECT_EQ(report.outcome->duration_ms, 42U);
  EXPECT_FALSE(report.outcome->cpu_time_out);
  EXPECT_THAT(report.outcome->reached, testing::ElementsAre(Resource::kMemory));
}

TEST(InnerReport, SaysWhatHeldIt) {
  const auto inside = [](const std::string& rest) {
    return ReadInnerReport("{\"event\":\"outcome\",\"exitCode\":0" + rest + "}\n").outcome->inside;
  };
  EXPECT_FALSE(inside("").has_value());
  const std::optional<InnerEngine> engine = inside(R"(,"backend":"bubblewrap","tier":"container")");
  ASSERT_TRUE(engine.has_value());
  EXPECT_EQ(engine->name, "wsl-bwrap");
  EXPECT_EQ(engine->tier, "container");
}

TEST(InnerReport, TellsApartWhoEndedIt) {
  const auto outcome = [](const std::string& rest) {
    return *ReadInnerReport("{\"event\":\"outcome\",\"exitCode\":null," + rest + "}\n").outcome;
  };
  EXPECT_TRUE(outcome("\"timedOut\":true").timed_out);
  EXPECT_EQ(outcome("\"timedOut\":false,\"interruptedBy\":15").interrupted_by, 15);
  EXPECT_TRUE(outcome("\"timedOut\":false,\"interruptedBy\":null").cpu_time_out);
}

TEST(InnerReport, HandsARefusalOn) {
  const InnerReport report = ReadInnerReport(
      "{\"event\":\"error\",\"exitStatus\":255,\"error\":{\"code\":\"policy_validation\",\"kind\":"
      "\"unenforceable\",\"message\":\"no\",\"hint\":\"do\"}}\n");
  EXPECT_FALSE(report.started);
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->code, ErrorCode::kUnenforceable);
  EXPECT_EQ(report.error->message, "no");
  EXPECT_EQ(report.error->hint, "do");
}

TEST(InnerReport, BelievesNothingElse) {
  for (const char* text :
       {"", "{", "[]\n", "null\n", "{\"event\":5}\n", "\xff\n", "{\"event\":\"outcome\"}"}) {
    const InnerReport report = ReadInnerReport(text);
    EXPECT_FALSE(report.outcome || report.error || report.started) << text;
  }
}

}  // namespace
}  // namespace mxc
