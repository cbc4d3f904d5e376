// Pins of helpers, on files of this test's own.
#include "helpers/pins.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "hash/sha256.h"
#include "tests/support/fake_host.h"
#include "tests/support/workspace.h"

namespace mxc::pins_test {
namespace {

using testing::HasSubstr;

std::string HashOf(const std::string& path) { return Sha256OfFile(path).ok() ? *Sha256OfFile(path) : "none"; }

TEST(Pins, TheOpenFileIsHashedAndNotItsName) {
  const test::Workspace workspace(::geteuid());
  const std::string path = workspace.File("helper", "first", 0755);
  EXPECT_EQ(HashOf(path), Sha256Text("first"));
  const Result<PinnedProgram> pinned = OpenPinned(path, Sha256Text("first"));
  ASSERT_TRUE(pinned) << pinned.error().message;
  ASSERT_EQ(::rename(workspace.File("other", "second").c_str(), path.c_str()), 0);
  std::string executed;
  std::getline(std::ifstream(pinned->executable), executed);
  EXPECT_EQ(executed, "first");
  const Result<PinnedProgram> replaced = OpenPinned(path, Sha256Text("first"));
  ASSERT_FALSE(replaced);
  EXPECT_EQ(replaced.error().code, ErrorCode::kConflict);
  EXPECT_THAT(replaced.error().message, HasSubstr(Sha256Text("second")));
  EXPECT_THAT(replaced.error().message, HasSubstr(Sha256Text("first")));
  EXPECT_EQ(OpenPinned(path, "")->executable, path);
}

TEST(Pins, GoIntoWhatAPlanStarts) {
  Plan plan{.setup = {ControlGroup{.scope = ScopeRequest{.busctl = "/usr/bin/busctl"}}},
            .launch = BubblewrapLaunch{.bwrap = {.program = "/usr/bin/bwrap"}}};
  Policy policy;
  PinPlan({{.name = "bwrap", .sha256 = "1", .pointer = "/helpers/bwrap"}, {.name = "tar", .sha256 = "2"}},
          policy, plan);
  EXPECT_EQ(std::get<BubblewrapLaunch>(plan.launch).bwrap.sha256, "1");
  ASSERT_EQ(plan.ledger.size(), 1U);
  EXPECT_EQ(plan.ledger[0].pointer, "/helpers/bwrap");
  EXPECT_EQ(policy.clauses.size(), 1U);
  PinPlan({{.name = "busctl", .sha256 = "3", .pointer = "/helpers/busctl"}}, policy, plan);
  EXPECT_EQ(std::get<ControlGroup>(plan.setup[0]).scope->sha256, "3");
}

// What the plan pins may be the caller's.
TEST(Pins, ThoseOfTheOperatorAreAskedFor) {
  Plan plan{.setup = {ControlGroup{.scope = ScopeRequest{.busctl = "/usr/bin/busctl", .sha256 = "2"}}},
            .launch = BubblewrapLaunch{.bwrap = {.program = "/usr/bin/bwrap", .sha256 = "1"}}};
  std::vector<HelperPin> pins = {{.name = "bwrap", .sha256 = "1"}};
  const Status unpinned = CheckAllPinned("/ceiling/require/verify", pins, plan);
  ASSERT_FALSE(unpinned);
  EXPECT_THAT(unpinned.error().message, HasSubstr("'busctl' has none of the operator's"));
  pins.push_back({.name = "busctl", .sha256 = "2"});
  EXPECT_TRUE(CheckAllPinned("/ceiling/require/verify", pins, plan));
}

// It starts the plug-ins of its configuration.
TEST(Pins, KubectlHasNone) {
  Plan plan{.launch = KubernetesLaunch{.run = {.kubectl = "/usr/bin/kubectl"}}};
  const Status unpinned = CheckAllPinned("/ceiling/require/verify", {}, plan);
  ASSERT_FALSE(unpinned);
  EXPECT_EQ(unpinned.error().code, ErrorCode::kConflict);
  EXPECT_EQ(unpinned.error().pointer, "/containment");
  EXPECT_THAT(unpinned.error().message, HasSubstr("kubectl"));
  EXPECT_FALSE(unpinned.error().hint.empty());
}

}  // namespace
}  // namespace mxc::pins_test
