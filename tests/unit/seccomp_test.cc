#include "seccomp/seccomp.h"

#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "seccomp/seccomp_rules.h"

namespace mxc::seccomp_test {
namespace {

using seccomp_rules::Bits;
using seccomp_rules::DeniedCall;

#define MXC_CALL(name) \
  { #name, SYS_##name }
const std::map<std::string_view, long>& Numbers() {
  static const std::map<std::string_view, long> kNumbers = {
#if defined(__x86_64__)
    MXC_CALL(open),
    MXC_CALL(creat),
    MXC_CALL(chmod),
    MXC_CALL(mknod),
    MXC_CALL(modify_ldt),
    MXC_CALL(iopl),
    MXC_CALL(ioperm),
    MXC_CALL(uselib),
#endif
    MXC_CALL(fallocate),
    MXC_CALL(fcntl),
    MXC_CALL(io_uring_setup),
    MXC_CALL(io_uring_enter),
    MXC_CALL(io_uring_register),
    MXC_CALL(mount),
    MXC_CALL(umount2),
    MXC_CALL(pivot_root),
    MXC_CALL(chroot),
    MXC_CALL(open_tree),
    MXC_CALL(move_mount),
    MXC_CALL(fsopen),
    MXC_CALL(fsconfig),
    MXC_CALL(fsmount),
    MXC_CALL(fspick),
    MXC_CALL(mount_setattr),
    MXC_CALL(unshare),
    MXC_CALL(setns),
    MXC_CALL(clone3),
    MXC_CALL(clone),
    MXC_CALL(open_by_handle_at),
    MXC_CALL(name_to_handle_at),
    MXC_CALL(ptrace),
    MXC_CALL(process_vm_readv),
    MXC_CALL(process_vm_writev),
    MXC_CALL(process_madvise),
    MXC_CALL(kcmp),
    MXC_CALL(pidfd_getfd),
    MXC_CALL(add_key),
    MXC_CALL(request_key),
    MXC_CALL(keyctl),
    MXC_CALL(bpf),
    MXC_CALL(perf_event_open),
    MXC_CALL(userfaultfd),
    MXC_CALL(init_module),
    MXC_CALL(finit_module),
    MXC_CALL(delete_module),
    MXC_CALL(kexec_load),
    MXC_CALL(kexec_file_load),
    MXC_CALL(lookup_dcookie),
    MXC_CALL(fanotify_init),
    MXC_CALL(move_pages),
    MXC_CALL(migrate_pages),
    MXC_CALL(mbind),
    MXC_CALL(set_mempolicy),
    MXC_CALL(get_mempolicy),
    MXC_CALL(set_mempolicy_home_node),
    MXC_CALL(syslog),
    MXC_CALL(acct),
    MXC_CALL(swapon),
    MXC_CALL(swapoff),
    MXC_CALL(reboot),
    MXC_CALL(quotactl),
    MXC_CALL(quotactl_fd),
    MXC_CALL(settimeofday),
    MXC_CALL(clock_settime),
    MXC_CALL(clock_adjtime),
    MXC_CALL(adjtimex),
    MXC_CALL(sethostname),
    MXC_CALL(setdomainname),
    MXC_CALL(vhangup),
    MXC_CALL(nfsservctl),
    MXC_CALL(ioctl),
    MXC_CALL(socket),
    MXC_CALL(socketpair),
    MXC_CALL(personality),
    MXC_CALL(fchmod),
    MXC_CALL(fchmodat),
    MXC_CALL(openat),
    MXC_CALL(openat2),
    MXC_CALL(mknodat),
    MXC_CALL(setrlimit),
    MXC_CALL(prlimit64),
    MXC_CALL(mmap),
    MXC_CALL(memfd_create),
    MXC_CALL(shmget),
    MXC_CALL(io_setup),
    MXC_CALL(setsockopt)
  };
  return kNumbers;
}
#undef MXC_CALL

#if defined(__x86_64__)
constexpr std::uint32_t kArch = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArch = AUDIT_ARCH_AARCH64;
#endif

std::vector<sock_filter> Program(SeccompProfile profile) {
  const std::span<const std::byte> bytes = SeccompProgram(profile);
  std::vector<sock_filter> program(bytes.size() / sizeof(sock_filter));
  std::memcpy(program.data(), bytes.data(), bytes.size());
  return program;
}

struct RuleAction {
  std::uint32_t action = 0;
  bool looked_at_arguments = false;
};

bool Jumps(const sock_filter& step, std::uint32_t accumulator) {
  switch (BPF_OP(step.code)) {
    case BPF_JEQ:
      return accumulator == step.k;
    case BPF_JGT:
      return accumulator > step.k;
    case BPF_JGE:
      return accumulator >= step.k;
    case BPF_JSET:
      return (accumulator & step.k) != 0;
    default:
      ADD_FAILURE() << "unexpected jump";
      return false;
  }
}

// What the kernel would answer: a classic BPF machine with the few instructions seccomp programs use.
RuleAction Ask(SeccompProfile profile, const seccomp_data& data) {
  const std::vector<sock_filter> program = Program(profile);
  RuleAction verdict;
  std::uint32_t accumulator = 0;
  for (std::size_t at = 0; at < program.size(); ++at) {
    const sock_filter& step = program[at];
    switch (step.code) {
      case BPF_LD | BPF_W | BPF_ABS:
        std::memcpy(&accumulator, reinterpret_cast<const char*>(&data) + step.k, sizeof accumulator);
        verdict.looked_at_arguments |= step.k >= offsetof(seccomp_data, args);
        break;
      case BPF_ALU | BPF_AND | BPF_K:
        accumulator &= step.k;
        break;
      case BPF_JMP | BPF_JA:
        at += step.k;
        break;
      case BPF_RET | BPF_K:
        verdict.action = step.k;
        return verdict;
      default:
        at += Jumps(step, accumulator) ? step.jt : step.jf;
    }
  }
  ADD_FAILURE() << "ran off the end";
  return verdict;
}

seccomp_data Call(long number, const std::vector<Bits>& arguments = {}) {
  seccomp_data data{};
  data.nr = static_cast<int>(number);
  data.arch = kArch;
  for (const Bits& bits : arguments) {
    if (bits.mask != 0) data.args[bits.argument] |= bits.value;
  }
  return data;
}

std::uint32_t Errno(int number) { return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(number); }

long NumberOf(const DeniedCall& call) {
  if (call.number >= 0) return call.number;
  const auto found = Numbers().find(call.name);
  EXPECT_NE(found, Numbers().end()) << call.name;
  return found == Numbers().end() ? -1 : found->second;
}

void ExpectDenied(SeccompProfile profile, const DeniedCall& call) {
  seccomp_data data = Call(NumberOf(call), {call.first, call.second});
  EXPECT_EQ(Ask(profile, data).action, Errno(call.error)) << call.name << ": " << call.reason;
  for (auto& argument : data.args) argument |= 0xabcd'0000'0000'0000U;
  EXPECT_EQ(Ask(profile, data).action, Errno(call.error)) << call.name << " with the upper half set";
}

TEST(SeccompRules, EveryRowIsDenied) {
  for (const DeniedCall& call : seccomp_rules::kDeniedCalls) {
    ExpectDenied(SeccompProfile::kDefault, call);
    ExpectDenied(SeccompProfile::kRootCaller, call);
  }
  for (const DeniedCall& call : seccomp_rules::kRootCallerCalls) {
    ExpectDenied(SeccompProfile::kRootCaller, call);
  }
}

TEST(SeccompRules, RowsOfTheRootProfileAreAllowedToOthers) {
  for (const DeniedCall& call : seccomp_rules::kRootCallerCalls) {
    const seccomp_data data = Call(NumberOf(call), {call.first, call.second});
    EXPECT_EQ(Ask(SeccompProfile::kDefault, data).action, SECCOMP_RET_ALLOW) << call.name;
  }
}

TEST(SeccompRules, RowsWithConditionsLetOtherArgumentsPass) {
  for (const DeniedCall& call : seccomp_rules::kDeniedCalls) {
    if (call.first.mask == 0 || call.name == "socket") continue;
    EXPECT_EQ(Ask(SeccompProfile::kDefault, Call(NumberOf(call))).action, SECCOMP_RET_ALLOW) << call.name;
  }
  for (const DeniedCall& call : seccomp_rules::kRootCallerCalls) {
    if (call.first.mask == 0) continue;
    const RuleAction plain = Ask(SeccompProfile::kRootCaller, Call(NumberOf(call), {{2, 0777, 0640}}));
    EXPECT_EQ(plain.action, SECCOMP_RET_ALLOW) << call.name;
  }
}

std::uint32_t Socket(std::uint64_t family, std::uint64_t type, std::uint64_t protocol) {
  seccomp_data data = Call(SYS_socket);
  data.args[0] = family;
  data.args[1] = type;
  data.args[2] = protocol;
  return Ask(SeccompProfile::kDefault, data).action;
}

TEST(SeccompRules, SocketFamilies) {
  for (std::uint64_t family = 0; family < 70; ++family) {
    const bool allowed = family == AF_UNIX || family == AF_INET || family == AF_INET6 || family == AF_NETLINK;
    EXPECT_EQ(Socket(family, SOCK_DGRAM, 0), allowed ? SECCOMP_RET_ALLOW : Errno(EAFNOSUPPORT)) << family;
  }
  EXPECT_EQ(Socket(0x7fff'ffff, SOCK_STREAM, 0), Errno(EAFNOSUPPORT));
  EXPECT_EQ(Socket(0xffff'ffff, SOCK_STREAM, 0), Errno(EAFNOSUPPORT));
  EXPECT_EQ(Socket(0x1'0000'0002, SOCK_STREAM, 0), SECCOMP_RET_ALLOW) << "the kernel sees AF_INET";
  EXPECT_EQ(Socket(AF_NETLINK, SOCK_RAW, 0), SECCOMP_RET_ALLOW);
  for (const std::uint64_t protocol : {9U, 12U, 16U, 31U, 32U, 0x8000'0000U}) {
    EXPECT_EQ(Socket(AF_NETLINK, SOCK_RAW, protocol), Errno(EAFNOSUPPORT)) << protocol;
  }
  EXPECT_EQ(Socket(AF_INET, SOCK_STREAM, 6), SECCOMP_RET_ALLOW);
  EXPECT_EQ(Socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, 255), Errno(EPERM));
  EXPECT_EQ(Socket(AF_INET6, SOCK_RAW | SOCK_NONBLOCK, 58), Errno(EPERM));
}

// Init and the supervisors of other commands have the command's user.
TEST(SeccompRules, LimitsAreSetForOneselfOnly) {
  const auto set = [](std::uint64_t process, std::uint64_t limits) {
    seccomp_data data = Call(SYS_prlimit64);
    data.args[0] = process;
    data.args[1] = RLIMIT_NOFILE;
    data.args[2] = limits;
    return Ask(SeccompProfile::kDefault, data).action;
  };
  EXPECT_EQ(set(0, 4096), SECCOMP_RET_ALLOW);
  EXPECT_EQ(set(1, 0), SECCOMP_RET_ALLOW) << "only asks";
  EXPECT_EQ(set(1, 4096), Errno(EPERM));
  EXPECT_EQ(set(2, 0x7fff'0000'0000), Errno(EPERM));
}

TEST(SeccompRules, SocketPairsAndPersonalities) {
  const auto first = [](long number, std::uint64_t value) {
    seccomp_data data = Call(number);
    data.args[0] = value;
    return Ask(SeccompProfile::kDefault, data).action;
  };
  EXPECT_EQ(first(SYS_socketpair, AF_UNIX), SECCOMP_RET_ALLOW);
  EXPECT_EQ(first(SYS_socketpair, AF_INET), Errno(EAFNOSUPPORT));
  EXPECT_EQ(first(SYS_socketpair, 40), Errno(EAFNOSUPPORT));
  for (const std::uint64_t persona : {0UL, 8UL, 0x20000UL, 0x20008UL, 0xffffffffUL}) {
    EXPECT_EQ(first(SYS_personality, persona), SECCOMP_RET_ALLOW) << persona;
  }
  for (const std::uint64_t persona : {0x40000UL, 1UL, 0x20009UL, 0x400000UL, 0xfffffffeUL, 0x80000000UL}) {
    EXPECT_EQ(first(SYS_personality, persona), Errno(EPERM)) << persona;
  }
}

TEST(SeccompRules, ForeignCallTablesAreClosed) {
  seccomp_data data = Call(SYS_getpid);
  data.arch = AUDIT_ARCH_I386;
  EXPECT_EQ(Ask(SeccompProfile::kDefault, data).action, SECCOMP_RET_KILL_PROCESS);
#if defined(__x86_64__)
  EXPECT_EQ(Ask(SeccompProfile::kDefault, Call(0x40000000 | SYS_getpid)).action, Errno(ENOSYS));
#endif
}

// Of what is newer than this program nobody has judged whether it may pass.
TEST(SeccompRules, WhatIsNotKnownDoesNotExist) {
  constexpr long kFileGetAttribute = 468;
  constexpr long kFileSetAttribute = 469;
  for (const SeccompProfile profile : {SeccompProfile::kDefault, SeccompProfile::kRootCaller,
                                       SeccompProfile::kSharedSystem, SeccompProfile::kNoSockets}) {
    for (const long number : {471L, 500L, 1000L, 0x3fffffffL, 0x7fffffffL, -1L})
      EXPECT_EQ(Ask(profile, Call(number)).action, Errno(ENOSYS)) << number;
    EXPECT_EQ(Ask(profile, Call(kFileGetAttribute)).action, SECCOMP_RET_ALLOW);
    const bool alone = profile == SeccompProfile::kSharedSystem;
    EXPECT_EQ(Ask(profile, Call(kFileSetAttribute)).action, alone ? Errno(ENOSYS) : SECCOMP_RET_ALLOW);
  }
}

TEST(SeccompRules, MemoryAndSocketOptionsOfEverydayPass) {
  const auto ask = [](long number, unsigned argument, std::uint64_t value, std::uint64_t option = 0) {
    seccomp_data data = Call(number);
    data.args[argument] = value;
    data.args[2] |= option;
    return Ask(SeccompProfile::kDefault, data).action;
  };
  EXPECT_EQ(ask(SYS_mmap, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK), SECCOMP_RET_ALLOW);
  EXPECT_EQ(ask(SYS_mmap, 3, MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_POPULATE), SECCOMP_RET_ALLOW);
  EXPECT_EQ(ask(SYS_memfd_create, 1, MFD_CLOEXEC | MFD_ALLOW_SEALING), SECCOMP_RET_ALLOW);
  EXPECT_EQ(ask(SYS_setsockopt, 1, SOL_SOCKET, SO_REUSEPORT), SECCOMP_RET_ALLOW);
  EXPECT_EQ(ask(SYS_setsockopt, 1, IPPROTO_IPV6, IPV6_V6ONLY), SECCOMP_RET_ALLOW) << "26 of another level";
}

// A call whose answer depends on its number alone is answered from the kernel's bitmap.
TEST(SeccompRules, CommonCallsAreDecidedByNumberAlone) {
  std::set<long> looked_at;
  for (const auto& [name, number] : Numbers()) {
    if (Ask(SeccompProfile::kDefault, Call(number)).looked_at_arguments) looked_at.insert(number);
  }
  // What opens a file may create it, and a created file may be set-uid.
  std::set<long> expected{SYS_clone,      SYS_fallocate,   SYS_fcntl,     SYS_ioctl,  SYS_socket,
                          SYS_socketpair, SYS_personality, SYS_fchmod,    SYS_openat, SYS_fchmodat,
                          SYS_mknodat,    SYS_setrlimit,   SYS_prlimit64, SYS_mmap,   SYS_memfd_create,
                          SYS_shmget,     SYS_setsockopt};
#if defined(__x86_64__)
  expected.insert({SYS_chmod, SYS_open, SYS_creat, SYS_mknod});
#endif
  EXPECT_EQ(looked_at, expected);
  for (const long number : {SYS_getpid, SYS_read, SYS_write, SYS_close, SYS_munmap, SYS_futex, SYS_execve,
                            SYS_newfstatat, SYS_clock_gettime, SYS_epoll_pwait, SYS_sendto}) {
    for (const SeccompProfile profile : {SeccompProfile::kDefault, SeccompProfile::kRootCaller}) {
      const RuleAction verdict = Ask(profile, Call(number));
      EXPECT_EQ(verdict.action, SECCOMP_RET_ALLOW) << number;
      EXPECT_FALSE(verdict.looked_at_arguments) << number;
    }
  }
}

}  // namespace
}  // namespace mxc::seccomp_test
