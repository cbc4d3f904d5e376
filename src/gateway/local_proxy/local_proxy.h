// The network gateway where connections cannot be redirected (macOS): an HTTP proxy on a loopback port, the
// only destination that the sandbox reaches. Programs that use the proxy variables reach what the rules
// allow; other programs reach nothing.
//
//   Result<LocalProxy> proxy = LocalProxy::Start(*plan.egress);
//   ... "localhost:" + std::to_string(proxy->Port()) is what the sandbox may reach
//   when proxy->Descriptor() is readable: for (record : proxy->TakeRecords()) ...
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "mxc/egress.h"
#include "mxc/error.h"

namespace mxc::egress {

struct ProxyState;

class LocalProxy {
 public:
  // Listens, also for published ports, and serves from threads of its own with every signal blocked. Errors:
  // kSchema for an invalid rule; kSetupFailed, with the pointer of a published port that is taken.
  [[nodiscard]] static Result<LocalProxy> Start(const EgressRules& rules);
  LocalProxy(LocalProxy&&) noexcept;
  LocalProxy& operator=(LocalProxy&&) = delete;
  LocalProxy(const LocalProxy&) = delete;
  LocalProxy& operator=(const LocalProxy&) = delete;
  // Ends every connection. Does not wait for a name that is being resolved.
  ~LocalProxy();

  [[nodiscard]] std::uint16_t Port() const;
  [[nodiscard]] int Descriptor() const;
  [[nodiscard]] std::vector<GatewayRecord> TakeRecords();

 private:
  explicit LocalProxy(std::shared_ptr<ProxyState> state);

  std::shared_ptr<ProxyState> state_;  // shared with its threads
};

}  // namespace mxc::egress
