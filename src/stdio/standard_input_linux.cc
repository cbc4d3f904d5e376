#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/pipe.h"
#include "stdio/standard_input.h"
#include "stdio/stream_target.h"

namespace mxc {
namespace {

// A pipe of one page accepts more only when the command has read all of it.
constexpr std::size_t kLentBytes = 4096;
constexpr std::size_t kMoveBytes = 1U << 20U;  // what a widened pipe holds
constexpr std::size_t kReadBytes = 65536;

bool IsStreamSocket(int fd) {
  int type = 0;
  socklen_t size = sizeof type;
  return ::getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM;
}

}  // namespace

StandardInput::Kind StandardInput::KindOf(int fd) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return Kind::kOther;
  if (S_ISFIFO(status.st_mode)) return Kind::kPipe;
  if (S_ISSOCK(status.st_mode) && IsStreamSocket(fd)) return Kind::kSocket;
  if (S_ISREG(status.st_mode)) return Kind::kFile;
  return ::isatty(fd) != 0 ? Kind::kTerminal : Kind::kOther;
}

Result<StandardInput::Opened> StandardInput::Open(int borrowed_source) {
  Result<Pipe> pipe = MakePipe();
  if (!pipe) return pipe.error();
  Opened opened;
  opened.input.reset(new StandardInput(borrowed_source, KindOf(borrowed_source)));
  StandardInput& input = *opened.input;
  const int target = pipe->writing.Get();
  const bool file = input.kind_ == Kind::kFile;
  const bool lends = !file && input.kind_ != Kind::kOther;
  // Only our end: the command expects to be able to block.
  if (::fcntl(target, F_SETFL, O_NONBLOCK) != 0 || (lends && ::fcntl(target, F_SETPIPE_SZ, kLentBytes) < 0))
    return SystemError(ErrorCode::kSetupFailed, "prepare standard input", errno);
  OpenOnlyFor(target, S_IRUSR);
  if (file) {
    input.begin_ = std::max<off_t>(::lseek(borrowed_source, 0, SEEK_CUR), 0);
    input.offset_ = input.begin_;
    input.probe_.Reset(::fcntl(pipe->reading.Get(), F_DUPFD_CLOEXEC, 3));
  }
  input.target_ = std::move(pipe->writing);
  opened.child_end = std::move(pipe->reading);
  return opened;
}

pollfd StandardInput::PollSource() const {
  const bool wanted =
      target_ && kind_ != Kind::kFile && lent_ == 0 && pending_.empty() && !full_ && !in_background_;
  return {.fd = wanted ? source_ : -1, .events = POLLIN, .revents = 0};
}

pollfd StandardInput::PollTarget() const {
  const bool waits = kind_ == Kind::kFile || lent_ != 0 || !pending_.empty() || full_;
  // Requests no event: poll(2) always reports that the command has closed its end.
  return {.fd = target_.Get(), .events = static_cast<short>(waits ? POLLOUT : 0), .revents = 0};
}

void StandardInput::OnSource(short events) {
  if (events != 0) Advance();
}

void StandardInput::OnTarget(short events) {
  if (!target_ || events == 0) return;
  if ((events & POLLERR) != 0) return CommandClosed();
  full_ = false;
  if (lent_ != 0) Take(lent_);
  if (pending_.empty() && (kind_ == Kind::kTerminal || kind_ == Kind::kOther)) return;  // a read could wait
  Advance();
}

void StandardInput::Advance() {
  if (!target_) return;
  if (!pending_.empty()) return WritePending();
  if (streaming_ && kind_ != Kind::kFile) return Stream();
  if (MayRead()) Lend();
}

// Reading from the terminal in the background would stop our job (SIGTTIN).
bool StandardInput::MayRead() {
  if (kind_ != Kind::kTerminal) return true;
  const pid_t foreground = ::tcgetpgrp(source_);  // -1: no terminal of our session's, where there are no jobs
  in_background_ = foreground >= 0 && foreground != ::getpgrp();
  return !in_background_;
}

void StandardInput::Lend() {
  const ssize_t count = LendOnce();
  if (count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR))) return;
  if (count < 0 && errno == EPIPE) return CommandClosed();
  target_.Reset();  // the end, or an error that the command would have got instead of bytes
}

ssize_t StandardInput::LendOnce() {
  ssize_t count = 0;
  switch (kind_) {
    case Kind::kPipe:
      count = ::tee(source_, target_.Get(), kLentBytes, SPLICE_F_NONBLOCK);
      break;
    case Kind::kSocket:
      count = LendFromSocket();
      break;
    case Kind::kTerminal:
      count = ReadLine();
      break;
    case Kind::kFile:
      return PutFile();
    case Kind::kOther:
      return ReadSome();
  }
  if (count > 0) lent_ = static_cast<std::size_t>(count);
  return count;
}

// The pipe is empty, and takes a page at once.
ssize_t StandardInput::LendFromSocket() {
  std::array<char, kLentBytes> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): recv fills it
  const ssize_t count = ::recv(source_, buffer.data(), buffer.size(), MSG_PEEK | MSG_DONTWAIT);
  return count > 0 ? ::write(target_.Get(), buffer.data(), static_cast<std::size_t>(count)) : count;
}

// poll(2) has said that there is something, here and below. One line, so that what is typed while the command
// does not read stays in the terminal but for that.
ssize_t StandardInput::ReadLine() {
  std::array<char, kLentBytes> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): read fills it
  const ssize_t count = ::read(source_, buffer.data(), buffer.size());
  return count > 0 ? ::write(target_.Get(), buffer.data(), static_cast<std::size_t>(count)) : count;
}

ssize_t StandardInput::ReadSome() {
  pending_.resize(kReadBytes);
  const ssize_t count = ::read(source_, pending_.data(), pending_.size());
  pending_.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  if (count > 0) WritePending();
  return count;
}

ssize_t StandardInput::PutFile() {
  if (!streaming_ && offset_ - begin_ >= static_cast<off_t>(kStreamBytes)) streaming_ = Widen(target_.Get());
  const ssize_t moved = ::splice(source_, &offset_, target_.Get(), nullptr, kMoveBytes, SPLICE_F_NONBLOCK);
  if (moved >= 0 || errno != EINVAL) return moved;
  // A file system without splice(2), as those of the kernel are.
  std::array<char, kReadBytes> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): pread fills it
  const ssize_t count = ::pread(source_, buffer.data(), buffer.size(), offset_);
  if (count <= 0) return count;
  const ssize_t written = ::write(target_.Get(), buffer.data(), static_cast<std::size_t>(count));
  if (written > 0) offset_ += written;
  return written;
}

// From the caller's stream. Somebody else may have read it meanwhile: this never waits.
void StandardInput::Take(std::size_t count) {
  taken_ += count;
  lent_ -= count;
  std::array<char, kLentBytes> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): recv fills it
  if (kind_ == Kind::kSocket) ::recv(source_, buffer.data(), std::min(count, buffer.size()), MSG_DONTWAIT);
  if (kind_ == Kind::kPipe) {
    if (!null_) null_.Reset(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    ::splice(source_, nullptr, null_.Get(), nullptr, count, SPLICE_F_NONBLOCK);
  }
  if (taken_ >= kStreamBytes && lent_ == 0) streaming_ = Widen(target_.Get());
}

void StandardInput::Stream() {
  const ssize_t count =
      ::splice(source_, nullptr, target_.Get(), nullptr, kMoveBytes, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
  if (count > 0) return;
  if (count < 0 && errno == EAGAIN) {
    pollfd room{.fd = target_.Get(), .events = POLLOUT, .revents = 0};
    full_ = ::poll(&room, 1, 0) == 0;
    return;
  }
  if (count < 0 && errno == EINTR) return;
  if (count < 0 && errno == EPIPE) return CommandClosed();
  target_.Reset();
}

void StandardInput::WritePending() {
  const ssize_t count = ::write(target_.Get(), pending_.data(), pending_.size());
  if (count > 0) pending_.erase(0, static_cast<std::size_t>(count));
  if (count < 0 && errno == EPIPE) CommandClosed();
}

std::size_t StandardInput::Unread() const {
  int count = 0;
  const int pipe = probe_ ? probe_.Get() : target_.Get();
  return ::ioctl(pipe, FIONREAD, &count) == 0 ? static_cast<std::size_t>(count) : 0;
}

// Lets the writer of the caller's pipe learn that nobody reads any more.
void StandardInput::CommandClosed() {
  Finish();
  if (kind_ != Kind::kPipe && kind_ != Kind::kSocket) return;
  const UniqueFd null{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
  if (null) ::dup2(null.Get(), source_);  // NOLINT(android-cloexec-dup): a standard stream
}

void StandardInput::Finish() {
  if (kind_ == Kind::kFile && probe_) {
    const off_t read = offset_ - begin_ - static_cast<off_t>(Unread());
    // Somebody else may use the file too, and have moved on.
    if (read > 0 && ::lseek(source_, 0, SEEK_CUR) == begin_) ::lseek(source_, begin_ + read, SEEK_SET);
    probe_.Reset();
  } else if (target_ && lent_ != 0) {
    Take(lent_ - std::min(lent_, Unread()));
    lent_ = 0;
  }
  target_.Reset();
}

}  // namespace mxc
