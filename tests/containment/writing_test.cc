// What must not be written.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/unique_fd.h"
#include "tests/containment/containment.h"

namespace mxc::test::writing_test {
namespace {

using testing::AnyOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

class Writing : public ContainmentTest {};
MXC_FOR_EACH_CALLER_AND_ENGINE(Writing);

TEST_P(Writing, AReadWriteGrantReachesTheHost) {
  const std::string rw = workspace.Directory("rw");
  EXPECT_THAT(Try({.read_write = {rw}}, {{"write", rw + "/a", "text"},
                                         {"mkdir", rw + "/d"},
                                         {"rename", rw + "/a", rw + "/d/b"},
                                         {"symlink", "d/b", rw + "/l"}}),
              Each("ok"));
  EXPECT_EQ(Contents(rw + "/l"), "text");
}

TEST_P(Writing, AReadOnlyGrantIsReadOnlyInEveryWay) {
  const std::string ro = workspace.Directory("ro");
  const std::string file = workspace.File("ro/file", "KEEP");
  EXPECT_THAT(Try({.read_only = {ro}}, {{"write", ro + "/new", "x"},
                                        {"write", file, "x"},
                                        {"truncate", file},
                                        {"opentrunc", file},
                                        {"reopen", file},
                                        {"map", file},
                                        {"unlink", file},
                                        {"mkdir", ro + "/d"},
                                        {"symlink", "x", ro + "/l"},
                                        {"rename", file, ro + "/other"},
                                        {"chmod", file, "777"},
                                        {"chown", file},
                                        {"touch", file},
                                        {"setxattr", file},
                                        {"chmod", ro, "777"}}),
              Each(AnyOf("EROFS", "EACCES")));
  EXPECT_EQ(Contents(file), "KEEP");
  EXPECT_THAT(Names(ro), ElementsAre("file"));
}

TEST_P(Writing, ReadOnlyInsideReadWrite) {
  const std::string rw = workspace.Directory("rw");
  const std::string inner = workspace.File("rw/ro/file", "KEEP");
  const std::string file = workspace.File("rw/file", "KEEP");
  workspace.File("rw/evil", "EVIL");
  const auto answers =
      Try({.read_only = {rw + "/ro", file}, .read_write = {rw}}, {{"write", inner, "x"},
                                                                  {"write", rw + "/ro/new", "x"},
                                                                  {"write", file, "x"},
                                                                  {"unlink", file},
                                                                  {"unlink", inner},
                                                                  {"rename", rw + "/evil", file},
                                                                  {"rename", rw + "/evil", inner},
                                                                  {"exchange", rw + "/evil", file},
                                                                  {"exchange", rw + "/evil", rw + "/ro"},
                                                                  {"link", file, rw + "/alias"},
                                                                  {"link", inner, rw + "/alias"}});
  EXPECT_THAT(answers, Not(Contains("ok")));
  EXPECT_EQ(Contents(inner), "KEEP");
  EXPECT_EQ(Contents(file), "KEEP");
  EXPECT_THAT(Names(rw), ElementsAre("evil", "file", "ro"));
}

// A read-only mount does not keep them from being opened for writing.
TEST_P(Writing, NamedPipesInReadOnlyPartsOfAGrant) {
  const std::string rw = workspace.Directory("rw");
  const std::string ro = workspace.Directory("rw/ro/deep");
  workspace.File("rw/.git/HEAD", "ref: refs/heads/main\n");
  workspace.Directory("rw/.git/hooks");
  std::vector<UniqueFd> readers;
  std::vector<Words> writes;
  for (const std::string& pipe : {ro + "/pipe", rw + "/.git/hooks/pipe"}) {
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0666), 0);
    ASSERT_EQ(::chmod(pipe.c_str(), 0666), 0);
    readers.emplace_back(::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    writes.push_back({"write", pipe, "x"});
  }
  EXPECT_THAT(Try({.read_only = {rw + "/ro"}, .read_write = {rw}}, writes), Each("EACCES"));
  for (const UniqueFd& reader : readers) {
    char byte = 0;
    EXPECT_LE(::read(reader.Get(), &byte, 1), 0);
  }
}

TEST_P(Writing, ReadWriteInsideReadOnly) {
  const std::string ro = workspace.Directory("ro");
  workspace.Directory("ro/rw");
  EXPECT_THAT(Try({.read_only = {ro}, .read_write = {ro + "/rw"}},
                  {{"write", ro + "/x", "x"}, {"write", ro + "/rw/x", "x"}}),
              ElementsAre("EROFS", "ok"));
  EXPECT_THAT(Names(ro + "/rw"), ElementsAre("x"));
}

TEST_P(Writing, DeniedPathsCannotBeReplaced) {
  const std::string rw = workspace.Directory("rw");
  const std::string file = Secret("rw/file");
  Secret("rw/dir/inner");
  EXPECT_THAT(Try({.read_write = {rw}, .denied = {file, rw + "/dir"}}, {{"write", file, "x"},
                                                                        {"write", rw + "/dir/new", "x"},
                                                                        {"unlink", file},
                                                                        {"rmdir", rw + "/dir"},
                                                                        {"rename", rw + "/dir", rw + "/q"}}),
              ElementsAre("EACCES", "EACCES", "EBUSY", "EBUSY", "EBUSY"));
  EXPECT_EQ(Contents(file), token);
  EXPECT_EQ(Contents(rw + "/dir/inner"), token);
  EXPECT_THAT(Names(rw + "/dir"), ElementsAre("inner"));
}

// A mask moves with its directory: unless the ancestors are pinned, the old name is free again.
TEST_P(Writing, AncestorsOfProtectedPathsCannotBeMoved) {
  const std::string rw = workspace.Directory("rw");
  const std::string file = workspace.File("rw/a/ro/file", "KEEP");
  const std::string secret = Secret("rw/b/den/file");
  const auto answers = Try({.read_only = {rw + "/a/ro"}, .read_write = {rw}, .denied = {rw + "/b/den"}},
                           {{"rename", rw + "/a", rw + "/a2"},
                            {"mkdir", rw + "/a"},
                            {"mkdir", rw + "/a/ro"},
                            {"write", rw + "/a/ro/file", "EVIL"},
                            {"rename", rw + "/b", rw + "/b2"},
                            {"exchange", rw + "/a", rw + "/b"},
                            {"read", rw + "/b2/den/file"}});
  EXPECT_THAT(answers, Not(Contains("ok")));
  EXPECT_EQ(Contents(file), "KEEP");
  EXPECT_EQ(Contents(secret), token);
}

TEST_P(Writing, PinsDoNotHinderWorkBesideThem) {
  const std::string rw = workspace.Directory("rw");
  Secret("rw/a/b/secret");
  EXPECT_THAT(
      Try({.read_write = {rw}, .denied = {rw + "/a/b/secret"}}, {{"write", rw + "/a/x", "1"},
                                                                 {"write", rw + "/a/b/y", "2"},
                                                                 {"rename", rw + "/a/b/y", rw + "/a/b/z"},
                                                                 {"unlink", rw + "/a/x"}}),
      Each("ok"));
  EXPECT_EQ(Contents(rw + "/a/b/z"), "2");
}

TEST_P(Writing, ThroughAPlantedSymlink) {
  const std::string unlisted = workspace.File("unlisted/file", "KEEP", 0666);
  const std::string file = workspace.File("ro/file", "KEEP");
  const std::string rw = workspace.Directory("rw");
  EXPECT_THAT(
      Try({.read_only = {workspace.Path("ro")}, .read_write = {rw}}, {{"symlink", unlisted, rw + "/a"},
                                                                      {"symlink", file, rw + "/b"},
                                                                      {"write", rw + "/a", "x"},
                                                                      {"write", rw + "/b", "x"}}),
      ElementsAre("ok", "ok", "ENOENT", "EROFS"));
  EXPECT_EQ(Contents(unlisted), "KEEP");
  EXPECT_EQ(Contents(file), "KEEP");
}

// What one command leaves behind must not widen the policy of the next.
TEST_P(Writing, ASymlinkPlantedForTheNextRun) {
  const std::string rw = workspace.Directory("rw");
  const std::string sub = workspace.Directory("rw/sub");
  Secret("unlisted/secret");
  const std::string unlisted = workspace.Path("unlisted");
  ASSERT_THAT(Try({.read_write = {rw}}, {{"rmdir", sub}, {"symlink", unlisted, sub}}), Each("ok"));
  const Ended second = Execute(
      PrepareGuest({.read_write = {rw, sub}}, {{"read", sub + "/secret"}, {"write", sub + "/planted", "x"}}));
  EXPECT_EQ(second.status, 255);
  EXPECT_EQ(EnvelopeCode(second), "policy_validation") << second.err;
  EXPECT_EQ(second.out, "");
  EXPECT_FALSE(Exists(unlisted + "/planted"));
}

TEST_P(Writing, ReadOnlyBindsCannotBeRemounted) {
  const std::string ro = workspace.Directory("ro");
  const std::string file = workspace.File("ro/file", "KEEP");
  constexpr const char* kRemountBind = "0x1020";
  const std::string mount = std::to_string(SYS_mount);
  EXPECT_THAT(Try({.read_only = {ro}}, {{"syscall", mount, "0", "s:" + ro, "0", kRemountBind, "0"},
                                        {"nested", mount, "0", "s:" + ro, "0", kRemountBind, "0"},
                                        {"syscall", std::to_string(SYS_umount2), "s:" + ro, "2"},
                                        {"write", file, "x"}}),
              Not(Contains("ok")));
  EXPECT_EQ(Contents(file), "KEEP");
}

TEST_P(Writing, PlacesEverybodySharesStayAsTheyAre) {
  std::vector<Words> operations;
  for (const char* directory :
       {"/tmp", "/var/tmp", "/dev/shm", "/run", "/var/log", "/opt", "/etc", "/usr/bin", "/usr/lib", "/bin",
        "/usr/local/bin", "/root", "/home", "/boot", ""}) {
    operations.push_back({"write", directory + ("/mxc-" + token), "x"});
  }
  const auto answers = Try({}, operations);
  EXPECT_EQ(answers[0], "ok") << "a private /tmp is writable";
  for (const Words& words : operations) EXPECT_FALSE(Exists(words[1])) << words[1];
}

TEST_P(Writing, TheRootAndTheMasksAreReadOnly) {
  const std::string rw = workspace.Directory("rw");
  workspace.Directory("rw/den");
  EXPECT_THAT(Try({.read_write = {rw}, .denied = {rw + "/den"}}, {{"write", "/new", "x"},
                                                                  {"mkdir", "/new"},
                                                                  {"write", rw + "/den/new", "x"},
                                                                  {"write", "/dev/new", "x"},
                                                                  {"chmod", rw + "/den", "777"}}),
              Each(AnyOf("EROFS", "EACCES", "EPERM")));
}

TEST_P(Writing, ThePrivateTmpIsBounded) {
  // Without a size of its own a tmpfs shows none, and may take half of the memory.
  const Ended ended = RunConfig({.command = "grep -c ' /tmp .*[ ,]size=' /proc/self/mountinfo; "
                                            "grep -c ' /dev/shm .*[ ,]size=' /proc/self/mountinfo"});
  EXPECT_EQ(ended.out, "1\n1\n") << ended.err;
}

// They lie on the host, where whoever runs one acts as the caller.
TEST_P(Writing, NoSetUserIdFiles) {
  const std::string su = workspace.Directory("rw") + "/su";
  EXPECT_THAT(Try({.read_write = {workspace.Path("rw")}},
                  {{"write", su, "x"}, {"chmod", su, "6755"}, {"chmod", su, "4755"}, {"chmod", su, "755"}}),
              ElementsAre("ok", "EPERM", "EPERM", "ok"));
  struct stat status {};
  ASSERT_EQ(::stat(su.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0755U);
}

TEST_P(Writing, NoFlagsThatOutlastTheRun) {
  const std::optional<int> flags = FlagsThatCanBeSet(GetParam().containment);
  if (!flags) GTEST_SKIP() << kNoFlags;
  EXPECT_EQ(flags, 0);
}

// What tools set on directories that a group shares; root's group is nobody's to share.
TEST_P(Writing, SetGroupIdOnlyForOrdinaryCallers) {
  const std::string rw = workspace.Directory("rw");
  EXPECT_THAT(Try({.read_write = {rw}}, {{"mkdir", rw + "/d"}, {"chmod", rw + "/d", "2775"}}),
              ElementsAre("ok", uid == 0 ? "EPERM" : "ok"));
}

TEST_P(Writing, ToolsThatKeepModesWork) {
  const std::string rw = workspace.Directory("rw");
  std::string script = "set -e; cd " + rw + "; mkdir -p a/b; echo x > a/b/f; chmod 755 a/b/f; cp -pr a c; ";
  script += "tar -cf t.tar a; tar -xpf t.tar -C c; install -m 755 a/b/f i; ";
  // Nobody may keep its owner, and then the bit is dropped as well; but root may.
  if (uid != 0) script += "cp -p /usr/bin/passwd p; ";
  const Ended ended = RunConfig({.command = script + "echo done", .read_write = {rw}});
  EXPECT_EQ(ended.out, "done\n") << ended.err;
}

TEST_P(Writing, ASetUserIdProgramGainsNothing) {
  if (::geteuid() != 0 || uid == 0) GTEST_SKIP() << "needs root's file and an ordinary caller";
  const std::string program = workspace.CopyOf(guest, "suid", 0755);
  ASSERT_EQ(::chown(program.c_str(), 0, 0), 0);
  ASSERT_EQ(::chmod(program.c_str(), 04755), 0);
  const std::string id = std::to_string(uid);
  EXPECT_THAT(Try({.read_only = {program}}, {{"start", program, "ids"}}), ElementsAre(id + " " + id, "0"));
}

// As a file, as a directory, and below one that does not exist either.
TEST_P(Writing, AReadOnlyPathThatIsMissingCannotBeMade) {
  const std::string top = workspace.Directory("top");
  EXPECT_THAT(Try({.read_only = {top + "/file", top + "/new/deep"}, .read_write = {top}},
                  {{"write", top + "/file", "x"},
                   {"mkdir", top + "/file"},
                   {"mkdir", top + "/new"},
                   {"rename", top + "/file", top + "/away"},
                   {"write", top + "/other", "x"}}),
              ElementsAre("EACCES", "EEXIST", "EEXIST", "EBUSY", "ok"));
  EXPECT_FALSE(Exists(top + "/file"));
  EXPECT_FALSE(Exists(top + "/new"));
}

}  // namespace
}  // namespace mxc::test::writing_test
