// TCP of the sandbox: accepts, answers DNS on port 53, hands everything else to a Connection.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "gateway/relay/connection_linux.h"
#include "gateway/relay/services_linux.h"

namespace mxc::egress {

class DnsConnection;

class TcpGate {
 public:
  // `limit`: connections at a time; one more is reset.
  TcpGate(Services& services, std::size_t limit);
  TcpGate(const TcpGate&) = delete;
  TcpGate& operator=(const TcpGate&) = delete;
  ~TcpGate();

  // A listener inside. False with errno.
  [[nodiscard]] bool Add(UniqueFd listener);
  void Sweep(std::uint64_t idle_ms);  // ends what has been silent for longer
  // Is there a connection that has moved within `stalled_ms` and may have more to send, or one to accept?
  [[nodiscard]] bool Sends(std::uint64_t stalled_ms) const;
  void EndAll();  // with their records

 private:
  class Inlet;
  friend class DnsConnection;

  void OnAccepted(UniqueFd socket);
  void OnNoRoom(UniqueFd socket);  // refuses it, with a record
  [[nodiscard]] std::shared_ptr<Connection> Keep(UniqueFd socket, const IpEndpoint& meant);

  Services& services_;
  std::size_t limit_;
  std::vector<std::shared_ptr<Inlet>> inlets_ = {};
  std::unordered_map<const ProxiedConnection*, std::shared_ptr<Connection>> connections_ = {};
  std::unordered_map<const DnsConnection*, std::shared_ptr<DnsConnection>> dns_ = {};
};

}  // namespace mxc::egress
