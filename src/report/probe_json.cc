#include "report/probe_json.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <variant>

#include "base/quoted.h"

namespace mxc {
namespace {

using ProbeObject = nlohmann::ordered_json;

std::string IndentedText(const ProbeObject& object) {
  return EscapedJson(object.dump(2, ' ', false, ProbeObject::error_handler_t::replace)) + "\n";
}

ProbeObject LimitsArray(const std::vector<ProbedLimit>& limits) {
  ProbeObject array = ProbeObject::array();
  for (const ProbedLimit& limit : limits) {
    ProbeObject entry{{"name", Name(limit.resource)}, {"held", limit.held}};
    if (limit.held) {
      entry["mechanism"] = limit.mechanism;
    } else {
      entry["reason"] = limit.reason;
      entry["remedy"] = limit.remedy;
    }
    array.push_back(std::move(entry));
  }
  return array;
}

// As contract 1.8 names them. What is not known is not claimed.
ProbeObject WindowsProbes(const WindowsFacts& facts) {
  constexpr std::uint32_t kBuildWithIme = 22621;
  constexpr std::uint32_t kBuildWithInjection = 26100;
  ProbeObject ui;
  for (const char* always :
       {"canBlockClipboardRead", "canBlockClipboardWrite", "canBlockExternalUiObjects",
        "canBlockGlobalUiNamespace", "canBlockDesktopSwitching", "canBlockLogoffOrShutdown",
        "canBlockSystemParameterChanges", "canBlockDisplaySettingsChanges"}) {
    ui[always] = true;
  }
  ui["canBlockInputMethodChanges"] = facts.build >= kBuildWithIme;
  ui["canBlockInputInjection"] = facts.build >= kBuildWithInjection;
  return {
      {"baseContainerApiPresent", facts.create_in_sandbox || facts.security_environment},
      {"bfscfgPresent", !facts.bfscfg.empty()},
      {"bfsCompiledIn", true},
      {"baseContainerSupportsDenyPaths", facts.create_in_sandbox_denies || facts.security_environment_denies},
      {"isolationSessionAvailable", facts.isolation_session},
      {"nativeCaptureAvailable", false},
      {"guardedCaptureAvailable", false},
      {"baseContainerSupportsEnumeratePaths", false},
      {"baseContainerSupportsIngressHostLoopbackAllow", facts.security_environment},
      {"baseContainerSupportsIdentitylessLoopbackProxy", false},
      {"hyperlightAvailable", false},
      {"uiCapabilities", std::move(ui)}};
}

// Of a run without any policy, or of the one that is asked about.
std::string_view TierOf(const WindowsFacts& facts, const AppContainerLaunch* asked) {
  const bool base =
      asked != nullptr ? asked->sandbox.base.has_value() : facts.security_environment || !facts.app_container;
  if (base) return "base-container";
  return asked != nullptr && !asked->sandbox.bfs.empty() ? "appcontainer-bfs" : "appcontainer-dacl";
}

// The keys that the SDKs read on Windows, beside ours.
void AddWindows(const Support& support, const Result<Plan>* asked, ProbeObject& probe) {
  if (!support.usable) {
    probe["error"] = support.reason;
  } else if (asked != nullptr && !*asked) {
    probe["error"] = asked->error().message;
  } else {
    const auto* launch = asked != nullptr ? std::get_if<AppContainerLaunch>(&(*asked)->launch) : nullptr;
    const std::string_view tier = TierOf(support.windows, launch);
    const bool denies = launch != nullptr && !launch->sandbox.acl.empty();
    probe["tier"] = tier;
    probe["needsDaclAugmentation"] = tier == "appcontainer-dacl" || (tier == "appcontainer-bfs" && denies);
  }
  probe["warnings"] = support.warnings;
  probe["probes"] = WindowsProbes(support.windows);
}

ProbeObject OfBackend(const ProbedBackend& probed) {
  const Support& support = probed.support;
  ProbeObject entry{{"backend", Name(probed.containment)}, {"usable", support.usable}};
  if (support.usable) entry["tier"] = Name(support.tier);
  if (support.usable && support.isolation_level != IsolationLevel::kNone)
    entry["rung"] = Name(support.isolation_level);
  if (!support.program.empty()) entry["program"] = support.program;
  if (!support.version.empty()) entry["version"] = support.version;
  if (!support.usable) {
    entry["reason"] = support.reason;
    entry["remedy"] = support.remedy;
  }
  if (!probed.limits.empty()) entry["limits"] = LimitsArray(probed.limits);
  entry["capabilities"] = support.features;
  entry["warnings"] = support.warnings;
  return entry;
}

}  // namespace

std::string ProbeJson(const ProbeAnswer& answer) {
  ProbeObject probe{{"version", MXC_VERSION}, {"system", Name(answer.system)}, {"uid", answer.caller.uid}};
  ProbeObject list = ProbeObject::array();
  for (const ProbedBackend& probed : answer.backends) {
    list.push_back(OfBackend(probed));
    const bool process = probed.containment == ProcessContainmentOf(answer.system);
    if (process && answer.system == OperatingSystem::kWindows)
      AddWindows(probed.support, answer.asked, probe);
  }
  probe["backends"] = std::move(list);
  for (const ProbedHelper& helper : answer.helpers) {
    ProbeObject entry{{"path", helper.path}, {"sha256", helper.sha256}};
    if (helper.pinned != Pinned::kNot) entry["pinned"] = helper.pinned == Pinned::kThis;
    probe["helpers"][helper.name] = std::move(entry);
  }
  return IndentedText(probe);
}

std::string AvailableBackendsJson(const std::vector<ProbedBackend>& backends) {
  ProbeObject list = ProbeObject::array();
  for (const ProbedBackend& probed : backends) {
    if (!probed.support.usable) continue;
    ProbeObject entry{{"backend", Name(probed.containment)}};
    if (probed.support.Has("network-gateway")) entry["capabilities"] = {"proxyEnforcement"};
    if (!probed.support.warnings.empty()) entry["warnings"] = probed.support.warnings;
    list.push_back(std::move(entry));
  }
  return IndentedText(list);
}

std::string FragmentJson(const std::vector<std::string>& read_only,
                         const std::vector<std::string>& read_write) {
  return IndentedText({{"filesystem", {{"readonlyPaths", read_only}, {"readwritePaths", read_write}}}});
}

}  // namespace mxc
