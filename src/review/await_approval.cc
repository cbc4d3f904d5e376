#include "review/await_approval.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "review/approval.h"
#include "review/roots.h"

namespace mxc {
namespace {

constexpr std::string_view kClause = "/review";  // "/review", "/ceiling/require/review"

bool IsReviewed(const Plan& plan) {
  return std::any_of(plan.ledger.begin(), plan.ledger.end(),
                     [](const Enforcement& entry) { return entry.pointer.ends_with(kClause); });
}

ReviewRequest RequestOf(const Process& process, const Policy& visible, const Plan& plan,
                        const std::string& sandbox) {
  ReviewRequest request{.command = {.argv = process.argv,
                                    .line = process.command_line,
                                    .cwd = process.cwd,
                                    .variables = process.environment},
                        .policy_hash = plan.policy_hash,
                        .sandbox = sandbox};
  for (const PathRule& rule : visible.paths) {
    if (rule.origin != Origin::kPolicy || rule.access != Access::kReadWrite) continue;
    for (const std::string& name : NamesOf(rule.path, visible.links))
      request.command.roots.push_back(visible.workspace.Inside(name));
    if (!rule.object) continue;
    const std::string& path = rule.source.empty() ? rule.path : rule.source;
    if (!IsPlace(path, *rule.object)) request.moved = path;
    request.places.push_back(path + " " + IdentityOfPlace(path));
  }
  std::sort(request.places.begin(), request.places.end());
  request.places.push_back(IdentityOfPlace(visible.workspace.OnHost(process.cwd)));
  return request;
}

}  // namespace

void AddReview(const std::string& pointer, Policy& policy, Plan& plan) {
  if (pointer.empty()) return;
  policy.clauses.push_back({.pointer = pointer, .text = "commands that destroy wait for an approval"});
  plan.ledger.push_back({.pointer = pointer,
                         .strength = Strength::kTrustedProcess,
                         .mechanism = "the launcher reads the command's text: no part of the boundary"});
}

Status AwaitApproval(const Policy& policy, const Plan& plan, const std::string& approved) {
  return AwaitApproval(policy.process, policy, plan, "", false, approved);
}

Status AwaitApproval(const Process& process, const Policy& visible, const Plan& plan,
                     const std::string& sandbox, bool asked, const std::string& approved) {
  if (asked || IsReviewed(plan)) return CheckApproval(RequestOf(process, visible, plan, sandbox), approved);
  if (approved.empty()) return Done{};
  return Error{.code = ErrorCode::kUsage,
               .message = "--approve " + approved + ": nothing asks for a review of this command",
               .hint = "leave --approve out, or add --review destructive"};
}

}  // namespace mxc
