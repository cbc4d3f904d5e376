#include "gateway/relay/destination_linux.h"

#include "gateway/relay/dial_linux.h"
#include "gateway/rules/hosts_names.h"
#include "gateway/rules/upstream.h"

namespace mxc::egress {
namespace {

constexpr std::string_view kNoDatagrams =
    "datagrams cannot be checked for the name they are sent to: programs fall back to TCP, and `inspect: "
    "\"none\"` in a rule lets them pass";

constexpr std::string_view kNotByFilter = "the sandbox's packet filter does not let it pass";

// IPv4 first, where most services of a host listen.
std::vector<IpEndpoint> OnLoopback(std::uint16_t port) {
  return {{IpAddress::V4(0x7f000001), port}, {IpAddress::Loopback6(), port}};
}

}  // namespace

Destination::Destination(Services& services, GatewayEvent event, Protocol protocol, const IpEndpoint& meant)
    : services_(services), protocol_(protocol), meant_(meant) {
  record_.event = event;
  record_.time_ms = WallClockMs();
  record_.port = meant.port;
}

void Destination::Refuse(const Judgement& judgement) {
  record_.verdict = RuleAction::kDeny;
  record_.pointer = judgement.pointer;
  record_.reason = judgement.reason;
}

void Destination::DescribeRefusal() {
  const std::string* name = services_.names.Find(meant_.address);
  Judgement judgement{.reason = "no name has this address"};
  if (name == nullptr) record_.address = meant_.address.Text();
  if (name != nullptr) record_.name = *name;
  if (name != nullptr) {
    judgement = JudgeName(*name);
  } else if (!SyntheticNames::IsSynthetic(meant_.address)) {
    judgement = services_.rules.JudgeAddress(meant_.address, protocol_, meant_.port);
  }
  if (judgement.allowed) judgement.reason = judgement.strict ? kNoDatagrams : kNotByFilter;
  Refuse(judgement);
}

Judgement Destination::JudgeName(const std::string& name) const {
  if (name == kHostLoopbackName) return services_.rules.JudgeHostLoopback(protocol_, meant_.port);
  return services_.rules.JudgeName(name, protocol_, meant_.port);
}

std::optional<Judgement> Destination::DeniedByHosts(const IpAddress& address) const {
  return DenialByHosts(services_.rules, *services_.resolver.Texts().hosts, address, protocol_, meant_.port);
}

void Destination::Find(Callback callback) {
  if (SyntheticNames::IsSynthetic(meant_.address)) {
    const std::string* name = services_.names.Find(meant_.address);
    if (name != nullptr) return FindName(*name, std::move(callback));
    record_.address = meant_.address.Text();
    Refuse({.reason = "no name has this address"});
    return callback({});
  }
  record_.address = meant_.address.Text();
  if (const auto denial = DeniedByHosts(meant_.address)) {
    Refuse(*denial);
    return callback({});
  }
  const Judgement judgement = services_.rules.JudgeAddress(meant_.address, protocol_, meant_.port);
  if (!judgement.allowed) {
    const auto name = AllowedNameOf(services_.rules, *services_.resolver.Texts().hosts,
                                    meant_.address.Unmapped(), protocol_, meant_.port);
    if (name) return FindName(*name, std::move(callback));
    Refuse(judgement);
    return callback({});
  }
  record_.pointer = judgement.pointer;
  uninspected_ = judgement.uninspected;
  to_host_ = services_.rules.Proxy().has_value();
  const std::string host = meant_.address.Text();
  if (const UpstreamProxy* proxy = ProxyFor(services_.rules.UpstreamProxies(), host, meant_.port)) {
    return FindProxy(*proxy, host, std::move(callback));
  }
  callback({meant_});
}

void Destination::FindName(const std::string& name, Callback callback) {
  record_.name = name;
  to_host_ = name == kHostLoopbackName;
  const Judgement judgement = JudgeName(name);
  if (!judgement.allowed) {
    Refuse(judgement);
    return callback({});
  }
  record_.pointer = judgement.pointer;
  strict_ = judgement.strict;
  uninspected_ = judgement.uninspected;
  if (strict_ && protocol_ == Protocol::kUdp) {
    Refuse({.pointer = judgement.pointer, .reason = kNoDatagrams});
    return callback({});
  }
  if (to_host_) return callback(OnLoopback(meant_.port));
  to_host_ = services_.rules.Proxy().has_value();
  if (const auto literal = IpAddress::Parse(name)) return callback({{*literal, meant_.port}});
  // Only where a rule names the host: an address rule needs an address, and the proxy resolves the name.
  const UpstreamProxy* proxy = ProxyFor(services_.rules.UpstreamProxies(), name, meant_.port);
  if (proxy != nullptr && judgement.by_name) return FindProxy(*proxy, name, std::move(callback));
  const auto denies = [this](const std::string& form) {
    return services_.rules.Denies(form, protocol_, meant_.port);
  };
  services_.resolver.Resolve(name, denies,
                             [this, judgement, callback = std::move(callback),
                              alive = std::weak_ptr<bool>(alive_)](const Resolution& resolution) {
                               if (alive.expired()) return;
                               const std::vector<IpEndpoint> endpoints = Filter(judgement, resolution);
                               callback(endpoints);
                             });
}

// The host's configuration names the proxy, so its addresses need no rule.
void Destination::FindProxy(const UpstreamProxy& proxy, const std::string& host, Callback callback) {
  if (protocol_ != Protocol::kTcp) {
    Refuse({.pointer = services_.rules.UpstreamProxies().pointer,
            .reason = "the upstream proxy carries TCP alone"});
    return callback({});
  }
  ask_ = ConnectRequest(proxy, host, meant_.port);
  record_.reason = "through the proxy of " + proxy.variable;
  if (proxy.host == "localhost") return callback(OnLoopback(proxy.port));
  if (const auto literal = IpAddress::Parse(proxy.host)) return callback({{*literal, proxy.port}});
  const auto denies_none = [](const std::string& /*form*/) { return false; };
  services_.resolver.Resolve(proxy.host, denies_none,
                             [this, port = proxy.port, callback = std::move(callback),
                              alive = std::weak_ptr<bool>(alive_)](const Resolution& resolution) {
                               if (alive.expired()) return;
                               std::vector<IpEndpoint> endpoints;
                               for (const IpAddress& address : resolution.addresses)
                                 endpoints.push_back({address, port});
                               if (endpoints.empty())
                                 Refuse({.reason = "the name of the upstream proxy has no address"});
                               callback(InterleaveFamilies(endpoints));
                             });
}

std::vector<IpEndpoint> Destination::Filter(const Judgement& name, const Resolution& resolution) {
  std::vector<IpEndpoint> endpoints;
  std::string blocked;
  Judgement refusal{.reason = resolution.problem};
  if (!resolution.denied.empty()) {
    refusal = services_.rules.JudgeName(resolution.denied, protocol_, meant_.port);
    record_.name = resolution.denied;
  }
  for (const IpAddress& address : resolution.addresses) {
    const Judgement judgement = JudgeResolved(services_.rules, *services_.resolver.Texts().hosts, name,
                                              address, protocol_, meant_.port);
    if (judgement.allowed) {
      endpoints.push_back({address, meant_.port});
    } else {
      refusal = judgement;
      blocked = address.Text();
    }
  }
  if (endpoints.empty()) {
    Refuse(refusal);
    if (!blocked.empty()) record_.address = blocked;
  }
  return InterleaveFamilies(endpoints);
}

}  // namespace mxc::egress
