// Which addresses are this host's own, by the kernel's routes at the moment of asking: addresses come and go
// while a sandbox lives, and a connection to one of them never passes the host's packet filter for what comes
// from outside.
#pragma once

#include "base/unique_fd.h"
#include "egress/address.h"

namespace mxc::egress {

class OwnAddresses {
 public:
  // In the network namespace of the caller. Confinement lets no such socket be made.
  OwnAddresses();

  [[nodiscard]] bool Ok() const { return static_cast<bool>(socket_); }
  [[nodiscard]] Place PlaceOf(const IpAddress& address) const;

 private:
  [[nodiscard]] bool IsOwn(const IpAddress& address) const;

  UniqueFd socket_;
};

}  // namespace mxc::egress
