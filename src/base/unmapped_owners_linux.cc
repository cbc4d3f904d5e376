#include <fcntl.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/kernel_calls.h"
#include "base/unmapped_owners.h"

namespace mxc {
namespace {

// The kernel wants some mapping. This one is of an identifier that owns no file and that no sandbox maps.
constexpr std::string_view kMapping = "4294967294 4294967294 1\n";

// One system call and nothing else: its memory is the launcher's.
__attribute__((no_sanitize("address", "thread", "undefined"))) int End(void* /*unused*/) {
  ::syscall(SYS_exit, 0);
  return 0;
}

bool WriteMap(const std::string& process, const char* file) {
  const UniqueFd fd{::open((process + file).c_str(), O_WRONLY | O_CLOEXEC)};
  return fd && ::write(fd.Get(), kMapping.data(), kMapping.size()) == static_cast<ssize_t>(kMapping.size());
}

UniqueFd NamespaceOf(pid_t holder) {
  const std::string process = "/proc/" + std::to_string(holder);
  if (!WriteMap(process, "/uid_map") || !WriteMap(process, "/gid_map")) return {};
  return UniqueFd{::open((process + "/ns/user").c_str(), O_RDONLY | O_CLOEXEC)};
}

// Whose user namespace is new, and is there until it has been waited for, whether or not it has run by then.
pid_t StartHolder() {
  alignas(16) static std::array<std::byte, 4096> stack;  // of one at a time, which has no more to write there
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, &before);  // no handler of ours runs in it
  // Without a signal at its end, which would look like that of a child somebody waits for.
  const pid_t holder = ::clone(End, stack.data() + stack.size(), CLONE_NEWUSER | CLONE_VM, nullptr);
  const int number = errno;
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  errno = number;
  return holder;
}

// What this process keeps. A fork of it may have closed the descriptors, and makes its own.
struct Kept {
  pid_t owner = 0;
  pid_t holder = 0;  // > 0: to be waited for; a busy machine may take milliseconds to run it
  UniqueFd name_space = {};
  std::map<std::string, UniqueFd> trees = {};  // by path
};

void WaitForHolder(Kept& kept) {
  if (kept.holder <= 0) return;
  while (::waitpid(kept.holder, nullptr, __WALL) < 0 && errno == EINTR) {
  }
  kept.holder = 0;
}

Kept& OfThisProcess() {
  static Kept kept;
  if (kept.owner == ::getpid()) return kept;
  static_cast<void>(kept.name_space.Release());
  for (auto& [path, tree] : kept.trees) static_cast<void>(tree.Release());
  kept = Kept{.owner = ::getpid(), .holder = StartHolder()};
  if (kept.holder > 0) kept.name_space = NamespaceOf(kept.holder);
  return kept;
}

UniqueFd Clone(const char* path) {
  const int name_space = OfThisProcess().name_space.Get();
  const UniqueFd source{OpenReference(AT_FDCWD, path, 0)};
  if (name_space < 0 || !source) return {};
  UniqueFd tree{CloneTree(source.Get())};
  if (tree && MapOwners(tree.Get(), name_space) != 0) tree.Reset();
  return tree;
}

}  // namespace

UniqueFd CloneWithUnmappedOwners(const std::string& path) {
  Kept& kept = OfThisProcess();
  WaitForHolder(kept);
  const auto made = kept.trees.find(path);
  if (made == kept.trees.end()) return Clone(path.c_str());
  UniqueFd tree = std::move(made->second);
  kept.trees.erase(made);
  return tree;
}

bool CanUnmapOwners(const std::string& path) {
  UniqueFd tree = Clone(path.c_str());
  if (!tree) return false;
  OfThisProcess().trees[path] = std::move(tree);
  return true;
}

}  // namespace mxc
