// Published ports: connections to the host's loopback arrive at the sandbox's loopback. The sockets that
// connect inside were made there before the command ran; one serves connection after connection.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "gateway/relay/proxied_connection_linux.h"

namespace mxc::egress {

// A listener on the host's loopback, and where its connections go.
struct PublishedListener {
  UniqueFd socket = {};
  PublishedPort port = {};
};

// On 127.0.0.1, for each entry. Errors: kConflict with the pointer of a port that is taken, kSetupFailed.
[[nodiscard]] Result<std::vector<PublishedListener>> OpenPublished(const std::vector<PublishedPort>& ports);

class Publisher {
 public:
  Publisher(Services& services, std::vector<UniqueFd> inside);
  Publisher(const Publisher&) = delete;
  Publisher& operator=(const Publisher&) = delete;
  ~Publisher();

  [[nodiscard]] bool Add(PublishedListener listener);  // false with errno
  // Has a visit moved within `stalled_ms` that may have more to send?
  [[nodiscard]] bool Sends(std::uint64_t stalled_ms) const;
  void EndAll();  // with their records

 private:
  class Inlet;
  class Visit;

  // A free inside socket; invalid: there is none.
  [[nodiscard]] UniqueFd Take(bool ipv6);
  void Give(UniqueFd socket);
  // An inside socket that has served: free at once, or once its last bytes have been taken.
  void Recycle(UniqueFd socket, bool reset);
  void Drain();
  void OnAccepted(UniqueFd visitor, const PublishedPort& port);

  Services& services_;
  // Free ones. One of IPv6 that has led to an IPv4 address can no longer be used for an IPv6 one.
  std::vector<UniqueFd> inside4_ = {};
  std::vector<UniqueFd> inside6_ = {};
  std::vector<UniqueFd> draining_ = {};  // their peers have not taken everything
  Timer drain_;
  std::vector<std::shared_ptr<Inlet>> inlets_ = {};
  std::unordered_map<const ProxiedConnection*, std::shared_ptr<Visit>> visits_ = {};
};

}  // namespace mxc::egress
