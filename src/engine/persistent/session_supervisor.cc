#include "engine/persistent/session_supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <ctime>
#include <span>

#include "base/kernel_calls.h"
#include "base/passed_fds.h"
#include "engine/persistent/exec_request.h"

namespace mxc::engine {
namespace {

// The launcher's death ends the command: the kernel sends us SIGTERM when the other end of the connection is
// closed. It may have been closed before this line.
void TieToConnection(const Child& child) {
  child.Check(::fcntl(child.report_to, F_SETSIG, SIGTERM), Step::kTie);
  child.Check(::fcntl(child.report_to, F_SETOWN, ::getpid()), Step::kTie);
  child.Check(::fcntl(child.report_to, F_SETFL, O_ASYNC), Step::kTie);
  if (child.LauncherIsGone()) ::_exit(255);
}

// False: this process leads the session of a terminal, which must end with the command.
bool Serve(const Child& init, int connection, int control_socket) {
  Child child{.program = init.program,
              .slots = init.slots,
              .report_to = connection,
              .control_socket = control_socket,
              .adopts = true,
              .session = true,
              .init = ::getpid()};
  ReceivedCommand received;
  if (!ReceiveCommand(connection, received)) ::_exit(255);
  child.command = received.command;
  child.Check(::prctl(PR_SET_CHILD_SUBREAPER, 1UL), Step::kSupervise);
  if (!child.command.background) TieToConnection(child);
  RunCommand(child);
  Forget(received);
  // Init looks for what we have left to it.
  int adopts = 1;
  if (::prctl(PR_GET_CHILD_SUBREAPER, &adopts) != 0 || adopts == 0) ::_exit(255);
  return received.command.controlling_terminal < 0;
}

// Waits for the next command, or ends. While the launcher of the last command lives, it may still signal this
// process or its children, so then this supervisor takes no further command and init starts another one.
// Signals that arrived before the launcher's end are discarded. The end is polled instead of waited for: a
// wake-up would run on the launcher's processor and delay its exit.
void AwaitNext(int connection, int control_socket) {
  if (control_socket < 0 || ::fcntl(connection, F_SETFL, 0) != 0) ::_exit(0);
  if (::send(control_socket, &kFree, sizeof kFree, MSG_NOSIGNAL) != sizeof kFree) ::_exit(0);
  pollfd next{.fd = control_socket, .events = POLLIN, .revents = 0};
  while (::poll(&next, 1, -1) < 0) {
  }
  pollfd launcher{.fd = connection, .events = 0, .revents = 0};
  if (::poll(&launcher, 1, 0) != 1) ::_exit(0);
  sigset_t all;
  sigfillset(&all);
  const timespec now{};
  while (::sigtimedwait(&all, nullptr, &now) > 0) {
  }
}

}  // namespace

int TakeConnection(int socket, int flags) {
  char byte = 0;
  int connection = -1;
  std::size_t count = 0;
  if (ReceiveWithFds(socket, &byte, 1, flags, std::span(&connection, 1), count) == 0) ::_exit(0);
  return connection;
}

void Supervise(const Child& init, int connection, int control_socket) {
  ::prctl(PR_SET_NAME, "mxc-exec");
  while (connection >= 0) {
    CloseAllBut(3, std::array{connection, control_socket});  // of init's, and of the command's before
    if (!Serve(init, connection, control_socket)) ::_exit(0);
    AwaitNext(connection, control_socket);
    ::close(connection);
    connection = TakeConnection(control_socket, 0);
  }
  ::_exit(255);
}

}  // namespace mxc::engine
