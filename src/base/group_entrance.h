// How a process enters a control group on its own way from clone to exec.
#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace mxc {

// `entrance` is borrowed: the group's cgroup.procs; or, for a group in a scope of systemd's, a socket to the
// cleanup process, which moves whoever asks and answers with an errno. False with errno. Safe between clone
// and exec.
[[nodiscard]] inline bool EnterGroup(int entrance) {
  if (::send(entrance, "0", 1, MSG_NOSIGNAL) < 0) return errno == ENOTSOCK && ::write(entrance, "0", 1) == 1;
  int number = EPIPE;
  while (::recv(entrance, &number, sizeof number, 0) < 0) {
    if (errno != EINTR) return false;
  }
  errno = number;
  return number == 0;
}

}  // namespace mxc
