#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <vector>

#include "base/passed_fds.h"
#include "session/message.h"

namespace mxc::session {
namespace {

constexpr std::uint32_t kMagic = 0x3263786d;  // "mxc2": the form of these messages
constexpr std::size_t kMaxReplyBytes = 131072;

struct Hello {
  std::uint32_t magic = kMagic;
  Verb verb = Verb::kStatus;
};

struct OwnNamespace {
  OwnNamespace() : fd(::open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC)) {
    if (!fd || ::fstat(fd.Get(), &status) != 0) fd.Reset();
  }
  UniqueFd fd;
  struct stat status {};
};

// A process stays in the one it was made in.
const OwnNamespace& Own() {
  static const OwnNamespace own;
  return own;
}

bool IsOurNamespace(int borrowed_fd) {
  struct stat theirs {};
  return Own().fd && ::fstat(borrowed_fd, &theirs) == 0 && Own().status.st_dev == theirs.st_dev &&
         Own().status.st_ino == theirs.st_ino;
}

bool Send(int connection, const void* bytes, std::size_t size) {
  const int fd = Own().fd.Get();
  return fd >= 0 && SendWithFds(connection, bytes, size, std::span(&fd, 1)) == static_cast<ssize_t>(size);
}

// The number of bytes from somebody in our namespace; 0 when the other end is closed, -1 otherwise.
ssize_t Receive(int connection, void* bytes, std::size_t size, int flags) {
  int fd = -1;
  std::size_t fds = 0;
  const ssize_t count = ReceiveWithFds(connection, bytes, size, flags, std::span(&fd, 1), fds);
  if (count <= 0) return count;
  const UniqueFd shown{fd};
  return IsOurNamespace(fd) ? count : -1;
}

// It has closed its end, or was killed before it took the connection.
bool HasHungUp(int number) { return number == EPIPE || number == ECONNRESET; }

Error HolderEnded() {
  return {.code = ErrorCode::kStaleId,
          .message = "the sandbox is gone: its holder has ended",
          .pointer = "/sandboxId",
          .hint = "provision another"};
}

}  // namespace

Status SendVerb(int connection, Verb verb) {
  const Hello hello{.verb = verb};
  if (Send(connection, &hello, sizeof hello)) return Done{};
  if (HasHungUp(errno)) return HolderEnded();
  return SystemError(ErrorCode::kSetupFailed, "reach the sandbox's holder", errno);
}

std::optional<Verb> ReceiveVerb(int connection) {
  Hello hello{.magic = 0};
  const ssize_t count = Receive(connection, &hello, sizeof hello, MSG_DONTWAIT);
  if (count != static_cast<ssize_t>(sizeof hello) || hello.magic != kMagic) return std::nullopt;
  return hello.verb;
}

void SendReply(int connection, const std::string& text) {
  [[maybe_unused]] const bool sent = Send(connection, text.data(), text.size());
}

Result<std::string> ReceiveReply(int connection) {
  // Its size first: to make room for the longest would take as long as to read the answer.
  ssize_t count = 0;
  do {
    count = ::recv(connection, nullptr, 0, MSG_PEEK | MSG_TRUNC);
  } while (count < 0 && errno == EINTR);
  std::string text(std::min(static_cast<std::size_t>(std::max<ssize_t>(count, 0)), kMaxReplyBytes), '\0');
  if (count > 0) count = Receive(connection, text.data(), text.size(), 0);
  if (count > 0) return text;
  if (count == 0 || HasHungUp(errno)) return HolderEnded();
  return Error{.code = ErrorCode::kSetupFailed,
               .message = "what answers for the sandbox is not its holder",
               .hint = "the sandbox may belong to another version of mxc-exec: end it with that one"};
}

}  // namespace mxc::session
