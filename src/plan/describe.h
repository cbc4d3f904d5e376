// Describes a policy and its plan for people: what --explain prints. Contains no secrets.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mxc/backend.h"
#include "mxc/plan.h"
#include "mxc/policy.h"

namespace mxc {

// `origin`: where the policy is from; empty: not shown.
[[nodiscard]] std::string DescribeText(const Backend& backend, const Policy& policy, const Plan& plan,
                                       std::string_view origin = {});
// One document, indented.
[[nodiscard]] std::string DescribeJson(const Backend& backend, const Policy& policy, const Plan& plan,
                                       std::string_view origin = {});

// The arguments that are executed: the policy's command, or that of a plan that runs it without its shell.
// Borrowed from both.
[[nodiscard]] const std::vector<std::string>& ExecutedBy(const Policy& policy, const Plan& plan);
// The command's environment: the launch's, with the planner's additions, or the policy's where another system
// adds its own variables. Borrowed from both.
[[nodiscard]] const std::vector<Variable>& ShownEnvironment(const Policy& policy, const Plan& plan);

}  // namespace mxc
