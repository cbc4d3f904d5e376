// A plan as one JSON document. Strings that are not UTF-8 (file names may be) have the odd bytes replaced.
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/quoted.h"
#include "plan/describe.h"

namespace mxc {
namespace {

using Document = nlohmann::ordered_json;

Document OfProcess(const Policy& policy, const Plan& plan) {
  Document names = Document::array();
  for (const Variable& variable : ShownEnvironment(policy, plan)) names.push_back(variable.name);
  return {{"argv", ExecutedBy(policy, plan)},
          {"cwd", policy.process.cwd},
          {"environmentNames", std::move(names)}};
}

Document OfGroup(const ControlGroup& group) {
  Document settings = Document::object();
  for (const CgroupSetting& setting : group.settings) settings[setting.file] = setting.value;
  Document step = {{"step", "control-group"}, {"parent", group.parent}, {"settings", std::move(settings)}};
  if (group.scope) step["scope"] = {{"slice", group.scope->slice}, {"bus", group.scope->address}};
  return step;
}

Document OfSetup(const Plan& plan) {
  Document steps = Document::array();
  for (const SetupAction& action : plan.setup) {
    if (const auto* file = std::get_if<Placeholder>(&action)) {
      steps.push_back({{"step", file->placeholder_kind ? "stand-in" : "placeholder"}, {"path", file->path}});
    } else if (const auto* directory = std::get_if<OwnDirectory>(&action)) {
      steps.push_back({{"step", "own-directory"}, {"path", directory->path}});
    } else {
      steps.push_back(OfGroup(std::get<ControlGroup>(action)));
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

std::string DescribeJson(const Backend& backend, const Policy& policy, const Plan& plan,
                         std::string_view origin) {
  Document document = {{"containment", std::string(Name(plan.containment))},
                       {"tier", std::string(Name(plan.tier))}};
  if (plan.isolation_level != IsolationLevel::kNone)
    document["rung"] = std::string(Name(plan.isolation_level));
  if (!origin.empty()) document["policy"] = origin;
  document["notCovered"] = plan.not_covered;
  document["process"] = OfProcess(policy, plan);
  document["timeoutMs"] = plan.timeout_ms;
  for (const ResourceLimit& limit : plan.resources)
    document["resources"][std::string(Name(limit.resource))] = limit.amount;
  document["output"] = OfOutput(plan.output);
  if (!plan.audit.path.empty()) document["audit"] = plan.audit.path;
  if (backend.explain.json != nullptr) document.update(Document::parse(backend.explain.json(plan)));
  document["setup"] = OfSetup(plan);
  if (!plan.policy_hash.empty()) document["policyHash"] = plan.policy_hash;
  document["relaxations"] = plan.relaxations;
  document["ledger"] = OfLedger(plan);
  document["warnings"] = OfWarnings(plan);
  return EscapedJson(document.dump(2, ' ', false, Document::error_handler_t::replace)) + "\n";
}

}  // namespace mxc
