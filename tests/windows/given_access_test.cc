// What a container is given beside lists, with stand-ins for what Windows gives it by, and what is left of it
// after a run that was killed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <windows.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "tests/windows/guest_windows.h"
#include "tests/windows/program_windows.h"
#include "tests/windows/system_programs_windows.h"
#include "win32/wide_windows.h"
#include "windows/given_access_windows.h"

namespace mxc::test::given_access_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

struct Listener final : RunObserver {
  void OnStarted(std::int64_t /*process_id*/) override {}
  void OnWarning(const Warning& warning) override { warnings.push_back(warning.category); }
  std::vector<std::string> warnings = {};
};

const std::string kSid{"\1\2\0\0\0\0\0\17\2\0\0\0\7\0\0\0", 16};

class WindowsAccess : public testing::Test {
 protected:
  // From then on it stays in the prefix of the tests.
  static void SetUpTestSuite() {
    if (!IsWine()) return;
    std::array<wchar_t, MAX_PATH> own{};
    ::GetModuleFileNameW(nullptr, own.data(), MAX_PATH);
    const auto beside = std::filesystem::path(own.data()).replace_filename(L"firewallapi.dll");
    ASSERT_NE(::CopyFileW(beside.c_str(), Wide(InSystem("firewallapi.dll")).c_str(), FALSE), 0)
        << ::GetLastError();
  }
  WindowsAccess() { ::_wputenv_s(L"MXC_ACL_JOURNAL", Wide(scratch.Path("journals")).c_str()); }
  ~WindowsAccess() override {
    ::_wputenv_s(L"MXC_ACL_JOURNAL", L"");
    for (const char* name :
         {"mxc-fake-bfscfg", "mxc-fake-bfscfg.log", "mxc-fake-exemptions", "mxc-fake-exemptions-denied"})
      ::DeleteFileW(Wide(InSystem(name)).c_str());
  }
  void SetUp() override {
    if (!IsWine()) GTEST_SKIP() << "stand-ins of system programs are made under Wine only";
  }

  static void Write(const std::string& name, const std::string& text) {
    std::ofstream{std::filesystem::path(Wide(InSystem(name))), std::ios::binary} << text;
  }
  static void Order(const std::string& what) { Write("mxc-fake-bfscfg", what); }
  static std::vector<std::string> Exemptions() {
    std::ifstream file{std::filesystem::path(Wide(InSystem("mxc-fake-exemptions")))};
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }
  // Without the path of the program, which is always its own.
  static std::vector<std::string> Calls() {
    std::ifstream file{std::filesystem::path(Wide(InSystem("mxc-fake-bfscfg.log")))};
    const std::string program = InSystem("bfscfg.exe") + " ";
    std::vector<std::string> calls;
    for (std::string line; std::getline(file, line);) {
      EXPECT_TRUE(line.starts_with(program)) << line;
      calls.push_back(line.substr(program.size()));
    }
    return calls;
  }
  [[nodiscard]] std::size_t Journals() const {
    std::error_code missing;
    std::filesystem::directory_iterator entries(Wide(scratch.Path("journals")), missing);
    return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
  }

  Scratch scratch;
  SystemProgram program{"bfscfg.exe"};
  Listener listener;
  const AppContainerSandbox files{.bfs = {{.path = "C:\\a b", .read_write = true, .pointer = "/rw"},
                                          {.path = "D:\\r", .pointer = "/ro"}}};
  const ContainerIdentity own{.name = "mxc-1", .sid = kSid, .profile_to_delete = "mxc-1"};
  const std::string grant =
      R"(--addpolicy --policybroker --filename "C:\a b" --appid mxc-1 --containerinherit)";
  const std::string clear = "--clearpolicy --appid mxc-1";
};

TEST_F(WindowsAccess, BfscfgGrantsAndClears) {
  {
    GivenAccess access{listener};
    ASSERT_TRUE(access.Give(files, own));
    EXPECT_EQ(Journals(), 1U);
  }
  EXPECT_THAT(
      Calls(),
      ElementsAre(grant,
                  "--addpolicy --policybrokerreadonly --filename D:\\r --appid mxc-1 --containerinherit",
                  clear));
  EXPECT_EQ(Journals(), 0U);
  EXPECT_THAT(listener.warnings, IsEmpty());
}

TEST_F(WindowsAccess, WhatBfscfgRefusesRefusesTheRun) {
  Order("add unable");
  {
    GivenAccess access{listener};
    const Status given = access.Give(files, own);
    ASSERT_FALSE(given);
    EXPECT_EQ(given.error().pointer, "/rw");
  }
  EXPECT_THAT(Calls(), ElementsAre(grant, clear));
  EXPECT_EQ(Journals(), 0U);
}

TEST_F(WindowsAccess, ABfscfgThatHangsIsEnded) {
  Order("add hang");
  {
    GivenAccess access{listener};
    const Status given = access.Give(files, own);
    ASSERT_FALSE(given);
    EXPECT_THAT(given.error().message, HasSubstr("did not end in 10 s"));
  }
  EXPECT_THAT(Calls(), ElementsAre(grant, clear));
}

TEST_F(WindowsAccess, WhatCannotBeClearedStaysWritten) {
  Order("clear unable");
  {
    GivenAccess access{listener};
    ASSERT_TRUE(access.Give(files, own));
  }
  EXPECT_THAT(listener.warnings, ElementsAre("access-left"));
  EXPECT_EQ(Journals(), 1U);
}

TEST_F(WindowsAccess, ALaterStartClearsWhatAKilledRunLeft) {
  ASSERT_TRUE(KillOnce(Guest({"give", scratch.Path("given")}), scratch.Path("given")));
  EXPECT_THAT(Exemptions(), SizeIs(1));
  EXPECT_THAT(Calls(), ElementsAre(HasSubstr("--appid mxc-killed ")));
  Order("clear unable");
  EXPECT_THAT(RunProgram({"--recover"}).err, HasSubstr("bfscfg.exe was to clear the grants of 'mxc-killed'"));
  EXPECT_EQ(Journals(), 1U);
  Order("");
  EXPECT_THAT(RunProgram({"--recover"}).err, HasSubstr("grants and access control lists put back: 2"));
  EXPECT_THAT(Exemptions(), IsEmpty());
  EXPECT_THAT(Calls(), SizeIs(3));
  EXPECT_THAT(Calls(), testing::Each(HasSubstr("--appid mxc-killed")));
  EXPECT_EQ(Calls().back(), "--clearpolicy --appid mxc-killed");
  EXPECT_EQ(Journals(), 0U);
}

// What an earlier run kept is cleared before the grants of this one.
TEST_F(WindowsAccess, ANameThatStaysMayKeepItsGrants) {
  AppContainerSandbox kept = files;
  kept.bfs.pop_back();
  kept.bfs_kept = true;
  {
    GivenAccess access{listener};
    ASSERT_TRUE(access.Give(kept, {.name = "mxc-1", .sid = kSid}));
  }
  EXPECT_THAT(Calls(), ElementsAre(clear, grant));
  EXPECT_THAT(listener.warnings, ElementsAre("policy-kept"));
  EXPECT_EQ(Journals(), 0U);
}

TEST_F(WindowsAccess, DenialsAreEntriesBesideIt) {
  const std::string file = scratch.Write("file", "text");
  AppContainerSandbox denying = files;
  denying.acl = {
      {.path = file, .type = AceType::kDeny, .mask = file_access::kEverything, .inherited = false}};
  WindowsAcls store;
  const std::size_t before = (**store.Read(file)).size();
  {
    GivenAccess access{listener};
    ASSERT_TRUE(access.Give(denying, own));
  }
  EXPECT_EQ((**store.Read(file)).size(), before);
  EXPECT_THAT(Calls(), SizeIs(3));
}

const std::string kOther = "4 01010000000000050c000000";
const std::string kOwn = "0 010200000000000f0200000007000000";

TEST_F(WindowsAccess, AnExemptionIsOfThisContainerAndThisRun) {
  Write("mxc-fake-exemptions", kOther + "\n");
  {
    GivenAccess access{listener};
    ASSERT_TRUE(access.Give({.loopback_exempt = true}, own));
    EXPECT_THAT(Exemptions(), ElementsAre(kOther, kOwn));
    EXPECT_EQ(Journals(), 1U);
  }
  EXPECT_THAT(Exemptions(), ElementsAre(kOther));
  EXPECT_EQ(Journals(), 0U);
  EXPECT_THAT(Calls(), IsEmpty());
}

TEST_F(WindowsAccess, AnExemptionFromBeforeStays) {
  Write("mxc-fake-exemptions", kOwn + "\n");
  {
    GivenAccess access{listener};
    ASSERT_TRUE(access.Give({.loopback_exempt = true}, own));
  }
  EXPECT_THAT(Exemptions(), ElementsAre(kOwn));
}

TEST_F(WindowsAccess, WithoutAnAdministratorTheRunIsRefused) {
  Write("mxc-fake-exemptions-denied", "");
  {
    GivenAccess access{listener};
    const Status given = access.Give({.loopback_exempt = true}, own);
    ASSERT_FALSE(given);
    EXPECT_EQ(given.error().code, ErrorCode::kUnavailable);
  }
  EXPECT_EQ(Journals(), 0U);
}

TEST_F(WindowsAccess, AnExemptionThatCannotBeEndedStaysWritten) {
  {
    GivenAccess access{listener};
    ASSERT_TRUE(access.Give({.loopback_exempt = true}, own));
    Write("mxc-fake-exemptions-denied", "");
  }
  EXPECT_THAT(listener.warnings, ElementsAre("access-left"));
  EXPECT_EQ(Journals(), 1U);
}

// An error behind a grant takes the grant away as well, also one that was to be kept.
TEST_F(WindowsAccess, AnErrorTakesAllOfItAway) {
  Write("mxc-fake-exemptions-denied", "");
  AppContainerSandbox all = files;
  all.bfs.pop_back();
  all.bfs_kept = true;
  all.loopback_exempt = true;
  {
    GivenAccess access{listener};
    EXPECT_FALSE(access.Give(all, own));
  }
  EXPECT_THAT(Calls(), ElementsAre(grant, clear));
}

TEST_F(WindowsAccess, TheProbeSaysWhetherItIsThere) {
  EXPECT_THAT(RunProgram({"--probe"}).out, HasSubstr("\"bfscfgPresent\": true"));
  ::DeleteFileW(Wide(InSystem("bfscfg.exe")).c_str());
  EXPECT_THAT(RunProgram({"--probe"}).out, HasSubstr("\"bfscfgPresent\": false"));
  EXPECT_THAT(Calls(), IsEmpty());  // asking starts nothing
}

}  // namespace
}  // namespace mxc::test::given_access_test
