#include "kubernetes/remote/pod_record.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "mxc/secret.h"

namespace mxc::kubernetes {
namespace {

using PodObject = nlohmann::ordered_json;

constexpr const char* kPodStates[] = {"provisioned", "started", "stopped"};

PodObject OfRun(const PodRun& run) {
  PodObject accepted = PodObject::array();
  for (const PodCheck check : run.accepted) accepted.push_back(std::string(TraitsOf(check).name));
  return {{"kubectl", run.kubectl},
          {"sha256", run.sha256},
          {"options", run.options},
          {"namespace", run.name_space},
          {"warmPool", run.warm_pool},
          {"template", run.pod_template},
          {"container", run.container},
          {"workspace", run.workspace},
          {"program", run.program},
          {"labels", run.labels},
          {"ttl", run.ttl_s},
          {"virtualMachine", run.virtual_machine},
          {"accepted", std::move(accepted)},
          {"config", RevealedText(run.config)}};
}

PodRun RunOf(const PodObject& object) {
  PodRun run{.kubectl = object.at("kubectl"),
             .sha256 = object.at("sha256"),
             .options = object.at("options"),
             .name_space = object.at("namespace"),
             .warm_pool = object.at("warmPool"),
             .pod_template = object.at("template"),
             .container = object.at("container"),
             .workspace = object.at("workspace"),
             .program = object.at("program"),
             .labels = object.at("labels"),
             .ttl_s = object.at("ttl"),
             .virtual_machine = object.at("virtualMachine"),
             .config = {Secret{object.at("config").get<std::string>()}}};
  for (const PodObject& name : object.at("accepted")) {
    const auto checks = AllPodChecks();
    const auto known = std::find_if(checks.begin(), checks.end(), [&](const PodCheckTraits& check) {
      return check.name == name.get<std::string>();
    });
    if (known != checks.end()) run.accepted.push_back(known->check);
  }
  return run;
}

PodObject OfKept(const KeptPod& kept) {
  return {{"claim", kept.claim},
          {"pod", kept.pod},
          {"owner", kept.owner},
          {"claimUid", kept.claim_uid},
          {"podUid", kept.pod_uid},
          {"program", kept.program},
          {"clockAhead", kept.clock_ahead_s},
          {"ends", kept.ends_s}};
}

KeptPod KeptOf(const PodObject& object) {
  return {.claim = object.at("claim"),
          .pod = object.at("pod"),
          .owner = object.at("owner"),
          .claim_uid = object.at("claimUid"),
          .pod_uid = object.at("podUid"),
          .program = object.at("program"),
          .clock_ahead_s = object.at("clockAhead"),
          .ends_s = object.at("ends")};
}

PodObject OfPlan(const Plan& plan) {
  PodObject ledger = PodObject::array();
  for (const Enforcement& entry : plan.ledger)
    ledger.push_back({entry.pointer, static_cast<int>(entry.strength), entry.mechanism});
  return {{"tier", static_cast<int>(plan.tier)},
          {"audit", plan.audit.path},
          {"auditOrRefuse", plan.audit.on_failure == Audit::OnFailure::kRefuse},
          {"auditSyslog", plan.audit.syslog},
          {"relaxations", plan.relaxations},
          {"notCovered", plan.not_covered},
          {"policyHash", plan.policy_hash},
          {"ledger", std::move(ledger)}};
}

Plan PlanFrom(const PodObject& object) {
  Plan plan{.policy_hash = object.at("policyHash"),
            .containment = Containment::kKubernetes,
            .tier = static_cast<Tier>(object.at("tier").get<int>()),
            .not_covered = object.at("notCovered"),
            .audit = {.path = object.at("audit"),
                      .on_failure = object.at("auditOrRefuse").get<bool>() ? Audit::OnFailure::kRefuse
                                                                           : Audit::OnFailure::kWarn,
                      .syslog = object.at("auditSyslog")},
            .relaxations = object.at("relaxations")};
  for (const PodObject& entry : object.at("ledger"))
    plan.ledger.push_back({.pointer = entry.at(0),
                           .strength = static_cast<Strength>(entry.at(1).get<int>()),
                           .mechanism = entry.at(2)});
  return plan;
}

}  // namespace

std::string PodRecordText(const PodRecord& record) {
  const auto& launch = std::get<KubernetesLaunch>(record.plan.launch);
  const PodObject object{{"version", MXC_VERSION},
                         {"run", OfRun(launch.run)},
                         {"kept", OfKept(launch.kept.value_or(KeptPod{}))},
                         {"plan", OfPlan(record.plan)},
                         {"provisionedMs", record.provisioned_ms},
                         {"state", kPodStates[static_cast<std::size_t>(record.state)]}};
  return object.dump(-1, ' ', false, PodObject::error_handler_t::replace) + "\n";
}

std::optional<PodRecord> ReadPodRecord(const std::string& text) {
  const PodObject object = PodObject::parse(text, nullptr, false);
  if (!object.is_object()) return std::nullopt;
  try {
    if (object.at("version") != MXC_VERSION) return std::nullopt;
    PodRecord record{.plan = PlanFrom(object.at("plan")), .provisioned_ms = object.at("provisionedMs")};
    record.plan.launch = KubernetesLaunch{.run = RunOf(object.at("run")), .kept = KeptOf(object.at("kept"))};
    const std::string state = object.at("state");
    const auto* const known = std::find(std::begin(kPodStates), std::end(kPodStates), state);
    if (known == std::end(kPodStates)) return std::nullopt;
    record.state = static_cast<PodSandboxState>(known - std::begin(kPodStates));
    return record;
  } catch (const PodObject::exception&) {
    return std::nullopt;
  }
}

}  // namespace mxc::kubernetes
