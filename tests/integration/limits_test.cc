// `resources` from the command line: what is refused, what is said about the rest.
#include <gmock/gmock.h>

#include "tests/support/built.h"
#include "tests/support/launcher_test.h"

namespace mxc::test::limits_test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class ResourceLimits : public LauncherTest {};
MXC_FOR_EACH_CALLER(ResourceLimits);

TEST_P(ResourceLimits, ExplainNamesTheMechanisms) {
  const Ended ended = Execute(
      PrepareConfig({.more = R"("resources":{"openFiles":64,"tmpMb":3,"fileSizeMb":2})"}, {"--explain"}));
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("openFiles     64 open files in each process\n"));
  EXPECT_THAT(ended.out,
              HasSubstr("/resources/openFiles               kernel      RLIMIT_NOFILE of each process"));
  EXPECT_THAT(ended.out,
              HasSubstr("/resources/fileSizeMb              kernel      RLIMIT_FSIZE of each process"));
  EXPECT_THAT(ended.out,
              HasSubstr("/resources/tmpMb                   kernel      size of the tmpfs at /tmp"));
}

TEST_P(ResourceLimits, AFullTmpIsTold) {
  for (const char* containment : {"namespaces", "lxc"}) {
    const auto run = [&](const char* command) {
      return RunConfig(
          {.containment = containment, .command = command, .more = R"("resources":{"tmpMb":2})"});
    };
    const Ended full = run("head -c 4000000 /dev/zero >/tmp/f");
    EXPECT_THAT(full.err,
                HasSubstr("warning: /tmp is full, which holds 2 MiB here: more could not be written; "
                          "`tmpMb` of `resources` sets it"))
        << containment;
    EXPECT_THAT(run("head -c 1000000 /dev/zero >/tmp/f").err, Not(HasSubstr("is full"))) << containment;
  }
}

TEST_P(ResourceLimits, WhatNobodyCountsIsRefused) {
  if (uid == 0) GTEST_SKIP() << "root divides every control group";
  for (const char* containment : {"namespaces", "bubblewrap"}) {
    for (const char* limit : {"memoryMb", "cpus", "cpuTimeMs"}) {
      const Ended ended = RunConfig({.containment = containment,
                                     .command = "echo ran",
                                     .more = std::string("\"resources\":{\"") + limit + "\":100}"});
      EXPECT_EQ(ended.status, 255);
      EXPECT_EQ(ended.out, "");
      EXPECT_EQ(At(LastLine(ended.err), "/error/kind"), "unenforceable") << ended.err;
      EXPECT_EQ(At(LastLine(ended.err), "/error/pointer"), std::string("/resources/") + limit);
      EXPECT_THAT(At(LastLine(ended.err), "/error/hint"),
                  HasSubstr("run it in a session that systemd manages"));
    }
  }
}

TEST_P(ResourceLimits, InsideASandboxThereIsNoControlGroup) {
  const std::string inner = workspace.File(
      "inner.json", ConfigText({.containment = "namespaces", .more = R"("resources":{"memoryMb":100})"}));
  const std::string program = workspace.CopyOf(ProgramUnderTest(), "inner/mxc-exec");
  const Ended ended = RunConfig({.containment = "namespaces",
                                 .command = program + " --dry-run " + inner,
                                 .read_only = {program, inner}});
  EXPECT_EQ(ended.status, 255);
  EXPECT_THAT(EnvelopeMessage(ended), HasSubstr("no control group file system is mounted here"));
}

TEST_P(ResourceLimits, ProbeTellsWhatCanBeHeld) {
  const Ended ended = Execute(Prepare({"--probe"}));
  EXPECT_EQ(At(ended.out, "/backends/0/backend"), "bubblewrap");
  EXPECT_EQ(At(ended.out, "/backends/0/limits/0/name"), "memory");
  EXPECT_EQ(At(ended.out, "/backends/0/limits/3/mechanism"), "RLIMIT_NOFILE of each process");
  EXPECT_THAT(ended.out, Not(HasSubstr("no place for temporary files")));
  if (uid != 0) {
    EXPECT_EQ(At(ended.out, "/backends/0/limits/0/held"), "false");
    EXPECT_THAT(At(ended.out, "/backends/0/limits/0/remedy"), StartsWith("run it in a session"));
  }
}

TEST_P(ResourceLimits, DirectExecutionHoldsNone) {
  const Ended ended =
      Execute(PrepareConfig({.containment = "none", .network = "", .more = R"("resources":{"openFiles":64})"},
                            {"--allow-unsandboxed"}));
  EXPECT_EQ(ended.status, 255);
  EXPECT_EQ(At(LastLine(ended.err), "/error/pointer"), "/resources/openFiles");
}

TEST_P(ResourceLimits, ManyFilesOfThePlanDoNotUseUpTheCommands) {
  Parts parts{.command = "ls /proc/self/fd | wc -l", .more = R"("resources":{"openFiles":16})"};
  for (int i = 0; i < 40; ++i) parts.read_only.push_back(workspace.File("f" + std::to_string(i), "x"));
  for (const char* containment : {"namespaces", "bubblewrap"}) {
    parts.containment = containment;
    const Ended ended = RunConfig(parts);
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_EQ(ended.out, "4\n");
  }
}

}  // namespace
}  // namespace mxc::test::limits_test
