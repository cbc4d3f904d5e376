#include "helpers/pins.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/quoted.h"

namespace mxc {
namespace {

// Those of fields_helpers.cc.
constexpr std::string_view kHelpers[] = {"bwrap", "busctl", "env", "lxc-start", "lxc-stop", "tar", "xz"};

std::string_view NameOf(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// Where a plan says what a helper has to be.
struct Started {
  std::string_view name = {};
  std::string* sha256 = nullptr;
};

std::vector<Started> StartedBy(Plan& plan) {
  std::vector<Started> started;
  if (auto* const bubblewrap = std::get_if<BubblewrapLaunch>(&plan.launch))
    started.push_back({NameOf(bubblewrap->bwrap.program), &bubblewrap->bwrap.sha256});
  if (auto* const lxc = std::get_if<LxcLaunch>(&plan.launch))
    started.push_back({NameOf(lxc->program), &lxc->sha256});
  for (Step& step : plan.setup) {
    auto* const group = std::get_if<ControlGroup>(&step);
    if (group != nullptr && group->scope)
      started.push_back({NameOf(group->scope->busctl), &group->scope->sha256});
  }
  return started;
}

}  // namespace

std::span<const std::string_view> AllHelpers() { return kHelpers; }

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
  return path;
}

ToolRun PinnedHost::Try(const std::vector<std::string>& argv, std::uint32_t limit_ms) const {
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

Status CheckAllPinned(const std::string& clause, const std::vector<HelperPin>& pins, Plan& plan) {
  // kubectl runs plug-ins for credentials, as its configuration says: the hash of the one file proves
  // nothing.
  if (std::holds_alternative<KubernetesLaunch>(plan.launch))
    return Error{.code = ErrorCode::kConflict,
                 .message = "this machine starts no helper without a pin (" + clause +
                            "), and kubectl, which runs other programs, cannot have one",
                 .pointer = "/containment",
                 .hint = "use another containment, or ask the operator"};

  for (const Started& started : StartedBy(plan)) {
    if (std::any_of(pins.begin(), pins.end(), [&](const HelperPin& pin) { return pin.name == started.name; }))
      continue;
    return Error{.code = ErrorCode::kConflict,
                 .message = "this machine starts no helper without a pin (" + clause + "), and " +
                            Quoted(started.name) + " has none of the operator's",
                 .pointer = "/containment",
                 .hint =
                     "use another containment, or ask the operator to add its SHA-256 to `helpers` of the "
                     "ceiling: mxc-exec --probe=json prints it"};
  }
  return Done{};
}

void PinPlan(const std::vector<HelperPin>& pins, Policy& policy, Plan& plan) {
  for (const Started& started : StartedBy(plan)) {
    for (const HelperPin& pin : pins) {
      if (pin.name != started.name) continue;
      *started.sha256 = pin.sha256;
      policy.clauses.push_back(
          {.pointer = pin.pointer, .text = "the helper " + Quoted(pin.name) + " has SHA-256 " + pin.sha256});
      plan.ledger.push_back({.pointer = pin.pointer,
                             .strength = Strength::kProxy,
                             .mechanism = "hashed on the descriptor that is executed"});
    }
  }
}

}  // namespace mxc
