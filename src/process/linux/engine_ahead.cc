#include "process/linux/engine_ahead.h"

#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace mxc::engine {

// System calls and nothing else: it runs with the thread-local state of the first task, errno included. That
// is written only when a call fails, and then there will be no sandbox. Returns that number, or 0.
__attribute__((no_sanitize("address", "thread", "undefined"))) int NetworkAhead::Main(void* argument) {
  if (::syscall(SYS_unshare, CLONE_NEWNET) != 0) return errno;
  const auto socket = static_cast<int>(::syscall(SYS_socket, AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{.ifr_ifrn = {"lo"}, .ifr_ifru = {}};
  request.ifr_flags = IFF_UP | IFF_RUNNING | IFF_LOOPBACK;
  if (socket < 0 || ::syscall(SYS_ioctl, socket, SIOCSIFFLAGS, &request) != 0) return errno;
  ::syscall(SYS_close, socket);
  const long opened = ::syscall(SYS_openat, AT_FDCWD, "/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
  static_cast<NetworkAhead*>(argument)->namespace_ = static_cast<int>(opened);
  return opened < 0 ? errno : 0;
}

void NetworkAhead::Begin(const Child& child) {
  if (!child.program.private_network || child.program.gateway_door >= 0) return;
  // Without a signal at its end, which would look like one from a process of the command.
  task_ = ::clone(Main, stack_.data() + stack_.size(), CLONE_VM | CLONE_FILES, this);
  child.Check(task_, Step::kNetwork);
}

void NetworkAhead::Join(const Child& child) {
  if (task_ < 0) return;
  int status = 0;
  child.Check(::waitpid(task_, &status, __WALL), Step::kNetwork);
  if (status != 0) {
    errno = WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
    child.Fail(Step::kNetwork);
  }
  child.Check(::setns(namespace_, CLONE_NEWNET), Step::kNetwork);
  ::close(namespace_);
}

}  // namespace mxc::engine
