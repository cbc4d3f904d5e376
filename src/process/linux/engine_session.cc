// A sandbox that stays, in its process 1: for each connection the holder passes in, a supervisor that runs
// one command under everything init is under, and adopts what the command leaves behind. Only system calls.
//
// The holder and the launchers are trusted; the commands are not. They cannot reach the sockets: init and the
// supervisors are not dumpable, so nothing inside may look into them, and the sockets are closed on execve. A
// command can kill supervisors, which have its user; init then ends what they held.
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <iterator>
#include <span>

#include "base/passed_fds.h"
#include "mxc/limits.h"
#include "process/linux/engine_child.h"
#include "process/linux/engine_kernel.h"
#include "process/linux/engine_supervised.h"
#include "process/linux/exec_request.h"

namespace mxc::engine {
namespace {

// ---- the supervisor of one command -----------------------------------------------------------------------

// The launcher's death ends the command: the kernel sends us SIGTERM when the other end of the connection is
// closed. It may have been closed before this line.
void TieToConnection(const Child& child) {
  child.Check(::fcntl(child.report_to, F_SETSIG, SIGTERM), Step::kTie);
  child.Check(::fcntl(child.report_to, F_SETOWN, ::getpid()), Step::kTie);
  child.Check(::fcntl(child.report_to, F_SETFL, O_ASYNC), Step::kTie);
  pollfd other{.fd = child.report_to, .events = 0, .revents = 0};
  if (::poll(&other, 1, 0) == 1) ::_exit(255);
}

[[noreturn]] void Supervise(const Child& init, int connection) {
  Child child{.program = init.program,
              .slots = init.slots,
              .report_to = connection,
              .adopts = true,
              .session = true,
              .init = ::getpid()};
  ::prctl(PR_SET_NAME, "mxc-exec");
  // What is init's is not ours.
  const auto kept = static_cast<unsigned>(connection);
  if (kept > 3) CloseRange(3, kept - 1);
  CloseRange(kept + 1, ~0U);
  ReceivedCommand received;
  if (!ReceiveCommand(connection, received)) ::_exit(255);
  child.command = received.command;
  for (int target = 0; target < 3; ++target) {
    child.Check(::dup2(received.standard.at(static_cast<std::size_t>(target)), target), Step::kStreams);
  }
  child.Check(::prctl(PR_SET_CHILD_SUBREAPER, 1UL), Step::kSupervise);
  TieToConnection(child);
  RunCommand(child);
}

// ---- init ------------------------------------------------------------------------------------------------

// A connection from the holder; -1 when there is none. The holder's end ends us.
int TakeConnection(int session) {
  char byte = 0;
  int connection = -1;
  std::size_t count = 0;
  if (ReceiveWithFds(session, &byte, 1, MSG_DONTWAIT, std::span(&connection, 1), count) == 0) ::_exit(0);
  return connection;
}

class Session {
 public:
  explicit Session(const Child& init) : init_(init) {}

  void Start() {
    const int connection = TakeConnection(init_.program.session);
    if (connection < 0) return;
    auto* const place = std::find(supervisors_.begin(), supervisors_.end(), 0);
    const bool room = place != supervisors_.end();
    if (!room) errno = EAGAIN;
    // A raw clone, as this process is one itself: the C library's fork would look for what it has lost.
    const long id = room ? ::syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr) : -1;
    if (id == 0) Supervise(init_, connection);
    if (id < 0) {
      const Report refusal{.event = Event::kFailed, .step = Step::kSpawn, .number = errno};
      [[maybe_unused]] const ssize_t told =
          ::send(connection, &refusal, sizeof refusal, MSG_NOSIGNAL | MSG_DONTWAIT);
      TellEnd();
    } else {
      *place = static_cast<pid_t>(id);
    }
    ::close(connection);
  }

  // Orphans come to us only when their supervisor was killed. Each that dies may leave us its own.
  void Bury() {
    int status = 0;
    for (pid_t dead = ::waitpid(-1, &status, WNOHANG); dead > 0; dead = ::waitpid(-1, &status, WNOHANG)) {
      auto* const place = std::find(supervisors_.begin(), supervisors_.end(), dead);
      const bool supervisor = place != supervisors_.end();
      if (supervisor) {
        *place = 0;
        TellEnd();
      }
      if (!supervisor || WIFSIGNALED(status)) KillChildren(supervisors_);
    }
  }

 private:
  void TellEnd() const {
    const char byte = 'e';
    [[maybe_unused]] const ssize_t told = ::send(init_.program.session, &byte, 1, MSG_NOSIGNAL);
  }

  const Child& init_;
  std::array<pid_t, kMaxSessionCommands> supervisors_{};  // 0: a free place
};

}  // namespace

void HoldSession(const Child& init) {
  init.Check(CheckChildrenShow(), Step::kSupervise);
  sigset_t child_signal;
  sigemptyset(&child_signal);
  sigaddset(&child_signal, SIGCHLD);
  const int signals = init.Check(::signalfd(-1, &child_signal, SFD_CLOEXEC | SFD_NONBLOCK), Step::kSupervise);
  init.Send({.event = Event::kStarted});
  Session session(init);
  pollfd polls[] = {{.fd = init.program.session, .events = POLLIN, .revents = 0},
                    {.fd = signals, .events = POLLIN, .revents = 0}};
  for (;;) {
    if (::poll(polls, std::size(polls), -1) < 0) continue;
    signalfd_siginfo drained{};
    if (polls[1].revents != 0 && ::read(signals, &drained, sizeof drained) > 0) session.Bury();
    if (polls[0].revents != 0) session.Start();
  }
}

}  // namespace mxc::engine
