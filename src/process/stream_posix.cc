#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <limits>
#include <string_view>
#include <utility>

#include "process/stream.h"
#include "process/stream_target.h"

namespace mxc {
namespace {

constexpr std::size_t kReadBytes = 65536;
constexpr std::size_t kMaxPendingBytes = 262144;
constexpr std::size_t kMaxHeadBytes = 1024;

}  // namespace

Stream::Stream(StreamOptions options)
    : source_(std::move(options.source)),
      target_(options.target),
      room_(options.max_bytes != 0 ? options.max_bytes : std::numeric_limits<std::uint64_t>::max()),
      at_end_(std::move(options.at_end)) {
  struct stat status {};
  if (::fstat(target_, &status) == 0) {
    socket_ = S_ISSOCK(status.st_mode);
    non_blocking_ = (::fcntl(target_, F_GETFL) & O_NONBLOCK) != 0;
    if (!non_blocking_) own_target_ = OwnDescription(target_);
  }
  if (own_target_) {
    target_ = own_target_.Get();
    non_blocking_ = true;
  }
  if (options.redaction) redactor_.emplace(std::move(*options.redaction));
}

pollfd Stream::PollSource() const {
  // A full buffer stops the reading, and so in the end the command: a slow reader costs no memory.
  const bool wanted = source_ && pending_.size() < kMaxPendingBytes;
  return {.fd = wanted ? source_.Get() : -1, .events = POLLIN, .revents = 0};
}

pollfd Stream::PollTarget() const {
  return {.fd = pending_.empty() ? -1 : target_, .events = POLLOUT, .revents = 0};
}

void Stream::OnSource(short events) {
  if (events != 0) ReadOnce();
  WritePending();
}

void Stream::OnTarget(short events) {
  if (events != 0) WritePending();
}

void Stream::OnIdle() {
  if (!Idling()) return;
  std::string text;
  redactor_->Idle(text);
  Queue(text);
  WritePending();
}

void Stream::EndSource() {
  while (source_ && pending_.size() < kMaxPendingBytes && ReadOnce()) {
  }
}

void Stream::Abandon() {
  source_.Reset();
  pending_.clear();
  discard_ = true;
}

// False when nothing was there to read.
bool Stream::ReadOnce() {
  std::array<char, kReadBytes> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): read fills it
  const ssize_t count = ::read(source_.Get(), buffer.data(), buffer.size());
  if (count > 0) {
    Accept({buffer.data(), static_cast<std::size_t>(count)});
    return true;
  }
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return errno == EINTR;
  CloseSource();  // the end; EIO is the end of a terminal
  return false;
}

void Stream::Accept(std::string_view bytes) {
  last_ = bytes.back();
  if (!redactor_) {
    Queue(bytes);
    return;
  }
  std::string text;
  redactor_->Feed(bytes, text);
  Queue(text);
}

void Stream::Queue(std::string_view bytes) {
  head_.append(bytes.substr(0, kMaxHeadBytes - std::min(kMaxHeadBytes, head_.size())));
  if (bytes.size() > room_) {
    truncated_ = true;
    bytes = bytes.substr(0, static_cast<std::size_t>(room_));
  }
  room_ -= bytes.size();
  if (!discard_) pending_.append(bytes);
}

void Stream::CloseSource() {
  if (!source_) return;
  source_.Reset();
  std::string text;
  if (redactor_) redactor_->Finish(text);
  if (at_end_) text += at_end_(last_);
  Queue(text);
}

void Stream::WritePending() {
  while (!pending_.empty()) {
    // A poll that says "writable" promises a pipe PIPE_BUF bytes, should this description be a blocking one.
    const bool whole = non_blocking_ || socket_;
    const std::size_t size = whole ? pending_.size() : std::min<std::size_t>(pending_.size(), PIPE_BUF);
    const ssize_t count =
        socket_ ? SendNow(target_, pending_.data(), size) : ::write(target_, pending_.data(), size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count < 0) {
      // Nobody reads any more. Closing the source hands the command the same SIGPIPE it would have got.
      // After any other error (a full disk) it may go on, as it would have been free to.
      if (errno == EPIPE || errno == ECONNRESET) source_.Reset();
      pending_.clear();
      discard_ = true;
      return;
    }
    pending_.erase(0, static_cast<std::size_t>(count));
    if (!whole) return;
  }
}

}  // namespace mxc
