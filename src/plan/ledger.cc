#include "plan/ledger.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mxc/limits.h"

namespace mxc {
namespace {

std::string_view LastToken(std::string_view pointer) { return pointer.substr(pointer.rfind('/') + 1); }

Enforcement TimeoutEntry(const std::string& pointer, const Plan& plan) {
  const std::string escalation = "SIGTERM, after " + std::to_string(kTermGraceMs) + " ms SIGKILL, ";
  switch (EndingOf(plan.launch)) {
    case Ending::kJob:
      return {pointer, Strength::kKernel, "the job is ended, with every process that it ever held"};
    case Ending::kInnerLauncher:
      return {pointer, Strength::kKernel, "mxc-exec inside ends its sandbox"};
    case Ending::kMachine:
      return {pointer, Strength::kKernel, "the virtual machine is ended"};
    case Ending::kSession:
      return {pointer, Strength::kKernel, "the service of Windows ends the session"};
    case Ending::kLandlockDomain:
      return {pointer, Strength::kKernel, escalation + "to every process of its Landlock domain"};
    case Ending::kAdopted:
      return {pointer, Strength::kKernel,
              escalation + "to every process that init adopted; none can signal init or launcher"};
    case Ending::kMarked:
      return {pointer, Strength::kKernel,
              escalation + "to every process that carries the mark of the sandbox"};
    case Ending::kPidNamespace:
      return {pointer, Strength::kKernel, escalation + "to process 1: its namespace dies with it"};
    case Ending::kProcessGroup:
      break;
  }
  return {pointer, Strength::kCooperative, escalation + "to the process group; a daemon could leave it"};
}

Error Refuse(const Clause& clause, std::string_view why) {
  return Unenforceable("'" + clause.text + "' " + std::string(why), clause.pointer,
                       "remove the clause, or choose a containment that can hold it");
}

}  // namespace

void AddLauncherEntries(const Policy& policy, Plan& plan) {
  for (const Clause& clause : policy.clauses) {
    const std::string& pointer = clause.pointer;
    const std::string_view what = LastToken(pointer);  // of a policy, of settings or of a ceiling
    if (what == "output") {
      plan.ledger.push_back({pointer, Strength::kTrustedProcess, "the launcher passes the output on"});
    } else if (what == "audit") {
      plan.ledger.push_back({pointer, Strength::kTrustedProcess,
                             "the launcher writes the record before it starts the command"});
    } else if (what == "minimumTier") {
      plan.ledger.push_back({pointer, Strength::kKernel, "tier " + std::string(Name(plan.tier))});
    } else if (what == "timeout" && policy.process.timeout_ms != 0) {
      plan.ledger.push_back(TimeoutEntry(pointer, plan));
    }
  }
}

Status SettleLedger(const Policy& policy, Plan& plan) {
  std::unordered_map<std::string_view, const Enforcement*> weakest;
  for (const Enforcement& entry : plan.ledger) {
    const auto [known, added] = weakest.emplace(entry.pointer, &entry);
    if (!added && entry.strength > known->second->strength) known->second = &entry;
  }
  std::vector<Enforcement> settled;
  settled.reserve(policy.clauses.size());
  for (const Clause& clause : policy.clauses) {
    const auto found = weakest.find(clause.pointer);
    if (found == weakest.end() || found->second->strength == Strength::kNone) {
      return Refuse(clause, "has no mechanism in the backend '" + std::string(Name(plan.containment)) + "'");
    }
    // Direct execution was chosen with its own flag; there cooperative is all there is.
    if (found->second->strength == Strength::kCooperative && plan.tier != Tier::kNone) {
      return Refuse(clause, "could be ignored by the command");
    }
    settled.push_back(*found->second);
  }
  plan.ledger = std::move(settled);
  return Done{};
}

}  // namespace mxc
