#include "engine/network_namespace.h"

#include <linux/futex.h>
#include <linux/sockios.h>
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
// is written only when a call fails, and then there will be no sandbox.
__attribute__((no_sanitize("address", "thread", "undefined"))) int NetworkAhead::Main(void* argument) {
  auto& self = *static_cast<NetworkAhead*>(argument);
  const int error = self.Make();
  if (error != 0) self.Publish(kFailed);
  return error;
}

// Gets the namespace from a socket in it (SIOCGSKNS): a path in /proc may not exist in the root of that
// moment.
__attribute__((no_sanitize("address", "thread", "undefined"))) int NetworkAhead::Make() {
  if (::syscall(SYS_unshare, CLONE_NEWNET) != 0) return errno;
  const auto socket = static_cast<int>(::syscall(SYS_socket, AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  namespace_ = static_cast<int>(::syscall(SYS_ioctl, socket, SIOCGSKNS));
  if (namespace_ < 0) return errno;
  Publish(kMade);
  ifreq request{.ifr_ifrn = {"lo"}, .ifr_ifru = {}};
  request.ifr_flags = IFF_UP | IFF_RUNNING | IFF_LOOPBACK;
  if (::syscall(SYS_ioctl, socket, SIOCSIFFLAGS, &request) != 0) return errno;
  ::syscall(SYS_close, socket);
  Publish(kUp);
  return 0;
}

__attribute__((no_sanitize("address", "thread", "undefined"))) void NetworkAhead::Publish(State state) {
  state_.store(state, std::memory_order_release);
  ::syscall(SYS_futex, &state_, FUTEX_WAKE, 1);
}

// A new task is queued on the processor of the one that made it, and an idle one does not always take it
// over. Worth 15 % of the time of root's launch on two processors, 2 % of another user's; measured by
// tests/bench/paired.py against a program without this call.
void NetworkAhead::LeaveProcessor() {
  cpu_set_t others;
  if (::sched_getaffinity(0, sizeof allowed_, &allowed_) != 0) return;
  others = allowed_;
  const int own = ::sched_getcpu();
  if (own >= 0) CPU_CLR(static_cast<std::size_t>(own), &others);
  moved_ = CPU_COUNT(&others) > 0 && ::sched_setaffinity(task_, sizeof others, &others) == 0;
}

void NetworkAhead::Await(const Child& child, State state) {
  // The other processors may be busy, and this one is about to be idle.
  if (moved_ && state_.load(std::memory_order_acquire) < state)
    moved_ = ::sched_setaffinity(task_, sizeof allowed_, &allowed_) != 0;
  for (int now = state_.load(std::memory_order_acquire); now < state;
       now = state_.load(std::memory_order_acquire)) {
    ::syscall(SYS_futex, &state_, FUTEX_WAIT, now, nullptr);
  }
  if (state_.load(std::memory_order_relaxed) == kFailed) Reap(child);
}

void NetworkAhead::Begin(const Child& child) {
  if (!child.program.private_network || child.program.gateway_handover >= 0) return;
  // Without an exit signal: SIGCHLD would look like that of a command's process.
  task_ = ::clone(Main, stack_.data() + stack_.size(), CLONE_VM | CLONE_FILES, this);
  child.Check(task_, Step::kNetwork);
  LeaveProcessor();
}

void NetworkAhead::Join(Child& child) {
  if (task_ < 0) return;
  Await(child, kMade);
  child.Check(::setns(namespace_, CLONE_NEWNET), Step::kNetwork);
  if (child.program.discard_sender >= 0) {
    child.network = namespace_;
  } else {
    ::close(namespace_);
  }
}

void NetworkAhead::AwaitUp(const Child& child) {
  if (task_ >= 0) Await(child, kUp);
}

void NetworkAhead::Reap(const Child& child) {
  if (task_ < 0) return;
  int status = 0;
  child.Check(::waitpid(task_, &status, __WALL), Step::kNetwork);
  if (status == 0) return;
  errno = WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
  child.Fail(Step::kNetwork);
}

}  // namespace mxc::engine
