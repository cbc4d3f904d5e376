#include "egress/destination_linux.h"

namespace mxc::egress {
namespace {

IpAddress Loopback6() {
  IpAddress address{.ipv6 = true};
  address.bytes[15] = 1;
  return address;
}

}  // namespace

Destination::Destination(Services& services, GatewayEvent event, Protocol protocol, const IpEndpoint& meant)
    : services_(services), protocol_(protocol), meant_(meant) {
  record_.event = event;
  record_.time_ms = WallClockMs();
  record_.port = meant.port;
}

void Destination::Refuse(const Judgement& judgement) {
  record_.verdict = Verdict::kDeny;
  record_.pointer = judgement.pointer;
  record_.reason = judgement.reason;
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
  const Judgement judgement = services_.rules.JudgeAddress(meant_.address, protocol_, meant_.port);
  if (!judgement.allowed) {
    Refuse(judgement);
    return callback({});
  }
  record_.pointer = judgement.pointer;
  to_host_ = services_.rules.Proxy().has_value();
  callback({meant_});
}

void Destination::FindName(const std::string& name, Callback callback) {
  record_.name = name;
  to_host_ = name == kHostLoopbackName;
  const Judgement judgement = to_host_ ? services_.rules.JudgeHostLoopback(protocol_, meant_.port)
                                       : services_.rules.JudgeName(name, protocol_, meant_.port);
  if (!judgement.allowed) {
    Refuse(judgement);
    return callback({});
  }
  record_.pointer = judgement.pointer;
  strict_ = judgement.strict;
  if (to_host_) return callback({{IpAddress::V4(0x7f000001), meant_.port}, {Loopback6(), meant_.port}});
  to_host_ = services_.rules.Proxy().has_value();
  if (const auto literal = IpAddress::Parse(name)) return callback({{*literal, meant_.port}});
  services_.resolver.Resolve(name, [this, judgement, callback = std::move(callback),
                                    alive = std::weak_ptr<bool>(alive_)](const Resolution& resolution) {
    if (alive.expired()) return;
    const std::vector<IpEndpoint> endpoints = Filter(judgement, resolution);
    callback(endpoints);
  });
}

std::vector<IpEndpoint> Destination::Filter(const Judgement& name, const Resolution& resolution) {
  std::vector<IpEndpoint> endpoints;
  Judgement refusal{.reason = resolution.problem};
  for (const IpAddress& address : resolution.addresses) {
    const Judgement judgement = services_.rules.JudgeAnswer(name, address, protocol_, meant_.port);
    if (judgement.allowed) {
      endpoints.push_back({address, meant_.port});
    } else {
      refusal = judgement;
      record_.address = address.Text();
    }
  }
  if (endpoints.empty()) Refuse(refusal);
  return endpoints;
}

}  // namespace mxc::egress
