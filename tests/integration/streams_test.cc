// Exit status and standard streams (what SDKs depend on).
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/support/launcher_test.h"

namespace mxc::test::streams_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class Streams : public LauncherTest {};
MXC_FOR_EACH_CALLER(Streams);

TEST_P(Streams, StayApart) {
  const Ended ended = RunConfig({.command = "echo OUT; echo ERR >&2; exit 7"});
  EXPECT_EQ(ended.status, 7);
  EXPECT_EQ(ended.out, "OUT\n");
  EXPECT_EQ(ended.err, "ERR\n");
}

TEST_P(Streams, StatusIsTheCommandsOwn) {
  const std::vector<std::pair<std::string, int>> commands = {{"true", 0},
                                                             {"exit 1", 1},
                                                             {"exit 255", 255},
                                                             {"exit 300", 44},
                                                             {"kill -KILL $$", 137},
                                                             {"kill -SEGV $$", 139},
                                                             {"no-such-command-here", 127},
                                                             {"   ", 0}};
  for (const auto& [command, status] : commands) {
    const Ended ended = RunConfig({.command = command});
    EXPECT_EQ(ended.status, status) << command << ": " << ended.err;
    EXPECT_THAT(ended.err, Not(HasSubstr("{\"error\""))) << command;
  }
}

TEST_P(Streams, StandardInputReachesTheCommand) {
  Launch launch = PrepareConfig({.command = "cat"});
  for (int i = 0; i < 100000; ++i) launch.input += "line " + std::to_string(i) + "\n";
  const Ended ended = Execute(launch);
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_TRUE(ended.out == launch.input) << ended.out.size() << " of " << launch.input.size() << " bytes";
}

TEST_P(Streams, BytesPassUnchanged) {
  Launch launch = PrepareConfig({.command = "cat"});
  for (int i = 0; i < 256; ++i) launch.input += static_cast<char>(i);
  EXPECT_EQ(Execute(launch).out, launch.input);
}

TEST_P(Streams, ABlankCommandDoesNotReadCommandsFromInput) {
  Launch launch = PrepareConfig({.command = "   "});
  launch.input = "echo EXECUTED\n";
  EXPECT_EQ(Execute(launch).out, "");
}

TEST_P(Streams, ABackgroundChildThatHoldsTheStreamsDoesNotHang) {
  const std::string marker = Token();
  const Ended ended = RunConfig({.command = "(sh -c ': " + marker + "; sleep 300; true' &) ; echo done"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.out, "done\n");
  EXPECT_FALSE(ended.overdue);
  EXPECT_THAT(Survivors(marker), IsEmpty());
}

TEST_P(Streams, BothStreamsFullOfOutputDoNotBlockEachOther) {
  const Ended ended =
      RunConfig({.command = "head -c 3000000 /dev/zero >&2; head -c 3000000 /dev/zero; exit 5"});
  EXPECT_EQ(ended.status, 5);
  const std::string zeros(3000000, '\0');
  EXPECT_TRUE(ended.out == zeros) << ended.out.size();
  EXPECT_TRUE(ended.err == zeros) << ended.err.size();
}

TEST_P(Streams, AReaderThatWentAwayEndsTheCommandBySigpipe) {
  const Ended ended = RunConfig({.command = "sh -c 'yes | head -n 1'; yes | head -n 1"});
  EXPECT_EQ(ended.out, "y\ny\n");
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(ended.err, "");  // with SIGPIPE ignored, yes would complain
}

// Nothing that is only told decides how a run ends.
TEST_P(Streams, AFullStandardErrorChangesNoStatus) {
  const auto status = [](Launch launch) {
    launch.before_exec = [] { ::dup2(::open("/dev/full", O_WRONLY), STDERR_FILENO); };
    return Execute(launch).status;
  };
  EXPECT_EQ(status(PrepareConfig({.command = "exit 3", .read_only = {"/nonexistent"}})), 3);
  EXPECT_EQ(status(Prepare({workspace.Path("no-such-config")})), 1);
  EXPECT_EQ(status(Prepare({"--no-such-flag"})), 2);
  EXPECT_EQ(status(PrepareConfig({.read_only = {"/proc"}})), 255);
}

TEST_P(Streams, AFileSizeLimitEndsNoRun) {
  Launch launch = PrepareConfig({.containment = "namespaces", .command = "exit 3"},
                                {"--result", workspace.Path("result")});
  launch.before_exec = [] {
    const rlimit none{};
    ::setrlimit(RLIMIT_FSIZE, &none);
  };
  EXPECT_EQ(Execute(launch).status, 3);
}

}  // namespace
}  // namespace mxc::test::streams_test
