#include "plan/describe.h"

#include <fmt/format.h>

#include <string_view>

#include "base/quoted.h"

namespace mxc {
namespace {

std::string CommandText(const std::vector<std::string>& command) {
  std::string text;
  for (const std::string& argument : command) text += (text.empty() ? "" : " ") + Quoted(argument);
  return text;
}

std::string EnvironmentText(const Policy& policy, const Plan& plan) {
  std::string text;
  for (const Variable& variable : ShownEnvironment(policy, plan)) text += variable.name + "=… ";
  return text.empty() ? "empty" : text + "(values are never shown)";
}

void AddNotCovered(const Plan& plan, ExplainPage& page) {
  if (plan.not_covered.empty()) return;
  page.Section("not covered");
  for (const std::string& text : plan.not_covered) page.Row(text);
}

std::string SettingsText(const ControlGroup& group) {
  std::string text;
  for (const CgroupSetting& setting : group.settings)
    text += fmt::format(" {}={}", setting.file, Quoted(setting.value));
  return text;
}

void AddSetup(const Plan& plan, ExplainPage& page) {
  if (plan.setup.empty()) return;
  page.Section("set up before, undone after");
  for (const SetupAction& action : plan.setup) {
    if (const auto* file = std::get_if<Placeholder>(&action)) {
      page.Row(fmt::format("{:<11} {}{}", "placeholder", Quoted(file->path),
                           file->placeholder_kind ? " (readable)" : ""));
    } else if (const auto* directory = std::get_if<OwnDirectory>(&action)) {
      page.Row(fmt::format("{:<11} {} (stays)", "directory", Quoted(directory->path)));
    } else {
      const auto& group = std::get<ControlGroup>(action);
      const std::string where = group.parent + (group.scope ? "/mxc-*.scope/mxc-*" : "/mxc-*");
      page.Row(fmt::format("{:<11} {}{}", "group", Quoted(where), SettingsText(group)));
    }
  }
}

void AddLimits(const Plan& plan, ExplainPage& page) {
  if (plan.timeout_ms != 0) page.Line("time-out", fmt::format("{} ms", plan.timeout_ms));
  for (const ResourceLimit& limit : plan.resources) page.Line(Name(limit.resource), AmountText(limit));
  if (plan.output.max_bytes != 0)
    page.Line("output", fmt::format("{} bytes per stream", plan.output.max_bytes));
  if (plan.output.redact_secrets) page.Line("redacted", "secrets");
  if (plan.output.redact_pii) page.Line("redacted", "personal data");
  if (!plan.audit.path.empty()) page.Line("audit", Quoted(plan.audit.path));
  for (const std::string& relaxation : plan.relaxations) page.Line("relaxation", relaxation);
  if (!plan.policy_hash.empty()) page.Line("hash", plan.policy_hash);
}

// After SettleLedger, entry i answers clause i.
void AddLedger(const Policy& policy, const Plan& plan, ExplainPage& page) {
  page.Section("ledger");
  for (std::size_t i = 0; i < plan.ledger.size(); ++i) {
    const Enforcement& entry = plan.ledger[i];
    page.Row(fmt::format("{:<34} {:<11} {}", entry.pointer, Name(entry.strength), entry.mechanism));
    if (i < policy.clauses.size()) page.Row(fmt::format("  {}", policy.clauses[i].text));
  }
}

void AddWarnings(const Plan& plan, ExplainPage& page) {
  if (plan.warnings.empty()) return;
  page.Section("warnings");
  for (const Warning& warning : plan.warnings) {
    const std::string where = warning.pointer.empty() ? "" : " (" + warning.pointer + ")";
    page.Row(fmt::format("{}: {}{}", warning.category, warning.message, where));
  }
}

}  // namespace

const std::vector<Variable>& ShownEnvironment(const Policy& policy, const Plan& plan) {
  const std::vector<Variable>& launched = CommandEnvironment(plan.launch);
  return launched.empty() ? policy.process.environment : launched;
}

const std::vector<std::string>& ExecutedBy(const Policy& policy, const Plan& plan) {
  const LinuxSandbox* const sandbox = LinuxSandboxOf(plan.launch);
  return sandbox != nullptr ? sandbox->argv : policy.process.argv;
}

std::string DescribeText(const Backend& backend, const Policy& policy, const Plan& plan,
                         std::string_view origin) {
  ExplainPage page;
  if (!origin.empty()) page.Line("policy", origin);
  page.Line("containment", fmt::format("{} (tier {})", Name(plan.containment), Name(plan.tier)));
  page.Line("command", CommandText(ExecutedBy(policy, plan)));
  page.Line("cwd", Quoted(policy.process.cwd));
  page.Line("environment", EnvironmentText(policy, plan));
  AddLimits(plan, page);
  if (plan.isolation_level != IsolationLevel::kNone)
    page.Line("isolation", "level " + std::string(Name(plan.isolation_level)));
  if (backend.explain.text != nullptr) backend.explain.text(plan, page);
  AddSetup(plan, page);
  AddLedger(policy, plan, page);
  AddNotCovered(plan, page);
  AddWarnings(plan, page);
  return page.Take();
}

}  // namespace mxc
