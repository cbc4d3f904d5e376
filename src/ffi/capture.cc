#include "ffi/capture.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <iterator>

namespace mxc::ffi {
namespace {

constexpr std::size_t kReadBytes = 65536;

// Of the program's, until it has ended.
struct Stream {
  int fd;  // -1: it has
  Bytes& bytes;
};

// What is there now. False: no memory.
bool ReadAll(Stream& stream) {
  while (stream.fd >= 0) {
    const Bytes::Read read = stream.bytes.From(stream.fd);
    if (read == Bytes::Read::kEnd) stream.fd = -1;
    if (read != Bytes::Read::kMore) return read != Bytes::Read::kNoMemory;
  }
  return true;
}

// Of a short and silent run the lines are read when its output has ended: each would wake us while the
// program has work to do. Of a longer one they are read as they come, so that there is always room for more.
constexpr int kShortRunMs = 50;

// Until the program has said all it has to say, and what it has relayed is read.
bool ReadStreams(Process& process, Captured& captured) {
  Stream output{process.output.Get(), captured.output};
  Stream errors{process.errors.Get(), captured.errors};
  bool listening = false;
  for (bool status = true; status;) {
    listening = listening || (output.fd < 0 && errors.fd < 0);
    pollfd polls[] = {{.fd = listening ? process.status.Get() : -1, .events = POLLIN, .revents = 0},
                      {.fd = output.fd, .events = POLLIN, .revents = 0},
                      {.fd = errors.fd, .events = POLLIN, .revents = 0}};
    const int ready = ::poll(&polls[0], std::size(polls), listening ? -1 : kShortRunMs);
    if (ready < 0) continue;
    listening = listening || ready == 0 || !captured.output.View().empty() || !captured.errors.View().empty();
    if (polls[0].revents != 0) status = captured.lines.Read(process.status.Get());
    if (polls[1].revents != 0 && !ReadAll(output)) return false;
    if (polls[2].revents != 0 && !ReadAll(errors)) return false;
  }
  process.WaitForEnd();
  return ReadAll(output) && ReadAll(errors);
}

}  // namespace

Bytes::Read Bytes::From(int borrowed_fd) {
  if (room_ - size_ < kReadBytes) {
    const std::size_t room = room_ * 2 + kReadBytes;
    auto* const grown = static_cast<char*>(std::realloc(data_, room));
    if (grown == nullptr) return Read::kNoMemory;
    data_ = grown;
    room_ = room;
  }
  const ssize_t count = ::read(borrowed_fd, data_ + size_, room_ - size_);
  if (count > 0) size_ += static_cast<std::size_t>(count);
  if (count > 0 || (count < 0 && errno == EINTR)) return Read::kMore;
  return count < 0 && errno == EAGAIN ? Read::kNothingNow : Read::kEnd;
}

Failure Capture(const Start& start, Captured& captured) {
  Process process;
  if (Failure failure = process.Begin(start); failure.Failed()) return failure;
  if (!ReadStreams(process, captured)) {
    return {.status = MXC_BACKEND_ERROR,
            .message = "there is no memory for what the command writes",
            .remediation = "write to a file, or set output.maxBytes"};
  }
  const StatusLines& lines = captured.lines;
  if (lines.Refusal().Failed()) return lines.Refusal();
  if (start.document.empty() || lines.Started() || !captured.output.View().empty()) return {};
  return {.status = MXC_BACKEND_ERROR,
          .message = "mxc-exec ended with " + process.HowItEnded() +
                     " before the command started: " + std::string(captured.errors.View().substr(0, 1024))};
}

std::string Ask(const char* flag) {
  Captured captured;
  const Failure failure = Capture({.flags = {flag}}, captured);
  return failure.Failed() ? std::string() : std::string(captured.output.View());
}

}  // namespace mxc::ffi
