#include <fcntl.h>
#include <linux/nsfs.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
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
// The kernel closes files later that were in flight between sockets of which nobody has one any more: some
// time after any socket of this family has been closed (unix_gc).
constexpr int kTries = 10;
constexpr int kPauseMs = 10;

struct Sealing {
  int user_namespace = -1;
  int mounts = -1;
  std::vector<const char*> paths = {};
  std::vector<int> numbers = {};  // errno for each; 0: it is read-only
};

// The mounts at `mount`, with `flags` those below them, too: all of these or none.
int MakeReadOnly(int mount, unsigned flags) {
  mount_attr change{};
  change.attr_set = MOUNT_ATTR_RDONLY;
  const long result = ::syscall(SYS_mount_setattr, mount, "", kEmptyPath | flags, &change, sizeof change);
  return result == 0 ? 0 : errno;
}

// Somebody outside may have moved or replaced a directory on the way to the mount, or that under it, which
// detaches it from the namespace: then no mount is found here.
int SealAt(const char* path) {
  const int mount = OpenReference(AT_FDCWD, path, 0);
  if (mount < 0) return errno;
  const int number = MakeReadOnly(mount, kRecursive);
  if (number != 0) MakeReadOnly(mount, 0);  // a file is open for writing in another one below it
  ::close(mount);
  return number;
}

// System calls only. The caller's rights over its own namespaces are enough for setns(2).
int SealMain(void* argument) {
  Sealing& sealing = *static_cast<Sealing*>(argument);
  if (::setns(sealing.user_namespace, CLONE_NEWUSER) != 0 || ::setns(sealing.mounts, CLONE_NEWNS) != 0) {
    for (int& number : sealing.numbers) number = errno;
    return 0;
  }
  // A mount that has moved is found here alone. Fails while a file of the sandbox's own /tmp is open for
  // writing, which is nobody else's.
  const int root = OpenReference(AT_FDCWD, "/", 0);
  MakeReadOnly(root, kRecursive);
  ::close(root);
  for (std::size_t i = 0; i < sealing.paths.size(); ++i) sealing.numbers[i] = SealAt(sealing.paths[i]);
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

// What can be written of the host's.
std::vector<const BindMount*> WritableMounts(const LinuxSandbox& sandbox) {
  std::vector<const BindMount*> writable;
  for (const MountNode& node : sandbox.mounts) {
    const auto* const bind = std::get_if<BindMount>(&node);
    if (bind != nullptr && bind->access == Access::kReadWrite) writable.push_back(bind);
  }
  return writable;
}

Warning StayWritable(const std::vector<const BindMount*>& mounts, int number) {
  constexpr std::size_t kNamed = 10;
  std::string names;
  for (std::size_t i = 0; i < std::min(mounts.size(), kNamed); ++i)
    names += (i == 0 ? "" : ", ") + Quoted(mounts[i]->source);
  if (mounts.size() > kNamed) names += " and " + std::to_string(mounts.size() - kNamed) + " more";
  const bool replaced = number == ENOENT || number == ENOTDIR || number == ELOOP || number == EINVAL;
  std::string why = "a process outside has files there open for writing";
  if (replaced) why = "something else has taken the place of a directory on the way";
  if (!replaced && number != EBUSY)
    why = std::string("a mount could not be made read-only: ") + std::strerror(number);
  return {.category = "protection-incomplete",
          .message = "whoever got descriptors from the command can still write through them, in " + names +
                     " (" + why + "); see what is there before you use it",
          .pointer = "/filesystem"};
}

}  // namespace

std::optional<Warning> SealMounts(const UniqueFd& mounts, const LinuxSandbox& sandbox) {
  const std::vector<const BindMount*> writable = WritableMounts(sandbox);
  if (writable.empty()) return std::nullopt;
  // Without `mounts`, its descriptor has not arrived: others of this user's are in flight.
  const UniqueFd user_namespace{mounts ? ::ioctl(mounts.Get(), NS_GET_USERNS) : -1};
  if (!user_namespace) return StayWritable(writable, mounts ? errno : ETOOMANYREFS);
  Sealing sealing{.user_namespace = user_namespace.Get(), .mounts = mounts.Get()};
  for (const BindMount* bind : writable) sealing.paths.push_back(bind->target.c_str());
  sealing.numbers.assign(writable.size(), 0);
  for (int tries = 0; tries < kTries; ++tries) {
    if (tries > 0) {
      UniqueFd{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)}.Reset();
      ::poll(nullptr, 0, kPauseMs);
    }
    if (!RunBeside(sealing)) return StayWritable(writable, errno);
    if (std::find(sealing.numbers.begin(), sealing.numbers.end(), EBUSY) == sealing.numbers.end()) break;
  }
  std::vector<const BindMount*> still;
  int last = 0;
  for (std::size_t i = 0; i < writable.size(); ++i) {
    if (sealing.numbers[i] == 0) continue;
    still.push_back(writable[i]);
    last = sealing.numbers[i];
  }
  return still.empty() ? std::nullopt : std::optional(StayWritable(still, last));
}

}  // namespace mxc
