// What bfscfg.exe is called with, which answers are failures, and how its grants are journaled.
#include "access/bfs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "access/acl_journal.h"

namespace mxc::bfs_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string Joined(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += "[" + word + "]";
  return line;
}

// Answers every call with `answer`, from the number `from` on.
struct Program {
  RunBfs Run() {
    return [this](const std::vector<std::string>& arguments) {
      calls.push_back(Joined(arguments));
      return calls.size() > from ? answer : ToolRun{.started = true};
    };
  }
  ToolRun answer{.started = true};
  std::size_t from = 0;
  std::vector<std::string> calls = {};
};

const std::vector<BfsGrant> kGrants = {{.path = "C:\\a b", .read_write = true, .pointer = "/rw"},
                                       {.path = "D:\\r", .pointer = "/ro"}};

TEST(Bfs, IsCalledOnceForEachGrant) {
  Program program;
  EXPECT_TRUE(GrantByBfs(kGrants, "mxc-1", program.Run()));
  EXPECT_TRUE(ClearBfs("mxc-1", program.Run()));
  EXPECT_THAT(
      program.calls,
      ElementsAre("[--addpolicy][--policybroker][--filename][C:\\a b][--appid][mxc-1][--containerinherit]",
                  "[--addpolicy][--policybrokerreadonly][--filename][D:\\r][--appid][mxc-1]"
                  "[--containerinherit]",
                  "[--clearpolicy][--appid][mxc-1]"));
}

TEST(Bfs, AFailureIsToldOfItsGrant) {
  const std::string phrase = "Error: Unable to perform policy operation (5)\r\n";
  std::string utf16;
  for (const char c : phrase) utf16 += {c, '\0'};
  for (const ToolRun& answer :
       {ToolRun{.started = false}, ToolRun{.started = true, .timed_out = true},
        ToolRun{.started = true, .exit_code = static_cast<int>(0xC0000005U)},
        ToolRun{.started = true, .out = phrase}, ToolRun{.started = true, .err = phrase},
        ToolRun{.started = true, .out = utf16}}) {
    Program program{.answer = answer, .from = 1};
    const Status granted = GrantByBfs(kGrants, "mxc-1", program.Run());
    ASSERT_FALSE(granted);
    EXPECT_EQ(granted.error().code, ErrorCode::kSetupFailed);
    EXPECT_EQ(granted.error().pointer, "/ro");
    EXPECT_THAT(granted.error().message, HasSubstr("bfscfg.exe was to grant 'D:\\r': it "));
    EXPECT_FALSE(ClearBfs("mxc-1", program.Run()));
  }
  Program status{.answer = {.started = true, .exit_code = 1, .out = "done"}};
  EXPECT_TRUE(GrantByBfs(kGrants, "mxc-1", status.Run()));  // it says no failure
}

class NoLists final : public AclStore {
 public:
  Result<std::optional<Acl>> Read(const std::string& /*path*/) override { return std::optional<Acl>(); }
  Status Write(const std::string& /*path*/, const Acl& /*list*/) override { return Done{}; }
};

class BfsJournal : public testing::Test {
 protected:
  AclJournal Journal() {
    return AclJournal{lists, run,
                      [this](const std::string& line) {
                        text += line;
                        return Status(Done{});
                      },
                      Undo()};
  }
  Undoing Undo() {
    return {.clear_bfs = [this](const std::string& container) { return ClearBfs(container, program.Run()); }};
  }
  AclRun run{.process = 42, .created = 7, .sid = "\x01\x01package", .profile = "mxc-1"};
  NoLists lists;
  Program program;
  std::string text;
};

TEST_F(BfsJournal, AnotherProcessClearsWhatWasLeft) {
  AclJournal journal = Journal();
  ASSERT_TRUE(journal.Begin());
  EXPECT_EQ(ReadJournal(text)->bfs, "");
  ASSERT_TRUE(journal.BeginBfs("mxc-1"));
  const std::optional<WrittenRun> written = ReadJournal(text);
  ASSERT_TRUE(written);
  EXPECT_EQ(written->bfs, "mxc-1");
  EXPECT_THAT(written->records, IsEmpty());
  EXPECT_FALSE(PutBack(*written, lists, Undo()).reason);
  EXPECT_THAT(program.calls, ElementsAre("[--clearpolicy][--appid][mxc-1]"));
}

TEST_F(BfsJournal, ClearsAtTheEndUnlessItIsKept) {
  AclJournal without = Journal();
  EXPECT_FALSE(without.Undo().reason);
  EXPECT_THAT(program.calls, IsEmpty());
  AclJournal kept = Journal();
  ASSERT_TRUE(kept.BeginBfs("agent"));
  kept.KeepBfs();
  EXPECT_FALSE(kept.Undo().reason);
  EXPECT_THAT(program.calls, IsEmpty());
  AclJournal journal = Journal();
  ASSERT_TRUE(journal.BeginBfs("mxc-1"));
  EXPECT_FALSE(journal.Undo().reason);
  EXPECT_THAT(program.calls, ElementsAre("[--clearpolicy][--appid][mxc-1]"));
}

TEST_F(BfsJournal, WhatCannotBeClearedIsSaid) {
  AclJournal journal = Journal();
  ASSERT_TRUE(journal.BeginBfs("mxc-1"));
  program.answer = {.started = true, .timed_out = true};
  const Unrestored left = journal.Undo();
  ASSERT_TRUE(left.reason);
  EXPECT_THAT(left.reason->message, HasSubstr("it did not end in 10 s, and was ended"));
}

}  // namespace
}  // namespace mxc::bfs_test
