// The base container, with a stand-in for processmodel.dll in the system directory of Wine. Wine knows no
// security environment of a process, so a run in one ends before its command has started; the older contract
// starts its command itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <windows.h>

#include <array>
#include <filesystem>

#include "mxc/command_line.h"
#include "run/run.h"
#include "tests/windows/guest_windows.h"
#include "tests/windows/program_windows.h"
#include "tests/windows/system_programs_windows.h"
#include "win32/security_environment.h"
#include "win32/security_environment_windows.h"
#include "win32/system_library_windows.h"
#include "win32/wide_windows.h"

namespace mxc::test::base_container_test {
namespace {

using testing::HasSubstr;

struct Silent final : RunObserver {
  void OnStarted(std::int64_t) override { started = true; }
  bool started = false;
};

class WindowsBase : public testing::Test {
 protected:
  // Once for all suites: from then on this process has it loaded, and so it stays in the prefix of the tests.
  static void SetUpTestSuite() {
    if (!IsWine() || ::GetModuleHandleW(L"processmodel.dll") != nullptr) return;
    std::array<wchar_t, MAX_PATH> directory{};
    ::GetSystemDirectoryW(directory.data(), MAX_PATH);
    const std::wstring place = std::wstring(directory.data()) + L"\\processmodel.dll";
    std::array<wchar_t, MAX_PATH> own{};
    ::GetModuleFileNameW(nullptr, own.data(), MAX_PATH);
    const auto beside = std::filesystem::path(own.data()).replace_filename(L"processmodel.dll");
    ASSERT_NE(::CopyFileW(beside.c_str(), place.c_str(), FALSE), 0) << ::GetLastError();
    ASSERT_NE(::LoadLibraryW(place.c_str()), nullptr) << ::GetLastError();  // unloaded, it forgets StartAtOnce
  }
  void SetUp() override {
    if (!IsWine()) GTEST_SKIP() << "stand-ins of system libraries are made under Wine only";
  }

  static std::string Last() {
    using Function = const std::string* (*)();
    const SystemLibrary library{L"processmodel.dll"};
    return *library.Find<Function>("LastSpecification")();
  }
  static int Open() {
    using Function = int (*)();
    const SystemLibrary library{L"processmodel.dll"};
    return library.Find<Function>("OpenEnvironments")();
  }
};

TEST_F(WindowsBase, IsMadeOfThePlansBytesAndClosed) {
  const std::string bytes = SecurityEnvironmentBytes({.base = BaseContainer{.read_write = {"C:\\w"}}});
  {
    const Result<SecurityEnvironment> environment = SecurityEnvironment::Make(bytes);
    ASSERT_TRUE(environment) << environment.error().message;
    EXPECT_NE(environment->Get(), nullptr);
    EXPECT_EQ(Last(), bytes);
    EXPECT_EQ(Open(), 1);
  }
  EXPECT_EQ(Open(), 0);
}

TEST_F(WindowsBase, WhatItRefusesIsAnError) {
  const Result<SecurityEnvironment> environment = SecurityEnvironment::Make("odd");
  ASSERT_FALSE(environment);
  EXPECT_EQ(environment.error().code, ErrorCode::kSetupFailed);
  EXPECT_THAT(environment.error().message, HasSubstr("security environment"));
}

TEST_F(WindowsBase, WithoutItNothingIsStarted) {
  const Scratch scratch;
  Plan plan{.containment = Containment::kProcessContainer};
  plan.launch = AppContainerLaunch{
      .sandbox = {.base = BaseContainer{},
                  .command_line = JoinArguments(Guest({"write", scratch.Path("f"), "0"}), QuoteFor::kProgram),
                  .cwd = "C:\\"}};
  Silent observer;
  const Result<Outcome> outcome = RunPlan(plan, observer);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kSetupFailed);
  EXPECT_THAT(outcome.error().message, HasSubstr("put the command into its base container"));
  EXPECT_FALSE(observer.started);
  EXPECT_EQ(scratch.Read("f"), "");
  EXPECT_EQ(Last(), SecurityEnvironmentBytes(std::get<AppContainerLaunch>(plan.launch).sandbox));
  EXPECT_EQ(Open(), 0);
}

class WindowsOlderContract : public WindowsBase {
 protected:
  void TearDown() override {
    if (IsWine()) StartAtOnce(false);
  }
  static void StartAtOnce(bool set) {
    using Function = void (*)(bool);
    const SystemLibrary library{L"processmodel.dll"};
    library.Find<Function>("StartAtOnce")(set);
  }
  static std::string Identity() {
    using Function = const std::wstring* (*)();
    const SystemLibrary library{L"processmodel.dll"};
    return Narrow(*library.Find<Function>("LastIdentity")());
  }
  static Plan PlanOf(const std::vector<std::string>& guest) {
    Plan plan{.containment = Containment::kProcessContainer};
    AppContainerSandbox sandbox{
        .base = BaseContainer{.contract = BaseContract::kCreateInSandbox, .read_write = {"C:\\w"}},
        .command_line = JoinArguments(Guest(guest), QuoteFor::kProgram),
        .environment = {{.name = "SystemRoot", .value = Secret{"C:\\windows"}},
                        {.name = "TOLD", .value = Secret{"yes"}}},
        .cwd = "C:\\"};
    plan.launch = AppContainerLaunch{.sandbox = std::move(sandbox)};
    return plan;
  }
};

TEST_F(WindowsOlderContract, RunsTheCommandOfThePlan) {
  const Plan plan = PlanOf({"exit", "42"});
  Silent observer;
  const Result<Outcome> outcome = RunPlan(plan, observer);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->exit_code, 42);
  EXPECT_TRUE(observer.started);
  EXPECT_EQ(Last(), SandboxSpecificationBytes(std::get<AppContainerLaunch>(plan.launch).sandbox));
  EXPECT_THAT(Identity(), testing::StartsWith("mxc-"));
}

TEST_F(WindowsOlderContract, ANameThatStaysIsTold) {
  Plan plan = PlanOf({"exit", "0"});
  std::get<AppContainerLaunch>(plan.launch).sandbox.name = "agent";
  Silent observer;
  ASSERT_TRUE(RunPlan(plan, observer));
  EXPECT_EQ(Identity(), "agent");
}

// The launcher's own streams are lent for the start, and stand again behind it.
TEST_F(WindowsOlderContract, OutputIsCappedAndTheEnvironmentThePlans) {
  Plan plan = PlanOf({"env", "TOLD"});
  plan.output.max_bytes = 2;
  HANDLE const before = ::GetStdHandle(STD_OUTPUT_HANDLE);
  Silent observer;
  const Result<Outcome> outcome = RunPlan(plan, observer);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_TRUE(outcome->stdout_truncated);
  EXPECT_EQ(::GetStdHandle(STD_OUTPUT_HANDLE), before);
}

TEST_F(WindowsOlderContract, ACommandThatDoesNotWaitForItsJobIsEnded) {
  const Scratch scratch;
  StartAtOnce(true);
  Silent observer;
  const Result<Outcome> outcome = RunPlan(PlanOf({"late", scratch.Path("f"), "1500"}), observer);
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().message, HasSubstr("did not wait until its job held it"));
  EXPECT_FALSE(observer.started);
}

// The exports are there; what stands behind them is not.
TEST_F(WindowsBase, TheProbeBelievesNoExport) {
  const std::string probe = RunProgram({"--probe"}).out;
  EXPECT_THAT(probe, HasSubstr("\"baseContainerApiPresent\": true"));
  EXPECT_THAT(probe, HasSubstr("\"error\": \"Wine has no AppContainer\""));
  EXPECT_THAT(probe, testing::Not(HasSubstr("\"tier\": \"base-container\"")));
}

}  // namespace
}  // namespace mxc::test::base_container_test
