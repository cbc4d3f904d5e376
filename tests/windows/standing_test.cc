// Persistent sandboxes: every phase as a client sends it, with a WindowsSandbox.exe that runs the agent on
// this machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <windows.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/windows/guest_windows.h"
#include "tests/windows/phases_windows.h"
#include "tests/windows/program_windows.h"
#include "tests/windows/system_programs_windows.h"
#include "win32/wide_windows.h"
#include "windows/machine_windows.h"

namespace mxc::test::standing_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string Quoted(const std::vector<std::string>& argv) {
  std::string list;
  for (const std::string& argument : argv) list += (list.empty() ? "\"" : ", \"") + Escaped(argument) + "\"";
  return "[" + list + "]";
}

class Standing : public PhasesTest {
 protected:
  void TearDown() override {
    PhasesTest::TearDown();
    std::error_code ignored;
    for (const char* name : {"mxc-fake-sandbox", "mxc-fake-sandbox.log"})
      std::filesystem::remove(Wide(InSystem(name)), ignored);
  }

  // A guest of the tests; `more` are members of `process`, with a comma before them.
  Said Exec(const std::string& id, const std::vector<std::string>& guest, const std::string& more = "",
            const std::string& input = "") const {
    return Phase("exec", id, ", \"process\": {\"argv\": " + Quoted(Guest(guest)) + more + "}", input);
  }

  SystemProgram program{"WindowsSandbox.exe"};
};

TEST_F(Standing, GoesThroughAllPhases) {
  const Said made = ProvisionOf(R"(, "session": {"idleTimeoutMs": 60000})");
  EXPECT_THAT(made.out, StartsWith(R"({"result":{"sandboxId":"wsb:)"));
  EXPECT_THAT(made.out,
              HasSubstr(R"("metadata":{"containment":"windows_sandbox","tier":"virtual-machine"})"));
  const std::string id = made.out.substr(made.out.find("wsb:"), 12);
  EXPECT_EQ(id.find_first_not_of("0123456789abcdef", 4), std::string::npos);
  provisioned.push_back(id);
  EXPECT_EQ(StateOf(id), "provisioned");
  EXPECT_EQ(Phase("start", id).out, kDone);
  EXPECT_EQ(StateOf(id), "started");
  const Said said = Exec(id, {"both"});
  EXPECT_EQ(said.status, 0U) << said.err;
  EXPECT_EQ(said.out, "out");
  EXPECT_EQ(said.err, "err");
  EXPECT_EQ(Exec(id, {"exit", "42"}).status, 42U);
  EXPECT_EQ(Phase("stop", id).out, kDone);
  EXPECT_EQ(StateOf(id), "stopped");
  EXPECT_EQ(Phase("start", id).out, kDone);
  EXPECT_EQ(Exec(id, {"exit", "7"}).status, 7U);
  EXPECT_EQ(Phase("deprovision", id).out, kDone);
  EXPECT_FALSE(std::filesystem::exists(FolderOf(id)));
  EXPECT_THAT(Exec(id, {"both"}).out, HasSubstr("stale_id"));
}

TEST_F(Standing, EachCommandHasARunUnderTheHashOfThePolicy) {
  const std::string id = Started();
  std::string runs[2];
  for (std::string& run : runs) {
    Request(R"("phase": "exec", "sandboxId": ")" + id + R"(", "process": {"argv": )" +
                Quoted(Guest({"exit", "0"})) + "}",
            {"--result", scratch.Path("result")});
    const std::string result = scratch.Read("result");
    const std::size_t at = result.find(R"("event":"outcome")");
    ASSERT_NE(at, std::string::npos) << result;
    EXPECT_THAT(result.substr(at), HasSubstr(R"("policyHash":"sha256:)"));
    const std::size_t from = result.find(R"("run":")", at);
    ASSERT_NE(from, std::string::npos) << result;
    run = result.substr(from, 30);
  }
  EXPECT_NE(runs[0], runs[1]);
}

TEST_F(Standing, RefusesPhasesOutOfOrder) {
  EXPECT_THAT(Phase("start", "wsb:01234567").out, HasSubstr(R"("code":"not_provisioned")"));
  const std::string id = Provision();
  EXPECT_THAT(Phase("start", "wsb:01234567").out, HasSubstr(R"("code":"stale_id")"));
  for (const char* bad : {"wsb:0123456", "wsb:0123456X", "wsb:012345678", "wsb:", "none"})
    EXPECT_THAT(Phase("stop", bad).out, HasSubstr(R"("code":"malformed_id")")) << bad;
  EXPECT_THAT(Phase("stop", "iso:01234567").out, HasSubstr(R"("code":"unsupported_containment")"));
  const Said early = Exec(id, {"both"});
  EXPECT_EQ(early.status, 1U);
  EXPECT_THAT(early.out, HasSubstr(R"("code":"not_started")"));
  EXPECT_THAT(Phase("stop", id).out, HasSubstr(R"("code":"not_started")"));
  EXPECT_EQ(Phase("start", id).out, kDone);
  EXPECT_THAT(Phase("start", id).out, HasSubstr(R"("code":"already_started")"));
  EXPECT_EQ(Phase("stop", id).out, kDone);
  EXPECT_THAT(Phase("stop", id).out, HasSubstr(R"("code":"already_stopped")"));
}

TEST_F(Standing, OtherContainmentsHaveNone) {
  for (const std::string other : {"process", "processcontainer"}) {
    const Said said = Request(R"("phase": "provision", "containment": ")" + other + "\"");
    EXPECT_EQ(said.status, 1U);
    EXPECT_THAT(said.out, HasSubstr(R"("code":"unsupported_phase")"));
    EXPECT_THAT(said.out, HasSubstr("has no persistent sandboxes"));
  }
}

TEST_F(Standing, ThePolicyIsFixedAndNarrow) {
  EXPECT_THAT(ProvisionOf(R"(, "ui": {"clipboard": "read"})").out, HasSubstr(R"("pointer":"/ui")"));
  EXPECT_THAT(ProvisionOf(R"(, "network": {"egress": {"default": "allow"}})").out,
              HasSubstr(R"("pointer":"/network/egress/default")"));
  const std::string id = Provision();
  EXPECT_THAT(Phase("exec", id, R"(, "process": {"commandLine": "x"}, "filesystem": {})").out,
              HasSubstr("the policy is fixed by provision"));
  EXPECT_EQ(FilesIn(Sandboxes()), 1U);
  // A command that writes its record would choose what the next start gives it.
  const std::string own = Narrow(Sandboxes().parent_path().wstring());
  for (const std::string& path : {own, Narrow(Sandboxes().parent_path().parent_path().wstring())}) {
    const Said said = ProvisionOf(R"(, "filesystem": {"readwritePaths": [")" + Escaped(path) + "\"]}");
    EXPECT_EQ(said.status, 1U) << path;
    EXPECT_THAT(said.out, HasSubstr("reaches what mxc-exec keeps of sandboxes"));
    EXPECT_THAT(said.out, HasSubstr(R"("pointer":"/filesystem/readwritePaths/0")"));
  }
}

TEST_F(Standing, DryRunsChangeNothing) {
  EXPECT_EQ(Request(R"("phase": "provision", "containment": "windows_sandbox")", {"--dry-run"}).out, kDone);
  EXPECT_EQ(FilesIn(Sandboxes()), 0U);
  const std::string id = Provision();
  EXPECT_EQ(Request(R"("phase": "start", "sandboxId": ")" + id + "\"", {"--dry-run"}).out, kDone);
  EXPECT_EQ(StateOf(id), "provisioned");
}

TEST_F(Standing, ACommandHasItsInputEnvironmentAndDirectory) {
  const std::string folder = scratch.Path("d e");
  std::filesystem::create_directories(Wide(folder));
  const std::string id = Started(R"(, "filesystem": {"readwritePaths": [")" + Escaped(folder) + "\"]}");
  const std::string bytes{"a\r\nb\n\0c\xff", 8};
  EXPECT_EQ(Exec(id, {"copy"}, "", bytes).out, bytes);
  EXPECT_EQ(Exec(id, {"env", "MXC_TEST"}, R"(, "env": ["MXC_TEST=v & \"w\" !x"])").out, "v & \"w\" !x\n");
  EXPECT_EQ(Exec(id, {"env", "MXC_TEST"}).status, 1U);
  EXPECT_EQ(Exec(id, {"cwd"}).out, folder + "\n");
  const Said elsewhere = Exec(id, {"cwd"}, R"(, "cwd": "C:\\windows")");
  EXPECT_THAT(elsewhere.out, HasSubstr(R"("pointer":"/process/cwd")"));
  std::vector<std::string> hard = {"args", "a b", "c&d", "e|f", "(g)", "h^i", "%j"};
  EXPECT_EQ(Exec(id, hard).out, "a b\nc&d\ne|f\n(g)\nh^i\n%j\n");
}

TEST_F(Standing, CommandsRunSideBySide) {
  const std::string id = Started();
  std::vector<Said> said(6);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < said.size(); ++i)
    threads.emplace_back([&, i] { said[i] = Exec(id, {"copy"}, "", "number " + std::to_string(i)); });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < said.size(); ++i)
    EXPECT_EQ(said[i].out, "number " + std::to_string(i)) << said[i].status << " " << said[i].err;
  EXPECT_THAT(List(), HasSubstr("\"commands\":0"));
}

TEST_F(Standing, EveryCommandHasItsOwnTimeout) {
  const std::string id = Started();
  std::thread other([&] {
    EXPECT_EQ(Exec(id, {"twice", scratch.Path("a"), scratch.Path("b"), "4000"}).status, 0U);
  });
  const Said said =
      Exec(id, {"twice", scratch.Path("c"), scratch.Path("d"), "60000"}, R"(, "timeout": 1000)");
  EXPECT_EQ(said.status, 255U);
  EXPECT_THAT(said.err, HasSubstr("timed out after 1000ms"));
  other.join();
  EXPECT_EQ(scratch.Read("b"), "written");
  EXPECT_EQ(Exec(id, {"exit", "3"}).status, 3U);
}

TEST_F(Standing, WhatACommandStartedEndsWithIt) {
  const std::string id = Started();
  EXPECT_EQ(Exec(id, {"late", scratch.Path("late"), "1000"}).status, 0U);
  ::Sleep(2500);
  EXPECT_EQ(scratch.Read("late"), "");
}

TEST_F(Standing, ACommandEndsWithItsLauncher) {
  const std::string id = Started();
  const std::string file = scratch.Write(
      "k.json", R"({"version": "1.1.0-alpha", "phase": "exec", "sandboxId": ")" + id +
                    R"(", "process": {"argv": )" +
                    Quoted(Guest({"twice", scratch.Path("one"), scratch.Path("two"), "3000"})) + "}}");
  EXPECT_TRUE(KillProgramOnce({"--experimental", file}, scratch.Path("one")));
  ::Sleep(4500);
  EXPECT_EQ(scratch.Read("two"), "");
  // Neither its orders nor its answers stay.
  EXPECT_EQ(FilesIn(FolderOf(id) / "orders"), 2U);
  EXPECT_EQ(FilesIn(FolderOf(id) / "answers"), 1U);
  EXPECT_EQ(Exec(id, {"exit", "5"}).status, 5U);
}

TEST_F(Standing, StopEndsCommandsAndTheyAreToldSo) {
  const std::string id = Started();
  Said said;
  std::thread command([&] { said = Exec(id, {"twice", scratch.Path("a"), scratch.Path("b"), "60000"}); });
  for (int i = 0; i < 400 && scratch.Read("a").empty(); ++i) ::Sleep(50);
  EXPECT_EQ(Phase("stop", id).out, kDone);
  command.join();
  EXPECT_EQ(said.status, 255U);
  EXPECT_THAT(said.err, HasSubstr("the sandbox was stopped before the command ended"));
}

TEST_F(Standing, ThereIsOneMachine) {
  const std::string first = Started();
  const std::string second = Provision();
  EXPECT_THAT(Phase("start", second).out, HasSubstr(R"("code":"backend_unavailable")"));
  EXPECT_EQ(StateOf(second), "provisioned");
  EXPECT_EQ(Phase("deprovision", first).out, kDone);
  EXPECT_EQ(Phase("start", second).out, kDone);
}

TEST_F(Standing, AMachineThatDoesNotComeUpLeavesNothing) {
  std::ofstream{InSystem("mxc-fake-sandbox"), std::ios::binary} << "closed";
  const std::string id = Provision();
  EXPECT_THAT(Phase("start", id).out, HasSubstr("the machine ended while it started"));
  EXPECT_EQ(StateOf(id), "provisioned");
}

// The call that starts a machine is killed while that comes up: nothing of it stands in the way.
TEST_F(Standing, AStartThatWasKilledIsStartedAgain) {
  const std::string id = Provision();
  const std::string file =
      scratch.Write("s.json", R"({"version": "1.1.0-alpha", "phase": "start", "sandboxId": ")" + id + "\"}");
  EXPECT_TRUE(KillProgramOnce({"--experimental", file}, Narrow((FolderOf(id) / "machine.wsb").wstring())));
  EXPECT_THAT(Exec(id, {"both"}).out, testing::AnyOf(HasSubstr("not_started"), "out"));
  const std::string again = Phase("start", id).out;
  EXPECT_THAT(again, testing::AnyOf(kDone, HasSubstr("already_started")));
  EXPECT_EQ(Exec(id, {"exit", "6"}).status, 6U);
}

TEST_F(Standing, TimeLimitsEndTheSandbox) {
  const std::string id = Started(R"(, "session": {"idleTimeoutMs": 15000})");
  EXPECT_EQ(Exec(id, {"exit", "0"}).status, 0U);
  for (int i = 0; i < 240 && !MachineProcesses().empty(); ++i) ::Sleep(250);
  EXPECT_TRUE(MachineProcesses().empty());  // nobody has called meanwhile
  EXPECT_EQ(StateOf(id), "absent");
  EXPECT_THAT(Exec(id, {"exit", "0"}).out, HasSubstr(R"("code":"stale_id")"));
  const std::string short_lived = Started(R"(, "session": {"idleTimeoutMs": 60000, "lifetimeMs": 45000})");
  const Said cut = Exec(short_lived, {"sleep", "120000"});
  EXPECT_EQ(cut.status, 255U);
  EXPECT_TRUE(MachineProcesses().empty());
  EXPECT_THAT(Phase("start", short_lived).out, HasSubstr(R"("code":"stale_id")"));
  const std::string other = Provision(R"(, "windowsSandbox": {"idleTimeoutMs": 500})");
  ::Sleep(1000);
  EXPECT_THAT(Phase("start", other).out, HasSubstr(R"("code":"stale_id")"));
  EXPECT_THAT(RunProgram({"--reap"}).out, HasSubstr(other));
  EXPECT_EQ(FilesIn(Sandboxes()), 0U);
}

TEST_F(Standing, ReapsWhatAKilledCallHasLeft) {
  std::filesystem::create_directories(Sandboxes() / L"wsb-0123abcd" / L"answers");
  EXPECT_EQ(StateOf("wsb:0123abcd"), "dead");
  EXPECT_THAT(Phase("exec", "wsb:0123abcd", R"(, "process": {"commandLine": "x"})").out,
              HasSubstr(R"("code":"stale_id")"));
  EXPECT_EQ(RunProgram({"--reap"}).out, "{\"reaped\":[\"wsb:0123abcd\"]}\n");
  EXPECT_EQ(FilesIn(Sandboxes()), 0U);
}

}  // namespace
}  // namespace mxc::test::standing_test
