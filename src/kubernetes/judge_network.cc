#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/quoted.h"
#include "kubernetes/address_blocks.h"
#include "kubernetes/json_access.h"
#include "kubernetes/judge_pod.h"

namespace mxc::kubernetes {
namespace {

constexpr std::uint64_t kNamePort = 53;

bool HasOnly(const Json& object, std::span<const std::string_view> keys) {
  return IsObject(object) &&
         std::all_of(object.members.begin(), object.members.end(), [&](const JsonMember& member) {
           return IsNull(member.value) || std::find(keys.begin(), keys.end(), member.key) != keys.end();
         });
}

// What one clause of a selector says of a pod. `kUnknown` is taken for whatever refuses.
enum class Selection { kNo, kYes, kUnknown };

Selection Of(bool yes) { return yes ? Selection::kYes : Selection::kNo; }

// A label that is absent is null.
Selection Holds(const Json& expression, const Json& labels) {
  constexpr std::string_view kKeys[] = {"key", "operator", "values"};
  const Json& values = At(expression, "values");
  const std::string& key = Text(expression, "key");
  if (!HasOnly(expression, kKeys) || key.empty()) return Selection::kUnknown;
  if (!IsNull(values) && !(IsList(values) && std::all_of(values.items.begin(), values.items.end(), IsText)))
    return Selection::kUnknown;
  const Json& label = At(labels, key);
  const bool among = IsText(label) && std::any_of(values.items.begin(), values.items.end(),
                                                  [&](const Json& it) { return it.text == label.text; });
  const std::string& op = Text(expression, "operator");
  if (op == "In" || op == "NotIn")
    return values.items.empty() ? Selection::kUnknown : Of(op == "In" ? among : !among);
  if ((op == "Exists" || op == "DoesNotExist") && values.items.empty())
    return Of(op == "Exists" ? IsText(label) : IsNull(label));
  return Selection::kUnknown;
}

bool IsReadable(const Json& selector) {
  constexpr std::string_view kKeys[] = {"matchLabels", "matchExpressions"};
  const Json& wanted = At(selector, "matchLabels");
  const Json& expressions = At(selector, "matchExpressions");
  return HasOnly(selector, kKeys) && (IsNull(wanted) || IsObject(wanted)) &&
         std::all_of(wanted.members.begin(), wanted.members.end(),
                     [](const JsonMember& it) { return IsText(it.value); }) &&
         (IsNull(expressions) || IsList(expressions));
}

// A label selector; an empty one selects all.
Selection Selects(const Json& selector, const Json& labels) {
  if (!IsReadable(selector)) return Selection::kUnknown;
  Selection selection = Selection::kYes;
  const auto also = [&](Selection next) {
    if (next == Selection::kUnknown || selection == Selection::kYes) selection = next;
  };
  for (const Json& expression : At(selector, "matchExpressions").items) {
    also(Holds(expression, labels));
    if (selection == Selection::kUnknown) return selection;
  }
  for (const JsonMember& wanted : At(selector, "matchLabels").members) {
    const Json& label = At(labels, wanted.key);
    also(Of(IsText(label) && label.text == wanted.value.text));
  }
  return selection;
}

// It names those that it selects. A label that anybody may lack, or have with whatever value, names nobody.
bool IsChoice(const Json& selector) {
  if (!IsReadable(selector)) return false;
  bool chosen = !At(selector, "matchLabels").members.empty();
  for (const Json& expression : At(selector, "matchExpressions").items) {
    if (Holds(expression, {}) == Selection::kUnknown) return false;
    chosen = chosen || Text(expression, "operator") == "In";
  }
  return chosen;
}

bool Governs(const Json& policy, std::string_view direction) {
  if (!IsNull(At(At(policy, "metadata"), "deletionTimestamp"))) return false;
  const Json& spec = At(policy, "spec");
  const Json& types = At(spec, "policyTypes");
  if (IsNull(types)) {  // as the API server fills it in
    const Json& egress = At(spec, "egress");
    return direction == "Ingress" || (IsList(egress) && !egress.items.empty());
  }
  return IsList(types) && std::any_of(types.items.begin(), types.items.end(),
                                      [&](const Json& it) { return IsText(it) && it.text == direction; });
}

bool IsForNames(const Json& rule) {
  constexpr std::string_view kKeys[] = {"port", "protocol"};
  const Json& ports = At(rule, "ports");
  return IsList(ports) && !ports.items.empty() &&
         std::all_of(ports.items.begin(), ports.items.end(), [&](const Json& it) {
           const Json& protocol = At(it, "protocol");
           return HasOnly(it, kKeys) && IsNumber(At(it, "port"), kNamePort) &&
                  (IsNull(protocol) || Text(it, "protocol") == "UDP" || Text(it, "protocol") == "TCP");
         });
}

// The peers of a direction: "from" of ingress, "to" of egress.
class NetworkJudge {
 public:
  std::vector<PodFinding> Take() && {
    name_ = "NetworkPolicy: ";
    if (AreEverybody(clients_)) Open("spec.ingress", "address blocks let everybody connect to the pod");
    return std::move(findings_);
  }

  void JudgeRules(const Json& policy) {
    constexpr std::string_view kKeys[] = {"podSelector", "policyTypes", "ingress", "egress"};
    name_ = "NetworkPolicy " + Escaped(Text(At(policy, "metadata"), "name")) + ": ";
    const Json& spec = At(policy, "spec");
    if (!HasOnly(spec, kKeys)) Open("spec", "it has a member that is not known");
    JudgeDirection(spec, "ingress", "from");
    JudgeDirection(spec, "egress", "to");
  }

  void Missing(const char* direction) {
    findings_.push_back(
        {.check = PodCheck::kNetworkPolicy,
         .field = "NetworkPolicy",
         .message = std::string("none selects the pod for ") + direction,
         .mend = fmt::format("policyTypes: [Ingress, Egress], in a NetworkPolicy that selects it")});
  }

 private:
  void Open(const std::string& field, std::string message) {
    findings_.push_back({.check = PodCheck::kNetworkOpen,
                         .field = name_ + field,
                         .message = std::move(message),
                         .mend = "a peer of its own, or except: [10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, "
                                 "100.64.0.0/10, 169.254.0.0/16], in the NetworkPolicy"});
  }

  void JudgeDirection(const Json& spec, const char* direction, std::string_view key) {
    const Json& rules = At(spec, direction);
    const std::string at = fmt::format("spec.{}", direction);
    if (IsNull(rules)) return;
    if (!IsList(rules)) return Open(at, "it is no list of rules");
    for (std::size_t i = 0; i < rules.items.size(); ++i)
      JudgeRule(rules.items[i], key, fmt::format("{}[{}]", at, i));
  }

  void JudgeRule(const Json& rule, std::string_view key, const std::string& field) {
    const std::string_view keys[] = {key, "ports"};
    const bool out = key == "to";
    const Json& peers = At(rule, key);
    if (!HasOnly(rule, keys) || (!IsNull(peers) && !IsList(peers)))
      return Open(field, "it is no rule that is known");
    const bool names = out && IsForNames(rule);
    if (peers.items.empty() && !names)
      return Open(field, out ? "the pod reaches every address" : "everybody may connect to the pod");
    for (const Json& peer : peers.items) {
      if (const std::string open = out ? OpenTo(peer, names) : OpenFrom(peer); !open.empty())
        Open(field, open);
    }
  }

  // Why the peer is more than a choice; empty: it is none.
  static std::string OpenTo(const Json& peer, bool names) {
    if (!IsKnown(peer)) return "a peer is not known: it may be everybody";
    const Json& block = At(peer, "ipBlock");
    if (!IsNull(block)) {
      const std::optional<IpBlock> read = ReadIpBlock(block);
      if (!read) return "an address block cannot be read";
      const std::string_view part = PrivatePartOf(*read);
      return part.empty() ? "" : fmt::format("{} lets the pod into {}", Quoted(Text(block, "cidr")), part);
    }
    return IsEverybody(peer) && !names ? "the pod reaches every pod" : "";
  }

  std::string OpenFrom(const Json& peer) {
    if (!IsKnown(peer)) return "a peer is not known: it may be everybody";
    const Json& block = At(peer, "ipBlock");
    if (IsNull(block)) return IsEverybody(peer) ? "every pod may connect to the pod" : "";
    const std::optional<IpBlock> read = ReadIpBlock(block);
    if (!read) return "an address block cannot be read";
    clients_.push_back(read->block);
    return "";
  }

  // A block, or selectors.
  static bool IsKnown(const Json& peer) {
    constexpr std::string_view kBlock[] = {"ipBlock"};
    constexpr std::string_view kSelectors[] = {"namespaceSelector", "podSelector"};
    if (!IsNull(At(peer, "ipBlock"))) return HasOnly(peer, kBlock) && IsObject(At(peer, "ipBlock"));
    const Json& spaces = At(peer, "namespaceSelector");
    const Json& pods = At(peer, "podSelector");
    const auto fits = [](const Json& selector) { return IsNull(selector) || IsReadable(selector); };
    return HasOnly(peer, kSelectors) && fits(spaces) && fits(pods) && !(IsNull(spaces) && IsNull(pods));
  }

  // Of the cluster, or of the pod's own namespace: neither selector chooses.
  static bool IsEverybody(const Json& peer) {
    return !IsChoice(At(peer, "namespaceSelector")) && !IsChoice(At(peer, "podSelector"));
  }

  std::vector<PodFinding> findings_;
  std::vector<Cidr> clients_ = {};  // of all policies
  std::string name_ = {};           // of the policy that is judged
};

}  // namespace

std::vector<PodFinding> JudgeNetwork(const Json& pod, const Json& policies) {
  const Json& labels = At(At(pod, "metadata"), "labels");
  NetworkJudge judge;
  bool ingress = false;
  bool egress = false;
  for (const Json& policy : At(policies, "items").items) {
    const Selection selected = Selects(At(At(policy, "spec"), "podSelector"), labels);
    if (selected == Selection::kNo) continue;
    const bool sure = selected == Selection::kYes;
    ingress = ingress || (sure && Governs(policy, "Ingress"));
    egress = egress || (sure && Governs(policy, "Egress"));
    judge.JudgeRules(policy);
  }
  if (!ingress) judge.Missing("ingress");
  if (!egress) judge.Missing("egress");
  return std::move(judge).Take();
}

}  // namespace mxc::kubernetes
