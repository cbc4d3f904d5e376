// UDP of the sandbox: DNS is answered, everything else relayed by flow (one program's port, one destination)
// or refused with an ICMP error. Answers leave through raw sockets, because they must come from the address
// and port that were meant.
#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "gateway/relay/destination_linux.h"
#include "gateway/relay/services_linux.h"

namespace mxc::egress {

// Writes into the sandbox.
struct AnswerSockets {
  UniqueFd raw4 = {};
  UniqueFd raw6 = {};
  void Send(const IpEndpoint& to, ByteView packet) const;
};

class UdpFlow;

class UdpGate {
 public:
  // `limit`: flows at a time; one more takes the place of the oldest.
  UdpGate(Services& services, AnswerSockets answers, std::size_t limit);
  UdpGate(const UdpGate&) = delete;
  UdpGate& operator=(const UdpGate&) = delete;
  ~UdpGate();

  // A socket that programs' datagrams arrive at. False with errno.
  [[nodiscard]] bool Add(UniqueFd socket);
  void Sweep(std::uint64_t idle_ms);  // ends what has been silent for longer
  // Is there a datagram to take, or one that has waited for an address for less than `stalled_ms`?
  [[nodiscard]] bool Sends(std::uint64_t stalled_ms) const;
  void EndAll();  // with their records

 private:
  friend class UdpFlow;
  class Inlet;
  using Key = std::pair<IpEndpoint, IpEndpoint>;  // client, meant

  void OnDatagram(const IpEndpoint& client, const IpEndpoint& meant, ByteView payload);
  void AnswerDns(const IpEndpoint& client, const IpEndpoint& meant, ByteView query);
  void MakeRoom();  // the flow that has been silent for the longest ends
  void Drop(const Key& key);

  Services& services_;
  AnswerSockets answers_;
  std::size_t limit_;
  std::vector<std::shared_ptr<Inlet>> inlets_ = {};
  std::map<Key, std::shared_ptr<UdpFlow>> flows_ = {};
  std::size_t pending_bytes_ = 0;  // of all flows
};

// A record for a question that was refused.
void ReportRefusedName(Services& services, const DnsReply& reply);

}  // namespace mxc::egress
