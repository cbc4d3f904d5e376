// What an administrator changes for AppContainers, on lists in memory.
#include "access/host_preparation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace mxc::host_preparation_test {
namespace {

using testing::HasSubstr;

Ace Entry(AceType type, std::uint32_t mask, const std::string& sid) {
  return EntryFor({.type = type, .mask = mask, .inherited = false}, sid);
}

const std::string kSomebody{"\1\1\0\0\0\0\0\5\22\0\0\0", 12};
const Acl kRoot = {Entry(AceType::kDeny, 0x2, kSomebody), Entry(AceType::kAllow, 0x1F01FF, kSomebody)};

TEST(HostPreparation, TheRootOfADriveMayBeLookedAt) {
  const std::vector<Ace> entries = DriveEntries();
  ASSERT_EQ(entries.size(), 2U);
  // S-1-15-2-1 and S-1-15-2-2, as Windows stores them.
  EXPECT_EQ(entries[0].Sid(), std::string("\1\2\0\0\0\0\0\17\2\0\0\0\1\0\0\0", 16));
  EXPECT_EQ(entries[1].Sid(), std::string("\1\2\0\0\0\0\0\17\2\0\0\0\2\0\0\0", 16));
  for (const Ace& entry : entries) {
    EXPECT_EQ(entry.Mask(), 0x120088U);
    EXPECT_EQ(entry.flags, 0U);  // nothing below inherits it
    EXPECT_FALSE(entry.IsDenial());
  }
}

TEST(HostPreparation, AddsWhatIsMissingAndTakesItAwayAgain) {
  EXPECT_FALSE(IsDriveReady(kRoot));
  const Result<Acl> ready = WithDriveEntries(kRoot, "C:\\");
  ASSERT_TRUE(ready);
  EXPECT_TRUE(IsDriveReady(*ready));
  EXPECT_EQ(ready->size(), 4U);
  EXPECT_TRUE(ready->front().IsDenial());
  EXPECT_EQ(*WithDriveEntries(*ready, "C:\\"), *ready);
  EXPECT_EQ(WithoutDriveEntries(*ready), kRoot);
  EXPECT_EQ(WithoutDriveEntries(kRoot), kRoot);
  Acl half = kRoot;
  half.push_back(DriveEntries()[1]);
  EXPECT_FALSE(IsDriveReady(half));
  EXPECT_EQ(WithDriveEntries(half, "C:\\")->size(), 4U);
}

TEST(HostPreparation, LeavesWhatSomebodyElseHasWritten) {
  const std::string containers{DriveEntries()[0].Sid()};
  for (const Ace& other :
       {Entry(AceType::kAllow, 0x1200A9, containers), Entry(AceType::kDeny, 0x120088, containers)}) {
    Acl list = kRoot;
    list.push_back(other);
    const Result<Acl> refused = WithDriveEntries(list, "C:\\");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kConflict);
    EXPECT_THAT(refused.error().hint, HasSubstr("icacls C:\\"));
    EXPECT_EQ(WithoutDriveEntries(list), list);
  }
}

TEST(HostPreparation, ComparesListsWithoutTheirOrder) {
  Acl turned = kRoot;
  std::reverse(turned.begin(), turned.end());
  EXPECT_TRUE(AreSame(kRoot, turned));
  turned[0].flags = 3;
  EXPECT_FALSE(AreSame(kRoot, turned));
  EXPECT_FALSE(AreSame(kRoot, {kRoot[0]}));
  EXPECT_FALSE(AreSame({kRoot[0], kRoot[0]}, {kRoot[0], kRoot[1]}));
}

TEST(HostPreparation, BothKindsOfContainerMustGetIn) {
  const std::string all{DriveEntries()[0].Sid()};
  const std::string restricted{DriveEntries()[1].Sid()};
  EXPECT_FALSE(LetsContainersIn(kRoot));
  EXPECT_FALSE(LetsContainersIn({Entry(AceType::kAllow, 1, all)}));
  EXPECT_TRUE(LetsContainersIn({Entry(AceType::kAllow, 1, all), Entry(AceType::kAllow, 1, restricted)}));
  EXPECT_FALSE(LetsContainersIn({Entry(AceType::kAllow, 1, all), Entry(AceType::kAllow, 0, restricted)}));
  EXPECT_FALSE(LetsContainersIn({Entry(AceType::kAllow, 1, all), Entry(AceType::kDeny, 1, restricted)}));
}

TEST(HostPreparation, BelongsToWindows) {
  const Result<PreparationReply> reply = PrepareHost({});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace mxc::host_preparation_test
