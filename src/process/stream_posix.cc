#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <string_view>
#include <utility>

#include "process/stream.h"
#include "process/stream_target.h"

namespace mxc {
namespace {

constexpr std::size_t kReadBytes = 65536;
constexpr std::size_t kMaxPendingBytes = 262144;

}  // namespace

Stream::Stream(StreamOptions options)
    : source_(std::move(options.source)),
      target_(options.target),
      filter_(std::move(options.filter)),
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
  filter_.Idle(Sink());
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
    last_ = buffer.at(static_cast<std::size_t>(count) - 1);
    filter_.Feed({buffer.data(), static_cast<std::size_t>(count)}, Sink());
    return true;
  }
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return errno == EINTR;
  CloseSource();  // the end; EIO is the end of a terminal
  return false;
}

// Where what is to be written goes: nowhere, once the target is gone.
std::string& Stream::Sink() {
  dropped_.clear();
  return discard_ ? dropped_ : pending_;
}

void Stream::CloseSource() {
  if (!source_) return;
  source_.Reset();
  std::string& sink = Sink();
  filter_.Finish(sink);
  if (at_end_) filter_.Append(at_end_(last_), sink);
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
