#include "egress/interview.h"

namespace mxc::egress {

std::string Interview::Hear(ByteView chunk) {
  while (!chunk.empty()) {
    const ClientSide::Heard heard = client_.Hear(chunk);
    if (heard.state == ClientSide::State::kBroken) return std::string(client_.Problem());
    if (heard.state == ClientSide::State::kHead) {
      if (std::string problem = Judge(client_.Head()); !problem.empty()) return problem;
    }
    chunk = chunk.subspan(heard.size);
  }
  return {};
}

// A host that is not the connection's own: where a rule names the connection's, another allowed one; where
// everything passes, one that no rule denies. At another port even its own is another one.
bool Interview::MayAsk(const std::string& name, std::uint16_t port) const {
  if (name == host_.name && port == host_.port) return true;
  if (const auto address = IpAddress::Parse(name))
    return rules_.JudgeAddress(*address, Protocol::kTcp, port).allowed;
  return host_.strict ? rules_.JudgeName(name, Protocol::kTcp, port).allowed
                      : !rules_.Denies(name, Protocol::kTcp, port);
}

std::string Interview::Judge(const Opening& head) {
  const std::uint16_t port = head.Port() != 0 ? head.Port() : port_;
  for (const std::string& name : head.Hosts()) {
    if (MayAsk(name, port)) continue;
    const std::string at = port == host_.port ? "" : " at port " + std::to_string(port);
    return (client_.First() ? "it opens with the name " : "a later request is for the name ") + name + at;
  }
  if (head.Connects()) port_ = port;  // what is said through the tunnel is said there
  if (!host_.strict || head.Is() != Opening::Kind::kTls) return {};
  if (head.Encrypted()) return "its ClientHello is encrypted (ECH) and hides the name";
  return head.Hosts().empty() ? "its ClientHello names no host (SNI)" : "";
}

}  // namespace mxc::egress
