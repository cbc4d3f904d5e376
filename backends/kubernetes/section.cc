#include "backends/kubernetes/section.h"

#include <algorithm>
#include <string_view>

#include "base/quoted.h"

namespace mxc::kubernetes {
namespace {

// Where `cmake --install` puts it.
constexpr const char* kProgram = "/usr/local/bin/mxc-exec";
constexpr std::uint32_t kTtlSeconds = 3600;

Error Refuse(std::string_view key, std::string message, std::string hint) {
  return Conflict(std::move(message), PointerTo("/kubernetes", key), std::move(hint));
}

Status CheckNames(const Json& section) {
  for (const std::string_view key : {"namespace", "warmPool", "template", "container"}) {
    const std::string& name = section.At(key).text;
    const bool is_name = key == "warmPool" || key == "template" ? IsDnsName(name) : IsDnsLabel(name);
    if (!name.empty() && !is_name)
      return Refuse(key, Quoted(name) + " is no name of an object in a cluster",
                    "write lower-case letters, digits and -");
  }
  for (const std::string_view key : {"kubeconfig", "workspace", "program"}) {
    const std::string& path = section.At(key).text;
    if (!path.empty() && !path.starts_with('/'))
      return Refuse(key, "'" + path + "' is no absolute path", "write it from the root, /");
  }
  const std::string& context = section.At("context").text;
  if (context.starts_with('-'))
    return Refuse("context", "'" + context + "' reads as a flag", "rename the context");
  return Done{};
}

Status ReadLabels(const Json& section, PodRun& run) {
  for (const JsonMember& label : section.At("podSelector").members) {
    if (label.value.kind != Json::Kind::kString)
      return Refuse("podSelector", "the value of the label '" + label.key + "' is no text",
                    "write it in quotes");
    run.labels.emplace_back(label.key, label.value.text);
  }
  return Done{};
}

Status ReadRisks(const Json& section, PodRun& run) {
  const std::vector<Json>& risks = section.At("acceptedRisks").items;
  for (std::size_t i = 0; i < risks.size(); ++i) {
    const std::string& name = risks[i].text;
    const auto checks = AllPodChecks();
    const auto found =
        std::find_if(checks.begin(), checks.end(), [&](const PodCheckTraits& it) { return it.name == name; });
    if (found != checks.end() && found->acceptable) {
      run.accepted.push_back(found->check);
      continue;
    }
    std::string known;
    for (const PodCheckTraits& check : checks)
      if (check.acceptable) known += (known.empty() ? "" : ", ") + std::string(check.name);
    Error error =
        Refuse("acceptedRisks", "'" + name + "' is no risk that can be accepted", "known: " + known);
    error.pointer = PointerTo(error.pointer, i);
    return error;
  }
  return Done{};
}

std::vector<std::string> OptionsOf(const Json& section) {
  std::vector<std::string> options;
  for (const std::string_view key : {"kubeconfig", "context", "namespace"}) {
    if (const std::string& value = section.At(key).text; !value.empty())
      options.push_back("--" + std::string(key) + "=" + value);
  }
  return options;
}

}  // namespace

Result<PodRun> ReadSection(const Json& section) {
  if (section.kind != Json::Kind::kObject) {
    Error missing = Refuse("namespace", "there is no section `kubernetes`, which says where the pod is had",
                           R"(add "kubernetes": {"namespace": "...", "warmPool": "..."})");
    missing.pointer = "/containment";
    return missing;
  }
  const bool pool = section.At("warmPool").kind != Json::Kind::kNull;
  const bool pod_template = section.At("template").kind != Json::Kind::kNull;
  if (pool && pod_template)
    return Refuse("template", "both `warmPool` and `template` say where the pod comes from",
                  "name a warm pool, or a template for a pod of its own");
  if (!pool && !pod_template)
    return Refuse("warmPool", "neither a warm pool nor a template says where the pod comes from",
                  "add \"warmPool\" or \"template\"");
  if (Status names = CheckNames(section); !names) return names.error();
  const Json& ttl = section.At("ttl");
  PodRun run{.options = OptionsOf(section),
             .name_space = section.At("namespace").text,
             .warm_pool = section.At("warmPool").text,
             .pod_template = section.At("template").text,
             .container = section.At("container").text,
             .workspace = section.At("workspace").text,
             .program = section.At("program").text,
             .ttl_s = ttl.kind == Json::Kind::kNull ? kTtlSeconds : static_cast<std::uint32_t>(ttl.integer)};
  if (run.program.empty()) run.program = kProgram;
  if (Status labels = ReadLabels(section, run); !labels) return labels.error();
  if (Status risks = ReadRisks(section, run); !risks) return risks.error();
  return run;
}

}  // namespace mxc::kubernetes
