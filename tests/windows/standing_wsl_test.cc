// Persistent sandboxes in a distribution of WSL: every phase as a client sends it, with a wsl.exe that
// answers as the mxc-exec inside would, and keeps what stays there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <windows.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "tests/windows/phases_windows.h"
#include "tests/windows/program_windows.h"
#include "tests/windows/system_programs_windows.h"
#include "win32/wide_windows.h"

namespace mxc::test::standing_wsl_test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class StandingWsl : public PhasesTest {
 protected:
  StandingWsl() {
    containment = "wslc";
    prefix = "wslc:";
  }
  void SetUp() override {
    PhasesTest::SetUp();
    Clear();
  }
  void TearDown() override {
    Order("");
    PhasesTest::TearDown();
    EXPECT_EQ(Inside(), 0U);
    Clear();
  }
  static void Order(const std::string& what) {
    std::ofstream{InSystem("mxc-fake-wsl"), std::ios::binary} << what;
  }
  static std::filesystem::path Distribution() { return Wide(InSystem("mxc-fake-wsl.d")); }
  static void Clear() {
    std::error_code ignored;
    std::filesystem::remove_all(Distribution(), ignored);
    for (const char* name : {"mxc-fake-wsl", "mxc-fake-wsl.log", "mxc-fake-wsl.began"})
      std::filesystem::remove(Wide(InSystem(name)), ignored);
  }
  // As `wsl --terminate` does.
  static void Terminate() { std::filesystem::remove_all(Distribution()); }
  // Sandboxes in the distribution.
  static std::size_t Inside() {
    const bool runs = std::filesystem::exists(Distribution() / L"running");
    return FilesIn(Distribution()) - (runs ? 1 : 0);
  }
  static std::string Log() {
    std::ifstream file{InSystem("mxc-fake-wsl.log"), std::ios::binary};
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void ForgetLog() { std::filesystem::remove(Wide(InSystem("mxc-fake-wsl.log"))); }
  // Asks again and again; false when it never became so in ten seconds.
  static bool Becomes(const std::string& id, const std::string& state) {
    for (int i = 0; i < 200 && StateOf(id) != state; ++i) ::Sleep(50);
    return StateOf(id) == state;
  }
  // `more` are members of `process`, with a comma before them.
  [[nodiscard]] Said Exec(const std::string& id, const std::string& more = "") const {
    return Phase("exec", id, R"(, "process": {"commandLine": "make all")" + more + "}");
  }
  // The keeper, and nothing inside.
  static void KillKeeperOf(const std::string& id) {
    std::ifstream file{FolderOf(id) / L"record", std::ios::binary};
    const std::string record{std::istreambuf_iterator<char>(file), {}};
    const std::size_t at = record.find("\"machine\":[{\"id\":");
    ASSERT_NE(at, std::string::npos) << record;
    const HANDLE keeper =
        ::OpenProcess(PROCESS_TERMINATE | SYNCHRONIZE, FALSE, std::stoul(record.substr(at + 17)));
    ASSERT_NE(keeper, nullptr);
    ::TerminateProcess(keeper, 1);
    ::WaitForSingleObject(keeper, 5000);
    ::CloseHandle(keeper);
  }

  SystemProgram program{"wsl.exe"};
  WslDistributions distributions;
};

TEST_F(StandingWsl, GoesThroughAllPhases) {
  const Said made = ProvisionOf(R"(, "session": {"idleTimeoutMs": 60000})");
  EXPECT_THAT(made.out, StartsWith(R"({"result":{"sandboxId":"wslc:)"));
  EXPECT_THAT(made.out, HasSubstr(R"("metadata":{"containment":"wslc","tier":"container"})"));
  const std::string id = made.out.substr(made.out.find("wslc:"), 37);
  EXPECT_EQ(id.find_first_not_of("0123456789abcdef", 5), std::string::npos);
  provisioned.push_back(id);
  EXPECT_THAT(Log(), HasSubstr("[--exec] [/usr/local/bin/mxc-exec] [--dry-run] [--config-env] [MXC_CONFIG]"));
  EXPECT_EQ(StateOf(id), "provisioned");
  EXPECT_EQ(Inside(), 0U);
  EXPECT_EQ(Phase("start", id).out, kDone);
  EXPECT_EQ(StateOf(id), "started");
  EXPECT_EQ(Inside(), 1U);
  EXPECT_THAT(Log(), HasSubstr("[start] [--foreground] [--json-errors] [--config-env] [MXC_CONFIG]"));
  EXPECT_THAT(Log(), HasSubstr(R"("session":{"idleTimeoutMs":60000,"lifetimeMs":0})"));
  const Said said = Exec(id);
  EXPECT_EQ(said.status, 7U);
  EXPECT_EQ(said.out, "out \xff");  // what the command writes is passed on as it is
  EXPECT_EQ(said.err, "err");
  EXPECT_THAT(Log(), HasSubstr(R"({"version":"1.1.0-alpha","phase":"exec","sandboxId":"ns:)"));
  const Said stopped = Phase("stop", id);
  EXPECT_EQ(stopped.out, kDone);
  EXPECT_THAT(stopped.err, HasSubstr("it has left something"));
  EXPECT_EQ(Inside(), 0U);
  EXPECT_EQ(StateOf(id), "stopped");
  EXPECT_EQ(Phase("start", id).out, kDone);
  EXPECT_EQ(Exec(id).status, 7U);
  EXPECT_EQ(Phase("deprovision", id).out, kDone);
  EXPECT_EQ(Inside(), 0U);
  EXPECT_FALSE(std::filesystem::exists(FolderOf(id)));
  EXPECT_THAT(Exec(id).out, HasSubstr("stale_id"));
}

TEST_F(StandingWsl, RefusesPhasesOutOfOrder) {
  const std::string none = "wslc:" + std::string(32, '0');
  EXPECT_THAT(Phase("start", none).out, HasSubstr(R"("code":"not_provisioned")"));
  const std::string id = Provision();
  EXPECT_THAT(Phase("start", none).out, HasSubstr(R"("code":"stale_id")"));
  EXPECT_THAT(Phase("stop", "wslc:0123").out, HasSubstr(R"("code":"malformed_id")"));
  EXPECT_THAT(Exec(id).out, HasSubstr(R"("code":"not_started")"));
  EXPECT_THAT(Phase("stop", id).out, HasSubstr(R"("code":"not_started")"));
  EXPECT_EQ(Phase("start", id).out, kDone);
  EXPECT_THAT(Phase("start", id).out, HasSubstr(R"("code":"already_started")"));
  EXPECT_EQ(Phase("stop", id).out, kDone);
  EXPECT_THAT(Phase("stop", id).out, HasSubstr(R"("code":"already_stopped")"));
  EXPECT_THAT(Exec(id, R"(}, "filesystem": {)").out, HasSubstr("the policy is fixed by provision"));
}

TEST_F(StandingWsl, ExplainsAPolicyAndNoLaterPhase) {
  const Said shown = Request(R"("phase": "provision", "containment": "wslc")", {"--explain"});
  EXPECT_EQ(shown.status, 0U) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("\"minimumTier\": \"container\""));
  for (const char* phase : {"start", "exec", "stop", "deprovision"}) {
    const bool exec = std::string(phase) == "exec";
    const Said said =
        Request(R"("phase": ")" + std::string(phase) + R"(", "sandboxId": "wslc:)" + std::string(32, '1') +
                    "\"" + (exec ? R"(, "process": {"commandLine": "x"})" : ""),
                {"--explain"});
    EXPECT_EQ(said.status, 1U) << phase;
    EXPECT_THAT(said.err, HasSubstr("--explain shows the policy of a provision request"));
  }
  EXPECT_THAT(Log(), Not(HasSubstr("[start]")));  // it is asked what it can
  EXPECT_EQ(FilesIn(Sandboxes()), 0U);
}

TEST_F(StandingWsl, DryRunsChangeNothing) {
  EXPECT_EQ(Request(R"("phase": "provision", "containment": "wslc")", {"--dry-run"}).out, kDone);
  EXPECT_EQ(FilesIn(Sandboxes()), 0U);
  EXPECT_EQ(Log(), "");
}

TEST_F(StandingWsl, ACommandHasItsEnvironmentAndDirectory) {
  const std::string id = Started();
  EXPECT_EQ(
      Exec(id, R"(, "cwd": "C:\\work", "env": ["A=s \u00e9"], "inheritDefaultEnv": true, "timeout": 5000)")
          .status,
      7U);
  EXPECT_THAT(Log(), HasSubstr(R"("process":{"commandLine":"make all","cwd":"/mnt/c/work","timeout":5000,)"
                               R"("inheritDefaultEnv":true,"env":["A=s é"]})"));
  EXPECT_EQ(Exec(id, R"(, "cwd": "/home/me")").status, 7U);
  EXPECT_THAT(Log(), HasSubstr(R"("cwd":"/home/me")"));
  EXPECT_THAT(Exec(id, R"(, "cwd": "\\\\server\\share")").out, HasSubstr(R"("pointer":"/process/cwd")"));
}

// For SDKs, by whose name the program is called, it is an identifier of theirs and nothing more.
TEST_F(StandingWsl, AnswersAsMxcDoes) {
  const std::string own = ProgramPath();
  SetProgramPath(own.substr(0, own.find_last_of("/\\") + 1) + "wxc-exec.exe");
  const Said made = ProvisionOf();
  SetProgramPath(own);
  const std::string id = made.out.substr(made.out.find("wslc:"), 37);
  EXPECT_EQ(made.out, R"({"result":{"sandboxId":")" + id + "\"}}\n");
  provisioned.push_back(id);
}

TEST_F(StandingWsl, TwoStandSideBySide) {
  const std::string first = Started();
  const std::string second = Started();
  EXPECT_EQ(Inside(), 2U);
  EXPECT_EQ(Phase("deprovision", first).out, kDone);
  EXPECT_EQ(Inside(), 1U);
  EXPECT_EQ(StateOf(second), "started");
  EXPECT_EQ(Exec(second).status, 7U);
}

TEST_F(StandingWsl, VerbsDoTheSame) {
  const Said started = RunProgram({"start", "--experimental", "--containment", "wslc"});
  EXPECT_EQ(started.status, 0U) << started.err;
  EXPECT_THAT(started.out, StartsWith("wslc:"));
  const std::string id = started.out.substr(0, started.out.size() - 1);
  provisioned.push_back(id);
  EXPECT_EQ(RunProgram({"exec", id.substr(0, 12), "--", "make", "a b"}).status, 7U);
  EXPECT_THAT(Log(), HasSubstr(R"("argv":["make","a b"])"));
  EXPECT_EQ(RunProgram({"stop", id}).status, 0U);
  EXPECT_EQ(StateOf(id), "absent");
  const Said stays = RunProgram({"start", "--foreground", "--experimental", "--containment", "wslc"});
  EXPECT_EQ(stays.status, 1U);
  EXPECT_THAT(stays.err, HasSubstr("no process of this machine holds"));
  EXPECT_EQ(FilesIn(Sandboxes()), 0U);
}

TEST_F(StandingWsl, WhatIsRefusedInsideIsRefusedAtOnce) {
  Order("refuse");
  const Said said = ProvisionOf();
  EXPECT_EQ(said.status, 1U);
  EXPECT_THAT(said.out, HasSubstr("refused in the distribution 'Debian X': no such thing"));
  EXPECT_THAT(said.out, HasSubstr(R"("kind":"unenforceable")"));
  Order("broken");
  EXPECT_THAT(ProvisionOf().out, HasSubstr("There is no distribution with the supplied name."));
  EXPECT_EQ(FilesIn(Sandboxes()), 0U);
}

TEST_F(StandingWsl, AStartThatIsRefusedLeavesNothing) {
  const std::string id = Provision();
  Order("start refuses");
  EXPECT_THAT(Phase("start", id).out, HasSubstr("no sandbox today"));
  EXPECT_EQ(StateOf(id), "provisioned");
  EXPECT_EQ(Inside(), 0U);
  Order("");
  EXPECT_EQ(Phase("start", id).out, kDone);
}

// Before the sandbox inside is there, and after: its keeper goes with the call, and the next call ends the
// rest.
TEST_F(StandingWsl, AStartThatWasKilledIsStartedAgain) {
  const std::string id = Provision();
  const std::string file =
      scratch.Write("s.json", R"({"version": "1.1.0-alpha", "phase": "start", "sandboxId": ")" + id + "\"}");
  Order("start hangs");
  EXPECT_TRUE(KillProgramOnce({"--experimental", file}, Narrow((FolderOf(id) / "keeper.out").wstring())));
  EXPECT_TRUE(Becomes(id, "provisioned"));
  EXPECT_THAT(Exec(id).out, HasSubstr("not_started"));
  Order("");
  EXPECT_EQ(Phase("start", id).out, kDone);
  EXPECT_EQ(Exec(id).status, 7U);
  EXPECT_EQ(Inside(), 1U);
}

TEST_F(StandingWsl, ADistributionThatWasTerminatedLeavesAStoppedSandbox) {
  const std::string id = Started();
  Terminate();
  EXPECT_TRUE(Becomes(id, "stopped"));
  EXPECT_THAT(Exec(id).out, HasSubstr(R"("code":"not_started")"));
  EXPECT_EQ(Inside(), 0U) << "no distribution is started to be asked";
  EXPECT_FALSE(std::filesystem::exists(Distribution()));
  EXPECT_EQ(Phase("start", id).out, kDone);
  EXPECT_EQ(Exec(id).status, 7U);
  Terminate();
  EXPECT_TRUE(Becomes(id, "stopped"));
  ForgetLog();
  EXPECT_EQ(Phase("deprovision", id).out, kDone);
  EXPECT_THAT(Log(), HasSubstr("[--list] [--running] [--quiet]"));
  EXPECT_THAT(Log(), Not(HasSubstr("[-d]")));
}

// What is left inside is ended by whoever comes next.
TEST_F(StandingWsl, AKeeperThatWasKilledIsReplaced) {
  const std::string id = Started();
  KillKeeperOf(id);
  EXPECT_EQ(StateOf(id), "stopped");
  EXPECT_EQ(Inside(), 1U);
  EXPECT_EQ(Phase("start", id).out, kDone);
  EXPECT_EQ(Inside(), 1U);
  EXPECT_EQ(Exec(id).status, 7U);
  KillKeeperOf(id);
  EXPECT_EQ(RunProgram({"--reap"}).out, "{\"reaped\":[]}\n");
  EXPECT_EQ(Inside(), 0U);
  EXPECT_EQ(StateOf(id), "stopped");
  EXPECT_EQ(Phase("start", id).out, kDone);
  KillKeeperOf(id);
  EXPECT_EQ(Phase("deprovision", id).out, kDone);
  EXPECT_EQ(Inside(), 0U);
}

TEST_F(StandingWsl, WhatCannotBeEndedInsideIsTriedAgain) {
  const std::string id = Started();
  Order("stop fails");
  for (const char* phase : {"stop", "deprovision"}) {
    const Said said = Phase(phase, id);
    EXPECT_EQ(said.status, 1U);
    EXPECT_THAT(said.out, HasSubstr("it does not end"));
  }
  EXPECT_TRUE(std::filesystem::exists(FolderOf(id)));
  Order("");
  EXPECT_EQ(Phase("deprovision", id).out, kDone);
  EXPECT_EQ(Inside(), 0U);
}

TEST_F(StandingWsl, StopEndsCommandsAndTheyAreToldSo) {
  const std::string id = Started();
  Order("exec waits");
  Said said;
  std::thread command([&] { said = Exec(id); });
  for (int i = 0; i < 400 && !std::filesystem::exists(InSystem("mxc-fake-wsl.began")); ++i) ::Sleep(50);
  EXPECT_THAT(List(), HasSubstr("\"commands\":1"));
  EXPECT_EQ(Phase("stop", id).out, kDone);
  command.join();
  EXPECT_EQ(said.status, 255U);
  EXPECT_THAT(said.err, HasSubstr("failed in the distribution 'Debian X': the sandbox was stopped"));
  EXPECT_THAT(List(), HasSubstr("\"commands\":0"));
}

TEST_F(StandingWsl, ASandboxThatEndedBeforeItsCommandIsNotStarted) {
  const std::string id = Started();
  const std::string file =
      scratch.Write("x.json", R"({"version": "1.1.0-alpha", "phase": "exec", "sandboxId": ")" + id +
                                  R"(", "process": {"commandLine": "x"}})");
  Order("exec waits");
  EXPECT_TRUE(KillProgramOnce({"--experimental", file}, InSystem("mxc-fake-wsl.began")));
  EXPECT_EQ(StateOf(id), "started");  // with the command its launcher goes, and nothing else
  EXPECT_THAT(List(), HasSubstr("\"commands\":0"));
  Order("");
  EXPECT_EQ(Exec(id).status, 7U);
}

TEST_F(StandingWsl, TimeLimitsEndTheSandbox) {
  const std::string id = Started(R"(, "session": {"idleTimeoutMs": 60000, "lifetimeMs": 45000})");
  EXPECT_EQ(Exec(id).status, 7U);
  ::Sleep(45000);
  EXPECT_THAT(Exec(id).out, HasSubstr(R"("code":"stale_id")"));
  EXPECT_EQ(RunProgram({"--reap"}).out, "{\"reaped\":[\"" + id + "\"]}\n");
  EXPECT_EQ(Inside(), 0U);
  EXPECT_EQ(FilesIn(Sandboxes()), 0U);
}

TEST_F(StandingWsl, ReapsWhatAKilledCallHasLeft) {
  const std::string id = "wslc:" + std::string(32, 'a');
  std::filesystem::create_directories(FolderOf(id));
  EXPECT_EQ(StateOf(id), "dead");
  EXPECT_EQ(RunProgram({"--reap"}).out, "{\"reaped\":[\"" + id + "\"]}\n");
  EXPECT_EQ(FilesIn(Sandboxes()), 0U);
}

TEST_F(StandingWsl, NoGrantReachesTheRecord) {
  const std::string own = Narrow(Sandboxes().wstring());
  std::string inside = "/mnt/c";
  for (const char c : own.substr(2)) inside += c == '\\' ? '/' : static_cast<char>(std::tolower(c));
  for (const std::string& path : {std::string("/"), std::string("/mnt"), inside}) {
    const Said said = ProvisionOf(R"(, "filesystem": {"readonlyPaths": [")" + path + "\"]}");
    EXPECT_EQ(said.status, 1U) << path;
    EXPECT_THAT(said.out, HasSubstr("reaches what mxc-exec keeps of sandboxes"));
  }
}

}  // namespace
}  // namespace mxc::test::standing_wsl_test
