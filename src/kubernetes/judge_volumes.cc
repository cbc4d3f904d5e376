#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

#include "base/quoted.h"
#include "kubernetes/json_access.h"
#include "kubernetes/judge_pod.h"

namespace mxc::kubernetes {
namespace {

using Findings = std::vector<PodFinding>;

// Where Kubernetes mounts tokens, from the root or through the link /var/run.
constexpr std::string_view kTokenPath = "run/secrets/kubernetes.io/serviceaccount";

enum class Brings { kNothing, kToken, kSecret, kNode };

struct KnownSource {
  std::string_view name;
  Brings brings;
};

// Whatever is not among them may be anything of the node, or of a driver on it.
constexpr KnownSource kVolumes[] = {
    {"emptyDir", Brings::kNothing},    {"configMap", Brings::kNothing},
    {"downwardAPI", Brings::kNothing}, {"persistentVolumeClaim", Brings::kNothing},
    {"projected", Brings::kNothing},  // its sources are judged on their own
    {"secret", Brings::kSecret},       {"hostPath", Brings::kNode}};
constexpr KnownSource kProjected[] = {
    {"configMap", Brings::kNothing},          {"downwardAPI", Brings::kNothing},
    {"clusterTrustBundle", Brings::kNothing}, {"secret", Brings::kSecret},
    {"serviceAccountToken", Brings::kToken},  {"podCertificate", Brings::kToken}};

void FoundSecret(Findings& findings, std::string field, std::string mend) {
  findings.push_back({.check = PodCheck::kSecret,
                      .field = std::move(field),
                      .message = "a Secret may be a token of a service account; its type is not asked",
                      .mend = std::move(mend)});
}

// `member`: a source and what it holds. `field`: of the volume.
void JudgeSource(const JsonMember& member, std::span<const KnownSource> known, const std::string& field,
                 Findings& findings) {
  const auto* const source = std::find_if(known.data(), known.data() + known.size(),
                                          [&](const KnownSource& it) { return it.name == member.key; });
  if (source == known.data() + known.size()) {
    findings.push_back(
        {.check = PodCheck::kVolume,
         .field = field,
         .message = fmt::format("{} is no kind of volume that is known to be the pod's", Quoted(member.key)),
         .mend = "emptyDir: {}"});
    return;
  }
  if (source->brings == Brings::kNode) {
    findings.push_back({.check = PodCheck::kHostPath,
                        .field = field + ".hostPath",
                        .message = Quoted(Text(member.value, "path")) + " of the node is mounted",
                        .mend = "emptyDir: {}"});
  } else if (!IsObject(member.value)) {
    findings.push_back(WrongAnswer(fmt::format("{}.{} is no object", field, member.key)));
  } else if (source->brings == Brings::kToken) {
    findings.push_back({.check = PodCheck::kServiceAccountToken,
                        .field = field,
                        .message = "a token of the pod's service account is mounted",
                        .mend = "automountServiceAccountToken: false"});
  } else if (source->brings == Brings::kSecret) {
    FoundSecret(findings, field, "configMap, in place of secret");
  }
}

void JudgeProjected(const Json& projected, const std::string& field, Findings& findings) {
  const Json& sources = At(projected, "sources");
  if (IsNull(sources)) return;
  const bool objects = IsList(sources) && std::all_of(sources.items.begin(), sources.items.end(), IsObject);
  if (!objects) return findings.push_back(WrongAnswer(field + ".projected.sources is no list of objects"));
  for (const Json& source : sources.items) {
    for (const JsonMember& member : source.members)
      if (!IsNull(member.value)) JudgeSource(member, kProjected, field, findings);
  }
}

void JudgeMount(const Json& mount, const std::string& field, Findings& findings) {
  const std::string& path = Text(mount, "mountPath");
  if (path.find(kTokenPath) != std::string::npos)
    findings.push_back({.check = PodCheck::kServiceAccountToken,
                        .field = field + ".mountPath",
                        .message = "a token of a service account is mounted where programs look for it",
                        .mend = "automountServiceAccountToken: false"});
  const std::string& propagation = Text(mount, "mountPropagation");
  if (!propagation.empty() && propagation != "None")
    findings.push_back({.check = PodCheck::kVolume,
                        .field = field + ".mountPropagation",
                        .message = "mounts are passed on between the node and the container",
                        .mend = "mountPropagation: None"});
}

// Others than these are devices of the node, by the names of their drivers.
bool IsPlainResource(std::string_view name) {
  return name == "cpu" || name == "memory" || name == "ephemeral-storage" || name.starts_with("hugepages-");
}

void JudgeDevices(const Json& container, const std::string& at, Findings& findings) {
  const auto found = [&](std::string field, std::string message, std::string mend) {
    findings.push_back(
        {PodCheck::kDevices, at + "." + std::move(field), std::move(message), std::move(mend)});
  };
  if (!At(container, "volumeDevices").items.empty())
    found("volumeDevices", "a volume is given as a block device", "volumeMounts, in place of volumeDevices");
  const Json& resources = At(container, "resources");
  if (!At(resources, "claims").items.empty())
    found("resources.claims", "devices of the node are claimed", "claims: []");
  for (const char* amounts : {"limits", "requests"}) {
    for (const JsonMember& amount : At(resources, amounts).members) {
      if (IsPlainResource(amount.key)) continue;
      found(fmt::format("resources.{}", amounts), Quoted(amount.key) + " is a device of the node",
            "limits: {cpu: \"1\", memory: 1Gi}");
    }
  }
}

std::string_view TakeDigits(std::string_view& text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string_view digits = text.substr(0, end);
  text.remove_prefix(end);
  return digits;
}

// What may stand behind the number.
bool IsSuffix(std::string_view text) {
  constexpr std::array<std::string_view, 16> kSuffixes = {"",  "n", "u",  "m",  "k",  "M",  "G",  "T",
                                                          "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  if (std::find(kSuffixes.begin(), kSuffixes.end(), text) != kSuffixes.end()) return true;
  if (!text.starts_with('e') && !text.starts_with('E')) return false;
  text.remove_prefix(1);
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  return !TakeDigits(text).empty() && text.empty();
}

}  // namespace

void JudgeVolumes(const Json& spec, Findings& findings) {
  const std::vector<Json>& volumes = At(spec, "volumes").items;
  for (std::size_t i = 0; i < volumes.size(); ++i) {
    const std::string field = fmt::format("spec.volumes[{}]", i);
    bool sources = false;
    for (const JsonMember& member : volumes[i].members) {
      if (member.key == "name" || IsNull(member.value)) continue;
      sources = true;
      JudgeSource(member, kVolumes, field, findings);
    }
    if (!sources)
      findings.push_back({.check = PodCheck::kVolume,
                          .field = field,
                          .message = "it does not say what it is",
                          .mend = "emptyDir: {}"});
    JudgeProjected(At(volumes[i], "projected"), field, findings);
  }
  if (!At(spec, "resourceClaims").items.empty())
    findings.push_back({.check = PodCheck::kDevices,
                        .field = "spec.resourceClaims",
                        .message = "devices of the node are claimed",
                        .mend = "resourceClaims: []"});
}

void JudgeInputs(const Json& container, const std::string& at, Findings& findings) {
  const std::vector<Json>& mounts = At(container, "volumeMounts").items;
  for (std::size_t i = 0; i < mounts.size(); ++i)
    JudgeMount(mounts[i], fmt::format("{}.volumeMounts[{}]", at, i), findings);
  const std::vector<Json>& variables = At(container, "env").items;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (!IsNull(At(At(variables[i], "valueFrom"), "secretKeyRef")))
      FoundSecret(findings, fmt::format("{}.env[{}]", at, i), "value, in place of secretKeyRef");
  }
  const std::vector<Json>& sets = At(container, "envFrom").items;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    if (!IsNull(At(sets[i], "secretRef")))
      FoundSecret(findings, fmt::format("{}.envFrom[{}]", at, i), "configMapRef, in place of secretRef");
  }
  JudgeDevices(container, at, findings);
}

bool IsPositiveAmount(const Json& quantity) {
  if (quantity.kind == Json::Kind::kInteger) return !quantity.negative && quantity.integer != 0;
  if (!IsText(quantity)) return false;
  std::string_view text = quantity.text;
  if (text.starts_with('+')) text.remove_prefix(1);
  std::string digits{TakeDigits(text)};
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    digits += TakeDigits(text);
  }
  return digits.find_first_not_of('0') != std::string::npos && IsSuffix(text);
}

}  // namespace mxc::kubernetes
