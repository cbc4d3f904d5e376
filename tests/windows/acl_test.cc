// Lists of real files, journals and recovery. Under Wine a list is an imitation that does not keep every
// entry, so what is compared is what was there before.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <windows.h>

#include "access/acl_journal.h"
#include "access/acl_windows.h"
#include "cleanup/recover.h"
#include "tests/windows/program_windows.h"
#include "win32/wide_windows.h"
#include "windows/acl_journal_store_windows.h"

namespace mxc::test::acl_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// S-1-15-2-1-2-3-4-5-6-7, an identity no container has.
std::string MadeUpSid() {
  std::string sid{"\1\10\0\0\0\0\0\17", 8};
  for (const char part : std::string_view("\2\1\2\3\4\5\6\7")) sid += part + std::string(3, '\0');
  return sid;
}

AclChange Grant(const std::string& path) {
  return {
      .path = path, .type = AceType::kAllow, .mask = file_access::kRead, .inherited = false, .pointer = "/p"};
}

class WindowsAcl : public testing::Test {
 protected:
  ~WindowsAcl() override { ::SetEnvironmentVariableW(L"MXC_ACL_JOURNAL", nullptr); }

  // For the programs that the test starts.
  static void UseJournals(const std::string& directory) {
    ::SetEnvironmentVariableW(L"MXC_ACL_JOURNAL", Wide(directory).c_str());
  }

  Scratch scratch;
  std::string file = scratch.Write("file", "text");
  WindowsAcls store;
};

TEST_F(WindowsAcl, ReadsTheListOfAFile) {
  const Result<std::optional<Acl>> list = store.Read(file);
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_TRUE(list->has_value());
  const Result<std::optional<Acl>> none = store.Read(scratch.Path("none"));
  ASSERT_TRUE(none);
  EXPECT_FALSE(none->has_value());
}

TEST_F(WindowsAcl, WhatIsUndoneIsAsItWas) {
  const Acl before = **store.Read(file);
  AclJournal journal{
      store, {.process = 1, .sid = MadeUpSid()}, [](const std::string&) { return Status(Done{}); }};
  ASSERT_TRUE(journal.Apply(Grant(file)));
  EXPECT_THAT(journal.Undo().records, IsEmpty());
  EXPECT_EQ(OwnEntriesOf(**store.Read(file), MadeUpSid()), Acl{});
  EXPECT_EQ((**store.Read(file)).size(), before.size());
}

TEST_F(WindowsAcl, ALaterStartPutsBackWhatAKilledRunLeft) {
  Result<JournalFile> left = JournalFile::Create(scratch.Path("journals"));
  ASSERT_TRUE(left) << left.error().message;
  AclJournal journal{store,
                     {.process = 4, .created = 12345, .sid = MadeUpSid()},
                     [&](const std::string& line) { return left->Write(line); }};
  ASSERT_TRUE(journal.Begin());
  ASSERT_TRUE(journal.Apply(Grant(file)));
  *left = JournalFile{};  // as if it had been killed

  UseJournals(scratch.Path("journals"));
  const Said said = RunProgram({"--recover"});
  EXPECT_EQ(said.status, 0U);
  EXPECT_THAT(said.err, HasSubstr("access control lists put back: 1"));
  EXPECT_THAT(RunProgram({"--recover"}).err, HasSubstr("nothing to recover"));
  EXPECT_EQ(OwnEntriesOf(**store.Read(file), MadeUpSid()), Acl{});
}

TEST_F(WindowsAcl, ARunThatGoesOnIsLeftAlone) {
  Result<JournalFile> mine = JournalFile::Create(scratch.Path("journals"));
  ASSERT_TRUE(mine);
  const DWORD own = ::GetCurrentProcessId();
  ASSERT_TRUE(mine->Write(LineOf(AclRun{.process = own, .created = CreationOf(own), .sid = MadeUpSid()})));
  ASSERT_TRUE(mine->Write(LineOf(AclRecord{.path = file})));
  UseJournals(scratch.Path("journals"));
  EXPECT_THAT(RunProgram({"--recover"}).err, HasSubstr("nothing to recover"));
  mine->Remove();
}

TEST_F(WindowsAcl, AFileThatIsNoJournalIsReported) {
  const std::string directory = scratch.Path("");
  scratch.Write("odd.acl", "odd");
  UseJournals(directory);
  const Said said = RunProgram({"--recover"});
  EXPECT_THAT(said.err, HasSubstr("odd.acl' is no journal"));
}

}  // namespace
}  // namespace mxc::test::acl_test
