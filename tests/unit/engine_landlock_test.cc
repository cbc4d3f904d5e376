// A sandbox without namespaces, run by the engine; also as on kernels whose Landlock does not scope signals.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "tests/unit/engine_sandboxes.h"

namespace mxc::test::engine_landlock_test {
namespace {

using ::testing::HasSubstr;

class EngineLandlock : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (!MayBecomeOrdinary()) GTEST_SKIP() << "needs another user than root, which it may not become here";
    ::chmod(scratch_.Path().c_str(), 0777);
  }

  [[nodiscard]] Plan PlanFor(const std::string& script, std::vector<LandlockGrant> grants = {}) const {
    LandlockSandbox sandbox;
    sandbox.temp_place = scratch_.Path("place");
    sandbox.scoped_signals = GetParam();
    for (const char* path : {"/usr", "/bin", "/lib", "/lib64", "/dev/null"}) {
      const bool device = std::string(path) == "/dev/null";
      sandbox.grants.push_back(
          {.path = path, .access = device ? Access::kReadWrite : Access::kReadOnly, .optional = true});
    }
    for (LandlockGrant& grant : grants) sandbox.grants.push_back(std::move(grant));
    sandbox.argv = {"/bin/sh", "-c", script};
    sandbox.environment = {{.name = "PATH", .value = Secret("/usr/bin:/bin")}};
    sandbox.cwd = "/";
    Plan plan;
    plan.isolation_level = IsolationLevel::kLandlock;
    plan.launch = LandlockLaunch{.sandbox = std::move(sandbox)};
    return plan;
  }
  // Always as somebody who owns nothing else here: what is sent signals must not be able to hurt.
  [[nodiscard]] static RunReport Run(const Plan& plan) {
    return RunInChild(plan, {.before = BecomeOrdinary});
  }

  [[nodiscard]] std::string Lock() const {
    WriteText(scratch_.Path("lock"), "");
    ::chmod(scratch_.Path("lock").c_str(), 0666);
    return scratch_.Path("lock");
  }
  static bool IsLocked(const std::string& lock) {
    const UniqueFd file{::open(lock.c_str(), O_RDONLY | O_CLOEXEC)};
    return ::flock(file.Get(), LOCK_EX | LOCK_NB) != 0;
  }

  ScratchDirectory scratch_;
};

INSTANTIATE_TEST_SUITE_P(Signals, EngineLandlock, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "Scoped" : "Guarded"; });

TEST_P(EngineLandlock, StatusAndStreamsAreTheCommands) {
  const RunReport report = Run(PlanFor("echo out; echo err >&2; exit 7"));
  ASSERT_TRUE(report.ok) << report.message;
  EXPECT_EQ(report.outcome.exit_code, 7);
  EXPECT_EQ(report.out, "out\n");
  EXPECT_EQ(report.err, "err\n");
}

TEST_P(EngineLandlock, TheLauncherAndInitCannotBeKilled) {
  // $PPID is init; its parent is the launcher.
  const Plan plan = PlanFor(
      "for s in 0 15 9; do kill -$s $PPID 2>/dev/null && echo reached init; done; "
      "kill -9 -1 2>/dev/null; exec true");
  const RunReport report = Run(plan);
  ASSERT_TRUE(report.ok) << report.message;
  EXPECT_EQ(report.out, "");
}

TEST_P(EngineLandlock, NothingOutlivesTheCommand) {
  const std::string lock = Lock();
  Plan plan = PlanFor("for i in 1 2 3; do (setsid flock -s " + lock +
                          " sleep 300 >/dev/null 2>&1 &); done; while flock -n " + lock +
                          " true; do sleep 0.01; done; echo locked",
                      {{.path = lock, .access = Access::kReadWrite}});
  plan.timeout_ms = 10000;
  const RunReport report = Run(plan);
  ASSERT_TRUE(report.ok) << report.message;
  EXPECT_EQ(report.out, "locked\n");
  EXPECT_FALSE(IsLocked(lock));
}

TEST_P(EngineLandlock, ATimeoutEndsWhatIgnoresSignals) {
  const std::string lock = Lock();
  Plan plan = PlanFor("exec 9<" + lock +
                          "; flock -s 9 && echo locked; trap '' TERM; (trap '' TERM; setsid sleep 300 &); "
                          "while :; do sleep 300; done",
                      {{.path = lock, .access = Access::kReadWrite}});
  plan.timeout_ms = 300;
  const RunReport report = Run(plan);
  ASSERT_TRUE(report.ok) << report.message;
  EXPECT_TRUE(report.outcome.timed_out);
  EXPECT_EQ(report.out, "locked\n");
  EXPECT_FALSE(IsLocked(lock));
}

TEST_P(EngineLandlock, AReplacedGrantIsRefused) {
  const std::string path = scratch_.Path("granted");
  ::mkdir(path.c_str(), 0777);
  FileObject other = ObjectAt(path);
  ++other.inode;
  const RunReport report =
      Run(PlanFor("true", {{.path = path, .access = Access::kReadWrite, .object = other}}));
  EXPECT_FALSE(report.ok);
  EXPECT_THAT(report.message, HasSubstr("was replaced"));
}

TEST_P(EngineLandlock, ALinkIsNoGrant) {
  ASSERT_EQ(::symlink("/etc", scratch_.Path("link").c_str()), 0);
  const RunReport report = Run(
      PlanFor("cat /etc/hostname 2>&1", {{.path = scratch_.Path("link/ssl"), .access = Access::kReadOnly}}));
  EXPECT_FALSE(report.ok);
  EXPECT_THAT(report.message, HasSubstr("could not open"));
}

TEST_P(EngineLandlock, TemporaryFilesAreBelowOurOwnDirectory) {
  const std::string place = scratch_.Path("place");
  const RunReport report = Run(PlanFor("echo $TMPDIR; cd $TMPDIR && echo x >file && mkdir d && chmod 0 d"));
  ASSERT_TRUE(report.ok) << report.message;
  EXPECT_THAT(report.out, HasSubstr(place + "/mxc-"));
  EXPECT_EQ(report.outcome.exit_code, 0);
  struct stat status {};
  ASSERT_EQ(::stat(place.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0700U);
  EXPECT_TRUE(std::filesystem::is_empty(place)) << "what the run had there is removed";
}

TEST_P(EngineLandlock, ACommandKeepsNobodyOutOfTheDirectoryOfRuns) {
  for (const char* mode : {"0", "777", "1555"}) {
    const RunReport closing = Run(PlanFor(std::string("cd /; chmod ") + mode + " ${TMPDIR%/*}"));
    ASSERT_TRUE(closing.ok) << closing.message;
    EXPECT_EQ(closing.outcome.exit_code, 0) << "Landlock does not see chmod";
    const RunReport next = Run(PlanFor("stat -c %a ${TMPDIR%/*}"));
    ASSERT_TRUE(next.ok) << next.message;
    EXPECT_EQ(next.out, "700\n");
  }
}

TEST_P(EngineLandlock, WhatKilledRunsLeftIsRemoved) {
  const std::string place = scratch_.Path("place");
  const std::string kept = scratch_.Path("kept");
  WriteText(kept, "");
  ::chmod(kept.c_str(), 0666);
  ASSERT_TRUE(Run(PlanFor("true")).ok) << "which makes the place";
  const auto as_owner = [&](const std::string& script) {
    return HoldsInChild([&] {
      BecomeOrdinary();
      return std::system(("cd " + place + " && " + script).c_str()) == 0;  // NOLINT(concurrency-mt-unsafe)
    });
  };
  ASSERT_TRUE(as_owner("mkdir -p mxc-run-1/home/a mxc-run-2/b mxc-run-3.new mxc-run-4.new/full && ln -s " +
                       kept + " mxc-run-1/home/link && : >mxc-run-1/home/a/f && mkdir apart && ln -s " +
                       place +
                       "/apart mxc-run-5 && : >apart/f && : >mxc-run-6 && chmod 0 mxc-run-1/home mxc-run-2"));
  const bool planted = ::geteuid() == 0;  // by somebody else, while the place was open
  if (planted) {
    std::filesystem::create_directories(place + "/mxc-run-7/theirs");
    std::filesystem::permissions(place + "/mxc-run-7", std::filesystem::perms::all);
  }
  ASSERT_TRUE(Run(PlanFor("true")).ok);
  std::vector<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(place))
    left.push_back(entry.path().filename());
  std::vector<std::string> expected = {"apart", "mxc-run-4.new", "mxc-run-5", "mxc-run-6"};
  if (planted) expected.emplace_back("mxc-run-7");
  EXPECT_THAT(left, ::testing::UnorderedElementsAreArray(expected));
  EXPECT_TRUE(std::filesystem::exists(place + "/apart/f"));
  EXPECT_EQ(std::filesystem::status(kept).permissions(), std::filesystem::perms(0666));
  EXPECT_TRUE(!planted || std::filesystem::exists(place + "/mxc-run-7/theirs"));
}

// Everybody can make names in /var/tmp.
TEST_P(EngineLandlock, WhatSomebodyElsePutInItsPlaceIsNotUsed) {
  const std::string place = scratch_.Path("place");
  const std::string other = scratch_.Path("other");
  ::mkdir(other.c_str(), 0777);
  ::chmod(other.c_str(), 0777);
  const auto refusal = [&] {
    const RunReport report = Run(PlanFor("true"));
    EXPECT_FALSE(report.ok);
    EXPECT_TRUE(std::filesystem::is_empty(other));
    ::unlink(place.c_str());
    ::rmdir(place.c_str());
    return report.message;
  };
  ASSERT_EQ(::symlink(other.c_str(), place.c_str()), 0);
  EXPECT_THAT(refusal(), HasSubstr("the symbolic link 'place' is on the way"));
  WriteText(place, "");
  EXPECT_THAT(refusal(), HasSubstr("is not a directory that only its user can use"));
  if (::geteuid() != 0) return;
  ::mkdir(place.c_str(), 0777);
  ::chmod(place.c_str(), 0777);
  EXPECT_THAT(refusal(), HasSubstr("belongs to uid 0 and has the mode 777"));
}

}  // namespace
}  // namespace mxc::test::engine_landlock_test
