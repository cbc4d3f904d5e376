#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <utility>
#include <vector>

#include "base/passed_fds.h"
#include "base/peer.h"
#include "mxc/limits.h"
#include "persistent/message.h"
#include "persistent/refusals.h"
#include "spawn/inherited_files.h"

namespace mxc::session {
namespace {

constexpr std::uint32_t kMagic = 0x3563786d;  // "mxc5": the form of these messages
// A message has to fit into the socket's send buffer: by default 208 KiB (net.core.wmem_default), of which
// the kernel's own part of each message counts as well.
constexpr std::size_t kMaxMessageBytes = 32768;
constexpr std::size_t kMaxName = 64;
constexpr std::string_view kInFile = "f";

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

// The peer has closed its end, or was killed before it accepted the connection or read the call.
bool HasHungUp(int number) { return number == EPIPE || number == ECONNRESET || number == ECONNREFUSED; }

Error DaemonEnded() {
  return {.code = ErrorCode::kStaleId,
          .message = "the sandbox is gone: its daemon has ended",
          .pointer = "/sandboxId",
          .hint = "provision another"};
}

Result<std::string> ReadAll(const UniqueFd& file) {
  struct stat status {};
  if (::fstat(file.Get(), &status) != 0)
    return SystemError(ErrorCode::kSetupFailed, "hear the sandbox's daemon", errno);
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size > kMaxReplyBytes) return ReplyTooLong();
  std::string text(size, '\0');
  std::size_t done = 0;
  while (done < size) {
    const ssize_t count = ::pread(file.Get(), text.data() + done, size - done, static_cast<off_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return SystemError(ErrorCode::kSetupFailed, "hear the sandbox's daemon", errno);
    done += static_cast<std::size_t>(count);
  }
  return text;
}

}  // namespace

Status SendCall(int daemon, Verb verb, const std::string& name) {
  if (PeerOutsideSandboxes(daemon) == 0) {
    // A process that is ending closes its files before it leaves its namespaces.
    pollfd end{.fd = daemon, .events = 0, .revents = 0};
    if (::poll(&end, 1, 0) == 1 && (end.revents & POLLHUP) != 0) return DaemonEnded();
    return SetupFailed("what answers for the sandbox is not its daemon",
                       "something else has taken its name: see what is in the directory of its socket");
  }
  const Hello hello = HelloTo(name, verb);
  if (::send(daemon, &hello, sizeof hello, MSG_NOSIGNAL) == sizeof hello) return Done{};
  if (HasHungUp(errno)) return DaemonEnded();
  return SystemError(ErrorCode::kSetupFailed, "reach the sandbox's daemon", errno);
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

Status SendReply(int connection, const std::string& text, int multiplexer) {
  UniqueFd file;
  if (text.size() > kMaxMessageBytes) {
    Result<UniqueFd> sealed = text.size() > kMaxReplyBytes ? ReplyTooLong() : SealedFile("mxc-reply", text);
    if (!sealed) return sealed.error();
    file = std::move(*sealed);
  }
  std::vector<int> passed;
  if (file) passed.push_back(file.Get());
  if (multiplexer >= 0) passed.push_back(multiplexer);
  const std::string_view said = file ? kInFile : std::string_view(text);
  if (SendWithFds(connection, said.data(), said.size(), passed) >= 0) return Done{};
  return SystemError(ErrorCode::kSetupFailed, "answer the launcher", errno);
}

Result<std::string> ReceiveReply(int connection, UniqueFd* multiplexer) {
  // Asks for the size first: clearing a buffer for the longest answer would take as long as reading one.
  ssize_t count = 0;
  do {
    count = ::recv(connection, nullptr, 0, MSG_PEEK | MSG_TRUNC);
  } while (count < 0 && errno == EINTR);
  std::string text(std::min(static_cast<std::size_t>(std::max<ssize_t>(count, 0)), kMaxMessageBytes), '\0');
  std::array<int, 2> numbers = {-1, -1};
  std::size_t passed = 0;
  if (count > 0) count = ReceiveWithFds(connection, text.data(), text.size(), 0, numbers, passed);
  std::array<UniqueFd, 2> files = {UniqueFd{numbers[0]}, UniqueFd{numbers[1]}};
  const std::size_t texts = text == kInFile && passed > 0 ? 1 : 0;
  if (multiplexer != nullptr && passed > texts) *multiplexer = std::move(files.at(texts));
  if (count > 0) return texts == 0 ? text : ReadAll(files[0]);
  if (count == 0 || HasHungUp(errno)) return DaemonEnded();
  return SystemError(ErrorCode::kSetupFailed, "hear the sandbox's daemon", errno);
}

}  // namespace mxc::session
