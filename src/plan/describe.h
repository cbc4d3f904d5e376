// A policy and its plan, to read: what --explain prints. No secret is in it.
#pragma once

#include <string>

#include "mxc/plan.h"
#include "mxc/policy.h"

namespace mxc {

[[nodiscard]] std::string DescribeText(const Policy& policy, const Plan& plan);
[[nodiscard]] std::string DescribeJson(const Policy& policy, const Plan& plan);  // one document, pretty

}  // namespace mxc
