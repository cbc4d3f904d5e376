#include "report/network_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/quoted.h"
#include "mxc/json.h"

namespace mxc {
namespace {

std::string Count(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

constexpr std::string_view kToAllow = "to allow it, ";
constexpr std::string_view kToReachHost = "to reach the host's, ";
constexpr std::string_view kDeniedBy = "denied by ";
constexpr std::string_view kNoEntry = "no entry of the policy changes that";
constexpr std::string_view kTooMany = "too many connections";  // of the gateway
constexpr std::string_view kThroughProxy =
    R"(to go through the proxy that your environment names, add "upstreamProxy": "environment" to network.egress)";

// Names by which the clouds document their metadata services, beside the addresses that are always blocked:
// Google Cloud, Amazon EC2, Azure, Tencent Cloud, Equinix Metal.
constexpr std::string_view kMetadataNames[] = {"metadata.google.internal",
                                               "metadata.goog",
                                               "metadata",
                                               "instance-data.ec2.internal",
                                               "instance-data",
                                               "metadata.azure.internal",
                                               "metadata.tencentyun.com",
                                               "metadata.platformequinix.com"};

bool IsOfMetadata(const GatewayRecord& record) {
  return record.reason.find("metadata") != std::string::npos ||
         std::find(std::begin(kMetadataNames), std::end(kMetadataNames), record.name) !=
             std::end(kMetadataNames);
}

bool IsLoopback(std::string_view address) { return address.starts_with("127.") || address == "::1"; }

bool IsIpv6(std::string_view host) { return host.find(':') != std::string_view::npos; }

std::string HostOf(const GatewayRecord& record) { return record.name.empty() ? record.address : record.name; }

std::string_view ProtocolOf(const GatewayRecord& record) {
  return record.event == GatewayEvent::kFlow ? "udp" : "tcp";
}

std::string Destination(const GatewayRecord& record) {
  if (record.event == GatewayEvent::kName) return HostOf(record) + " (looked up)";
  return fmt::format("{} port {} ({})", HostOf(record), record.port, ProtocolOf(record));
}

// As an entry of allowedHosts, or after --allow-host.
std::string Entry(const GatewayRecord& record) {
  std::string host = HostOf(record);
  if (record.port == 0) return host;
  if (record.name.empty() && IsIpv6(host)) return fmt::format("[{}]:{}", host, record.port);
  return fmt::format("{}:{}", host, record.port);
}

std::string DirectionalRule(const GatewayRecord& record) {
  const std::string host = HostOf(record);
  std::string peer = fmt::format(R"({{"host":{}}})", JsonString(host));
  if (record.name.empty())
    peer = fmt::format(R"({{"cidr":{}}})", JsonString(fmt::format("{}/{}", host, IsIpv6(host) ? 128 : 32)));
  if (record.port == 0) return fmt::format(R"({{"to":[{}]}})", peer);
  return fmt::format(R"({{"to":[{}],"ports":[{{"protocol":"{}","port":{}}}]}})", peer, ProtocolOf(record),
                     record.port);
}

// What an entry of the policy decides; and what a program takes for another fault, since the gateway accepts
// its connection before the destination is reached.
bool IsForShort(const GatewayRecord& record, std::string_view remedy) {
  if (record.event == GatewayEvent::kPublished) return true;
  if (record.event == GatewayEvent::kConnection && record.pointer.empty() && !record.name.empty() &&
      record.name != kSandboxName)
    return true;
  return remedy.starts_with(kToAllow) || remedy.starts_with(kToReachHost) || remedy.starts_with(kDeniedBy) ||
         remedy.starts_with(kThroughProxy);
}

}  // namespace

void NetworkSummary::Add(const GatewayRecord& record) {
  if (record.verdict == RuleAction::kDeny) return AddRefusal(record, Destination(record));
  lost_ += record.lost;
  if (record.event != GatewayEvent::kName) ++allowed_;
  bytes_ += record.bytes_in + record.bytes_out;
}

void NetworkSummary::AddRefusal(const GatewayRecord& record, const std::string& destination) {
  if (HostOf(record).empty()) {
    lost_ += 1 + record.lost;
    return;
  }
  const bool room = refused_.size() < kMaxDestinations;
  auto known = refused_.find(destination);
  if (known == refused_.end() && room)
    known = refused_.emplace(destination, Refusals{.order = refused_.size()}).first;
  if (known == refused_.end()) {
    lost_ += record.lost;
    ++others_;
    return;
  }
  Refusals& refusals = known->second;
  ++refusals.count;
  const bool again = std::any_of(refusals.reasons.begin(), refusals.reasons.end(),
                                 [&](const GatewayRecord& reason) { return reason.reason == record.reason; });
  if (again) {
    refusals.count += record.lost;  // it stands for others of the same
    return;
  }
  lost_ += record.lost;
  if (refusals.reasons.size() < kMaxReasons) {
    refusals.reasons.push_back(record);
  } else {
    ++refusals.others;
  }
}

// A pointer to a list entry or rule is one that decided; the default's is not worth editing. Without one the
// policy had no part in it: the name has no address, nobody listens there.
std::string NetworkSummary::Remedy(const GatewayRecord& record) const {
  const std::string_view pointer = record.pointer;
  if (pointer.find("/deny/") != std::string_view::npos ||
      pointer.find("/blockedHosts/") != std::string_view::npos) {
    return fmt::format("{}{}", kDeniedBy, pointer);
  }
  if (record.event == GatewayEvent::kPublished && record.reason == kTooMany) return std::string(kNoEntry);
  if (record.event == GatewayEvent::kPublished)
    return fmt::format("published: no server listens on port {} of the sandbox's loopback", record.port);
  if (record.name == kHostLoopbackName) return LoopbackAddition(record);
  if (record.name == kSandboxName && record.port != 0) return WayToHost(record);
  if (record.name == kSandboxName) return "the sandbox's own name, which no server needs to know";
  if (IsLoopback(record.address)) return LoopbackAddition(record);
  if (IsOfMetadata(record)) return "it may hand out credentials of this machine: nothing is advised";
  if (record.name.starts_with('_')) return "a question for a service, which programs do without";
  if (const std::string_view shorter = WithoutSearchDomain(record.name); !shorter.empty())
    return fmt::format("another form of {}, which resolvers try as well", shorter);
  if (record.reason.starts_with("always blocked") && !record.name.empty() && !record.address.empty()) {
    GatewayRecord address = record;  // of the name: what has to be allowed
    address.name.clear();
    return Addition(address);
  }
  const bool by_proxy = proxy_unused_ && form_ != PolicyForm::kLegacy && record.event != GatewayEvent::kFlow;
  if (pointer.empty() && by_proxy)
    return std::string(kThroughProxy) + (form_ == PolicyForm::kFlags ? " of a policy file" : "");
  if (pointer.empty()) return std::string(kNoEntry);
  if (pointer.find("/allow/") != std::string_view::npos ||
      pointer.find("/allowedHosts/") != std::string_view::npos) {
    return fmt::format("{} allows the destination, not what was said there", pointer);
  }
  return Addition(record);
}

// The name that was refused as well and that a domain of resolv.conf makes this one; "" where there is none.
std::string_view NetworkSummary::WithoutSearchDomain(std::string_view name) const {
  for (const auto& [destination, refusals] : refused_) {
    const std::string_view other = refusals.reasons.front().name;
    const bool longer = !other.empty() && name.size() > other.size() && name.starts_with(other);
    if (longer && name[other.size()] == '.' && other.find('.') != std::string_view::npos) return other;
  }
  return {};
}

std::string NetworkSummary::LoopbackAddition(const GatewayRecord& record) const {
  if (form_ == PolicyForm::kLegacy || record.event == GatewayEvent::kFlow)
    return "the host's loopback: network.ingress.hostLoopback opens it, every port";
  if (record.port == 0)
    return fmt::format("the host's loopback: {} opens a port of it",
                       form_ == PolicyForm::kFlags ? "--allow-host host.mxc.internal:PORT"
                                                   : "network.ingress.hostLoopbackPorts");
  return form_ == PolicyForm::kFlags
             ? fmt::format("{}add --allow-host {}:{}", kToAllow, kHostLoopbackName, record.port)
             : fmt::format("{}add {{\"port\": {}}} to network.ingress.hostLoopbackPorts", kToAllow,
                           record.port);
}

// Of a connection to the sandbox's own loopback.
std::string NetworkSummary::WayToHost(const GatewayRecord& record) const {
  const std::string at = fmt::format("connect to {}:{}", kHostLoopbackName, record.port);
  if (record.pointer.find("/hostLoopback") != std::string::npos) return std::string(kToReachHost) + at;
  if (form_ == PolicyForm::kLegacy)
    return fmt::format("{}write network.ingress.hostLoopback, which opens every port, and {}", kToReachHost,
                       at);
  if (form_ == PolicyForm::kFlags)
    return fmt::format("{}add --allow-host {}:{} and {}", kToReachHost, kHostLoopbackName, record.port, at);
  return fmt::format("{}add {{\"port\": {}}} to network.ingress.hostLoopbackPorts and {}", kToReachHost,
                     record.port, at);
}

std::string NetworkSummary::Addition(const GatewayRecord& record) const {
  if (form_ == PolicyForm::kLegacy) {
    return fmt::format("{}add {} to network.allowedHosts", kToAllow, JsonString(Entry(record)));
  }
  constexpr std::uint16_t kHttps = 443;
  const bool asked =
      profile_of_ != nullptr && !record.name.empty() && (record.port == 0 || record.port == kHttps);
  const std::string profile = asked ? profile_of_(record.name) : "";
  if (form_ == PolicyForm::kFlags)
    return fmt::format("{}add --allow-host {}{}", kToAllow, ShellWord(Entry(record)),
                       profile.empty() ? "" : ", or --profile " + profile);
  return fmt::format("{}add {} to network.egress.allow{}", kToAllow, DirectionalRule(record),
                     profile.empty() ? "" : ", or " + JsonString(profile) + " to profiles");
}

std::string NetworkSummary::Lines(const Refusals& refusals) const {
  std::string text;
  std::string told;
  for (const GatewayRecord& record : refusals.reasons) {
    const std::string remedy = Remedy(record);
    text += fmt::format("{}{}\n", text.empty() ? "" : "    also: ",
                        record.reason.empty() ? "refused" : Escaped(record.reason));
    if (remedy != told) text += fmt::format("    {}\n", EscapedJson(remedy));
    told = remedy;
  }
  if (refusals.others != 0) text += fmt::format("    and {} refusals for other reasons\n", refusals.others);
  return text;
}

std::string NetworkSummary::Text() const {
  std::string text =
      fmt::format("mxc-exec: network: {} passed ({}), {} refused\n", Count(allowed_, "connection"),
                  Count(bytes_, "byte"), Count(refused_.size() + others_, "destination"));
  for (const auto& [destination, refusals] : refused_) {
    text +=
        fmt::format("  {}{}: {}", Escaped(destination),
                    refusals.count == 1 ? "" : fmt::format(", {} times", refusals.count), Lines(refusals));
  }
  if (others_ != 0) text += fmt::format("  and {} refusals of other destinations\n", others_);
  if (lost_ != 0) text += fmt::format("  {} decisions are left out: there were too many of them\n", lost_);
  return text;
}

std::vector<std::string> NetworkSummary::Short() const {
  std::vector<const Refusals*> decided;
  for (const auto& [destination, refusals] : refused_) {
    if (IsForShort(refusals.reasons.front(), Remedy(refusals.reasons.front()))) decided.push_back(&refusals);
  }
  std::sort(decided.begin(), decided.end(),
            [](const Refusals* left, const Refusals* right) { return left->order > right->order; });
  std::vector<std::string> lines;
  for (const Refusals* refusals : decided) {
    const GatewayRecord& record = refusals->reasons.front();
    const std::size_t others = refusals->reasons.size() - 1;
    lines.push_back(fmt::format("{}: {}{}; {}", Escaped(Destination(record)),
                                record.reason.empty() ? "refused" : Escaped(record.reason),
                                others == 0 ? "" : fmt::format(", and {}", Count(others, "other reason")),
                                EscapedJson(Remedy(record))));
  }
  return lines;
}

}  // namespace mxc
