#include "plan_run.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace mxc::plan_run_test {
namespace {

bool IsTold(const std::vector<std::string>& words) {
  Options options;
  options.read_write = words;
  Plan plan;
  plan.warnings = {{.category = "whole-host-writable"}, {.category = "running-as-root"}};
  WarnOfGrantedRoot(options, plan);
  EXPECT_FALSE(plan.warnings[1].told);
  return plan.warnings[0].told;
}

TEST(PlanRun, TellsOfAWholeHostThatWasNotWrittenSo) {
  EXPECT_TRUE(IsTold({"."}));
  EXPECT_TRUE(IsTold({"/srv", ".."}));
  EXPECT_FALSE(IsTold({"/"})) << "meant";
  EXPECT_FALSE(IsTold({})) << "the file says so";
}

}  // namespace
}  // namespace mxc::plan_run_test
