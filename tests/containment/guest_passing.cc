// A descriptor on its way from one sandbox to another, over a socket in a directory that both have.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <string>

#include "base/passed_fds.h"
#include "tests/containment/guest.h"

namespace mxc::guest {
namespace {

int taken = -1;  // the descriptor that came; never closed

sockaddr_un AddressOf(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  return address;
}

// Listens at SOCKET and keeps the descriptor that comes first.
std::string Take(const Words& words) {
  const sockaddr_un address = AddressOf(words[1]);
  const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return Errno();
  if (::listen(listener, 1) != 0) return Errno();
  const int connection = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  char byte = 0;
  std::size_t count = 1;
  if (ReceiveWithFds(connection, &byte, 1, 0, std::span(&taken, 1), count) != 1) return Errno();
  ::close(listener);
  return Answer(taken);
}

// Sends PATH, opened, to who listens at SOCKET.
std::string PassOpened(const Words& words, int flags) {
  const sockaddr_un address = AddressOf(words[2]);
  const int fd = ::open(words[1].c_str(), flags | O_CLOEXEC);
  if (fd < 0) return Errno();
  const int connection = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (::connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return Errno();
  const char byte = 0;
  return Answer(SendWithFds(connection, &byte, 1, std::span(&fd, 1)));
}

std::string Pass(const Words& words) { return PassOpened(words, O_RDONLY); }
// Opened for writing, in flight between two sockets that are in flight as well: nobody has any of the three.
std::string LeaveInFlight(const Words& words) {
  const int file = ::open(words[1].c_str(), O_RDWR | O_CLOEXEC);
  int ends[2] = {-1, -1};
  if (file < 0 || ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return Errno();
  const char byte = 0;
  const std::array<int, 3> all = {file, ends[0], ends[1]};
  const bool sent = SendWithFds(ends[0], &byte, 1, all) == 1;
  for (const int fd : all) ::close(fd);
  return sent ? "ok" : Errno();
}

std::string PassWritable(const Words& words) { return PassOpened(words, O_RDWR); }

// Over what the file that came begins with.
std::string WriteTaken(const Words& words) {
  return Answer(::pwrite(taken, words[1].c_str(), words[1].size(), 0));
}

std::string ChangeModeOfTaken(const Words& words) {
  return Answer(::fchmod(taken, static_cast<mode_t>(std::stoul(words[1], nullptr, 8))));
}

std::string ReadBelow(const Words& words) {
  const int fd = ::openat(taken, words[1].c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  return fd < 0 ? Errno() : ReadDescriptor(fd);
}

std::string WriteBelow(const Words& words) {
  const int fd = ::openat(taken, words[1].c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  return fd < 0 ? Errno() : Answer(::write(fd, "x", 1));
}

std::string RenameBelow(const Words& words) {
  return Answer(::renameat(taken, words[1].c_str(), taken, words[2].c_str()));
}

}  // namespace

const std::vector<Operation>& PassingOperations() {
  static const std::vector<Operation> operations = {{"take", 2, Take},
                                                    {"pass", 3, Pass},
                                                    {"pass-writable", 3, PassWritable},
                                                    {"leave-in-flight", 2, LeaveInFlight},
                                                    {"write-taken", 2, WriteTaken},
                                                    {"chmod-taken", 2, ChangeModeOfTaken},
                                                    {"read-below", 2, ReadBelow},
                                                    {"write-below", 2, WriteBelow},
                                                    {"rename-below", 3, RenameBelow}};
  return operations;
}

}  // namespace mxc::guest
