// What the sandbox's own packet filter has refused, as records; and names, as the filter knows them.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "gateway/relay/services_linux.h"

namespace mxc::egress {

// Reads the log of the filter.
class RefusalLog : public Watcher {
 public:
  RefusalLog(Services& services, UniqueFd socket) : services_(services), socket_(std::move(socket)) {}

  // False with errno. True without a socket: nothing is logged.
  [[nodiscard]] bool Open();
  void OnEvents(std::uint32_t events) override;
  void Drain();  // all that is there

 private:
  [[nodiscard]] bool ReadSome();

  Services& services_;
  UniqueFd socket_;
};

// The protocol and the destination of a packet, as far as it was logged. Absent: neither TCP nor UDP, or cut
// short.
struct LoggedPacket {
  Protocol protocol = Protocol::kTcp;
  IpEndpoint meant = {};
};
[[nodiscard]] std::optional<LoggedPacket> ReadLoggedPacket(ByteView packet);
// Calls for each packet in a message of nfnetlink_log.
void ReadLog(ByteView message, const std::function<void(ByteView packet)>& on_packet);

}  // namespace mxc::egress
