#include "ceiling/cut_command.h"

#include <algorithm>
#include <string>

#include "ceiling/cut_config.h"

namespace mxc {
namespace {

// The ceiling that cut the policy of the sandbox when it was planned.
std::string CeilingOf(const Plan& plan) {
  const auto found = std::find_if(plan.ledger.begin(), plan.ledger.end(),
                                  [](const Enforcement& entry) { return entry.pointer == kCeilingPointer; });
  return found == plan.ledger.end() ? "" : found->mechanism;
}

Error OfAnotherTime() {
  return Conflict("the ceiling of this machine has changed since the sandbox was started", "/sandboxId",
                  "stop it, and start another");
}

Error InBackground(const CeilingSection& section) {
  return Conflict(
      "a command in the background has no time-out, and the ceiling of this machine asks for one "
      "(" +
          section.At("/process/timeout") + ")",
      {}, "leave --background out");
}

}  // namespace

Status CutCommand(const Host& host, const Plan& sandbox, bool background, Config& config, Cuts& cuts) {
  const Result<std::optional<Ceiling>> ceiling = ReadCeiling(host, CallersGroups());
  if (!ceiling) return ceiling.error();
  if ((*ceiling ? (*ceiling)->Text() : "") != CeilingOf(sandbox)) return OfAnotherTime();
  if (!*ceiling) return Done{};
  for (const CeilingSection& section : (*ceiling)->sections) {
    if (background && section.bounds.process.timeout_ms != 0) return InBackground(section);
    CutTime(section, config, cuts);
    CutVariables(section, config, cuts);
    if (section.require.review) config.review_pointer = section.At("/require/review");
  }
  return cuts.Refusal();
}

}  // namespace mxc
