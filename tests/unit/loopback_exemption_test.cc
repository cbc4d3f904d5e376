// The machine's list of exemptions, with one of ours added and taken away.
#include "access/loopback_exemption.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "access/acl_journal.h"

namespace mxc::loopback_exemption_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kOurs = "ours";
const Exemption kOther{.sid = "other", .attributes = 4};

class MemoryExemptions final : public ExemptionStore {
 public:
  Result<std::vector<Exemption>> Read() override { return list; }
  Status Write(const std::vector<Exemption>& exemptions) override {
    ++writes;
    if (!forgets) list = exemptions;
    return Done{};
  }
  std::vector<Exemption> list{kOther};
  int writes = 0;
  bool forgets = false;  // as where another program writes in between
};

TEST(LoopbackExemption, LeavesTheOthersAlone) {
  MemoryExemptions store;
  ASSERT_TRUE(Exempt(store, kOurs));
  EXPECT_THAT(store.list, ElementsAre(kOther, Exemption{.sid = kOurs}));
  EXPECT_TRUE(*IsExempt(store, kOurs));
  store.list.push_back({.sid = "later"});
  ASSERT_TRUE(EndExemption(store, kOurs));
  EXPECT_THAT(store.list, ElementsAre(kOther, Exemption{.sid = "later"}));
}

TEST(LoopbackExemption, ChangesNothingWithoutNeed) {
  MemoryExemptions store;
  ASSERT_TRUE(EndExemption(store, kOurs));
  ASSERT_TRUE(Exempt(store, kOther.sid));
  EXPECT_EQ(store.writes, 0);
}

TEST(LoopbackExemption, IsLookedAtAfterwards) {
  MemoryExemptions store;
  store.forgets = true;
  EXPECT_FALSE(Exempt(store, kOurs));
  store.list = {{.sid = kOurs}};
  const Status ended = EndExemption(store, kOurs);
  ASSERT_FALSE(ended);
  EXPECT_THAT(ended.error().message, HasSubstr("still exempt"));
}

class NoLists final : public AclStore {
 public:
  Result<std::optional<Acl>> Read(const std::string& /*path*/) override { return std::optional<Acl>(); }
  Status Write(const std::string& /*path*/, const Acl& /*list*/) override { return Done{}; }
};

TEST(LoopbackExemption, IsEndedByAnotherProcess) {
  NoLists lists;
  MemoryExemptions store;
  std::string text;
  AclJournal journal{lists, AclRun{.process = 42, .created = 7, .sid = kOurs}, [&](const std::string& line) {
                       text += line;
                       return Status(Done{});
                     }};
  ASSERT_TRUE(journal.Begin());
  EXPECT_FALSE(ReadJournal(text)->exemption);
  ASSERT_TRUE(journal.BeginExemption());
  ASSERT_TRUE(Exempt(store, kOurs));
  const std::optional<WrittenRun> written = ReadJournal(text);
  ASSERT_TRUE(written);
  ASSERT_TRUE(written->exemption);
  const Undoing undoing{.end_exemption = [&](std::string_view sid) { return EndExemption(store, sid); }};
  EXPECT_FALSE(PutBack(*written, lists, undoing).reason);
  EXPECT_THAT(store.list, ElementsAre(kOther));
  store.list.push_back({.sid = kOurs});
  store.forgets = true;
  EXPECT_TRUE(PutBack(*written, lists, undoing).reason);
}

}  // namespace
}  // namespace mxc::loopback_exemption_test
