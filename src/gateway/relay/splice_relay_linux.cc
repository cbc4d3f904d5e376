#include "gateway/relay/splice_relay_linux.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace mxc::egress {
namespace {

constexpr std::size_t kChunk = 1 << 20;
// One connection's share of a turn.
constexpr std::uint64_t kTurnBytes = std::uint64_t{4} << 20U;

RelayResult Rest(RelayLane& lane, PipePool& pipes, RelayResult result) {
  if (lane.held == 0 && lane.pipe) pipes.Give(std::exchange(lane.pipe, {}));
  return result;
}

// false: `state` says what to return.
bool Deliver(RelayEnd& to, RelayLane& lane, RelayResult& state) {
  const ssize_t count = ::splice(lane.pipe.reader.Get(), nullptr, to.socket.Get(), nullptr, lane.held,
                                 SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
  if (count > 0) {
    lane.held -= static_cast<std::size_t>(count);
    lane.bytes += static_cast<std::uint64_t>(count);
    return true;
  }
  if (count < 0 && errno == EINTR) return true;
  state = count < 0 && errno == EAGAIN ? RelayResult::kWaiting : RelayResult::kBroken;
  to.writable = false;
  return false;
}

bool Collect(RelayEnd& from, RelayLane& lane, RelayResult& state) {
  const std::size_t most = std::min<std::uint64_t>(kChunk, lane.allowance);
  const ssize_t count = ::splice(from.socket.Get(), nullptr, lane.pipe.writer.Get(), nullptr, most,
                                 SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
  if (count > 0) {
    if (lane.allowance != UINT64_MAX) lane.allowance -= static_cast<std::uint64_t>(count);
    lane.held = static_cast<std::size_t>(count);
    return true;
  }
  if (count == 0) from.ended = true;
  if (count == 0 || errno == EINTR) return true;
  state = errno == EAGAIN ? RelayResult::kWaiting : RelayResult::kBroken;
  from.readable = false;
  return false;
}

}  // namespace

RelayResult Carry(RelayEnd& from, RelayEnd& to, RelayLane& lane, PipePool& pipes) {
  if (lane.done) return RelayResult::kDone;
  const std::uint64_t share = lane.bytes + kTurnBytes;
  RelayResult state = RelayResult::kWaiting;
  while (lane.bytes < share) {
    if (lane.held != 0) {
      if (!to.writable || !Deliver(to, lane, state)) return state;
      continue;
    }
    if (from.ended) {
      lane.done = true;
      ::shutdown(to.socket.Get(), SHUT_WR);
      return Rest(lane, pipes, RelayResult::kDone);
    }
    if (lane.allowance == 0) return Rest(lane, pipes, RelayResult::kMoreWork);
    if (!from.readable) return Rest(lane, pipes, RelayResult::kWaiting);
    if (!lane.pipe) lane.pipe = pipes.Take();
    if (!lane.pipe) return RelayResult::kBroken;
    if (!Collect(from, lane, state)) return Rest(lane, pipes, state);
  }
  return RelayResult::kMoreWork;
}

}  // namespace mxc::egress
