// Plans of the bubblewrap backend under the real bwrap: what the arguments are meant to do, they do. The
// attacks on them stand in tests/containment.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>

#include "dispatch.h"
#include "host/host.h"
#include "plan/make_plan.h"
#include "policy/resolve.h"
#include "tests/support/run_in_child.h"

namespace mxc::test::bubblewrap_run_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class BubblewrapRun : public ::testing::Test {
 protected:
  void SetUp() override {
    const Support support = Dispatch(Containment::kBubblewrap).probe(*host_, ProbeDepth::kLive);
    if (!support.usable) GTEST_SKIP() << support.reason;
    config_.containment = Containment::kBubblewrap;
    config_.intent = Intent::kConcrete;
  }

  [[nodiscard]] Plan PlanFor(const std::string& script) {
    config_.process.command_line = script;
    const Result<Policy> policy = Resolve(config_, *host_, {});
    EXPECT_TRUE(policy.ok()) << (policy.ok() ? "" : policy.error().message);
    if (!policy.ok()) return {};
    const Backend& backend = Dispatch(Containment::kBubblewrap);
    const Result<Plan> plan = MakePlan(backend, *policy, backend.probe(*host_, ProbeDepth::kQuick));
    EXPECT_TRUE(plan.ok()) << (plan.ok() ? "" : plan.error().message);
    return plan.ok() ? *plan : Plan{};
  }
  void Grant(const std::string& path) {
    config_.read_write.push_back({path, "/filesystem/readwritePaths/0"});
  }
  void Show(const std::string& path) { config_.read_only.push_back({path, "/filesystem/readonlyPaths/0"}); }
  void Deny(const std::string& path) { config_.denied.push_back({path, "/filesystem/deniedPaths/0"}); }

  std::unique_ptr<Host> host_ = ThisHost();
  Config config_ = {};
  ScratchDirectory scratch_ = {};
};

TEST_F(BubblewrapRun, ExitStatusAndStreams) {
  const RunReport report = RunInChild(PlanFor("echo out; echo err >&2; exit 7"));
  ASSERT_TRUE(report.ok) << report.message;
  EXPECT_EQ(report.outcome.exit_code, 7);
  EXPECT_EQ(report.out, "out\n");
  EXPECT_EQ(report.err, "err\n");
}

TEST_F(BubblewrapRun, GrantsAndMasks) {
  ASSERT_EQ(::mkdir(scratch_.Path("ro").c_str(), 0755), 0);
  ASSERT_EQ(::mkdir(scratch_.Path("a").c_str(), 0755), 0);
  WriteText(scratch_.Path("ro/f"), "shown");
  WriteText(scratch_.Path("a/secret"), "hidden-text");
  Grant(scratch_.Path());
  Show(scratch_.Path("ro"));
  Deny(scratch_.Path("a/secret"));
  Deny(scratch_.Path("later"));
  const RunReport report =
      RunInChild(PlanFor("cd " + scratch_.Path() +
                         "; cat ro/f; echo x > ro/f; cat a/secret; mv a b; echo new > a/new; "
                         "echo y > later; cat later"));
  ASSERT_TRUE(report.ok) << report.message;
  EXPECT_EQ(report.out, "shown");
  EXPECT_THAT(report.err, HasSubstr("Read-only file system"));
  EXPECT_THAT(report.err, HasSubstr("a/secret: Permission denied"));
  EXPECT_THAT(report.err, HasSubstr("Device or resource busy"));
  EXPECT_THAT(report.err, HasSubstr("later: Permission denied"));
  EXPECT_EQ(ReadText(scratch_.Path("ro/f")), "shown");
  EXPECT_EQ(ReadText(scratch_.Path("a/secret")), "hidden-text");
  EXPECT_EQ(ReadText(scratch_.Path("a/new")), "new\n");
  EXPECT_NE(::access(scratch_.Path("later").c_str(), F_OK), 0) << "the placeholder is still there";
}

TEST_F(BubblewrapRun, APinThatBecameALinkIsRefused) {
  ASSERT_EQ(::mkdir(scratch_.Path("a").c_str(), 0755), 0);
  WriteText(scratch_.Path("a/secret"), "hidden-text");
  Grant(scratch_.Path());
  Deny(scratch_.Path("a/secret"));
  const Plan plan = PlanFor("echo ran");
  ASSERT_EQ(std::rename(scratch_.Path("a").c_str(), scratch_.Path("b").c_str()), 0);
  ASSERT_EQ(::symlink("b", scratch_.Path("a").c_str()), 0);
  const RunReport report = RunInChild(plan);
  EXPECT_FALSE(report.ok);
  EXPECT_EQ(report.code, ErrorCode::kSetupFailed);
  EXPECT_EQ(report.out, "");
}

TEST_F(BubblewrapRun, ProcessIsBare) {
  const RunReport report = RunInChild(
      PlanFor("grep -E '^(Cap|NoNewPrivs|Seccomp):?' /proc/self/status; cat /proc/sys/kernel/hostname; "
              "tr '\\0' '\\n' < /proc/1/environ; tr '\\0' ' ' < /proc/1/cmdline; ls /proc/self/fd"));
  ASSERT_TRUE(report.ok) << report.message;
  EXPECT_THAT(report.out, HasSubstr("CapEff:\t0000000000000000\nCapBnd:\t0000000000000000\n"));
  EXPECT_THAT(report.out, HasSubstr("NoNewPrivs:\t1\nSeccomp:\t2\n"));
  EXPECT_THAT(report.out, HasSubstr("\nlocalhost\n"));
  EXPECT_THAT(report.out, Not(HasSubstr("PATH="))) << "of bwrap, which is process 1";
  EXPECT_THAT(report.out, Not(HasSubstr("--ro-bind")));
}

TEST_F(BubblewrapRun, NoNetworkButLoopback) {
  const RunReport report =
      RunInChild(PlanFor("cat /proc/net/dev | tail -n +3 | cut -d: -f1; cat /proc/net/route"));
  ASSERT_TRUE(report.ok) << report.message;
  EXPECT_EQ(report.out.substr(0, report.out.find('\n')), "    lo");
  EXPECT_EQ(std::count(report.out.begin(), report.out.end(), '\n'), 2) << report.out;
}

TEST_F(BubblewrapRun, AGrantOfRootShowsNothingOfTheKernel) {
  Show("/");
  const RunReport report =
      RunInChild(PlanFor("ls /sys; ls /dev | grep -c . ; ls -d /proc/[0-9]* | wc -l; touch /x"));
  ASSERT_TRUE(report.ok) << report.message;
  EXPECT_THAT(report.out, ::testing::MatchesRegex("1[0-9]\n[1-9]\n"));
  EXPECT_THAT(report.err, HasSubstr("Read-only file system"));
}

}  // namespace
}  // namespace mxc::test::bubblewrap_run_test
