// What an mxc-exec elsewhere has written about its run.
#include "run/inner_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mxc::inner_report_test {
namespace {

constexpr const char* kOutcome =
    R"({"event":"outcome","exitStatus":0,"exitCode":0,"signal":null,"timedOut":false,"interruptedBy":null,)"
    R"("limits":{"stdoutTruncated":false,"stderrTruncated":false,"reached":[]},"durationMs":61,)"
    R"("backend":"namespaces","tier":"container","rung":"namespaces","notCovered":[],"realIsolation":true,)"
    R"("run":"x","policyHash":"sha256:x","ledger":[]})";

// The outcome with other text in it.
std::string With(std::string from, const std::string& to) {
  std::string text = kOutcome;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

InnerReport Read(const std::string& line) { return ReadInnerReport(line + "\n"); }

TEST(InnerReport, SaysHowTheCommandEnded) {
  const InnerReport report = ReadInnerReport(
      "{\"event\":\"backend\",\"backend\":\"namespaces\"}\n{\"event\":\"started\",\"pid\":7}\n"
      "{\"event\":\"outcome\",\"exitStatus\":137,\"exitCode\":137,\"signal\":9,\"timedOut\":false,"
      "\"interruptedBy\":null,\"limits\":{\"stdoutTruncated\":true,\"stderrTruncated\":false,"
      "\"reached\":[\"memory\"]},\"durationMs\":42,\"backend\":\"bubblewrap\",\"tier\":\"container\","
      "\"realIsolation\":true,\"ledger\":[{\"pointer\":\"/a\",\"strength\":\"kernel\"}]}\n");
  EXPECT_EQ(report.unreadable, "");
  EXPECT_TRUE(report.started);
  ASSERT_TRUE(report.outcome);
  EXPECT_EQ(report.outcome->exit_code, 137);
  EXPECT_EQ(report.outcome->signal, 9);
  EXPECT_TRUE(report.outcome->stdout_truncated);
  EXPECT_FALSE(report.outcome->stderr_truncated);
  EXPECT_EQ(report.outcome->duration_ms, 42U);
  EXPECT_FALSE(report.outcome->cpu_time_out);
  EXPECT_THAT(report.outcome->reached, testing::ElementsAre(Resource::kMemory));
  EXPECT_EQ(report.outcome->inside->name, "bubblewrap");
  EXPECT_EQ(report.outcome->inside->tier, "container");
}

TEST(InnerReport, TellsApartWhoEndedIt) {
  const auto outcome = [](const std::string& status, const std::string& rest) {
    const InnerReport report =
        Read(With(R"("exitStatus":0,"exitCode":0,"signal":null,"timedOut":false,"interruptedBy":null)",
                  R"("exitStatus":)" + status + R"(,"exitCode":null,"signal":9,)" + rest));
    EXPECT_EQ(report.unreadable, "");
    return report.outcome.value_or(Outcome{});
  };
  EXPECT_TRUE(outcome("255", R"("timedOut":true,"interruptedBy":null)").timed_out);
  EXPECT_EQ(outcome("143", R"("timedOut":false,"interruptedBy":15)").interrupted_by, 15);
  EXPECT_FALSE(outcome("143", R"("timedOut":false,"interruptedBy":15)").exited_when_asked);
  EXPECT_TRUE(Read(With(R"("interruptedBy":null)", R"("interruptedBy":15)")).outcome->exited_when_asked);
  EXPECT_TRUE(outcome("152", R"("timedOut":false,"interruptedBy":null)").cpu_time_out);
}

// One row per way of saying less, or something else, than an mxc-exec does.
TEST(InnerReport, WhatIsNoOutcomeOfOursIsNone) {
  struct Row {
    const char* from;
    const char* to;
  };
  constexpr Row kRows[] = {
      {R"("tier":"container")", R"("tier":"none")"},
      {R"("tier":"container")", R"("tier":"cont\u001b[2Jainer")"},
      {R"("tier":"container",)", ""},
      {R"("backend":"namespaces")", R"("backend":"none")"},
      {R"("backend":"namespaces")", R"("backend":"x")"},
      {R"("backend":"namespaces",)", ""},
      {R"("realIsolation":true)", R"("realIsolation":false)"},
      {R"("realIsolation":true,)", ""},
      {R"("rung":"namespaces")", R"("rung":1)"},
      {R"("exitCode":0)", R"("exitCode":-1)"},
      {R"("exitCode":0)", R"("exitCode":256)"},
      {R"("exitCode":0)", R"("exitCode":3)"},
      {R"("exitCode":0)", R"("exitCode":"0")"},
      {R"("exitCode":0)", R"("exitCode":0.0)"},
      {R"("exitCode":0)", R"("exitCode":99999999999999999999)"},
      {R"("exitCode":0)", R"("exitCode":null)"},
      {R"("exitCode":0,)", ""},
      {R"("exitStatus":0)", R"("exitStatus":300)"},
      {R"("exitStatus":0)", R"("exitStatus":1e99)"},
      {R"("exitStatus":0)", R"("exitStatus":"0")"},
      {R"("exitStatus":0)", R"("exitStatus":0,"exitStatus":9)"},
      {R"("exitStatus":0,)", ""},
      {R"("signal":null)", R"("signal":65)"},
      {R"("signal":null)", R"("signal":-9)"},
      {R"("signal":null,)", ""},
      {R"("signal":null)", R"("signal":9)"},
      {R"("exitStatus":0,"exitCode":0,"signal":null)", R"("exitStatus":137,"exitCode":137,"signal":15)"},
      {R"("notCovered":[])", R"("notCovered":"x")"},
      {R"("notCovered":[])", R"("notCovered":[1])"},
      {R"("timedOut":false)", R"("timedOut":true)"},
      {R"("timedOut":false)", R"("timedOut":0)"},
      {R"("exitStatus":0)", R"("interruptedBy":15,"exitStatus":143)"},
      {R"("limits":{"stdoutTruncated":false,"stderrTruncated":false,"reached":[]})", R"("limits":[])"},
      {R"("stdoutTruncated":false,)", ""},
      {R"("reached":[])", R"("reached":["unknown"])"},
      {R"("reached":[])", R"("reached":{})"},
      {R"("durationMs":61)", R"("durationMs":-1)"},
      {R"("durationMs":61)", R"("durationMs":"61")"},
      {R"("ledger":[])", R"("ledger":[{"pointer":"/network","strength":"none","mechanism":"x"}])"},
      {R"("ledger":[])", R"("ledger":["x"])"},
      {R"("ledger":[])", R"("ledger":{})"},
  };
  ASSERT_TRUE(Read(kOutcome).outcome) << Read(kOutcome).unreadable;
  for (const Row& row : kRows) {
    const InnerReport report = Read(With(row.from, row.to));
    EXPECT_FALSE(report.outcome) << row.to;
    EXPECT_NE(report.unreadable, "") << row.to;
  }
  EXPECT_FALSE(Read(R"({"event":"outcome"})").outcome);
  EXPECT_FALSE(Read(R"({"event":"outcome","exitCode":0})").outcome);
}

// Landlock holds it in most pods: less than a container, and told as such, with what it leaves open.
TEST(InnerReport, AWeakerEngineIsTold) {
  std::string text = With(R"("tier":"container","rung":"namespaces","notCovered":[])",
                          R"("tier":"process","rung":"landlock","notCovered":["signals","queues"])");
  text.replace(text.find("\"realIsolation\":true"), 20, "\"realIsolation\":false");
  const InnerReport report = Read(text);
  ASSERT_TRUE(report.outcome) << report.unreadable;
  EXPECT_EQ(report.outcome->inside->tier, "process");
  EXPECT_EQ(report.outcome->inside->isolation_level, "landlock");
  EXPECT_THAT(report.outcome->inside->not_covered, testing::ElementsAre("signals", "queues"));
}

TEST(InnerReport, ThereIsOneEnd) {
  const std::string error = R"({"event":"error","exitStatus":1,"error":{"kind":"usage","message":"m"}})";
  for (const std::string& other : {std::string(kOutcome), error, std::string("{\"event\":\"outc")}) {
    const InnerReport report = Read(std::string(kOutcome) + "\n" + other);
    EXPECT_FALSE(report.outcome || report.error) << other;
    EXPECT_NE(report.unreadable, "") << other;
  }
  EXPECT_TRUE(Read("E1124 a line of kubectl's\n" + std::string(kOutcome) + "\nanother").outcome);
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
}  // namespace mxc::inner_report_test
