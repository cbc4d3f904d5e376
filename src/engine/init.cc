// Process 1 of the sandbox: starts the command, passes signals on, reaps orphans, reports how the command
// ended.
#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <ctime>
#include <optional>
#include <string_view>

#include "base/kernel_calls.h"
#include "base/path.h"
#include "engine/child.h"
#include "engine/namespace_discard.h"
#include "engine/supervised.h"

namespace mxc::engine {
namespace {

constexpr std::size_t kStackBytes = 32768;

// A private terminal needs a session. Init leads it and stays in it: the keyboard stops no process in an
// orphaned process group, which is one whose parents are all in its own group or in other sessions.
void TakeTerminal(const Child& child) {
  if (child.command.controlling_terminal < 0) return;
  // In a persistent sandbox this is a process of one command's.
  if (::getsid(0) != ::getpid()) child.Check(::setsid(), Step::kSession);
  child.Check(::ioctl(child.command.controlling_terminal, TIOCSCTTY, 0), Step::kTerminal);
}

// In the command's process, with all signals blocked, so that a background process may call tcsetpgrp.
void EnterSession(const Child& child) {
  const int terminal = child.command.controlling_terminal;
  // Without a pid namespace a session keeps the command out of the launcher's process group.
  if (terminal < 0 && child.program.supervised) {
    child.Check(::setsid(), Step::kSession);
    return;
  }
  // Otherwise init has left the caller's session already, and a process group is enough to signal everything
  // the command started.
  child.Check(::setpgid(0, 0), Step::kSession);
  const pid_t group = ::getpid();
  if (terminal >= 0) child.Check(::ioctl(terminal, TIOCSPGRP, &group), Step::kTerminal);
}

// Whether it is dash: another shell may have more keywords or set more variables.
bool ShellIsKnown() {
  std::array<char, 16> text{};
  const ssize_t size = ::readlink(kShell, text.data(), text.size());
  const std::string_view target{text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
  return NameOf(target) == "dash" && ::access(kShell, X_OK) == 0;
}

// Executes directly what the shell would execute, and saves the shell's start. If that fails, the shell runs
// and reports the error with its own message and status.
void ExecutePlain(const Command& command) {
  const ExecutableView& plain = command.plain;
  if (plain.argv == nullptr || *plain.argv == nullptr || !ShellIsKnown()) return;
  for (char* const* path = plain.paths; *path != nullptr; ++path) {
    ::execve(*path, plain.argv, command.envp);
    if (errno != ENOENT && errno != ENOTDIR) return;
  }
}

// Allows this process's files in an outer /proc, and no other's: a Landlock rule is for an existing inode.
void ConfineWithOwnProc(const Child& child) {
  const int own = ::open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (own >= 0) child.Check(Allow(child.landlock, own, Grant::kRead), Step::kLandlock);
  child.Check(Restrict(child.landlock), Step::kLandlock);
}

// The command's process, which shares init's memory until execve (CLONE_VFORK).
int CommandMain(void* argument) {
  const Child& child = *static_cast<const Child*>(argument);
  const Command& command = child.command;
  EnterSession(child);
  for (int target = 0; target < 3; ++target) {
    const int source = command.standard.at(static_cast<std::size_t>(target));
    if (source >= 0) ConnectStream(child, source, target);
  }
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  child.Check(::chdir(command.cwd), Step::kDirectory);
  if (child.program.supervised) ConfineCommand(child);
  if (child.program.outer_proc) ConfineWithOwnProc(child);
  WatchCalls(child);
  ExecutePlain(command);
  int denied = 0;
  for (char* const* path = command.program.paths; *path != nullptr; ++path) {
    ::execve(*path, command.program.argv, command.envp);
    if (errno == EACCES) denied = EACCES;
    if (errno != ENOENT && errno != ENOTDIR && errno != EACCES) child.Fail(Step::kExecute);
  }
  errno = denied != 0 ? denied : ENOENT;
  child.Fail(Step::kExecute);
}

// The command's process has its own stack: execve leaves its frames without AddressSanitizer noticing, which
// would take them for ours later.
pid_t StartCommand(const Child& child) {
  alignas(16) static std::array<std::byte, kStackBytes> stack;
  void* const argument = const_cast<Child*>(&child);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  const pid_t command =
      ::clone(CommandMain, stack.data() + stack.size(), CLONE_VM | CLONE_VFORK | SIGCHLD, argument);
  child.Check(command, Step::kSpawn);
  return command;
}

// Closes the ends of pipes whose closing others wait for. A supervisor's standard streams are init's, which
// lead nowhere.
void CloseStreams(const Child& child) {
  const Program& program = child.program;
  CloseAllBut(child.session ? 3 : 0, std::array{child.report_to, child.control_socket, program.discard_sender,
                                                program.discard_queue, child.temp});
}

// In an outer /proc our children have other pids.
ProcessName LeftBehind(const Child& child, pid_t command) {
  const bool own_session = child.program.supervised && child.command.controlling_terminal < 0;
  return child.program.outer_proc ? ProcessName{} : LeftIn(own_session ? command : ::getsid(0));
}

// Reaps. Returns the command's status once it has ended; reports when it is stopped. `more`: there are more
// zombies than one call reaps, and signals are handled first, because a command may fork and exit for ever.
std::optional<Report> ReapAndForget(const Child& child, pid_t command, bool& more) {
  const int which = WNOHANG | (child.command.controlling_terminal >= 0 ? WUNTRACED : 0);
  int status = 0;
  more = true;
  for (int count = 0; count < kMostReaped; ++count) {
    const pid_t dead = ::waitpid(-1, &status, which);
    more = dead > 0;
    if (!more) return std::nullopt;
    if (dead != command) continue;
    if (WIFSTOPPED(status)) {
      child.Send({.event = Event::kStopped, .number = status});
      continue;
    }
    const Report ended{.event = Event::kEnded, .number = status, .left = LeftBehind(child, command)};
    if (child.adopts) EndSupervision(child);
    return ended;
  }
  return std::nullopt;
}

// The size in MiB of a private /tmp that has no room for bytes or for files; -1: it has, or there is none.
std::int32_t FullTmp(const Child& child) {
  constexpr unsigned kHundred = 100;  // a write that does not fit leaves less than a percent free
  struct statfs tmp {};
  if (!child.program.own_tmp || ::statfs("/tmp", &tmp) != 0 || tmp.f_blocks == 0) return -1;
  if (tmp.f_bfree > tmp.f_blocks / kHundred && (tmp.f_files == 0 || tmp.f_ffree != 0)) return -1;
  const std::uint64_t mib = (tmp.f_blocks * static_cast<std::uint64_t>(tmp.f_bsize)) >> 20U;
  return static_cast<std::int32_t>(std::min<std::uint64_t>(std::max<std::uint64_t>(mib, 1), INT32_MAX));
}

}  // namespace

// All signals are blocked and taken here. Processes inside cannot send others to process 1 of their
// namespace. Once it has reported the end and ended, the kernel kills what is left in the namespace.
void RunCommand(const Child& child) {
  TakeTerminal(child);
  const pid_t command = StartCommand(child);
  // If it could not be executed its report is sent, and the launcher stops reading there.
  child.Send({.event = Event::kStarted});
  PutNamespacesAway(child);
  CloseStreams(child);
  sigset_t all;
  sigfillset(&all);
  for (bool more = false;;) {
    if (std::optional<Report> ended = ReapAndForget(child, command, more)) {
      SealDiscarded(child);
      ended->node = FullTmp(child);
      return child.Send(*ended);
    }
    siginfo_t info{};
    const timespec now{};
    const int number = more ? ::sigtimedwait(&all, &info, &now) : ::sigwaitinfo(&all, &info);
    // The connection's signal also comes after the command was just read from it; it is lost while one from
    // inside is pending. Signals from inside concern other commands.
    const bool tied = child.session && !child.command.background;
    if (tied && child.LauncherIsGone()) child.Leave(255);
    const bool outside = info.si_code <= 0 && info.si_pid == 0;
    if (child.session && !outside) continue;
    if (number == SIGTERM && child.adopts) child.Leave(255);
    // A process that has not asked for these would die of them.
    const bool for_one = number == SIGUSR1 || number == SIGUSR2;
    if (number > 0 && number != SIGCHLD) ::kill(for_one ? command : -command, number);
  }
}

}  // namespace mxc::engine
