#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "tests/support/program.h"
#include "tests/support/run_in_child.h"

namespace mxc::test::placeholder_test {
namespace {

bool Exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

Plan WithPlaceholders(const std::string& script, const std::vector<std::string>& paths) {
  Plan plan = ShellPlan(script);
  for (const std::string& path : paths) plan.setup.emplace_back(Placeholder{.path = path});
  return plan;
}

TEST(Placeholders, StandWhileTheCommandRuns) {
  ScratchDirectory scratch;
  const RunReport report = RunInChild(
      WithPlaceholders("stat -c '%a %s %F' " + scratch.Path("a"), {scratch.Path("a"), scratch.Path("b")}));
  EXPECT_EQ(report.out, "1600 0 regular empty file\n");
  EXPECT_FALSE(Exists(scratch.Path("a")));
  EXPECT_FALSE(Exists(scratch.Path("b")));
}

Placeholder WithText(const std::string& path, const std::string& text) {
  return {.path = path, .placeholder_kind = PlaceholderKind{.type = FileType::kRegular, .text = text}};
}

Placeholder Directory(const std::string& path) {
  return {.path = path, .placeholder_kind = PlaceholderKind{.type = FileType::kDirectory}};
}

TEST(Placeholders, StandInsHaveTheirTextAndEverybodyMayReadThem) {
  ScratchDirectory scratch;
  Plan plan = ShellPlan("cd " + scratch.Path("") + " && cat t && stat -c '%n %a %F' t e d");
  plan.setup = {WithText(scratch.Path("t"), "text\n"), WithText(scratch.Path("e"), ""),
                Directory(scratch.Path("d"))};
  EXPECT_EQ(RunInChild(plan).out, "text\nt 1644 regular file\ne 1644 regular empty file\nd 1755 directory\n");
  for (const char* name : {"t", "e", "d"}) EXPECT_FALSE(Exists(scratch.Path(name))) << name;
}

// `a`, `t` and `d` with their modes and owners, while they stand; nothing of them afterwards.
std::string OneOfEach(const ScratchDirectory& scratch) {
  Plan plan = ShellPlan("cd " + scratch.Path("") + " && stat -c '%n %a %u' a t d");
  plan.setup = {Placeholder{.path = scratch.Path("a")}, WithText(scratch.Path("t"), "text\n"),
                Directory(scratch.Path("d"))};
  const RunReport report = RunInChild(plan);
  for (const char* name : {"a", "t", "d"}) EXPECT_FALSE(Exists(scratch.Path(name))) << name;
  return report.out + report.message;
}

std::string ModesOf(uid_t owner) {
  const std::string end = " " + std::to_string(owner) + "\n";
  return "a 1600" + end + "t 1644" + end + "d 1755" + end;
}

TEST(Placeholders, HaveTheirModesInDirectoriesThatGiveThemOthers) {
  const ScratchDirectory scratch;
  ASSERT_EQ(::chmod(scratch.Path().c_str(), 02755), 0);
  EXPECT_EQ(OneOfEach(scratch), ModesOf(::geteuid())) << "as `git init --shared` makes them";
  // Version 2; the owner, the group and others, with rights for the first two alone.
  constexpr std::uint8_t kDefault[] = {2, 0,    0,    0,    1,    0,  7, 0, 0xFF, 0xFF, 0xFF, 0xFF, 4,   0, 5,
                                       0, 0xFF, 0xFF, 0xFF, 0xFF, 32, 0, 0, 0,    0xFF, 0xFF, 0xFF, 0xFF};
  if (::setxattr(scratch.Path().c_str(), "system.posix_acl_default", kDefault, sizeof kDefault, 0) != 0)
    GTEST_SKIP() << "no access control lists on this file system";
  EXPECT_EQ(OneOfEach(scratch), ModesOf(::geteuid()));
}

TEST(Placeholders, BelongToTheOwnerOfTheDirectory) {
  if (::getuid() != 0) GTEST_SKIP() << "needs root";
  constexpr uid_t kOwner = 65534;
  const ScratchDirectory scratch;
  ASSERT_EQ(::chown(scratch.Path().c_str(), kOwner, kOwner), 0);
  EXPECT_EQ(OneOfEach(scratch), ModesOf(kOwner));
  ASSERT_EQ(::chmod(scratch.Path().c_str(), 0555), 0);
  EXPECT_EQ(OneOfEach(scratch), ModesOf(0)) << "the owner could not make them";
}

TEST(Placeholders, StandInsThatWereUsedStay) {
  ScratchDirectory scratch;
  Plan plan = ShellPlan("cd " + scratch.Path("") + " && echo more >> t && echo x > d/x");
  plan.setup = {WithText(scratch.Path("t"), "text\n"), Directory(scratch.Path("d"))};
  EXPECT_TRUE(RunInChild(plan).ok);
  EXPECT_EQ(ReadText(scratch.Path("t")), "text\nmore\n");
  EXPECT_EQ(ReadText(scratch.Path("d/x")), "x\n");
}

TEST(Placeholders, AFileThatOnlyLooksLikeAStandInIsNotTaken) {
  ScratchDirectory scratch;
  WriteText(scratch.Path("t"), "mine\n");
  ASSERT_EQ(::chmod(scratch.Path("t").c_str(), kPlaceholderFileMode), 0);
  Plan plan = ShellPlan("echo ran");
  plan.setup = {WithText(scratch.Path("t"), "text\n")};
  EXPECT_EQ(RunInChild(plan).code, ErrorCode::kSetupFailed);
  EXPECT_EQ(ReadText(scratch.Path("t")), "mine\n");
}

TEST(Placeholders, SomethingThatAppearedMeanwhileIsNotTouched) {
  ScratchDirectory scratch;
  WriteText(scratch.Path("b"), "mine");
  const RunReport report = RunInChild(WithPlaceholders("echo ran", {scratch.Path("a"), scratch.Path("b")}));
  EXPECT_EQ(report.code, ErrorCode::kSetupFailed);
  EXPECT_EQ(report.message,
            "'" + scratch.Path("b") +
                "' is not to be created inside; it appeared while the sandbox was being set up");
  EXPECT_EQ(report.out, "");
  EXPECT_EQ(ReadText(scratch.Path("b")), "mine");
  EXPECT_FALSE(Exists(scratch.Path("a")));
}

// A command that says that it runs, and looks at the placeholder when it is told to end.
class Holder {
 public:
  Holder(const ScratchDirectory& scratch, const std::string& name)
      : end_(scratch.Path(name + "-end")),
        running_(WithPlaceholders(": > " + scratch.Path(name + "-up") + "; until [ -e " + end_ +
                                      " ]; do sleep 0.01; done; stat -c %a " + scratch.Path("a"),
                                  {scratch.Path("a")}),
                 {}) {
    EXPECT_TRUE(Eventually([&] { return Exists(scratch.Path(name + "-up")); }));
  }

  std::string End() {
    WriteText(end_, "");
    return running_.Finish().out;
  }

 private:
  std::string end_;
  RunningPlan running_;
};

TEST(Placeholders, StayUntilTheLastRunHasEnded) {
  for (const bool in_order : {true, false}) {
    const ScratchDirectory scratch;
    Holder first(scratch, "first");
    Holder second(scratch, "second");  // joins the placeholder of the first
    EXPECT_EQ((in_order ? first : second).End(), "1600\n");
    EXPECT_TRUE(Exists(scratch.Path("a"))) << "the other run still masks it";
    EXPECT_EQ((in_order ? second : first).End(), "1600\n");
    EXPECT_FALSE(Exists(scratch.Path("a")));
  }
}

TEST(Placeholders, StayUntilTheLastRunHasEndedAlsoWhenTheOtherWasKilled) {
  const ScratchDirectory scratch;
  Holder stays(scratch, "stays");
  { const Holder killed(scratch, "killed"); }
  EXPECT_EQ(stays.End(), "1600\n");
  EXPECT_TRUE(Eventually([&] { return !Exists(scratch.Path("a")); })) << "whichever lets go of it last";
}

constexpr uid_t kOtherUser = 65534;

void BecomeOtherThanRoot() {
  if (::getuid() == 0 && ::setresuid(kOtherUser, kOtherUser, kOtherUser) != 0) ::_exit(1);
}

void MakePlaceholderOf(uid_t user, const std::string& path, mode_t mode) {
  WriteText(path, "");
  ASSERT_EQ(::chown(path.c_str(), user, user), 0);
  ASSERT_EQ(::chmod(path.c_str(), mode), 0);
}

// Whoever relies on another user's holds it as well: the mask would go with the name.
TEST(Placeholders, OfAnotherUserStayUntilTheLastRunHasEnded) {
  if (::getuid() != 0) GTEST_SKIP() << "needs root";
  const ScratchDirectory scratch;
  const std::string other = scratch.Path("a");
  MakePlaceholderOf(kOtherUser, other, kPlaceholderMode);
  Holder stays(scratch, "stays");
  UniqueFd theirs{::open(other.c_str(), O_RDONLY | O_CLOEXEC)};
  EXPECT_NE(::flock(theirs.Get(), LOCK_EX | LOCK_NB), 0) << "their cleanup process would remove it";
  ASSERT_EQ(::flock(theirs.Get(), LOCK_SH | LOCK_NB), 0);
  EXPECT_EQ(stays.End(), "1600\n");
  EXPECT_TRUE(Exists(other)) << "theirs still masks it";
  theirs.Reset();
  EXPECT_TRUE(RunInChild(WithPlaceholders(":", {other})).ok);
  EXPECT_FALSE(Exists(other));
}

// In their own directory its owner could take it away anyway.
TEST(Placeholders, OfRootsAreSharedWithTheOwnerOfTheDirectory) {
  if (::getuid() != 0) GTEST_SKIP() << "needs root";
  const ScratchDirectory scratch;
  ASSERT_EQ(::chown(scratch.Path().c_str(), kOtherUser, kOtherUser), 0);
  Holder roots(scratch, "roots");
  const auto become = [] {
    if (::setresgid(kOtherUser, kOtherUser, kOtherUser) != 0 ||
        ::setresuid(kOtherUser, kOtherUser, kOtherUser) != 0)
      ::_exit(1);
  };
  const RunReport shared = RunInChild(WithPlaceholders("echo ran", {scratch.Path("a")}), {.before = become});
  EXPECT_EQ(shared.out, "ran\n") << shared.message;
  EXPECT_EQ(roots.End(), "1600\n") << "root's run still masks it";
  EXPECT_FALSE(Exists(scratch.Path("a")));
}

TEST(Placeholders, OfAnotherUserThatCannotBeHeldAreRefused) {
  if (::getuid() != 0) GTEST_SKIP() << "needs root";
  const ScratchDirectory scratch;
  ASSERT_EQ(::chmod(scratch.Path().c_str(), 0777), 0);
  MakePlaceholderOf(0, scratch.Path("a"), kPlaceholderMode);
  Plan plan = WithPlaceholders("echo ran", {scratch.Path("a")});
  const auto become = [] {
    if (::setresgid(kOtherUser, kOtherUser, kOtherUser) != 0 ||
        ::setresuid(kOtherUser, kOtherUser, kOtherUser) != 0)
      ::_exit(1);
  };
  const RunReport refused = RunInChild(plan, {.before = become});
  EXPECT_EQ(refused.message,
            "'" + scratch.Path("a") +
                "' is held by a run of user 0, which could free the name while this one goes on");
  EXPECT_EQ(refused.out, "");
  ASSERT_EQ(::mkdir(scratch.Path("d").c_str(), 0755), 0);
  ASSERT_EQ(::chmod(scratch.Path("d").c_str(), kPlaceholderDirectoryMode), 0);
  MakePlaceholderOf(0, scratch.Path("d/x"), kPlaceholderFileMode);
  plan.setup = {Placeholder{.path = scratch.Path("d")}};
  EXPECT_EQ(RunInChild(plan, {.before = become}).message,
            "'" + scratch.Path("d") +
                "' of user 0 holds a name that is not to be created inside, and cannot be taken away");
  // Stand-ins can be read by all, and so locked.
  MakePlaceholderOf(0, scratch.Path("b"), kPlaceholderFileMode);
  plan.setup = {WithText(scratch.Path("b"), "")};
  EXPECT_EQ(RunInChild(plan, {.before = become}).out, "ran\n");
  EXPECT_FALSE(Exists(scratch.Path("b")));
}

// A command may have made them: policies take no notice of them.
TEST(Placeholders, OnesOfAnotherKindThatNobodyHoldsAreReplaced) {
  const ScratchDirectory scratch;
  Plan plan = ShellPlan("echo ran");
  for (const auto& [name, mode] : {std::pair{"a", kPlaceholderMode}, {"b", kPlaceholderFileMode}}) {
    MakePlaceholderOf(::getuid(), scratch.Path(name), mode);
    plan.setup.emplace_back(WithText(scratch.Path(name), ".\n"));
  }
  ASSERT_EQ(::mkdir(scratch.Path("c").c_str(), 0700), 0);
  ASSERT_EQ(::chmod(scratch.Path("c").c_str(), kPlaceholderDirectoryMode), 0);
  plan.setup.emplace_back(WithText(scratch.Path("c"), ""));
  const RunReport report = RunInChild(plan);
  EXPECT_EQ(report.out, "ran\n") << report.message;
  for (const char* name : {"a", "b", "c"}) EXPECT_FALSE(Exists(scratch.Path(name))) << name;
}

void MakeTree(const std::string& path) {
  ASSERT_EQ(::mkdir(path.c_str(), 0700), 0);
  ASSERT_EQ(::chmod(path.c_str(), kPlaceholderDirectoryMode), 0);
  MakePlaceholderOf(::getuid(), path + "/x", kPlaceholderMode);
}

// Two names of one file as well: one lock is not in the way of the other.
TEST(Placeholders, TreesOfThemThatNobodyHoldsAreReplaced) {
  const ScratchDirectory scratch;
  MakeTree(scratch.Path("a"));
  MakeTree(scratch.Path("a/d"));
  ASSERT_EQ(::link(scratch.Path("a/x").c_str(), scratch.Path("a/d/y").c_str()), 0);
  Plan plan = ShellPlan("stat -c %F " + scratch.Path("a"));
  plan.setup = {Placeholder{.path = scratch.Path("a")}};
  const RunReport report = RunInChild(plan);
  EXPECT_EQ(report.out, "regular empty file\n") << report.message;
  EXPECT_FALSE(Exists(scratch.Path("a")));
}

TEST(Placeholders, TreesWithSomethingElseInThemStayAsTheyAre) {
  const ScratchDirectory scratch;
  MakeTree(scratch.Path("a"));
  WriteText(scratch.Path("a/mine"), "");
  EXPECT_FALSE(RunInChild(WithPlaceholders("echo ran", {scratch.Path("a")})).ok);
  EXPECT_TRUE(Exists(scratch.Path("a/x")));
  MakeTree(scratch.Path("b"));
  const UniqueFd theirs{::open(scratch.Path("b").c_str(), O_RDONLY | O_CLOEXEC)};
  ASSERT_EQ(::flock(theirs.Get(), LOCK_SH | LOCK_NB), 0);
  EXPECT_FALSE(RunInChild(WithPlaceholders("echo ran", {scratch.Path("b")})).ok);
  EXPECT_TRUE(Exists(scratch.Path("b/x"))) << "another run holds it";
}

// Through the other the command could write what stands at this one.
TEST(Placeholders, OnesWithASecondNameAreReplaced) {
  const ScratchDirectory scratch;
  for (const auto& [name, mode] : {std::pair{"a", kPlaceholderMode}, {"b", kPlaceholderFileMode}}) {
    MakePlaceholderOf(::getuid(), scratch.Path(name), mode);
    ASSERT_EQ(::link(scratch.Path(name).c_str(), (scratch.Path(name) + "-second").c_str()), 0);
  }
  Plan plan = ShellPlan("cd " + scratch.Path("") + " && echo x >a-second && echo x >b-second && cat a b");
  plan.setup = {Placeholder{.path = scratch.Path("a")}, WithText(scratch.Path("b"), "")};
  const RunReport report = RunInChild(plan);
  EXPECT_EQ(report.out, "") << report.message;
  EXPECT_EQ(report.outcome.exit_code, 0) << report.message;
  EXPECT_FALSE(Exists(scratch.Path("a")));
  EXPECT_FALSE(Exists(scratch.Path("b")));
}

// By a command that sees the directory in another sandbox.
TEST(Placeholders, OnesThatAreLockedAreRefused) {
  const ScratchDirectory scratch;
  MakePlaceholderOf(::getuid(), scratch.Path("a"), kPlaceholderMode);
  const UniqueFd theirs{::open(scratch.Path("a").c_str(), O_RDONLY | O_CLOEXEC)};
  ASSERT_EQ(::flock(theirs.Get(), LOCK_EX | LOCK_NB), 0);
  const RunReport refused = RunInChild(WithPlaceholders("echo ran", {scratch.Path("a")}));
  EXPECT_EQ(refused.message,
            "'" + scratch.Path("a") + "' is left of an earlier run, and another process keeps it locked");
  EXPECT_EQ(refused.out, "");
}

TEST(Placeholders, AreRemovedFromADirectoryThatTheCommandHasClosed) {
  for (const char* mode : {"555", "000"}) {
    const ScratchDirectory scratch;
    ASSERT_EQ(::chmod(scratch.Path().c_str(), 0777), 0);
    const std::string directory = scratch.Path("dir");
    const auto become = [&] {
      BecomeOtherThanRoot();
      ::mkdir(directory.c_str(), 0777);
    };
    EXPECT_TRUE(
        RunInChild(WithPlaceholders("chmod " + std::string(mode) + " " + directory, {directory + "/a"}),
                   {.before = become})
            .ok);
    struct stat status {};
    EXPECT_EQ(::stat(directory.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777U, std::strtoul(mode, nullptr, 8)) << "as the command has left it";
    ::chmod(directory.c_str(), 0777);
    EXPECT_FALSE(Exists(directory + "/a")) << mode;
  }
}

TEST(Placeholders, AreMadeInADirectoryThatACommandHasClosed) {
  for (const mode_t mode : {0555U, 01555U, 0577U, 0500U}) {
    const ScratchDirectory scratch;
    ASSERT_EQ(::chmod(scratch.Path().c_str(), 0777), 0);
    const std::string directory = scratch.Path("dir");
    const auto become = [&] {
      BecomeOtherThanRoot();
      ::mkdir(directory.c_str(), 0777);
      WriteText(directory + "/b", "");
      ::chmod((directory + "/b").c_str(), kPlaceholderFileMode);
      ::chmod(directory.c_str(), mode);
    };
    Plan plan = WithPlaceholders("stat -c '%a %n' a b c", {directory + "/a", directory + "/b"});
    plan.setup.emplace_back(Directory(directory + "/c"));
    std::get<DirectLaunch>(plan.launch).command.cwd = directory;
    const RunReport report = RunInChild(plan, {.before = become});
    EXPECT_EQ(report.out, "1600 a\n1600 b\n1755 c\n") << report.message;
    struct stat status {};
    EXPECT_EQ(::stat(directory.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777U, mode) << "as the command has left it";
    ::chmod(directory.c_str(), 0777);
    for (const char* name : {"a", "b", "c"}) EXPECT_FALSE(Exists(directory + "/" + name)) << mode;
  }
}

TEST(Placeholders, OpenNoDirectoryOfAnotherUser) {
  if (::getuid() != 0) GTEST_SKIP() << "needs root";
  const ScratchDirectory scratch;
  ASSERT_EQ(::chmod(scratch.Path().c_str(), 0755), 0);
  ASSERT_EQ(::mkdir(scratch.Path("dir").c_str(), 0755), 0);
  const RunReport refused =
      RunInChild(WithPlaceholders("echo ran", {scratch.Path("dir/a")}), {.before = BecomeOtherThanRoot});
  EXPECT_EQ(refused.message, "create '" + scratch.Path("dir/a") + "': Permission denied");
}

TEST(Placeholders, DanglingLinkIsNotFollowed) {
  ScratchDirectory scratch;
  ASSERT_EQ(::symlink("elsewhere", scratch.Path("a").c_str()), 0);
  EXPECT_FALSE(RunInChild(WithPlaceholders("echo ran", {scratch.Path("a")})).ok);
  EXPECT_FALSE(Exists(scratch.Path("elsewhere")));
}

TEST(Placeholders, MissingDirectoryIsAnError) {
  EXPECT_EQ(RunInChild(WithPlaceholders("echo ran", {"/nonexistent/a"})).message,
            "create '/nonexistent/a': No such file or directory");
}

TEST(Placeholders, FileThatWasUsedOrReplacedStays) {
  ScratchDirectory scratch;
  const std::string used = scratch.Path("used");
  const std::string replaced = scratch.Path("replaced");
  const RunReport report = RunInChild(WithPlaceholders(
      "echo text > " + used + "; rm " + replaced + "; : > " + scratch.Path("x") + "; : > " + replaced,
      {used, replaced}));
  EXPECT_TRUE(report.ok);
  EXPECT_EQ(ReadText(used), "text\n");
  EXPECT_TRUE(Exists(replaced));
}

// Another directory under the name is not the one that was looked at: what is in it belongs to somebody else.
TEST(Placeholders, AreRemovedWhereTheyWereMade) {
  ScratchDirectory scratch;
  ::mkdir(scratch.Path("dir").c_str(), 0777);
  const RunReport report = RunInChild(WithPlaceholders(
      "mv " + scratch.Path("dir") + " " + scratch.Path("moved") + " && mkdir " + scratch.Path("dir") +
          " && : > " + scratch.Path("dir/a") + " && chmod 1600 " + scratch.Path("dir/a"),
      {scratch.Path("dir/a")}));
  EXPECT_EQ(report.outcome.exit_code, 0) << report.message << report.err;
  EXPECT_FALSE(Exists(scratch.Path("moved/a")));
  EXPECT_TRUE(Exists(scratch.Path("dir/a")));
}

TEST(Placeholders, LinkOnTheWayIsRefused) {
  ScratchDirectory scratch;
  ::mkdir(scratch.Path("real").c_str(), 0777);
  ASSERT_EQ(::symlink("real", scratch.Path("link").c_str()), 0);
  const RunReport report = RunInChild(WithPlaceholders("echo ran", {scratch.Path("link/a")}));
  EXPECT_EQ(report.code, ErrorCode::kSetupFailed);
  EXPECT_EQ(report.out, "");
  EXPECT_FALSE(Exists(scratch.Path("real/a")));
}

TEST(Placeholders, DisappearWhenTheLauncherIsKilled) {
  ScratchDirectory scratch;
  RunningPlan running(
      WithPlaceholders("echo 1 > " + scratch.Path("up") + "; exec sleep 100", {scratch.Path("a")}), {});
  ASSERT_TRUE(Eventually([&] { return Exists(scratch.Path("up")); }));
  EXPECT_TRUE(Exists(scratch.Path("a")));
  running.Signal(SIGKILL);
  EXPECT_TRUE(WIFSIGNALED(running.Finish().wait_status));
  EXPECT_TRUE(Eventually([&] { return !Exists(scratch.Path("a")); }));
}

TEST(Placeholders, GuardianHoldsNothingOfTheCallers) {
  ScratchDirectory scratch;
  // $PPID is the launcher; its other child is the cleanup process.
  const std::string script =
      "for p in /proc/[0-9]*; do read -r i c s parent rest < $p/stat; "
      "[ \"$c\" = '(mxc-cleanup)' ] && [ $parent = $PPID ] && readlink $p/fd/* | sed 's/:.*//' | grep -v "
      "anon_inode; done";
  EXPECT_EQ(RunInChild(WithPlaceholders(script, {scratch.Path("a")})).out,
            "/dev/null\n/dev/null\n/dev/null\nsocket\n" + scratch.Path() + "\n" + scratch.Path("a") + "\n");
}

}  // namespace
}  // namespace mxc::test::placeholder_test
