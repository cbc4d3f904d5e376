#include "policy/clauses.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "policy/paths/paths.h"
#include "policy/paths/rules.h"
#include "policy/protect/protect.h"

namespace mxc {
namespace {

void Add(std::vector<Clause>& clauses, std::string pointer, std::string text) {
  if (!pointer.empty()) clauses.push_back({.pointer = std::move(pointer), .text = std::move(text)});
}

std::string_view Name(RuleAction verdict) { return verdict == RuleAction::kAllow ? "allow" : "deny"; }

std::string Text(const PortRange& range) {
  std::string text{Name(range.protocol)};
  if (range.first == 0) return text;
  text += "/" + std::to_string(range.first);
  if (range.last > range.first) text += "-" + std::to_string(range.last);
  return text;
}

std::string Text(const Peer& peer) {
  std::string text = peer.host.empty() ? peer.cidr : Quoted(peer.host);
  for (std::size_t i = 0; i < peer.except.size(); ++i) {
    text += (i == 0 ? " except " : ", ") + peer.except[i];
  }
  return text;
}

std::string Text(RuleAction verdict, const NetworkRule& rule) {
  std::string text = std::string(Name(verdict)) + " egress to ";
  if (rule.to.empty()) text += "any address";
  for (std::size_t i = 0; i < rule.to.size(); ++i) text += (i == 0 ? "" : ", ") + Text(rule.to[i]);
  for (std::size_t i = 0; i < rule.ports.size(); ++i) text += (i == 0 ? " on " : ", ") + Text(rule.ports[i]);
  return text;
}

// The path inside, if it differs.
std::string Moved(const Workspace& workspace, const std::string& path) {
  const std::string inside = workspace.Inside(path);
  return inside == path ? "" : " at " + Quoted(inside);
}

// One clause for each preset that has something to protect.
void AddProtection(std::vector<Clause>& clauses, const Config& config, const Policy& policy) {
  for (const PresetEntry& entry : config.protect) {
    const auto count = std::count_if(policy.paths.begin(), policy.paths.end(), [&](const PathRule& rule) {
      return rule.origin == Origin::kProtection && rule.pointer == entry.pointer;
    });
    // Direct execution and Windows can protect nothing; they are refused only if the policy writes `protect`.
    const bool unheld = !TraitsOf(policy.containment).isolates || policy.system == OperatingSystem::kWindows;
    const bool refused = unheld && config.protect_written;
    if (count == 0 && !refused) continue;
    // Without mounts nothing is held read-only.
    const ContainmentTraits& traits = TraitsOf(policy.containment);
    const bool put_back = traits.isolates && !traits.mounts && policy.system == OperatingSystem::kLinux;
    std::string text =
        "`" + std::string(Name(entry.preset)) +
        (put_back ? "` is put back in read-write grants: " : "` stays unwritable in read-write grants: ") +
        std::to_string(count) + (count == 1 ? " path" : " paths");
    if (const std::size_t judged = policy.git.configs.size(); entry.safe_config && judged != 0) {
      text += "; but " + std::to_string(judged) +
              (judged == 1 ? " configuration is" : " configurations are") +
              " the command's to write, and judged when it has ended";
    }
    Add(clauses, entry.pointer, std::move(text));
  }
}

// Whether an exemption for a proxy opens the loopback. A written clause stays, and then refuses the run.
bool OpensLoopback(const Policy& policy) {
  const Network& network = policy.network;
  return TraitsOf(policy.containment).proxy == ProxySupport::kAnyKind &&
         policy.windows.loopback_exemption_allowed && network.proxy &&
         !network.host_loopback_pointer.ends_with("/hostLoopback");
}

void AddNetwork(std::vector<Clause>& clauses, const Config& config, const Policy& policy) {
  const Network& network = config.network;
  const std::size_t before = clauses.size();
  Add(clauses, network.egress_pointer, "egress default " + std::string(Name(network.egress)));
  for (const NetworkRule& rule : network.allow) Add(clauses, rule.pointer, Text(RuleAction::kAllow, rule));
  for (const NetworkRule& rule : network.deny) Add(clauses, rule.pointer, Text(RuleAction::kDeny, rule));
  // The host's own network does not block inbound traffic, and no clause asks for that.
  if (!network.share_host) {
    Add(clauses, network.ingress_pointer, "ingress default " + std::string(Name(network.ingress)));
    if (!OpensLoopback(policy))
      Add(clauses, network.host_loopback_pointer,
          "host loopback " + std::string(Name(network.host_loopback)));
  }
  for (const LoopbackPort& port : network.loopback_ports)
    Add(clauses, port.pointer, "port " + std::to_string(port.port) + " of the host's loopback");
  for (const PublishedPort& port : network.publish) {
    Add(clauses, port.pointer,
        "host port " + std::to_string(port.host) + " leads to port " + std::to_string(port.guest));
  }
  // A ceiling may have cut it.
  Add(clauses, policy.network.upstream.pointer, "through the proxy of the launcher's environment");
  if (network.proxy) Add(clauses, network.proxy->pointer, "egress through the proxy");
  if (network.share_host) Add(clauses, network.share_host_pointer, "the host's own network, unfiltered");
  // Direct execution enforces no defaults, so only written clauses count.
  if (clauses.size() == before && (config.network_written || TraitsOf(policy.containment).isolates)) {
    Add(clauses, "/network", "no network");
  }
}

std::string_view Text(Clipboard clipboard) {
  switch (clipboard) {
    case Clipboard::kNone:
      return "no clipboard";
    case Clipboard::kRead:
      return "reading the clipboard";
    case Clipboard::kWrite:
      return "writing the clipboard";
    case Clipboard::kAll:
      return "the clipboard";
  }
  return "no clipboard";
}

// A Linux sandbox has no access to the desktop, so it needs no clause.
void AddUi(std::vector<Clause>& clauses, const Ui& ui, OperatingSystem system) {
  if (system == OperatingSystem::kLinux) return;
  Add(clauses, ui.disabled_pointer, ui.disabled ? "no windows" : "windows");
  Add(clauses, ui.clipboard_pointer, std::string(Text(ui.clipboard)));
  Add(clauses, ui.injection_pointer, ui.injection ? "input to other windows" : "no input to other windows");
}

std::string OutputText(const Output& output) {
  std::string text = "output";
  if (output.max_bytes != 0) text += " of at most " + std::to_string(output.max_bytes) + " bytes per stream";
  if (output.redact_secrets) text += ", secrets redacted";
  if (output.redact_pii) text += ", personal data redacted";
  return text;
}

}  // namespace

std::vector<Clause> ClausesOf(const Config& config, const Policy& policy,
                              const std::map<std::string, std::string>& tools) {
  std::vector<Clause> clauses;
  for (const PathRule& rule : policy.paths) {
    if (rule.origin == Origin::kProtection) continue;
    const bool socket = rule.object && rule.object->type == FileType::kSocket;
    const std::string_view what = socket && rule.access != Access::kDenied ? "socket" : Name(rule.access);
    const auto tool = tools.find(rule.path);
    const bool inherited = tool != tools.end() && rule.pointer == config.tools_pointer;
    Add(clauses, rule.pointer,
        std::string(what) + " " + Quoted(rule.path) + Moved(policy.workspace, rule.path) +
            (inherited ? ": " + tool->second : ""));
  }
  AddProtection(clauses, config, policy);
  Add(clauses, config.private_temp_pointer, "a private, empty /tmp");
  AddNetwork(clauses, config, policy);
  AddUi(clauses, policy.ui, policy.system);
  if (config.process.timeout_ms != 0) {
    Add(clauses, config.process.timeout_pointer,
        "ended after " + std::to_string(config.process.timeout_ms) + " ms");
  }
  if (config.output.Pumped()) Add(clauses, config.output_pointer, OutputText(config.output));
  if (!config.audit.path.empty()) {
    Add(clauses, config.audit_pointer, "a record in " + Quoted(policy.audit.path) + " before the start");
  }
  for (const ResourceLimit& limit : config.resources) {
    Add(clauses, limit.pointer, "at most " + AmountText(limit));
  }
  Add(clauses, config.minimum_tier_pointer, "a tier of at least " + std::string(Name(config.minimum_tier)));
  return clauses;
}

}  // namespace mxc
