#include "kubernetes/judge_pod.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/quoted.h"
#include "document/parse.h"
#include "kubernetes/api_answer.h"
#include "kubernetes/api_shape.h"
#include "kubernetes/json_access.h"

namespace mxc::kubernetes {
namespace {

constexpr const char* kContainerLists[] = {"containers", "initContainers", "ephemeralContainers"};

constexpr std::string_view kAppArmorAnnotation = "container.apparmor.security.beta.kubernetes.io/";

// What the Pod Security Standard `baseline` allows: of the pod's own namespaces, and of confined types.
constexpr std::string_view kSysctls[] = {
    "kernel.shm_rmid_forced",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.ip_local_reserved_ports",
    "net.ipv4.ping_group_range",
    "net.ipv4.tcp_fin_timeout",
    "net.ipv4.tcp_keepalive_intvl",
    "net.ipv4.tcp_keepalive_time",
    "net.ipv4.tcp_keepalive_probes",
    "net.ipv4.ip_unprivileged_port_start",
    "net.ipv4.tcp_syncookies",
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_wmem",
};
constexpr std::string_view kSeLinuxTypes[] = {"", "container_t", "container_init_t", "container_kvm_t",
                                              "container_engine_t"};

bool IsOneOf(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class Judge {
 public:
  Judge(const Json& pod, const PodRun& run) : pod_(pod), spec_(At(pod, "spec")), run_(run) {}

  std::vector<PodFinding> Take() && { return std::move(findings_); }

  void JudgeAll() {
    if (!HasShape()) return;  // nothing else can be said of it
    JudgePodItself();
    JudgeProcesses();
    JudgeVolumes(spec_, findings_);
    for (const char* list : kContainerLists) {
      const std::vector<Json>& containers = At(spec_, list).items;
      for (std::size_t i = 0; i < containers.size(); ++i)
        JudgeContainer(containers[i], fmt::format("spec.{}[{}]", list, i));
    }
    JudgeLabels();
    JudgeWorkspace();
  }

 private:
  void Find(PodCheck check, std::string field, std::string message, std::string mend) {
    findings_.push_back({check, std::move(field), std::move(message), std::move(mend)});
  }

  bool HasShape() {
    const Json& metadata = At(pod_, "metadata");
    ShapeFindings shape;
    if (!IsObject(spec_)) shape.wrong = "spec is no object";
    if (!IsNull(metadata) && !IsObject(metadata)) shape.wrong = "metadata is no object";
    CheckShape(metadata, PodMetadataShape(), "metadata", shape);
    shape.unknown.clear();  // the others of the metadata say nothing of the pod
    CheckShape(spec_, PodSpecShape(), "spec", shape);
    if (shape.wrong.empty() && At(spec_, "containers").items.empty())
      shape.wrong = "spec.containers is no list of containers";
    for (const std::string& field : shape.unknown)
      Find(PodCheck::kUnknownField, Escaped(field), "it is not known what it does",
           "nothing of it, or use a newer mxc-exec");
    if (!shape.wrong.empty()) findings_.push_back(WrongAnswer(shape.wrong));
    return shape.wrong.empty();
  }

  void JudgePodItself() {
    const auto refuse = [this](const char* key, PodCheck check, const char* message) {
      if (IsBool(At(spec_, key), true))
        Find(check, std::string("spec.") + key, message, std::string(key) + ": false");
    };
    refuse("hostNetwork", PodCheck::kHostNetwork, "the pod has the node's network");
    refuse("hostPID", PodCheck::kHostPid, "the pod sees the node's processes");
    refuse("hostIPC", PodCheck::kHostIpc, "the pod has the node's IPC namespace");
    const std::string& runtime = Text(spec_, "runtimeClassName");
    if (run_.virtual_machine && !HasOwnKernel(runtime)) {
      Find(PodCheck::kRuntimeClass, "spec.runtimeClassName",
           runtime.empty()
               ? "the pod shares the node's kernel"
               : Quoted(runtime) + " is no runtime class that is known to have a kernel of its own",
           "runtimeClassName: kata");
    }
    for (const Json& sysctl : At(At(spec_, "securityContext"), "sysctls").items) {
      if (!IsOneOf(kSysctls, Text(sysctl, "name")))
        Find(PodCheck::kPrivileged, "spec.securityContext.sysctls",
             Quoted(Text(sysctl, "name")) + " may be the node's", "sysctls: []");
    }
    for (const JsonMember& note : At(At(pod_, "metadata"), "annotations").members) {
      const std::string_view profile = note.value.text;
      if (note.key.starts_with(kAppArmorAnnotation) && profile != "runtime/default" &&
          !profile.starts_with("localhost/"))
        Find(PodCheck::kPrivileged, "metadata.annotations", "AppArmor does not confine the container",
             Escaped(note.key) + ": runtime/default");
    }
  }

  // Whoever sees the command's processes, or is seen by it, is more than its container.
  void JudgeProcesses() {
    std::size_t running = At(spec_, "containers").items.size();
    for (const Json& start : At(spec_, "initContainers").items)
      if (Text(start, "restartPolicy") == "Always") ++running;
    const std::vector<Json>& ephemeral = At(spec_, "ephemeralContainers").items;
    running += ephemeral.size();
    if (IsBool(At(spec_, "shareProcessNamespace"), true) && running > 1)
      Find(PodCheck::kSharedProcesses, "spec.shareProcessNamespace",
           "the containers of the pod see each other's processes", "shareProcessNamespace: false");
    for (std::size_t i = 0; i < ephemeral.size(); ++i) {
      if (!Text(ephemeral[i], "targetContainerName").empty())
        Find(PodCheck::kSharedProcesses, fmt::format("spec.ephemeralContainers[{}].targetContainerName", i),
             "it sees the processes of another container", "nothing: somebody debugs this pod");
    }
  }

  // A value of the container, else of the pod.
  const Json& Context(const Json& container, const char* key) const {
    const Json& own = At(At(container, "securityContext"), key);
    return IsNull(own) ? At(At(spec_, "securityContext"), key) : own;
  }

  void JudgeContainer(const Json& container, const std::string& at) {
    const std::string field = at + ".securityContext.";
    JudgePrivileges(container, field);
    const bool own_users = IsBool(At(spec_, "hostUsers"), false);
    const Json& user = Context(container, "runAsUser");
    const bool never_root =
        IsNull(user) ? IsBool(Context(container, "runAsNonRoot"), true) : !IsNumber(user, 0);
    if (!own_users && !never_root)
      Find(PodCheck::kRoot, field + "runAsNonRoot", "the container may run as root", "runAsNonRoot: true");
    const std::string& seccomp = Text(Context(container, "seccompProfile"), "type");
    if (seccomp != "RuntimeDefault" && seccomp != "Localhost")
      Find(PodCheck::kSeccomp, field + "seccompProfile.type", "system calls are not filtered",
           "seccompProfile: {type: RuntimeDefault}");
    if (!IsBool(At(At(container, "securityContext"), "readOnlyRootFilesystem"), true))
      Find(PodCheck::kWritableRoot, field + "readOnlyRootFilesystem", "the root file system can be written",
           "readOnlyRootFilesystem: true");
    for (const char* resource : {"memory", "cpu"}) {
      if (IsPositiveAmount(At(At(At(container, "resources"), "limits"), resource))) continue;
      Find(
          PodCheck::kResources, fmt::format("{}.resources.limits.{}", at, resource),
          fmt::format("{} is not limited", resource),
          fmt::format("limits: {{{}: {}}}", resource, std::string_view(resource) == "cpu" ? "\"1\"" : "1Gi"));
    }
    const std::vector<Json>& ports = At(container, "ports").items;
    for (std::size_t i = 0; i < ports.size(); ++i) {
      const Json& port = At(ports[i], "hostPort");
      if (!IsNull(port) && !IsNumber(port, 0))
        Find(PodCheck::kHostNetwork, fmt::format("{}.ports[{}].hostPort", at, i),
             "a port of the node leads into the pod", "ports: []");
    }
    JudgeInputs(container, at, findings_);
  }

  void JudgePrivileges(const Json& container, const std::string& field) {
    const Json& context = At(container, "securityContext");
    const auto privileged = [&](const char* key, const char* message, const char* mend) {
      Find(PodCheck::kPrivileged, field + key, message, mend);
    };
    if (IsBool(At(context, "privileged"), true))
      privileged("privileged", "the container is privileged", "privileged: false");
    const std::string& proc = Text(context, "procMount");
    if (!proc.empty() && proc != "Default" && !IsBool(At(spec_, "hostUsers"), false))
      privileged("procMount", "nothing of the node's /proc is masked", "procMount: Default");
    if (IsBool(At(Context(container, "windowsOptions"), "hostProcess"), true))
      privileged("windowsOptions.hostProcess", "the container is a process of the node",
                 "hostProcess: false");
    const std::string& armor = Text(Context(container, "appArmorProfile"), "type");
    if (!armor.empty() && armor != "RuntimeDefault" && armor != "Localhost")
      privileged("appArmorProfile.type", "AppArmor does not confine the container",
                 "appArmorProfile: {type: RuntimeDefault}");
    const Json& linux_type = Context(container, "seLinuxOptions");
    if (!IsOneOf(kSeLinuxTypes, Text(linux_type, "type")) || !Text(linux_type, "user").empty() ||
        !Text(linux_type, "role").empty())
      privileged("seLinuxOptions", "SELinux may not confine the container",
                 "seLinuxOptions: {type: container_t}");
    if (!IsBool(At(context, "allowPrivilegeEscalation"), false))
      Find(PodCheck::kPrivilegeEscalation, field + "allowPrivilegeEscalation",
           "programs of the container can gain privileges", "allowPrivilegeEscalation: false");
    std::string added;
    for (const Json& capability : At(At(context, "capabilities"), "add").items)
      added += " " + Escaped(capability.text);
    if (!added.empty())
      Find(PodCheck::kCapabilities, field + "capabilities.add", "capabilities are added:" + added,
           "capabilities: {drop: [ALL]}");
  }

  void JudgeLabels() {
    for (const auto& [name, value] : run_.labels) {
      const Json& label = At(At(At(pod_, "metadata"), "labels"), name);
      if (IsText(label) && label.text == value) continue;
      Find(PodCheck::kLabels, "metadata.labels", "the label " + name + "=" + value + " is missing",
           name + ": " + value);
    }
  }

  // Of the container that the command runs in.
  void JudgeWorkspace() {
    const std::vector<Json>& containers = At(spec_, "containers").items;
    for (std::size_t i = 0; !run_.workspace.empty() && i < containers.size(); ++i) {
      if (run_.container.empty() ? i != 0 : Text(containers[i], "name") != run_.container) continue;
      for (const Json& mount : At(containers[i], "volumeMounts").items) {
        if (Text(mount, "mountPath") == run_.workspace && !IsBool(At(mount, "readOnly"), true)) return;
      }
      Find(PodCheck::kWorkspace, fmt::format("spec.containers[{}].volumeMounts", i),
           "no volume that can be written is mounted at '" + run_.workspace + "'",
           "volumeMounts: [{name: work, mountPath: " + run_.workspace + "}]");
    }
  }

  const Json& pod_;
  const Json& spec_;
  const PodRun& run_;
  std::vector<PodFinding> findings_;
};

Error ErrorOfFinding(const PodFinding& finding) {
  const PodCheckTraits& check = TraitsOf(finding.check);
  if (finding.check == PodCheck::kAnswer) return Unavailable(finding.message, "/kubernetes", finding.mend);
  std::string hint = "write in the SandboxTemplate: " + finding.mend;
  if (check.acceptable) hint += fmt::format("; or accept it: \"acceptedRisks\": [\"{}\"]", check.name);
  return Unavailable(
      fmt::format("the pod is refused ({}): {}: {}", check.name, finding.field, finding.message),
      "/kubernetes", std::move(hint));
}

}  // namespace

PodFinding WrongAnswer(std::string what) {
  const Error error = Unreadable({.kind = "Pod"}, Escaped(what));
  return {.check = PodCheck::kAnswer, .field = std::move(what), .message = error.message, .mend = error.hint};
}

std::vector<PodFinding> JudgePod(std::string_view pod, std::string_view network_policies, const PodRun& run) {
  const Result<Json> document = ParseDocument({.name = {}, .bytes = std::string(pod)});
  if (!document) return {WrongAnswer(document.error().message)};
  Judge judge(*document, run);
  judge.JudgeAll();
  std::vector<PodFinding> findings = std::move(judge).Take();
  const Result<Json> policies =
      ReadList(network_policies, {.kind = "NetworkPolicyList", .name_space = run.name_space});
  if (!policies) {
    findings.push_back({.check = PodCheck::kAnswer,
                        .field = "NetworkPolicyList",
                        .message = policies.error().message,
                        .mend = policies.error().hint});
    return findings;
  }
  std::vector<PodFinding> network = JudgeNetwork(*document, *policies);
  std::move(network.begin(), network.end(), std::back_inserter(findings));
  return findings;
}

std::optional<Error> RefusalOf(const std::vector<PodFinding>& findings,
                               const std::vector<PodCheck>& accepted) {
  std::optional<Error> refusal;
  for (const PodFinding& finding : findings) {
    const bool acceptable = TraitsOf(finding.check).acceptable;
    if (acceptable && std::find(accepted.begin(), accepted.end(), finding.check) != accepted.end()) continue;
    if (refusal) {
      refusal->others.push_back(ErrorOfFinding(finding));
    } else {
      refusal = ErrorOfFinding(finding);
    }
  }
  return refusal;
}

}  // namespace mxc::kubernetes
