#include "engine/landlock.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace mxc::engine {
namespace {

// Rights by the ABI that introduced them; a distribution's headers may be older than its kernel.
constexpr std::uint64_t kExecute = 1U << 0U, kWriteFile = 1U << 1U, kReadFile = 1U << 2U, kReadDir = 1U << 3U;
constexpr std::uint64_t kMakeChar = 1U << 6U, kMakeBlock = 1U << 11U;
constexpr std::uint64_t kAbi1 = (1U << 13U) - 1;
constexpr std::uint64_t kRefer = 1U << 13U;     // ABI 2
constexpr std::uint64_t kTruncate = 1U << 14U;  // ABI 3
constexpr std::uint64_t kIoctlDev = 1U << 15U;  // ABI 5
// ABI 6: abstract sockets and signals only between processes of the sandbox.
constexpr std::uint64_t kScopeSignals = 1U << 1U;
constexpr std::uint64_t kScopes = (1U << 0U) | kScopeSignals;
constexpr std::uint64_t kTcp = (1U << 0U) | (1U << 1U);  // ABI 4: bind and connect

// struct landlock_ruleset_attr of ABI 6.
struct RulesetAttributes {
  std::uint64_t handled_access_fs = 0;
  std::uint64_t handled_access_net = 0;
  std::uint64_t scoped = 0;
};

std::uint64_t Handled(long abi) {
  std::uint64_t handled = kAbi1 | kRefer;
  if (abi >= 3) handled |= kTruncate;
  if (abi >= 5) handled |= kIoctlDev;
  return handled;
}

std::uint64_t RightsOf(Grant grant) {
  switch (grant) {
    case Grant::kRead:
      return kExecute | kReadFile | kReadDir;
    case Grant::kReadMounted:
      return kExecute | kReadFile | kReadDir | kTruncate;
    case Grant::kReadFile:
      return kExecute | kReadFile;
    case Grant::kList:
      return kReadDir;
    case Grant::kWriteTree:
      return ~(kMakeChar | kMakeBlock);
    case Grant::kWriteFile:
      return kExecute | kReadFile | kWriteFile | kTruncate | kIoctlDev;
    case Grant::kWriteDevices:
      return kExecute | kReadFile | kReadDir | kWriteFile | kTruncate | kIoctlDev;
  }
  return 0;
}

int AddRule(const LandlockRules& rules, int borrowed_fd, std::uint64_t rights) {
  landlock_path_beneath_attr rule{};
  rule.allowed_access = rights & rules.handled;
  rule.parent_fd = borrowed_fd;
  return static_cast<int>(
      ::syscall(SYS_landlock_add_rule, rules.ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0U));
}

}  // namespace

int BeginLandlock(LandlockRules& rules, const LandlockScope& scope) {
  const long abi = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (abi < 2) return 0;
  RulesetAttributes attributes;
  attributes.handled_access_fs = Handled(abi);
  attributes.handled_access_net = scope.tcp && abi >= 4 ? kTcp : 0;
  attributes.scoped = scope.scopes && abi >= 6 ? kScopes : 0;
  // A kernel accepts a larger structure if the fields that it does not know are zero.
  rules.ruleset =
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0U));
  rules.handled = attributes.handled_access_fs;
  return rules.ruleset < 0 ? -1 : 0;
}

// Every ruleset denies renames between directories unless a rule grants them, so this one grants them
// everywhere.
int ScopeSignals() {
  RulesetAttributes attributes;
  attributes.handled_access_fs = kRefer;
  attributes.scoped = kScopeSignals;
  LandlockRules rules;
  rules.ruleset =
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0U));
  rules.handled = attributes.handled_access_fs;
  const int root = ::open("/", O_PATH | O_CLOEXEC);
  const bool made = rules.ruleset >= 0 && root >= 0 && AddRule(rules, root, kRefer) == 0;
  const int result = made ? Restrict(rules) : -1;
  const int number = errno;
  if (root >= 0) ::close(root);
  if (rules.ruleset >= 0) ::close(rules.ruleset);
  errno = number;
  return result;
}

int Allow(const LandlockRules& rules, int borrowed_fd, Grant grant) {
  if (rules.ruleset < 0) return 0;
  return AddRule(rules, borrowed_fd, RightsOf(grant));
}

int AllowStandardStreams(const LandlockRules& rules) {
  if (rules.ruleset < 0) return 0;
  for (int fd = 0; fd < 3; ++fd) {
    const int flags = ::fcntl(fd, F_GETFL);
    if (flags < 0) continue;  // closed
    const int mode = flags & O_ACCMODE;
    std::uint64_t rights = kIoctlDev;
    if (mode != O_WRONLY) rights |= kReadFile;
    if (mode != O_RDONLY) rights |= kWriteFile | kTruncate;
    // Pipes and sockets are in no directory tree (EBADFD): Landlock does not restrict opening them.
    if (AddRule(rules, fd, rights) != 0 && errno != EBADFD) return -1;
  }
  return 0;
}

int Restrict(const LandlockRules& rules) {
  if (rules.ruleset < 0) return 0;
  return static_cast<int>(::syscall(SYS_landlock_restrict_self, rules.ruleset, 0U));
}

}  // namespace mxc::engine
