// When the sandbox cannot be built, and at the bounds of what may be asked for.
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/mount.h>

#include "tests/support/launcher_test.h"

namespace mxc::test::setup_test {
namespace {

using testing::HasSubstr;

class Setup : public LauncherTest {
 protected:
  // Lets the program see `file` where bwrap is. Needs root; the mount is seen by the program alone.
  static std::function<void()> ReplaceBwrap(const std::string& file) {
    return [file] {
      ::unshare(CLONE_NEWNS);
      ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
      if (::mount(file.c_str(), "/usr/bin/bwrap", nullptr, MS_BIND, nullptr) != 0) ::_exit(124);
    };
  }
  // Failure of ours: 255, the reason as text, and the envelope on a line of its own.
  static void ExpectOurFailure(const Ended& ended, const std::string& code) {
    EXPECT_EQ(ended.status, 255) << ended.err;
    EXPECT_EQ(ended.out, "");
    EXPECT_EQ(EnvelopeCode(ended), code) << ended.err;
    EXPECT_GE(Lines(ended.err).size(), 2U) << ended.err;
  }
};
MXC_FOR_EACH_CALLER(Setup);

TEST_P(Setup, ASandboxThatFailsToStartIsNotTheCommandsStatus) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can put another bwrap in place";
  Launch launch = PrepareConfig({});
  // It has the text of all options in it, as the real one, and fails to build anything.
  const std::string fake = "#!/bin/sh\necho 'bwrap: no room' >&2\nexit 1\n" + *Contents("/usr/bin/bwrap");
  const std::string file = workspace.File("bwrap", fake, 0755);
  ASSERT_EQ(::chown(file.c_str(), 0, 0), 0);  // a helper that others could replace is passed over
  launch.before_exec = ReplaceBwrap(file);
  ExpectOurFailure(Execute(launch), "backend_error");
}

// bwrap finds the place of a mask by name, after mxc-exec has compared it with the plan.
TEST_P(Setup, WhatGoesWhileBwrapStartsIsPlannedAnew) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can put another bwrap in place";
  const std::string real = workspace.File("real", *Contents("/usr/bin/bwrap"), 0755);
  const std::string granted = workspace.Directory("granted");
  const std::string denied = granted + "/denied";
  const std::string calls = workspace.File("calls", "");
  ASSERT_EQ(::chmod(calls.c_str(), 0666), 0);
  const std::string fake = "#!/bin/sh\ncase \"$*\" in *--args*) echo >>" + calls + "; rmdir " + denied +
                           " 2>/dev/null ;; esac\nexec " + real + " \"$@\"\nexit\n" +
                           *Contents("/usr/bin/bwrap");
  const std::string file = workspace.File("bwrap", fake, 0755);
  ASSERT_EQ(::chown(file.c_str(), 0, 0), 0);
  workspace.Directory("granted/denied");
  Launch launch = PrepareConfig({.containment = "bubblewrap",
                                 .command = "cat; ls " + granted + "; echo ran",
                                 .read_only = {granted},
                                 .denied = {denied}});
  launch.input = "given\n";
  launch.before_exec = ReplaceBwrap(file);
  const Ended once = Execute(launch);
  EXPECT_EQ(once.status, 0) << once.err;
  EXPECT_EQ(once.out, "given\nran\n");
  EXPECT_THAT(once.err, HasSubstr("bwrap: Can't mkdir " + denied + ": "));
  EXPECT_EQ(Contents(calls), "\n\n");
}

TEST_P(Setup, WithoutBwrapTheUserIsToldWhatToInstall) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can hide bwrap";
  Launch launch = PrepareConfig({});
  launch.before_exec = ReplaceBwrap("/dev/null");
  const Ended ended = Execute(launch);
  ExpectOurFailure(ended, "backend_unavailable");
  EXPECT_THAT(ended.err, HasSubstr("bubblewrap"));
}

// Namespaces look usable in a sandbox, and the kernel refuses them: a run falls back to Landlock.
TEST_P(Setup, TheProbeNamesWhatANestedRunGets) {
  const std::string program = workspace.CopyOf(ProgramUnderTest(), "bin/mxc-exec");
  const Ended ended = Execute(Prepare({"--rw", workspace.Root(), "--", program, "--probe=text"}));
  EXPECT_THAT(ended.out, HasSubstr("The default, 'process', is landlock here.")) << ended.err;
}

TEST_P(Setup, InASandboxEveryLineNamesThatOne) {
  const std::string program = workspace.CopyOf(ProgramUnderTest(), "bin/mxc-exec");
  for (const char* arguments :
       {" start", " --containment namespaces -- true", " --containment bubblewrap -- true",
        " --containment lxc -- true", " start --containment bubblewrap"}) {
    const Ended ended =
        Execute(Prepare({"--rw", workspace.Root(), "--", "sh", "-c", program + arguments + " </dev/null"}));
    EXPECT_EQ(ended.status, 255) << arguments;
    EXPECT_THAT(ended.err, HasSubstr("inside a sandbox of mxc-exec")) << arguments;
    EXPECT_THAT(ended.err, HasSubstr("run each command by itself")) << arguments;
  }
  const Ended probe = Execute(Prepare({"--rw", workspace.Root(), "--", program, "--probe=json"}));
  for (const char* backend : {"/backends/0", "/backends/1", "/backends/3"}) {
    EXPECT_THAT(At(probe.out, std::string(backend) + "/reason"), HasSubstr("inside a sandbox of mxc-exec"));
    EXPECT_THAT(At(probe.out, std::string(backend) + "/remedy"), HasSubstr("run each command by itself"));
  }
}

TEST_P(Setup, AWorkspaceCannotChooseTheBwrapWeRun) {
  const std::string marker = workspace.Path("planted-ran");
  workspace.File("bwrap", "#!/bin/sh\ntouch " + marker + "\nexec /usr/bin/bwrap \"$@\"\n", 0755);
  Launch launch = PrepareConfig({.command = "echo ran"});
  launch.environment = {"PATH=" + workspace.Root() + ":/usr/bin:/bin"};
  EXPECT_EQ(Execute(launch).out, "ran\n");
  EXPECT_FALSE(Exists(marker));
}

TEST_P(Setup, LoaderVariablesOfThePolicyDoNotActOutside) {
  const std::string outside = workspace.Directory("outside", 0777);
  const Ended ended = RunConfig({.environment = {{"LD_DEBUG=files", "LD_DEBUG_OUTPUT=" + outside + "/debug",
                                                  "LD_PRELOAD=/nonexistent.so"}}});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(Names(outside), testing::IsEmpty());
}

TEST_P(Setup, WhatTheCallerCannotReadHeCannotGrant) {
  if (uid == 0 || ::geteuid() != 0) GTEST_SKIP() << "needs root's file and an ordinary caller";
  const std::string file = workspace.File("private", "SECRET", 0600);
  ASSERT_EQ(::chown(file.c_str(), 0, 0), 0);
  const Ended ended = RunConfig({.command = "cat " + file, .read_only = {file}});
  ExpectOurFailure(ended, "policy_validation");
}

TEST_P(Setup, NetworkRulesThatTheGatewayCannotHoldAreRefused) {
  const Ended ended = RunConfig({.network = R"({"ingress":{"default":"allow"}})"});
  ExpectOurFailure(ended, "policy_validation");
}

TEST_P(Setup, ALongCommandLineWorks) {
  const Ended ended = RunConfig({.command = "echo start; : " + std::string(100000, 'x')});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.out, "start\n");
}

TEST_P(Setup, ACommandLineTheKernelCannotPassIsRefused) {
  const Ended ended = RunConfig({.command = "echo start; : " + std::string(300000, 'x')});
  EXPECT_EQ(ended.status, 1);
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(EnvelopeCode(ended), "malformed_request");
  EXPECT_THAT(EnvelopeMessage(ended), HasSubstr("longer than 131071 bytes"));
}

TEST_P(Setup, ManyVariables) {
  std::vector<std::string> variables;
  for (int i = 0; i < 2500; ++i) variables.push_back("V" + std::to_string(i) + "=1");
  const Ended ended = RunConfig({.command = "echo $V0 $V2499", .environment = variables});
  EXPECT_EQ(ended.status, 0) << ended.err.substr(0, 1000);
  EXPECT_EQ(ended.out, "1 1\n");
}

// bwrap has a bound of its own on the number of its arguments.
TEST_P(Setup, MoreThanBwrapTakesIsRefusedInOurWords) {
  Parts parts;
  for (int i = 0; i < 3100; ++i) parts.read_only.push_back(workspace.File("f" + std::to_string(i), ""));
  ExpectOurFailure(RunConfig(parts), "policy_validation");
}

TEST_P(Setup, MoreVariablesThanTheBoundAreRefused) {
  std::vector<std::string> variables;
  for (int i = 0; i < 100000; ++i) variables.push_back("V" + std::to_string(i) + "=1");
  const Ended ended = RunConfig({.command = "echo ran", .environment = variables});
  EXPECT_EQ(ended.status, 1);
  EXPECT_EQ(EnvelopeCode(ended), "malformed_request") << ended.err.substr(0, 1000);
}

TEST_P(Setup, ManyPaths) {
  Parts parts = {.command = "ls " + workspace.Path("p") + " | wc -l"};
  for (int i = 0; i < 300; ++i) parts.read_only.push_back(workspace.File("p/f" + std::to_string(i), "x"));
  const Ended ended = RunConfig(parts);
  EXPECT_EQ(ended.status, 0) << ended.err.substr(0, 1000);
  EXPECT_EQ(ended.out, "300\n");
}

TEST_P(Setup, HostileDocumentsEndCleanly) {
  const std::vector<std::string> documents = {std::string(200000, '['),
                                              std::string(20000000, ' '),
                                              "",
                                              "\xff\xfe{",
                                              "\xef\xbb\xbf{}",
                                              "{\"a\":" + std::string(100000, '9') + "}"};
  for (const std::string& document : documents) {
    const Ended ended = Execute(Prepare({workspace.File("c.json", document)}));
    EXPECT_EQ(ended.status, 1) << document.substr(0, 20);
    EXPECT_EQ(EnvelopeCode(ended), "malformed_request") << ended.err.substr(0, 1000);
  }
}

}  // namespace
}  // namespace mxc::test::setup_test
