// The gateway's half of the listener handover: receives the sandbox's sockets. The sending half is
// SendGatewaySockets, in gateway_sockets.h.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/unique_fd.h"

namespace mxc::egress {

// The message. Its descriptors follow in this order.
struct HandoverMessage {
  std::uint32_t tcp = 0;
  std::uint32_t udp = 0;
  std::uint32_t raw4 = 0;  // 0 or 1
  std::uint32_t raw6 = 0;
  std::uint32_t refusals = 0;
  std::uint32_t counted = 0;
  std::uint32_t inside = 0;
};

struct ReceivedSockets {
  std::vector<UniqueFd> tcp = {};
  std::vector<UniqueFd> udp = {};
  UniqueFd raw4 = {};
  UniqueFd raw6 = {};
  UniqueFd refusals = {};
  UniqueFd counted = {};
  std::vector<UniqueFd> inside = {};
};

// Waits for the message. Absent: the other end is closed, or the message is invalid.
[[nodiscard]] std::optional<ReceivedSockets> ReceiveSockets(int handover);

}  // namespace mxc::egress
