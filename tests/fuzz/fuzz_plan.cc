// Random policies through every planner. Properties: no crash; a plan answers every clause or is refused; no
// secret in any description; nothing denied is bound; every ancestor is mounted before what stands below it;
// the host's /proc, /dev and /sys never show.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "backends/linux/mount_words.h"
#include "dispatch.h"
#include "plan/describe.h"
#include "plan/make_plan.h"
#include "policy/paths/paths.h"

namespace mxc {
namespace {

constexpr std::string_view kMarker = "5ecret-marker";

void Require(bool condition, std::string_view what, const Plan& plan) {
  if (condition) return;
  std::string text;
  if (const LinuxSandbox* sandbox = LinuxSandboxOf(plan.launch); sandbox != nullptr) {
    for (const MountNode& node : sandbox->mounts)
      text += linux_backend::Words(node).kind + " " + linux_backend::Words(node).target + "\n";
  }
  std::fprintf(stderr, "%.*s\n%s", static_cast<int>(what.size()), what.data(), text.c_str());
  std::abort();
}

class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), end_(data + size) {}
  [[nodiscard]] bool empty() const { return data_ == end_; }
  std::size_t Below(std::size_t limit) { return empty() ? 0 : *data_++ % limit; }
  bool Flip() { return Below(2) == 1; }

 private:
  const std::uint8_t* data_;
  const std::uint8_t* end_;
};

std::string SomePath(Bytes& bytes) {
  constexpr const char* kNames[] = {"a",   "b",   "a-b",  "etc", "usr", "bin",     "tmp",  "home",
                                    "dev", "shm", "proc", "sys", "1",   "cpuinfo", "null", "\xff\n"};
  std::string path;
  for (std::size_t depth = bytes.Below(6); depth > 0; --depth)
    path += std::string("/") + kNames[bytes.Below(16)];
  return path.empty() ? "/" : path;
}

PathRule SomeRule(Bytes& bytes, std::size_t number) {
  constexpr Access kAccess[] = {Access::kReadOnly, Access::kReadWrite, Access::kDenied};
  constexpr FileType kTypes[] = {FileType::kDirectory, FileType::kRegular, FileType::kSocket,
                                 FileType::kSymlink};
  PathRule rule{.path = SomePath(bytes), .access = kAccess[bytes.Below(3)]};
  rule.origin = bytes.Below(4) == 0 ? Origin::kBaseline : Origin::kPolicy;
  if (rule.origin == Origin::kPolicy) rule.pointer = "/filesystem/paths/" + std::to_string(number);
  if (rule.access != Access::kDenied || bytes.Flip()) {
    rule.object = FileObject{.device = 1, .inode = number, .type = kTypes[bytes.Below(4)]};
  } else {
    std::size_t end = rule.path.size();
    for (std::size_t up = bytes.Below(3); up > 0 && rule.path.rfind('/', end - 1) != 0; --up) {
      end = rule.path.rfind('/', end - 1);
    }
    rule.first_missing = rule.path.substr(0, end);
    if (bytes.Below(4) == 0) {
      rule.first_missing = rule.path;
      rule.look_alike = FileObject{.device = 1, .inode = number, .type = kTypes[bytes.Below(2)]};
    }
  }
  return rule;
}

void AddNetwork(Bytes& bytes, Policy& policy) {
  Network& network = policy.network;
  network.share_host = bytes.Below(4) == 0;
  network.share_host_pointer = "/network/defaultPolicy";
  network.egress = bytes.Below(8) == 0 ? RuleAction::kAllow : RuleAction::kDeny;
  network.egress_pointer = "/network/egress/default";
  if (bytes.Below(8) == 0) network.deny.push_back({.pointer = "/network/egress/deny/0"});
  if (bytes.Below(8) == 0) network.allow.push_back({.pointer = "/network/egress/allow/0"});
  if (bytes.Below(8) == 0) network.proxy = ProxyRule{.url = "http://p:1", .pointer = "/network/proxy"};
  policy.clauses.push_back({.pointer = network.egress_pointer, .text = "egress"});
  if (network.share_host) policy.clauses.push_back({.pointer = network.share_host_pointer, .text = "shared"});
  for (const NetworkRule& rule : network.deny)
    policy.clauses.push_back({.pointer = rule.pointer, .text = "deny"});
}

// Resolve looks at each directory once: what stands at or above an existing path is never called missing.
void Reconcile(std::vector<PathRule>& rules) {
  for (PathRule& rule : rules) {
    const auto exists_below = [&](const PathRule& other) {
      return other.object && IsAtOrBelow(other.path, rule.first_missing);
    };
    if (rule.object || std::none_of(rules.begin(), rules.end(), exists_below)) continue;
    rule.object = FileObject{.device = 1, .inode = 1, .type = FileType::kDirectory};
    rule.first_missing.clear();
    rule.look_alike.reset();
  }
}

Policy SomePolicy(Bytes& bytes) {
  Policy policy;
  policy.process.argv = {"/bin/sh", "-c", "true"};
  policy.process.cwd = "/";
  policy.process.environment = {{"TOKEN", Secret{std::string(kMarker)}}};
  policy.identity = {.uid = bytes.Flip() ? 0U : 1000U};
  policy.interactive = bytes.Flip();
  policy.process.timeout_ms = static_cast<std::uint32_t>(bytes.Below(2));
  if (bytes.Flip()) policy.clauses.push_back({.pointer = "/process/timeout", .text = "time-out"});
  if (bytes.Below(8) == 0) policy.clauses.push_back({.pointer = "/unknown", .text = "what nobody knows"});
  AddNetwork(bytes, policy);
  std::set<std::string> seen;
  while (!bytes.empty() && policy.paths.size() < 60) {
    if (bytes.Below(6) == 0) policy.links.push_back({SomePath(bytes), "x"});
    PathRule rule = SomeRule(bytes, policy.paths.size());
    if (!seen.insert(rule.path).second) continue;
    if (!rule.pointer.empty()) policy.clauses.push_back({.pointer = rule.pointer, .text = rule.path});
    policy.paths.push_back(std::move(rule));
  }
  Reconcile(policy.paths);
  std::sort(policy.paths.begin(), policy.paths.end(),
            [](const PathRule& left, const PathRule& right) { return PathBefore(left.path, right.path); });
  return policy;
}

// The node that decides what stands at `path`: the last one at or above it.
const MountNode* NodeAt(const LinuxSandbox& sandbox, std::string_view path) {
  const MountNode* decisive = nullptr;
  for (const MountNode& node : sandbox.mounts) {
    if (std::holds_alternative<MakeDirectory>(node)) continue;
    if (IsAtOrBelow(path, linux_backend::Words(node).target)) decisive = &node;
  }
  return decisive;
}

void CheckRule(const PathRule& rule, const Plan& plan) {
  const MountNode* node = NodeAt(*LinuxSandboxOf(plan.launch), rule.path);
  const auto* bind = node == nullptr ? nullptr : std::get_if<BindMount>(node);
  const bool policy_rule = rule.origin == Origin::kPolicy;
  if (rule.access != Access::kDenied) {
    if (policy_rule)
      Require(bind != nullptr && bind->access == rule.access, "wrong access to " + rule.path, plan);
    return;
  }
  const bool readable_only =
      bind != nullptr && bind->access == Access::kReadOnly && !rule.object && !rule.look_alike;
  Require(bind == nullptr || readable_only, "denied but bound: " + rule.path, plan);
}

void CheckTree(const Policy& policy, const Plan& plan) {
  const std::vector<MountNode>& mounts = LinuxSandboxOf(plan.launch)->mounts;
  for (std::size_t later = 0; later < mounts.size(); ++later) {
    for (std::size_t earlier = 0; earlier < later; ++earlier) {
      const std::string below = linux_backend::Words(mounts[earlier]).target;
      const std::string above = linux_backend::Words(mounts[later]).target;
      Require(below == above || !IsAtOrBelow(below, above), "mounted over: " + below, plan);
    }
  }
  for (const char* path : {"/proc/version", "/dev/sda", "/sys/kernel"}) {
    const MountNode* node = NodeAt(*LinuxSandboxOf(plan.launch), path);
    Require(node == nullptr || !std::holds_alternative<BindMount>(*node), std::string("shown: ") + path,
            plan);
  }
  for (const PathRule& rule : policy.paths) CheckRule(rule, plan);
}

void CheckPlan(const Policy& policy, const Plan& plan) {
  Require(plan.ledger.size() == policy.clauses.size(), "a clause without an answer", plan);
  for (const Enforcement& entry : plan.ledger)
    Require(entry.strength != Strength::kNone, "an empty claim", plan);
  Require(DescribeText(Dispatch(plan.containment), policy, plan).find(kMarker) == std::string::npos,
          "secret in text", plan);
  Require(DescribeJson(Dispatch(plan.containment), policy, plan).find(kMarker) == std::string::npos,
          "secret in JSON", plan);
  if (LinuxSandboxOf(plan.launch) != nullptr) CheckTree(policy, plan);
}

}  // namespace
}  // namespace mxc

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mxc::Bytes bytes{data, size};
  mxc::Support support{.usable = true, .tier = mxc::Tier::kContainer, .program = "/usr/bin/bwrap"};
  if (bytes.Flip()) support.features = {"bind-fd", "size"};
  mxc::Policy policy = mxc::SomePolicy(bytes);
  for (const mxc::ContainmentTraits& traits : mxc::AllContainments()) {
    policy.containment = traits.containment;
    const mxc::Result<mxc::Plan> plan = mxc::MakePlan(mxc::Dispatch(traits.containment), policy, support);
    if (plan.ok()) {
      mxc::CheckPlan(policy, *plan);
    } else if (plan.error().message.empty()) {
      std::abort();
    }
  }
  return 0;
}
