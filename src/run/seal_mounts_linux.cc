#include <fcntl.h>
#include <linux/nsfs.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <string>
#include <variant>
#include <vector>

#include "base/kernel_calls.h"
#include "base/quoted.h"
#include "run/seal_mounts.h"

namespace mxc {
namespace {

constexpr std::size_t kStackBytes = 16384;

struct Sealing {
  int user_namespace = -1;
  int mounts = -1;
  std::vector<const char*> paths = {};
  std::vector<int> numbers = {};  // errno for each; 0: it is read-only
};

int MakeReadOnly(const char* path, unsigned flags) {
  mount_attr change{};
  change.attr_set = MOUNT_ATTR_RDONLY;
  return ::syscall(SYS_mount_setattr, AT_FDCWD, path, flags, &change, sizeof change) == 0 ? 0 : errno;
}

// System calls only. The caller's rights over its own namespaces are enough for setns(2).
int SealMain(void* argument) {
  Sealing& sealing = *static_cast<Sealing*>(argument);
  if (::setns(sealing.user_namespace, CLONE_NEWUSER) != 0 || ::setns(sealing.mounts, CLONE_NEWNS) != 0) {
    for (int& number : sealing.numbers) number = errno;
    return 0;
  }
  if (MakeReadOnly("/", kRecursive) == 0) return 0;
  // Files of the sandbox's own /tmp, which are nobody else's, may be open for writing.
  for (std::size_t i = 0; i < sealing.paths.size(); ++i)
    sealing.numbers[i] = MakeReadOnly(sealing.paths[i], AT_SYMLINK_NOFOLLOW);
  return 0;
}

// Returns false with errno.
bool RunBeside(Sealing& sealing) {
  alignas(16) static std::array<std::byte, kStackBytes> stack;
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, &before);
  // The kernel makes memory undumpable whose process gets other capabilities.
  const int dumpable = ::prctl(PR_GET_DUMPABLE, 0UL, 0UL, 0UL, 0UL);
  const pid_t process =
      ::clone(SealMain, stack.data() + stack.size(), CLONE_VM | CLONE_VFORK | SIGCHLD, &sealing);
  int number = errno;
  while (process > 0 && ::waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (dumpable == 1) ::prctl(PR_SET_DUMPABLE, 1UL, 0UL, 0UL, 0UL);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  errno = number;
  return process > 0;
}

// What can be written of the host's, as paths inside.
std::vector<std::string> WritableMounts(const LinuxSandbox& sandbox) {
  std::vector<std::string> paths;
  for (const MountNode& node : sandbox.mounts) {
    const auto* const bind = std::get_if<BindMount>(&node);
    if (bind != nullptr && bind->access == Access::kReadWrite) paths.push_back(bind->target);
  }
  return paths;
}

Warning StayWritable(const std::vector<std::string>& paths, int number) {
  constexpr std::size_t kNamed = 10;
  std::string names;
  for (std::size_t i = 0; i < std::min(paths.size(), kNamed); ++i)
    names += (i == 0 ? "" : ", ") + Quoted(paths[i]);
  if (paths.size() > kNamed) names += " and " + std::to_string(paths.size() - kNamed) + " more";
  const std::string why =
      number == EBUSY ? "a process outside has files there open for writing"
                      : std::string("its mounts could not be made read-only: ") + std::strerror(number);
  return {.category = "protection-incomplete",
          .message = "whoever got descriptors from the command can still write through them, in " + names +
                     " (" + why + "); see what is there before you use it",
          .pointer = "/filesystem"};
}

}  // namespace

std::optional<Warning> SealMounts(const UniqueFd& mounts, const LinuxSandbox& sandbox) {
  const std::vector<std::string> paths = WritableMounts(sandbox);
  if (paths.empty()) return std::nullopt;
  // Without `mounts`, its descriptor has not arrived: others of this user's are in flight.
  const UniqueFd user_namespace{mounts ? ::ioctl(mounts.Get(), NS_GET_USERNS) : -1};
  if (!user_namespace) return StayWritable(paths, mounts ? errno : ETOOMANYREFS);
  Sealing sealing{.user_namespace = user_namespace.Get(), .mounts = mounts.Get()};
  for (const std::string& path : paths) sealing.paths.push_back(path.c_str());
  sealing.numbers.assign(paths.size(), 0);
  if (!RunBeside(sealing)) return StayWritable(paths, errno);
  std::vector<std::string> still;
  int last = 0;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (sealing.numbers[i] == 0) continue;
    still.push_back(paths[i]);  // also where it has another name now
    last = sealing.numbers[i];
  }
  return still.empty() ? std::nullopt : std::optional(StayWritable(still, last));
}

}  // namespace mxc
