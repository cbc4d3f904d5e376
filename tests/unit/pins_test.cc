// Pins of helpers, on files of this test's own.
#include "helpers/pins.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <utility>

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

Config AskedToVerify(std::vector<HelperPin> pins) {
  return {.helpers = std::move(pins), .verify_pointer = "/ceiling/require/verify"};
}

// What the plan pins may be the caller's.
TEST(Pins, ThoseOfTheOperatorAreAskedFor) {
  Plan plan{.setup = {ControlGroup{.scope = ScopeRequest{.busctl = "/usr/bin/busctl", .sha256 = "2"}}},
            .launch = BubblewrapLaunch{.bwrap = {.program = "/usr/bin/bwrap", .sha256 = "1"}}};
  const HelperPin bwrap{.name = "bwrap", .sha256 = "1", .of_operator = true};
  HelperPin busctl{.name = "busctl", .sha256 = "2"};
  const Status unpinned = CheckAllPinned(AskedToVerify({bwrap, busctl}), plan);
  ASSERT_FALSE(unpinned);
  EXPECT_THAT(unpinned.error().message, HasSubstr("'busctl' has none of the operator's"));
  busctl.of_operator = true;
  EXPECT_TRUE(CheckAllPinned(AskedToVerify({bwrap, busctl}), plan));
  EXPECT_TRUE(CheckAllPinned({}, plan)) << "nobody asks for pins";
}

// A probe starts helpers as well, and a run of another would come too late.
TEST(Pins, NoProbeExecutesAHelperWithoutThem) {
  const test::Workspace workspace(::geteuid());
  const std::string path = workspace.File("bwrap", "a program", 0755);
  FakeHost host;
  host.AddTool("bwrap", path).AddTool("env", "/usr/bin/env").AddTool("other", "/usr/bin/other");
  const auto executed = [&host](const Config& config, const std::vector<std::string>& argv) {
    const std::size_t before = host.Questions().size();
    const PinnedHost pinned(host, config);
    for (const char* const name : {"bwrap", "env", "other"}) static_cast<void>(pinned.FindTool(name));
    static_cast<void>(pinned.Try(argv, 1000));
    const bool ran =
        std::any_of(host.Questions().begin() + static_cast<std::ptrdiff_t>(before), host.Questions().end(),
                    [](const std::string& question) { return question.starts_with("run "); });
    return ran ? std::string("executed") : pinned.Refusal().error().message;
  };
  const HelperPin callers{.name = "bwrap", .sha256 = Sha256Text("a program")};
  HelperPin operators = callers;
  operators.of_operator = true;
  EXPECT_EQ(executed({}, {path, "--version"}), "executed");
  EXPECT_EQ(executed(AskedToVerify({operators}), {path, "--version"}), "executed");
  EXPECT_EQ(executed(AskedToVerify({}), {"/proc/self/exe", "--version"}), "executed");
  EXPECT_EQ(executed(AskedToVerify({}), {"/usr/bin/other"}), "executed") << "no helper";
  for (const Config& config : {AskedToVerify({}), AskedToVerify({callers})}) {
    EXPECT_THAT(executed(config, {path, "--version"}), HasSubstr("'bwrap' has none of the operator's"));
    EXPECT_THAT(executed(config, {"/proc/self/exe", "--", path}), HasSubstr("'bwrap' has none"));
  }
  EXPECT_THAT(executed(AskedToVerify({operators}), {"/usr/bin/env", path}), HasSubstr("'env' has none"));
}

TEST(Pins, KubectlHasOne) {
  Plan plan{.launch = KubernetesLaunch{.run = {.kubectl = "/usr/bin/kubectl"}}};
  Policy policy;
  PinPlan({{.name = "kubectl", .sha256 = "1", .pointer = "/helpers/kubectl"}}, policy, plan);
  EXPECT_EQ(std::get<KubernetesLaunch>(plan.launch).run.sha256, "1");
  EXPECT_EQ(plan.ledger.size(), 1U);
}

// It starts the plug-ins of its configuration, which no pin of kubectl holds.
TEST(Pins, KubectlIsNotAllThatAPodTakes) {
  Plan plan{.launch = KubernetesLaunch{.run = {.kubectl = "/usr/bin/kubectl"}}};
  const Status unpinned = CheckAllPinned(AskedToVerify({{.name = "kubectl", .of_operator = true}}), plan);
  ASSERT_FALSE(unpinned);
  EXPECT_EQ(unpinned.error().code, ErrorCode::kConflict);
  EXPECT_EQ(unpinned.error().pointer, "/containment");
  EXPECT_THAT(unpinned.error().message, HasSubstr("kubectl"));
  EXPECT_FALSE(unpinned.error().hint.empty());
}

}  // namespace
}  // namespace mxc::pins_test
