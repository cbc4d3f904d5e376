// The compiled seccomp programs under the running kernel; seccomp_test.cc checks every row of the table.
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>
#include <vector>

#include "seccomp/seccomp.h"
#include "tests/support/needs.h"

namespace mxc::seccomp_kernel_test {
namespace {

std::vector<sock_filter> Program(SeccompProfile profile) {
  const std::span<const std::byte> bytes = SeccompProgram(profile);
  std::vector<sock_filter> program(bytes.size() / sizeof(sock_filter));
  std::memcpy(program.data(), bytes.data(), bytes.size());
  return program;
}

bool Install(SeccompProfile profile) {
  std::vector<sock_filter> program = Program(profile);
  const sock_fprog header{static_cast<unsigned short>(program.size()), program.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &header) == 0;
}

// Wait status of a child that installed the profile and exits with body()'s value; 250 when it could not.
template <class Body>
int StatusOf(SeccompProfile profile, Body body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(Install(profile) ? body() : 250);
  int status = -1;
  ::waitpid(child, &status, 0);
  return status;
}

template <class... Arguments>
int ErrnoOf(SeccompProfile profile, long number, Arguments... arguments) {
  const int status = StatusOf(profile, [=] { return ::syscall(number, arguments...) < 0 ? errno : 0; });
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

// Calls that would succeed, or fail otherwise, without the filter.
TEST(SeccompKernel, DeniedCallsFail) {
  constexpr SeccompProfile kProfile = SeccompProfile::kDefault;
  EXPECT_EQ(ErrnoOf(kProfile, SYS_getpid), 0);
  EXPECT_EQ(ErrnoOf(kProfile, SYS_unshare, 0), EPERM);
  EXPECT_EQ(ErrnoOf(kProfile, SYS_setns, -1, 0), EPERM);
  EXPECT_EQ(ErrnoOf(kProfile, SYS_clone3, nullptr, 0), ENOSYS);
  EXPECT_EQ(ErrnoOf(kProfile, SYS_io_uring_setup, 1, nullptr), ENOSYS);
  EXPECT_EQ(ErrnoOf(kProfile, SYS_mount, nullptr, nullptr, nullptr, 0, nullptr), EPERM);
  EXPECT_EQ(ErrnoOf(kProfile, SYS_ptrace, 0, 0, 0, 0), EPERM);
  EXPECT_EQ(ErrnoOf(kProfile, SYS_keyctl, 0, -3, 0), EPERM);
  EXPECT_EQ(ErrnoOf(kProfile, SYS_userfaultfd, 1), EPERM);
  EXPECT_EQ(ErrnoOf(kProfile, SYS_kcmp, -1, -1, 0, 0, 0), EPERM);
  EXPECT_EQ(ErrnoOf(kProfile, SYS_ioctl, -1, 0x5412UL, nullptr), EPERM);
  EXPECT_EQ(ErrnoOf(kProfile, SYS_ioctl, -1, 0x1'0000'5412UL, nullptr), EPERM);
  EXPECT_EQ(ErrnoOf(kProfile, SYS_ioctl, -1, 0x5401UL, nullptr), EBADF);
  EXPECT_EQ(ErrnoOf(kProfile, SYS_socket, 40, SOCK_STREAM, 0), EAFNOSUPPORT);
  EXPECT_EQ(ErrnoOf(kProfile, SYS_socket, AF_UNIX, SOCK_STREAM, 0), 0);
  EXPECT_EQ(ErrnoOf(kProfile, SYS_socket, AF_NETLINK, SOCK_RAW, 0), 0);
  EXPECT_EQ(ErrnoOf(kProfile, SYS_fchmod, -1, 04755), EPERM);
  EXPECT_EQ(ErrnoOf(kProfile, SYS_openat, -1, "x", 0100, 04755), EPERM);
  EXPECT_EQ(ErrnoOf(SeccompProfile::kRootCaller, SYS_fchmod, -1, 02755), EPERM);
  EXPECT_EQ(ErrnoOf(SeccompProfile::kRootCaller, SYS_fchmod, -1, 0755), EBADF);
  EXPECT_EQ(ErrnoOf(SeccompProfile::kRootCaller, SYS_openat, -1, "x", 0100, 02755), EPERM);
  EXPECT_EQ(ErrnoOf(SeccompProfile::kRootCaller, SYS_openat, -1, "x", 0100, 0755), EBADF);
}

// Both versions of each, and with whatever in the half of the register that the kernel does not look at.
TEST(SeccompKernel, NoRequestMakesASecondNameOfAFile) {
  constexpr unsigned long kRequests[] = {0x50009401, 0x50009417, 0x5000940e, 0x50009418, 0x5000940f,
                                         0x4048943f,              // btrfs: snapshots, subvolumes, removal
                                         0x40489426, 0x40449426,  // send, of 64 and of 32 bits
                                         0xd0009411, 0xc0709411, 0xc0389423, 0xc038940f, 0xc0389424,
                                         0xd0009412,                          // searches, inodes to paths
                                         0xc0189436, 0x9403,     0xffff94ff,  // deduplication, others
                                         0x4020bc10, 0x4020bc11, 0xbc00,     0x4008bc40,  // bcachefs
                                         0xc0405869, 0xc038586a, 0xc0c0586d, 0x40285881, 0xc028583e,
                                         0xc0405880,  // XFS: handles, exchanges, parents
                                         0x5867,     0x5878,     0x40186f04, 0xc028660f, 0x6611,
                                         0x800c6613, 0xc0506617, 0xc0406618, 0xc0406619, 0x40806685,
                                         0xc020f509, 0xc00ccf07, 0x4004cf03};
  for (const SeccompProfile profile : {SeccompProfile::kDefault, SeccompProfile::kRootCaller}) {
    for (const unsigned long request : kRequests) {
      EXPECT_EQ(ErrnoOf(profile, SYS_ioctl, -1, request, nullptr), ENOTTY) << std::hex << request;
      EXPECT_EQ(ErrnoOf(profile, SYS_ioctl, -1, 0xdead'0000'0000'0000UL | request, nullptr), ENOTTY)
          << std::hex << request;
    }
    // What file systems are asked otherwise.
    for (const unsigned long request :
         {0x40049409UL, 0x4020940dUL, 0x801c581fUL, 0x80086601UL, 0xc020660bUL, 0x5401UL, 0x541bUL})
      EXPECT_EQ(ErrnoOf(profile, SYS_ioctl, -1, request, nullptr), EBADF) << std::hex << request;
  }
}

TEST(SeccompKernel, OrdinaryCallersMaySetTheGroupId) {
  if (const char* missing = test::MissingSetGroupId()) GTEST_SKIP() << missing;
  EXPECT_EQ(ErrnoOf(SeccompProfile::kDefault, SYS_fchmod, -1, 02755), EBADF);
  EXPECT_EQ(ErrnoOf(SeccompProfile::kDefault, SYS_openat, -1, "x", 0100, 02755), EBADF);
}

// The call answers success and changes nothing; others, and questions, reach the kernel.
TEST(SeccompKernel, TheCoreLimitStays) {
  const int status = StatusOf(SeccompProfile::kDefault, [] {
    rlimit before{};
    rlimit after{};
    rlimit other{};
    ::getrlimit(RLIMIT_CORE, &before);
    const rlimit wanted{before.rlim_cur == 0 ? before.rlim_max : 0, before.rlim_max};
    if (::setrlimit(RLIMIT_CORE, &wanted) != 0) return 1;
    if (::syscall(SYS_prlimit64, 0, RLIMIT_CORE, &wanted, &after) != 0) return 2;
    if (::getrlimit(RLIMIT_CORE, &after) != 0 || after.rlim_cur != before.rlim_cur) return 3;
    ::getrlimit(RLIMIT_NOFILE, &other);
    other.rlim_cur = 17;
    if (::setrlimit(RLIMIT_NOFILE, &other) != 0 || ::getrlimit(RLIMIT_NOFILE, &other) != 0) return 4;
    return other.rlim_cur == 17 ? 0 : 5;
  });
  EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
}

#if defined(__x86_64__)
TEST(SeccompKernel, ForeignCallTables) {
  EXPECT_EQ(ErrnoOf(SeccompProfile::kDefault, 0x40000000 | SYS_getpid), ENOSYS);
  const int status = StatusOf(SeccompProfile::kDefault, [] {
    int result = 20;  // getpid of i386
    asm volatile("int $0x80" : "+a"(result) : : "memory");
    return 0;
  });
  EXPECT_TRUE(WIFSIGNALED(status)) << status;
}
#endif

TEST(SeccompKernel, ThreadsAndProcessesStillStart) {
  const int status = StatusOf(SeccompProfile::kDefault, [] {
    int seen = 0;
    std::thread{[&] { seen = 7; }}.join();
    const pid_t child = ::fork();
    if (child == 0) ::_exit(5);
    int inner = 0;
    ::waitpid(child, &inner, 0);
    return seen + WEXITSTATUS(inner);
  });
  EXPECT_EQ(WEXITSTATUS(status), 12);
}

}  // namespace
}  // namespace mxc::seccomp_kernel_test
