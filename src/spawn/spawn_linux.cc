#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <string>

#include "base/group_entrance.h"
#include "base/kernel_calls.h"
#include "base/process_tree.h"
#include "base/quoted.h"
#include "base/unmapped_owners.h"
#include "hash/pinned_program.h"
#include "spawn/inherited_files.h"
#include "spawn/process_limits.h"
#include "spawn/spawn.h"

namespace mxc {
namespace {

constexpr std::size_t kStackBytes = 65536;

// A detached copy of the mounts of a directory, which is mounted over them.
struct Cover {
  const char* path = nullptr;
  UniqueFd tree = {};
};

// Everything the child reads, and the two fields it writes. Parent and child share memory until execve.
struct ChildContext {
  const char* program = nullptr;
  char* const* argv = nullptr;
  char* const* envp = nullptr;
  const char* cwd = nullptr;  // nullptr: stay
  const int* keep = nullptr;
  std::size_t keep_count = 0;
  std::array<int, 3> standard = {-1, -1, -1};
  int controlling_terminal = -1;
  bool new_session = false;
  std::atomic<pid_t>* group = nullptr;
  bool ignores_keys = false;  // INT, QUIT, TSTP
  rlimit open_files = {};
  const LimitValue* limits = nullptr;
  std::size_t limit_count = 0;
  const int* groups = nullptr;
  std::size_t group_count = 0;
  bool without_control_groups = false;
  const Cover* covers = nullptr;
  std::size_t cover_count = 0;
  pid_t parent = 0;

  const char* failed_step = nullptr;
  int failed_errno = 0;
};

bool Fail(ChildContext& context, const char* step) {
  context.failed_errno = errno;
  context.failed_step = step;
  return false;
}

// ---- in the child: system calls only -------------------------------------------------------------------

void ResetSignals(const ChildContext& context) {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  // KILL and STOP refuse, as do the two numbers libc keeps; nobody can have ignored those.
  for (int number = 1; number < NSIG; ++number) ::sigaction(number, &action, nullptr);
  // Keys of the private terminal are for the command: the tool that holds the sandbox shares its process
  // group and must not die of them.
  action.sa_handler = SIG_IGN;
  if (context.ignores_keys) {
    for (const int number : {SIGINT, SIGQUIT, SIGTSTP}) ::sigaction(number, &action, nullptr);
  }
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// A new session: nothing that is started has the caller's terminal, and all of it is one process group. In
// the caller's session it could change that whole session's nice value through its autogroup in /proc
// (sched(7)).
bool EnterSession(ChildContext& context) {
  if (!context.new_session) return true;
  if (::setsid() < 0) return Fail(context, "start a session");
  const int terminal = context.controlling_terminal;
  if (terminal >= 0 && ::ioctl(terminal, TIOCSCTTY, 0) != 0)
    return Fail(context, "take the private terminal");
  if (context.group != nullptr) *context.group = ::getpid();
  return true;
}

bool EnterGroups(ChildContext& context) {
  for (std::size_t i = 0; i < context.group_count; ++i) {
    if (!EnterGroup(context.groups[i])) return Fail(context, "enter the control group");
  }
  return true;
}

// Slave propagation, so that its mounts do not reach the host.
bool ArrangeMounts(ChildContext& context) {
  const bool hides = context.without_control_groups && ::geteuid() == 0;
  if (!hides && context.cover_count == 0) return true;
  if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0)
    return Fail(context, "make a mount namespace");
  if (hides && ::umount2("/sys/fs/cgroup", MNT_DETACH) != 0 && errno != EINVAL && errno != ENOENT)
    return Fail(context, "hide the control groups");
  for (std::size_t i = 0; i < context.cover_count; ++i) {
    const Cover& cover = context.covers[i];
    if (Attach(cover.tree.Get(), AT_FDCWD, cover.path) != 0)
      return Fail(context, "mount what others may read");
  }
  return true;
}

bool SetLimits(ChildContext& context) {
  if (::setrlimit(RLIMIT_NOFILE, &context.open_files) != 0) return Fail(context, "limit open files");
  for (std::size_t i = 0; i < context.limit_count; ++i) {
    const LimitValue& limit = context.limits[i];
    if (::setrlimit(limit.which, &limit.value) != 0) return Fail(context, "set the limits of each process");
  }
  return true;
}

// The order matters: the standard streams are made from descriptors that the next step closes.
bool ArrangeFiles(ChildContext& context) {
  for (int target = 0; target < 3; ++target) {
    const int source = context.standard[static_cast<std::size_t>(target)];
    if (source >= 0 && ::dup2(source, target) < 0) return Fail(context, "connect the standard streams");
  }
  if (::syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC) != 0) {
    // Linux < 5.11. The limit bounds every number that can be in use.
    const rlim_t end = std::min<rlim_t>(context.open_files.rlim_max, 1U << 20);
    for (rlim_t fd = 3; fd < end; ++fd) ::fcntl(static_cast<int>(fd), F_SETFD, FD_CLOEXEC);
  }
  for (std::size_t i = 0; i < context.keep_count; ++i) {
    if (::fcntl(context.keep[i], F_SETFD, 0) != 0) return Fail(context, "hand over a descriptor");
  }
  return true;
}

int ChildMain(void* argument) {
  ChildContext& context = *static_cast<ChildContext*>(argument);
  ResetSignals(context);
  if (!DieWith(context.parent)) {
    Fail(context, "tie the process to its launcher");
    return 255;
  }
  if (!EnterGroups(context) || !ArrangeMounts(context) || !EnterSession(context) || !ArrangeFiles(context) ||
      !SetLimits(context)) {
    return 255;
  }
  if (context.cwd != nullptr && ::chdir(context.cwd) != 0) {
    Fail(context, "enter the working directory");
    return 255;
  }
  ::execve(context.program, context.argv, context.envp);
  Fail(context, "execute");
  return 255;
}

// ---- in the parent -------------------------------------------------------------------------------------

Error LaunchError(const ChildContext& context) {
  std::string what = std::string("could not ") + context.failed_step;
  if (std::string_view(context.failed_step) == "execute") what += std::string(" '") + context.program + "'";
  if (context.failed_errno == E2BIG) {
    return SetupFailed(what + ": the arguments and the environment together are too long for this system",
                       "pass large data through a file or standard input");
  }
  return SystemError(ErrorCode::kSetupFailed, what, context.failed_errno);
}

// vfork semantics with a separate stack: no page table is copied, the child reports failures in shared
// memory, and we continue once it has called execve. Signals are blocked meanwhile, so that no handler runs
// in shared memory.
Result<ChildProcess> Create(ChildContext& context) {
  void* const stack = ::mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
  if (stack == MAP_FAILED) return SystemError(ErrorCode::kSetupFailed, "allocate a stack", errno);
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, &before);
  int handle = -1;
  const pid_t id = ::clone(ChildMain, static_cast<std::byte*>(stack) + kStackBytes,
                           CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD, &context, &handle);
  const int number = errno;
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  ::munmap(stack, kStackBytes);
  if (id < 0) return SystemError(ErrorCode::kSetupFailed, "create a process", number);
  ChildProcess child{.id = id, .handle = UniqueFd{handle}};
  if (context.failed_step == nullptr) return child;
  while (::waitpid(id, nullptr, 0) < 0 && errno == EINTR) {
  }
  return LaunchError(context);
}

Result<std::vector<Cover>> MakeCovers(const std::vector<std::string>& directories) {
  std::vector<Cover> covers;
  for (const std::string& path : directories) {
    Cover cover{.path = path.c_str(), .tree = CloneWithUnmappedOwners(path)};
    if (!cover.tree)
      return SystemError(ErrorCode::kSetupFailed, "show others' view of " + Quoted(path), errno);
    covers.push_back(std::move(cover));
  }
  return covers;
}

}  // namespace

std::vector<char*> Pointers(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (std::string& text : strings) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

Result<ChildProcess> Spawn(const SpawnRequest& request) {
  const Exec& exec = request.exec;
  std::vector<std::string> arguments;
  arguments.reserve(exec.argv.size());
  for (const Piece& piece : exec.argv) arguments.push_back(Render(piece, request.files));
  std::vector<std::string> environment;
  environment.reserve(exec.environment.size());
  for (const Variable& variable : exec.environment) {
    environment.push_back(variable.name + "=" + variable.value.Reveal());
  }
  std::vector<int> keep;
  keep.reserve(request.files.size());
  for (const UniqueFd& file : request.files) keep.push_back(file.Get());
  const Result<std::vector<Cover>> covers = MakeCovers(exec.unmapped_owners);
  if (!covers) return covers.error();
  const Result<PinnedProgram> program = OpenPinned(exec.program, exec.sha256);
  if (!program) return program.error();
  const std::vector<char*> argv = Pointers(arguments);
  const std::vector<char*> envp = Pointers(environment);

  ChildContext context;
  context.program = program->executable.c_str();
  context.argv = argv.data();
  context.envp = envp.data();
  context.cwd = exec.cwd.empty() ? nullptr : exec.cwd.c_str();
  context.keep = keep.data();
  context.keep_count = keep.size();
  context.standard = request.standard;
  context.controlling_terminal = request.controlling_terminal;
  context.new_session = exec.new_session || request.controlling_terminal >= 0;
  context.group = request.group;
  context.ignores_keys = request.controlling_terminal >= 0 && request.ignores_keys;
  context.open_files = request.open_files;
  const std::vector<LimitValue> limits = LimitsOf(exec.limits);
  context.limits = limits.data();
  context.limit_count = limits.size();
  context.groups = request.group_entrances.data();
  context.group_count = request.group_entrances.size();
  context.without_control_groups = request.without_control_groups;
  context.covers = covers->data();
  context.cover_count = covers->size();
  context.parent = ::getpid();
  return Create(context);
}

}  // namespace mxc
