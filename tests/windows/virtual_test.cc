// Runs in WSL and in Windows Sandbox, with stand-ins for both: wsl.exe that answers as a distribution would,
// and a WindowsSandbox.exe that runs the guest's script on this machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <windows.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/windows/guest_windows.h"
#include "tests/windows/program_windows.h"
#include "tests/windows/system_programs_windows.h"
#include "win32/wide_windows.h"

namespace mxc::test::virtual_test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string ReadAll(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>(file), {}};
}

std::size_t LeftFolders() {
  const wchar_t* local = ::_wgetenv(L"LOCALAPPDATA");
  const std::filesystem::path parent = std::wstring(local == nullptr ? L"" : local) + L"\\mxc-exec\\run";
  std::error_code missing;
  const std::filesystem::directory_iterator entries{parent, missing};
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

class InVirtualMachine : public testing::Test {
 protected:
  void SetUp() override {
    if (!IsWine()) GTEST_SKIP() << "stand-ins of system programs are made under Wine only";
  }

  Said Run(const std::string& members, const std::vector<std::string>& flags = {},
           const std::string& input = "") const {
    const std::string file = scratch.Write(
        "c.json", R"({"version": "1.1.0-alpha", "containment": ")" + containment + "\", " + members + "}");
    std::vector<std::string> arguments = {"--experimental", file};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return RunProgram(arguments, input);
  }

  Scratch scratch;
  std::string containment;
};

class Wsl : public InVirtualMachine {
 protected:
  void SetUp() override {
    InVirtualMachine::SetUp();
    containment = "wslc";
    std::filesystem::remove(Wide(log));
    Order("");
  }
  void TearDown() override {
    std::error_code ignored;
    std::filesystem::remove(Wide(log), ignored);
    std::filesystem::remove(Wide(InSystem("mxc-fake-wsl")), ignored);
  }
  static void Order(const std::string& what) {
    std::ofstream{InSystem("mxc-fake-wsl"), std::ios::binary} << what;
  }

  SystemProgram program{"wsl.exe"};
  WslDistributions distributions;
  std::string log = InSystem("mxc-fake-wsl.log");
};

TEST_F(Wsl, RunsTheMxcExecInside) {
  const Said said = Run(R"("process": {"commandLine": "make \"all\"", "env": ["TOKEN=s é"]})");
  EXPECT_EQ(said.status, 7U);
  EXPECT_EQ(said.out, "out \xff");  // what the command writes is passed on as it is
  EXPECT_EQ(said.err, "err");
  const std::string log_text = ReadAll(log);
  EXPECT_THAT(log_text, HasSubstr("[-d] [Debian X] [--cd] [/] [--exec] [/usr/local/bin/mxc-exec] "
                                  "[--config-env] [MXC_CONFIG] [--result] [/mnt/c/"));
  EXPECT_THAT(log_text, HasSubstr(R"("commandLine": "make \"all\"")"));
  EXPECT_THAT(log_text, HasSubstr(R"("env": ["TOKEN=s é"])"));
  EXPECT_THAT(log_text, HasSubstr("wslenv MXC_CONFIG/u\n"));
  EXPECT_EQ(LeftFolders(), 0U);
}

TEST_F(Wsl, ReportsWhatTheRunInsideReports) {
  EXPECT_EQ(Run(R"("process": {"commandLine": "x"})", {"--result", scratch.Path("r")}).status, 7U);
  EXPECT_THAT(scratch.Read("r"), HasSubstr("\"exitStatus\":7"));
  EXPECT_THAT(scratch.Read("r"), HasSubstr("\"backend\":\"wslc\",\"tier\":\"container\""));
  EXPECT_THAT(scratch.Read("r"), HasSubstr(R"("inside":{"engine":"wsl-unshare","tier":"container"})"));
}

TEST_F(Wsl, ARefusalInsideIsARefusal) {
  Order("refuse");
  const Said said = Run(R"("process": {"commandLine": "x"})");
  EXPECT_EQ(said.status, 255U);
  EXPECT_THAT(said.err, HasSubstr("refused in the distribution 'Debian X': no such thing"));
  EXPECT_THAT(said.err, HasSubstr("policy_validation"));
}

// The number alone says nothing: wsl.exe ends with 1 as well.
TEST_F(Wsl, AStatusWithoutAReportIsNoStatus) {
  Order("silent");
  const Said said = Run(R"("process": {"commandLine": "x"})");
  EXPECT_EQ(said.status, 255U);
  EXPECT_THAT(said.err, HasSubstr("has not said how the run went"));
  EXPECT_THAT(ReadAll(log), HasSubstr("[--exec] [pkill] [-TERM] [-f] ["));
}

TEST_F(Wsl, ARunThatNothingHeldIsNoRun) {
  Order("held by nothing");
  const Said said = Run(R"("process": {"commandLine": "x"})");
  EXPECT_EQ(said.status, 255U);
  EXPECT_THAT(said.err, HasSubstr("is refused: `backend` is missing, or not what it has to be"));
}

TEST_F(Wsl, WhatWslSaysIsReadAndKeptOutOfTheOutput) {
  Order("broken");
  const Said said = Run(R"("process": {"commandLine": "x"})");
  EXPECT_EQ(said.status, 255U);
  EXPECT_EQ(said.out, "");
  EXPECT_THAT(said.err, HasSubstr("There is no distribution with the supplied name."));
  EXPECT_THAT(said.err, HasSubstr("backend_unavailable"));
}

TEST_F(Wsl, DrivesElsewhereAreRefused) {
  Order("elsewhere");
  EXPECT_THAT(Run(R"("process": {"commandLine": "x"})").err, HasSubstr("elsewhere than below /mnt"));
}

TEST_F(Wsl, TranslatesWhatIsThere) {
  std::filesystem::create_directories(Wide(scratch.Path("W")));
  const std::string upper = scratch.Path("W");
  const Said said = Run(R"("process": {"commandLine": "x", "cwd": ")" + Escaped(upper) +
                        R"("}, "filesystem": {"readwritePaths": [")" + Escaped(upper) + R"(", "/srv"]})");
  EXPECT_EQ(said.status, 7U) << said.err;
  EXPECT_THAT(ReadAll(log), HasSubstr("/W\""));
  EXPECT_THAT(ReadAll(log), HasSubstr("\"/srv\""));
  EXPECT_THAT(ReadAll(log), HasSubstr("\"cwd\": \"/mnt/c/"));
}

TEST_F(Wsl, RefusesADistributionThatCannotHoldARun) {
  const auto section = [this](const std::string& name) {
    return Run(R"("process": {"commandLine": "x"}, "wslc": {"distribution": ")" + name + "\"}").err;
  };
  EXPECT_THAT(section("Old"), HasSubstr("has no Linux kernel of its own"));
  EXPECT_THAT(section("Else"), HasSubstr("no distribution 'Else'"));
}

TEST_F(Wsl, ProbesWithWhatIsInside) {
  const std::string probe = RunProgram({"--probe"}).out;
  // A busy machine may take longer than a question may.
  EXPECT_THAT(probe, testing::AnyOf(HasSubstr("\"version\": \"mxc-exec 9.9\""), HasSubstr("did not answer")));
  EXPECT_THAT(probe, testing::AnyOf(HasSubstr("\"wsl-bwrap\""), HasSubstr("did not answer")));
  Order("broken");
  EXPECT_THAT(RunProgram({"--probe"}).out,
              testing::AnyOf(HasSubstr("has no /usr/local/bin/mxc-exec"), HasSubstr("did not answer")));
}

TEST_F(InVirtualMachine, WithoutWslNothingRuns) {
  containment = "wslc";
  const Said said = Run(R"("process": {"commandLine": "x"})");
  EXPECT_EQ(said.status, 255U);
  EXPECT_THAT(said.err, HasSubstr("WSL is not installed"));
  EXPECT_THAT(said.err, HasSubstr("wsl --install"));
}

class Sandbox : public InVirtualMachine {
 protected:
  void SetUp() override {
    InVirtualMachine::SetUp();
    containment = "windows_sandbox";
    Order("");
  }
  void TearDown() override {
    std::error_code ignored;
    std::filesystem::remove(Wide(InSystem("mxc-fake-sandbox")), ignored);
    std::filesystem::remove(Wide(log), ignored);
  }
  static void Order(const std::string& what) {
    std::ofstream{InSystem("mxc-fake-sandbox"), std::ios::binary} << what;
  }
  // A run of a guest of the tests.
  Said RunTheGuest(const std::vector<std::string>& guest, const std::string& more = "",
                   const std::string& input = "") const {
    std::string argv;
    for (const std::string& argument : Guest(guest))
      argv += (argv.empty() ? "\"" : ", \"") + Escaped(argument) + "\"";
    return Run("\"process\": {\"argv\": [" + argv + "]" + more + "}", {}, input);
  }

  SystemProgram program{"WindowsSandbox.exe"};
  std::string log = InSystem("mxc-fake-sandbox.log");
};

TEST_F(Sandbox, PassesTheStatusOn) {
  EXPECT_EQ(RunTheGuest({"exit", "0"}).status, 0U);
  EXPECT_EQ(RunTheGuest({"exit", "42"}).status, 42U);
  EXPECT_EQ(LeftFolders(), 0U);
}

TEST_F(Sandbox, PassesTheStreamsOn) {
  const Said said = RunTheGuest({"both"});
  EXPECT_EQ(said.out, "out");
  EXPECT_EQ(said.err, "err");
  const std::string bytes{"a\r\nb\n\0c\xff", 8};
  EXPECT_EQ(RunTheGuest({"copy"}, "", bytes).out, bytes);
}

// Without "!": Wine, unlike cmd.exe, looks for variables again in what a variable held.
TEST_F(Sandbox, TheCommandArrivesAsItStands) {
  const std::vector<std::string> hard = {"a b", "c&d", "e|f", "(g)", "h^i", "%j", "l;m"};
  std::vector<std::string> guest = {"args"};
  guest.insert(guest.end(), hard.begin(), hard.end());
  std::string lines;
  for (const std::string& argument : hard) lines += argument + "\n";
  EXPECT_EQ(RunTheGuest(guest).out, lines);
}

TEST_F(Sandbox, TheEnvironmentAndTheDirectoryArrive) {
  EXPECT_EQ(RunTheGuest({"env", "MXC_TEST"}, R"(, "env": ["MXC_TEST=v & \"w\" !x"])").out, "v & \"w\" !x\n");
  std::filesystem::create_directories(Wide(scratch.Path("d e")));
  std::string argv;
  for (const std::string& argument : Guest({"cwd"}))
    argv += (argv.empty() ? "\"" : ", \"") + Escaped(argument) + "\"";
  const std::string folder = scratch.Path("d e");
  const Said said = Run("\"process\": {\"argv\": [" + argv + "], \"cwd\": \"" + Escaped(folder) +
                        "\"}, \"filesystem\": {\"readonlyPaths\": [\"" + Escaped(folder) + "\"]}");
  EXPECT_EQ(said.out, folder + "\n") << said.err;
  EXPECT_THAT(ReadAll(log), HasSubstr("<SandboxFolder>" + folder + "</SandboxFolder>\n      <ReadOnly>true"));
}

TEST_F(Sandbox, EndsAtTheTimeout) {
  const Said said = RunTheGuest({"sleep", "60000"}, R"(, "timeout": 1000)");
  EXPECT_EQ(said.status, 255U);
  EXPECT_THAT(said.err, HasSubstr("timed out after 1000ms"));
}

TEST_F(Sandbox, AMachineThatEndsEarlyIsNoRun) {
  Order("closed");
  const Said said = RunTheGuest({"exit", "0"});
  EXPECT_EQ(said.status, 255U);
  EXPECT_THAT(said.err, HasSubstr("the machine ended while it started"));
}

TEST_F(InVirtualMachine, WithoutWindowsSandboxNothingRuns) {
  containment = "windows_sandbox";
  const Said said = Run(R"("process": {"commandLine": "echo ran"})");
  EXPECT_EQ(said.status, 255U);
  EXPECT_THAT(said.out, Not(HasSubstr("ran")));
  EXPECT_THAT(said.err, HasSubstr("Windows Sandbox is not installed"));
  EXPECT_THAT(said.err, HasSubstr("Containers-DisposableClientVM"));
}

TEST_F(InVirtualMachine, LeftFoldersAreRemoved) {
  const wchar_t* local = ::_wgetenv(L"LOCALAPPDATA");
  ASSERT_NE(local, nullptr);
  const std::wstring left = std::wstring(local) + L"\\mxc-exec\\run\\4-12345-abc\\shared";
  std::filesystem::create_directories(left);
  std::ofstream{std::filesystem::path{left + L"\\environment"}} << "T=secret";
  ASSERT_EQ(LeftFolders(), 1U);
  EXPECT_EQ(RunProgram({"--recover"}).status, 0U);
  EXPECT_EQ(LeftFolders(), 0U);
}

}  // namespace
}  // namespace mxc::test::virtual_test
