#include "gateway/inspect/host_name_filter.h"

namespace mxc::egress {

std::string HostNameFilter::Hear(ByteView chunk) {
  client_.Hear(chunk);
  return Advance();
}

std::string HostNameFilter::HearServer(ByteView bytes) {
  client_.HearServer(bytes);
  return Advance();
}

std::string HostNameFilter::End() {
  client_.End();
  return Advance();
}

std::string HostNameFilter::Advance() {
  for (;;) {
    switch (client_.Next()) {
      case ClientSide::State::kMore:
        return {};
      case ClientSide::State::kBroken:
        return std::string(client_.Problem());
      case ClientSide::State::kHosts:
        if (std::string problem = JudgeHosts(); !problem.empty()) return problem;
        continue;
      case ClientSide::State::kHead:
        break;
    }
    if (std::string problem = Judge(client_.Head()); !problem.empty()) return problem;
  }
}

// A host that is not the connection's own: where a rule names the connection's, another allowed one; where
// everything passes, one that no rule denies. At another port even its own is another one.
bool HostNameFilter::MayAsk(const std::string& name, std::uint16_t port) const {
  if (name == host_.name && port == host_.port) return true;
  return MayBeAskedFor(rules_, texts_(), {.host = name, .port = port, .strict = host_.strict});
}

// By a proxy that dials what it is asked for.
bool HostNameFilter::MayReach(const std::string& name, std::uint16_t port) const {
  if (name == host_.name && port == host_.port) return true;
  return MayAsk(name, port) && MayBeDialled(rules_, texts_(), {.host = name, .port = port});
}

// Of hosts that name no port.
std::uint16_t HostNameFilter::Port() const {
  return client_.TunnelPort() != 0 ? client_.TunnelPort() : host_.port;
}

// Whichever of them a server takes.
std::string HostNameFilter::JudgeHosts() const {
  for (const AskedHost& host : client_.Hosts()) {
    const bool denied = !MayAsk(host.name, Port()) || (host.port != 0 && !MayReach(host.name, host.port));
    if (denied) return "it asks for " + host.name + " in a protocol that the gateway cannot check";
  }
  return {};
}

// A proxy dials the target. Any other server answers at the port of the connection, as the host that the
// target names.
std::string HostNameFilter::Judge(const ProtocolSniffer& head) {
  for (const std::string& name : head.Hosts()) {
    const bool leads = head.Port() == 0 || MayReach(name, head.Port());
    if (leads && (head.Connects() || MayAsk(name, Port()))) continue;
    const std::uint16_t port = leads ? Port() : head.Port();
    const bool asked = head.Port() != 0 || port != host_.port;
    const std::string at = asked ? " at port " + std::to_string(port) : "";
    return (client_.First() ? "it opens with the name " : "a later request is for the name ") + name + at;
  }
  if (head.Head().encrypted)
    return "its ClientHello may hide another name (ECH): tell the program to send none, a browser of "
           "Chromium with "
           "--disable-features=EncryptedClientHello";
  return host_.strict ? MissingName(head) : "";
}

// Without a name a server answers for whichever of its hosts is its default. A protocol that begins TLS later
// has no virtual hosts of its own, and many of its clients send no name.
std::string HostNameFilter::MissingName(const ProtocolSniffer& head) const {
  if (head.Is() == ProtocolSniffer::Kind::kOther) return {};
  if (!head.Hosts().empty() || head.OnlyHello()) return {};
  return head.Is() == ProtocolSniffer::Kind::kTls ? "its ClientHello names no host (SNI)"
                                                  : "its HTTP request names no host";
}

}  // namespace mxc::egress
