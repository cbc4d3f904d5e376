#include "gateway/local_proxy/bidirectional_copy_posix.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace mxc::egress {
namespace {

constexpr int kSilenceMs = 15 * 60 * 1000;
constexpr const char* kReset = "reset";

}  // namespace

std::string BidirectionalCopy::Hear(ByteView bytes) { return PassOn(pass_(bytes)); }

std::string BidirectionalCopy::PassOn(Passed passed) {
  refused_ = !passed.problem.empty();
  if (refused_) return std::move(passed.problem);
  up_.held.insert(up_.held.end(), passed.bytes.begin(), passed.bytes.end());
  // Some servers end the connection when the client shuts its direction down.
  last_ = last_ || passed.last;
  up_.ended = up_.ended || last_;
  return {};
}

std::string BidirectionalCopy::Read(Way& way) {
  std::array<std::uint8_t, 16384> buffer{};
  const ssize_t count = ::recv(way.from, buffer.data(), buffer.size(), 0);
  if (count < 0) return errno == EAGAIN || errno == EINTR ? "" : kReset;
  if (count == 0) {
    way.ended = true;
    return {};
  }
  const ByteView chunk(buffer.data(), static_cast<std::size_t>(count));
  if (&way == &up_) return Hear(chunk);
  way.held.assign(chunk.begin(), chunk.end());
  return answer_ ? PassOn(answer_(chunk)) : "";
}

bool BidirectionalCopy::Write(Way& way) const {
  if (!way.held.empty()) {
    const ssize_t count = ::send(way.to, way.held.data(), way.held.size(), 0);
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    way.bytes += static_cast<std::uint64_t>(count);
    way.held.erase(way.held.begin(), way.held.begin() + count);
  }
  if (way.ended && way.held.empty() && !way.done) {
    if (&way != &up_ || !last_) ::shutdown(way.to, SHUT_WR);
    way.done = true;
  }
  return true;
}

std::string BidirectionalCopy::Carry(Way& way, bool readable, bool writable) {
  std::string problem = readable ? Read(way) : "";
  if (problem.empty() && (readable || writable) && !Write(way)) problem = kReset;
  return problem;
}

std::string BidirectionalCopy::Run() {
  while (!up_.done || !down_.done) {
    std::array<pollfd, 4> polls{};
    std::size_t at = 0;
    for (const Way* way : {&up_, &down_}) {
      polls.at(at++) = {.fd = way->Reads() ? way->from : -1, .events = POLLIN, .revents = 0};
      polls.at(at++) = {.fd = way->Writes() ? way->to : -1, .events = POLLOUT, .revents = 0};
    }
    const int ready = ::poll(polls.data(), polls.size(), kSilenceMs);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return "silent for too long";
    at = 0;
    for (Way* way : {&up_, &down_}) {
      const bool readable = polls.at(at++).revents != 0;
      const bool writable = polls.at(at++).revents != 0;
      if (std::string problem = Carry(*way, readable, writable); !problem.empty()) return problem;
    }
  }
  return {};
}

}  // namespace mxc::egress
