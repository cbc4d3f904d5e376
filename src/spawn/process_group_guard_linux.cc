#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <new>
#include <utility>

#include "spawn/process_group_guard.h"

namespace mxc {

// At the low end of the guard's stack, which both processes see.
struct ProcessGroupGuard::Shared {
  std::atomic<pid_t> group = 0;
  std::atomic<bool> released = false;
  int pipe = -1;
  int held = -1;
};

namespace {

constexpr std::size_t kGuardStackBytes = 16384;

// A second, for a group that is killed to end in.
constexpr int kMaxTurns = 1000;
constexpr long kTurnNs = 1000000;

// The guard shares our memory (CLONE_VM), because copying page tables would take longer than all the rest. So
// it has the thread-local state of the caller of Start, and may only make system calls.
#define MXC_IN_THE_GUARD __attribute__((no_sanitize("address", "thread", "undefined")))

// `stat` of /proc: "PID (NAME) STATE PARENT GROUP ...", where the name may hold anything.
MXC_IN_THE_GUARD bool IsLivingMember(const char* stat, long size, pid_t group) {
  long at = size - 1;
  while (at > 0 && stat[at] != ')') --at;
  if (at <= 0 || at + 4 >= size || stat[at + 2] == 'Z' || stat[at + 2] == 'X') return false;
  at += 4;
  while (at < size && stat[at] != ' ') ++at;  // the parent
  long number = 0;
  for (++at; at < size && stat[at] >= '0' && stat[at] <= '9'; ++at) number = number * 10 + (stat[at] - '0');
  return number == group;
}

struct LinuxDirent64 {  // what getdents64(2) writes
  std::uint64_t inode;
  std::int64_t offset;
  std::uint16_t length;
  std::uint8_t type;
  char name[1];
};

// A zombie does not count: it stays until its new parent reaps it.
MXC_IN_THE_GUARD bool SomeLive(pid_t group) {
  const long proc = ::syscall(SYS_openat, AT_FDCWD, "/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (proc < 0) return true;
  bool found = false;
  alignas(LinuxDirent64) char entries[4096];
  for (long count = 0; !found && (count = ::syscall(SYS_getdents64, proc, entries, sizeof entries)) > 0;) {
    for (long at = 0; !found && at < count;) {
      auto* const entry = reinterpret_cast<LinuxDirent64*>(entries + at);
      at += entry->length;
      if (entry->name[0] < '0' || entry->name[0] > '9') continue;
      // Either may be gone meanwhile, and then the next call fails.
      const long process = ::syscall(SYS_openat, proc, entry->name, O_PATH | O_DIRECTORY | O_CLOEXEC);
      const long file = ::syscall(SYS_openat, process, "stat", O_RDONLY | O_CLOEXEC);
      char stat[512];
      const long size = ::syscall(SYS_read, file, stat, sizeof stat);
      if (process >= 0) ::syscall(SYS_close, process);
      if (file >= 0) ::syscall(SYS_close, file);
      found = size > 0 && IsLivingMember(stat, size, group);
    }
  }
  ::syscall(SYS_close, proc);
  return found;
}

}  // namespace

MXC_IN_THE_GUARD int ProcessGroupGuard::Main(void* argument) {
  auto& shared = *static_cast<Shared*>(argument);
  ::syscall(SYS_dup3, shared.pipe, 0, 0);
  if (shared.held >= 0) ::syscall(SYS_dup3, shared.held, 1, 0);
  ::syscall(SYS_close_range, shared.held >= 0 ? 2U : 1U, ~0U, 0U);  // also our copy of the launcher's end
  char byte = 0;
  ::syscall(SYS_read, 0, &byte, sizeof byte);  // its end: the launcher has closed it, or is no more
  const pid_t group = shared.group;
  if (group <= 0 || shared.released) return 0;
  ::syscall(SYS_kill, -group, SIGKILL);
  // Each may be in the middle of a system call.
  for (int turn = 0; turn < kMaxTurns && ::syscall(SYS_kill, -group, 0) == 0 && SomeLive(group); ++turn) {
    const timespec pause{.tv_sec = 0, .tv_nsec = kTurnNs};
    ::syscall(SYS_nanosleep, &pause, nullptr);
  }
  return 0;
}

Result<ProcessGroupGuard> ProcessGroupGuard::Start(int held) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return SystemError(ErrorCode::kSetupFailed, "create a pipe", errno);
  const UniqueFd reading{ends[0]};
  ProcessGroupGuard guard;
  guard.pipe_.Reset(ends[1]);
  void* const stack = ::mmap(nullptr, kGuardStackBytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
  if (stack == MAP_FAILED) return SystemError(ErrorCode::kSetupFailed, "allocate a stack", errno);
  guard.shared_ = new (stack) Shared{.pipe = reading.Get(), .held = held};
  // Without signals: a handler of ours must not run twice at a time in the same memory.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, &before);
  guard.process_ = ::clone(Main, static_cast<std::byte*>(stack) + kGuardStackBytes, CLONE_VM, guard.shared_);
  const int number = errno;
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  if (guard.process_ < 0) return SystemError(ErrorCode::kSetupFailed, "start the guard", number);
  return guard;
}

std::atomic<pid_t>* ProcessGroupGuard::Group() const {
  return shared_ != nullptr ? &shared_->group : nullptr;
}

void ProcessGroupGuard::Kill() const {
  const pid_t group = shared_ != nullptr ? shared_->group.load() : 0;
  if (group > 0) ::kill(-group, SIGKILL);
}

void ProcessGroupGuard::Release() {
  if (shared_ == nullptr) return;
  shared_->released = true;
  pipe_.Reset();
}

void ProcessGroupGuard::Dismiss() {
  if (shared_ == nullptr) return;
  Release();
  // It has no exit signal; only __WALL finds such a child.
  while (process_ > 0 && ::waitpid(process_, nullptr, __WALL) < 0 && errno == EINTR) {
  }
  ::munmap(shared_, kGuardStackBytes);
  shared_ = nullptr;
}

ProcessGroupGuard::ProcessGroupGuard(ProcessGroupGuard&& other) noexcept
    : shared_(std::exchange(other.shared_, nullptr)),
      pipe_(std::move(other.pipe_)),
      process_(std::exchange(other.process_, -1)) {}

ProcessGroupGuard& ProcessGroupGuard::operator=(ProcessGroupGuard&& other) noexcept {
  if (this != &other) {
    Dismiss();
    shared_ = std::exchange(other.shared_, nullptr);
    pipe_ = std::move(other.pipe_);
    process_ = std::exchange(other.process_, -1);
  }
  return *this;
}

}  // namespace mxc
