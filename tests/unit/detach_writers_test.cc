// Whoever has a file open for writing when it is judged.
#include "cleanup/detach_writers.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <string>
#include <vector>

#include "base/passed_fds.h"
#include "base/unique_fd.h"
#include "tests/support/workspace.h"

namespace mxc::detach_writers_test {
namespace {

constexpr std::size_t kLimit = 100;
constexpr uid_t kOther = 4711;

struct stat StatusOf(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(::lstat(path.c_str(), &status), 0) << path;
  return status;
}

class DetachingWriters : public testing::Test {
 protected:
  // "kept", "copied", "copied from writers", or the error.
  [[nodiscard]] std::string Detach() const {
    const ino_t before = StatusOf(file).st_ino;
    const Result<bool> detached = DetachWriters(file, kLimit);
    if (!detached) return detached.error().message;
    if (StatusOf(file).st_ino == before) return "kept";
    return *detached ? "copied from writers" : "copied";
  }
  [[nodiscard]] UniqueFd Open(int flags) const { return UniqueFd{::open(file.c_str(), flags | O_CLOEXEC)}; }

  const test::Workspace workspace{::geteuid()};
  const std::string file = workspace.File("git/index", "text", 0640);
};

TEST_F(DetachingWriters, AFileThatNobodyWritesStays) {
  EXPECT_EQ(Detach(), "kept");
  const UniqueFd reader = Open(O_RDONLY);
  EXPECT_EQ(Detach(), "kept");
}

TEST_F(DetachingWriters, WhatIsOpenForWritingLeadsToNothing) {
  const UniqueFd writer = Open(O_RDWR);
  EXPECT_EQ(Detach(), "copied from writers");
  EXPECT_EQ(::pwrite(writer.Get(), "evil", 4, 0), 4);
  EXPECT_EQ(test::Contents(file), "text");
  EXPECT_EQ(Detach(), "kept");
  EXPECT_EQ(test::Names(workspace.Path("git")), std::vector<std::string>{"index"});
}

TEST_F(DetachingWriters, SharedMemoryIsAWriter) {
  UniqueFd writer = Open(O_RDWR);
  void* const memory = ::mmap(nullptr, 4, PROT_READ | PROT_WRITE, MAP_SHARED, writer.Get(), 0);
  ASSERT_NE(memory, MAP_FAILED);
  writer.Reset();
  EXPECT_EQ(Detach(), "copied from writers");
  static_cast<char*>(memory)[0] = 'x';
  EXPECT_EQ(test::Contents(file), "text");
  ::munmap(memory, 4);
}

TEST_F(DetachingWriters, ADescriptorInASocketIsAWriter) {
  std::array<int, 2> pair{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()), 0);
  const UniqueFd sender{pair[0]};
  const UniqueFd receiver{pair[1]};
  {
    const UniqueFd writer = Open(O_WRONLY);
    const int fd = writer.Get();
    const char byte = 0;
    ASSERT_EQ(SendWithFds(sender.Get(), &byte, 1, std::span(&fd, 1)), 1);
  }
  EXPECT_EQ(Detach(), "copied from writers");
}

TEST_F(DetachingWriters, AFurtherNameIsCutOff) {
  const std::string other = workspace.Path("other");
  ASSERT_EQ(::link(file.c_str(), other.c_str()), 0);
  EXPECT_EQ(Detach(), "copied");
  EXPECT_EQ(StatusOf(file).st_nlink, 1U);
  EXPECT_EQ(test::Contents(other), "text");
}

TEST_F(DetachingWriters, ACopyKeepsModeTimesAndOwner) {
  const std::array<timespec, 2> times = {timespec{.tv_sec = 1, .tv_nsec = 2}, {.tv_sec = 3, .tv_nsec = 4}};
  ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), times.data(), 0), 0);
  const bool root = ::geteuid() == 0;
  ASSERT_TRUE(!root || ::chown(file.c_str(), kOther, kOther) == 0);
  const UniqueFd writer = Open(O_WRONLY);
  EXPECT_EQ(Detach(), "copied from writers");
  const struct stat status = StatusOf(file);
  EXPECT_EQ(status.st_mode & 07777U, 0640U);
  EXPECT_EQ(status.st_mtim.tv_sec, 3);
  EXPECT_EQ(status.st_mtim.tv_nsec, 4);
  EXPECT_EQ(status.st_uid, root ? kOther : ::geteuid());
}

// The command may leave one: then git does not write the file either.
TEST_F(DetachingWriters, ALockIsAnError) {
  const UniqueFd writer = Open(O_WRONLY);
  workspace.Link("git/index.lock", workspace.File("victim", "precious"));
  EXPECT_EQ(Detach(), "create '" + file + ".lock': File exists");
  EXPECT_EQ(test::Contents(workspace.Path("victim")), "precious");
}

TEST_F(DetachingWriters, WhatIsLongerThanTheLimitIsNotCopied) {
  const UniqueFd writer = Open(O_WRONLY);
  ASSERT_EQ(::ftruncate(writer.Get(), kLimit + 1), 0);
  EXPECT_EQ(Detach(), "copy '" + file + "': File too large");
  EXPECT_EQ(test::Names(workspace.Path("git")), std::vector<std::string>{"index"});
}

// git writes no holes, and whoever makes one can have it as long as they like.
TEST_F(DetachingWriters, WhatHasHolesIsNotRead) {
  ASSERT_EQ(::truncate(file.c_str(), 1048576), 0);
  EXPECT_EQ(Detach(), "'" + file + "' has holes");
}

TEST_F(DetachingWriters, NoLinkIsFollowed) {
  const UniqueFd writer = Open(O_WRONLY);
  const std::string link = workspace.Link("git/link", file);
  const std::string way = workspace.Link("way", workspace.Path("git"));
  EXPECT_FALSE(DetachWriters(link, kLimit));
  EXPECT_FALSE(DetachWriters(way + "/index", kLimit));
}

// A file of another user's that ours cannot write: the kernel gives us no lease on it.
TEST_F(DetachingWriters, AnotherUsersFileStays) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make one";
  ASSERT_EQ(::chmod(file.c_str(), 0644), 0);
  ASSERT_EQ(::chmod(workspace.Root().c_str(), 0755), 0);
  ASSERT_EQ(::seteuid(kOther), 0);
  const Result<bool> detached = DetachWriters(file, kLimit);
  ASSERT_EQ(::seteuid(0), 0);
  EXPECT_TRUE(detached && !*detached);
}

}  // namespace
}  // namespace mxc::detach_writers_test
