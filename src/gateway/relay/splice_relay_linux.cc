#include "gateway/relay/splice_relay_linux.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <utility>

namespace mxc::egress {
namespace {

constexpr std::size_t kChunk = 1 << 20;
// One connection's share of a turn.
constexpr std::uint64_t kTurnBytes = std::uint64_t{4} << 20U;

RelayResult Rest(RelayDirection& direction, PipePool& pipes, RelayResult result) {
  if (direction.held == 0 && direction.pipe) pipes.Give(std::exchange(direction.pipe, {}));
  return result;
}

// false: `state` says what to return.
bool Deliver(RelayEnd& to, RelayDirection& direction, RelayResult& state) {
  const ssize_t count = ::splice(direction.pipe.reader.Get(), nullptr, to.socket.Get(), nullptr,
                                 direction.held, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
  if (count > 0) {
    direction.held -= static_cast<std::size_t>(count);
    direction.bytes += static_cast<std::uint64_t>(count);
    return true;
  }
  if (count < 0 && errno == EINTR) return true;
  state = count < 0 && errno == EAGAIN ? RelayResult::kWaiting : RelayResult::kBroken;
  to.writable = false;
  return false;
}

// splice(2) stops where urgent data begin (MSG_OOB), with EAGAIN; recv(2) reads on. Like splice.
ssize_t ReceiveUrgent(int socket, int empty_pipe, std::size_t most) {
  std::array<char, PIPE_BUF> bytes;  // NOLINT(cppcoreguidelines-pro-type-member-init): recv fills it
  const ssize_t count = ::recv(socket, bytes.data(), std::min(most, bytes.size()), MSG_DONTWAIT);
  return count > 0 ? ::write(empty_pipe, bytes.data(), static_cast<std::size_t>(count)) : count;
}

bool Collect(RelayEnd& from, RelayDirection& direction, RelayResult& state) {
  const std::size_t most = std::min<std::uint64_t>(kChunk, direction.allowance);
  ssize_t count = ::splice(from.socket.Get(), nullptr, direction.pipe.writer.Get(), nullptr, most,
                           SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
  if (count < 0 && errno == EAGAIN)
    count = ReceiveUrgent(from.socket.Get(), direction.pipe.writer.Get(), most);
  if (count > 0) {
    if (direction.allowance != UINT64_MAX) direction.allowance -= static_cast<std::uint64_t>(count);
    direction.held = static_cast<std::size_t>(count);
    return true;
  }
  if (count == 0) from.ended = true;
  if (count == 0 || errno == EINTR) return true;
  state = errno == EAGAIN ? RelayResult::kWaiting : RelayResult::kBroken;
  from.readable = false;
  return false;
}

}  // namespace

RelayResult Carry(RelayEnd& from, RelayEnd& to, RelayDirection& direction, PipePool& pipes) {
  if (direction.done) return RelayResult::kDone;
  const std::uint64_t share = direction.bytes + kTurnBytes;
  RelayResult state = RelayResult::kWaiting;
  while (direction.bytes < share) {
    if (direction.held != 0) {
      if (!to.writable || !Deliver(to, direction, state)) return state;
      continue;
    }
    if (from.ended) {
      direction.done = true;
      ::shutdown(to.socket.Get(), SHUT_WR);
      return Rest(direction, pipes, RelayResult::kDone);
    }
    if (direction.allowance == 0) return Rest(direction, pipes, RelayResult::kMoreWork);
    if (!from.readable) return Rest(direction, pipes, RelayResult::kWaiting);
    if (!direction.pipe) direction.pipe = pipes.Take();
    if (!direction.pipe) return RelayResult::kBroken;
    if (!Collect(from, direction, state)) return Rest(direction, pipes, state);
  }
  return RelayResult::kMoreWork;
}

}  // namespace mxc::egress
