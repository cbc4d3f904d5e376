// Carries bytes between two connected sockets with splice(2): nothing is copied, nothing is kept but what a
// pipe holds, and a side that does not read stops the other. End of stream and reset pass through.
#pragma once

#include <cstdint>

#include "gateway/net/loop_linux.h"
#include "gateway/net/splice_pipes_linux.h"

namespace mxc::egress {

// One socket of two, watched edge-triggered: what epoll said stays true until a call says EAGAIN.
struct RelayEnd {
  UniqueFd socket = {};
  bool readable = false;
  bool writable = false;
  bool ended = false;  // no more bytes come from it
};

// One direction.
struct RelayDirection {
  SplicePipe pipe = {};
  std::size_t held = 0;                  // bytes in the pipe
  std::uint64_t bytes = 0;               // delivered
  std::uint64_t allowance = UINT64_MAX;  // that may still be taken from the sender
  bool done = false;                     // the end has been passed on
};

enum class RelayResult {
  kWaiting,   // for an event
  kMoreWork,  // bytes are left, others should have their turn; or the allowance is used up
  kDone,
  kBroken,  // reset, or a failed call
};

// Moves what can be moved.
[[nodiscard]] RelayResult Carry(RelayEnd& from, RelayEnd& to, RelayDirection& direction, PipePool& pipes);

}  // namespace mxc::egress
