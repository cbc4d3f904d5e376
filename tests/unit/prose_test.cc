// What people read at a terminal.
#include "report/prose.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "report/probe_text.h"
#include "report/report.h"

namespace mxc::prose_test {
namespace {

using testing::ElementsAre;

TEST(Prose, AnErrorIsALineAndItsHintAnother) {
  const Error error{.code = ErrorCode::kSchema,
                    .message = "first\x1b[2J",
                    .hint = "did you mean `cwd`?",
                    .others = {{.code = ErrorCode::kSchema, .message = "second"}}};
  EXPECT_EQ(RenderProse(error, false), "error: first\\x1b[2J\n  hint: did you mean `cwd`?\nerror: second\n");
  EXPECT_EQ(RenderProse(error, true),
            "\x1b[1;31merror:\x1b[0m first\\x1b[2J\n  \x1b[1mhint:\x1b[0m did you mean `cwd`?\n"
            "\x1b[1;31merror:\x1b[0m second\n");
}

TEST(Prose, ATimeOutHasWordsToo) {
  EXPECT_EQ(RenderProse({.code = ErrorCode::kTimeout, .message = "script timed out after 700ms"}, false),
            "error: script timed out after 700ms\n");
}

TEST(Prose, LinesBreakAtBlanks) {
  EXPECT_THAT(WrappedAt("one two three", 7), ElementsAre("one two", "three"));
  EXPECT_THAT(WrappedAt("one wordthatislonger two", 7), ElementsAre("one", "wordthatislonger", "two"));
  EXPECT_THAT(WrappedAt("", 7), ElementsAre(""));
}

TEST(Prose, ATableBreaksItsLastColumn) {
  const std::string long_text = "run `sysctl user.max_user_namespaces=10000` as root, or ask who runs this";
  EXPECT_EQ(TableText({{{"A"}, {"LONGER"}, {"NEEDS"}},
                       {{"first"}, {""}, {""}},
                       {{"b"}, {"no"}, {long_text + " " + long_text}}},
                      false),
            "A      LONGER  NEEDS\n"
            "first\n"
            "b      no      run `sysctl user.max_user_namespaces=10000` as root, or ask who\n"
            "               runs this run `sysctl user.max_user_namespaces=10000` as root, or\n"
            "               ask who runs this\n");
}

ProbeAnswer SomeAnswer() {
  ProbeAnswer answer{.caller = {.uid = 7}, .process = Containment::kNamespaces};
  answer.backends = {
      {Containment::kBubblewrap,
       {.usable = false, .reason = "bwrap is not installed", .remedy = "apt-get install bubblewrap"}},
      {Containment::kNamespaces,
       {.usable = true, .tier = Tier::kContainer},
       {{.resource = Resource::kOpenFiles, .held = true},
        {.resource = Resource::kMemory, .remedy = "delegate a group"},
        {.resource = Resource::kCpus, .remedy = "delegate a group"}}},
      {Containment::kMicrovm, {.usable = false, .reason = "not built"}},
      {Containment::kSeatbelt, {.usable = false, .reason = "not macOS", .remedy = "use process"}}};
  return answer;
}

TEST(Prose, AProbeIsATable) {
  EXPECT_EQ(ProbeText(SomeAnswer(), false),
            "BACKEND     WORKS  TIER       WHAT IS MISSING OR SHOULD BE KNOWN\n"
            "bubblewrap  no     -          bwrap is not installed: apt-get install bubblewrap\n"
            "namespaces  yes    container\n"
            "\n"
            "mxc-exec " MXC_VERSION
            " on Linux, as uid 7. The default, 'process', is namespaces here.\n"
            "Limits that it holds: openFiles\n"
            "Limits that it cannot hold: memory, cpus\n"
            "  delegate a group\n"
            "Not in this program: microvm.\n"
            "Of other systems: seatbelt.\n");
}

TEST(Prose, AProbeOfAPolicySaysWhatBecomesOfIt) {
  ProbeAnswer answer = SomeAnswer();
  const Result<Plan> refused = Error{.code = ErrorCode::kUnenforceable, .message = "no", .hint = "do"};
  answer.asked = &refused;
  EXPECT_THAT(ProbeText(answer, false),
              testing::EndsWith("The policy given would be refused:\nerror: no\n  hint: do\n"));
}

TEST(Prose, ATableOfAProbeFitsATerminal) {
  ProbeAnswer answer = SomeAnswer();
  answer.backends[0].support.remedy = std::string(30, 'x') + " " + std::string(40, 'y') + " and so on";
  std::istringstream lines{ProbeText(answer, false)};
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), kTerminalColumns) << line;
}

}  // namespace
}  // namespace mxc::prose_test
