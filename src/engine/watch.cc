// The command's process installs a seccomp filter with a notification listener and passes the listener to the
// launcher.
#include <sys/prctl.h>

#include <cerrno>
#include <span>

#include "base/kernel_calls.h"
#include "base/passed_fds.h"
#include "engine/child.h"
#include "seccomp/watched_calls.h"

namespace mxc::engine {
namespace {

constexpr unsigned kNewListener = 1U << 3U;  // SECCOMP_FILTER_FLAG_NEW_LISTENER
constexpr unsigned kWaitKillable =
    1U << 5U;  // ..._WAIT_KILLABLE_RECV, of Linux 5.19: no signal starts a call over

int Listen(std::span<const sock_filter> filter) {
  sock_fprog program{};
  program.len = static_cast<unsigned short>(filter.size());
  program.filter = const_cast<sock_filter*>(filter.data());  // NOLINT: the kernel only reads it
  for (const unsigned flags : {kNewListener | kWaitKillable, kNewListener}) {
    const auto listener = static_cast<int>(::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program));
    if (listener >= 0 || errno != EINVAL) return listener;
  }
  return -1;
}

}  // namespace

// The kernel allows one listener, which an outer sandbox may have. The run goes on without, and the launcher
// gets the errno.
void WatchCalls(const Child& child) {
  const int watch_socket = child.command.watch_socket;
  if (watch_socket < 0) return;
  const int listener = Listen(child.command.watch_files ? std::span<const sock_filter>(kFileProgram)
                                                        : std::span<const sock_filter>(kConnectProgram));
  const int number = listener < 0 ? errno : 0;
  const std::span<const int> passed(&listener, listener < 0 ? 0 : 1);
  child.Check(SendWithFds(watch_socket, &number, sizeof number, passed), Step::kWatch);
  ::close(watch_socket);
  if (listener >= 0) ::close(listener);
}

}  // namespace mxc::engine
