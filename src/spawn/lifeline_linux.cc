#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>

#include "base/kernel_calls.h"
#include "spawn/lifeline.h"

namespace mxc {

namespace {

// posix_spawn(3) of glibc leaves the signals ignored that it uses itself, and its sigaction(3) does not touch
// them.
void TakeSignalsOfLibc() {
  struct {
    void* handler;
    unsigned long flags;
    void* restorer;
    unsigned long mask;
  } const standard = {};
  for (const int number : {32, 33})
    ::syscall(SYS_rt_sigaction, number, &standard, nullptr, sizeof standard.mask);
}

}  // namespace

// The kernel sends the signal itself: it holds during set-up, and while we wait for whatever it may be.
Status TieTo(int lifeline, const std::array<int, 3>& kept) {
  struct stat status {};
  if (lifeline < 3 || ::fstat(lifeline, &status) != 0 || !S_ISFIFO(status.st_mode)) {
    return Error{.code = ErrorCode::kUsage,
                 .message = "--lifeline-fd " + std::to_string(lifeline) + " is not a pipe",
                 .hint = "give it the reading end of one, and keep the other"};
  }
  if (::fcntl(lifeline, F_SETFD, FD_CLOEXEC) != 0 || ::fcntl(lifeline, F_SETOWN, ::getpid()) != 0 ||
      ::fcntl(lifeline, F_SETSIG, SIGKILL) != 0 || ::fcntl(lifeline, F_SETFL, O_ASYNC | O_NONBLOCK) != 0)
    return SystemError(ErrorCode::kSetupFailed, "watch the lifeline", errno);
  pollfd ended{.fd = lifeline, .events = 0, .revents = 0};
  if (::poll(&ended, 1, 0) != 0) ::raise(SIGKILL);  // it closed before the kernel knew of us
  TakeSignalsOfLibc();
  CloseAllBut(3, std::array{lifeline, kept[0], kept[1], kept[2]});
  return Done{};
}

}  // namespace mxc
