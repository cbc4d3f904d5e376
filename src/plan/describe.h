// A policy and its plan, to read: what --explain prints. No secret is in it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mxc/backend.h"
#include "mxc/plan.h"
#include "mxc/policy.h"

namespace mxc {

// `origin`: where the policy is from; empty: not told.
[[nodiscard]] std::string DescribeText(const Backend& backend, const Policy& policy, const Plan& plan,
                                       std::string_view origin = {});
// One document, indented.
[[nodiscard]] std::string DescribeJson(const Backend& backend, const Policy& policy, const Plan& plan,
                                       std::string_view origin = {});

// What is executed: the policy's command, or what a plan that does without its shell makes of it. Borrowed
// from both.
[[nodiscard]] const std::vector<std::string>& ExecutedBy(const Policy& policy, const Plan& plan);
// What the command gets: the launch's, with what the planner has added, or the policy's where another system
// adds its own. Borrowed from both.
[[nodiscard]] const std::vector<Variable>& ShownEnvironment(const Policy& policy, const Plan& plan);

}  // namespace mxc
