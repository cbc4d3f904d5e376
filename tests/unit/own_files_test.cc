// How files of ours are opened: nothing that another run, or another user, has left at the place or on the
// way leads elsewhere.
#include "base/own_files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "tests/support/run_in_child.h"

namespace mxc::test::own_files_test {
namespace {

using ::testing::HasSubstr;

std::string ProblemOf(const std::string& path, OwnFile file) {
  const Result<UniqueFd> opened = OpenOwnFile("open", path, file);
  return opened ? "" : opened.error().message;
}

class OwnFiles : public ::testing::TestWithParam<OwnFile> {
 protected:
  void SetUp() override { WriteText(scratch_.Path("victim"), "kept"); }
  void ExpectRefused(const std::string& name, const std::string& why) {
    EXPECT_EQ(ProblemOf(scratch_.Path(name), GetParam()), "open '" + scratch_.Path(name) + "': " + why);
    EXPECT_EQ(ReadText(scratch_.Path("victim")), "kept");
  }
  ScratchDirectory scratch_;
};

TEST_P(OwnFiles, AreMadeForTheCallerAlone) {
  ASSERT_EQ(ProblemOf(scratch_.Path("new"), GetParam()), "");
  struct stat status {};
  ASSERT_EQ(::stat(scratch_.Path("new").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0600U);
}

TEST_P(OwnFiles, OnlyAResultIsEmptied) {
  ASSERT_EQ(ProblemOf(scratch_.Path("victim"), GetParam()), "");
  EXPECT_EQ(ReadText(scratch_.Path("victim")), GetParam() == OwnFile::kResult ? "" : "kept");
}

TEST_P(OwnFiles, AreBehindNoLink) {
  ASSERT_EQ(::symlink("victim", scratch_.Path("link").c_str()), 0);
  ASSERT_EQ(::symlink("missing", scratch_.Path("dangling").c_str()), 0);
  ASSERT_EQ(::symlink(".", scratch_.Path("here").c_str()), 0);
  ExpectRefused("link", "it is a symbolic link");
  ExpectRefused("dangling", "it is a symbolic link");
  ExpectRefused("here/victim", "the symbolic link 'here' is on the way");
  ExpectRefused("./here/../victim", "the symbolic link 'here' is on the way");
  EXPECT_NE(::access(scratch_.Path("missing").c_str(), F_OK), 0);
}

TEST_P(OwnFiles, HaveOneName) {
  ASSERT_EQ(::link(scratch_.Path("victim").c_str(), scratch_.Path("second").c_str()), 0);
  ExpectRefused("victim", "it has 2 names");
}

TEST_P(OwnFiles, AreRegularFiles) {
  ASSERT_EQ(::mkfifo(scratch_.Path("fifo").c_str(), 0600), 0);
  ExpectRefused("fifo", "it is not a regular file");
  ExpectRefused("", "it is not a regular file");
  ExpectRefused("victim/below", "Not a directory");
  EXPECT_EQ(ProblemOf("/dev/null", GetParam()) == "", GetParam() != OwnFile::kAudit);
}

// A name that root's commands would change: what is written there is no record.
TEST_P(OwnFiles, AreNothingOfTheKernels) {
  const std::string own = "/proc/" + std::to_string(::getpid());
  for (const std::string& path : {own + "/comm", own + "/new", std::string("/sys/kernel/new")}) {
    if (::access(path.substr(0, path.rfind('/')).c_str(), F_OK) != 0) continue;
    EXPECT_EQ(ProblemOf(path, GetParam()), "open '" + path + "': it is in a file system of the kernel");
  }
}

TEST_P(OwnFiles, BelongToTheCaller) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to give a file away";
  ASSERT_EQ(::chown(scratch_.Path("victim").c_str(), 23456, 23456), 0);
  ExpectRefused("victim", "it belongs to uid 23456");
}

TEST_P(OwnFiles, RootsLinksInTheRootAreFollowed) {
  struct stat status {};
  if (::lstat("/bin", &status) != 0 || ::access("/bin/bash", F_OK) != 0 || !S_ISLNK(status.st_mode))
    GTEST_SKIP() << "/usr is not merged here";
  EXPECT_EQ(ProblemOf("/bin/bash/below", GetParam()), "open '/bin/bash/below': Not a directory");
}

TEST(OneFile, ByAnySpelling) {
  const ScratchDirectory scratch;
  const std::string root = scratch.Path("") + "/";
  for (const bool exists : {false, true}) {
    if (exists) WriteText(root + "file", "");
    EXPECT_TRUE(LeadToOneFile(root + "file", root + "file"));
    EXPECT_TRUE(LeadToOneFile(root + "file", root + "./file"));
    EXPECT_FALSE(LeadToOneFile(root + "file", root + "other"));
  }
  ASSERT_EQ(::link((root + "file").c_str(), (root + "second").c_str()), 0);
  EXPECT_TRUE(LeadToOneFile(root + "file", root + "second"));
  ASSERT_EQ(::symlink(".", (root + "here").c_str()), 0);
  EXPECT_TRUE(LeadToOneFile(root + "file", root + "here/file"));
  EXPECT_TRUE(LeadToOneFile(root + "missing", root + "here/missing"));
  EXPECT_FALSE(LeadToOneFile("/dev/null", "/dev/null"));
}

TEST(OneFile, BehindADescriptor) {
  const ScratchDirectory scratch;
  WriteText(scratch.Path("file"), "");
  WriteText(scratch.Path("other"), "");
  const UniqueFd fd{::open(scratch.Path("file").c_str(), O_RDONLY | O_CLOEXEC)};
  const UniqueFd again{::open(scratch.Path("file").c_str(), O_WRONLY | O_CLOEXEC)};
  const UniqueFd null{::open("/dev/null", O_WRONLY | O_CLOEXEC)};
  EXPECT_TRUE(LeadsToFileOf(scratch.Path("./file"), fd.Get()));
  EXPECT_FALSE(LeadsToFileOf(scratch.Path("other"), fd.Get()));
  EXPECT_FALSE(LeadsToFileOf(scratch.Path("missing"), fd.Get()));
  EXPECT_FALSE(LeadsToFileOf("/dev/null", null.Get()));
  EXPECT_TRUE(AreOfOneFile(fd.Get(), again.Get()));
  EXPECT_FALSE(AreOfOneFile(fd.Get(), null.Get()));
  EXPECT_FALSE(AreOfOneFile(null.Get(), null.Get()));
  EXPECT_FALSE(AreOfOneFile(fd.Get(), -1));
}

INSTANTIATE_TEST_SUITE_P(All, OwnFiles, ::testing::Values(OwnFile::kLog, OwnFile::kResult, OwnFile::kAudit));

}  // namespace
}  // namespace mxc::test::own_files_test
