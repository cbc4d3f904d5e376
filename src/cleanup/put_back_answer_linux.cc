#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <string>
#include <string_view>

#include "base/lists.h"
#include "cleanup/put_back_answer.h"

namespace mxc {
namespace {

// The last message.
constexpr std::string_view kAnswerEnd = ".";
constexpr std::string_view kCommandEnded = "!";
constexpr std::string_view kGone = "gone";
constexpr std::string_view kMissing = "missing";
constexpr std::size_t kMaxAnswerBytes = std::size_t{64} * 1024;

std::string TakeField(std::string_view& text) { return std::string(TakePiece(text, '\0')); }

}  // namespace

void AnswerPutBack(int borrowed_socket, const PutBackReport& report) {
  for (const PutBackPath& each : report.paths) {
    const std::string_view state = each.missing ? kMissing : each.gone ? kGone : "";
    const std::string text = each.path + '\0' + each.aside + '\0' + each.failure + '\0' + std::string(state);
    ::send(borrowed_socket, text.data(), text.size(), MSG_NOSIGNAL);
  }
  const std::string_view last = report.ended ? kCommandEnded : kAnswerEnd;
  ::send(borrowed_socket, last.data(), last.size(), MSG_NOSIGNAL);
}

std::optional<PutBackReport> ReadPutBack(int borrowed_socket, int timeout_ms) {
  PutBackReport report;
  std::string buffer(kMaxAnswerBytes, '\0');
  for (;;) {
    pollfd answer{.fd = borrowed_socket, .events = POLLIN, .revents = 0};
    const int ready = ::poll(&answer, 1, timeout_ms);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return std::nullopt;
    const ssize_t count = ::recv(borrowed_socket, buffer.data(), buffer.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    std::string_view text = std::string_view(buffer).substr(0, static_cast<std::size_t>(count));
    report.ended = text == kCommandEnded;
    if (report.ended || text == kAnswerEnd) return report;
    PutBackPath each;
    each.path = TakeField(text);
    each.aside = TakeField(text);
    each.failure = TakeField(text);
    const std::string state = TakeField(text);
    each.gone = state == kGone;
    each.missing = state == kMissing;
    report.paths.push_back(std::move(each));
  }
}

}  // namespace mxc
