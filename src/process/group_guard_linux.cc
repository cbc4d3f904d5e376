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
#include <ctime>
#include <new>
#include <utility>

#include "process/group_guard.h"

namespace mxc {

// At the low end of the guard's stack, which both processes see.
struct GroupGuard::Shared {
  std::atomic<pid_t> group = 0;
  int pipe = -1;
  int held = -1;
};

namespace {

constexpr std::size_t kStackBytes = 16384;

// A second, for a group that is killed to end in.
constexpr int kMaxTurns = 1000;
constexpr long kTurnNs = 1000000;

}  // namespace

// It runs in our memory, because to copy that takes longer than all the rest, and so with the thread-local
// state of whoever called Start: system calls that do not fail, and nothing else.
__attribute__((no_sanitize("address", "thread", "undefined"))) int GroupGuard::Main(void* argument) {
  auto& shared = *static_cast<Shared*>(argument);
  ::syscall(SYS_dup3, shared.pipe, 0, 0);
  if (shared.held >= 0) ::syscall(SYS_dup3, shared.held, 1, 0);
  ::syscall(SYS_close_range, shared.held >= 0 ? 2U : 1U, ~0U, 0U);  // also our copy of the launcher's end
  char byte = 0;
  ::syscall(SYS_read, 0, &byte, sizeof byte);  // its end: the launcher has closed it, or is no more
  const pid_t group = shared.group;
  if (group <= 0) return 0;
  ::syscall(SYS_kill, -group, SIGKILL);
  // Each may be in the middle of a system call. A zombie counts until whoever inherits it takes note.
  for (int turn = 0; turn < kMaxTurns && ::syscall(SYS_kill, -group, 0) == 0; ++turn) {
    const timespec pause{.tv_sec = 0, .tv_nsec = kTurnNs};
    ::syscall(SYS_nanosleep, &pause, nullptr);
  }
  return 0;
}

Result<GroupGuard> GroupGuard::Start(int held) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return SystemError(ErrorCode::kSetupFailed, "create a pipe", errno);
  const UniqueFd reading{ends[0]};
  GroupGuard guard;
  guard.pipe_.Reset(ends[1]);
  void* const stack = ::mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
  if (stack == MAP_FAILED) return SystemError(ErrorCode::kSetupFailed, "allocate a stack", errno);
  guard.shared_ = new (stack) Shared{.pipe = reading.Get(), .held = held};
  // Without signals: a handler of ours must not run twice at a time in the same memory.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, &before);
  guard.process_ = ::clone(Main, static_cast<std::byte*>(stack) + kStackBytes, CLONE_VM, guard.shared_);
  const int number = errno;
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  if (guard.process_ < 0) return SystemError(ErrorCode::kSetupFailed, "start the guard", number);
  return guard;
}

std::atomic<pid_t>* GroupGuard::Group() const { return shared_ != nullptr ? &shared_->group : nullptr; }

void GroupGuard::Kill() const {
  const pid_t group = shared_ != nullptr ? shared_->group.load() : 0;
  if (group > 0) ::kill(-group, SIGKILL);
}

void GroupGuard::Dismiss() {
  if (shared_ == nullptr) return;
  shared_->group = 0;
  pipe_.Reset();
  // It has no exit signal; only __WALL finds such a child.
  while (process_ > 0 && ::waitpid(process_, nullptr, __WALL) < 0 && errno == EINTR) {
  }
  ::munmap(shared_, kStackBytes);
  shared_ = nullptr;
}

GroupGuard::GroupGuard(GroupGuard&& other) noexcept
    : shared_(std::exchange(other.shared_, nullptr)),
      pipe_(std::move(other.pipe_)),
      process_(std::exchange(other.process_, -1)) {}

GroupGuard& GroupGuard::operator=(GroupGuard&& other) noexcept {
  if (this != &other) {
    Dismiss();
    shared_ = std::exchange(other.shared_, nullptr);
    pipe_ = std::move(other.pipe_);
    process_ = std::exchange(other.process_, -1);
  }
  return *this;
}

}  // namespace mxc
