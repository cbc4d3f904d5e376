#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <utility>

#include "base/passed_fds.h"
#include "session/message.h"

namespace mxc::session {
namespace {

constexpr std::uint32_t kMagic = 0x3363786d;  // "mxc3": the form of these messages
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

ssize_t Receive(int connection, std::string& text, UniqueFd& shown) {
  int fd = -1;
  std::size_t fds = 0;
  const ssize_t count = ReceiveWithFds(connection, text.data(), text.size(), 0, std::span(&fd, 1), fds);
  shown.Reset(fd);
  return count;
}

// It has closed its end, or was killed before it took the connection, or the call.
bool HasHungUp(int number) { return number == EPIPE || number == ECONNRESET || number == ECONNREFUSED; }

Error HolderEnded() {
  return {.code = ErrorCode::kStaleId,
          .message = "the sandbox is gone: its holder has ended",
          .pointer = "/sandboxId",
          .hint = "provision another"};
}

}  // namespace

Result<UniqueFd> SendCall(int holder, Verb verb) {
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return SystemError(ErrorCode::kSetupFailed, "create a connection to the sandbox's holder", errno);
  UniqueFd ours{ends[0]};
  const UniqueFd theirs{ends[1]};
  const Hello hello{.verb = verb};
  const std::array<int, 2> passed = {Own().fd.Get(), theirs.Get()};
  if (SendWithFds(holder, &hello, sizeof hello, passed) == sizeof hello) return ours;
  if (HasHungUp(errno)) return HolderEnded();
  return SystemError(ErrorCode::kSetupFailed, "reach the sandbox's holder", errno);
}

std::optional<Call> ReceiveCall(int socket) {
  Hello hello{.magic = 0};
  std::array<int, 2> passed = {-1, -1};
  std::size_t fds = 0;
  ucred sender{};
  const ssize_t count = ReceiveWithFds(socket, &hello, sizeof hello, MSG_DONTWAIT, passed, fds, &sender);
  const UniqueFd shown{passed[0]};
  UniqueFd connection{passed[1]};
  const bool ours = count == static_cast<ssize_t>(sizeof hello) && hello.magic == kMagic && connection;
  if (!ours || !IsOurNamespace(shown.Get())) return std::nullopt;
  if (sender.uid != ::geteuid() && sender.uid != 0) return std::nullopt;
  return Call{.verb = hello.verb, .connection = std::move(connection)};
}

void SendReply(int connection, const std::string& text) {
  const int own = Own().fd.Get();
  [[maybe_unused]] const ssize_t sent = SendWithFds(connection, text.data(), text.size(), std::span(&own, 1));
}

Result<std::string> ReceiveReply(int connection) {
  // Its size first: to make room for the longest would take as long as to read the answer.
  ssize_t count = 0;
  do {
    count = ::recv(connection, nullptr, 0, MSG_PEEK | MSG_TRUNC);
  } while (count < 0 && errno == EINTR);
  std::string text(std::min(static_cast<std::size_t>(std::max<ssize_t>(count, 0)), kMaxReplyBytes), '\0');
  UniqueFd shown;
  if (count > 0) count = Receive(connection, text, shown);
  if (count > 0 && IsOurNamespace(shown.Get())) return text;
  if (count == 0 || HasHungUp(errno)) return HolderEnded();
  return Error{.code = ErrorCode::kSetupFailed,
               .message = "what answers for the sandbox is not its holder",
               .hint = "the sandbox may belong to another version of mxc-exec: end it with that one"};
}

}  // namespace mxc::session
