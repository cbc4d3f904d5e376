#include "access/acl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "access/acl_journal.h"

namespace mxc::acl_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const std::string kOurs = "\x01\x01package";
const std::string kOther = "\x01\x01someone";
constexpr std::uint8_t kInherited = 0x10;

AclChange Change(AceType type, std::uint32_t mask, bool inherited = true) {
  return {.path = "C:\\w", .type = type, .mask = mask, .inherited = inherited, .pointer = "/p"};
}

Ace Allow(const std::string& sid, std::uint8_t flags = 0) {
  Ace ace = EntryFor(Change(AceType::kAllow, 0x1200A9, false), sid);
  ace.flags = flags;
  return ace;
}

Ace Deny(const std::string& sid, std::uint8_t flags = 0) {
  Ace ace = EntryFor(Change(AceType::kDeny, 0x1F01FF, false), sid);
  ace.flags = flags;
  return ace;
}

// Lists in memory. Writing may be told to fail.
class MemoryAcls final : public AclStore {
 public:
  Result<std::optional<Acl>> Read(const std::string& path) override {
    const auto found = lists.find(path);
    return found == lists.end() ? std::optional<Acl>() : std::optional<Acl>(found->second);
  }
  Status Write(const std::string& path, const Acl& list) override {
    if (path == broken) return Error{.code = ErrorCode::kSetupFailed, .message = "write '" + path + "'"};
    lists[path] = list;
    return Done{};
  }

  std::map<std::string, Acl> lists = {};
  std::string broken = {};
};

TEST(Acl, AnEntryHoldsWhatItStandsFor) {
  const Ace ace = EntryFor(Change(AceType::kDeny, 0x00010156), kOurs);
  EXPECT_EQ(ace.Mask(), 0x00010156U);
  EXPECT_EQ(ace.Sid(), kOurs);
  EXPECT_TRUE(ace.IsDenial());
  EXPECT_EQ(ace.flags, 3);  // files and directories below
  EXPECT_EQ(EntryFor(Change(AceType::kAllow, 1, false), kOurs).flags, 0);
}

TEST(Acl, KeepsTheCanonicalOrder) {
  const Acl list = {Deny(kOther), Allow(kOther), Deny(kOther, kInherited), Allow(kOther, kInherited)};
  const Acl granted = With(list, Allow(kOurs));
  EXPECT_THAT(granted, ElementsAre(list[0], list[1], Allow(kOurs), list[2], list[3]));
  EXPECT_THAT(With(granted, Deny(kOurs)),
              ElementsAre(Deny(kOurs), list[0], list[1], Allow(kOurs), list[2], list[3]));
}

TEST(Acl, TakesAwayItsOwnEntriesOnly) {
  Ace callback = Allow(kOurs);
  callback.type = 9;  // ACCESS_ALLOWED_CALLBACK_ACE: never one of ours
  const Acl list = {Deny(kOurs), Allow(kOther), Allow(kOurs), callback, Allow(kOurs, kInherited)};
  EXPECT_THAT(OwnEntriesOf(list, kOurs), ElementsAre(list[0], list[2]));
  EXPECT_THAT(WithOwnEntries(list, kOurs, {}), ElementsAre(list[1], list[3], list[4]));
}

class AclJournalTest : public testing::Test {
 protected:
  AclJournal Journal() {
    return AclJournal{store, run, [this](const std::string& line) {
                        text += line;
                        return Status(Done{});
                      }};
  }
  AclRun run{.process = 42, .created = 133000000000000000, .sid = kOurs, .profile = "mxc-1"};
  MemoryAcls store;
  std::string text;
};

TEST_F(AclJournalTest, WhatIsUndoneIsAsItWas) {
  const Acl before = {Deny(kOther), Allow(kOther, kInherited)};
  store.lists["C:\\w"] = before;
  AclJournal journal = Journal();
  ASSERT_TRUE(journal.Begin());
  ASSERT_TRUE(journal.Apply(Change(AceType::kDeny, file_access::kChange)));
  ASSERT_TRUE(journal.Apply(Change(AceType::kAllow, file_access::kRead)));
  EXPECT_THAT(store.lists["C:\\w"], SizeIs(4));
  EXPECT_THAT(journal.Undo().records, IsEmpty());
  EXPECT_EQ(store.lists["C:\\w"], before);
}

TEST_F(AclJournalTest, AnEntryFromBeforeComesBack) {
  const Acl before = {Allow(kOurs), Allow(kOther)};
  store.lists["C:\\w"] = before;
  AclJournal journal = Journal();
  ASSERT_TRUE(journal.Apply(Change(AceType::kAllow, file_access::kReadWrite)));
  EXPECT_THAT(journal.Undo().records, IsEmpty());
  EXPECT_EQ(OwnEntriesOf(store.lists["C:\\w"], kOurs), Acl{Allow(kOurs)});
}

TEST_F(AclJournalTest, IsWrittenBeforeTheListIs) {
  store.lists["C:\\w"] = {};
  bool unchanged = false;
  AclJournal journal{store, run, [&](const std::string&) {
                       unchanged = store.lists["C:\\w"].empty();
                       return Status(Done{});
                     }};
  ASSERT_TRUE(journal.Apply(Change(AceType::kAllow, 1)));
  EXPECT_TRUE(unchanged);
}

TEST_F(AclJournalTest, NothingChangesWithoutTheJournal) {
  store.lists["C:\\w"] = {};
  AclJournal journal{store, run, [](const std::string&) {
                       return Status(Error{.code = ErrorCode::kSetupFailed, .message = "disk full"});
                     }};
  EXPECT_FALSE(journal.Apply(Change(AceType::kAllow, 1)));
  EXPECT_THAT(store.lists["C:\\w"], IsEmpty());
}

TEST_F(AclJournalTest, AnotherProcessPutsBackWhatWasLeft) {
  store.lists = {{"C:\\w", {Allow(kOther)}}, {"C:\\x", {Allow(kOurs)}}};
  const auto before = store.lists;
  AclJournal journal = Journal();
  ASSERT_TRUE(journal.Begin());
  ASSERT_TRUE(journal.Apply(Change(AceType::kAllow, file_access::kReadWrite)));
  AclChange second = Change(AceType::kDeny, file_access::kEverything);
  second.path = "C:\\x";
  ASSERT_TRUE(journal.Apply(second));

  const std::optional<WrittenRun> written = ReadJournal(text + "{\"path\":\"C:\\\\z\",\"bef");  // cut off
  ASSERT_TRUE(written);
  EXPECT_EQ(written->run, run);
  ASSERT_THAT(written->records, SizeIs(2));
  EXPECT_THAT(PutBack(*written, store).records, IsEmpty());
  EXPECT_EQ(store.lists, before);
}

TEST_F(AclJournalTest, WhatCannotBePutBackStaysWritten) {
  store.lists = {{"C:\\w", {}}, {"C:\\x", {}}};
  const WrittenRun written{.run = run,
                           .records = {{.path = "C:\\x"}, {.path = "C:\\nowhere"}, {.path = "C:\\w"}}};
  store.broken = "C:\\x";
  const Unrestored left = PutBack(written, store);
  ASSERT_THAT(left.records, SizeIs(1));
  EXPECT_EQ(left.records[0].path, "C:\\x");
  EXPECT_THAT(left.reason->message, HasSubstr("C:\\x"));
}

TEST_F(AclJournalTest, AnObjectThatHasGoneIsNotGranted) {
  AclJournal journal = Journal();
  const Status status = journal.Apply(Change(AceType::kAllow, 1));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().pointer, "/p");
  EXPECT_EQ(text, "");
}

TEST_F(AclJournalTest, WhatIsNoJournalIsToldApart) {
  EXPECT_FALSE(ReadJournal(""));
  EXPECT_FALSE(ReadJournal("hello\n"));
  EXPECT_FALSE(ReadJournal("{\"path\":\"C:\\\\w\",\"before\":[]}\n"));
  EXPECT_FALSE(ReadJournal(LineOf(run) + "{\"path\":\"C:\\\\w\",\"before\":[\"zz\"]}\n"));
  EXPECT_FALSE(ReadJournal(LineOf(run) + "{}\n"));
}

}  // namespace
}  // namespace mxc::acl_test
