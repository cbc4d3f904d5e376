// What the sandbox's own packet filter has refused, as records; and names, as the filter knows them.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "gateway/relay/services_linux.h"

namespace mxc::egress {

// Reads the log of the filter, and counts what is not in it.
class RefusalLog : public Watcher {
 public:
  // GatewaySockets::refusals and counted.
  RefusalLog(Services& services, UniqueFd socket, UniqueFd counted)
      : services_(services), socket_(std::move(socket)), counted_(std::move(counted)) {}

  // False with errno. True without a socket: nothing is logged.
  [[nodiscard]] bool Open();
  void OnEvents(std::uint32_t events) override;
  void Drain();  // all that was there

 private:
  [[nodiscard]] bool ReadSome();
  void CountOthers();

  Services& services_;
  UniqueFd socket_;
  UniqueFd counted_;
  std::uint32_t no_room_ = 0;  // what the kernel could not put into the two, as far as it is told
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
