// The network gateway where connections cannot be steered (macOS): an HTTP proxy on a port of the loopback,
// which is all that the sandbox reaches. What follows the variables of proxies gets what the rules let
// through; everything else gets nothing.
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
  // Listens, for published ports as well, and serves from threads of its own in which every signal is
  // blocked. Errors: kSchema for a rule that is none; kSetupFailed, with the pointer of a published port
  // that is taken.
  [[nodiscard]] static Result<LocalProxy> Start(const EgressRules& rules);
  LocalProxy(LocalProxy&&) noexcept;
  LocalProxy& operator=(LocalProxy&&) = delete;
  LocalProxy(const LocalProxy&) = delete;
  LocalProxy& operator=(const LocalProxy&) = delete;
  // Ends every connection. A name that is being resolved is not waited for.
  ~LocalProxy();

  [[nodiscard]] std::uint16_t Port() const;
  [[nodiscard]] int Descriptor() const;
  [[nodiscard]] std::vector<GatewayRecord> TakeRecords();

 private:
  explicit LocalProxy(std::shared_ptr<ProxyState> state);

  std::shared_ptr<ProxyState> state_;  // of its threads and the launcher; the last one frees it
};

}  // namespace mxc::egress
