// Drops all rights, in the only order that works: dropping needs the capabilities that the last drop removes,
// and the seccomp program denies most of these calls.
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/kernel_calls.h"
#include "engine/child.h"
#include "engine/network_namespace.h"
#include "engine/supervised.h"

namespace mxc::engine {
namespace {

constexpr unsigned kMemoryMajor = 1, kNullMinor = 3;  // Documentation/admin-guide/devices.txt

// The caller may own the host's null device and could change its mode for the whole host; the sandbox's own
// is on a read-only mount.
bool IsOwnedNull(int fd) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 && S_ISCHR(status.st_mode) &&
         status.st_rdev == makedev(kMemoryMajor, kNullMinor) && status.st_uid == ::geteuid();
}

void LoadFilter(const Child& child, std::span<const std::byte> bytes) {
  sock_fprog program{};
  program.len = static_cast<unsigned short>(bytes.size() / sizeof(sock_filter));
  // The kernel only reads it, but its interface has no const.
  program.filter = const_cast<sock_filter*>(reinterpret_cast<const sock_filter*>(bytes.data()));  // NOLINT
  child.Check(::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0U, &program), Step::kSeccomp);
}

}  // namespace

void DropCapabilities(const Child& child) {
  // Up to the kernel's last capability: it may be newer than our headers.
  for (unsigned long capability = 0; capability < 64; ++capability) {
    if (::prctl(PR_CAPBSET_DROP, capability, 0UL, 0UL, 0UL) == 0) continue;
    if (errno == EINVAL && capability > CAP_WAKE_ALARM) break;
    // Without its own user namespace an ordinary caller may not lower its bounding set. It cannot gain
    // anything either: no_new_privs is set below.
    if (errno == EPERM && child.program.supervised) break;
    child.Fail(Step::kCapabilities);
  }
  child.Check(::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0UL, 0UL, 0UL), Step::kCapabilities);
  // From here on uid 0 gives no capabilities, irrevocably (securebits).
  constexpr unsigned long kBits = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
                                  SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
                                  SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;
  const bool locked = ::prctl(PR_SET_SECUREBITS, kBits, 0UL, 0UL, 0UL) == 0;
  if (!locked && !(errno == EPERM && child.program.supervised)) child.Fail(Step::kCapabilities);
  __user_cap_header_struct header{};
  header.version = _LINUX_CAPABILITY_VERSION_3;
  const __user_cap_data_struct none[2] = {};
  child.Check(::syscall(SYS_capset, &header, none), Step::kCapabilities);
  child.Check(::prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL), Step::kPrivileges);
}

void ConnectStream(const Child& child, int source, int target) {
  child.Check(::dup2(source, target), Step::kStreams);
  if (child.program.supervised || !IsOwnedNull(target)) return;
  const int access = child.Check(::fcntl(target, F_GETFL), Step::kStreams) & O_ACCMODE;
  const int null = child.Check(::open("/dev/null", access | O_CLOEXEC), Step::kStreams);
  child.Check(::dup2(null, target), Step::kStreams);
  ::close(null);
}

void LoadFilters(const Child& child) {
  for (const std::span<const std::byte> filter : child.program.filters) LoadFilter(child, filter);
}

// Locks init down; the command inherits all of it, so nothing inside has more rights than the rest. Init
// stays outside the command's Landlock domain if there is no pid namespace, or if the command gets a rule of
// its own. Descriptors are closed in bulk after the other task, which shares them, has ended.
void LockDown(Child& child, NetworkAhead& network) {
  for (int target = 0; target < 3; ++target) {
    const int source = child.program.standard.at(static_cast<std::size_t>(target));
    ConnectStream(child, source >= 0 ? source : target, target);
  }
  child.Check(AllowStandardStreams(child.landlock), Step::kLandlock);
  DropCapabilities(child);
  if (child.program.supervised) {
    KeepSignalsInside(child);
  } else if (!child.program.outer_proc) {
    child.Check(Restrict(child.landlock), Step::kLandlock);
  }
  for (const LimitValue& limit : child.program.limits) {
    child.Check(::setrlimit(limit.which, &limit.value), Step::kLimits);
  }
  if (!child.program.supervised) LoadFilters(child);
  network.AwaitUp(child);
  const int ruleset = child.program.outer_proc ? child.landlock.ruleset : -1;
  for (const auto& [first, last] : child.program.surplus) {
    child.Check(
        CloseRangeBut(first, last,
                      std::array{child.mounts, child.locked_mounts, child.network, ruleset, child.temp}),
        Step::kDescriptors);
  }
  network.Reap(child);
}

}  // namespace mxc::engine
