// A policy and its plan, to read: what --explain prints. No secret is in it.
#pragma once

#include <string>
#include <vector>

#include "mxc/backend.h"
#include "mxc/plan.h"
#include "mxc/policy.h"

namespace mxc {

[[nodiscard]] std::string DescribeText(const Backend& backend, const Policy& policy, const Plan& plan);
// One document, indented.
[[nodiscard]] std::string DescribeJson(const Backend& backend, const Policy& policy, const Plan& plan);

// What is executed: the policy's command, or what a plan that does without its shell makes of it. Borrowed
// from both.
[[nodiscard]] const std::vector<std::string>& ExecutedBy(const Policy& policy, const Plan& plan);

}  // namespace mxc
