#include "ffi/stream.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>

namespace mxc::ffi {

Output* Output::Share() {
  ++shares_;
  return this;
}

void Output::Drop() {
  if (--shares_ == 0) delete this;
}

Output* Output::Take() {
  if (taken_ || !fd_ || !MakeClosable()) return nullptr;
  taken_ = true;
  return Share();
}

UniqueFd Output::TakeDescriptor() {
  taken_ = true;
  transferred_ = true;
  return static_cast<UniqueFd&&>(fd_);
}

void Output::Discard() {
  char buffer[4096];
  for (;;) {
    const ssize_t count = ::read(fd_.Get(), &buffer[0], sizeof buffer);
    if (count > 0 || (count < 0 && errno == EINTR)) continue;
    if (count < 0 && errno == EAGAIN) return;
    taken_ = true;
    return fd_.Reset();
  }
}

std::int32_t Output::Read(std::uint8_t* bytes, std::size_t size, std::size_t& count) {
  for (;;) {
    count = 0;
    if (closed_ || size == 0) return MXC_OK;
    pollfd polls[] = {{.fd = fd_.Get(), .events = POLLIN, .revents = 0},
                      {.fd = wake_.Get(), .events = POLLIN, .revents = 0}};
    if (::poll(&polls[0], 2, -1) < 0 && errno != EINTR) return MXC_BACKEND_ERROR;
    if (polls[0].revents == 0 || closed_) continue;
    const ssize_t got = ::read(fd_.Get(), bytes, size);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) return MXC_BACKEND_ERROR;
    count = static_cast<std::size_t>(got);
    return MXC_OK;
  }
}

bool Output::MakeClosable() {
  if (!wake_) wake_.Reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  return static_cast<bool>(wake_);
}

std::int32_t Output::Close() {
  closed_ = true;
  const std::uint64_t once = 1;
  return ::write(wake_.Get(), &once, sizeof once) > 0 || errno == EAGAIN ? MXC_OK : MXC_BACKEND_ERROR;
}

std::int32_t Write(int borrowed_fd, const std::uint8_t* bytes, std::size_t size, std::size_t& count) {
  sigset_t pipe;
  sigset_t before;
  sigset_t pending;
  ::sigemptyset(&pipe);
  ::sigaddset(&pipe, SIGPIPE);
  ::sigprocmask(SIG_BLOCK, &pipe, &before);  // of this thread
  ::sigpending(&pending);
  const bool waits = ::sigismember(&pending, SIGPIPE) == 1;
  std::int32_t status = MXC_OK;
  for (count = 0; count < size;) {
    const ssize_t written = ::write(borrowed_fd, bytes + count, size - count);
    if (written > 0) count += static_cast<std::size_t>(written);
    if (written >= 0 || errno == EINTR) continue;
    status = MXC_BACKEND_ERROR;
    break;
  }
  constexpr timespec kNow = {};
  if (status != MXC_OK && errno == EPIPE && !waits) {
    while (::sigtimedwait(&pipe, nullptr, &kNow) < 0 && errno == EINTR) {
    }
  }
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  return status;
}

}  // namespace mxc::ffi

using mxc::ffi::Output;

std::int32_t mxc_stream_read(MxcReadStream* stream, std::uint8_t* bytes, std::size_t size,
                             std::size_t* count) {
  if (count != nullptr) *count = 0;
  if (stream == nullptr || count == nullptr || (bytes == nullptr && size != 0)) return MXC_NULL_POINTER;
  return stream->output->Read(bytes, size, *count);
}

std::int32_t mxc_stream_write(MxcWriteStream* stream, const std::uint8_t* bytes, std::size_t size,
                              std::size_t* count) {
  if (count != nullptr) *count = 0;
  if (stream == nullptr || count == nullptr || (bytes == nullptr && size != 0)) return MXC_NULL_POINTER;
  return mxc::ffi::Write(stream->fd.Get(), bytes, size, *count);
}

std::int32_t mxc_stream_flush(MxcWriteStream* stream) {  // nothing is held back
  return stream == nullptr ? MXC_NULL_POINTER : MXC_OK;
}

std::int32_t mxc_stream_closer_close(MxcStreamCloser* closer) {
  return closer == nullptr ? MXC_NULL_POINTER : closer->output->Close();
}

void mxc_read_stream_free(MxcReadStream* stream) {
  if (stream == nullptr) return;
  stream->output->Drop();
  delete stream;
}

void mxc_write_stream_free(MxcWriteStream* stream) { delete stream; }

void mxc_stream_closer_free(MxcStreamCloser* closer) {
  if (closer == nullptr) return;
  closer->output->Drop();
  delete closer;
}

void mxc_native_pipe_close(std::intptr_t handle) {
  if (handle >= 0) ::close(static_cast<int>(handle));
}
