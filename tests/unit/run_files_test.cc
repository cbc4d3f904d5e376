// The files that cross into the child, and their numbers.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "seccomp/seccomp.h"
#include "spawn/inherited_files.h"
#include "tests/support/needs.h"
#include "tests/support/run_in_child.h"

namespace mxc::test::run_files_test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

FileObject ObjectOf(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(::lstat(path.c_str(), &status), 0) << path;
  return {.device = status.st_dev, .inode = status.st_ino};
}

// sh -c SCRIPT with the number of file 0, 1, ... as $1, $2, ...
Plan PlanWithFiles(const std::string& script, std::vector<InheritedFile> files) {
  Plan plan = ShellPlan(script);
  ExecOf(plan).argv.emplace_back(std::string("sh"));
  for (std::size_t i = 0; i < files.size(); ++i) ExecOf(plan).argv.emplace_back(FileNumber{i});
  ExecOf(plan).files = std::move(files);
  return plan;
}

TEST(RunFiles, ArgumentsAreSeparatedByNul) {
  const ArgumentFile file{
      .arguments = {std::string("--setenv"), std::string("A"), Secret("b c"), std::string()}};
  const RunReport report = RunInChild(PlanWithFiles("cat /proc/self/fd/$1", {file}));
  EXPECT_EQ(report.out, std::string("--setenv\0A\0b c\0\0", 16));
}

TEST(RunFiles, ArgumentsNameEarlierFiles) {
  ScratchDirectory scratch;
  const PathFile path{.path = scratch.Path(), .object = ObjectOf(scratch.Path())};
  const ArgumentFile file{.arguments = {FileNumber{0}}};
  const RunReport report = RunInChild(PlanWithFiles(
      "[ \"$(tr -d '\\000' </proc/self/fd/$2)\" = $1 ] && readlink /proc/self/fd/$1", {path, file}));
  EXPECT_EQ(report.out, scratch.Path() + "\n");
}

TEST(RunFiles, SecretsAreNotInTheCommandLine) {
  const ArgumentFile file{.arguments = {Secret("canary-value")}};
  const RunReport report = RunInChild(PlanWithFiles("tr '\\0' ' ' < /proc/$$/cmdline", {file}));
  EXPECT_THAT(report.out, HasSubstr("cmdline"));
  EXPECT_THAT(report.out, ::testing::Not(HasSubstr("canary")));
}

TEST(RunFiles, VerifiedPathsAreLookedAtAndNotHandedOver) {
  ScratchDirectory scratch;
  WriteText(scratch.Path("denied"), "x");
  WriteText(scratch.Path("other"), "y");
  Plan plan = ShellPlan("ls /proc/self/fd");
  ExecOf(plan).verified = {{.path = scratch.Path("denied"), .object = ObjectOf(scratch.Path("denied"))}};
  EXPECT_EQ(RunInChild(plan).out, RunInChild(ShellPlan("ls /proc/self/fd")).out);
  ExecOf(plan).verified[0].object = ObjectOf(scratch.Path("other"));
  const RunReport report = RunInChild(plan);
  EXPECT_EQ(report.code, ErrorCode::kSetupFailed);
  EXPECT_EQ(report.message,
            "'" + scratch.Path("denied") + "' was replaced while the sandbox was being set up");
  EXPECT_EQ(report.out, "");
}

TEST(RunFiles, MemoryFilesAreSealed) {
  Result<OpenedFiles> opened = OpenFiles({ArgumentFile{.arguments = {std::string("x")}}}, 3);
  ASSERT_TRUE(opened);
  for (const UniqueFd& file : opened->files) {
    EXPECT_EQ(::fcntl(file.Get(), F_GET_SEALS), F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
    EXPECT_EQ(::pwrite(file.Get(), "y", 1, 0), -1);
    EXPECT_EQ(::lseek(file.Get(), 0, SEEK_CUR), 0);
    EXPECT_EQ(::fcntl(file.Get(), F_GETFD), FD_CLOEXEC);
  }
}

TEST(RunFiles, PathFileIsAHandleWithoutAccess) {
  ScratchDirectory scratch;
  WriteText(scratch.Path("f"), "text");
  Result<OpenedFiles> opened =
      OpenFiles({PathFile{.path = scratch.Path("f"), .object = ObjectOf(scratch.Path("f"))}}, 3);
  ASSERT_TRUE(opened);
  char byte = 0;
  EXPECT_EQ(::read(opened->files[0].Get(), &byte, 1), -1);
  EXPECT_EQ(errno, EBADF);
}

TEST(RunFiles, ReplacedPathIsRefused) {
  ScratchDirectory scratch;
  const std::string path = scratch.Path("f");
  WriteText(path, "old");
  const PathFile file{.path = path, .object = ObjectOf(path)};
  WriteText(scratch.Path("new"), "new");
  ASSERT_EQ(::rename(scratch.Path("new").c_str(), path.c_str()), 0);
  const RunReport report = RunInChild(PlanWithFiles("echo ran", {file}));
  EXPECT_EQ(report.code, ErrorCode::kSetupFailed);
  EXPECT_EQ(report.message, "'" + path + "' was replaced while the sandbox was being set up");
  EXPECT_EQ(report.out, "");
}

// Without openat2 the file's device and inode decide, and these are the same.
TEST(RunFiles, SymlinkInPlaceOfAPathIsRefused) {
  if (const char* missing = test::MissingOpenat2()) GTEST_SKIP() << missing;
  ScratchDirectory scratch;
  ::mkdir(scratch.Path("d").c_str(), 0755);
  WriteText(scratch.Path("d/f"), "text");
  const PathFile file{.path = scratch.Path("d/f"), .object = ObjectOf(scratch.Path("d/f"))};
  // The same file, reached through a link in the middle: it could be pointed elsewhere at any moment.
  ASSERT_EQ(::rename(scratch.Path("d").c_str(), scratch.Path("real").c_str()), 0);
  ASSERT_EQ(::symlink("real", scratch.Path("d").c_str()), 0);
  const RunReport report = RunInChild(PlanWithFiles("echo ran", {file}));
  EXPECT_EQ(report.message, "'" + file.path + "' was replaced while the sandbox was being set up");
}

TEST(RunFiles, VanishedPathIsRefused) {
  const PathFile file{.path = "/nonexistent/f", .object = {}};
  EXPECT_EQ(RunInChild(PlanWithFiles("echo ran", {file})).message,
            "'/nonexistent/f' was replaced while the sandbox was being set up");
}

TEST(RunFiles, ThousandsFitAboveTheCallersLimit) {
  std::vector<InheritedFile> files(3000, PathFile{.path = "/usr", .object = ObjectOf("/usr")});
  const RunSetup setup{.before = [] {
    struct rlimit limit {};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = 256;
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }};
  Plan plan = ShellPlan(
      "ulimit -n; n=0; for f in /proc/$$/fd/*; do n=$((n+1)); done; echo $n; readlink /proc/$$/fd/$1");
  ExecOf(plan).argv.insert(ExecOf(plan).argv.end(), {std::string("sh"), FileNumber{2999}});
  ExecOf(plan).files = std::move(files);
  const RunReport report = RunInChild(plan, setup);
  ASSERT_TRUE(report.ok) << report.message;
  EXPECT_EQ(report.out, "256\n3004\n/usr\n");
}

TEST(RunFiles, MoreThanTheHardLimitIsAnError) {
  std::vector<InheritedFile> files(300, PathFile{.path = "/usr", .object = ObjectOf("/usr")});
  const RunSetup setup{.before = [] {
    const struct rlimit limit { .rlim_cur = 256, .rlim_max = 512 };
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }};
  EXPECT_EQ(RunInChild(PlanWithFiles("echo ran", std::move(files)), setup).message,
            "the sandbox needs 364 open files; the limit of this session is 512");
}

}  // namespace
}  // namespace mxc::test::run_files_test
