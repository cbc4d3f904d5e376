// tests/golden/policies/NAME.plans: what each backend makes of NAME.json, as what differs from the plan that
// it makes of another policy, or whole. Backends with the same differences share them:
//
//     namespaces, lxc: like nothing
//      ledger
//     +  /filesystem/readonlyPaths/0        kernel      read-only bind mount
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mxc::test {

struct GoldenPlan {
  std::string backend;
  std::string like;  // a policy; empty: the plan is written whole
  std::string difference;
};

std::vector<GoldenPlan> ReadGoldenPlans(std::string_view text);
std::string WriteGoldenPlans(const std::vector<GoldenPlan>& plans);

}  // namespace mxc::test
