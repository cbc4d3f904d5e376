#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <string_view>
#include <utility>

#include "stdio/stream.h"
#include "stdio/stream_target.h"

namespace mxc {
namespace {

constexpr std::size_t kStreamReadBytes = 65536;
constexpr std::size_t kMaxPendingBytes = 262144;
// More than the kernel holds of the output of a pseudo-terminal: 8 KiB for its line discipline, and 4 KiB
// there.
constexpr std::size_t kTerminalBytes = 65536;

}  // namespace

Stream::Stream(StreamOptions options)
    : source_(std::move(options.source)),
      target_(options.target),
      moves_(!options.filtered && !options.at_end && ::isatty(source_.Get()) == 0),
      first_line_(options.first_line),
      filter_(std::move(options.filter)),
      at_end_(std::move(options.at_end)) {
  struct stat status {};
  if (::fstat(target_, &status) == 0) {
    if (!at_end_ && S_ISCHR(status.st_mode) && ::isatty(target_) != 0)
      terminal_.emplace([target = target_] { return TakesAnswers(target); });
    socket_ = S_ISSOCK(status.st_mode);
    pipe_or_socket_ = socket_ || S_ISFIFO(status.st_mode);
    // A terminal and a socket take bytes without waiting by other means than splice(2).
    moves_ = moves_ && (S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode));
  }
  if (!moves_ || first_line_) LookAtTarget();
}

void Stream::ReleaseTargetAtEnd() { released_ = target_ == STDOUT_FILENO ? target_ : -1; }

void Stream::LookAtTarget() {
  non_blocking_ = (::fcntl(target_, F_GETFL) & O_NONBLOCK) != 0;
  if (!non_blocking_ && !socket_) own_target_ = OwnDescription(target_);
  if (!own_target_) return;
  target_ = own_target_.Get();
  non_blocking_ = true;
}

void Stream::StopMoving() {
  moves_ = false;
  full_ = false;
  LookAtTarget();
}

pollfd Stream::PollSource() const {
  // A full buffer stops reading, which blocks the command: a slow reader costs no memory.
  const bool wanted = source_ && !full_ && pending_.size() < kMaxPendingBytes;
  return {.fd = wanted ? source_.Get() : -1, .events = POLLIN, .revents = 0};
}

pollfd Stream::PollTarget() const {
  if (full_ || !pending_.empty()) return {.fd = target_, .events = POLLOUT, .revents = 0};
  // Requests no event: poll(2) always reports the loss of the last reader.
  return {.fd = source_ && pipe_or_socket_ && !discard_ ? target_ : -1, .events = 0, .revents = 0};
}

void Stream::OnSource(short events) {
  if (events != 0) TransferOnce();
  WritePending();
}

void Stream::OnTarget(short events) {
  if (events == 0) return;
  if (full_) {
    full_ = false;
    MoveOnce();
  } else if (pending_.empty() && (events & (POLLERR | POLLHUP)) != 0) {
    OnWriteError(EPIPE);
  }
  WritePending();
}

void Stream::OnIdle() {
  if (!Idling()) return;
  Emit([this](std::string& sink) { filter_.Idle(sink); });
  WritePending();
}

// A process of another run may have been given the source. What it writes is not the command's output.
void Stream::EndSource() {
  released_ = -1;  // all is over: nobody waits for this stream alone
  if (source_) left_ = ::isatty(source_.Get()) != 0 ? kTerminalBytes : HeldBytes(source_.Get());
  if (left_ == 0) return CloseSource();
  while (source_ && !full_ && pending_.size() < kMaxPendingBytes && TransferOnce()) {
  }
}

void Stream::Abandon() {
  source_.Reset();
  pending_.clear();
  discard_ = true;
}

// False when nothing was there, or there was no room for it.
bool Stream::TransferOnce() { return moves_ && !first_line_ && pending_.empty() ? MoveOnce() : ReadOnce(); }

bool Stream::MoveOnce() {
  const ssize_t count = MoveNow(source_.Get(), target_, Wanted(kMaxPipeBytes));
  if (count > 0) {
    CountMoved(static_cast<std::uint64_t>(count));
    CountLeft(static_cast<std::size_t>(count));
    return true;
  }
  if (count == 0) {
    CloseSource();
    return false;
  }
  if (errno == EINTR) return true;
  if (errno == EAGAIN) {
    full_ = HeldBytes(source_.Get()) > 0;
    return false;
  }
  // A file that is open for appending, among others.
  if (errno == EINVAL) {
    StopMoving();
    return ReadOnce();
  }
  OnWriteError(errno);
  return false;
}

void Stream::CountMoved(std::uint64_t count) {
  const bool few = moved_ < kStreamBytes;
  moved_ += count;
  if (!few || moved_ < kStreamBytes) return;
  Widen(source_.Get());
  WidenCallers(target_);
}

void Stream::CountLeft(std::size_t count) {
  if (!left_) return;
  *left_ -= count;
  if (*left_ == 0) CloseSource();
}

bool Stream::ReadOnce() {
  std::array<char, kStreamReadBytes> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): read fills it
  const ssize_t count = ::read(source_.Get(), buffer.data(), Wanted(buffer.size()));
  if (count > 0) {
    last_ = buffer.at(static_cast<std::size_t>(count) - 1);
    const std::string_view text{buffer.data(), static_cast<std::size_t>(count)};
    Emit([&](std::string& sink) { filter_.Feed(text, sink); });
    first_line_ = first_line_ && text.find('\n') == std::string_view::npos &&
                  Head().size() < OutputFilter::kMaxHeadBytes;
    CountLeft(text.size());
    return true;
  }
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return errno == EINTR;
  CloseSource();  // the end; EIO is the end of a terminal
  return false;
}

// The buffer to write to; one that is dropped if the target is gone.
std::string& Stream::Sink() {
  dropped_.clear();
  return discard_ ? dropped_ : pending_;
}

void Stream::Emit(const std::function<void(std::string& sink)>& write) {
  std::string& sink = Sink();
  if (!terminal_) return write(sink);
  const std::size_t before = sink.size();
  std::string output;
  write(output);
  terminal_->Feed(output, sink);
  queries_.Feed(std::string_view(sink).substr(before));
}

// What the terminal gets after this is no part of a sequence of the command's.
void Stream::CloseSource() {
  if (!source_) return;
  source_.Reset();
  Emit([this](std::string& sink) {
    filter_.Finish(sink);
    if (at_end_) filter_.Append(at_end_(last_), sink);
  });
  if (terminal_) {
    terminal_->Finish(Sink());
    Sink() += queries_.Closing();
  }
  if (pending_.empty()) ReleaseTarget();
}

void Stream::ReleaseTarget() {
  if (released_ < 0) return;
  const UniqueFd null{::open("/dev/null", O_WRONLY | O_CLOEXEC)};
  if (null) ::dup2(null.Get(), released_);  // NOLINT(android-cloexec-dup): a standard stream
  own_target_.Reset();
  target_ = released_;
  released_ = -1;
}

// A launcher that is blocked enforces nothing. A terminal that cannot be opened again takes a little at a
// time.
ssize_t Stream::WriteOnce() {
  if (socket_) return SendNow(target_, pending_.data(), pending_.size());
  if (!non_blocking_ && pipe_or_socket_) return WriteNow(target_, pending_.data(), pending_.size());
  if (!terminal_) return ::write(target_, pending_.data(), pending_.size());
  if (non_blocking_) return turn_.Write(target_, pending_, pending_.size());
  errno = EAGAIN;
  return IsWritable(target_) ? turn_.Write(target_, pending_, WholeSequences(pending_, PIPE_BUF)) : -1;
}

void Stream::WritePending() {
  while (!pending_.empty()) {
    const ssize_t count = WriteOnce();
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count < 0) {
      OnWriteError(errno);
      return;
    }
    pending_.erase(0, static_cast<std::size_t>(count));
  }
  if (!source_ && pending_.empty()) ReleaseTarget();
}

// Closing the source gives the command the SIGPIPE that it would have got from the target itself. Other
// errors cannot be passed on; they are kept for the end of the run. EIO: the terminal has hung up.
void Stream::OnWriteError(int number) {
  const bool gone = number == EPIPE || number == ECONNRESET || (number == EIO && ::isatty(target_) != 0);
  if (!gone && failure_ == 0) failure_ = number;
  Abandon();
}

}  // namespace mxc
