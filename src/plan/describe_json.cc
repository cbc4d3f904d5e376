// A plan as one JSON document. Strings that are not UTF-8 (file names may be) have the odd bytes replaced.
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/quoted.h"
#include "plan/describe.h"
#include "plan/mount_words.h"

namespace mxc {
namespace {

using Document = nlohmann::ordered_json;

Document OfProcess(const Policy& policy, const Plan& plan) {
  Document names = Document::array();
  for (const Variable& variable : policy.process.environment) names.push_back(variable.name);
  return {{"argv", ExecutedBy(policy, plan)},
          {"cwd", policy.process.cwd},
          {"environmentNames", std::move(names)}};
}

Document OfSandbox(const LinuxSandbox& sandbox) {
  Document namespaces = {"user", "mount", "pid", "ipc", "uts", "cgroup"};
  if (sandbox.private_network) namespaces.push_back("network");
  Document mounts = Document::array();
  for (const MountNode& node : sandbox.mounts) {
    MountWords words = Words(node);
    Document row = {{"kind", std::move(words.kind)}, {"target", std::move(words.target)}};
    if (!words.detail.empty()) row["detail"] = std::move(words.detail);
    mounts.push_back(std::move(row));
  }
  return {{"namespaces", std::move(namespaces)},
          {"gateway", sandbox.gateway},
          {"capabilities", Document::array()},
          {"noNewPrivileges", true},
          {"seccomp", sandbox.seccomp == SeccompProfile::kDefault ? "default" : "root-caller"},
          {"newSession", sandbox.new_session},
          {"hostname", sandbox.hostname},
          {"rootReadOnly", sandbox.root_read_only},
          {"mounts", std::move(mounts)}};
}

Document OfLandlock(const LandlockSandbox& sandbox) {
  Document grants = Document::array();
  for (const LandlockGrant& grant : sandbox.grants) {
    grants.push_back({{"path", grant.path},
                      {"access", grant.access == Access::kReadWrite ? "read-write" : "read-only"},
                      {"optional", grant.optional}});
  }
  Document holes = Document::array();
  for (const LandlockHole& hole : sandbox.holes) holes.push_back(hole.path);
  return {{"grants", std::move(grants)},
          {"leftOut", std::move(holes)},
          {"privateTemp", sandbox.private_temp},
          {"network", !sandbox.no_network},
          {"scopedSignals", sandbox.scoped_signals},
          {"newSession", sandbox.new_session}};
}

Document OfSeatbelt(const SeatbeltSandbox& sandbox) {
  Document parameters = Document::object();
  for (const SeatbeltParameter& parameter : sandbox.parameters) parameters[parameter.name] = parameter.value;
  return {{"profile", sandbox.profile},
          {"parameters", std::move(parameters)},
          {"privateTemp", sandbox.private_temp},
          {"newSession", sandbox.new_session}};
}

Document OfAppContainer(const AppContainerSandbox& sandbox) {
  Document acl = Document::array();
  for (const AclChange& change : sandbox.acl) {
    acl.push_back({{"path", change.path},
                   {"type", Name(change.type)},
                   {"mask", change.mask},
                   {"inherited", change.inherited},
                   {"pointer", change.pointer}});
  }
  Document container = {{"profile", sandbox.name},
                        {"capabilities", sandbox.capabilities},
                        {"leastPrivilege", sandbox.least_privilege},
                        {"win32k", !sandbox.no_win32k},
                        {"uiLimits", sandbox.ui_limits},
                        {"commandLine", sandbox.command_line},
                        {"acl", std::move(acl)}};
  if (const auto& base = sandbox.base) {
    const bool older = base->contract == BaseContract::kCreateInSandbox;
    container["base"] = {{"contract", older ? "create-in-sandbox" : "security-environment"},
                         {"readWrite", base->read_write},
                         {"readOnly", base->read_only},
                         {"denied", base->denied},
                         {"proxy", base->proxy},
                         {"peer", base->peer}};
  }
  return container;
}

Document OfWsl(const WslRun& run) {
  return {{"distribution", run.distribution}, {"program", run.program}, {"config", ShownText(run.config)}};
}

Document OfWindowsSandbox(const WindowsSandboxRun& run) {
  return {
      {"machine", WsbText(run, "(folder of the run)")}, {"commandLine", run.command_line}, {"cwd", run.cwd}};
}

Document OfGroup(const ControlGroup& group) {
  Document settings = Document::object();
  for (const CgroupSetting& setting : group.settings) settings[setting.file] = setting.value;
  return {{"step", "control-group"}, {"parent", group.parent}, {"settings", std::move(settings)}};
}

Document OfSetup(const Plan& plan) {
  Document steps = Document::array();
  for (const Step& step : plan.setup) {
    if (const auto* file = std::get_if<Placeholder>(&step)) {
      steps.push_back({{"step", file->placeholder_kind ? "stand-in" : "placeholder"}, {"path", file->path}});
    } else if (const auto* directory = std::get_if<OwnDirectory>(&step)) {
      steps.push_back({{"step", "own-directory"}, {"path", directory->path}});
    } else {
      steps.push_back(OfGroup(std::get<ControlGroup>(step)));
    }
  }
  return steps;
}

Document OfLedger(const Plan& plan) {
  Document rows = Document::array();
  for (const Enforcement& entry : plan.ledger) {
    rows.push_back({{"pointer", entry.pointer},
                    {"strength", std::string(Name(entry.strength))},
                    {"mechanism", entry.mechanism}});
  }
  return rows;
}

Document OfWarnings(const Plan& plan) {
  Document rows = Document::array();
  for (const Warning& warning : plan.warnings) {
    rows.push_back(
        {{"category", warning.category}, {"message", warning.message}, {"pointer", warning.pointer}});
  }
  return rows;
}

Document OfOutput(const Output& output) {
  Document redact = Document::array();
  if (output.redact_secrets) redact.push_back("secrets");
  if (output.redact_pii) redact.push_back("pii");
  return {{"maxBytes", output.max_bytes}, {"redact", std::move(redact)}};
}

}  // namespace

std::string DescribeJson(const Policy& policy, const Plan& plan) {
  Document document = {{"containment", std::string(Name(plan.containment))},
                       {"tier", std::string(Name(plan.tier))}};
  if (plan.isolation_level != IsolationLevel::kNone)
    document["rung"] = std::string(Name(plan.isolation_level));
  document["notCovered"] = plan.not_covered;
  document["process"] = OfProcess(policy, plan);
  document["timeoutMs"] = plan.timeout_ms;
  for (const ResourceLimit& limit : plan.resources)
    document["resources"][std::string(Name(limit.resource))] = limit.amount;
  document["output"] = OfOutput(plan.output);
  if (!plan.audit.path.empty()) document["audit"] = plan.audit.path;
  if (const auto* container = std::get_if<LxcChild>(&plan.child))
    document["container"] = {{"name", container->name}, {"configuration", container->configuration}};
  if (plan.sandbox) document["sandbox"] = OfSandbox(*plan.sandbox);
  if (plan.landlock) document["landlock"] = OfLandlock(*plan.landlock);
  if (plan.seatbelt) document["seatbelt"] = OfSeatbelt(*plan.seatbelt);
  if (plan.app_container && plan.tier != Tier::kNone)
    document["appContainer"] = OfAppContainer(*plan.app_container);
  if (plan.wsl) document["wsl"] = OfWsl(*plan.wsl);
  if (plan.windows_sandbox) document["windowsSandbox"] = OfWindowsSandbox(*plan.windows_sandbox);
  document["setup"] = OfSetup(plan);
  document["relaxations"] = plan.relaxations;
  document["ledger"] = OfLedger(plan);
  document["warnings"] = OfWarnings(plan);
  return EscapedJson(document.dump(2, ' ', false, Document::error_handler_t::replace)) + "\n";
}

}  // namespace mxc
