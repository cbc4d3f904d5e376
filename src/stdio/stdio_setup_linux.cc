#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/kernel_calls.h"
#include "stdio/stdio_setup.h"

namespace mxc {
namespace {

// Documentation/admin-guide/devices.txt: null, zero, full, random, urandom. They keep nothing of what is
// written.
constexpr unsigned kMemoryMajor = 1;
constexpr bool IsHarmless(unsigned minor) {
  return minor == 3 || minor == 5 || minor == 7 || minor == 8 || minor == 9;
}

constexpr unsigned kNullMinor = 3;

std::optional<uid_t> OwnerOfHarmless(int fd) {
  struct stat status {};
  const bool harmless = ::fstat(fd, &status) == 0 && S_ISCHR(status.st_mode) &&
                        major(status.st_rdev) == kMemoryMajor && IsHarmless(minor(status.st_rdev));
  return harmless ? std::optional(status.st_uid) : std::nullopt;
}

// Our engine opens the sandbox's own in its place (engine::ConnectStream).
bool IsReplaced(const Plan& plan, int fd) {
  const bool by_engine = std::holds_alternative<NamespacesLaunch>(plan.launch) ||
                         std::holds_alternative<LxcLaunch>(plan.launch) ||
                         std::holds_alternative<PersistentLaunch>(plan.launch);
  struct stat status {};
  return by_engine && ::fstat(fd, &status) == 0 && minor(status.st_rdev) == kNullMinor;
}

}  // namespace

bool MayPass(const Plan& plan, int fd) {
  const std::optional<uid_t> owner = OwnerOfHarmless(fd);
  return owner && (*owner != ::geteuid() || IsReplaced(plan, fd));
}

UniqueFd WithoutOwnership(int fd) {
  if (OwnerOfHarmless(fd) != ::geteuid()) return {};
  const UniqueFd mount{CloneTree(fd)};
  if (!mount || AddAttributes(mount.Get(), MOUNT_ATTR_RDONLY, kPrivate) != 0) return {};
  const int access = ::fcntl(fd, F_GETFL) & O_ACCMODE;
  return UniqueFd{::open(("/proc/self/fd/" + std::to_string(mount.Get())).c_str(), access | O_CLOEXEC)};
}

Status ConnectInput(StdioSetup& stdio, Undo& /*undo*/) {
  Result<StandardInput::Opened> opened = StandardInput::Open(STDIN_FILENO);
  if (!opened) return opened.error();
  stdio.standard[0] = opened->child_end.Get();
  stdio.child_ends.push_back(std::move(opened->child_end));
  stdio.input = std::move(opened->input);
  return Done{};
}

}  // namespace mxc
