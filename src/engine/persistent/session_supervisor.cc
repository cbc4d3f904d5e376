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

// False: it has led the session of a terminal, which ends with it.
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

// As long as the launcher is there, it may send us a signal, or what is below us, that is meant for its own
// command. So the next one is left where it is, and we end, whereupon init starts another for it. What has
// come until the launcher's end, from it or from a command, is nothing to the next. That end is looked at,
// not waited for: it would wake us on the launcher's processor, and the launcher would end later for it.
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
