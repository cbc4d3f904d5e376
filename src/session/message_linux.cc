#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

#include "base/peer.h"
#include "session/message.h"

namespace mxc::session {
namespace {

constexpr std::uint32_t kMagic = 0x3463786d;  // "mxc4": the form of these messages
constexpr std::size_t kMaxReplyBytes = 131072;
constexpr std::size_t kMaxName = 64;

struct Hello {
  std::uint32_t magic = kMagic;
  Verb verb = Verb::kStatus;
  std::array<char, kMaxName> name{};  // padded with zeros
};

Hello HelloTo(const std::string& name, Verb verb) {
  Hello hello{.verb = verb};
  std::copy_n(name.begin(), std::min(name.size(), kMaxName), hello.name.begin());
  return hello;
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

Status SendCall(int holder, Verb verb, const std::string& name) {
  if (PeerOutsideSandboxes(holder) == 0) {
    return Error{.code = ErrorCode::kSetupFailed,
                 .message = "what answers for the sandbox is not its holder",
                 .hint =
                     "something else has taken its name, or it has just been killed: see what is in the "
                     "directory of its socket"};
  }
  const Hello hello = HelloTo(name, verb);
  if (::send(holder, &hello, sizeof hello, MSG_NOSIGNAL) == sizeof hello) return Done{};
  if (HasHungUp(errno)) return HolderEnded();
  return SystemError(ErrorCode::kSetupFailed, "reach the sandbox's holder", errno);
}

Call ReceiveCall(int connection, const std::string& name) {
  Hello hello{.magic = 0};
  ssize_t count = 0;
  do {
    count = ::recv(connection, &hello, sizeof hello, MSG_DONTWAIT | MSG_TRUNC);
  } while (count < 0 && errno == EINTR);
  if (count < 0 && errno == EAGAIN) return {};
  const bool whole = count == static_cast<ssize_t>(sizeof hello) && hello.magic == kMagic;
  if (!whole || hello.name != HelloTo(name, hello.verb).name) return {.state = Call::State::kWrong};
  return {.state = Call::State::kGiven, .verb = hello.verb};
}

void SendReply(int connection, const std::string& text) {
  [[maybe_unused]] const ssize_t sent = ::send(connection, text.data(), text.size(), MSG_NOSIGNAL);
}

Result<std::string> ReceiveReply(int connection) {
  // Its size first: to make room for the longest would take as long as to read the answer.
  ssize_t count = 0;
  do {
    count = ::recv(connection, nullptr, 0, MSG_PEEK | MSG_TRUNC);
  } while (count < 0 && errno == EINTR);
  std::string text(std::min(static_cast<std::size_t>(std::max<ssize_t>(count, 0)), kMaxReplyBytes), '\0');
  if (count > 0) count = ::recv(connection, text.data(), text.size(), 0);
  if (count > 0) return text;
  if (count == 0 || HasHungUp(errno)) return HolderEnded();
  return SystemError(ErrorCode::kSetupFailed, "hear the sandbox's holder", errno);
}

}  // namespace mxc::session
