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

const Json* Find(const Json& section, std::string_view key) {
  const Json* const value = section.Find(key);
  return value == nullptr || value->kind == Json::Kind::kNull ? nullptr : value;
}

std::string Text(const Json& section, std::string_view key) {
  const Json* const value = Find(section, key);
  return value == nullptr ? std::string() : value->text;
}

Status CheckNames(const Json& section) {
  for (const std::string_view key : {"namespace", "warmPool", "template", "container"}) {
    const std::string name = Text(section, key);
    const bool is_name = key == "warmPool" || key == "template" ? IsDnsName(name) : IsDnsLabel(name);
    if (!name.empty() && !is_name)
      return Refuse(key, Quoted(name) + " is no name of an object in a cluster",
                    "write lower-case letters, digits and -");
  }
  for (const std::string_view key : {"kubeconfig", "workspace", "program"}) {
    const std::string path = Text(section, key);
    if (!path.empty() && !path.starts_with('/'))
      return Refuse(key, "'" + path + "' is no absolute path", "write it from the root, /");
  }
  const std::string context = Text(section, "context");
  if (context.starts_with('-'))
    return Refuse("context", "'" + context + "' reads as a flag", "rename the context");
  return Done{};
}

Status ReadLabels(const Json& section, PodRun& run) {
  const Json* const labels = Find(section, "podSelector");
  if (labels == nullptr) return Done{};
  for (const JsonMember& label : labels->members) {
    if (label.value.kind != Json::Kind::kString)
      return Refuse("podSelector", "the value of the label '" + label.key + "' is no text",
                    "write it in quotes");
    run.labels.emplace_back(label.key, label.value.text);
  }
  return Done{};
}

Status ReadRisks(const Json& section, PodRun& run) {
  const Json* const risks = Find(section, "acceptedRisks");
  for (std::size_t i = 0; risks != nullptr && i < risks->items.size(); ++i) {
    const std::string& name = risks->items[i].text;
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
    if (const std::string value = Text(section, key); !value.empty())
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
  const bool pool = Find(section, "warmPool") != nullptr;
  if (pool && Find(section, "template") != nullptr)
    return Refuse("template", "both `warmPool` and `template` say where the pod comes from",
                  "name a warm pool, or a template for a pod of its own");
  if (!pool && Find(section, "template") == nullptr)
    return Refuse("warmPool", "neither a warm pool nor a template says where the pod comes from",
                  "add \"warmPool\" or \"template\"");
  if (Status names = CheckNames(section); !names) return names.error();
  const Json* const ttl = Find(section, "ttl");
  PodRun run{.options = OptionsOf(section),
             .name_space = Text(section, "namespace"),
             .warm_pool = Text(section, "warmPool"),
             .pod_template = Text(section, "template"),
             .container = Text(section, "container"),
             .workspace = Text(section, "workspace"),
             .program = Text(section, "program"),
             .ttl_s = ttl == nullptr ? kTtlSeconds : static_cast<std::uint32_t>(ttl->integer)};
  if (run.program.empty()) run.program = kProgram;
  if (Status labels = ReadLabels(section, run); !labels) return labels.error();
  if (Status risks = ReadRisks(section, run); !risks) return risks.error();
  return run;
}

}  // namespace mxc::kubernetes
