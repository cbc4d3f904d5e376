#include "plan/policy_hash.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "hash/sha256.h"
#include "policy/paths/rules.h"
#include "policy/protect/protect.h"

namespace mxc {
namespace {

// Words are parted by blanks, lines by line feeds: neither stands in one.
std::string HashWord(std::string_view text) {
  std::string word;
  for (const char c : text) {
    if (c > ' ' && c < 0x7f && c != '%') {
      word += c;
    } else {
      word += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    }
  }
  return word.empty() ? "%" : word;
}

std::string SortedWords(std::vector<std::string> words) {
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return fmt::format("{}", fmt::join(words, ","));
}

std::string_view ActionWord(RuleAction action) { return action == RuleAction::kAllow ? "allow" : "deny"; }

class CanonicalLines {
 public:
  template <class... Parts>
  void Add(fmt::format_string<Parts...> form, Parts&&... parts) {
    lines_.insert(fmt::format(form, std::forward<Parts>(parts)...));
  }
  [[nodiscard]] std::string Text() const {
    return fmt::format("mxc-policy 1\n{}\n", fmt::join(lines_, "\n"));
  }

 private:
  std::set<std::string> lines_ = {};
};

// The baseline, protected paths and secrets are what this host makes of the policy, not what it says.
void AddPathLines(const Policy& policy, CanonicalLines& lines) {
  for (const PathRule& rule : policy.paths) {
    if (rule.origin == Origin::kPolicy && !rule.pointer.empty())
      lines.Add("path {} {}", Name(rule.access), HashWord(rule.path));
  }
  const Workspace& workspace = policy.workspace;
  if (!workspace.host.empty())
    lines.Add("workspace {} {}", HashWord(workspace.host), HashWord(workspace.guest));
  if (!policy.private_temp_pointer.empty()) lines.Add("temp private");
}

void AddProtectionLines(const Config& config, CanonicalLines& lines) {
  for (const PresetEntry& entry : config.protect)
    lines.Add("protect {}{}", Name(entry.preset), entry.safe_config ? " allow-safe" : "");
  if (config.repositories_written) lines.Add("repositories named");
  for (const PathEntry& entry : config.repositories) lines.Add("repository {}", HashWord(entry.path));
}

std::string PeerText(const Peer& peer) {
  const std::string place = peer.host.empty() ? peer.cidr : "host=" + HashWord(peer.host);
  return peer.except.empty() ? place : place + "!" + SortedWords(peer.except);
}

std::string PortsText(const NetworkRule& rule) {
  std::vector<std::string> ports;
  for (const PortRange& range : rule.ports) {
    ports.push_back(range.first == 0 ? std::string(Name(range.protocol))
                                     : fmt::format("{}/{}-{}", Name(range.protocol), range.first,
                                                   std::max(range.first, range.last)));
  }
  return (ports.empty() ? "any" : SortedWords(std::move(ports))) + (rule.uninspected ? " uninspected" : "");
}

// A rule for several destinations says what one for each says.
void AddRuleLines(RuleAction action, const std::vector<NetworkRule>& rules, CanonicalLines& lines) {
  for (const NetworkRule& rule : rules) {
    const std::string ports = PortsText(rule);
    if (rule.to.empty()) lines.Add("egress {} any {}", ActionWord(action), ports);
    for (const Peer& peer : rule.to) lines.Add("egress {} {} {}", ActionWord(action), PeerText(peer), ports);
  }
}

// Where connections go by way of; who has its password goes there, too.
void AddUpstreamLines(const Upstream& upstream, CanonicalLines& lines) {
  if (upstream.pointer.empty()) return;
  lines.Add("upstream environment");
  if (upstream.http) lines.Add("upstream http {} {}", HashWord(upstream.http->host), upstream.http->port);
  if (upstream.others)
    lines.Add("upstream others {} {}", HashWord(upstream.others->host), upstream.others->port);
  for (const std::string& entry : upstream.direct) lines.Add("upstream not {}", HashWord(entry));
}

void AddNetworkLines(const Network& network, CanonicalLines& lines) {
  if (network.share_host) lines.Add("network host");
  lines.Add("egress {}", ActionWord(network.egress));
  AddRuleLines(RuleAction::kAllow, network.allow, lines);
  AddRuleLines(RuleAction::kDeny, network.deny, lines);
  lines.Add("ingress {}", ActionWord(network.ingress));
  lines.Add("host-loopback {}", ActionWord(network.host_loopback));
  for (const LoopbackPort& port : network.loopback_ports) lines.Add("host-loopback port {}", port.port);
  for (const PublishedPort& port : network.publish) lines.Add("publish {} {}", port.host, port.guest);
  if (network.proxy) lines.Add("proxy {} {}", HashWord(network.proxy->host), network.proxy->port);
  AddUpstreamLines(network.upstream, lines);
}

// What the default environment has depends on the caller.
void AddEnvironmentLines(const ProcessConfig& process, CanonicalLines& lines) {
  if (!process.environment || process.inherit_default_environment) lines.Add("environment default");
  if (!process.environment) return;
  for (const Variable& variable : *process.environment) lines.Add("variable {}", HashWord(variable.name));
}

void AddLimitLines(const Config& config, const Policy& policy, CanonicalLines& lines) {
  if (config.process.timeout_ms != 0) lines.Add("timeout {}", config.process.timeout_ms);
  for (const ResourceLimit& limit : policy.resources)
    lines.Add("limit {} {}", Name(limit.resource), limit.amount);
  if (policy.output.max_bytes != 0) lines.Add("output bytes {}", policy.output.max_bytes);
  if (policy.output.redact_secrets) lines.Add("output redact secrets");
  if (policy.output.redact_pii) lines.Add("output redact pii");
  const bool refuse = policy.audit.on_failure == Audit::OnFailure::kRefuse;
  if (!policy.audit.path.empty())
    lines.Add("audit {} {}", HashWord(policy.audit.path), refuse ? "refuse" : "warn");
  if (policy.audit.syslog) lines.Add("audit syslog");
  if (!config.review_pointer.empty()) lines.Add("review destructive");
  for (const HelperPin& pin : config.helpers)
    lines.Add("helper {} {}", HashWord(pin.name), HashWord(pin.sha256));
  const SessionConfig standard;
  if (config.session.idle_timeout_ms != standard.idle_timeout_ms)
    lines.Add("session idle {}", config.session.idle_timeout_ms);
  if (config.session.lifetime_ms != standard.lifetime_ms)
    lines.Add("session lifetime {}", config.session.lifetime_ms);
  lines.Add("tier {}", Name(policy.minimum_tier));
}

std::string_view ClipboardWord(Clipboard clipboard) {
  switch (clipboard) {
    case Clipboard::kNone:
      return "none";
    case Clipboard::kRead:
      return "read";
    case Clipboard::kWrite:
      return "write";
    case Clipboard::kAll:
      return "all";
  }
  return "none";
}

// A Linux sandbox has no desktop.
void AddUiLines(const Policy& policy, CanonicalLines& lines) {
  if (policy.system == OperatingSystem::kLinux) return;
  lines.Add("ui windows {}", policy.ui.disabled ? "none" : "shown");
  lines.Add("ui clipboard {}", ClipboardWord(policy.ui.clipboard));
  lines.Add("ui injection {}", policy.ui.injection);
}

// What a containment alone knows, flattened. NOLINTNEXTLINE(misc-no-recursion): as deep as kMaxDocumentDepth
void AddSectionLines(const std::string& place, const Json& value, CanonicalLines& lines) {
  switch (value.kind) {
    case Json::Kind::kNull:
      return;
    case Json::Kind::kBool:
      return lines.Add("section {} {}", place, value.boolean);
    case Json::Kind::kInteger:
    case Json::Kind::kFloat:
    case Json::Kind::kString:
      return lines.Add("section {} {}", place, HashWord(value.text));
    case Json::Kind::kArray:
      for (std::size_t i = 0; i < value.items.size(); ++i)
        AddSectionLines(fmt::format("{}/{}", place, i), value.items[i], lines);
      return;
    case Json::Kind::kObject:
      for (const JsonMember& member : value.members)
        AddSectionLines(place + "/" + HashWord(member.key), member.value, lines);
      return;
  }
}

}  // namespace

std::string CanonicalPolicy(const Config& config, const Policy& policy) {
  CanonicalLines lines;
  lines.Add("containment {}", Name(policy.containment));
  AddPathLines(policy, lines);
  AddProtectionLines(config, lines);
  AddNetworkLines(policy.network, lines);
  AddLimitLines(config, policy, lines);
  AddUiLines(policy, lines);
  AddEnvironmentLines(config.process, lines);
  for (const std::string& relaxation : policy.relaxations) lines.Add("relaxation {}", HashWord(relaxation));
  if (!policy.destroy_on_exit) lines.Add("container kept");
  if (!policy.windows.acl_changes_allowed) lines.Add("access-lists unchanged");
  if (policy.windows.loopback_exemption_allowed) lines.Add("loopback exemption allowed");
  if (policy.windows.bfs_allowed) lines.Add("bfs allowed");
  if (policy.windows.bfs_allowed && policy.windows.policy_preserved) lines.Add("bfs kept");
  AddSectionLines("", policy.section, lines);
  return lines.Text();
}

std::string PolicyHash(const Config& config, const Policy& policy) {
  return "sha256:" + Sha256Text(CanonicalPolicy(config, policy));
}

}  // namespace mxc
