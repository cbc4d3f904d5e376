#include "gateway/setup/confine_linux.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/path.h"
#include "base/unique_fd.h"

namespace mxc::egress {
namespace {

// ---- files ---------------------------------------------------------------------------------------------

// Every right of ABI 1, and REFER of ABI 2. Landlock refuses handled rights that no rule grants.
constexpr std::uint64_t kReadFile = 1U << 2U;
constexpr std::uint64_t kHandled = (1U << 14U) - 1;

bool AllowReading(int ruleset, const std::string& path) {
  const UniqueFd file{::open(path.c_str(), O_PATH | O_CLOEXEC)};
  if (!file) return true;  // not there: nothing to read
  landlock_path_beneath_attr rule{};
  rule.allowed_access = kReadFile;
  rule.parent_fd = file.Get();
  return ::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0U) == 0;
}

// The file, and what a daemon puts in its place: the directory a link leads to, which is the daemon's own
// (/run/systemd/resolve). The directory of a plain file, /etc, is not allowed.
bool AllowResolverFile(int ruleset, const char* path) {
  if (!AllowReading(ruleset, path)) return false;
  std::array<char, PATH_MAX> real{};
  if (::realpath(path, real.data()) == nullptr) return true;
  const std::string_view target(real.data());
  if (target == path || target.starts_with("/etc/")) return true;
  return AllowReading(ruleset, std::string(ParentOf(target)));
}

bool RestrictFiles(const ResolverFiles& files) {
  const long abi = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (abi < 2) return true;  // the other layers hold
  const std::uint64_t handled = kHandled;
  const UniqueFd ruleset{
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0U))};
  if (!ruleset) return false;
  for (const char* path : {files.resolv_conf, files.hosts}) {
    if (!AllowResolverFile(ruleset.Get(), path)) return false;
  }
  return ::syscall(SYS_landlock_restrict_self, ruleset.Get(), 0U) == 0;
}

// ---- system calls --------------------------------------------------------------------------------------

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "the audit number of this architecture is missing"
#endif

constexpr unsigned kAllowed[] = {
    // The loop.
    SYS_epoll_create1,
    SYS_epoll_pwait,
    SYS_epoll_ctl,
    SYS_clock_gettime,
    SYS_restart_syscall,
    SYS_rt_sigreturn,
    // Connections.
    SYS_accept4,
    SYS_connect,
    SYS_getsockname,
    SYS_getpeername,
    SYS_getsockopt,
    SYS_setsockopt,
    SYS_shutdown,
    SYS_recvfrom,
    SYS_recvmsg,
    SYS_sendto,
    SYS_sendmsg,
    SYS_sendmmsg,
    SYS_splice,
    SYS_pipe2,
    SYS_fcntl,
    SYS_close,
    SYS_ppoll,
    // The resolver's files.
    SYS_openat,
    SYS_read,
    SYS_fstat,
    SYS_newfstatat,
    SYS_getrandom,
    // Memory and the end; the rest is what the C library and sanitizers do by themselves.
    SYS_mmap,
    SYS_munmap,
    SYS_mremap,
    SYS_mprotect,
    SYS_madvise,
    SYS_brk,
    SYS_exit_group,
    SYS_exit,
    SYS_futex,
    SYS_rt_sigprocmask,
    SYS_rt_sigaction,
    SYS_sigaltstack,
    SYS_gettid,
    SYS_getpid,
    SYS_sched_yield,
    SYS_write,
#if defined(__x86_64__)
    SYS_epoll_wait,
    SYS_open,
    SYS_poll,
#endif
};

constexpr sock_filter Statement(std::uint16_t code, std::uint32_t value) { return {code, 0, 0, value}; }
constexpr sock_filter Jump(std::uint32_t value, std::uint8_t yes, std::uint8_t no) {
  return {BPF_JMP | BPF_JEQ | BPF_K, yes, no, value};
}
constexpr sock_filter Load(std::size_t offset) {
  return Statement(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
}
constexpr sock_filter Return(std::uint32_t action) { return Statement(BPF_RET | BPF_K, action); }

// Any other call means that an attacker controls the gateway: the kernel kills it, and the sandbox loses its
// network.
std::vector<sock_filter> Program() {
  std::vector<sock_filter> program = {
      Load(offsetof(seccomp_data, arch)), Jump(kArchitecture, 1, 0), Return(SECCOMP_RET_KILL_PROCESS),
      Load(offsetof(seccomp_data, nr)),
      // Internet sockets only: no local daemon, no netlink, no raw packets outside.
      Jump(SYS_socket, 0, 5), Load(offsetof(seccomp_data, args)), Jump(2 /* AF_INET */, 1, 0),
      Jump(10 /* AF_INET6 */, 0, 1), Return(SECCOMP_RET_ALLOW), Return(SECCOMP_RET_KILL_PROCESS)};
  for (const unsigned number : kAllowed) {
    program.push_back(Jump(number, 0, 1));
    program.push_back(Return(SECCOMP_RET_ALLOW));
  }
  program.push_back(Return(SECCOMP_RET_KILL_PROCESS));
  return program;
}

bool RestrictCalls() {
  std::vector<sock_filter> program = Program();
  const sock_fprog filter{.len = static_cast<unsigned short>(program.size()), .filter = program.data()};
  return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0U, &filter) == 0;
}

bool DropCapabilities() {
  for (unsigned long capability = 0; capability < 64; ++capability) {
    if (::prctl(PR_CAPBSET_DROP, capability, 0UL, 0UL, 0UL) != 0 && errno == EINVAL) break;  // the last one
  }
  __user_cap_header_struct header{};
  header.version = _LINUX_CAPABILITY_VERSION_3;
  const __user_cap_data_struct none[2] = {};
  return ::syscall(SYS_capset, &header, none) == 0;
}

}  // namespace

void IgnoreSignals() {
  sigset_t all;
  sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
}

bool KeepOnly(std::vector<int> descriptors) {
  for (int stream = 0; stream < 3; ++stream) {
    const UniqueFd null{::open("/dev/null", O_RDWR | O_CLOEXEC)};
    if (!null || ::dup2(null.Get(), stream) < 0) return false;
  }
  std::sort(descriptors.begin(), descriptors.end());
  unsigned first = 3;
  for (const int descriptor : descriptors) {
    const auto number = static_cast<unsigned>(descriptor);
    if (number > first) ::syscall(SYS_close_range, first, number - 1, 0U);
    first = number + 1;
  }
  return ::syscall(SYS_close_range, first, ~0U, 0U) == 0;
}

bool Confine(const ResolverFiles& files) {
  if (::prctl(PR_SET_DUMPABLE, 0UL, 0UL, 0UL, 0UL) != 0 || !DropCapabilities()) return false;
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL) != 0) return false;
  return RestrictFiles(files) && RestrictCalls();
}

}  // namespace mxc::egress
