// From the address a program meant to the addresses the gateway may dial: those of the destination, or of the
// proxy that leads there.
//
//   Destination destination(services, GatewayEvent::kConnection, Protocol::kTcp, meant);
//   destination.Find([this](const std::vector<IpEndpoint>& endpoints) { ... });
//   // None: refused, and Record() says why.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gateway/relay/services_linux.h"

namespace mxc::egress {

class Destination {
 public:
  using Callback = std::function<void(const std::vector<IpEndpoint>&)>;

  Destination(Services& services, GatewayEvent event, Protocol protocol, const IpEndpoint& meant);

  // In the order in which they should be tried. The callback comes later for names, at once for literal
  // addresses; not at all once this is destroyed.
  void Find(Callback callback);

  // Does the connection have to open with its name?
  [[nodiscard]] bool MustBeChecked() const {
    return strict_ || (services_.rules.DeniesNames() && !to_host_ && !uninspected_);
  }
  [[nodiscard]] bool Strict() const { return strict_; }
  [[nodiscard]] const std::string& Name() const { return record_.name; }
  [[nodiscard]] std::uint16_t Port() const { return meant_.port; }

  // What the proxy has to be asked first, where the addresses are those of one; else empty.
  [[nodiscard]] const std::string& Ask() const { return ask_; }

  // Fills the record of one that was refused before it came here.
  void DescribeRefusal();

  // Filled as far as things are known; refusals have their reason.
  [[nodiscard]] GatewayRecord& Record() { return record_; }
  void Refuse(const Judgement& judgement);

 private:
  [[nodiscard]] Judgement JudgeName(const std::string& name) const;
  [[nodiscard]] std::optional<Judgement> DeniedByHosts(const IpAddress& address) const;
  void FindName(const std::string& name, Callback callback);
  void FindProxy(const UpstreamProxy& proxy, const std::string& host, Callback callback);
  [[nodiscard]] std::vector<IpEndpoint> Filter(const Judgement& name, const Resolution& resolution);

  Services& services_;
  Protocol protocol_;
  IpEndpoint meant_;
  GatewayRecord record_;
  std::string ask_ = {};
  bool strict_ = false;
  bool uninspected_ = false;
  bool to_host_ = false;                                        // the host's loopback, or the one proxy
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for callbacks of the resolver
};

}  // namespace mxc::egress
