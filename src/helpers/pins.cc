#include "helpers/pins.h"

#include <algorithm>
#include <utility>

#include "base/path.h"
#include "base/quoted.h"
#include "config/fields.h"

namespace mxc {
namespace {

std::vector<Helper> StartedBy(Plan& plan) {
  std::vector<Helper> started = HelpersOf(plan.launch);
  for (SetupAction& action : plan.setup) {
    auto* const group = std::get_if<ControlGroup>(&action);
    if (group != nullptr && group->scope) started.push_back({group->scope->busctl, &group->scope->sha256});
  }
  return started;
}

bool HasOperatorsPin(const std::vector<HelperPin>& pins, std::string_view name) {
  return std::any_of(pins.begin(), pins.end(),
                     [&](const HelperPin& pin) { return pin.of_operator && pin.name == name; });
}

Error WithoutPin(const std::string& clause, std::string_view name) {
  return Conflict("this machine starts no helper without a pin (" + clause + "), and " + Quoted(name) +
                      " has none of the operator's",
                  "/containment",
                  "use another containment, or ask the operator to add its SHA-256 to `helpers` of the "
                  "ceiling: mxc-exec --probe=json prints it");
}

}  // namespace

std::vector<std::string_view> AllHelpers() {
  std::vector<std::string_view> names;
  for (const Field& field : kHelpersShape.fields) names.push_back(field.name);
  return names;
}

std::optional<std::string> PinnedHost::FindTool(std::string_view name) const {
  std::optional<std::string> path = Asked().FindTool(name);
  for (const HelperPin& pin : pins_) {
    if (!path || pin.name != name) continue;
    Result<PinnedProgram> program = OpenPinned(*path, pin.sha256);
    if (!program) {
      if (!refusal_) refusal_ = program.error();
      if (refusal_->pointer.empty()) refusal_->pointer = pin.pointer;
      return std::nullopt;
    }
    found_[*path] = std::move(*program);
  }
  const auto is_it = [name](const Field& helper) { return helper.name == name; };
  if (path && std::any_of(kHelpersShape.fields.begin(), kHelpersShape.fields.end(), is_it))
    helpers_[*path] = name;
  return path;
}

ToolRun PinnedHost::Try(const std::vector<std::string>& argv, std::uint32_t limit_ms) const {
  for (const std::string& word : argv) {
    const auto helper = helpers_.find(word);
    if (verify_pointer_.empty() || helper == helpers_.end() || HasOperatorsPin(pins_, helper->second))
      continue;
    if (!refusal_) refusal_ = WithoutPin(verify_pointer_, helper->second);
    return {.err = refusal_->message};
  }
  const auto pinned = argv.empty() ? found_.end() : found_.find(argv.front());
  if (pinned == found_.end()) return Asked().Try(argv, limit_ms);
  std::vector<std::string> words = argv;
  words.front() = pinned->second.executable;
  return Asked().Try(words, limit_ms);
}

Status PinnedHost::Refusal() const {
  if (std::optional<Error> refusal = std::exchange(refusal_, std::nullopt)) return std::move(*refusal);
  return Done{};
}

Status CheckAllPinned(const Config& config, Plan& plan) {
  if (config.verify_pointer.empty()) return Done{};
  for (const Helper& started : StartedBy(plan)) {
    const std::string_view name = NameOf(started.path);
    if (started.runs_others)
      return Conflict("this machine starts no helper without a pin (" + config.verify_pointer + "), and " +
                          std::string(name) + " runs other programs, which have none",
                      "/containment", "use another containment, or ask the operator");
    if (!HasOperatorsPin(config.helpers, name)) return WithoutPin(config.verify_pointer, name);
  }
  return Done{};
}

void PinPlan(const std::vector<HelperPin>& pins, Policy& policy, Plan& plan) {
  for (const Helper& started : StartedBy(plan)) {
    for (const HelperPin& pin : pins) {
      if (pin.name != NameOf(started.path)) continue;
      *started.sha256 = pin.sha256;
      policy.clauses.push_back(
          {.pointer = pin.pointer, .text = "the helper " + Quoted(pin.name) + " has SHA-256 " + pin.sha256});
      plan.ledger.push_back({.pointer = pin.pointer,
                             .strength = Strength::kTrustedProcess,
                             .mechanism = "hashed on the descriptor that is executed"});
    }
  }
}

}  // namespace mxc
