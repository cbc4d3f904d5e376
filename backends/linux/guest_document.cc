#include "backends/linux/guest_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "mxc/json.h"

namespace mxc::linux_backend {
namespace {

constexpr std::uint64_t kMegabyte = 1U << 20U;
constexpr std::uint64_t kThousandths = 1000;

std::string Join(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string List(const std::vector<std::string>& items) { return "[" + Join(items) + "]"; }
std::string Object(const std::vector<std::string>& members) { return "{" + Join(members) + "}"; }

std::string Member(std::string_view key, std::string_view value) {
  return fmt::format("{}: {}", JsonString(key), value);
}

std::string PathsWith(Access access, const std::vector<PathRule>& paths) {
  std::vector<std::string> items;
  for (const PathRule& rule : paths) {
    if (rule.access == access && rule.pointer != "/filesystem/temp") items.push_back(JsonString(rule.path));
  }
  return List(items);
}

std::string Files(const Policy& policy, const std::vector<PathRule>& paths) {
  std::vector<std::string> presets;
  for (const ProtectEntry& entry : policy.protect) presets.push_back(JsonString(entry.preset));
  std::vector<std::string> members = {Member("readwritePaths", PathsWith(Access::kReadWrite, paths)),
                                      Member("readonlyPaths", PathsWith(Access::kReadOnly, paths)),
                                      Member("deniedPaths", PathsWith(Access::kDenied, paths)),
                                      Member("protect", List(presets))};
  const bool shared = std::any_of(paths.begin(), paths.end(),
                                  [](const PathRule& rule) { return rule.pointer == "/filesystem/temp"; });
  if (shared) members.push_back(Member("temp", JsonString("shared")));
  return Object(members);
}

std::string PeerText(const Peer& peer) {
  if (!peer.host.empty()) return Object({Member("host", JsonString(peer.host))});
  std::vector<std::string> except;
  for (const std::string& block : peer.except) except.push_back(JsonString(block));
  std::vector<std::string> members = {Member("cidr", JsonString(peer.cidr))};
  if (!except.empty()) members.push_back(Member("except", List(except)));
  return Object(members);
}

std::string PortText(const PortRange& range) {
  std::vector<std::string> members = {Member("protocol", JsonString(Name(range.protocol)))};
  if (range.first != 0) members.push_back(Member("port", std::to_string(range.first)));
  if (range.last > range.first) members.push_back(Member("endPort", std::to_string(range.last)));
  return Object(members);
}

std::string Rules(const std::vector<NetworkRule>& rules) {
  std::vector<std::string> items;
  for (const NetworkRule& rule : rules) {
    std::vector<std::string> to;
    std::vector<std::string> ports;
    for (const Peer& peer : rule.to) to.push_back(PeerText(peer));
    for (const PortRange& range : rule.ports) ports.push_back(PortText(range));
    std::vector<std::string> members;
    if (!to.empty()) members.push_back(Member("to", List(to)));
    if (!ports.empty()) members.push_back(Member("ports", List(ports)));
    if (rule.uninspected) members.push_back(Member("inspect", JsonString("none")));
    items.push_back(Object(members));
  }
  return List(items);
}

std::string NetworkText(const Network& network, const std::vector<PublishedPort>& mapped) {
  const char* const verdict = network.egress == RuleAction::kAllow ? "allow" : "deny";
  std::vector<std::string> ports;
  for (const auto* list : {&network.publish, &mapped}) {
    for (const PublishedPort& port : *list) {
      ports.push_back(
          Object({Member("host", std::to_string(port.host)), Member("guest", std::to_string(port.guest))}));
    }
  }
  std::vector<std::string> egress = {Member("default", JsonString(verdict))};
  if (!network.allow.empty()) egress.push_back(Member("allow", Rules(network.allow)));
  if (!network.deny.empty()) egress.push_back(Member("deny", Rules(network.deny)));
  std::vector<std::string> members = {Member("egress", Object(egress))};
  if (!ports.empty()) members.push_back(Member("ingress", Object({Member("publish", List(ports))})));
  return Object(members);
}

std::string Amount(const ResourceLimit& limit) {
  switch (limit.resource) {
    case Resource::kMemory:
      return Member("memoryMb", std::to_string(limit.amount / kMegabyte));
    case Resource::kCpus:
      return Member("cpus",
                    fmt::format("{}.{:03}", limit.amount / kThousandths, limit.amount % kThousandths));
    case Resource::kProcesses:
      return Member("processes", std::to_string(limit.amount));
    case Resource::kOpenFiles:
      return Member("openFiles", std::to_string(limit.amount));
    case Resource::kTmp:
      return Member("tmpMb", std::to_string(limit.amount / kMegabyte));
    case Resource::kFileSize:
      return Member("fileSizeMb", std::to_string(limit.amount / kMegabyte));
    case Resource::kCpuTime:
      return Member("cpuTimeMs", std::to_string(limit.amount));
  }
  return {};
}

// The smaller of what two places of the document say.
void Limit(const ResourceLimit& other, std::vector<ResourceLimit>& limits) {
  for (ResourceLimit& limit : limits) {
    if (limit.resource != other.resource) continue;
    limit.amount = std::min(limit.amount, other.amount);
    return;
  }
  limits.push_back(other);
}

std::string Resources(const Policy& policy, const Guest& guest) {
  std::vector<ResourceLimit> limits = policy.resources;
  for (const ResourceLimit& limit : guest.limits) Limit(limit, limits);
  std::vector<std::string> members;
  members.reserve(limits.size());
  for (const ResourceLimit& limit : limits) members.push_back(Amount(limit));
  return Object(members);
}

std::string OutputText(const Output& output) {
  std::vector<std::string> redact;
  if (output.redact_secrets) redact.push_back(JsonString("secrets"));
  if (output.redact_pii) redact.push_back(JsonString("pii"));
  std::vector<std::string> members = {Member("redact", List(redact))};
  if (output.max_bytes != 0) members.push_back(Member("maxBytes", std::to_string(output.max_bytes)));
  return Object(members);
}

// The last section, and of it the environment the last member: what stands before may be shown.
void AddProcess(const Process& process, const Guest& guest, std::vector<TextPart>& config) {
  std::vector<std::string> argv;
  for (const std::string& argument : process.argv) argv.push_back(JsonString(argument));
  std::vector<std::string> members;
  members.push_back(process.command_line.empty() ? Member("argv", List(argv))
                                                 : Member("commandLine", JsonString(process.command_line)));
  members.push_back(Member("cwd", JsonString(guest.cwd)));
  if (guest.timeout_ms != 0) members.push_back(Member("timeout", std::to_string(guest.timeout_ms)));
  members.push_back(Member("inheritDefaultEnv", process.keeps_guest_environment ? "true" : "false"));
  const bool exact = !process.keeps_guest_environment;
  std::string text = " \"process\": {" + Join(members);
  if (!process.environment.empty() || exact) text += ", \"env\": [";
  for (std::size_t i = 0; i < process.environment.size(); ++i) {
    const Variable& variable = process.environment[i];
    const std::string name = JsonString(variable.name + "=");
    const std::string value = JsonString(variable.value.Reveal());
    config.emplace_back(text + (i == 0 ? "" : ", ") + name.substr(0, name.size() - 1));
    config.emplace_back(Secret{value.substr(1, value.size() - 2)});
    text = "\"";
  }
  config.emplace_back(text + (!process.environment.empty() || exact ? "]" : "") + "}}\n");
}

}  // namespace

std::vector<TextPart> GuestDocument(const Policy& policy, const Guest& guest) {
  // An image takes a container; without one the mxc-exec inside chooses.
  const bool image = !guest.image.distribution.empty();
  std::string text =
      "{\"version\": \"1.1.0-alpha\", \"containment\": " + JsonString(image ? "lxc" : "process") + ",\n";
  if (image) {
    text += " \"lxc\": " +
            Object({Member("distribution", JsonString(guest.image.distribution)),
                    Member("release", JsonString(guest.image.release))}) +
            ",\n";
  }
  if (guest.minimum_tier != Tier::kNone)
    text += " \"minimumTier\": " + JsonString(Name(guest.minimum_tier)) + ",\n";
  if (!policy.container_id.empty()) text += " \"containerId\": " + JsonString(policy.container_id) + ",\n";
  text += " \"filesystem\": " + Files(policy, guest.paths) + ",\n";
  text += " \"network\": " + NetworkText(policy.network, guest.ports) + ",\n";
  text += " \"resources\": " + Resources(policy, guest) + ",\n";
  if (policy.output.Pumped()) text += " \"output\": " + OutputText(policy.output) + ",\n";
  std::vector<TextPart> config = {std::move(text)};
  AddProcess(policy.process, guest, config);
  return config;
}

}  // namespace mxc::linux_backend
